"""Sums of block values: exact, mergeable, and equal to what numpy finds."""

import numpy as np
import pytest

from analysis.moments import Moments, Sample, add_each


def some_blocks(n=5000, k=4, seed=1):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 27720 * 4 + 1, (n, k)) / (27720 * 4)


def test_mean_and_covariance_are_numpys():
    values = some_blocks()
    sums = Moments.empty([0.5, 0.25, 1 / 3, 0.0]).add(values)
    np.testing.assert_allclose(sums.mean, values.mean(0), atol=1e-9)
    np.testing.assert_allclose(sums.cov, np.cov(values.T), atol=1e-8)
    assert sums.minimum == tuple(values.min(0))
    assert sums.maximum == tuple(values.max(0))
    assert sums.nonzero == tuple((values != 0).sum(0))


def test_chunks_and_their_order_leave_no_trace():
    values = some_blocks(n=9001)
    empty = Moments.empty([0.25] * 4)
    whole = empty.add(values)
    for size in (1, 7, 1000, 4096, 9000):
        size = max(size, 30)
        chunks = [empty.add(values[i : i + size]) for i in range(0, len(values), size)]
        backwards = empty
        for chunk in reversed(chunks):
            backwards = chunk.merge(backwards)
        assert backwards == whole
    one_by_one = empty
    for row in values[:50]:
        one_by_one = one_by_one.add(row[None])
    assert one_by_one == empty.add(values[:50])


def test_a_matching_unit_makes_the_sums_exact():
    values = some_blocks(n=3000, k=2)
    sums = Moments.empty([0.5, 0.25], unit=1 / (27720 * 4)).add(values)
    steps = np.rint((values - [0.5, 0.25]) * 27720 * 4).astype(np.int64)
    assert sums.total == tuple(int(t) for t in steps.sum(0))
    assert sums.cross == (
        int((steps[:, 0] ** 2).sum()),
        int((steps[:, 0] * steps[:, 1]).sum()),
        int((steps[:, 1] ** 2).sum()),
    )


def test_stable_far_from_zero():
    values = 1000.0 + some_blocks(n=4000, k=1) / 1000
    sums = Moments.empty([1000.0]).add(values)
    assert sums.cov[0, 0] == pytest.approx(np.var(values, ddof=1), rel=1e-5)


def test_equal_arms_differ_by_exactly_zero():
    values = some_blocks(k=1)
    sums = Moments.empty([0.5, 0.5]).add(np.hstack([values, values]))
    difference = sums.contrast([1, -1])
    assert difference.mean == 0.0
    assert difference.variance == 0.0


def test_contrast_is_that_of_the_values():
    values = some_blocks()
    weights = np.array([1.0, -0.5, -0.5, 0.25])
    contrast = Moments.empty([0.5, 0.25, 0.5, 0.0]).add(values).contrast(weights, low=-2, high=2)
    assert contrast.mean == pytest.approx((values @ weights).mean(), abs=1e-9)
    assert contrast.variance == pytest.approx((values @ weights).var(ddof=1), rel=1e-6)


def test_ratios_have_the_error_of_repeated_runs():
    rng = np.random.default_rng(3)

    def run():
        held = rng.binomial(4, 0.3, 400) / 4
        won = rng.binomial((held * 4).astype(int), 0.6) / 4
        other = rng.binomial(4, 0.5, 400) / 4
        return Moments.empty([0.15, 0.3, 0.5, 1.0]).add(np.stack([won, held, other, np.ones(400)], axis=1))

    runs = [run() for _ in range(600)]
    ratios = [r.ratio(0, 1) for r in runs]
    differences = [r.ratio_difference((0, 1), (2, 3)) for r in runs]
    for found, truth in ((ratios, 0.6), (differences, 0.1)):
        means = np.array([f.mean for f in found])
        assert means.mean() == pytest.approx(truth, abs=0.005)
        assert np.mean([f.error for f in found]) == pytest.approx(means.std(), rel=0.1)
        assert found[0].n < 400  # blocks without the denominator tell nothing


def test_nothing_to_divide_by_gives_an_empty_sample():
    sums = Moments.empty([0.0, 0.0]).add(np.zeros((10, 2)))
    assert sums.ratio(0, 1) == Sample(n=0, mean=0.5, variance=0.0)
    assert sums.ratio_difference((0, 1), (0, 1)).n == 0
    assert Moments.empty([0.5]).sample().n == 0


def test_wrong_values_are_refused():
    empty = Moments.empty([0.0, 0.0])
    with pytest.raises(ValueError, match="2 columns"):
        empty.add(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="finite"):
        empty.add([[np.nan, 0.0]])
    with pytest.raises(ValueError, match="same centre"):
        empty.merge(Moments.empty([0.5, 0.0]))
    with pytest.raises(ValueError, match="outside the possible"):
        Sample(n=3, mean=1.5, variance=0.1)


def test_sample_from_counts():
    sample = Sample.of([0, 0.25, 0.5], counts=[144, 3, 1])
    assert sample == Sample.of([0] * 144 + [0.25] * 3 + [0.5])
    assert (sample.n, sample.nonzero) == (148, 4)
    assert Sample.of([]).n == 0


def test_products_are_kept_of_the_first_columns_only():
    values = some_blocks(k=4) * 1000 - 300
    whole = Moments.empty([0.5] * 4, unit=2.0**-28).add(values)
    few = Moments.empty([0.5] * 4, unit=2.0**-28, crossed=2).add(values)
    for column in range(4):
        assert few.sample(column, low=-1e4, high=1e4) == whole.sample(column, low=-1e4, high=1e4)
    assert few.contrast([1, -1, 0, 0], low=-1e4, high=1e4) == whole.contrast([1, -1, 0, 0], low=-1e4, high=1e4)
    with pytest.raises(ValueError, match="columns 1 and 2 were not kept"):
        few.contrast([0, 1, -1, 0], low=-1e4, high=1e4)
    with pytest.raises(ValueError, match="products"):
        few.merge(whole)


def test_several_sums_at_once_are_the_same_as_one_after_the_other():
    values = np.stack([some_blocks(n=5000, seed=seed) for seed in (1, 2, 3)])
    for crossed in (0, 3, 4):
        start = [Moments.empty([0.25] * 4, crossed=crossed).add(values[i, : 10 * i]) for i in range(3)]
        assert add_each(start, values) == [sums.add(block) for sums, block in zip(start, values, strict=True)]
