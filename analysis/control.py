"""Take the luck of the deal out of block values, without taking out what is to be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.moments import Moments, Sample

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Adjusted:
    """A mean with the luck of the deal taken out.

    Parameters
    ----------
    sample
        As a sample of blocks: its mean is the adjusted estimate, its variance (times 1/n) that of the estimate, the
        error of the expectations included. Its range is wider than that of the values, by what luck can explain.
    plain
        The unadjusted mean.
    variance_ratio
        Variance of the adjusted estimate over that of the plain one: .5 is worth twice the games.
    coefficients
        Of each fold, shape (folds, controls); a coefficient of one fold is applied to the other.
    note
        A sentence if nothing could be adjusted.
    """

    sample: Sample
    plain: float
    variance_ratio: float
    coefficients: tuple[tuple[float, ...], ...]
    note: str = ""

    @property
    def estimate(self) -> float:
        """Adjusted mean."""
        return self.sample.mean


def adjust(
    values: ArrayLike,
    controls: ArrayLike,
    *,
    deals: ArrayLike,
    expectation_error: ArrayLike = 0.0,
    coefficients: Sequence[float] | None = None,
    low: float = 0.0,
    high: float = 1.0,
) -> Adjusted:
    """Adjust the mean of block values (`adjust_moments`), straight from arrays.

    Parameters
    ----------
    values
        Block values, shape (n,).
    controls
        Baseline value of what was dealt, f(entrant, packet, seat), minus its expectation over deals *for that entrant
        and seat*, averaged over the block; shape (n,) or (n, controls). Never minus the mean of the block: that would
        take out the very advantage that is to be measured.
    deals
        Deal numbers, shape (n,): their parity makes the two folds.
    expectation_error
        Standard error of the expectations, shape () or (controls,).
    coefficients
        Frozen from a pilot, one per control; otherwise estimated on the other fold.
    low, high
        Possible range of a block value.
    """
    y = np.asarray(values, np.float64).ravel()
    x = np.asarray(controls, np.float64).reshape(y.size, -1) if y.size else np.empty((0, 1))
    odd = np.asarray(deals, np.int64).ravel() % 2 == 1
    columns = np.column_stack([y, x])
    empty = Moments.empty([0.0] * columns.shape[1])
    return adjust_moments(
        empty.add(columns[~odd]),
        empty.add(columns[odd]),
        expectation_error=expectation_error,
        coefficients=coefficients,
        low=low,
        high=high,
    )


def adjust_moments(
    even: Moments,
    odd: Moments,
    *,
    expectation_error: ArrayLike = 0.0,
    coefficients: Sequence[float] | None = None,
    low: float = 0.0,
    high: float = 1.0,
) -> Adjusted:
    """Adjust the mean of column 0 by the controls in the other columns, the deals of either parity apart.

    Control variates (Owen, Monte Carlo theory, methods and examples, 2013, section 8.9): mean(y) - b mean(x) has the
    mean of y for every b that does not depend on these blocks, since x has mean 0. So b is estimated on the other fold
    (cross-fitting: Chernozhukov and others, Econometrics Journal 21, 2018) or frozen from a pilot.

    Parameters
    ----------
    even, odd
        Sums over the blocks of even and of odd deals; column 0 the value, the others the controls.
    expectation_error, coefficients, low, high
        As in `adjust`.
    """
    both = even.merge(odd)
    plain = both.sample(0, low=low, high=high)
    folds = (even, odd)
    if coefficients is not None:
        used = [np.asarray(coefficients, np.float64)] * 2
        if used[0].shape != (both.k - 1,):
            raise ValueError(f"{both.k - 1} controls need as many coefficients, not {used[0].size}")
    elif min(even.n, odd.n) > both.k:
        used = [_coefficients(odd), _coefficients(even)]
    else:
        note = f"{even.n} and {odd.n} blocks of even and odd deals: too few to take the luck of the deal out"
        return Adjusted(plain, plain.mean, 1.0, (), note)
    weights = [np.append(1.0, -b) for b in used]
    mean = sum(m.n * float(w @ m.mean) for m, w in zip(folds, weights)) / max(both.n, 1)
    squares = sum(max(m.n - 1, 0) * float(w @ m.cov @ w) for m, w in zip(folds, weights))
    freedom = sum(max(m.n - 1, 0) for m in folds)
    average = sum(m.n * b for m, b in zip(folds, used)) / max(both.n, 1)
    shared = float(np.sum((average * np.asarray(expectation_error, np.float64)) ** 2))
    variance = max(squares, 0.0) / max(freedom, 1) + both.n * shared
    reach = _reach(both, used)
    sample = Sample(n=both.n, mean=mean, variance=variance, low=low - reach, high=high + reach) if both.n else plain
    ratio = variance / plain.variance if plain.variance > 0 else 1.0
    note = "" if plain.variance > 0 else "the plain values do not vary: there is no luck to take out"
    return Adjusted(sample, plain.mean, ratio, tuple(tuple(float(c) for c in b) for b in used), note)


def _coefficients(fold: Moments) -> Vector:
    """Least squares slopes of column 0 on the other columns; 0 for controls that do not vary."""
    cov = fold.cov
    return np.asarray(np.linalg.pinv(cov[1:, 1:], rcond=1e-10, hermitian=True) @ cov[1:, 0], np.float64)


def _reach(both: Moments, used: list[Vector]) -> float:
    """How far the adjustment can carry a block value beyond its range, from the controls that were met."""
    if both.n == 0:
        return 0.0
    largest = np.maximum(np.abs(both.minimum[1:]), np.abs(both.maximum[1:]))
    return max(float(np.abs(b) @ largest) for b in used)
