"""Intervals that hold at every look: a run may be watched, stopped and extended at will."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals import COIN, Interval, check_level
from analysis.moments import Moments, Sample
from analysis.verdicts import (
    Joint,
    Verdict,
    assemble,
    fixed_size,
    further_blocks,
    joint,
    least_variance,
)

Vector = NDArray[np.float64]
Kind = Literal["normal", "bounded"]

HEAD_START = 1 / 8
"""Share of the decision horizon at which a normal mixture is tuned: the median decision at truth 0 is then earliest."""

FEWEST = 30
"""Blocks before which a variance is not worth estimating: until then nothing is excluded."""

RARE = 0.05
"""Share of non-zero blocks below which a difference is too rare for normal theory."""

METHODS: dict[Kind, str] = {
    "normal": "confidence sequence (normal mixture, asymptotic)",
    "bounded": "confidence sequence (bounded values, exact)",
}

_BETS = np.array([0.98, 0.9, 0.75, 0.55, 0.35, 0.2, 0.1, 0.05, 0.02])
_PRIOR = np.array([0.3, 0.1, 0.1, 0.1, 0.08, 0.08, 0.08, 0.08, 0.08])


def two_sided_radius(n: ArrayLike, variance: ArrayLike, *, head_start: ArrayLike, level: float = 0.95) -> Vector:
    """Half-width of the two-sided normal-mixture confidence sequence for a mean after `n` blocks.

    Robbins (Annals of Mathematical Statistics 41, 1970): with v = n variance and rho = head_start variance,
    sqrt((v + rho) log((v + rho) / (rho a^2))) / n, a = 1 - level. Asymptotic, since the variance is estimated
    (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Annals of Statistics 52, 2024).

    Parameters
    ----------
    n, variance
        Blocks played and variance of one block value.
    head_start
        Blocks at which it is tuned: `HEAD_START` times the number after which a decision is expected.
    level
        Confidence level, at all looks together.
    """
    n, variance, h = (np.asarray(x, np.float64) for x in (n, variance, head_start))
    return np.asarray(np.sqrt(variance * (n + h) * np.log((n + h) / (h * (1 - level) ** 2))) / n)


def two_sided_p(n: ArrayLike, excess: ArrayLike, variance: ArrayLike, *, head_start: ArrayLike) -> Vector:
    """Anytime-valid p value of a mean that lies `excess` beyond its limit: `two_sided_radius` solved for its level."""
    n, x, variance, h = (np.asarray(a, np.float64) for a in (n, excess, variance, head_start))
    exponent = (n * np.maximum(x, 0.0)) ** 2 / (2 * variance * (n + h))
    with np.errstate(under="ignore"):
        p = np.sqrt((n + h) / h) * np.exp(-exponent)
    return np.asarray(np.where(x > 0, np.minimum(p, 1.0), 1.0))


def steady_variance(n: ArrayLike, variance: ArrayLike, *, extra: ArrayLike) -> Vector:
    """Variance of a block with a little added to the sum of squares, so that equal blocks never look certain."""
    n, variance = np.asarray(n, np.float64), np.asarray(variance, np.float64)
    return np.asarray(((n - 1) * variance + np.asarray(extra, np.float64)) / np.maximum(n - 1, 1))


def pseudo_squares(sample: Sample) -> float:
    """Return what is added to the sum of squares: a coin of one deal; of a difference, one more event of the size met.

    A difference that was never met keeps the whole range, as does one of which it is not known how often it was.
    """
    if not sample.bounded:
        return 0.0
    reach = (sample.high - sample.low) ** 2
    if not sample.low < 0 < sample.high:
        return COIN * reach / sample.deals**2
    if not sample.nonzero:
        return reach
    return (sample.square_sum + sample.n * sample.mean**2) / sample.nonzero


def bounded_bound(
    n: ArrayLike, mean: ArrayLike, square_sum: ArrayLike, *, low: float, high: float, level: float = 0.95
) -> Vector:
    """Upper confidence bound, at all looks and for any number of blocks, for the mean of values in [low, high].

    For a candidate m and y = (m - value) / (high - m) >= -1, a gambler who bets the share b of his capital on low
    values has prod(1 + b y), a martingale if m is true. It is at least exp(b sum y - (-log(1 - b) - b) sum y^2) (Fan,
    Grama and Liu, Electronic Journal of Probability 20, 2015), which needs part sums only. A mixture over bets exceeds
    1 / a with probability a at most (Ville): then m, and all above it, are excluded, the betting argument of
    Waudby-Smith and Ramdas (JRSS B 86, 2024).

    Parameters
    ----------
    n, mean, square_sum
        Blocks, their mean, and the sum of squared deviations from it.
    low, high
        Possible range of a block value, finite.
    level
        Confidence level of this one-sided bound.
    """
    n, mean, squares = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (n, mean, square_sum)))
    inside, outside = mean.copy(), np.full(mean.shape, high)
    for _ in range(50):
        middle = (inside + outside) / 2
        wealth = _log_wealth(n, mean, squares, middle, high=high)
        excluded = wealth >= -np.log(1 - level)
        inside, outside = np.where(excluded, inside, middle), np.where(excluded, middle, outside)
    return outside


def _log_wealth(n: Vector, mean: Vector, squares: Vector, candidate: Vector, *, high: float) -> Vector:
    """Log of the mixture's capital against `candidate`, elementwise."""
    scale = np.maximum(high - candidate, 1e-300)
    total = n * (candidate - mean) / scale
    total_squares = (squares + n * (candidate - mean) ** 2) / scale**2
    cost = -np.log1p(-_BETS) - _BETS
    gain = total[..., None] * _BETS - total_squares[..., None] * cost + np.log(_PRIOR)
    top = gain.max(axis=-1, keepdims=True)
    return np.asarray((top + np.log(np.exp(gain - top).sum(axis=-1, keepdims=True)))[..., 0])


