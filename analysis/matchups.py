"""Side against side: the matrix of shares, which mix of sides nobody can exploit, and whether they go in circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval, interval
from analysis.moments import Moments, Sample

Vector = NDArray[np.float64]
Pair = tuple[int, int]

MIRROR = Interval(0.5, 0.5, 1.0, "by definition", "a side against itself wins half")


@dataclass(frozen=True)
class Overall:
    """Mean share of a side over its matchups, each opponent weighted as stated (the mirror left out).

    Parameters
    ----------
    side
        Its name.
    share
        The mean; None if no weighted opponent was met.
    interval
        Its interval.
    """

    side: str
    share: float | None
    interval: Interval


@dataclass(frozen=True)
class Dominated:
    """A side that another beats at everything: whoever may choose takes the other.

    Parameters
    ----------
    side, by
        Names.
    proved
        Whether each single difference is settled (an intersection-union test), not only estimated.
    """

    side: str
    by: str
    proved: bool


@dataclass(frozen=True)
class Equilibrium:
    """The mix of sides against which none has more than a half.

    Parameters
    ----------
    mix
        Share of each side, shape (sides,).
    errors
        Standard deviation of each, over redrawn matrices.
    low, high
        2.5 and 97.5 % points of each, over redrawn matrices.
    support
        Share of redrawn matrices in which the side is played at all.
    note
        A sentence if there is none.
    """

    mix: tuple[float, ...]
    errors: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    support: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True)
class Circle:
    """How much of the matrix is not explained by one strength per side.

    Parameters
    ----------
    strengths
        One number per side, summing to 0: share of a against b is .5 + strength a - strength b, as near as may be.
    share
        Part of the matrix's variance that these leave over, noise taken off: 0 = an order of strength, 1 = scissors,
        paper, stone.
    p
        p value of "there is an order of strength and no more"; None if there are too few pairs for a circle.
    note
        A sentence where it needs one.
    """

    strengths: tuple[float, ...]
    share: float
    p: float | None
    note: str = ""


@dataclass(frozen=True, eq=False)
class Matchups:
    """Shares of each side against each other, made by `from_moments` or `from_samples`.

    Parameters
    ----------
    sides
        Names.
    pairs
        The pairs that met, as (first, second) indices of sides, first < second.
    samples
        Share of the first side, for each pair.
    cov
        Covariance of the mean shares, shape (pairs, pairs).
    level
        Confidence level of the intervals.
    """

    sides: tuple[str, ...]
    pairs: tuple[Pair, ...]
    samples: tuple[Sample, ...]
    cov: Vector
    level: float = 0.95

    @classmethod
    def from_moments(
        cls, moments: Moments, *, pairs: Sequence[Pair], sides: Sequence[str], level: float = 0.95
    ) -> Matchups:
        """Pairs that share super-blocks: column i of the sums is the share of the first of `pairs[i]`."""
        if len(pairs) != moments.k:
            raise ValueError(f"{moments.k} columns of sums cannot be the shares of {len(pairs)} pairs")
        samples = [moments.sample(i) for i in range(moments.k)]
        signs = np.array([1.0 if a < b else -1.0 for a, b in pairs])
        return cls._ordered(pairs, samples, moments.cov_of_mean * np.outer(signs, signs), sides, level)

    @classmethod
    def from_samples(cls, samples: Mapping[Pair, Sample], *, sides: Sequence[str], level: float = 0.95) -> Matchups:
        """Pairs that were played apart: the share of the first side of each pair, independent of one another."""
        variances = [s.variance / s.n if s.n > 1 else 0.0 for s in samples.values()]
        return cls._ordered(list(samples), list(samples.values()), np.diag(variances), sides, level)

    @classmethod
    def _ordered(
        cls, pairs: Sequence[Pair], samples: Sequence[Sample], cov: Vector, sides: Sequence[str], level: float
    ) -> Matchups:
        met = [(min(p), max(p)) for p in pairs]
        if len(set(met)) != len(met) or any(a == b or a < 0 or b >= len(sides) for a, b in met):
            raise ValueError("each pair of different sides may stand in the list once, in one order")
        turned = tuple(_mirrored(s) if a > b else s for (a, b), s in zip(pairs, samples))
        return cls(tuple(sides), tuple(met), turned, cov, level)

    @cached_property
    def shares(self) -> Vector:
        """Share of the row's side against the column's, (sides, sides); .5 on the diagonal and where `known` is false.

        The two entries of a pair sum to 1 exactly.
        """
        return self._matrix(np.array([s.mean for s in self.samples]))

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Which entries of the matrix are known, (sides, sides)."""
        out = np.eye(len(self.sides), dtype=bool)
        for (a, b), sample in zip(self.pairs, self.samples):
            out[a, b] = out[b, a] = sample.n > 0
        return out

    @property
    def complete(self) -> bool:
        """Whether every pair met."""
        return bool(self.known.all())

    def interval(self, first: int, second: int) -> Interval:
        """Interval for the share of one side against another."""
        if first == second:
            return MIRROR
        pair = (min(first, second), max(first, second))
        if pair not in self.pairs:
            return Interval(0.0, 1.0, self.level, "whole range", "these two never met")
        found = interval(self.samples[self.pairs.index(pair)], level=self.level)
        return found if first < second else found.mirrored()

    def overall(self, weights: Sequence[float] | None = None) -> tuple[Overall, ...]:
        """Overall share of each side: mean over the others, equally weighted unless weights of opponents are given."""
        weight = np.ones(len(self.sides)) if weights is None else np.asarray(weights, np.float64)
        if weight.shape != (len(self.sides),) or weight.min() < 0:
            raise ValueError(f"weights must be {len(self.sides)} numbers of at least 0")
        return tuple(self._overall(side, weight) for side in range(len(self.sides)))

    def dominated(self) -> tuple[Dominated, ...]:
        """Sides with another that does better against every side, those two included."""
        count = len(self.sides)
        if not self.complete:
            return ()
        found = []
        for worse in range(count):
            for better in range(count):
                if worse != better and bool(np.all(self.shares[better] > self.shares[worse])):
                    settled = all(self._settled(better, worse, against) for against in range(count))
                    found.append(Dominated(self.sides[worse], self.sides[better], settled))
        return tuple(found)

    def equilibrium(self, *, draws: int = 200, seed: int = 1) -> Equilibrium:
        """Equilibrium mix of the zero-sum game of choosing sides (von Neumann 1928), by linear programming.

        Errors by parametric bootstrap (Efron and Tibshirani 1993, section 6.5): the matrix is redrawn `draws` times
        from the normal distribution of its shares, with a fixed seed.
        """
        count = len(self.sides)
        if not self.complete or count == 0:
            nothing = (0.0,) * count
            note = "not every pair of sides met, so there is no equilibrium to find"
            return Equilibrium(nothing, nothing, nothing, (1.0,) * count, nothing, note)
        mix = solve_mix(self.shares)
        rng = np.random.default_rng(seed)
        mixes = np.array([solve_mix(self._matrix(shares)) for shares in self._redrawn(draws, rng)]).reshape(-1, count)
        low, high = np.quantile(mixes, [0.025, 0.975], axis=0)
        return Equilibrium(
            mix=tuple(mix.tolist()),
            errors=tuple(mixes.std(axis=0).tolist()),
            low=tuple(low.tolist()),
            high=tuple(high.tolist()),
            support=tuple((mixes > 1e-6).mean(axis=0).tolist()),
        )

    def circle(self) -> Circle:
        """One strength per side, and what it does not explain.

        Least squares on the pairs (Jiang, Lim, Yao and Ye, Mathematical Programming 127, 2011): the matrix minus one
        half is a gradient, the strengths, and a cyclic rest (Balduzzi and others, ICML 2019). The rest that noise alone
        would leave is taken off; p from Satterthwaite's scaled chi-squared.
        """
        used = [i for i, s in enumerate(self.samples) if s.n > 1]
        count = len(self.sides)
        if not used:
            return Circle((0.0,) * count, 0.0, None, "no pair of sides met")
        gap = np.array([self.samples[i].mean - 0.5 for i in used])
        design = np.zeros((len(used), count))
        for row, i in enumerate(used):
            design[row, list(self.pairs[i])] = 1.0, -1.0
        inverse = np.linalg.pinv(design)
        strengths = inverse @ gap
        strengths = strengths - strengths.mean()
        leave = np.eye(len(used)) - design @ inverse
        noise = leave @ self.cov[np.ix_(used, used)] @ leave
        rest = float(gap @ leave @ gap)
        freedom = len(used) - int(np.linalg.matrix_rank(design))
        if freedom == 0:
            return Circle(tuple(strengths.tolist()), 0.0, None, "too few pairs met for a circle")
        total = float(gap @ gap) - float(np.trace(self.cov[np.ix_(used, used)]))
        cyclic = max(rest - float(np.trace(noise)), 0.0)
        share = min(cyclic / total, 1.0) if total > 0 else 0.0
        note = "" if total > 0 else "all matchups are within noise of a half"
        return Circle(tuple(strengths.tolist()), share, _scaled_chi2_tail(rest, noise), note)

    def _matrix(self, shares: Vector) -> Vector:
        out = np.full((len(self.sides), len(self.sides)), 0.5)
        for (a, b), share, sample in zip(self.pairs, shares, self.samples):
            if sample.n:
                out[a, b], out[b, a] = share, 1.0 - share
        return out

    def _redrawn(self, draws: int, rng: np.random.Generator) -> Vector:
        """Shares of the pairs, (draws, pairs); a pair without an observed variance keeps that of one odd block in n."""
        cov = self.cov.copy()
        for i, sample in enumerate(self.samples):
            cov[i, i] = max(cov[i, i], 0.25 / (sample.n + 1) ** 2)
        if not self.pairs:
            return np.zeros((draws, 0))
        noise = rng.multivariate_normal(np.zeros(len(self.pairs)), cov, size=draws, method="eigh")
        return np.asarray(np.clip([s.mean for s in self.samples] + noise, 0.0, 1.0), np.float64)

    def _row(self, side: int, against: int) -> Vector:
        """Share of one side against another as a contrast of the pairs, up to a constant."""
        row = np.zeros(len(self.pairs))
        if side != against:
            row[self.pairs.index((min(side, against), max(side, against)))] = 1.0 if side < against else -1.0
        return row

    def _settled(self, better: int, worse: int, against: int) -> bool:
        """Whether one side does better than another against a third, beyond error, one-sided."""
        weights = self._row(better, against) - self._row(worse, against)
        involved = [self.samples[i].n for i in np.flatnonzero(weights)]
        mean = float(self.shares[better, against] - self.shares[worse, against])
        variance = max(float(weights @ self.cov @ weights), 0.0) * min(involved)
        sample = Sample(n=min(involved), mean=mean, variance=variance, low=-1.0, high=1.0)
        return interval(sample, level=2 * self.level - 1).low > 0

    def _overall(self, side: int, weight: Vector) -> Overall:
        opponents = [o for o in range(len(self.sides)) if o != side and weight[o] > 0 and self.known[side, o]]
        missing = [o for o in range(len(self.sides)) if o != side and weight[o] > 0 and not self.known[side, o]]
        if not opponents:
            note = "it met nobody of those with a weight"
            return Overall(self.sides[side], None, Interval(0.0, 1.0, self.level, "whole range", note))
        part = weight[opponents] / weight[opponents].sum()
        row = sum((p * self._row(side, o) for p, o in zip(part, opponents)), np.zeros(len(self.pairs)))
        n = min(self.samples[i].n for i in np.flatnonzero(row))
        variance = max(float(row @ self.cov @ row), 0.0) * n
        mean = float(np.clip(part @ self.shares[side, opponents], 0.0, 1.0))
        found = interval(Sample(n=n, mean=mean, variance=variance), level=self.level)
        if missing:
            names = ", ".join(self.sides[o] for o in missing)
            found = Interval(found.low, found.high, found.level, found.method, f"over those met; not met: {names}")
        return Overall(self.sides[side], mean, found)


