"""Intervals for the mean of bounded block values, for a size fixed beforehand: never of zero width, never NaN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.moments import Sample

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """Where the mean can be.

    Parameters
    ----------
    low, high
        The ends, always inside the possible range of a block value.
    level
        Confidence level.
    method
        How it was made: `exact`, `score`, `difference`, `constant`, `student` or `whole range`; sequences have names of
        their own.
    note
        A sentence where the data were too thin for more.
    """

    low: float
    high: float
    level: float
    method: str
    note: str = ""

    @property
    def width(self) -> float:
        """Distance of the ends."""
        return self.high - self.low

    def contains(self, value: float) -> bool:
        """Whether the value is not excluded."""
        return self.low <= value <= self.high

    def mirrored(self) -> Interval:
        """Interval of 1 minus the mean: B's share against A from A's against B."""
        return Interval(1.0 - self.high, 1.0 - self.low, self.level, self.method, self.note)


def interval(sample: Sample, *, level: float = 0.95) -> Interval:
    """Interval for the mean of a sample of block values.

    - no block, or one: the whole range, with a sentence;
    - all blocks equal: the rate of other blocks is bounded exactly, at most 3.7/n at 95 % (`constant_bounds`);
    - only the two extreme values: Clopper and Pearson (`exact_bounds`);
    - a difference (a range with 0 inside): Student's t, corrected for few events (`difference_bounds`);
    - else the score interval with an effective number of blocks (`score_bounds`);
    - values without a finite range (lengths of games): Student's t.

    Parameters
    ----------
    sample
        Number, mean, variance and possible range of the block values.
    level
        Confidence level, two-sided.

    Returns
    -------
    Interval
        Inside the possible range, of positive width.

    Examples
    --------
    >>> from analysis.moments import Sample
    >>> made = interval(Sample(n=400, mean=0.52, variance=0.09))
    >>> f"{made.low:.3f} to {made.high:.3f}, {made.method}"
    '0.490 to 0.549, score'
    """
    check_level(level)
    n, lo, hi = sample.n, sample.low, sample.high
    if n < 2:
        seen = "no block was" if n == 0 else "one block only was"
        return Interval(lo, hi, level, "whole range", f"{seen} played, so nothing can be excluded yet")
    if sample.variance == 0:
        if not sample.bounded:
            return Interval(lo, hi, level, "whole range", f"all {n:,} blocks were equal and their range has no limit")
        low, high = constant_bounds(n, sample.mean, low=lo, high=hi, level=level)
        return Interval(float(low), float(high), level, "constant", f"all {n:,} blocks were equal")
    if not sample.bounded:
        half = float(_student(n, level)) * sample.error
        return Interval(max(lo, sample.mean - half), min(hi, sample.mean + half), level, "student")
    share = (sample.mean - lo) / (hi - lo)
    if _only_extremes(sample, share):
        low, high = exact_bounds(n, round(n * share), level=level)
        return Interval(lo + (hi - lo) * float(low), lo + (hi - lo) * float(high), level, "exact")
    if lo < 0 < hi and sample.nonzero is not None:
        low, high = difference_bounds(n, sample.mean, sample.variance, sample.nonzero, low=lo, high=hi, level=level)
        return Interval(float(low), float(high), level, "difference")
    low, high = score_bounds(n, sample.mean, sample.variance, low=lo, high=hi, level=level, deals=sample.deals)
    return Interval(float(low), float(high), level, "score")


def score_bounds(
    n: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    *,
    low: float,
    high: float,
    level: float = 0.95,
    deals: ArrayLike = 1,
) -> tuple[Vector, Vector]:
    """Wilson's score interval (JASA 22, 1927) for the mean of blocks, elementwise over arrays.

    A block is worth 1/D coins, D = variance / (p (1 - p)) being its design effect, as Kish has it and as Korn and
    Graubard (Survey Methodology 24, 1998) use it; Student's quantile stands for the estimated variance. D is drawn
    towards 1 by a little pseudo-variance, that of one coin tossed in one deal, so that few events in few blocks cannot
    look certain.

    Parameters
    ----------
    n, mean, variance
        Number (two or more), mean and unbiased variance of the block values.
    low, high
        Possible range of a block value, finite.
    level
        Confidence level, two-sided.
    deals
        Deals in a block.

    Returns
    -------
    tuple of ndarray
        Lower and upper ends.
    """
    n, mean, variance, deals = (np.asarray(x, np.float64) for x in (n, mean, variance, deals))
    span = high - low
    p = np.clip((mean - low) / span, 0.0, 1.0)
    guard = COIN / deals**2
    design = np.minimum(((n - 1) * variance / span**2 + guard) / (n * p * (1 - p) + guard), 1.0)
    a = _student(n, level) ** 2 * design / n
    centre = (p + a / 2) / (1 + a)
    half = np.sqrt(a * (p * (1 - p) + a / 4)) / (1 + a)
    return low + span * np.maximum(centre - half, 0.0), low + span * np.minimum(centre + half, 1.0)


COIN = 0.25
"""Squared range that one coin adds to a sum of squares."""

FEW = 10
"""Blocks that differ below which a difference says little of the size of the events that were not met."""


def difference_bounds(
    n: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    nonzero: ArrayLike,
    *,
    low: float,
    high: float,
    level: float = 0.95,
) -> tuple[Vector, Vector]:
    """Interval for the mean of differences, most of which may be 0, elementwise over arrays.

    Student's interval with two corrections that vanish with the number k of blocks that differ. The sum of squares is
    that of z^2/4 further events of the size met, as in Wilson's interval for a rate; below ten events of more, since
    few say little of the others. And the centre is moved by the skewness (Johnson, JASA 73, 1978; Hall, JRSS B 54,
    1992): events of mostly one sign make the mean too small as often as it looks certain. The skewness is that of
    events of equal size, drawn to 0 as far as their signs may be chance.

    Parameters
    ----------
    n, mean, variance
        Number (two or more), mean and unbiased variance of the block values.
    nonzero
        Blocks with a value other than 0, one or more.
    low, high, level
        As in `score_bounds`.
    """
    n, mean, variance, k = (np.asarray(x, np.float64) for x in (n, mean, variance, np.maximum(nonzero, 1)))
    z2 = float(_normal(level)) ** 2
    squares = (n - 1) * variance
    size = (squares + n * mean**2) / k  # mean square of the events
    signed = n * mean / k
    surely = np.clip(1 - size / np.maximum(signed**2 * k, 1e-300), 0.0, 1.0)
    more = z2 / 4 * (1 + np.maximum(FEW - k, 0.0) / 2)
    centre = mean + (1 + 2 * z2) / 6 * signed * surely / n
    half = _student(n, level) * np.sqrt(squares + more * size) / n
    return np.maximum(centre - half, low), np.minimum(centre + half, high)


def exact_bounds(n: ArrayLike, successes: ArrayLike, *, level: float = 0.95) -> tuple[Vector, Vector]:
    """Clopper and Pearson's interval (Biometrika 26, 1934) for a rate, elementwise over arrays."""
    from scipy.special import betaincinv

    n, x = np.asarray(n, np.float64), np.asarray(successes, np.float64)
    tail = (1 - level) / 2
    low = np.where(x > 0, betaincinv(np.maximum(x, 1), n - x + 1, tail), 0.0)
    high = np.where(x < n, betaincinv(x + 1, np.maximum(n - x, 1), 1 - tail), 1.0)
    return low, high


