"""Criteria of a variant: what is demanded is proved, refuted or open, and a misspelt demand is refused."""

import json

import pytest
from click.testing import CliRunner

from analysis import criteria
from analysis.runs import Spec, Study
from analysis.study import Judge, judge
from cli import main
from sim.errors import UsageError
from sim.experiment import make_plan
from sim.run import run
from sim.variant import to_toml
from tests.analysis.planted import GAME
from tests.analysis.smaller import smaller_plans


@pytest.fixture(scope="module")
def study():
    """Seat 0 leads by about 9.5 points, Strong by about 8; a spark is worth about 6."""
    rules = GAME.variant(None, ["first=0.1", "strong=0.12", "spark=0.3"])
    spec = Spec(make_plan(GAME, games=12_000, seats=2, variant=rules), "skilled")
    made = judge(run(spec.plan, jobs=1, progress=False))
    plans = smaller_plans(spec)
    arms = judge(run(plans["abilities"].with_superblocks(600), jobs=1, progress=False))
    return Study(main=made, abilities=arms)


@pytest.mark.parametrize(
    ("name", "rule", "word"),
    [
        ("first_seat", {"margin": 0.2}, "pass"),
        ("first_seat", {"margin": 0.03}, "fail"),
        ("side_share", {"margin": 0.2}, "pass"),
        ("side_share", {"margin": 0.02}, "fail"),
        ("matchup", {"margin": 0.3}, "pass"),
        ("matchup", {"margin": 0.03}, "fail"),
        ("capped", {"max": 0.01}, "pass"),
        ("capped", {"max": 0.0}, "undecided"),
        ("tie", {"min": 0.5}, "fail"),
        ("rounds", {"min": 0.9, "max": 3}, "pass"),
        ("rounds", {"max": 0.9}, "fail"),
        ("turns", {"min": 1.5, "max": 3}, "undecided"),  # always two, but nothing says how long a game can be
        ("minutes", {"max": 2}, "undecided"),
        ("ability.spark", {"min": 0.02, "max": 0.12}, "pass"),
        ("ability.spark", {"min": 0.2}, "fail"),
        ("ability.dust", {"min": -0.01, "max": 0.02}, "pass"),
        ("uses.spark", {"min": 150, "max": 400}, "pass"),
        ("uses.spark", {"max": 100}, "fail"),
    ],
)
def test_words(study, name, rule, word):
    (found,) = criteria.evaluate(study, {name: rule})
    assert found.word == word, found
    assert found.bounds.low <= found.value <= found.bounds.high
    assert (found.further_games == 0) == (word != "undecided")
    assert found.title
    assert found.target


def test_undecided_says_how_many_more(study):
    (first,) = criteria.evaluate(study, {"first_seat": {"margin": 0.0875}})
    assert first.word == "undecided"
    assert first.further_games > 0


def test_without_criteria_the_margins_of_the_game(study):
    found = criteria.evaluate(study)
    assert [o.key for o in found] == ["first_seat", "side_share"]
    assert [o.margin for o in found] == [0.02, 0.05]
    asked = Study(main=Judge(study.main.tally, margins={"first_seat": 0.3, "side": 0.3}))
    assert [o.word for o in criteria.evaluate(asked)] == ["pass", "pass"]


def test_what_was_not_played_is_undecided(study):
    (found,) = criteria.evaluate(Study(main=study.main), {"ability.spark": {"min": 0.01}})
    assert found.word == "undecided"
    assert "not played" in found.note


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"frist_seat": {"margin": 0.02}}, "first_seat"),
        ({"ability.spork": {"min": 0.02}}, "ability.spark"),
        ({"first_seat": {"margn": 0.02}}, "margin"),
        ({"first_seat": {"margin": 0.0}}, "not possible"),
        ({"rounds": {"min": 3, "max": 2}}, "above"),
        ({"rounds": {"margin": 3}}, "margin"),
    ],
)
def test_a_demand_that_cannot_be_judged_is_refused(rules, sentence):
    with pytest.raises(UsageError, match=sentence):
        criteria.check_criteria(GAME, rules)


def test_exit_codes(study):
    def code(**rules):
        return criteria.exit_code(criteria.evaluate(study, rules))

    assert code(first_seat={"margin": 0.2}) == 0
    assert code(first_seat={"margin": 0.2}, capped={"max": 0.0}) == 4
    assert code(first_seat={"margin": 0.03}, capped={"max": 0.0}) == 3


FILE = """
game = "lots"
first = 0.0
[criteria]
side_share = { margin = 0.2 }
first_seat = { margin = 0.2 }
ability.spark = { min = -0.2, max = 0.2 }
"""


def test_criteria_are_read_and_written_back(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    made = GAME.variant(str(path))
    assert made.criteria["ability.spark"] == {"min": -0.2, "max": 0.2}
    again = tmp_path / "again.toml"
    again.write_text(to_toml(made, GAME.fields, GAME.title))
    assert GAME.variant(str(again)).criteria == made.criteria


def report(tmp_path, text, *more):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    place = "tests.analysis.planted:GAME"
    words = ["report", place, "--variant", str(path), "--games", "2000", "--no-readings", "--jobs", "1", "--check"]
    return CliRunner().invoke(main, [*words, "--out", str(tmp_path / "out"), *more])


def test_check_guards_balance_on_the_command_line(tmp_path):
    done = report(tmp_path, FILE, "--json")
    assert done.exit_code == 0, done.output
    stored = json.loads((tmp_path / "out" / "summary.json").read_text())
    rows = {row["key"]: row["verdict"] for row in stored["scorecard"]}
    assert rows["criterion-side_share"] == "pass"
    again = CliRunner().invoke(main, ["report", str(tmp_path / "out"), "--check"])
    assert again.exit_code == 0
    assert "PASS" in again.stderr


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("first = 0.0", "first = 0.4", 3),
        ("first_seat = { margin = 0.2 }", "first_seat = { margin = 0.0001 }", 4),
        ("side_share", "side_shar", 2),
    ],
)
def test_check_fails_or_stays_open_or_is_refused(tmp_path, old, new, code):
    done = report(tmp_path, FILE.replace(old, new), "-q")
    assert done.exit_code == code, done.output
    if code == 2:
        assert "side_share" in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()
