"""The first deal of The Fox in the Forest without its game: the rulebook's hands, and what they are worth."""

import numpy as np
import pytest

from sim.experiment import make_plan
from sim.facts import SeatSetup
from sim.game import chance_of, load
from sim.games.fox_in_the_forest.rulebook import Rulebook
from sim.luck import Dealer, has_worth

NAME = "fox-in-the-forest"


@pytest.fixture(scope="module")
def dealt():
    plan = make_plan(NAME, games=4000, seed=3)
    batch = plan.expand(0, plan.total_games)
    dealer = Dealer(plan)
    return plan, batch, dealer, dealer.deal(batch)


def test_the_hands_are_those_of_the_rulebook(dealt):
    plan, batch, dealer, _ = dealt
    for game in (0, 1, 77):
        dealer.deal(plan.expand(game, game + 1))
        packets = [int(p) for p in batch.seats[game]["packet"]]
        book = Rulebook(plan.variant, [SeatSetup(0, p) for p in packets], chance_of(3, NAME, int(batch.deal[game])))
        for seat in range(2):
            mask = int(dealer.states[0]["priv"][seat]["hand"])
            assert {c for c in range(64) if mask >> c & 1} == set(book.hands[seat])


def test_a_hand_is_worth_the_same_wherever_it_sits_but_for_the_lead(dealt):
    _, batch, _, worth = dealt
    first, second = worth[batch.seats["packet"][:, 0] == 0], worth[batch.seats["packet"][:, 0] == 1]
    # The same packets with the seats swapped: what the lead adds to a hand is the same sign for nearly all.
    assert first.shape == second.shape
    assert np.corrcoef(first[:, 0], second[:, 1])[0, 1] > 0.8


def test_the_better_dealt_player_wins_more_points_of_the_first_round(dealt):
    from sim.run import Table

    plan, _, _, worth = dealt
    chunk = Table(plan).play(plan, 0, plan.total_games)
    points = chunk.round_rows["points"].astype(float)[np.flatnonzero(np.diff(chunk.round_game, prepend=-1))]
    ahead = points[:, 0] - points[:, 1]
    assert has_worth(load(NAME))
    assert (
        np.corrcoef(worth[:, 0] - worth[:, 1], ahead)[0, 1] > 0.1
    )  # 0.16 over these deals: much is decided in the play
