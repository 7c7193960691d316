"""What every game must pass, ours and a designer's own: ``check_game("my_module:GAME")``.

Each check plays a few games and looks at every decision in them; a fault is a `ConformanceError` whose sentence names
the game, the check and the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import engine
from sim.engine import EXPERT, MAX_OPTIONS, WHOLE
from sim.experiment import Change, Plan, make_plan
from sim.game import Game, load, split
from sim.jit import JIT_OFF
from sim.outcomes import MUST, games_type, rounds_type
from sim.probe import ASK, FINISH, FOLLOW, REDEAL, probe
from sim.referee import plain
from sim.run import Table, run
from sim.trace import Step, Trace, Tracer

Array = npt.NDArray[Any]
SMALL_BUDGET = 8
LOOKS = 50  # decisions of a game that are looked at closely
_OWN = ("pub", "priv", "hid", "game_row", "round_row")


class ConformanceError(AssertionError):
    """A game does not do what the contract asks of every game."""


@dataclass(frozen=True)
class Passed:
    """What the checks have looked at."""

    game: str
    seats: tuple[int, ...]
    tiers: tuple[str, ...]
    games: int
    decisions: int


class _Bench:
    """One game with its arrays, for the checks of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.game = plan, load(plan.place)
        self.tracer = Tracer(plan)
        self.fast = self.tracer.engine
        self.dtype = self.fast.state(plan.seats)
        self.states = np.zeros(2, self.dtype)
        self.rules = self.tracer.rules[:1]
        self.opts = np.zeros(MAX_OPTIONS, engine.OPTION)
        self.me = np.zeros(1, engine.SEAT)
        self.random = np.random.Generator(np.random.PCG64(plan.seed))

    def fail(self, check: str, text: str, trace: Trace | None = None, place: int = 0) -> None:
        where = f", seed {self.plan.seed}, deal {trace.deal}, decision {place}" if trace is not None else ""
        raise ConformanceError(f"{self.plan.game}, {self.plan.seats} seats: {check}{where}: {text}")

    def probe(
        self,
        what: int,
        state: Any,
        *,
        seat: int = 0,
        key: int = 0,
        codes: Sequence[int] = (),
        policy: int = 0,
        weights: int = 0,
    ) -> tuple[int, int]:
        """Call `probe`; the world it works on is then in ``self.states[1]``."""
        self.states[0] = state
        self.me["policy"], self.me["weights"] = policy, weights
        made = probe(
            what, self.states, self.rules, self.plan.weights, self.me, seat, np.uint64(key),
            np.array(codes, np.int64), self.opts, self.tracer.search,
        )  # fmt: skip
        return int(made[0]), int(made[1])

    def asked(self, state: Any, step: Step, trace: Trace, word: int) -> tuple[tuple[int, ...], int]:
        """Return the options and the decision of the step's seat in `state`."""
        place = trace.places[step.seat]
        weights = int(self.plan.expand(trace.number, trace.number + 1).seats["weights"][0, step.seat])
        n, code = self.probe(ASK, state, seat=step.seat, key=word, policy=place.policy, weights=weights)
        return tuple(int(x) for x in self.opts[:n]), code

    def word(self) -> int:
        return int(self.random.integers(0, 2**64, dtype=np.uint64))

    def region(self, name: str, seat: int | None = None) -> slice:
        """Return where a nested record lies in the bytes of a state."""
        kind, start = self.dtype.fields[name][:2]  # type: ignore[index]
        if seat is None:
            return slice(start, start + kind.itemsize)
        size = kind.base.itemsize
        return slice(start + seat * size, start + (seat + 1) * size)

    def raw(self, state: Any) -> Array:
        """Return a copy of the bytes of a state."""
        return np.frombuffer(state.tobytes(), np.uint8).copy()

    def state(self, raw: Array) -> Any:
        return np.frombuffer(raw.tobytes(), self.dtype)[0]

    def hidden_from(self, seat: int) -> list[slice]:
        others = [self.region("priv", other) for other in range(self.plan.seats) if other != seat]
        rest = [name for name in self.dtype.names or () if name not in ("pub", "priv", self.fast.tag)]
        return [*map(self.region, rest), *others]


