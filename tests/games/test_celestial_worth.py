"""The first deal of Celestial Ranks without its game: the hands of the rulebook, and what they are worth to a court."""

import numpy as np
import pytest

from sim.experiment import Change, make_plan
from sim.facts import SeatSetup
from sim.game import chance_of, load
from sim.games.celestial_ranks.rulebook import CelestialRanks
from sim.luck import Dealer, has_worth

GAME = "celestial-ranks"
SEED = 5


@pytest.fixture(scope="module")
def plan():
    return make_plan(GAME, games=20, seats=4, seed=SEED, arms=[Change("no wild", without=("wild",), who="one")])


@pytest.fixture(scope="module")
def dealt(plan):
    dealer = Dealer(plan)
    batch = plan.expand(0, plan.total_games)
    return dealer, batch, dealer.deal(batch)


def rulebook_hands(plan, deal):
    seats = [SeatSetup(side=seat, packet=seat) for seat in range(4)]
    book = CelestialRanks(plan.variant, seats, chance_of(SEED, GAME, deal))
    while not any(book.hands):
        book.apply(book.options()[0])
    return [sorted(hand) for hand in book.hands]


def test_the_hands_are_those_of_the_rulebook(plan, dealt):
    dealer, batch, _ = dealt
    for game in (0, 7, len(batch.number) - 1):
        dealer.deal(plan.expand(game, game + 1))
        state = dealer.states[0]
        books = rulebook_hands(plan, int(batch.deal[game]))
        for seat in range(4):
            hand = state["priv"][seat]["hand"]
            wanted = books[int(batch.seats[game, seat]["packet"])]
            naturals = {card for card in wanted if card < 52}
            assert {t for t in range(52) if int(hand["M"]) >> t & 1} == naturals
            assert int(hand["J"]) == wanted.count(52)
            assert int(hand["n"]) == len(wanted)


def test_worth_is_that_of_court_and_cards_wherever_they_sit(dealt):
    _, batch, worth = dealt
    found = {}
    for deal, row, values in zip(batch.deal, batch.seats, worth):
        for seat, value in zip(row, values):
            key = (int(deal), int(seat["packet"]), int(seat["side"]), int(seat["off"]))
            assert found.setdefault(key, value) == value
    assert len(set(found.values())) > 20


def test_courts_with_the_same_contracts_have_the_same_worth(dealt):
    _, batch, worth = dealt
    names = [side.name for side in load(GAME).sides]
    summer, spring = names.index("Summer"), names.index("Spring")
    side, packet, off = (batch.seats[name] for name in ("side", "packet", "off"))
    pairs = 0
    for deal in np.unique(batch.deal):
        here = (batch.deal == deal)[:, None] & (off == 0)
        for p in range(4):
            both = [set(worth[here & (packet == p) & (side == s)].tolist()) for s in (summer, spring)]
            if all(both):
                assert both[0] == both[1]
                pairs += 1
    assert pairs >= 4


def test_without_wild_jokers_a_hand_is_worth_no_more(dealt):
    _, batch, worth = dealt
    seats = batch.seats
    lower = 0
    for deal in np.unique(batch.deal):
        here = (batch.deal == deal)[:, None]
        for p in range(4):
            for s in range(5):
                mine = here & (seats["packet"] == p) & (seats["side"] == s)
                free, closed = worth[mine & (seats["off"] == 0)], worth[mine & (seats["off"] != 0)]
                if len(free) and len(closed):
                    assert closed[0] <= free[0]
                    lower += closed[0] < free[0]
    assert lower > 0


def test_which_games_say_what_a_deal_is_worth():
    assert has_worth(load(GAME))
    assert has_worth(load("fox-in-the-forest"))
    assert has_worth(load("alakablast"))
    assert not has_worth(load("tests.toy:GAME"))
