"""One game of each game and player count through the referee: run compiled, with bounds checks, and uncompiled."""

import pytest

from sim.game import games, load
from sim.referee import referee

CASES = [(name, n) for name in games() for n in load(name).seats]


@pytest.mark.parametrize(("name", "seats"), CASES, ids=lambda x: str(x))
def test_engine_and_rulebook_agree(name, seats):
    tiers = [tier.name for tier in load(name).tiers if tier.name in ("novice", "skilled")]
    mixed = [tiers[i % len(tiers)] for i in range(seats)]
    report = referee(name, seats=seats, tiers=mixed, games=1, seed=11)
    assert report.games == 1
    assert report.decisions > 10
