"""Mergeable sums of block values, kept exactly: neither the chunks nor their order leave a trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import add

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]

UNIT = 2.0**-30
"""Grid on which values are summed unless told otherwise; a rounding of 5e-10 of a share per block."""

_LIMB_BITS = 20
_LIMB = 2**_LIMB_BITS
_LARGEST = 2**39
_ROWS = 4096
_ALONE = 200_000  # multiplications


@dataclass(frozen=True)
class Sample:
    """What an interval needs to know of `n` block values.

    Parameters
    ----------
    n
        Number of blocks (for a ratio: of blocks in which its denominator occurred).
    mean
        Their mean; the middle of the range if there is no block.
    variance
        Unbiased variance of one block value; 0 if there are fewer than two blocks.
    low, high
        The smallest and largest value that a block *could* take, not the ones seen; infinite if there is none.
    nonzero
        Number of blocks with a value other than 0, if known.
    deals
        Deals in a block: one deal alone moves a block by the range over this.
    """

    n: int
    mean: float
    variance: float
    low: float = 0.0
    high: float = 1.0
    nonzero: int | None = None
    deals: int = 1

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"the range of a block value must not be empty: from {self.low:g} to {self.high:g}")
        if self.n < 0 or self.variance < 0:
            raise ValueError(f"a sample has n >= 0 and variance >= 0, not {self.n} and {self.variance:g}")
        slack = 1e-9 * max(1.0, abs(self.low), abs(self.high)) if self.bounded else 0.0
        if self.n and not self.low - slack <= self.mean <= self.high + slack:
            raise ValueError(f"a mean of {self.mean:g} is outside the possible {self.low:g} to {self.high:g}")

    @classmethod
    def of(cls, values: ArrayLike, *, counts: ArrayLike | None = None, low: float = 0.0, high: float = 1.0) -> Sample:
        """Sample of an array of block values, shape (n,), or of the distinct values and how often each occurred."""
        value = np.asarray(values, np.float64).ravel()
        count = np.ones(value.size, np.int64) if counts is None else np.asarray(counts, np.int64).ravel()
        n = int(count.sum())
        if n == 0:
            return cls(n=0, mean=_middle(low, high), variance=0.0, low=low, high=high, nonzero=0)
        mean = float(count @ value) / n
        variance = float(count @ (value - mean) ** 2) / (n - 1) if n > 1 else 0.0
        constant = value[count > 0].min() == value[count > 0].max()
        return cls(
            n=n,
            mean=float(value[count > 0][0]) if constant else mean,
            variance=0.0 if constant else variance,
            low=low,
            high=high,
            nonzero=int(count[value != 0].sum()),
        )

    @property
    def bounded(self) -> bool:
        """Whether a block value has a smallest and a largest possible value."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    @property
    def error(self) -> float:
        """Standard error of the mean (0 if it cannot be known: use an interval)."""
        return float(np.sqrt(self.variance / self.n)) if self.n > 1 else 0.0

    @property
    def square_sum(self) -> float:
        """Sum of squared deviations from the mean."""
        return (self.n - 1) * self.variance if self.n > 1 else 0.0


