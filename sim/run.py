"""Play a plan: chunks on all allowed cores, parts in deal order, a run folder that can be resumed and extended.

A part is written when all its games are played and its earlier parts are; a chunk is only a unit of scheduling. What a
worker returns depends on nothing but the numbers of its games, so that jobs, backend and chunk size leave no trace.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib import metadata
from pathlib import Path
from types import FrameType
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim import engine, outcomes, search
from sim.errors import Interrupted, RunError, UsageError, nearest
from sim.experiment import FORMAT, Plan, differences
from sim.game import Engine, load, load_engine
from sim.outcomes import TABLES, Part
from sim.progress import Progress, Shown, Silent, choose

Array = npt.NDArray[Any]
Observer = Callable[[Part], Any]
BACKENDS = ("threading", "loky", "dask")
STOP = "stop"  # what an observer returns to end the run
ROUND_BUFFER = 8192  # rounds that a worker holds before it hands them over
SAVE_SECONDS = 1.0  # the manifest is written at most so often; what a kill loses is played again
IDLE_SECONDS = 0.02
FIRST_CHUNK = 8  # games of the chunks before anything is known of the speed
_LIBRARIES = ("numpy", "numba", "pandas", "pyarrow", "joblib")


# ---------------------------------------------------------------------------------------------------------------------
# Playing a range of games


@dataclass(frozen=True)
class Chunk:
    """Some consecutive games, played: records of shape (games, seats) and (rounds, seats), and the seconds it took."""

    first: int
    stop: int
    game_rows: Array
    round_rows: Array
    round_game: Array
    decisions: int
    seconds: float


class Table:
    """The arrays with which one thread plays the games of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.engine = load_engine(load(plan.place))
        self.rules = rules_of(plan, self.engine)
        self.weights = plan.weights
        self.states = np.zeros(1, self.engine.state(plan.seats))
        self.options = np.zeros(engine.MAX_OPTIONS, engine.OPTION)
        self.search = search_of(plan, self.engine)
        rows = max(ROUND_BUFFER, 2 * self.engine.max_rounds)
        self.round_rows = np.zeros((rows, plan.seats), self.engine.round_row)
        self.round_game = np.zeros(rows, np.int64)
        self.play(plan, 0, 0)  # compiles, or takes the code from the cache

    def play(self, plan: Plan, first: int, stop: int) -> Chunk:
        """Play the games numbered `first` to `stop` - 1."""
        batch = plan.expand(first, stop)
        game_rows = np.zeros((stop - first, plan.seats), self.engine.game_row)
        pieces: list[tuple[Array, Array]] = []
        done = decisions = 0
        began = time.perf_counter()
        while True:
            done, filled, more = engine.play(  # type: ignore[no-untyped-call]
                self.states, self.rules, self.weights, batch.games, batch.seats, done, game_rows,
                self.round_rows, self.round_game, self.engine.max_rounds, self.options, self.search, None,
            )  # fmt: skip
            if filled < 0:
                raise RunError(f"Game {first + done} has more rounds than {plan.game} says it can have.")
            decisions += more
            pieces.append((self.round_rows[:filled].copy(), self.round_game[:filled].copy()))
            if done >= stop - first:
                break
        seconds = time.perf_counter() - began
        rows, games = (np.concatenate([piece[i] for piece in pieces]) for i in (0, 1))
        return Chunk(first, stop, game_rows, rows, games, decisions, seconds)


def search_of(plan: Plan, fast: Engine) -> tuple[Array, ...] | None:
    """Return the arrays of the look-ahead player, or None where nobody looks ahead."""
    if all(tier.policy != engine.EXPERT for arm in plan.arms for tier in arm.tiers):
        return None
    return search.scratch(fast.state(plan.seats), plan.seats, fast.lookahead, load(plan.place).tiers)


