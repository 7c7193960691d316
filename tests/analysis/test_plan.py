"""What a verdict is said to take is what it takes."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from analysis import plan as planning
from analysis import study
from analysis.keys import SideShare
from analysis.moments import Sample
from analysis.sums import tally
from analysis.verdicts import fixed_size
from cli import main
from sim.experiment import make_plan
from sim.run import run
from tests.analysis.planted import GAME

PLACE = "tests.analysis.planted:GAME"


@pytest.fixture(scope="module")
def made():
    rules = GAME.variant(None, ["first=0.05", "spark=0.3"])
    return planning.forecast(make_plan(GAME, games=1, seats=2, variant=rules), games=4000, jobs=1, luck_deals=20_000)


def need(made, name):
    return next(n for n in made.needs if n.name == name)


def test_questions_are_those_of_the_report(made):
    assert [n.name for n in made.needs] == [
        "going first", "Plain", "Strong", "Odd", "Spark", "Dust", "Left", "Right",
    ]  # fmt: skip
    assert [n.what for n in made.needs] == ["first_seat", "side", "side", "side", *["ability"] * 4]
    assert made.games_per_second > 100


def test_the_first_seat_is_known_without_luck(made):
    """In a block the higher lot wins from either seat, mostly: the games of a block make up for one another."""
    first = need(made, "going first")
    assert first.correlation < -0.05
    assert first.saves > 2
    assert need(made, "Dust").saves is None
    assert need(made, "Spark").saves > 1.5
    assert need(made, "Spark").correlation > 0.2


def test_games_are_enough_and_half_of_them_are_not():
    """Of experiments of the size that is named, about 95 % prove balance."""
    rules = GAME.variant(None, ["first=0"])
    sides = ["Plain", "Odd"]
    plan = make_plan(GAME, games=1, seats=2, variant=rules, sides=sides)
    two = planning.forecast(plan, games=4000, margin=0.02, jobs=1, luck_deals=2000)
    sums = tally(
        run(make_plan(GAME, games=40_000, seats=2, variant=rules, sides=sides, seed=5), jobs=1, progress=False)
    )
    seen = sums.shares[0].sample(sums.column(SideShare("Plain")))
    assert abs(seen.mean - 0.5) < 4 * seen.error

    def proved(games):
        size = games // sums.games_per_block
        means = np.random.default_rng(1).normal(0.5, np.sqrt(seen.variance / size), 1000)
        made = [study.verdict(Sample(size, float(m), seen.variance), null=0.5, margin=0.02) for m in means]
        return np.mean([v.word == "balanced" for v in made])

    games = need(two, "Plain").games
    assert 0.91 <= proved(games) <= 0.98
    assert proved(games // 2) < 0.8


def test_many_blocks_need_what_normal_theory_says():
    sample = Sample(100, 0.5, 0.06)
    n = planning.blocks_needed(sample, null=0.5, margin=0.01)
    assert n == pytest.approx(fixed_size(variance=0.06, margin=0.01), rel=0.02)


def test_what_never_differed_still_needs_blocks():
    assert planning.blocks_needed(Sample(50, 0.0, 0.0, -1.0, 1.0), null=0.0, margin=0.02) == pytest.approx(183, abs=2)


def test_luck_is_named_where_it_explains_something(made):
    assert set(made.luck) == {"going first", "Plain", "Strong", "Odd"}
    odd = need(made, "Odd")
    assert odd.luck_ratio < 0.8
    assert odd.games_without_luck < odd.games
    assert "explains about" in made.luck["Odd"]
    assert "nothing worth" in made.luck["going first"]


def test_command_line():
    words = ["plan", PLACE, "--games", "400", "--jobs", "1", "--margin", "3", "--set", "spark=0.3"]
    done = CliRunner().invoke(main, [*words, "-q"])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("going first") for line in lines)
    assert "playing" not in done.stderr
    stored = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)
    assert stored["schema"] == "evenhand.plan"
    assert {n["margin"] for n in stored["needs"]} == {0.03}
    wrong = CliRunner().invoke(main, ["plan", PLACE, "--margin", "0"])
    assert wrong.exit_code == 2
