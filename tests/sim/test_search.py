"""The look-ahead player on toy games and on Celestial Ranks: strength, determinism, what it may read."""

from dataclasses import replace

import numpy as np
import pytest

from sim import engine, rng, search
from sim.conformance import check_game
from sim.engine import EXPERT, WHOLE
from sim.errors import UsageError
from sim.experiment import make_plan
from sim.facts import Tier
from sim.game import REGISTRY, Lookahead, load, load_engine
from sim.jit import JIT_OFF, entry
from sim.run import Table
from sim.trace import Tracer
from tests.toy import pennies

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
    made = search.scratch(fast.state(2), 2, Lookahead(policies=(1, 2, 9), mix=0.25, c=0.75, depth=11, sight=3), tiers)
    weights, settings = made[-2], made[-1]
    assert weights.tolist() == [[3.0, 0.0], [5.0, 7.0], [5.0, 7.0]]
    assert settings["policies"][:, :3].tolist() == [[1, 2, 9], [1, 2, 9]]
    assert settings["sight"].tolist() == [3, 11]  # who is told the hidden cards takes no value on the way
    assert (settings["players"][0], settings["mix"][0], settings["c"][0], settings["depth"][0]) == (3, 0.25, 0.75, 11)


def test_a_budget_is_part_of_the_name():
    game = load("celestial-ranks")
    assert game.tier("expert").weights == (300.0, 0.0)
    assert game.tier("expert:40").weights == (40.0, 0.0)
    assert game.tier("expert:40").name == "expert:40"
    for word in ("expert:", "expert:0", "expert:x", "expert:9999999", "skilled:5"):
        with pytest.raises(UsageError):
            game.tier(word)


@pytest.mark.skipif(JIT_OFF, reason="whole games of every game")
@pytest.mark.parametrize("name", REGISTRY)
def test_the_expert_of_every_game_is_honest(name):
    """Options, clones, re-deals: a search asked again in worlds that look the same to it decides the same."""
    seats = load(name).default_seats
    assert check_game(name, seats=(seats,), tiers=("novice", "expert:8"), games=1).decisions


@pytest.mark.skipif(JIT_OFF, reason="many playouts")
def test_an_expert_of_celestial_ranks_searches_and_plays_the_same_again():
    plan = make_plan("celestial-ranks", games=4, policies=["expert:12", *["skilled"] * 3], seed=3)
    chunk, again = (Table(plan).play(plan, 0, plan.superblock_games) for _ in range(2))
    assert chunk.game_rows.tobytes() == again.game_rows.tobytes()
    plain = make_plan("celestial-ranks", games=4, policies="skilled", seed=3)
    assert Table(plain).play(plain, 0, plain.superblock_games).game_rows.tobytes() != chunk.game_rows.tobytes()


@pytest.mark.skipif(JIT_OFF, reason="many playouts")
def test_an_expert_of_celestial_ranks_keeps_up_with_skilled_players():
    plan = make_plan("celestial-ranks", games=240, policies=["expert:12", *["skilled"] * 3], seed=4)
    share, error = share_of_first(plan, Table(plan).play(plan, 0, plan.total_games))
    assert share + 3 * error > 0.25
    assert share > 0.15  # the most visited code of so few playouts, always played, wins 1 game of 100


@pytest.mark.skipif(JIT_OFF, reason="many playouts")
def test_a_search_that_stops_between_tricks_beats_the_player_whose_values_it_takes():
    game = load("fox-in-the-forest")
    fast = load_engine(game)
    assert fast.lookahead.sight < 100
    plan = make_plan(game.name, games=60, policies=["expert:60", "skilled"], seed=2)
    chunk = Table(plan).play(plan, 0, plan.total_games)
    share, error = share_of_first(plan, chunk)
    assert share - 4 * error > 0.5


# --- choices that are made at the same time --------------------------------------------------------------------------

KEYS = 20 if JIT_OFF else 400


@entry
def think_often(scratch, states, rules, weights, seat, out):
    """Fill out[key] with what the look-ahead player chooses under each key."""
    for i in range(len(out)):
        out[i] = search.look_ahead(scratch, states, rules, weights, seat, rng.word(np.uint64(7), i))


