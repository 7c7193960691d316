"""The players of Elestrals: what `skilled` sees, and that it is better than the others."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sim.engine import NOVICE, SKILLED, WHOLE
from sim.experiment import make_plan
from sim.game import split
from sim.games.elestrals import GAME, cards, codes
from sim.games.elestrals.policies import LOOKAHEAD
from sim.games.elestrals.skilled import COLUMN, G_CARDS, N_WEIGHTS
from sim.games.elestrals.weights import CARDS, GENERAL, SKILLED_WEIGHTS
from sim.run import Table
from sim.trace import Trace, Tracer

SIZE = 220
DECKS = ("Majesea", "Penterror")


@cache
def traces(policy: str, deck: str, games: int) -> tuple[Trace, ...]:
    tracer = Tracer(make_plan(GAME, games=games, sides=[deck], policies=policy, seed=3))
    return tuple(tracer.play(i) for i in range(games))


def share(first: str, second: str, deck: str) -> float:
    plan = make_plan(GAME, games=SIZE, sides=[deck], policies=[first, second], seed=11)
    rows = Table(plan).play(plan, 0, plan.total_games).game_rows
    entrants = plan.expand(0, plan.total_games).seats["entrant"]
    return float(rows["share"][entrants == 0].mean() / WHOLE)


# The worst of eleven decks had .97, .79 and .99 on 800 and more games; the standard error here is about .03.
@pytest.mark.parametrize(("first", "second", "least"), [("novice", "random", 0.85), ("skilled", "novice", 0.65)])
def test_each_player_is_better_than_the_one_before(first: str, second: str, least: float) -> None:
    assert np.mean([share(first, second, deck) for deck in DECKS]) > least


def test_a_win_at_hand_is_taken() -> None:
    met = 0
    for deck in DECKS:
        for trace in traces("skilled", deck, 12):
            for step in trace.steps:
                pub = step.before["pub"]
                under = [sum(int(x) >> 7 * e & 63 for e in range(8)) for x in pub["spirits"][step.seat]]
                wins = [
                    code
                    for code in step.options
                    if code >> 20 == codes.ATTACK
                    and code & 1023 == codes.SPIRIT_DECK
                    and under[code >> 10 & 1023] > pub["life"][1 - step.seat]
                    and pub["attack"][step.seat][code >> 10 & 1023] > 0
                    and pub["pos"][step.seat][code >> 10 & 1023] == codes.ATTACK_POSITION
                ]
                if wins:
                    met += 1
                    assert step.code in wins
    assert met >= 5


def test_no_counter_is_wasted_on_an_own_link() -> None:
    for trace in traces("skilled", "Majesea", 12):
        for step in trace.steps:
            pub = step.before["pub"]
            if split(step.code)[0] == codes.CAST_SET and pub["n_links"] > 0 and len(step.options) > 1:
                assert pub["link_seat"] != step.seat


def test_both_players_know_which_texts_are_off() -> None:
    plan = make_plan(GAME, games=4, sides=["Majesea"], policies="skilled", seed=3)
    table, batch = Table(plan), plan.expand(0, 4)
    batch.seats["off"] = GAME.off_mask(plan.variant, plan.combos[0][0], ["majesea", "tsunami"])
    rows = np.zeros((4, 2), table.engine.game_row)
    table.go_on(batch, 0, rows)
    state = table.states[0]
    numbers = {cards.all_cards()[name].number for name in ("Majesea", "Tsunami")}
    for seat in range(2):
        chunks = state["pub"]["off"][seat]
        assert {32 * i + b for i, chunk in enumerate(chunks) for b in range(32) if int(chunk) >> b & 1} == numbers


def test_the_weights_have_a_place_for_every_card() -> None:
    assert len(SKILLED_WEIGHTS) == N_WEIGHTS
    assert len(GENERAL) == G_CARDS
    assert {len(column) for column in CARDS.values()} == {COLUMN}
    assert set(CARDS) <= set(cards.playable())
    first = G_CARDS + COLUMN * cards.all_cards()["Majesea"].number
    assert SKILLED_WEIGHTS[first : first + COLUMN] == CARDS["Majesea"]
    starters = {name for deck in cards.starter_decks().values() for name in deck.names}
    assert len(starters - set(CARDS)) <= 2


def test_tiers_are_numbered_as_the_driver_says() -> None:
    assert [(tier.name, tier.policy) for tier in GAME.tiers] == [
        ("random", 0), ("novice", NOVICE), ("skilled", SKILLED), ("expert", 3),
    ]  # fmt: skip
    assert LOOKAHEAD.policies[0] == SKILLED