@dataclass(frozen=True)
class Moments:
    """Sums and cross products over blocks of a vector of `k` block values.

    Values are taken relative to a fixed centre (the null, never a running mean: that would make the sums depend on the
    order), rounded to whole `unit` steps and summed in whole numbers. So `merge` is exact, associative and commutative:
    any chunking gives equal objects. Make new ones with `Moments.empty`.

    Parameters
    ----------
    centre
        Fixed centre of each column, length k.
    unit
        Step of the grid. With shares stored in 27,720ths and g games to a block, 1 / (27,720 g) makes the sums exact.
    n
        Number of blocks.
    total
        Sum of (value - centre) / unit, length k.
    cross
        Sum of products of the same: of the first `crossed` columns with each other, upper triangle row by row, then the
        squares of the other columns.
    minimum, maximum
        Smallest and largest value met in each column.
    nonzero
        Number of blocks whose value is not 0, per column.
    crossed
        Of how many columns, from the first on, the products with each other are kept.
    """

    centre: tuple[float, ...]
    unit: float
    n: int
    total: tuple[int, ...]
    cross: tuple[int, ...]
    minimum: tuple[float, ...]
    maximum: tuple[float, ...]
    nonzero: tuple[int, ...]
    crossed: int

    @classmethod
    def empty(cls, centre: Iterable[float], *, unit: float = UNIT, crossed: int | None = None) -> Moments:
        """No blocks yet, of as many columns as there are centres; all products are kept unless `crossed` says less."""
        centres = tuple(float(c) for c in centre)
        k = len(centres)
        crossed = k if crossed is None else crossed
        return cls(
            centre=centres,
            unit=float(unit),
            n=0,
            total=(0,) * k,
            cross=(0,) * (crossed * (crossed + 1) // 2 + k - crossed),
            minimum=(np.inf,) * k,
            maximum=(-np.inf,) * k,
            nonzero=(0,) * k,
            crossed=crossed,
        )

    @property
    def k(self) -> int:
        """Number of columns."""
        return len(self.centre)

    def add(self, values: ArrayLike) -> Moments:
        """Take in more blocks; `values` has shape (blocks, k), or (blocks,) for one column."""
        block = np.asarray(values, np.float64)
        block = block.reshape(-1, self.k) if block.ndim == 1 else block
        if block.ndim != 2 or block.shape[1] != self.k:
            raise ValueError(f"block values must have {self.k} columns, not shape {block.shape}")
        return add_each([self], block[None])[0]

    def merge(self, other: Moments) -> Moments:
        """Take in the blocks of other sums; exact, in any order."""
        if (self.centre, self.unit, self.crossed) != (other.centre, other.unit, other.crossed):
            raise ValueError("only sums with the same centre, unit and products can be merged")
        return replace(
            self,
            n=self.n + other.n,
            total=tuple(map(add, self.total, other.total)),
            cross=tuple(map(add, self.cross, other.cross)),
            minimum=tuple(map(min, self.minimum, other.minimum)),
            maximum=tuple(map(max, self.maximum, other.maximum)),
            nonzero=tuple(map(add, self.nonzero, other.nonzero)),
        )

    @cached_property
    def mean(self) -> Vector:
        """Mean of each column, shape (k,); the centre where there is no block."""
        n = max(self.n, 1)
        return np.array([c + (t / n) * self.unit for c, t in zip(self.centre, self.total)], np.float64)

    @cached_property
    def cov(self) -> Vector:
        """Unbiased covariance of one block, shape (k, k); zeros for fewer than two blocks."""
        every = np.arange(self.k)
        return self._cov_of(every)

    def _cov_of(self, columns: NDArray[np.intp]) -> Vector:
        """Covariance of some columns only: a contrast of two of many needs three numbers."""
        out = np.zeros((len(columns), len(columns)))
        if self.n < 2:
            return out
        scale = self.n * (self.n - 1)
        for a, i in enumerate(columns.tolist()):
            for b, j in enumerate(columns.tolist()[: a + 1]):
                cross = self.cross[self._place(min(i, j), max(i, j))]
                # Whole numbers up to the last division: no cancellation, and equal columns differ by exactly 0.
                out[a, b] = out[b, a] = (self.n * cross - self.total[i] * self.total[j]) / scale * self.unit**2
        return out

    def _place(self, first: int, second: int) -> int:
        """Return where the product of two columns stands, first <= second."""
        c = self.crossed
        if second < c:
            return first * c - first * (first - 1) // 2 + second - first
        if first != second:
            raise ValueError(f"products of columns {first} and {second} were not kept")
        return c * (c + 1) // 2 + first - c

    @property
    def cov_of_mean(self) -> Vector:
        """Covariance of the column means, shape (k, k)."""
        return self.cov / max(self.n, 1)

    def sample(self, column: int = 0, *, low: float = 0.0, high: float = 1.0) -> Sample:
        """One column as a sample; `low` and `high` are the possible range of a block value."""
        if self.n == 0:
            return Sample(n=0, mean=_middle(low, high), variance=0.0, low=low, high=high, nonzero=0)
        constant = self.minimum[column] == self.maximum[column]
        return Sample(
            n=self.n,
            mean=self.minimum[column] if constant else float(self.mean[column]),
            variance=0.0 if constant else float(self._cov_of(np.array([column]))[0, 0]),
            low=low,
            high=high,
            nonzero=self.nonzero[column],
        )

    def contrast(self, weights: Sequence[float], *, low: float = -1.0, high: float = 1.0) -> Sample:
        """Linear contrast of the column means, sum of weights times columns, with the variance of one block's contrast.

        Blocks in which it is not 0 are at least as many as those of the column that differs most often: that many are
        counted, so that rare differences are taken for rare.
        """
        c = np.asarray(weights, np.float64)
        if c.shape != (self.k,):
            raise ValueError(f"a contrast needs {self.k} weights, not {c.shape}")
        if self.n == 0:
            return Sample(n=0, mean=_middle(low, high), variance=0.0, low=low, high=high)
        exact = sum((Fraction(w) * t for w, t in zip(c.tolist(), self.total)), Fraction(0))
        mean = float(c @ np.asarray(self.centre)) + float(exact / self.n) * self.unit
        used = np.flatnonzero(c)
        cov, w = self._cov_of(used), c[used]
        variance = max(float(w @ cov @ w), 0.0)
        rounding = 1e-14 * float(np.abs(w) @ np.abs(cov) @ np.abs(w))
        nonzero = max((self.nonzero[i] for i in used.tolist()), default=0)
        return Sample(self.n, mean, variance if variance > rounding else 0.0, low, high, nonzero)

    def ratio(self, numerator: int, denominator: int, *, low: float = 0.0, high: float = 1.0) -> Sample:
        """Ratio of two column means by the delta method (Cochran, Sampling Techniques, 1977, section 6.3).

        `n` of the result counts only the blocks in which the denominator occurred, and the variance is that of such a
        block, so that an interval knows how little was seen.
        """
        n = self.nonzero[denominator]
        if n == 0 or self.mean[denominator] == 0:
            return Sample(n=0, mean=_middle(low, high), variance=0.0, low=low, high=high)
        value = float(self.mean[numerator] / self.mean[denominator])
        gradient = self._ratio_gradient(numerator, denominator)
        variance = self._variance_of(gradient) * n / self.n
        return Sample(n=n, mean=min(max(value, low), high), variance=variance, low=low, high=high)

    def ratio_difference(
        self, first: tuple[int, int], second: tuple[int, int], *, low: float = -1.0, high: float = 1.0
    ) -> Sample:
        """Difference of two ratios, each a pair (numerator column, denominator column), by the delta method."""
        n = min(self.nonzero[first[1]], self.nonzero[second[1]])
        if n == 0 or self.mean[first[1]] == 0 or self.mean[second[1]] == 0:
            return Sample(n=0, mean=_middle(low, high), variance=0.0, low=low, high=high)
        value = float(self.mean[first[0]] / self.mean[first[1]] - self.mean[second[0]] / self.mean[second[1]])
        gradient = self._ratio_gradient(*first) - self._ratio_gradient(*second)
        variance = self._variance_of(gradient) * n / self.n
        return Sample(n=n, mean=min(max(value, low), high), variance=variance, low=low, high=high)

    def _ratio_gradient(self, numerator: int, denominator: int) -> Vector:
        gradient = np.zeros(self.k)
        gradient[numerator] += 1.0 / self.mean[denominator]
        gradient[denominator] -= self.mean[numerator] / self.mean[denominator] ** 2
        return gradient

    def _variance_of(self, gradient: Vector) -> float:
        used = np.flatnonzero(gradient)
        return max(float(gradient[used] @ self._cov_of(used) @ gradient[used]), 0.0)


def _middle(low: float, high: float) -> float:
    """Return a placeholder for the mean of nothing, always finite."""
    ends = [x for x in (low, high) if np.isfinite(x)]
    return sum(ends) / len(ends) if ends else 0.0


def add_each(sums: Sequence[Moments], values: Vector) -> list[Moments]:
    """Take in blocks of several sums of one kind at once; `values` has shape (sums, blocks, k)."""
    if not sums or values.shape[1] == 0:
        return list(sums)
    one = sums[0]
    steps = np.rint((values - np.asarray(one.centre)) / one.unit)
    if not np.all(np.abs(steps) < _LARGEST):  # also catches NaN
        raise ValueError(f"block values must be finite and within {_LARGEST * one.unit:g} of their centre")
    fields = zip(
        steps.astype(np.int64).sum(axis=1).tolist(),
        _cross_products(steps[:, :, : one.crossed]),
        _squares(steps[:, :, one.crossed :]),
        values.min(axis=1).tolist(),
        values.max(axis=1).tolist(),
        np.count_nonzero(values, axis=1).tolist(),
    )
    made = []
    for have, (total, cross, squares, minimum, maximum, nonzero) in zip(sums, fields, strict=True):
        more = Moments(
            one.centre, one.unit, values.shape[1], tuple(total), (*cross, *squares), tuple(minimum), tuple(maximum),
            tuple(nonzero), one.crossed,
        )  # fmt: skip
        made.append(have.merge(more))
    return made


def _squares(steps: Vector) -> list[list[int]]:
    """Exact sums of squares of whole numbers below 2**39, per column; steps: sums, blocks, columns."""
    whole = steps.astype(np.int64)
    high, low = whole >> _LIMB_BITS, whole & (_LIMB - 1)
    return _together(*((a * b).sum(axis=1) for a, b in ((high, high), (high, 2 * low), (low, low))))


def _cross_products(steps: Vector) -> list[list[int]]:
    """Exact sums of products of whole numbers below 2**39, upper triangle of the columns row by row.

    Each number is cut into two limbs; sums of 4,096 limb products stay below 2**53, where floats count exactly.
    steps: sums, blocks, columns.
    """
    n, _, k = steps.shape
    high = np.floor(steps / _LIMB)
    low = steps - high * _LIMB
    hh, hl, ll = (np.zeros((n, k, k), np.int64) for _ in range(3))
    # Products so small stay in this thread: threads of the BLAS would wait for cores that are busy playing.
    rows = min(_ROWS, max(_ALONE // max(k, 1) ** 2, 16))
    for start in range(0, steps.shape[1], rows):
        h, l = high[:, start : start + rows], low[:, start : start + rows]  # noqa: E741
        turned = h.transpose(0, 2, 1)
        hh += (turned @ h).astype(np.int64)
        hl += (turned @ l).astype(np.int64)
        ll += (l.transpose(0, 2, 1) @ l).astype(np.int64)
    i, j = np.triu_indices(k)
    return _together(hh[:, i, j], hl[:, i, j] + hl[:, j, i], ll[:, i, j])


def _together(*limbs: NDArray[np.int64]) -> list[list[int]]:
    """Return numbers of three limbs as Python integers, the highest limb first; limbs: sums, numbers."""
    lists = (limb.tolist() for limb in limbs)
    return [[a * _LIMB**2 + b * _LIMB + c for a, b, c in zip(*three)] for three in zip(*lists)]