def rules_of(plan: Plan, fast: Engine) -> Array:
    """Return the rules record of every arm."""
    rules = np.zeros(len(plan.arms), fast.rules)
    made: dict[str, Array] = {}
    for row, arm in enumerate(plan.arms):
        key = arm.variant.hash
        if key not in made:
            made[key] = np.atleast_1d(fast.make_rules(arm.variant, plan.seats))
        rules[row] = made[key][0]
    return rules


_LOCAL = threading.local()
_STOPS: dict[str, threading.Event] = {}


def _table(plan: Plan, key: str) -> Table:
    """Return this thread's table for a plan; only the last one is kept."""
    if getattr(_LOCAL, "key", None) != key:
        _LOCAL.table = Table(plan)
        _LOCAL.key = key
    return cast(Table, _LOCAL.table)


def _play_chunk(plan: Plan, key: str, token: str, first: int, stop: int) -> Chunk | None:
    """Play one chunk in a worker; None once the run is being stopped, and from an idle task."""
    if token in _STOPS:
        if _STOPS[token].is_set():
            return None
    elif threading.current_thread() is threading.main_thread():
        # Another process: Ctrl-C reaches it too, but the run is stopped by the process that started it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if stop == first:
        time.sleep(IDLE_SECONDS)
        return None
    return _table(plan, key).play(plan, first, stop)


@contextmanager
def _announced(say: Callable[[str], None], title: str) -> Iterator[None]:
    """Say so when the generic driver has to be compiled: numba's event comes after its look into the cache."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, ev: Any) -> None:
            if ev.data.get("dispatcher") is engine.play:
                say(f"compiling {title} (first run only) ...")

        def on_end(self, ev: Any) -> None:
            return

    with event.install_listener("numba:compile", Listener()):
        yield


def warm_up(plan: Plan, say: Callable[[str], None]) -> None:
    """Compile the game for this thread, or take it from the cache."""
    with _announced(say, f"{load(plan.place).title} for {plan.seats} players"):
        _table(plan, plan.hash)


# ---------------------------------------------------------------------------------------------------------------------
# The run folder


def _write(path: Path, data: bytes) -> None:
    """Write a whole file or nothing under its final name."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise RunError(f"{path} cannot be written: {error.strerror or error}.") from error


def _versions() -> dict[str, str]:
    made = {"python": platform.python_version()}
    for name in ("evenhand", *_LIBRARIES):
        with suppress(metadata.PackageNotFoundError):
            made[name] = metadata.version(name)
    return made


