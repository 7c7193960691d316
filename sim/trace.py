"""One game, decision by decision: what the referee, the story-teller and the conformance checks look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import engine
from sim.engine import HEAD
from sim.errors import RunError, UsageError
from sim.experiment import Plan
from sim.game import Engine, load, load_engine
from sim.run import rules_of, search_of
from sim.variant import Variant

Array = npt.NDArray[Any]
START_DECISIONS, START_OPTIONS = 512, 8192
MAX_DECISIONS = 1 << 20


@dataclass(frozen=True)
class Place:
    """Who sits in a seat, in plain integers: what a rulebook is given."""

    side: int
    packet: int
    off: int
    entrant: int
    policy: int


@dataclass(frozen=True)
class Step:
    """A decision, forced ones too.

    Parameters
    ----------
    seat, code
        Who chose what.
    options
        The codes it could have chosen, ascending.
    before
        The state before it, a record.
    """

    seat: int
    code: int
    options: tuple[int, ...]
    before: Any


@dataclass(frozen=True)
class Trace:
    """A whole game.

    Parameters
    ----------
    game, seed, deal, number
        Which one: the game's name, the seed, the deal, the number in its plan.
    key
        The key of the deal.
    places
        Who sat where.
    variant, rules
        The rules, and their record.
    steps
        All decisions.
    final
        The state at the end.
    game_row, round_rows
        Records of shape (seats,) and (rounds, seats).
    """

    game: str
    seed: int
    deal: int
    number: int
    key: int
    places: tuple[Place, ...]
    variant: Variant
    rules: Any
    steps: tuple[Step, ...]
    final: Any
    game_row: Array
    round_rows: Array


class Tracer:
    """Plays single games of a plan and keeps everything; its buffers grow with the longest game."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.engine: Engine = load_engine(load(plan.place))
        self.rules = rules_of(plan, self.engine)
        self.search = search_of(plan, self.engine)
        self.states = np.zeros(1, self.engine.state(plan.seats))
        self.options = np.zeros(engine.MAX_OPTIONS, engine.OPTION)
        self._grow(START_DECISIONS, START_OPTIONS)

    def _grow(self, decisions: int, options: int) -> None:
        self.heads = np.zeros(decisions + 1, HEAD)
        self.log = np.zeros(options, np.int32)
        self.snapshots = np.zeros(decisions, self.states.dtype)

    def play(self, number: int) -> Trace:
        """Return the game with this number in the plan."""
        plan, fast = self.plan, self.engine
        batch = plan.expand(number, number + 1)
        rows = np.zeros((1, plan.seats), fast.game_row)
        round_rows = np.zeros((2 * fast.max_rounds, plan.seats), fast.round_row)
        round_game = np.zeros(2 * fast.max_rounds, np.int64)
        while True:
            self.heads[0] = np.zeros((), HEAD)
            self.states[0] = np.zeros((), self.states.dtype)  # nothing is left of the game before
            _, filled, _ = engine.play(  # type: ignore[no-untyped-call]
                self.states, self.rules, plan.weights, batch.games, batch.seats, 0, (rows, round_rows, round_game),
                fast.max_rounds, (self.options, self.search, (self.heads, self.log, self.snapshots)),
            )  # fmt: skip
            if filled < 0 or len(self.log) > engine.MAX_OPTIONS * MAX_DECISIONS:
                raise RunError(f"Game {number} of {plan.game} has more rounds or decisions than it can have.")
            made, noted = int(self.heads[0]["first"]), int(self.heads[0]["n"])
            room = (
                made < len(self.heads) and made <= len(self.snapshots) and noted + engine.MAX_OPTIONS <= len(self.log)
            )
            if room:
                break
            self._grow(max(2 * made, len(self.snapshots)), 2 * len(self.log))
        arm = plan.arms[int(batch.games["arm"][0])]
        return Trace(
            plan.game, plan.seed, int(batch.deal[0]), number, int(batch.games["key"][0]), _places(batch.seats[0]),
            arm.variant, self.rules[int(batch.games["arm"][0])], tuple(self._steps(made)), self.states[0].copy(),
            rows[0], round_rows[:filled],
        )  # fmt: skip

    def _steps(self, made: int) -> Iterator[Step]:
        for i in range(made):
            head = self.heads[i + 1]
            first, n = int(head["first"]), int(head["n"])
            codes = tuple(int(code) for code in self.log[first : first + n])
            yield Step(int(head["seat"]), int(head["code"]), codes, self.snapshots[i].copy())


def _places(seats: Array) -> tuple[Place, ...]:
    return tuple(Place(*(int(seat[name]) for name in ("side", "packet", "off", "entrant", "policy"))) for seat in seats)


def number_of(plan: Plan, deal: int, seating: int = 0, arm: int = 0) -> int:
    """Return the number of the game that is one seating of a deal in one arm."""
    block, inside = divmod(deal, plan.superblock_deals)
    layout = plan.layout
    there: Sequence[int] = np.flatnonzero(
        (layout.deal == inside) & (layout.arm == arm) & (layout.seating == seating)
    ).tolist()
    if deal < 0 or not there:
        count = int(((layout.deal == inside) & (layout.arm == arm)).sum())
        raise UsageError(f"Deal {deal} has no seating {seating}; its seatings are numbered 0 to {count - 1}.")
    return block * plan.superblock_games + there[0]


def trace_game(plan: Plan, number: int) -> Trace:
    """Play one game of a plan and return every decision of it."""
    return Tracer(plan).play(number)
