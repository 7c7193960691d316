"""Lists of many effects: which are real, how they rank, whether the best and the worst hold up, which go together."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from analysis.estimands import change_of, interaction, lost_alone
from analysis.intervals import Interval, excess_p, interval
from analysis.keys import FIRST, Column, Off
from analysis.moments import Sample
from analysis.study import Judge
from analysis.verdicts import Verdict, benjamini_hochberg, holm, shrink

Held = Literal["confirmed", "not confirmed", "reversed"]
Row = TypeVar("Row")
PairWord = Literal["together", "separate", "undecided"]


@dataclass(frozen=True)
class Effect:
    """One entry of a list before it is screened.

    Parameters
    ----------
    name
        Of what.
    sample
        Block values of the effect; 0 is no effect.
    """

    name: str
    sample: Sample


@dataclass(frozen=True)
class Ranked:
    """One entry of a screened list.

    Parameters
    ----------
    name
        Of what.
    value, bounds
        The effect as it was seen, with its interval.
    p, q
        p value of "no effect", and adjusted for the length of the list (Benjamini and Hochberg).
    found
        Whether it counts as an effect: q at most 1 - level, so that of those found at most so many are none.
    shrunken, shrunken_error
        The effect drawn towards the mean of the list, for ranking, and its standard error.
    blocks
        What was played.
    """

    name: str
    value: float
    bounds: Interval
    p: float
    q: float
    found: bool
    shrunken: float
    shrunken_error: float
    blocks: int


@dataclass(frozen=True)
class Confirmation:
    """What became of a pick on fresh deals.

    Parameters
    ----------
    name
        The pick.
    first
        What made it the best or the worst: an estimate that is too extreme, since it was picked for being so.
    fresh, bounds
        The effect on deals that had no part in the choice, with its interval.
    word
        `confirmed` if the fresh interval excludes 0 on the same side, `reversed` if on the other.
    blocks
        Fresh blocks.
    """

    name: str
    first: float
    fresh: float
    bounds: Interval
    word: Held
    blocks: int


@dataclass(frozen=True)
class Pair:
    """How two abilities work together: what both are worth beyond the sum of what each is.

    Parameters
    ----------
    first, second
        The abilities' keys.
    value, bounds
        Strength of both off together, minus the two strengths apart; the interval is that of a single pair. Above 0:
        one stands in for the other, so that losing both costs more than the two losses.
    word
        `together` if it lies outside the margin at a level corrected by Holm for the number of pairs, `separate` if it
        is shown to lie within.
    further_games
        As in `Verdict`.
    blocks
        What was played.
    """

    first: str
    second: str
    value: float
    bounds: Interval
    word: PairWord
    further_games: int | None
    blocks: int


def screen(effects: Sequence[Effect], *, level: float = 0.95, judge: Judge | None = None) -> tuple[Ranked, ...]:
    """Screen a list of effects and rank it by the shrunken effects, largest first.

    Parameters
    ----------
    effects
        At most one per name.
    level
        1 - the share of false entries among those found.
    judge
        Of the run they come from: a watched run gets anytime-valid intervals and p values.
    """
    shown = [judge.interval(e.sample) if judge is not None else interval(e.sample, level=level) for e in effects]
    p = [judge.p_value(e.sample) if judge is not None else excess_p(e.sample, low=0.0, high=0.0) for e in effects]
    q = benjamini_hochberg(p)
    # An effect that was never seen is not known to be 0: its error is what its interval leaves open.
    errors = [e.sample.error if e.sample.variance > 0 else i.width / 4 for e, i in zip(effects, shown)]
    drawn = shrink([e.sample.mean for e in effects], errors)
    rows = [
        Ranked(
            e.name, e.sample.mean, shown[i], p[i], float(q[i]), bool(q[i] <= 1 - level),
            float(drawn.effects[i]), float(drawn.errors[i]), e.sample.n,
        )
        for i, e in enumerate(effects)
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda r: (-r.shrunken, -r.value, r.name)))


def picks(ranked: Sequence[Row], each: int = 1) -> tuple[Row, ...]:
    """Return the best and the worst of a screened list, so many of each; all of it where it is short."""
    return tuple(ranked) if len(ranked) <= 2 * each else (*ranked[:each], *ranked[-each:])


def confirm(
    ranked: Sequence[Ranked],
    play: Callable[[Sequence[str]], Mapping[str, Sample]],
    *,
    each: int = 1,
    level: float = 0.95,
    judge: Judge | None = None,
) -> tuple[Confirmation, ...]:
    """Play the best and the worst of a list on fresh deals.

    Parameters
    ----------
    ranked
        A screened list.
    play
        Takes names, plays them on deals that no earlier run has used (see `fresh_seed`), returns the effects.
    each
        How many of the best, and of the worst.
    level
        Of the intervals.
    judge
        Of the fresh run, where it was watched or interrupted.
    """
    chosen = picks(ranked, each)
    fresh = play([r.name for r in chosen])
    made = []
    for pick in chosen:
        sample = fresh[pick.name]
        bounds = interval(sample, level=level) if judge is None else judge.interval(sample)
        made.append(Confirmation(pick.name, pick.value, sample.mean, bounds, _held(pick, bounds), sample.n))
    return tuple(made)


def _held(pick: Ranked, fresh: Interval) -> Held:
    sign = 1 if fresh.low > 0 else -1 if fresh.high < 0 else 0
    if not sign:
        return "not confirmed"
    return "confirmed" if sign * pick.value > 0 else "reversed"


def fresh_seed(seed: int, what: str = "confirm") -> int:
    """Return the seed of deals that the run with `seed` does not have, always the same ones."""
    digest = hashlib.sha256(f"evenhand|{what}|{seed}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


# ---- the lists of a run


def strengths(run: Judge) -> list[Effect]:
    """Return what an entrant loses without each ability, for every ability whose arm the run has."""
    found = ((a.key, lost_alone(run.tally, Off(a.key))) for a in run.tally.game.abilities)
    return [Effect(key, sample) for key, sample in found if sample is not None]


def arm_effects(run: Judge, column: Column = FIRST) -> list[Effect]:
    """Return what each arm changes in a share, arm minus baseline: the readings of a game."""
    names = run.tally.plan.arm_names
    return [Effect(name, change_of(run.tally, arm, column)) for arm, name in enumerate(names) if arm]


def interactions(run: Judge, *, margin: float | None = None) -> tuple[Pair, ...]:
    """Return how the pairs of abilities of a run work together, the largest first.

    Parameters
    ----------
    run
        Judge of a run that has the arms of `keys.OffBoth`, and those of its two abilities.
    margin
        Above which an interaction counts; None takes the game's margin for a side.
    """
    limit = run.margin("side") if margin is None else margin
    verdicts = {
        pair: run.judged(interaction(run.tally, pair), null=0.0, margin=limit, name=" with ".join(pair))
        for pair in run.tally.crossed
    }
    adjusted = holm([v.p for v in verdicts.values()])
    rows = [
        Pair(*pair, v.estimate or 0.0, v.interval, _pair_word(v, float(p), run.level), v.further_games, v.blocks)
        for (pair, v), p in zip(verdicts.items(), adjusted)
    ]
    return tuple(sorted(rows, key=lambda r: -abs(r.value)))


def _pair_word(v: Verdict, p: float, level: float) -> PairWord:
    if v.word == "balanced":
        return "separate"
    return "together" if v.word == "unbalanced" and p <= 1 - level else "undecided"