class Folder:
    """A run folder: its manifest and its parts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest: dict[str, Any] = {}
        self.saved = 0.0

    def file(self, table: str, index: int) -> Path:
        """Return the path of a part."""
        return self.path / table / f"part-{index:05d}.parquet"

    def read(self) -> bool:
        """Read the manifest; return whether there is one."""
        path = self.path / "manifest.json"
        try:
            made = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return False
        except NotADirectoryError as error:
            raise RunError(f"{self.path} is a file, not a folder.") from error
        except (OSError, UnicodeDecodeError) as error:
            raise RunError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
        except json.JSONDecodeError as error:
            raise RunError(f"{path} is damaged; remove it to play the run again, or choose another folder.") from error
        if not isinstance(made, dict) or "plan" not in made or "parts" not in made:
            raise UsageError(f"{path} is not the manifest of a run; choose another folder.")
        if made.get("format") != FORMAT:
            raise UsageError(f"{path} has the format {made.get('format')!r}, this version reads {FORMAT}.")
        self.manifest = made
        return True

    def open(self, plan: Plan) -> Plan:
        """Make the folder ready for a plan; return the plan, longer if the folder already holds more of it."""
        found = self.read()
        why = set(self.manifest.get("why_sequential", ()))
        parts = {int(part["part"]): part for part in self.manifest.get("parts", ())}
        if found:
            self._check_same(plan)
            held = max((p["first"] + p["superblocks"] for p in parts.values()), default=0)
            # A run that reaches the size it was planned for is no worse for an interruption on the way.
            why.discard("interrupted")
            if 0 < held < plan.superblocks and plan.superblocks > self.manifest["plan"]["superblocks"]:
                why.add("extended")
            plan = plan.with_superblocks(max(plan.superblocks, held))
        self.manifest = {
            "format": FORMAT,
            "status": "running",
            "sequential": bool(why),
            "why_sequential": sorted(why),
            "hash": plan.hash,
            "seed": str(plan.seed),
            "plan": plan.to_json(),
            "games_per_arm": plan.games_per_arm,
            "versions": _versions(),
            "parts": [parts[i] for i in sorted(parts) if i < plan.n_parts],
        }
        for old in self.path.glob("*/.*.tmp") if found else ():
            with suppress(OSError):
                old.unlink()
        self.save()
        return plan

    def _check_same(self, plan: Plan) -> None:
        theirs = {key: self.manifest["plan"].get(key) for key in plan.identity}
        fields_ = differences(plan.identity, theirs)
        if fields_:
            shown = ", ".join(fields_[:6]) + (f" and {len(fields_) - 6} more" if len(fields_) > 6 else "")
            raise UsageError(f"{self.path} holds another plan; it differs in {shown}. Choose another folder.")

    def damage(self, entry: dict[str, Any]) -> str | None:
        """Return the sentence on what is wrong with a recorded part, or None."""
        for table in TABLES:
            path = self.file(table, entry["part"])
            try:
                data = path.read_bytes()
            except OSError as error:
                return f"{path} is missing or cannot be read: {error.strerror or error}."
            if outcomes.digest(data) != entry["sha256"][table]:
                return f"{path} is damaged."
        return None

    def load(self, plan: Plan, index: int, *, rounds: bool = True) -> Part:
        """Read a part back; without its rounds, these are empty."""
        first, stop = plan.part_range(index)
        made: list[Array] = []
        for table in TABLES:
            if table == "rounds" and not rounds:
                made.append(made[0][:0])
                continue
            try:
                data = self.file(table, index).read_bytes()
                made.append(outcomes.from_bytes(data, outcomes.names_of(plan), plan.seats))
            except OSError as error:
                raise RunError(f"{self.file(table, index)} cannot be read: {error.strerror or error}.") from error
        return Part(index, first, stop - first, *made)

    def store(self, plan: Plan, part: Part) -> None:
        """Write a part and record it."""
        sums = {}
        for table in TABLES:
            data = outcomes.to_bytes(part.table(table), outcomes.names_of(plan))
            sums[table] = outcomes.digest(data)
            _write(self.file(table, part.index), data)
        entry = {
            "part": part.index, "first": part.first, "superblocks": part.superblocks,
            "games": len(part.games), "rounds": len(part.rounds), "sha256": sums,
        }  # fmt: skip
        kept = [p for p in self.manifest["parts"] if p["part"] != part.index]
        replaced = len(kept) != len(self.manifest["parts"])
        if not kept or kept[-1]["part"] < part.index:
            kept.append(entry)
        else:
            kept = sorted([*kept, entry], key=lambda p: cast(int, p["part"]))
        self.manifest["parts"] = kept
        if replaced or time.monotonic() - self.saved > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write the manifest."""
        text = json.dumps(self.manifest, indent=1, ensure_ascii=True)
        _write(self.path / "manifest.json", (text + "\n").encode())
        self.saved = time.monotonic()

    def finish(self, status: str, why: str = "") -> None:
        """Write how the run ended."""
        self.manifest["status"] = status
        if why:
            self.manifest["why_sequential"] = sorted({*self.manifest["why_sequential"], why})
            self.manifest["sequential"] = True
        self.save()

    def log(self, text: str) -> None:
        """Add a line to run.log, the only file with times and host names."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        try:
            with open(self.path / "run.log", "a", encoding="utf-8") as file:
                file.write(f"{stamp} {platform.node()} {text}\n")
        except OSError as error:
            raise RunError(f"{self.path / 'run.log'} cannot be written: {error.strerror or error}.") from error


# ---------------------------------------------------------------------------------------------------------------------
# The result


@dataclass
class Run:
    """A run, in a folder or in memory.

    Parameters
    ----------
    plan
        What was played; its number of super-blocks is what is there.
    out
        The run folder, or None.
    manifest
        What `manifest.json` holds.
    held
        The parts of a run in memory.
    seconds
        What playing took this time.
    """

    plan: Plan
    out: Path | None
    manifest: dict[str, Any]
    held: list[Part] = field(default_factory=list, repr=False)
    seconds: float = 0.0

    def parts(self, *, rounds: bool = True) -> Iterator[Part]:
        """Give the parts in deal order, one in memory at a time where there is a folder.

        Parameters
        ----------
        rounds
            Whether the rounds are read too; otherwise parts from a folder have none.
        """
        if self.out is None:
            yield from self.held
            return
        folder = Folder(self.out)
        for index in range(self.plan.n_parts):
            yield folder.load(self.plan, index, rounds=rounds)

    @cached_property
    def games(self) -> pd.DataFrame:
        """The table of games: a row per game and seat."""
        return self._frame("games")

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """The table of rounds: a row per game, round and seat."""
        return self._frame("rounds")

    def _frame(self, table: str) -> pd.DataFrame:
        names = outcomes.names_of(self.plan)
        if self.out is None:
            return outcomes.frame((outcomes.to_table(part.table(table), names) for part in self.held), names)
        folder = Folder(self.out)
        return outcomes.read_frame([folder.file(table, i) for i in range(self.plan.n_parts)], names)

    @property
    def games_per_arm(self) -> int:
        """Games of each arm."""
        return self.plan.games_per_arm

    @property
    def sequential(self) -> bool:
        """Whether only anytime-valid intervals may be shown for it."""
        return bool(self.manifest["sequential"]) or self.manifest["status"] in ("running", "interrupted")

    def _facts(self) -> list[tuple[str, str]]:
        plan = self.plan
        return [
            ("game", load(plan.place).title),
            ("variant", plan.variant.name),
            ("seats", str(plan.seats)),
            ("games per arm", f"{plan.games_per_arm:,}"),
            ("arms", ", ".join(plan.arm_names)),
            ("seed", str(plan.seed)),
            ("folder", "in memory" if self.out is None else str(self.out)),
        ]

    def __repr__(self) -> str:
        return "Run(" + ", ".join(f"{name}: {value}" for name, value in self._facts()) + ")"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in self._facts())
        return f"<table>{rows}</table>"


def open_run(out: str | Path) -> Run:
    """Return the run that lies in a folder."""
    folder = Folder(Path(out))
    if not folder.read():
        raise UsageError(f"{out} is not a run folder: it has no manifest.json.")
    plan = Plan.from_json(folder.manifest["plan"])
    played = max((p["first"] + p["superblocks"] for p in folder.manifest["parts"]), default=0)
    if played == 0:
        raise UsageError(f"No part of the run in {out} is finished yet; start it again with the same command.")
    return Run(plan.with_superblocks(min(played, plan.superblocks)), Path(out), folder.manifest)


def check_run(out: str | Path) -> list[str]:
    """Return a sentence for everything that is wrong with the files of a run folder."""
    folder = Folder(Path(out))
    if not folder.read():
        raise UsageError(f"{out} is not a run folder: it has no manifest.json.")
    found = [folder.damage(entry) for entry in folder.manifest["parts"]]
    wrong = [sentence for sentence in found if sentence is not None]
    expected = list(range(len(folder.manifest["parts"])))
    if [entry["part"] for entry in folder.manifest["parts"]] != expected:
        wrong.append(f"{folder.path / 'manifest.json'} does not list its parts one after the other.")
    return wrong


def replay_parts(out: str | Path, indices: list[int]) -> list[str]:
    """Play some parts of a finished run again; return a sentence for every table that comes out differently."""
    run_ = open_run(out)
    plan, wrong = run_.plan, []
    if (now := _source_now(plan)) != dict(plan.source):
        return [f"{out} was played by other kernels ({dict(plan.source)}) than are here ({now})."]
    for index in indices:
        part = play_part(plan, index)
        entry = next(p for p in run_.manifest["parts"] if p["part"] == index)
        for table in TABLES:
            data = outcomes.to_bytes(part.table(table), outcomes.names_of(plan))
            if outcomes.digest(data) != entry["sha256"][table]:
                wrong.append(f"{Folder(Path(out)).file(table, index)} comes out differently when it is played again.")
    return wrong


def _source_now(plan: Plan) -> dict[str, str]:
    from sim.experiment import source_of

    return dict(source_of(load(plan.place)))


def play_part(plan: Plan, index: int) -> Part:
    """Play one part in this thread."""
    first, stop = (b * plan.superblock_games for b in plan.part_range(index))
    chunk = _table(plan, plan.hash).play(plan, first, stop)
    return outcomes.assemble(plan, index, plan.expand(first, stop), chunk.game_rows, chunk.round_rows, chunk.round_game)


# ---------------------------------------------------------------------------------------------------------------------
# Running


def allowed_jobs() -> int:
    """Return how many cores this process may use: affinity and the quota of its control group are respected."""
    import joblib

    return int(joblib.cpu_count())


def _check_jobs(jobs: int | None, plan: Plan) -> int:
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise UsageError(f"{jobs!r} jobs are not possible; it must be a whole number from 1.")
    wanted = allowed_jobs() if jobs is None else jobs
    return max(1, min(wanted, 512, -(-plan.total_games // FIRST_CHUNK)))


def _check_backend(backend: str) -> None:
    if backend not in BACKENDS:
        raise UsageError(nearest(backend, BACKENDS, "backend"))
    if backend == "dask":
        try:
            from distributed import get_client

            get_client()
        except ImportError as error:
            raise UsageError("The backend dask needs the package distributed: install evenhand[dask].") from error
        except ValueError as error:
            raise UsageError("The backend dask needs a running distributed.Client; start one first.") from error


class _Signals:
    """While a run plays, Ctrl-C and SIGTERM only set a flag; a second one ends it at once."""

    def __init__(self, stop: threading.Event, speak: bool) -> None:
        self.stop, self.speak, self.caught = stop, speak, 0
        self.old: dict[int, Any] = {}

    def __enter__(self) -> _Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self.old[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.old.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.caught:
            raise KeyboardInterrupt
        self.caught = number
        self.stop.set()
        if self.speak:
            # Not print(): a handler must not enter a buffered stream that the main thread may be writing to.
            with suppress(OSError, ValueError, AttributeError):
                os.write(sys.stderr.fileno(), b"\nstopping after what is being played or compiled; again: at once\n")


class _Pace:
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


class _Player:
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
        self.ready, self.pace = ready, _Pace(seconds, self.jobs)
        index = 0
        while index in ready and not self.stop.is_set():
            index = self._observe_stored(index)
        if self.stop.is_set() or index == self.plan.n_parts:
            return index
        _STOPS[self.token] = self.stop
        chunks = self._results()
        try:
            index = self._collect(chunks, shown, index)
        finally:
            self.stop.set()
            for _ in chunks:  # let the workers come to an end; nothing is kept
                pass
            del _STOPS[self.token]
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
        tasks = (delayed(_play_chunk)(self.plan, key, self.token, first, stop) for first, stop in self._ranges())
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


def run(
    plan: Plan,
    out: str | Path | None = None,
    observe: Observer | None = None,
    jobs: int | None = None,
    backend: str = "threading",
    chunk_seconds: float = 0.5,
    progress: bool | Progress | None = None,
) -> Run:
    """Play a plan, or what is missing of it.

    Parameters
    ----------
    plan
        What to play.
    out
        The run folder: made, resumed or extended. None keeps everything in memory.
    observe
        Called with every `Part` once, in deal order, parts on disk included; ``"stop"`` ends the run there. Its
        attribute `headline` (text) is shown beside the progress; `may_stop` (true) marks the run as watched.
    jobs
        Workers; None takes what this process is allowed.
    backend
        ``"threading"``, ``"loky"`` or ``"dask"``.
    chunk_seconds
        What one worker is given at a time.
    progress
        False for none, None for what fits the place, or a display of your own.

    Returns
    -------
    Run
        The same tables for every choice of the last four.

    Raises
    ------
    Interrupted
        After Ctrl-C or SIGTERM, with the finished parts on disk.
    """
    _check_backend(backend)
    workers = _check_jobs(jobs, plan)
    display = choose(progress)
    folder = None if out is None else Folder(Path(out))
    if folder is not None:
        wanted = plan.superblocks
        plan = folder.open(plan)
        if plan.superblocks > wanted:
            display.message(f"{folder.path} already holds {plan.games_per_arm:,} games per arm; all are used.")
    player = _Player(plan, folder, observe, workers, backend)
    with _Signals(player.stop, not isinstance(display, Silent)) as signals:
        made = _run(player, display, chunk_seconds)
    if signals.caught:
        raise Interrupted(f"Stopped; the run in {made.out or 'memory'} is complete.")
    return made


def _run(player: _Player, display: Progress, chunk_seconds: float) -> Run:
    plan, folder = player.plan, player.folder
    began = time.monotonic()
    ready = player.ready_parts(display.message)
    done = sum(stop - first for first, stop in map(plan.part_range, ready)) * plan.superblock_games
    if folder is not None:
        folder.log(f"start: {plan.games_per_arm} games per arm, {len(ready)} of {plan.n_parts} parts there, "
                   f"{player.jobs} jobs, {player.backend}")  # fmt: skip
    status, parts = "failed", 0
    try:
        if len(ready) < plan.n_parts:
            warm_up(plan, display.message)
        with Shown(display, plan.game, plan.total_games, done) as shown:
            parts = player.play(shown, ready, chunk_seconds)
        status = "stopped" if player.decided else "done" if parts == plan.n_parts else "interrupted"
    except KeyboardInterrupt:
        status = "interrupted"
    finally:
        if folder is not None:
            _close(folder, player, status)
    if status == "interrupted":
        raise Interrupted(_interrupted(plan, folder, parts))
    end = plan.part_range(parts - 1)[1]
    manifest = folder.manifest if folder is not None else _memory_manifest(player)
    where = None if folder is None else folder.path
    return Run(plan.with_superblocks(end), where, manifest, player.held, time.monotonic() - began)


def _close(folder: Folder, player: _Player, status: str) -> None:
    watched = "watched" if getattr(player.observe, "may_stop", False) else ""
    why = {"stopped": "stopped", "interrupted": "interrupted"}.get(status, watched)
    # A run that failed stays "running": it is resumed like one that was killed. A full disk must not hide its cause.
    try:
        folder.finish("running" if status == "failed" else status, why)
        folder.log(f"end: {status}")
    except RunError:
        if status != "failed":
            raise


def _interrupted(plan: Plan, folder: Folder | None, parts: int) -> str:
    if folder is None:
        return "Stopped; a run in memory keeps nothing."
    done = plan.part_range(parts - 1)[1] if parts else 0
    games = done * plan.superblock_games // len(plan.arms)
    return (
        f"Stopped with {games:,} of {plan.games_per_arm:,} games per arm in {folder.path}; "
        "the same command goes on from there."
    )


def _memory_manifest(player: _Player) -> dict[str, Any]:
    why = ["stopped"] if player.decided else ["watched"] if getattr(player.observe, "may_stop", False) else []
    return {
        "format": FORMAT,
        "status": "stopped" if player.decided else "done",
        "sequential": bool(why),
        "why_sequential": why,
        "hash": player.plan.hash,
        "seed": str(player.plan.seed),
        "plan": player.plan.to_json(),
        "games_per_arm": player.plan.games_per_arm,
        "versions": _versions(),
        "parts": [],
    }


def remove_run(out: str | Path) -> None:
    """Delete a run folder; a folder that is none stays."""
    folder = Folder(Path(out))
    if folder.read():
        shutil.rmtree(folder.path)
