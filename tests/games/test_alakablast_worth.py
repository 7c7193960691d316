"""The first deal of Alakablast without its game: the rulebook's hands, and what they are worth."""

import numpy as np
import pytest

from sim.experiment import Change, make_plan
from sim.game import chance_of
from sim.games.alakablast import GAME
from sim.games.alakablast import worth as numbers
from sim.games.alakablast.rulebook import LIGHT, SHADOW, Rulebook
from sim.luck import Dealer

SEED = 5


def edge(level: int, levels: list[int]) -> float:
    """Return how much more often a level wins than loses against all cards of the deck."""
    return sum((level > other) - (level < other) for other in levels) / len(levels)


@pytest.fixture(scope="module")
def dealt():
    arms = [Change("no light", without=("light",), who="all"), Change("no shadow", without=("shadow",), who="all")]
    plan = make_plan(GAME.name, games=40, seats=4, seed=SEED, arms=arms)
    batch = plan.expand(0, plan.total_games)
    return plan, batch, Dealer(plan).deal(batch)


def test_worth_is_the_sum_over_the_cards_of_the_rulebook(dealt):
    plan, batch, worth = dealt
    looked = 0
    for game, values in enumerate(worth):
        book = Rulebook(plan.variant, batch.seats[game], chance_of(SEED, GAME.name, int(batch.deal[game])))
        levels = list(book.deck.values())
        for seat, value in enumerate(values):
            wanted = 0.0
            off = int(batch.seats[game, seat]["off"])
            for card in book.hands[seat]:
                if card.element == LIGHT and not off & 1:
                    wanted += numbers.HIDDEN_LIGHT if card.public else numbers.OWN_LIGHT
                if card.element == SHADOW and not off & 2:
                    wanted += numbers.HIDDEN_SHADOW if card.public else numbers.OWN_SHADOW
                looked += card.is_special
                if not card.public:
                    high = edge(card.level, levels)
                    wanted += numbers.OWN_LEVEL * high + numbers.OWN_EXTREME * high**2
            assert value == pytest.approx(wanted, abs=1e-12)
    assert looked > 20


def test_an_ability_that_is_off_counts_for_nothing(dealt):
    _, batch, worth = dealt
    off = batch.seats["off"]
    changed = 0
    for deal in np.unique(batch.deal):
        for packet in range(4):
            here = (batch.deal == deal)[:, None] & (batch.seats["packet"] == packet)
            with_all, without = (set(worth[here & (off == mask)].round(12)) for mask in (0, 1))
            assert len(with_all) == len(without) == 1
            changed += with_all != without
    assert changed > 5
