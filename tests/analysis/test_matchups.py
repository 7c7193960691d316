"""Matrices with known answers: scissors-paper-stone, an order of strength, and matrices with holes."""

import numpy as np
import pytest

from analysis.matchups import Matchups, solve_mix
from analysis.moments import Moments, Sample

RPS = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])


def all_pairs(count):
    return [(a, b) for a in range(count) for b in range(a + 1, count)]


def played(truth, blocks, rng, games=4):
    """Matchups from blocks of `games` games, all pairs in one super-block."""
    pairs = all_pairs(len(truth))
    values = np.stack([rng.binomial(games, truth[p], blocks) / games for p in pairs], axis=1)
    names = [f"S{i}" for i in range(len(truth))]
    return Matchups.from_moments(Moments.empty([0.5] * len(pairs)).add(values), pairs=pairs, sides=names)


def ladder(*strengths):
    s = np.array(strengths)
    return 0.5 + s[:, None] - s[None, :]


def test_pairs_sum_to_one_exactly_and_mirrors_are_a_half():
    found = played(RPS + 0.0123, 333, np.random.default_rng(1), games=7)
    assert np.all(found.shares + found.shares.T == 1.0)
    assert np.all(np.diag(found.shares) == 0.5)
    a, b = found.interval(0, 1), found.interval(1, 0)
    assert (b.low, b.high) == (1 - a.high, 1 - a.low)
    assert found.interval(2, 2).width == 0


def test_order_of_the_pairs_does_not_matter():
    rng = np.random.default_rng(2)
    values = rng.binomial(4, 0.6, (200, 3)) / 4
    there = Matchups.from_moments(
        Moments.empty([0.5] * 3).add(values), pairs=[(0, 1), (0, 2), (1, 2)], sides=["A", "B", "C"]
    )
    turned = np.column_stack([1 - values[:, 0], values[:, 1], values[:, 2]])
    back = Matchups.from_moments(
        Moments.empty([0.5] * 3).add(turned), pairs=[(1, 0), (0, 2), (1, 2)], sides=["A", "B", "C"]
    )
    np.testing.assert_allclose(back.shares, there.shares, atol=1e-9)
    np.testing.assert_allclose(back.cov, there.cov, atol=1e-12)
    np.testing.assert_allclose(back.circle().strengths, there.circle().strengths, atol=1e-9)


def test_scissors_paper_stone():
    found = played(RPS, 2000, np.random.default_rng(3))
    mix = found.equilibrium()
    assert mix.mix == pytest.approx([1 / 3] * 3, abs=0.03)
    assert all(0 < e < 0.05 for e in mix.errors)
    assert mix.support == (1.0, 1.0, 1.0)
    circle = found.circle()
    assert circle.share > 0.95
    assert circle.p < 1e-6
    assert found.dominated() == ()
    assert found.equilibrium() == mix  # the same seed, the same answer


def test_mix_of_a_known_game():
    """A game of this shape with payoffs a, b, c is played in proportion to them."""
    a, b, c = 0.1, 0.2, 0.05
    shares = 0.5 + np.array([[0, a, -b], [-a, 0, c], [b, -c, 0]])
    np.testing.assert_allclose(solve_mix(shares), np.array([c, b, a]) / (a + b + c), atol=1e-9)
    # Nobody gains against it.
    assert np.all(solve_mix(shares) @ (shares - 0.5) >= -1e-9)


def test_mix_error_is_that_of_repeated_runs():
    rng = np.random.default_rng(4)
    runs = [played(RPS, 400, rng) for _ in range(60)]
    spread = np.std([solve_mix(r.shares) for r in runs], axis=0)
    errors = np.mean([r.equilibrium(draws=60).errors for r in runs[:8]], axis=0)
    np.testing.assert_allclose(errors, spread, rtol=0.35)


def test_an_order_of_strength():
    truth = ladder(0.1, 0.05, -0.02, -0.13)
    found = played(truth, 3000, np.random.default_rng(5))
    circle = found.circle()
    assert circle.strengths == pytest.approx([0.1, 0.05, -0.02, -0.13], abs=0.01)
    assert circle.share < 0.02
    assert circle.p > 0.01
    assert found.equilibrium().mix == pytest.approx([1, 0, 0, 0])
    dominated = found.dominated()
    assert {(d.side, d.by) for d in dominated} >= {("S3", "S0"), ("S3", "S1"), ("S1", "S0")}
    assert all(d.proved for d in dominated if (d.side, d.by) == ("S3", "S0"))


def test_level_of_the_test_for_circles():
    rng = np.random.default_rng(6)
    truth = ladder(0.05, 0.0, 0.0, -0.05)
    p = np.array([played(truth, 150, rng).circle().p for _ in range(400)])
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.035)
    shares = np.array([played(truth, 150, rng).circle().share for _ in range(50)])
    assert np.median(shares) < 0.05


def test_a_domination_by_luck_is_not_proved():
    found = played(ladder(0.01, 0.0, -0.01), 60, np.random.default_rng(7))
    assert not any(d.proved for d in found.dominated())


def test_overall_is_the_mean_of_the_matchups_with_the_weights_stated():
    rng = np.random.default_rng(8)
    found = played(ladder(0.1, 0.0, -0.1), 500, rng)
    overall = found.overall()
    for side, row in enumerate(found.shares):
        assert overall[side].share == pytest.approx((row.sum() - 0.5) / 2)
        assert overall[side].interval.contains(0.5 + [0.15, 0.0, -0.15][side])
    weighted = found.overall([3, 0, 1])
    assert weighted[1].share == pytest.approx((3 * found.shares[1, 0] + found.shares[1, 2]) / 4)
    with pytest.raises(ValueError, match="weights"):
        found.overall([1, 1])


def test_overall_intervals_cover():
    rng = np.random.default_rng(9)
    hits = [played(RPS, 40, rng).overall()[0].interval.contains(0.5) for _ in range(300)]
    assert np.mean(hits) >= 0.93


def test_holes_and_hopeless_pairs():
    found = Matchups.from_samples({(0, 1): Sample.of([1.0] * 20), (2, 0): Sample.of([])}, sides=["A", "B", "C"])
    assert not found.complete
    assert found.equilibrium().note
    assert found.dominated() == ()
    assert found.overall()[2].share is None
    assert "not met: C" in found.overall()[0].interval.note
    assert found.interval(0, 2).note
    assert found.interval(1, 2).note == "these two never met"
    assert found.circle().p is None
    assert np.isfinite(found.shares).all()
    assert Matchups.from_samples({}, sides=["A"]).circle().note
    assert Matchups.from_samples({}, sides=["A"]).equilibrium().mix == (1.0,)
    assert Matchups.from_samples({}, sides=[]).equilibrium().note
    one_way = {(0, 1): Sample.of([1.0] * 20), (0, 2): Sample.of([1.0] * 20), (1, 2): Sample.of([1.0] * 20)}
    won = Matchups.from_samples(one_way, sides=["A", "B", "C"])
    assert won.equilibrium().mix == (1.0, 0.0, 0.0)
    assert won.overall()[0].interval.low < 1
    with pytest.raises(ValueError, match="once"):
        Matchups.from_samples({(0, 1): Sample.of([]), (1, 0): Sample.of([])}, sides=["A", "B"])
    with pytest.raises(ValueError, match="columns"):
        Matchups.from_moments(Moments.empty([0.5]), pairs=[], sides=["A"])