def chosen(step, *, budget=300, coin=0, policies=(1,), **settings):
    """Return the parts of the keys under which each option is chosen at a step of the hidden coin."""
    engine.register(pennies.TAG, pennies.KERNELS)
    states, rules = np.zeros(1, pennies.STATE), np.zeros(1, pennies.RULES)
    states["pub"]["step"], states["pub"]["actor"], states["hid"]["coin"] = step, step % 2, coin
    rules["kept"] = WHOLE // 5
    scratch = search.scratch(pennies.STATE, 2, Lookahead(policies, mix=0.0, c=0.3, **settings), ())
    out = np.zeros(KEYS, np.int64)
    think_often(scratch, states, rules[0], np.array([float(budget), 0.0]), step % 2, out)
    return np.bincount(out & 1023, minlength=3) / KEYS, out


def test_a_hidden_choice_is_not_feared_to_be_seen_and_is_mixed():
    """An opponent who sees the coin makes hiding worth nothing; the mixed strategy is left once and right twice."""
    (left, right, keep), _ = chosen(0, budget=60 if JIT_OFF else 600)
    assert keep < 0.25
    if not JIT_OFF:
        assert 0.2 < left < 0.5 < right + left
        assert 0.3 < right < 0.7


@pytest.mark.parametrize("settings", [{}, {"model_others": True}])
def test_the_answer_does_not_depend_on_the_hidden_choice(settings):
    answers = [chosen(1, coin=coin, **settings)[1].tolist() for coin in (pennies.LEFT, pennies.RIGHT, pennies.KEEP)]
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(("policy", "best"), [(2, pennies.RIGHT), (3, pennies.LEFT)])
def test_modelled_opponents_are_answered(policy, best):
    parts, _ = chosen(0, policies=(policy,), model_others=True)
    assert parts[best] > 0.7


def test_edges_of_hidden_choices_count_nothing_and_are_followed_by_what_is_shown():
    engine.register(pennies.TAG, pennies.KERNELS)
    scratch = search.scratch(pennies.STATE, 2, Lookahead((1,), mix=0.0, c=0.3), ())
    states, rules = np.zeros(1, pennies.STATE), np.zeros(1, pennies.RULES)
    think_often(scratch, states, rules[0], np.array([200.0, 0.0]), 0, np.zeros(1, np.int64))
    nodes = scratch[0]
    assert codes(nodes, 0) == [search.BLIND, *(pennies.HIDE + i for i in range(3))]
    blind = nodes[0]["child"]
    assert nodes[blind]["visits"] == 0
    assert codes(nodes, blind) == [pennies.NAME, pennies.NAME + 1]
    named = nodes[blind]["child"]
    shown = codes(nodes, named)
    assert len(shown) >= 2
    assert set(shown) <= {search.BLIND - 1 - (pennies.HIDE + i) for i in range(3)}
    assert codes(nodes, nodes[named]["child"]) == [pennies.SAY, pennies.SAY + 1]


def codes(nodes, at):
    """Return the codes of the children of a node, in their order."""
    made, child = [], nodes[at]["child"]
    while child:
        made.append(int(nodes[child]["code"]))
        child = nodes[child]["next"]
    return made


@pytest.mark.parametrize(("won", "surpasses"), [(90, True), (62, True), (59, False), (40, False)])
def test_another_code_must_be_clearly_better_than_the_usual_one(won, surpasses):
    nodes = np.zeros(3, search.NODE)
    nodes["code"], nodes["visits"], nodes["next"] = (0, 7, 9), (0, 100, 100), (0, 2, 0)
    nodes["total"] = (0, 50, won)
    nodes[0]["child"] = 1
    # 1.5 standard errors of the difference of two means of a hundred walks: 1.5 * .5 * sqrt(.02) = .106
    assert bool(search.surpasses(nodes, 9, 7, 1.5)) == surpasses
    assert not search.surpasses(nodes, 7, 7, 1.5)
