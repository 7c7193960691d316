"""Tables: columns, exact round trips, small files."""

import numpy as np
import pytest

from sim import outcomes
from sim.engine import WHOLE, record
from sim.experiment import Change, make_plan
from sim.run import play_part, run
from tests.toy import GAME, GAME_ROW, ROUND_ROW


@pytest.fixture(scope="module")
def part():
    arms = [Change("novice", policy="novice"), Change("no swap", without=("swap",))]
    plan = make_plan("tests.toy:GAME", games=3000, seats=3, arms=arms, policies=("skilled", "random", "skilled"))
    return plan, play_part(plan, 0)


def test_the_columns_are_those_of_the_design():
    assert outcomes.games_type(GAME_ROW).names == (
        "arm", "deal", "seating", "game", "seat", "entrant", "side", "policy", "packet", "share", "points", "rounds",
        "turns", "end", "lead_changes", "n_swap", "held_swap",
    )  # fmt: skip
    assert outcomes.rounds_type(ROUND_ROW).names == (
        "arm", "deal", "seating", "game", "round", "seat", "side", "entrant", "policy", "starter", "rank", "won",
        "swapped",
    )  # fmt: skip


@pytest.mark.parametrize("table", outcomes.TABLES)
def test_bytes_are_small_and_read_back_as_they_were(part, table):
    plan, made = part
    names = outcomes.names_of(plan)
    data = outcomes.to_bytes(made.table(table), names)
    assert data == outcomes.to_bytes(made.table(table).copy(), names)
    back = outcomes.from_bytes(data, names, 3)
    assert back.dtype == made.table(table).dtype
    assert (back == made.table(table)).all()


def test_a_game_and_seat_takes_less_than_40_bytes(part):
    plan, made = part
    size = sum(len(outcomes.to_bytes(made.table(table), outcomes.names_of(plan))) for table in outcomes.TABLES)
    assert size / made.games.size < 40


def test_rows_are_labelled_with_what_was_seated(part):
    plan, made = part
    games = made.games
    batch = plan.expand(0, len(games))
    assert (games["seat"] == [0, 1, 2]).all()
    assert (games["deal"] == batch.deal[:, None]).all()
    for name in ("side", "entrant", "packet"):
        assert (games[name] == batch.seats[name]).all()
    tiers = np.array(plan.tier_names)[games["policy"]]
    expected = np.where(games["arm"] == 1, "novice", np.where(games["entrant"] == 1, "random", "skilled"))
    assert (tiers == expected).all()
    assert (games["n_swap"][games["arm"] == 2] == 0).all()
    assert (games["share"].sum(axis=1, dtype=int) == WHOLE).all()


def test_rounds_belong_to_their_games_and_count_from_one(part):
    _, made = part
    rounds, games = made.rounds, made.games
    assert len(rounds) == games["rounds"][:, 0].sum()
    assert (rounds["round"][:2, 0] == [1, 2]).all()
    assert (rounds["starter"] == rounds["round"] - 1).all()
    wins = np.zeros(games.shape, int)
    np.add.at(wins, rounds["game"][:, 0] - games["game"][0, 0], rounds["won"])
    assert (wins == games["points"]).all()
    for name in ("arm", "deal", "seating", "side", "entrant", "policy"):
        assert (rounds[name] == games[name][rounds["game"][:, 0]]).all()


def test_a_wrong_share_is_found(part):
    _, made = part
    assert outcomes.wrong_share(made) is None
    games = made.games.copy()
    games["share"][7, 1] += 1
    assert outcomes.wrong_share(outcomes.Part(0, 0, 1, games, made.rounds)) == games["game"][7, 0]


def test_frames_have_categories_in_the_order_of_the_plan():
    made = run(make_plan("tests.toy:GAME", games=20, seats=2, arms=[Change("a"), Change("b")]), progress=False)
    assert list(made.games["arm"].cat.categories) == ["baseline", "a", "b"]
    assert list(made.games["side"].cat.categories) == ["Sun", "Moon", "Star"]
    assert made.games["share"].dtype == np.uint16
    assert len(made.rounds) == 2 * len(made.games)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ((("share", "u2"),), "lacks points, rounds, turns, end, lead_changes"),
        ((("share", "u2"), ("seat", "i1")), "'seat' is written by the run itself"),
        ((("share", "u2"), ("n_swap", "i2", (3,))), "must be one number"),
    ],
)
def test_game_rows_that_cannot_be_stored(fields, words):
    with pytest.raises(TypeError, match=words):
        outcomes.games_type(record(*fields))


def test_a_share_must_be_exact():
    fields = [(name, "f8" if name == "share" else GAME_ROW[name]) for name in outcomes.MUST]
    with pytest.raises(TypeError, match="27,720ths"):
        outcomes.games_type(record(*fields))


def test_the_exact_value_of_being_first():
    """Hand of one, nothing to decide: the first of two players wins a round with chance 13/23."""
    rules = GAME.variant(None, ["hand=1", "rounds=1", "bonus=0"])
    plan = make_plan("tests.toy:GAME", games=40_000, seats=2, variant=rules, sides=["Sun"], without=["swap"])
    games = run(plan, progress=False).games
    first = games[games["seat"] == 0]
    block = first.groupby("deal")["share"].mean() / WHOLE
    error = block.std() / np.sqrt(len(block))
    assert abs(block.mean() - 13 / 23) < 4 * error
    assert 0.001 < error < 0.0025
    # Exchanging the packets exchanges the winner except after a tie: a block gives 1/2 to the first seat, or 1.
    assert set(block) == {0.5, 1.0}
