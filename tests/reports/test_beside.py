"""Variants side by side: what is played, and what the tables show, on the toy game."""

from dataclasses import replace

import pytest

import sim
from analysis.play import play_study
from analysis.runs import LEAST, Spec
from analysis.study import first_player
from reports.report import build
from sim.experiment import make_plan
from sim.facts import Design, Lever, Measure, TableSpec
from sim.game import add, load
from tests.analysis.smaller import plan_kind, smaller_plans
from tests.toy import GAME as HIGH_CARD

OWN = TableSpec(
    "starts", "Starts", "Who starts.", "rounds", ("starter",),
    (Measure("won", "Won", "won", "1", "share"), Measure("part", "Part", "1", "all", "share")), beside=True,
)  # fmt: skip
LENGTH = TableSpec(
    "length", "Length", "How long.", "games", (),
    (Measure("turns", "Turns", "turns"), Measure("both", "Both", "n_swap+points", "turns")), beside=True,
)  # fmt: skip
BESIDE = (Lever("two rounds", {"rounds": 2}), Lever("one round", {"rounds": 1}), Lever("three cards", {"hand": 3}))


@pytest.fixture(scope="module")
def game():
    add(replace(HIGH_CARD, name="toy-beside", tables=(OWN, LENGTH), groups=(Design(beside=BESIDE),)))
    return load("toy-beside")


def spec_of(game, **settings):
    variant = game.variant(None, [f"{key}={value}" for key, value in settings.items()])
    return Spec(make_plan(game, games=1000, seats=2, variant=variant), "skilled", (3,), abilities=False)


@pytest.fixture(scope="module")
def study(game):
    return play_study(spec_of(game), None, jobs=1, progress=False)[0]


@pytest.fixture(scope="module")
def section(study):
    return build(study).section("beside")


def values(table, place=0):
    return [[cell.value for cell in row] for row in table.rows][place]


def test_every_other_variant_is_played_with_every_number_of_players(game):
    plans = {name: plan for name, plan in smaller_plans(spec_of(game)).items() if plan_kind(name) == "beside"}
    assert sorted(plans) == ["beside-1-2", "beside-1-3", "beside-2-2", "beside-2-3"]
    assert all(LEAST <= plan.games_per_arm < 2 * LEAST for plan in plans.values())
    assert plans["beside-1-3"].variant["rounds"] == 1
    assert plans["beside-1-3"].seats == 3
    assert plans["beside-2-2"].variant["hand"] == 3
    assert "beside-0-2" in smaller_plans(spec_of(game, rounds=4))


def test_a_game_that_names_no_variants_has_no_such_section(game):
    plain = replace(game, name="toy-plain", groups=())
    add(plain)
    study = play_study(spec_of(plain), None, jobs=1, progress=False)[0]
    assert not study.beside
    assert "beside" not in [section.id for section in build(study).sections]


def test_the_first_seat_is_judged_for_each_variant_and_number_of_players(study, section):
    rows = [[cell.value for cell in row] for row in section.blocks[0].rows]
    assert [row[:2] for row in rows] == [
        [f"{count} players", title]
        for count in ("two", "three")
        for title in ("two rounds", "one round", "three cards")
    ]
    judges = [study.main, study.beside[1, 2], study.beside[2, 2], study.seats[3]]
    for row, judge in zip(rows, judges):
        verdict = first_player(judge)
        assert row[2:4] == [verdict.gap, verdict.word]
    assert [row[4] for row in rows] == [2, 1, 2, 2, 1, 2]


def test_own_tables_stand_beside_each_other(section):
    starts, length = section.blocks[1:]
    assert [c.title for c in starts.columns] == ["starter", "two rounds", "one round", "three cards"]
    assert values(starts, 1)[2] is None  # one round is started by seat 0 alone
    turns = {row[0].value: row[1].value for row in length.rows}
    assert turns == pytest.approx({"two rounds": 4.0, "one round": 2.0, "three cards": 4.0})


def test_sums_of_columns_and_parts_of_all_rows(game):
    run = sim.simulate(game, games=1000, seats=2, seed=3, progress=False, jobs=1)
    own, length = build(run).section("own").blocks[:2]
    rounds, games = run.rounds, run.games
    for i, (_, group) in enumerate(rounds.groupby("starter")):
        assert values(own, i)[2] == pytest.approx(len(group) / len(rounds), rel=1e-4)
    both = (games["n_swap"].sum() + games["points"].sum()) / games["turns"].sum()
    assert values(length)[1] == pytest.approx(both, rel=1e-4)
