"""Pace and drama: lengths, chances learned on other deals, decisions, comebacks, the part of the cards dealt."""

from types import SimpleNamespace

import numpy as np
import pytest

import sim
from analysis.drama import Drama, States, WinModel, _add_deals, _fates, _path_sums, chances, drama_of, states_of
from analysis.study import judge
from sim.engine import WHOLE


@pytest.fixture(scope="module")
def run():
    return sim.simulate("celestial-ranks", games=2000, seats=4, seed=5, progress=False)


@pytest.fixture(scope="module")
def drama(run):
    return drama_of(run)


def test_lengths_are_those_of_the_table(run, drama):
    turns = run.games.groupby("game")["turns"].sum().to_numpy()
    assert drama.games == len(turns)
    assert drama.turns.tolist() == np.bincount(turns).tolist()
    for q in (0.1, 0.5, 0.99):
        value, bounds = drama.quantile(q, judge(run))
        assert value == np.sort(turns)[int(np.ceil(q * len(turns))) - 1]
        assert bounds.low <= value <= bounds.high
        assert bounds.high > bounds.low


def test_picks_are_in_the_table(run, drama):
    games = run.games
    turns = games.groupby(["deal", "seating"])["turns"].sum()
    assert turns.max() == drama.longest.turns == turns[drama.longest.deal, drama.longest.seating]
    assert turns[drama.typical.deal, drama.typical.seating] == drama.typical.turns
    assert drama.typical.turns == pytest.approx(np.median(turns), abs=2)
    pick = drama.comeback
    table = run.rounds[(run.rounds["deal"] == pick.deal) & (run.rounds["seating"] == pick.seating)]
    path = chances(drama.model, table.pivot(index="round", columns="seat", values="collected").to_numpy())
    rows = games[(games["deal"] == pick.deal) & (games["seating"] == pick.seating)]
    winner = int(rows.loc[rows["share"].idxmax(), "seat"])
    assert pick.chance == pytest.approx(min(step[winner] for step in path))
    assert pick.deal // run.plan.superblock_deals % 2 == 1


def test_states_add_up_the_standing_column_game_by_game(run):
    for part in run.parts():
        states = states_of(part, "collected")
        total = part.rounds["collected"].astype(int)
        final = states.standing[states.last]
        assert len(final) == len(part.games)
        assert final.sum() == total.sum()
        assert (states.after[states.last] == part.games["rounds"][:, 0]).all()


def test_chances_hold_on_deals_that_were_not_learned_from(drama):
    for k in range(1, drama.path_rounds + 1):
        on, expected, won = drama.leader(k)
        if on.mean > 0.2:
            assert abs(expected.mean - won.mean) < 4 * (won.variance / won.n) ** 0.5 + 0.01
    model, nothing, _ = drama.score.mean
    assert model < nothing


def test_expected_shares_sum_to_one_and_know_the_leader():
    model = WinModel(2)
    rng = np.random.default_rng(1)
    standing = rng.integers(0, 5, (5000, 2))
    win = rng.random(5000) < 0.5 + 0.1 * (standing[:, 0] - standing[:, 1])
    model.learn(standing, np.ones(5000, int), np.stack([win, ~win], axis=1).astype(float))
    asked = np.array([[4, 0], [2, 2], [0, 4], [9, 0]])
    found = model.expected(asked, np.array([1, 1, 1, 7]))
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert found[0, 0] == pytest.approx(0.9, abs=0.06)
    assert found[1].tolist() == [0.5, 0.5]
    assert found[0, 0] == pytest.approx(found[2, 1], abs=0.06)
    assert (WinModel(3).expected(np.array([[1, 0, 0]]), np.array([1])) == 1 / 3).all()


def made_up():
    """Two games of two seats: seat 0 leads and wins; seat 1 is behind at half-time, then wins."""
    standing = np.array([[1, 0], [2, 0], [3, 0], [1, 0], [2, 0], [2, 1], [2, 3]])
    after, game = np.array([1, 2, 3, 1, 2, 3, 4]), np.array([0, 0, 0, 1, 1, 1, 1])
    share = np.where(game[:, None] == 0, [1.0, 0.0], [0.0, 1.0])
    return States(game, after, standing, share, np.array([0, 0, 1, 0, 0, 0, 1], bool))


def test_fates_of_two_games():
    chance = np.array([0.7, 0.85, 1.0, 0.7, 0.9, 0.6, 0.0])
    fate, lowest, place = _fates(made_up(), np.stack([chance, 1 - chance], axis=1))
    assert place.tolist() == [0, 1]
    assert lowest.tolist() == pytest.approx([0.7, 0.1])
    won, decided, part, early, comeback, half, behind = fate.T
    assert won.tolist() == half.tolist() == [1, 1]
    assert decided.tolist() == [2, 4]
    assert part.tolist() == pytest.approx([2 / 3, 1.0])
    assert early.tolist() == [1, 0]
    assert comeback.tolist() == [0, 1]
    assert behind.tolist() == [0, 1]


def test_path_counts_games_that_go_on():
    s = made_up()
    sums = _path_sums(s, np.full((7, 2), 0.5), np.zeros(7, int), 1, 3).reshape(3, 3)
    assert sums[:, 0].tolist() == [2, 2, 1]
    assert sums[:, 1].tolist() == [1, 1, 0.5]
    assert sums[:, 2].tolist() == [1, 1, 0]


@pytest.mark.parametrize(("part_of_the_cards", "expected"), [(1.0, 1.0), (0.0, 0.0)])
def test_the_part_of_the_cards(part_of_the_cards, expected):
    """Two seats, two seatings of 4,000 deals: the packet decides all, or a coin does."""
    rng = np.random.default_rng(3)
    deals = 4000
    games = np.zeros((2 * deals, 2), [("deal", "i8"), ("packet", "u1"), ("share", "u2"), ("game", "i8")])
    games["deal"] = np.repeat(np.arange(deals), 2)[:, None]
    games["packet"] = np.tile([[0, 1], [1, 0]], (deals, 1))
    lucky = np.repeat(rng.integers(0, 2, deals), 2) if part_of_the_cards else rng.integers(0, 2, 2 * deals)
    games["share"] = np.where(games["packet"] == lucky[:, None], WHOLE, 0)
    plan = SimpleNamespace(superblock_deals=1, seats=2, draw="balanced")
    made = Drama(plan)
    _add_deals(made, SimpleNamespace(games=games, first=0, superblocks=deals), np.arange(2 * deals))
    found = made.deal_share()
    assert found.mean == pytest.approx(expected, abs=4 * max((found.variance / found.n) ** 0.5, 1e-9))
