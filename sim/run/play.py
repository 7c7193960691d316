"""Playing a range of games: what a worker does with its arrays, and nothing that depends on which worker it is."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sim import engine, outcomes, search
from sim.errors import RunError
from sim.experiment import Batch, Plan
from sim.game import Engine, load, load_engine
from sim.identity import rules_record
from sim.outcomes import Part

Array = npt.NDArray[Any]

ROUND_BUFFER = 8192  # rounds that a worker holds before it hands them over
IDLE_SECONDS = 0.02  # how long a task rests that has nothing to play
STOPS: dict[str, threading.Event] = {}  # the runs of this process that are playing: set to stop one
_LOCAL = threading.local()


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

    def go_on(self, batch: Batch, first: int, game_rows: Array) -> tuple[int, int, int]:
        """Play games of a batch, from `first` on, until the round buffer is full; see `sim.engine.play`."""
        done, filled, decisions = engine.play(  # type: ignore[no-untyped-call]
            self.states, self.rules, self.weights, batch.games, batch.seats, first,
            (game_rows, self.round_rows, self.round_game), self.engine.max_rounds, (self.options, self.search, None),
        )  # fmt: skip
        return done, filled, decisions

    def play(self, plan: Plan, first: int, stop: int) -> Chunk:
        """Play the games numbered `first` to `stop` - 1."""
        batch = plan.expand(first, stop)
        game_rows = np.zeros((stop - first, plan.seats), self.engine.game_row)
        pieces: list[tuple[Array, Array]] = []
        done = decisions = 0
        began = time.perf_counter()
        while True:
            done, filled, more = self.go_on(batch, done, game_rows)
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
    for row, arm in enumerate(plan.arms):
        rules[row] = rules_record(fast, arm.variant, plan.seats)[0]
    return rules


def table_of(plan: Plan, key: str) -> Table:
    """Return this thread's table for a plan; only the last one is kept."""
    if getattr(_LOCAL, "key", None) != key:
        _LOCAL.table = Table(plan)
        _LOCAL.key = key
    return cast(Table, _LOCAL.table)


def play_chunk(plan: Plan, key: str, token: str, first: int, stop: int) -> Chunk | None:
    """Play one chunk in a worker; None once the run is being stopped, and from an idle task."""
    if token in STOPS:
        if STOPS[token].is_set():
            return None
    elif threading.current_thread() is threading.main_thread():
        # Another process: Ctrl-C reaches it too, but the run is stopped by the process that started it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if stop == first:
        time.sleep(IDLE_SECONDS)
        return None
    return table_of(plan, key).play(plan, first, stop)


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
        table_of(plan, plan.hash)


def play_part(plan: Plan, index: int) -> Part:
    """Play one part in this thread."""
    first, stop = (b * plan.superblock_games for b in plan.part_range(index))
    chunk = table_of(plan, plan.hash).play(plan, first, stop)
    return outcomes.assemble(plan, index, plan.expand(first, stop), chunk.game_rows, chunk.round_rows, chunk.round_game)
