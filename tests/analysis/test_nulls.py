"""True nulls of real games are rejected as often as they should be; the full sizes are in `tests.check.verdicts`."""

import numpy as np

from tests.analysis import nulls

RUNS = 300


def near_five(rate, runs=RUNS):
    """Within three binomial standard errors of 5 %; `make check-all` is stricter, with more experiments."""
    return abs(rate - 0.05) <= 3 * np.sqrt(0.05 * 0.95 / runs)


def test_identical_arms_on_disjoint_deals():
    values = nulls.equal_players(RUNS * 200, sides=["Sun"])[:, 0].reshape(RUNS, 200)
    assert near_five(nulls.disjoint_deals(values))


def test_entrants_with_labels_drawn_at_random():
    values = nulls.equal_players(RUNS * 150, seed=2, sides=["Sun"])[:, 2]
    labelled = nulls.random_labels(values, np.random.default_rng(1)).reshape(RUNS, 150)
    end, on_the_way = nulls.rejected(labelled, null=0.5, low=0.0, high=1.0)
    assert near_five(end)
    assert on_the_way <= 0.07


def test_twin_courts_at_random_seatings():
    values, rarity = nulls.twin_courts(12_000)
    end, on_the_way = nulls.rejected(values.reshape(60, 200), null=0.0, low=-rarity, high=rarity)
    assert end <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    assert on_the_way <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    assert abs(values.mean()) < 4 * values.std() / np.sqrt(values.size)
    assert 0.3 < values.std() < 1.2
