"""The smaller runs of a report."""

import pytest

from analysis.runs import Spec, without_of
from reports.report import build
from sim import load_variant
from sim.experiment import make_plan
from tests.analysis.smaller import smaller_plans

GAME = "fox-in-the-forest"


def spec(variant=None, *, without=(), reference="default", **more):
    plan = make_plan(GAME, games=400, variant=load_variant(GAME, variant), without=without)
    return Spec(plan, "skilled", reference=load_variant(GAME, reference), **more)


def test_what_nobody_has_in_the_main_run_nobody_has_in_the_smaller_ones():
    made = smaller_plans(spec(without=("swan", "fox"), abilities=False))
    assert {"tier-novice", "readings", "levers", "reference"} <= set(made)
    for name, plan in made.items():
        assert without_of(plan) == (() if name == "reference" else ("swan", "fox")), name


@pytest.mark.parametrize(
    ("variant", "without", "reference", "arm"),
    [
        (None, (), "default", None),
        ("deluxe", (), "deluxe", None),
        ("deluxe", (), "default", "deluxe"),
        (None, ("swan",), "default", "without swan"),
        ("deluxe", ("swan",), "default", "deluxe without swan"),
        (None, (), "deluxe", "default"),
    ],
)
def test_a_report_is_compared_with_the_rules_of_reference(variant, without, reference, arm):
    asked = spec(variant, without=without, reference=reference, abilities=False, readings=False)
    plan = smaller_plans(asked).get("reference")
    assert (None if plan is None else plan.arm_names) == (None if arm is None else ("baseline", arm))
    if plan is not None:
        assert plan.seed == asked.plan.seed
        assert plan.variant.values == load_variant(GAME, reference).values
        assert plan.arms[1].variant.values == asked.plan.variant.values


def test_the_report_says_what_is_new(tmp_path):
    from analysis.play import play_study

    made = spec("short", abilities=False, readings=False)
    study, run = play_study(made, tmp_path / "run", progress=False)
    section = next(s for s in build(study, run, stories=False).sections if s.id == "reference")
    rounds = section.blocks[1].rows[0]
    assert section.title == "What is new: short, against default"
    assert "shorter" in section.lead
    assert rounds[3].value == pytest.approx(rounds[2].value - rounds[1].value)
    assert rounds[3].high < -0.5