def constant_bounds(
    n: ArrayLike, value: ArrayLike, *, low: float, high: float, level: float = 0.95
) -> tuple[Vector, Vector]:
    """Interval when all `n` blocks had the same value: blocks with another value are rarer than 1 - (tail)^(1/n).

    That is Clopper and Pearson's bound for no event in n, about 3.7/n at 95 %, times the way to the end of the range.
    """
    n, value = np.asarray(n, np.float64), np.asarray(value, np.float64)
    rate = -np.expm1(np.log((1 - level) / 2) / n)
    return value - rate * (value - low), value + rate * (high - value)


def difference_interval(first: Sample, second: Sample, *, level: float = 0.95) -> Interval:
    """Interval for the difference of two *independent* means, from their own intervals.

    The method of variance estimates recovery (Zou and Donner, Statistics in Medicine 27, 2008; Newcombe's method 10).
    Arms that share their deals are to be compared block by block instead.
    """
    a, b = interval(first, level=level), interval(second, level=level)
    note = a.note or b.note
    if a.method == "whole range" or b.method == "whole range":
        return Interval(a.low - b.high, a.high - b.low, level, "whole range", note)
    d = first.mean - second.mean
    low = d - float(np.hypot(first.mean - a.low, b.high - second.mean))
    high = d + float(np.hypot(a.high - first.mean, second.mean - b.low))
    return Interval(
        max(low, first.low - second.high), min(high, first.high - second.low), level, "independent arms", note
    )


def excess_p(sample: Sample, *, low: float, high: float) -> float:
    """Two-sided p value of "the mean lies in [low, high]": 1 minus the largest level whose interval lies outside.

    Found by bisection on the interval itself, so that it never contradicts the interval that is shown.
    """
    if sample.n < 2 or low <= sample.mean <= high:
        return 1.0

    def outside(p: float) -> bool:
        found = interval(sample, level=1 - p)
        return found.low > high or found.high < low

    if outside(1e-15):
        return 1e-15
    small, large = 1e-15, 1.0 - 1e-9
    if not outside(large):
        return 1.0
    while large > small * (1 + 1e-6):
        middle = float(np.sqrt(small * large))
        small, large = (small, middle) if outside(middle) else (middle, large)
    return large


def check_level(level: float) -> None:
    """Refuse what is not a confidence level."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level:g}")


def _only_extremes(sample: Sample, share: float) -> bool:
    """Whether every block was at one end of the range: only then is the variance as large as the mean allows."""
    largest = sample.n * share * (1 - share)
    squares = sample.square_sum / (sample.high - sample.low) ** 2
    whole = abs(sample.n * share - round(sample.n * share)) < 1e-6
    return whole and abs(squares - largest) <= 1e-9 * max(largest, 1.0)


def _normal(level: float) -> Any:
    from scipy.special import ndtri

    return ndtri(0.5 + level / 2)


def _student(n: ArrayLike, level: float) -> Any:
    from scipy.special import stdtrit

    return stdtrit(np.asarray(n, np.float64) - 1, 0.5 + level / 2)
