"""The look-ahead player on the toy game and on Celestial Ranks: strength, determinism, what it may read."""

from dataclasses import replace

import numpy as np
import pytest

from sim import search
from sim.conformance import check_game
from sim.engine import EXPERT, WHOLE
from sim.errors import UsageError
from sim.experiment import make_plan
from sim.game import Lookahead, Tier, load, load_engine
from sim.jit import JIT_OFF
from sim.run import Table
from sim.trace import Tracer

TOY = "tests.toy:GAME"
BUDGET = 6 if JIT_OFF else 60
THINKS = Tier("expert", EXPERT, "", (float(BUDGET), 0.0))


def played(policies, games, seats=2, seed=1):
    plan = make_plan(TOY, games=games, seats=seats, policies=policies, seed=seed)
    return plan, Table(plan).play(plan, 0, plan.total_games)


def share_of_first(plan, chunk):
    """Return the mean share of entrant 0 and its standard error by block."""
    entrant = plan.expand(0, plan.total_games).seats["entrant"]
    share = chunk.game_rows["share"] / WHOLE
    block = share[entrant == 0].reshape(-1, plan.superblock_games).mean(axis=1)
    return block.mean(), block.std(ddof=1) / len(block) ** 0.5


@pytest.mark.skipif(JIT_OFF, reason="needs thousands of games")
@pytest.mark.parametrize("seats", [2, 3])
def test_one_expert_among_random_players_wins_more_than_its_part(seats):
    plan, chunk = played([THINKS, *["random"] * (seats - 1)], 3000, seats)
    share, error = share_of_first(plan, chunk)
    assert share - 4 * error > 1 / seats


@pytest.mark.skipif(JIT_OFF, reason="needs thousands of games")
def test_hidden_cards_are_worth_something_to_a_search():
    honest = Tier("honest", EXPERT, "", (float(BUDGET), 0.0))
    plan, chunk = played([Tier("open", EXPERT, "", (float(BUDGET), 1.0)), honest], 6000)
    share, error = share_of_first(plan, chunk)
    assert share - 3 * error > 0.5


def test_the_same_seed_plays_the_same_game_and_the_trace_agrees():
    plan, chunk = played([THINKS, "random"], 8)
    again = played([THINKS, "random"], 8)[1]
    assert chunk.game_rows.tobytes() == again.game_rows.tobytes()
    trace = Tracer(plan).play(3)
    assert trace.game_row.tobytes() == chunk.game_rows[3].tobytes()


def test_a_search_chooses_the_same_whatever_lies_hidden():
    assert check_game(TOY, seats=(2, 3), tiers=("novice",), games=2).decisions
    game = load(TOY)
    tiers = (*game.tiers, Tier("expert", EXPERT, "", (1.0, 0.0)))
    assert check_game(replace(game, tiers=tiers), seats=(2,), tiers=("expert:6",), games=2).decisions


def test_scratch_holds_the_players_of_the_playouts_with_their_own_weights():
    fast = load_engine(load(TOY))
    tiers = (Tier("novice", 1, "", (3.0,)), Tier("skilled", 2, "", (5.0, 7.0)))
    made = search.scratch(fast.state(2), 2, Lookahead(policies=(1, 2, 9), mix=0.25, c=0.75, depth=11), tiers)
    weights, settings = made[-2], made[-1]
    assert weights.tolist() == [[3.0, 0.0], [5.0, 7.0], [5.0, 7.0]]
    assert settings["policies"][0, :3].tolist() == [1, 2, 9]
    assert (settings["players"][0], settings["mix"][0], settings["c"][0], settings["depth"][0]) == (3, 0.25, 0.75, 11)


def test_a_budget_is_part_of_the_name():
    game = load("celestial-ranks")
    assert game.tier("expert").weights == (300.0, 0.0)
    assert game.tier("expert:40").weights == (40.0, 0.0)
    assert game.tier("expert:40").name == "expert:40"
    for word in ("expert:", "expert:0", "expert:x", "expert:9999999", "skilled:5"):
        with pytest.raises(UsageError):
            game.tier(word)


@pytest.mark.parametrize(("won", "surpasses"), [(90, True), (62, True), (59, False), (40, False)])
def test_another_code_must_be_clearly_better_than_the_usual_one(won, surpasses):
    nodes = np.zeros(3, search.NODE)
    nodes["code"], nodes["visits"], nodes["next"] = (0, 7, 9), (0, 100, 100), (0, 2, 0)
    nodes["total"] = (0, 50, won)
    nodes[0]["child"] = 1
    # 1.5 standard errors of the difference of two means of a hundred walks: 1.5 * .5 * sqrt(.02) = .106
    assert bool(search.surpasses(nodes, 9, 7, 1.5)) == surpasses
    assert not search.surpasses(nodes, 7, 7, 1.5)
