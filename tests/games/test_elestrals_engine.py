"""The fast engine of Elestrals against its rulebook, a game for each pair of neighbours in the ring of decks."""

import pytest

from sim.games.elestrals import GAME
from sim.referee import referee

NAMES = [side.name for side in GAME.sides]
RING = list(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))


@pytest.mark.parametrize(("first", "second"), RING, ids="-".join)
def test_engine_and_rulebook_agree(first, second):
    report = referee(GAME, seats=2, tiers="random", games=1, seed=21, sides=[first, second])
    assert report.games == 1
    assert report.decisions > 20
