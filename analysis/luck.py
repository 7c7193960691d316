"""The luck of the first deal as a control variate: what was dealt minus what is dealt on average, never per block.

The worth f(entrant, packet, seat) of every hand of a block is compared with its expectation for that entrant and seat
over deals that are dealt and not played. Two controls for each contrast: the worth of those it counts, and the worth of
those who sit against them; for a difference of arms also the difference of the former.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.control import Adjusted, adjust_moments
from analysis.keys import FIRST, Column, Entrant, Seat, Weights, mean_of
from analysis.lists import fresh_seed
from analysis.moments import Moments
from analysis.study import pools_of
from analysis.sums import Tally
from sim.engine import WHOLE
from sim.experiment import Plan
from sim.game import load
from sim.luck import Dealer
from sim.outcomes import Part

if TYPE_CHECKING:
    from sim.run import Run

Array = NDArray[Any]
DEALS = 1_000_000
"""Deals that are dealt for the expectations."""

HELPS = 0.95
"""Variance ratio above which taking the luck out is not worth its while, and the words say so."""

PILOT_UNIT = 2.0**-24


@dataclass(frozen=True)
class Expectation:
    """What the seats of each row of a layout are dealt on average.

    Parameters
    ----------
    rows
        The rows, int64 of shape (rows,).
    mean
        Worth over deals, shape (rows, seats).
    cov
        Covariance of one deal, shape (rows, seats, seats).
    deals
        Deals of each row, shape (rows,).
    """

    rows: Array
    mean: Array
    cov: Array
    deals: Array

    def of(self, weights: Array) -> tuple[float, float]:
        """Return the expectation of a weighted sum over rows and seats, and its standard error."""
        variance = np.einsum("rs,rst,rt,r->", weights, self.cov, weights, 1 / np.maximum(self.deals, 1))
        return float(np.sum(weights * self.mean)), float(np.sqrt(max(variance, 0.0)))


@dataclass(frozen=True)
class Contrast:
    """What is to be estimated: weights of share columns, in the baseline or as baseline minus an arm."""

    name: str
    parts: Weights
    arm: str = ""


@dataclass(frozen=True)
class Lucky:
    """A contrast with the luck of the deal taken out.

    Parameters
    ----------
    name
        Of what.
    adjusted
        Estimate, error and the variance ratio that is left after pairing.
    words
        Whether it helps, in one sentence.
    """

    name: str
    adjusted: Adjusted
    words: str


class LuckTally:
    """Sums of a run for control variates; feed it the parts of the run in any order.

    Parameters
    ----------
    plan
        Balanced seatings, of a game with a worth.
    contrasts
        What is to be estimated.
    deals
        Deals for the expectations.
    """

    def __init__(self, plan: Plan, contrasts: Iterable[Contrast], *, deals: int = DEALS) -> None:
        if plan.draw == "random":
            raise ValueError("the luck of the deal is taken out of balanced seatings only")
        self.plan, self.contrasts = plan, tuple(contrasts)
        self.dealer = Dealer(plan)
        self.arms = sorted({0, *(plan.arm_names.index(c.arm) for c in self.contrasts if c.arm)})
        self.rows = np.flatnonzero(np.isin(plan.layout.arm, self.arms))
        self.expectation = expect(plan, self.rows, deals)
        self.weights = [_Weights.of(plan, self.rows, c) for c in self.contrasts]
        self.centres = [[self.expectation.of(w) for w in weights.controls] for weights in self.weights]
        self.folds = [[Moments.empty([0.0] * (1 + len(w.controls)), unit=PILOT_UNIT)] * 2 for w in self.weights]

    def add(self, part: Part) -> None:
        """Take in a part."""
        size = self.plan.superblock_games
        block = np.arange(part.first, part.first + part.superblocks, dtype=np.int64)
        number = (block[:, None] * size + self.rows).ravel()
        shape = (part.superblocks, len(self.rows), self.plan.seats)
        worth = self.dealer.deal(self.plan.batch(number)).reshape(shape)
        share = part.games["share"].reshape(part.superblocks, size, -1)[:, self.rows].astype(np.float64) / WHOLE
        odd = block % 2 == 1
        for i, (weights, centres) in enumerate(zip(self.weights, self.centres)):
            columns = [np.einsum("brs,rs->b", share, weights.value)]
            columns += [np.einsum("brs,rs->b", worth, w) - c for w, (c, _) in zip(weights.controls, centres)]
            values = np.stack(columns, axis=1)
            self.folds[i] = [m.add(values[odd == bool(fold)]) for fold, m in enumerate(self.folds[i])]

    def adjusted(self) -> tuple[Lucky, ...]:
        """Return every contrast with the luck taken out."""
        made = []
        for contrast, (even, odd), centres in zip(self.contrasts, self.folds, self.centres):
            low = 0.0 if not contrast.arm and min(contrast.parts.values()) >= 0 else -1.0
            found = adjust_moments(even, odd, expectation_error=[e for _, e in centres], low=low, high=1.0)
            made.append(Lucky(contrast.name, found, words_of(found)))
        return tuple(made)


def words_of(found: Adjusted) -> str:
    """Say whether the luck of the first deal is worth taking out."""
    if found.note:
        return found.note
    if found.variance_ratio > HELPS:
        return (
            f"the first deal explains nothing worth taking out (it leaves {found.variance_ratio:.2f} of the variance)"
        )
    explained = f"{100 * (1 - found.variance_ratio):.0f} %"
    return f"the first deal explains about {explained} of the variance; taking it out would save that part of the games"


@dataclass(frozen=True)
class _Weights:
    """Weights of a contrast and its controls over (rows, seats) of a layout."""

    value: Array
    controls: tuple[Array, ...]

    @classmethod
    def of(cls, plan: Plan, rows: Array, contrast: Contrast) -> _Weights:
        own, others = _sum_of(plan, rows, contrast.parts, 0)
        if not contrast.arm:
            return cls(own, (own, others))
        changed, _ = _sum_of(plan, rows, contrast.parts, plan.arm_names.index(contrast.arm))
        return cls(own - changed, (own, others, own - changed))


def _sum_of(plan: Plan, rows: Array, parts: Weights, arm: int) -> tuple[Array, Array]:
    seats = plan.layout.seats[rows]
    mine = (plan.layout.arm[rows] == arm)[:, None]
    own, others = np.zeros(seats.shape), np.zeros(seats.shape)
    for column, weight in parts.items():
        there = (members_of(plan, seats, column) & mine).astype(np.float64)
        each = weight * there / max(there.sum(), 1.0)
        own += each
        others += (each.sum(axis=1, keepdims=True) - each) / max(plan.seats - 1, 1)
    return own, others


def members_of(plan: Plan, seats: Array, column: Column) -> Array:
    """Return which seats of which rows a share column counts: bool of shape (rows, seats)."""
    if isinstance(column, Seat):
        return np.broadcast_to(np.arange(plan.seats) == column.number, seats.shape)
    if isinstance(column, Entrant):
        made: Array = seats["entrant"] == column.number
    else:
        made = seats["side"] == plan.side_names.index(column.name)
    return made


def expect(plan: Plan, rows: Array, deals: int = DEALS) -> Expectation:
    """Return what is dealt on average, from deals of a seed of their own that are not played."""
    dealer = Dealer(replace(plan, seed=fresh_seed(plan.seed, "luck")))
    shape = (len(rows), plan.seats)
    count, total, cross = np.zeros(len(rows)), np.zeros(shape), np.zeros((*shape, plan.seats))
    centre: Array | None = None
    for place, worth in dealer.chunks(max(deals, 2 * len(rows)), rows):
        centre = worth.mean() if centre is None else centre
        values = worth - centre
        count += np.bincount(place, minlength=len(rows))
        np.add.at(total, place, values)
        np.add.at(cross, place, values[:, :, None] * values[:, None, :])
    mean = total / count[:, None]
    cov = cross / count[:, None, None] - mean[:, :, None] * mean[:, None, :]
    return Expectation(rows, mean + (centre or 0.0), cov, count)


def headline_contrasts(plan: Plan) -> tuple[Contrast, ...]:
    """Return the contrasts of a report's head: going first, each class of sides."""
    made = [Contrast("going first", {FIRST: 1.0})]
    tally = Tally(plan, load(plan.place))
    if len(tally.sides) > 1:
        for members in pools_of(tally).values():
            made.append(Contrast(" / ".join(members), mean_of(members)))
    return tuple(made)


def without_luck(
    run: Run, contrasts: Iterable[Contrast] | None = None, *, deals: int = DEALS, most: int | None = None
) -> tuple[Lucky, ...]:
    """Return contrasts of a run with the luck of the first deal taken out.

    Parameters
    ----------
    run
        A finished run with balanced seatings, of a game with a worth.
    contrasts
        What is to be estimated; by default what a report's head says.
    deals
        Deals for the expectations.
    most
        Games of an arm to look at: the first so many, at least one part; None: all.
    """
    made = LuckTally(run.plan, headline_contrasts(run.plan) if contrasts is None else contrasts, deals=deals)
    seen = 0
    for part in run.parts(rounds=False):
        made.add(part)
        seen += len(part.games) // len(run.plan.arms)
        if most is not None and seen >= most:
            break
    return made.adjusted()