def check_facts(game: Game) -> None:
    """Check what can be said without playing: columns, tags, abilities, decisions."""
    fast = game.engine()
    kinds = [decision.kind for decision in game.decisions]
    if len(set(kinds)) != len(kinds):
        raise ConformanceError(f"{game.name}: two rows of the decisions table have one kind")
    games_type(fast.game_row), rounds_type(fast.round_row)
    lacking = [f"n_{a.key}" for a in game.abilities if f"n_{a.key}" not in (fast.game_row.names or ())]
    if lacking:
        raise ConformanceError(
            f"{game.name}: the game row lacks {', '.join(lacking)}; it counts how often an ability is used"
        )
    for n in game.seats:
        state = fast.state(n)
        names = state.names or ()
        if not {*_OWN, fast.tag} <= set(names):
            raise ConformanceError(
                f"{game.name}: the state of {n} seats has the fields {names}; it lacks some of {_OWN}"
            )
        if fast.tag not in (state["pub"].names or ()) or "actor" not in (state["pub"].names or ()):
            raise ConformanceError(f"{game.name}: pub needs the fields actor and {fast.tag}")
        if "key" not in (state["hid"].names or ()):
            raise ConformanceError(f"{game.name}: hid needs the field key, the key of all further chance")
        for name, row in (("game_row", fast.game_row), ("round_row", fast.round_row)):
            if state[name].base != row or len(state[name].shape) != 1 or state[name].shape[0] < n:
                raise ConformanceError(
                    f"{game.name}: {name} of the state is not one record of the declared type for each seat"
                )


def looks(trace: Trace) -> list[int]:
    """Return which decisions of a game are looked at closely: all of a short one, evenly spread ones of a long one."""
    return sorted({int(i) for i in np.linspace(0, len(trace.steps) - 1, min(LOOKS, len(trace.steps)))})


def check_options(bench: _Bench, trace: Trace) -> None:
    """Check that options are ascending, at most 256, known to the decisions table, and hold the chosen one."""
    kinds = {decision.kind for decision in bench.game.decisions}
    for i, step in enumerate(trace.steps):
        codes = step.options
        if not 1 <= len(codes) <= MAX_OPTIONS or any(a >= b for a, b in pairwise(codes)):
            bench.fail("options", f"{codes} are not ascending codes", trace, i)
        unknown = [code for code in codes if split(code)[0] not in kinds]
        if unknown:
            bench.fail("options", f"the decisions table has no row for {unknown}", trace, i)
        if step.code not in codes:
            bench.fail("options", f"the policy chose {step.code}, which is none of {codes}", trace, i)


def check_blind(bench: _Bench, trace: Trace) -> None:
    """Check that random bytes in all that a seat cannot see change neither its options nor its decision."""
    for i in looks(trace):
        step, word = trace.steps[i], bench.word()
        raw = bench.raw(step.before)
        for part in bench.hidden_from(step.seat):
            raw[part] = bench.random.integers(0, 256, part.stop - part.start, dtype=np.uint8)
        _same(bench, "hidden bytes are read", trace, i, bench.state(raw), word)


def _same(bench: _Bench, check: str, trace: Trace, i: int, other: Any, word: int) -> None:
    step = trace.steps[i]
    codes, code = bench.asked(step.before, step, trace, word)
    if codes != step.options:
        bench.fail(check, f"options() gives {codes}, in the game it gave {step.options}", trace, i)
    codes_there, code_there = bench.asked(other, step, trace, word)
    if codes_there != codes:
        bench.fail(check, f"the options change from {codes} to {codes_there}", trace, i)
    if code_there != code:
        bench.fail(check, f"the decision changes from {code} to {code_there}", trace, i)


def check_redeal(bench: _Bench, trace: Trace) -> int:
    """Check that a world re-dealt for a seat looks the same to it and can be played; return how many pairs differ."""
    pub, differ = bench.region("pub"), 0
    for i in looks(trace):
        step, worlds = trace.steps[i], []
        for _ in range(2):
            bench.probe(REDEAL, step.before, seat=step.seat, key=bench.word())
            worlds.append(bench.states[1].copy())
        for world in worlds:
            _check_world(bench, trace, i, world, (pub, bench.region("priv", step.seat)))
        first, second = (bench.raw(world) for world in worlds)
        key = bench.dtype["hid"].fields["key"]  # type: ignore[index]
        start = bench.region("hid").start + key[1]
        first[start : start + key[0].itemsize] = second[start : start + key[0].itemsize]
        differ += bool((first != second).any())
    return differ


