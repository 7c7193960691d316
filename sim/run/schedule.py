"""Chunks on all workers, parts in the order of their deals."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sim import outcomes
from sim.errors import RunError
from sim.experiment import Plan
from sim.outcomes import Part
from sim.progress import Shown
from sim.run.folder import Folder
from sim.run.play import STOPS, Chunk, play_chunk

Observer = Callable[[Part], Any]

STOP = "stop"  # what an observer returns to end the run
FIRST_CHUNK = 8  # games of the chunks before anything is known of the speed


class Pace:
    """How many games make a chunk: what one worker plays in `seconds`."""

    def __init__(self, seconds: float, jobs: int) -> None:
        self.seconds, self.jobs, self.rate = seconds, jobs, 0.0

    def learn(self, chunk: Chunk) -> None:
        """Take the speed of a chunk into account."""
        rate = (chunk.stop - chunk.first) / max(chunk.seconds, 1e-6)
        self.rate = rate if self.rate == 0 else 0.5 * (self.rate + rate)

    def size(self, rest_of_part: int, rest: int) -> int:
        """Return the size of the next chunk; towards the end chunks get smaller, so that no worker waits long."""
        if self.rate == 0:
            return min(rest_of_part, FIRST_CHUNK)
        wanted = max(1, int(self.rate * min(self.seconds, max(0.02, rest / self.rate / (2 * self.jobs)))))
        return rest_of_part if rest_of_part < 1.5 * wanted else wanted


class Player:
    """One call of `run`: hands out chunks, puts parts together in order, writes and shows them."""

    def __init__(self, plan: Plan, folder: Folder | None, observe: Observer | None, jobs: int, backend: str) -> None:
        self.plan, self.folder, self.observe, self.jobs, self.backend = plan, folder, observe, jobs, backend
        self.stop = threading.Event()
        self.token = f"{os.getpid()}-{id(self)}"
        self.held: list[Part] = []
        self.decided = False  # the observer has ended the run
        self.issued = self.taken = 0

    def ready_parts(self, say: Callable[[str], None]) -> set[int]:
        """Return the parts that are on disk, whole and undamaged."""
        if self.folder is None:
            return set()
        ready = set()
        for entry in self.folder.manifest["parts"]:
            index = entry["part"]
            first, stop = self.plan.part_range(index)
            if (entry["first"], entry["superblocks"]) != (first, stop - first):
                continue
            if (sentence := self.folder.damage(entry)) is not None:
                say(f"{sentence} It is played again.")
            else:
                ready.add(index)
        return ready

    def play(self, shown: Shown, ready: set[int], seconds: float) -> int:
        """Play what is missing; return how many parts are there, from the first one."""
        self.ready, self.pace = ready, Pace(seconds, self.jobs)
        index = 0
        while index in ready and not self.stop.is_set():
            index = self._observe_stored(index)
        if self.stop.is_set() or index == self.plan.n_parts:
            return index
        STOPS[self.token] = self.stop
        chunks = self._results()
        try:
            index = self._collect(chunks, shown, index)
        finally:
            self.stop.set()
            for _ in chunks:  # let the workers come to an end; nothing is kept
                pass
            del STOPS[self.token]
        return index

    def _observe_stored(self, index: int) -> int:
        if self.observe is not None and self.folder is not None:
            self._show(self.folder.load(self.plan, index))
        return index + 1

    def _show(self, part: Part) -> None:
        if self.observe is not None and self.observe(part) == STOP:
            self.decided = True
            self.stop.set()

    def _collect(self, chunks: Iterator[Chunk | None], shown: Shown, index: int) -> int:
        """Put chunks together to parts, in order."""
        pending: list[Chunk] = []
        for chunk in chunks:
            if chunk is None:
                continue
            self.taken += chunk.stop - chunk.first
            self.pace.learn(chunk)
            pending.append(chunk)
            if chunk.stop < self.plan.part_range(index)[1] * self.plan.superblock_games:
                shown.add(chunk.stop - chunk.first, self._headline)
                continue
            self._finish_part(index, pending)
            pending = []
            index += 1
            while index in self.ready and not self.decided:
                index = self._observe_stored(index)
            shown.add(chunk.stop - chunk.first, self._headline)
            if self.decided or index == self.plan.n_parts:
                break
        return index

    @property
    def _headline(self) -> str:
        return str(getattr(self.observe, "headline", "") or "")

    def _finish_part(self, index: int, pending: list[Chunk]) -> None:
        first, stop = (b * self.plan.superblock_games for b in self.plan.part_range(index))
        if [c.first for c in pending] + [stop] != [first] + [c.stop for c in pending]:
            raise RunError(f"The chunks of part {index} do not fit together; this is a fault of the program.")
        part = outcomes.assemble(
            self.plan,
            index,
            self.plan.expand(first, stop),
            np.concatenate([c.game_rows for c in pending]),
            np.concatenate([c.round_rows for c in pending]),
            np.concatenate([c.round_game + (c.first - first) for c in pending]),
        )
        if (game := outcomes.wrong_share(part)) is not None:
            raise RunError(f"The shares of game {game} of {self.plan.game} (seed {self.plan.seed}) do not sum to 1.")
        if self.folder is None:
            self.held.append(part)
        else:
            self.folder.store(self.plan, part)
        self._show(part)

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Give the chunks to play; an empty range is a short rest while results wait to be taken."""
        limit = 20 * self.plan.part_superblocks * self.plan.superblock_games
        rest = sum(
            (stop - first) * self.plan.superblock_games
            for first, stop in (self.plan.part_range(i) for i in self._missing())
        ) if self.plan.n_parts <= 100_000 else self.plan.total_games  # fmt: skip
        for index in self._missing():
            first, end = (b * self.plan.superblock_games for b in self.plan.part_range(index))
            while first < end:
                while self.issued - self.taken > limit and not self.stop.is_set():
                    yield first, first
                if self.stop.is_set():
                    return
                stop = first + self.pace.size(end - first, rest)
                self.issued += stop - first
                rest -= stop - first
                yield first, stop
                first = stop

    def _missing(self) -> Iterator[int]:
        return (i for i in range(self.plan.n_parts) if i not in self.ready)

    def _results(self) -> Iterator[Chunk | None]:
        """Give the played chunks in order."""
        from joblib import Parallel, delayed, parallel_config

        key = self.plan.hash
        tasks = (delayed(play_chunk)(self.plan, key, self.token, first, stop) for first, stop in self._ranges())
        with parallel_config(backend=self.backend):  # Parallel itself does not know dask by name
            pool = Parallel(n_jobs=self.jobs, return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
        try:
            yield from pool(tasks)
        except Exception as error:
            if self.stop.is_set():
                return  # Ctrl-C reaches worker processes too; one that had not yet learnt to ignore it breaks the pool
            if "can't start new thread" in str(error):
                raise RunError("The machine allows no further threads; use fewer jobs (--jobs 1).") from error
            if type(error).__name__ in ("BrokenProcessPool", "TerminatedWorkerError"):
                raise RunError(f"A worker process has died: {error} What is finished is kept.") from error
            raise
