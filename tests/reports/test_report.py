"""What a report says of a game with planted strengths: the head, what to change, ends, the luck of the deal."""

import pytest

import sim
from reports.html import render
from reports.notebook import show
from reports.report import build
from tests.analysis.planted import GAME

PLACE = "tests.analysis.planted:GAME"


def report(games, **values):
    settings = [f"{key}={value}" for key, value in values.items()]
    made = sim.simulate(PLACE, games=games, seed=2, settings=settings, sides=["Plain", "Odd"], jobs=1, progress=False)
    return build(made, stories=False)


@pytest.fixture(scope="module")
def fair():
    return report(40_000, first=0)


def texts(model, title):
    return next(b for s in model.sections for b in s.blocks if b.type == "text" and b.title == title)


def test_what_is_proved_fair_is_nothing_to_change(fair):
    assert fair.header.verdict == "balanced"
    assert fair.findings == ()
    page = render(fair)
    assert "What to change" not in page
    unfair = report(4000, first=0.3)
    assert unfair.header.verdict == "unbalanced"
    assert unfair.findings[0].sentence.startswith("Going first wins ")
    assert "What to change" in render(unfair)


def test_an_undecided_head_says_how_many_more_games():
    head = report(400, first=0).header
    assert head.verdict == "undecided"
    assert " more games would tell), between skilled players." in head.sentence


def test_ends_that_were_never_met_are_one_bounded_sentence(fair):
    said = texts(fair, "Games that do not end with one winner").paragraphs[0]
    assert said.startswith("Never met: hit a cap, win shared, draw and win for all; each is at most 0.0")


def test_the_luck_of_the_deal_is_said_in_words():
    model = report(4000, first=0.1)
    said = texts(model, "The luck of the deal that pairing leaves")
    assert "in 1,000 blocks:" in said.paragraphs[0]
    found = dict(item.split(": ", 1) for item in said.items)
    assert list(found) == ["Going first", "Plain", "Odd"]
    assert found["Going first"].startswith("the first deal explains nothing worth taking out")
    assert found["Odd"].startswith("the first deal explains about ")


def test_only_abilities_that_were_played_are_explained():
    from analysis.play import play_study
    from analysis.runs import Spec
    from sim.experiment import make_plan

    game = sim.load_variant(PLACE)
    study, run = play_study(Spec(make_plan(PLACE, games=400, variant=game), "skilled"), None, jobs=1, progress=False)
    model = build(study, run, stories=False)
    assert len(texts(model, "What they do, and what off means").items) == len(GAME.abilities)
    columns = [c.key for c in next(t for t in model.tables() if t.id == "abilities").columns]
    assert "inside" not in columns  # no ability of it is part of another


def test_a_run_shows_its_report_in_a_notebook():
    made = sim.simulate(PLACE, games=400, jobs=1, progress=False)
    assert "Balance report: Lots" in show(made)._repr_html_()