def _check_world(bench: _Bench, trace: Trace, i: int, world: Any, seen: tuple[slice, ...]) -> None:
    step = trace.steps[i]
    before, after = bench.raw(step.before), bench.raw(world)
    for part in seen:
        if (before[part] != after[part]).any():
            bench.fail("redeal", "what the seat sees is changed", trace, i)
    if world["hid"]["key"] == step.before["hid"]["key"]:
        bench.fail("redeal", "the key of further chance is not replaced", trace, i)
    mine, theirs = (bench.fast.visible(s, trace.rules, bench.plan.seats) for s in (step.before, world))
    if "cards" in mine and plain(mine["cards"]) != plain(theirs["cards"]):
        bench.fail("redeal", "the cards of the game are not the same any more", trace, i)
    _same(bench, "redeal", trace, i, world, bench.word())
    steps, status = bench.probe(FINISH, world, key=bench.word())
    if status != 1:
        bench.fail("redeal", f"the game cannot be finished from the new world (after {steps} steps)", trace, i)
    if int(bench.states[1]["game_row"]["share"].astype(np.int64).sum()) != WHOLE:
        bench.fail("redeal", "the shares of a game finished from the new world do not sum to 1", trace, i)


def check_clone(bench: _Bench, trace: Trace) -> None:
    """Check that a game that goes on from a clone with the same moves ends in the same state."""
    codes = [step.code for step in trace.steps]
    for i in sorted({0, len(codes) // 2, len(codes) - 1}):
        steps, status = bench.probe(FOLLOW, trace.steps[i].before, codes=codes[i:])
        if status != 1 or steps != len(codes) - i:
            bench.fail(
                "clone", f"the clone's game goes another way after {steps} decisions (status {status})", trace, i
            )
        if bench.states[1].tobytes() != trace.final.tobytes():
            bench.fail("clone", "the clone's game ends in another state", trace, i)


def check_conserved(bench: _Bench, trace: Trace) -> None:
    """Check that ``cards`` of `visible`, where it is there (all cards of the game, sorted), never changes."""
    first: Any = None
    for i, state in enumerate([*(step.before for step in trace.steps), trace.final]):
        shown = bench.fast.visible(state, trace.rules, bench.plan.seats)
        if "cards" not in shown:
            return
        first = plain(shown["cards"]) if first is None else first
        if plain(shown["cards"]) != first:
            bench.fail("cards", "a card is lost or has come from nowhere", trace, i)


def check_played(bench: _Bench, traces: Sequence[Trace]) -> None:
    """Check that the run's games are those of the traces, end under their caps and share 1."""
    plan = bench.plan
    chunk = Table(plan).play(plan, 0, len(traces))
    for i, trace in enumerate(traces):
        rows, rounds = chunk.game_rows[i], chunk.round_rows[chunk.round_game == i]
        if rows.tobytes() != trace.game_row.tobytes() or rounds.tobytes() != trace.round_rows.tobytes():
            bench.fail("trace", "the traced game has other rows than the played one", trace, len(trace.steps))
        if int(rows["share"].astype(np.int64).sum()) != WHOLE:
            bench.fail("share", f"the shares {rows['share']} do not sum to {WHOLE}", trace, len(trace.steps))
        if len(rounds) > bench.fast.max_rounds:
            bench.fail(
                "caps", f"{len(rounds)} rounds, at most {bench.fast.max_rounds} are declared", trace, len(trace.steps)
            )
        for name in ("rounds", "end", "lead_changes"):
            if len(set(rows[name].tolist())) > 1:
                bench.fail("rows", f"{name} differs between the seats of one game", trace, len(trace.steps))
        if int(rows["end"][0]) >= len(engine.ENDS):
            bench.fail("rows", f"end {rows['end'][0]} has no name", trace, len(trace.steps))


def check_arms(game: str | Game, seats: int, tier: str, games: int, seed: int) -> None:
    """Check that two identical arms differ by zero and that an ability that is off for all is never used."""
    facts = load(game) if isinstance(game, str) else game
    changes = [Change("same"), *(Change(f"without {a.key}", without=(a.key,)) for a in facts.abilities)]
    # Drawn at random, for a design in which all sides meet may need hundreds of games.
    plan = make_plan(game, games=games, seats=seats, policies=tier, arms=changes, seed=seed, draw="random")
    games_ = np.concatenate([part.games for part in run(plan, jobs=1, progress=False).parts()])
    base, same = (games_[games_["arm"][:, 0] == arm] for arm in (0, 1))
    for name in games_.dtype.names or ():
        if name not in ("arm", "game") and (base[name] != same[name]).any():
            raise ConformanceError(f"{facts.name}, {seats} seats: two identical arms differ in the column {name!r}")
    for i, ability in enumerate(facts.abilities):
        used = int(games_[games_["arm"][:, 0] == i + 2][f"n_{ability.key}"].sum())
        if used:
            raise ConformanceError(f"{facts.name}, {seats} seats: {ability.key} is off for all and used {used} times")


def check_signatures(game: str | Game, seats: int) -> None:
    """Check that the driver was compiled once for a game and a number of players, whatever was played."""
    if JIT_OFF:
        return
    from numba import from_dtype, types

    facts = load(game) if isinstance(game, str) else game
    state = from_dtype(facts.engine().state(seats))
    driver: Any = engine.play
    made = [s for s in driver.signatures if s[0].dtype == state and isinstance(s[-1][2], types.NoneType)]
    plain = [s for s in made if isinstance(s[-1][1], types.NoneType)]
    # Players that look ahead bring arrays of their own: one signature more.
    if not made or max(len(plain), len(made) - len(plain)) > 1:
        raise ConformanceError(f"{facts.name}, {seats} seats: the driver was compiled {len(made)} times: {made}")


def check_game(
    game: str | Game,
    *,
    seats: Sequence[int] | None = None,
    tiers: Sequence[str] | None = None,
    games: int = 4,
    seed: int = 1,
) -> Passed:
    """Put a game through all checks.

    Parameters
    ----------
    game
        A name, ``"module:attribute"``, or a `Game`.
    seats, tiers
        Numbers of players and tiers; None takes all there are.
    games
        Games per tier and number of players whose every decision is looked at.
    seed
        Their seed.

    Returns
    -------
    Passed
        How much was looked at; a `ConformanceError` is raised at the first fault.
    """
    facts = load(game) if isinstance(game, str) else game
    check_facts(facts)
    chosen_seats = tuple(seats or facts.seats)
    # A look-ahead player thinks at every decision that is looked at: a small budget is as strict and much faster.
    small = {tier.name: f"{tier.name}:{SMALL_BUDGET}" for tier in facts.tiers if tier.policy == EXPERT}
    chosen_tiers = tuple(tiers or (small.get(tier.name, tier.name) for tier in facts.tiers))
    decisions = 0
    for n in chosen_seats:
        for tier in chosen_tiers:
            decisions += _check_tier(game, n, tier, games, seed)
        check_arms(game, n, chosen_tiers[-1], max(20, games), seed)
        check_signatures(game, n)
    return Passed(facts.name, chosen_seats, chosen_tiers, games * len(chosen_seats) * len(chosen_tiers), decisions)


def _check_tier(game: str | Game, seats: int, tier: str, games: int, seed: int) -> int:
    bench = _Bench(make_plan(game, games=games, seats=seats, policies=tier, seed=seed, draw="random"))
    traces = [bench.tracer.play(number) for number in range(games)]
    check_played(bench, traces)
    # A search re-deals the hidden cards, so they must be cards: it is asked again in worlds that fit only.
    searches = bench.game.tier(tier).policy == EXPERT
    differ = 0
    for trace in traces:
        check_options(bench, trace)
        if not searches:
            check_blind(bench, trace)
        check_conserved(bench, trace)
        check_clone(bench, trace)
        differ += check_redeal(bench, trace)
    if differ == 0:
        bench.fail("redeal", "two keys never give two different worlds")
    return sum(len(trace.steps) for trace in traces)


__all__ = ["MUST", "ConformanceError", "Passed", "check_arms", "check_facts", "check_game", "check_signatures", "probe"]