@dataclass(frozen=True)
class Look:
    """What a sequence shows after some parts.

    Parameters
    ----------
    sample
        All blocks so far.
    interval
        Two-sided interval, valid at every look.
    """

    sample: Sample
    interval: Interval


class ConfidenceSequence:
    """A confidence sequence and a sequential verdict for one contrast of the columns of part sums.

    Feed it the sums of the parts in the order of their deals; what it says is a function of that prefix only. The kind
    and the horizon, unless they are given, are chosen at the first look with enough blocks and never changed again.

    Parameters
    ----------
    weights
        Weights of the columns.
    null, margin
        As in `verdicts.verdict`.
    low, high
        Possible range of one block's contrast.
    name
        Of what.
    level
        Confidence level, at all looks together.
    horizon
        Blocks after which a decision is expected. By default what a fixed design needs for this margin or, if
        `precision` is given, for an interval that is so narrow.
    precision
        Half-width at which `precise` is reached.
    kind
        `normal` (asymptotic) or `bounded` (exact, for differences that are almost always 0). By default bounded if
        fewer than one block in twenty of the first look differs from 0 and 0 lies inside the range.
    games_per_block, table_share
        As in `verdicts.verdict`.
    """

    def __init__(
        self,
        weights: Sequence[float],
        *,
        null: float,
        margin: float,
        low: float,
        high: float,
        name: str = "",
        level: float = 0.95,
        horizon: int | None = None,
        precision: float | None = None,
        kind: Kind | None = None,
        games_per_block: int = 1,
        table_share: float | None = None,
    ) -> None:
        check_level(level)
        if kind == "bounded" and not np.isfinite(high - low):
            raise ValueError("a bounded sequence needs a finite range of block values")
        self.weights = tuple(float(w) for w in weights)
        self.null, self.margin, self.low, self.high = null, margin, low, high
        self.name, self.level, self.precision = name, level, precision
        self.games_per_block, self.table_share = games_per_block, table_share
        self.kind = kind
        self.head_start = None if horizon is None else max(HEAD_START * horizon, 1.0)
        self.moments: Moments | None = None
        self.decided: Verdict | None = None
        self.smallest_p = 1.0

    def add(self, part: Moments) -> Verdict:
        """Take in the sums of the next part in the order of deals, and say what is shown now.

        The first `balanced` or `unbalanced` is kept in `decided`: it stays so whatever later looks show.
        """
        return self.see(part if self.moments is None else self.moments.merge(part))

    def see(self, prefix: Moments) -> Verdict:
        """As `add`, from the sums of all parts so far: many sequences then share one merging."""
        self.moments = prefix
        self._settle(self.sample)
        found = self.verdict
        self.smallest_p = min(self.smallest_p, found.p)
        if self.decided is None and found.word != "undecided":
            self.decided = found
        return found

    @property
    def sample(self) -> Sample:
        """All blocks so far."""
        if self.moments is None:
            return Sample.of([], low=self.low, high=self.high)
        chosen = np.flatnonzero(self.weights)
        if len(chosen) == 1 and self.weights[chosen[0]] == 1:
            return self.moments.sample(int(chosen[0]), low=self.low, high=self.high)
        return self.moments.contrast(self.weights, low=self.low, high=self.high)

    @property
    def look(self) -> Look:
        """Interval and bounds now."""
        sample = self.sample
        return Look(sample, self._ends(sample))

    @property
    def verdict(self) -> Verdict:
        """Verdict now, valid at every look."""
        look = self.look
        return assemble(
            look.sample,
            look.interval,
            p=self._p(look.sample),
            further=self._further(look.sample),
            null=self.null,
            margin=self.margin,
            name=self.name,
            level=self.level,
            games_per_block=self.games_per_block,
            table_share=self.table_share,
            sequential=True,
        )

    @property
    def kept(self) -> Verdict:
        """Verdict of the last look with the word of the first that decided: it holds whatever later looks show."""
        now = replace(self.verdict, p=self.smallest_p)
        if self.decided is None or self.decided.word == now.word:
            return now
        note = f"decided after {self.decided.games:,} games"
        return replace(now, word=self.decided.word, further_blocks=0, further_games=0, note=note)

    @property
    def precise(self) -> bool:
        """Whether the interval is as narrow as the precision asked for."""
        return self.precision is not None and self.look.interval.width <= 2 * self.precision

    def _settle(self, sample: Sample) -> None:
        """Choose kind and horizon, once: from then on the sequence is one and the same."""
        if sample.n < FEWEST:
            return
        if self.kind is None:
            difference = self.low < 0 < self.high and np.isfinite(self.high - self.low)
            rare = sample.nonzero is not None and sample.nonzero < RARE * sample.n
            self.kind = "bounded" if difference and rare else "normal"
        if self.head_start is None:
            self.head_start = max(HEAD_START * self._default_horizon(sample), 1.0)

    def _default_horizon(self, sample: Sample) -> float:
        variance = max(float(self._variance(sample)), 1e-12)
        if self.precision:
            return 9.0 * variance / self.precision**2  # where the two-sided radius gets there, tuned as it is
        if self.margin:
            return float(fixed_size(variance=variance, margin=self.margin, level=self.level))
        return 8.0 * sample.n

    def _variance(self, sample: Sample) -> Vector:
        return steady_variance(sample.n, sample.variance, extra=pseudo_squares(sample))

    def _ends(self, sample: Sample) -> Interval:
        if self.kind is None or (self.kind == "normal" and sample.n < FEWEST) or sample.n == 0:
            note = f"{sample.n:,} blocks played: too few to exclude anything"
            return Interval(self.low, self.high, self.level, "whole range", note)
        if self.kind == "bounded":
            lower, upper = self._bounded_ends(sample, level=1 - (1 - self.level) / 2)
        else:
            assert self.head_start is not None
            r = float(two_sided_radius(sample.n, self._variance(sample), head_start=self.head_start, level=self.level))
            lower, upper = sample.mean - r, sample.mean + r
        return Interval(max(lower, self.low), min(upper, self.high), self.level, METHODS[self.kind])

    def _bounded_ends(self, sample: Sample, *, level: float) -> tuple[float, float]:
        n, mean, squares = sample.n, sample.mean, sample.square_sum
        upper = bounded_bound(n, mean, squares, low=self.low, high=self.high, level=level)
        lower = bounded_bound(n, -mean, squares, low=-self.high, high=-self.low, level=level)
        return -float(lower), float(upper)

    def _p(self, sample: Sample) -> float:
        """Anytime-valid p value of "within the margin": 1 minus the largest level whose interval lies outside."""
        excess = abs(sample.mean - self.null) - self.margin
        if excess <= 0 or self.kind is None or sample.n < FEWEST:
            return 1.0
        if self.kind == "bounded":
            return min(2 * self._bounded_tail(sample, excess), 1.0)
        assert self.head_start is not None
        return float(two_sided_p(sample.n, excess, self._variance(sample), head_start=self.head_start))

    def _bounded_tail(self, sample: Sample, excess: float) -> float:
        mean, high = (-sample.mean, -self.low) if sample.mean > self.null else (sample.mean, self.high)
        # The gambler's true capital only grows with the candidate, its lower bound need not: take the best so far.
        candidates = np.minimum(mean + excess * np.linspace(0, 1, 65), high - 1e-9)
        ones = np.ones(candidates.shape)
        wealth = _log_wealth(sample.n * ones, mean * ones, sample.square_sum * ones, candidates, high=high)
        return float(np.exp(-max(float(wealth.max()), 0.0)))

    def _further(self, sample: Sample) -> int | None:
        """Blocks until the bounds decide, were the mean and the variance to stay as they are."""
        if sample.n < 2:
            return further_blocks(sample, null=self.null, margin=self.margin, level=self.level)
        distance = abs(self.margin - abs(sample.mean - self.null))
        if distance == 0:
            return None
        variance = max(sample.variance, least_variance(sample))
        head_start = self.head_start or max(HEAD_START * fixed_size(variance=variance, margin=distance), 1.0)

        def near(n: float) -> bool:
            if self.kind != "bounded":
                return float(two_sided_radius(n, variance, head_start=head_start, level=self.level)) < distance
            level = 1 - (1 - self.level) / 2
            upper = bounded_bound(n, sample.mean, n * variance, low=self.low, high=self.high, level=level)
            return float(upper) - sample.mean < distance

        return _first(near, start=sample.n)


def _first(reached: Callable[[float], bool], *, start: int) -> int | None:
    """Blocks after `start` at which something is reached for good, by doubling and halving; None beyond 1e12."""
    late = float(start + 1)
    while not reached(late):
        late *= 2
        if late > 1e12:
            return None
    early = float(start)
    while late - early > max(0.001 * late, 1.0):
        middle = (early + late) / 2
        early, late = (early, middle) if reached(middle) else (middle, late)
    return max(ceil(late) - start, 1)


def joint_verdict(sequences: Sequence[ConfidenceSequence], *, level: float = 0.95) -> Joint:
    """Verdict on several contrasts at this look: what was shown of one stays shown (see `verdicts.joint`)."""
    return joint([s.kept for s in sequences], level=level)
