"""The Fox's players: chances of numbers of tricks, of winning the game, and what follows for other bands."""

import numpy as np
import pytest

from analysis.committed import ability_plan, block_values, measure, to_toml
from sim.committed import committed_of
from sim.engine import WHOLE
from sim.experiment import make_plan
from sim.game import load
from sim.games.fox_in_the_forest.match import NEED, outcomes, win_chances
from sim.games.fox_in_the_forest.policies import CELL, N_WEIGHTS, W_CELLS, cell_of
from sim.games.fox_in_the_forest.weights import SKILLED_WEIGHTS, TRICKS
from sim.jit import JIT_OFF
from sim.run import Table

GAME = load("fox-in-the-forest")
BANDS = tuple(GAME.default["bands"])


def test_every_cell_of_the_weights_is_a_distribution_over_the_tricks_still_to_win():
    place = getattr(cell_of, "py_func", cell_of)
    seen = W_CELLS
    for left in range(1, 14):
        for won in range(14 - left):
            at = place(left, won)
            assert at == seen
            sums = np.reshape(SKILLED_WEIGHTS[at : at + CELL * (left + 1)], (left + 1, CELL)).sum(axis=0)
            assert sums == pytest.approx([1, 0, 0, 0, 0, 0], abs=0.002) or not sums.any()  # cells never met are zero
            seen += CELL * (left + 1)
    assert seen == N_WEIGHTS == len(SKILLED_WEIGHTS)
    assert sum(TRICKS) == pytest.approx(1, abs=0.002)


def test_the_points_of_a_round():
    rounds = outcomes(BANDS, 13, 1)
    assert sum(rounds.values()) == pytest.approx(sum(TRICKS))
    assert rounds[1, 9] == pytest.approx(rounds[9, 1], abs=1e-4)
    assert max(a for a, _ in rounds) == 9
    assert set(outcomes(BANDS, 13, 0)) == {(6, 0), (0, 6), (6, 1), (1, 6), (6, 2), (2, 6), (6, 3), (3, 6)}


def test_a_race_to_one_round_won_after_another():
    """Only the majority of tricks scores, one point: needing 1 against 2, one of two rounds must be won."""
    win = win_chances((0,) * 7 + (1,) * 7, 13, 0)
    assert win[1, 1] == pytest.approx(0.5, abs=1e-3)
    assert win[1, 2] == pytest.approx(0.75, abs=2e-3)
    assert win[2, 3] == pytest.approx(11 / 16, abs=2e-3)


def test_points_without_difference_and_rounds_without_points():
    win = win_chances((1,) * 14, 13, 0)
    assert (win[1, 2], win[2, 2], win[5, 3]) == (1.0, 0.5, 0.0)
    assert (win_chances((0,) * 14, 13, 0)[1:, 1:] == 0.5).all()


def test_needing_less_is_never_worse():
    win = win_chances(BANDS, 13, 1)[1:, 1:]
    assert (np.diff(win, axis=0) <= 1e-3).all()
    assert np.allclose(win + win.T, 1)
    assert win.shape == (NEED - 1, NEED - 1)
    assert 0.9 < win[0, 20] < 1.0


@pytest.mark.skipif(JIT_OFF, reason="hundreds of games")
def test_skilled_goes_by_the_bands_of_the_variant():
    """Where every trick costs a point, it takes few; where every trick scores one, many."""
    means = []
    for points in (range(13, -1, -1), range(14)):
        bands = ",".join(map(str, points))
        plan = make_plan(
            GAME.name, games=400, policies=["skilled", "random"], variant=GAME.variant(None, (f"bands={bands}",))
        )
        chunk = Table(plan).play(plan, 0, plan.total_games)
        entrant = plan.expand(0, plan.total_games).seats["entrant"][chunk.round_game]
        means.append(chunk.round_rows["tricks"][entrant == 0].mean())
    assert means[0] < 5.5
    assert means[1] > 7.5


def test_blocks_of_the_committed_table():
    rows = np.zeros((4, 2), [("entrant", "i2"), ("share", "i8"), ("points", "i4"), ("rounds", "i4")])
    rows["entrant"] = (0, 1), (1, 0), (0, 1), (1, 0)
    rows["share"] = (WHOLE, 0), (WHOLE, 0), (0, WHOLE), (WHOLE // 2, WHOLE // 2)
    rows["points"] = (21, 11), (25, 20), (7, 21), (21, 21)
    rows["rounds"] = np.array([[4], [1], [3], [4]])
    share, points = block_values(rows, np.array([0, 0, 1, 1]))
    assert share.tolist() == [0.5, 0.25]
    assert points.tolist() == [1.0, -2.0]


@pytest.mark.skipif(JIT_OFF, reason="some hundred games")
def test_the_committed_table_comes_out_the_same_and_can_be_read():
    made = [to_toml(GAME, "novice", 40, 3, "2026-01-01", measure(GAME, "novice", 40, 3)) for _ in range(2)]
    assert made[0] == made[1]
    assert len(ability_plan(GAME, "novice", 40, 3).arms) == 7
    kept = committed_of(GAME)
    assert kept is not None
    assert kept.tier == "expert:100"
    assert set(kept.abilities) == {"swan", "fox", "woodcutter", "treasure", "witch", "monarch"}
    for share, low, high, points, least, most in kept.abilities.values():
        assert low < share < high
        assert least < points < most