def solve_mix(shares: Vector) -> Vector:
    """Mix x with x'(shares - .5) >= 0 in every column, for a matrix whose pairs sum to 1: no side gains against it.

    The largest guaranteed value as a linear program (Dantzig 1951). Of several such mixes, whatever the solver finds.
    """
    from scipy.optimize import linprog

    count = shares.shape[0]
    result = linprog(
        c=np.append(np.zeros(count), -1.0),  # maximise the value, the last variable
        A_ub=np.hstack([-(shares - 0.5).T, np.ones((count, 1))]),
        b_ub=np.zeros(count),
        A_eq=np.append(np.ones(count), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, 1)] * count + [(-1, 1)],
        method="highs",
    )
    if result.x is None:
        raise ArithmeticError(f"the equilibrium mix was not found: {result.message}")
    mix = np.maximum(np.asarray(result.x[:count], np.float64), 0.0)
    return np.asarray(mix / mix.sum(), np.float64)


def _mirrored(sample: Sample) -> Sample:
    return Sample(n=sample.n, mean=1.0 - sample.mean, variance=sample.variance)


def _scaled_chi2_tail(value: float, noise: Vector) -> float | None:
    """Tail of a quadratic form of normals with covariance `noise`, by Satterthwaite's scaled chi-squared (1946)."""
    from scipy.special import gammaincc

    trace, square = float(np.trace(noise)), float(np.sum(noise * noise))
    if trace <= 1e-300:
        return None
    freedom, scale = trace**2 / square, square / trace
    return float(gammaincc(freedom / 2, value / scale / 2))
