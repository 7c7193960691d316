"""Intervals keep their level, are never of zero width and stay inside what is possible."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from analysis import intervals
from analysis.intervals import difference_interval, excess_p, interval
from analysis.moments import Sample
from tests.analysis.generate import experiments, population

RARE = {
    "one sign": ([0.25], [1.0]),
    "whole games": ([1.0], [1.0]),
    "both signs": ([0.25, -0.25], [0.7, 0.3]),
    "mostly small": ([0.25, -1.0], [0.9, 0.1]),
    "symmetric": ([0.5, -0.5], [0.5, 0.5]),
}


def all_bounds(n, mean, variance, nonzero, low, high):
    """`interval` over arrays, with its own choice of method."""
    if low < 0 < high:
        lower, upper = intervals.difference_bounds(n, mean, variance, nonzero, low=low, high=high)
    else:
        lower, upper = intervals.score_bounds(n, mean, variance, low=low, high=high)
    same_low, same_high = intervals.constant_bounds(n, mean, low=low, high=high)
    same = variance <= 1e-15
    return np.where(same, same_low, lower), np.where(same, same_high, upper)


def coverage(values, probabilities, n, size, rng, low, high):
    truth = float(values @ probabilities)
    mean, variance, nonzero = experiments(values, probabilities, n, size, rng)
    lower, upper = all_bounds(n, mean, variance, nonzero, low, high)
    for i in range(20):  # the arrays are what `interval` gives one by one
        found = interval(Sample(n, mean[i], variance[i] * (variance[i] > 1e-15), low, high, int(nonzero[i])))
        if found.method != "exact":
            assert (found.low, found.high) == pytest.approx((lower[i], upper[i]), abs=1e-12)
    assert np.all(upper > lower)
    assert np.all((lower >= low) & (upper <= high))
    return float(((lower <= truth) & (truth <= upper)).mean())


def share_settings(seats, targets, splits=(False, True)):
    return [(s, share, split) for s in seats for share in targets for split in splits]


def rare_population(rate, pattern):
    values, weights = (np.array(x) for x in RARE[pattern])
    return np.append(values, 0.0), np.append(weights * rate, 1 - rate)


def too_low(found, size):
    """Below .95 by more than .01 and by more than four binomial standard errors."""
    return 0.95 - found > max(0.01, 4 * np.sqrt(0.95 * 0.05 / size))


def test_coverage_of_shares():
    rng = np.random.default_rng(11)
    found = {
        (setting, n): coverage(*population(*setting, blocks=40_000), n, 4000, rng, 0.0, 1.0)
        for setting in share_settings((2, 5), (0.02, 0.5, 0.98))
        for n in (30, 300)
    }
    assert not {key: c for key, c in found.items() if too_low(c, 4000)}
    assert np.mean(list(found.values())) >= 0.945
    assert np.mean(list(found.values())) <= 0.985  # and they are not simply wide


@pytest.mark.parametrize("rate", [0.0002, 0.001, 0.01])
def test_coverage_of_rare_differences(rate):
    rng = np.random.default_rng(12)
    for pattern in RARE:
        for n in (300, 2000, 10_000):
            found = coverage(*rare_population(rate, pattern), n, 4000, rng, -1.0, 1.0)
            # One event in ten is four times as large and of the other sign: with ten events nobody can know that.
            least = 0.88 if pattern == "mostly small" else 0.935
            assert found >= least, (pattern, n, found)


def test_usual_cluster_interval_would_fail_on_rare_differences():
    """The case that asks for all this: .02 % of 2,000 blocks, z times the standard error."""
    rng = np.random.default_rng(14)
    values, probabilities = rare_population(0.0002, "one sign")
    mean, variance, _ = experiments(values, probabilities, 2000, 10_000, rng)
    half = 1.96 * np.sqrt(variance / 2000)
    covers = (np.abs(mean - values @ probabilities) <= half).mean()
    assert covers == pytest.approx(0.33, abs=0.02)
    assert (half == 0).mean() == pytest.approx(0.67, abs=0.02)


@pytest.mark.parametrize(("x", "n"), [(0, 10), (10, 10), (3, 10), (250, 1000), (1, 30)])
def test_winner_takes_all_blocks_are_clopper_pearson(x, n):
    found = interval(Sample.of([0, 1], counts=[n - x, x]))
    assert (found.low, found.high) == pytest.approx(proportion_confint(x, n, method="beta"), abs=1e-9)


def test_score_bounds_are_wilsons_for_many_coins():
    n, x = 100_000, 30_000
    p = x / n
    low, high = intervals.score_bounds(n, p, p * (1 - p) * n / (n - 1), low=0, high=1)
    assert (float(low), float(high)) == pytest.approx(proportion_confint(x, n, method="wilson"), abs=2e-7)


@pytest.mark.parametrize("n", [10, 100, 2000, 10**6])
def test_never_mattered_is_bounded(n):
    found = interval(Sample.of([0.0], counts=[n], low=-1, high=1))
    assert found.high == -found.low
    assert 0 < found.high <= 3.7 / n
    half_range = interval(Sample.of([0.0], counts=[n], low=-0.5, high=0.5))
    assert half_range.high == pytest.approx(found.high / 2)


@pytest.mark.parametrize(
    "sample",
    [
        Sample.of([]),
        Sample.of([0.7]),
        Sample.of([0.0, 0.0]),
        Sample.of([1.0] * 3),
        Sample.of([0.5] * 100),
        Sample.of([0, 0.25, 0.5], counts=[144, 3, 1]),
        Sample.of([0.0, 1.0]),
        Sample.of([0.0, -1.0], low=-1, high=1),
        Sample.of([7.0, 8.0, 9.0], low=0, high=np.inf),
    ],
)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999999])
def test_degenerate_data_have_an_interval(sample, level):
    found = interval(sample, level=level)
    assert sample.low <= found.low < found.high <= sample.high
    assert found.low <= sample.mean <= found.high
    if sample.n < 2:
        assert (found.low, found.high) == (sample.low, sample.high)
        assert "played" in found.note


def test_independent_arms_cover_their_difference():
    rng = np.random.default_rng(15)
    hits = []
    for _ in range(600):
        a = Sample.of([0, 0.5, 1], counts=rng.multinomial(80, [0.2, 0.4, 0.4]))
        b = Sample.of([0, 0.5, 1], counts=rng.multinomial(300, [0.4, 0.4, 0.2]))
        hits.append(difference_interval(a, b).contains(0.2))
    assert np.mean(hits) >= 0.93
    assert difference_interval(Sample.of([]), b).method == "whole range"


def test_p_value_never_contradicts_the_interval():
    rng = np.random.default_rng(16)
    for _ in range(50):
        sample = Sample.of([0, 0.25, 0.5, 0.75, 1], counts=rng.multinomial(200, [0.1, 0.3, 0.3, 0.2, 0.1]))
        for low, high in ((0.5, 0.5), (0.48, 0.5), (0.0, 0.46)):
            found = interval(sample, level=0.95)
            assert (excess_p(sample, low=low, high=high) < 0.05) == (found.low > high or found.high < low)


def test_p_value_of_many_coins_is_the_binomial_tests():
    from scipy.stats import norm

    sample = Sample.of([0, 0.5, 1], counts=[2400, 5000, 2600])
    z = (sample.mean - 0.5) / sample.error
    assert excess_p(sample, low=0.5, high=0.5) == pytest.approx(2 * norm.sf(z), rel=0.01)
