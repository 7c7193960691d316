"""The luck of the deal is taken out, the advantage that is to be measured is not."""

import numpy as np
import pytest

from analysis.control import adjust, adjust_moments
from analysis.moments import Moments


def deals_with_luck(n, rng, advantage=0.06, packet_worth=0.25):
    """Blocks of two seats, one packet each: shares of the first entrant, and the hands' worth for either seat."""
    packets = rng.uniform(-1, 1, (n, 2))
    value = 0.5 + advantage + packet_worth * (packets[:, 0] - packets[:, 1]) + rng.normal(0, 0.05, n)
    # What a baseline gives the same packets: entrant 0 plays its cards better, so its expectation is higher.
    baseline = np.stack([packets[:, 0] + 0.4, packets[:, 1]], axis=1)
    return value, baseline


def centred(baseline):
    return (baseline[:, 0] - 0.4) - baseline[:, 1]


def test_unbiased_with_the_variance_it_claims():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(500):
        value, baseline = deals_with_luck(60, rng)
        found.append(adjust(value, centred(baseline), deals=np.arange(60), low=-1, high=2))
    estimates = np.array([f.estimate for f in found])
    assert estimates.mean() == pytest.approx(0.56, abs=4 * estimates.std() / np.sqrt(500))
    assert np.mean([f.sample.error for f in found]) == pytest.approx(estimates.std(), rel=0.1)
    assert np.mean([f.variance_ratio for f in found]) < 0.1
    plain = np.array([f.plain for f in found])
    assert estimates.var() / plain.var() == pytest.approx(np.mean([f.variance_ratio for f in found]), rel=0.4)


def test_centring_inside_the_block_would_take_the_advantage_out():
    """Why the expectation is that of the entrant and the seat over deals: the wrong control is biased."""
    rng = np.random.default_rng(2)
    value, baseline = deals_with_luck(20_000, rng)
    right = adjust(value, centred(baseline), deals=np.arange(20_000), low=-1, high=2)
    inside = baseline[:, 0] - baseline.mean(axis=1)
    wrong = adjust(value, inside, deals=np.arange(20_000), low=-1, high=2)
    assert right.estimate == pytest.approx(0.56, abs=0.003)
    assert wrong.estimate < 0.47


def test_a_useless_control_does_no_harm():
    rng = np.random.default_rng(3)
    value, _ = deals_with_luck(400, rng)
    found = adjust(value, rng.normal(size=400), deals=np.arange(400), low=-1, high=2)
    assert found.variance_ratio == pytest.approx(1, abs=0.03)
    constant = adjust(value, np.zeros(400), deals=np.arange(400), low=-1, high=2)
    assert constant.estimate == pytest.approx(constant.plain)
    assert constant.coefficients == ((0.0,), (0.0,))


def test_error_of_the_expectation_is_added():
    rng = np.random.default_rng(4)
    value, baseline = deals_with_luck(1000, rng)
    exact = adjust(value, centred(baseline), deals=np.arange(1000), low=-1, high=2)
    rough = adjust(value, centred(baseline), deals=np.arange(1000), expectation_error=0.02, low=-1, high=2)
    slope = np.mean(exact.coefficients)
    assert rough.sample.error**2 == pytest.approx(exact.sample.error**2 + (0.02 * slope) ** 2, rel=1e-3)


def test_frozen_coefficient_and_several_controls():
    rng = np.random.default_rng(5)
    value, baseline = deals_with_luck(400, rng)
    frozen = adjust(value, centred(baseline), deals=np.arange(400), coefficients=[0.25], low=-1, high=2)
    assert frozen.estimate == pytest.approx((value - 0.25 * centred(baseline)).mean(), abs=1e-8)
    both = adjust(value, baseline - [0.4, 0.0], deals=np.arange(400), low=-1, high=2)
    np.testing.assert_allclose(both.coefficients, [[0.25, -0.25]] * 2, atol=0.02)
    with pytest.raises(ValueError, match="1 controls"):
        adjust(value, centred(baseline), deals=np.arange(400), coefficients=[0.25, 1], low=-1, high=2)


def test_folds_come_from_the_deal_and_parts_can_be_merged():
    rng = np.random.default_rng(6)
    value, baseline = deals_with_luck(500, rng)
    columns = np.column_stack([value, centred(baseline)])
    empty = Moments.empty([0.0, 0.0])
    even, odd = empty, empty
    for start in range(0, 500, 100):
        part = columns[start : start + 100]
        even, odd = even.add(part[::2]), odd.add(part[1::2])
    assert adjust_moments(even, odd, low=-1, high=2) == adjust(
        value, centred(baseline), deals=np.arange(500), low=-1, high=2
    )


def test_too_few_blocks_give_the_plain_mean_and_a_sentence():
    found = adjust([0.5, 0.7], [0.1, -0.1], deals=[0, 1])
    assert found.estimate == found.plain == pytest.approx(0.6)
    assert "too few" in found.note
    assert adjust([], [], deals=[]).note
    assert adjust([0.5] * 20, np.linspace(-1, 1, 20), deals=np.arange(20)).note
