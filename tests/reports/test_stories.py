"""Games told in words: the command under a story tells the same game."""

import shlex

import pytest
from click.testing import CliRunner

import cli
import sim
from analysis.drama import Pick
from reports.sections.stories import replay_command, told
from sim.experiment import make_plan
from sim.game import load
from sim.referee import story

PLANS = {
    "default": {},
    "shipped variant": {"variant": "house", "seats": 3},
    "fields, sides, tiers": {
        "settings": ("jokers=6", "contracts.summer.earth=S4 R4"),
        "sides": ["Human", "Summer", "Winter"],
        "seats": 3,
        "policies": ["novice", "skilled", "novice"],
    },
    "an ability off": {"without": ["shift"], "seats": 2, "seed": 2**63 + 1},
}


def plan_of(variant=None, settings=(), **how):
    rules = sim.load_variant("celestial-ranks", variant, *settings)
    return make_plan("celestial-ranks", games=1, variant=rules, **{"seed": 3, **how})


@pytest.mark.parametrize("name", PLANS)
def test_the_command_tells_the_same_game(name):
    plan = plan_of(**PLANS[name])
    block = told(plan, Pick(4, 1, 0, 0), "story", "A game", "")
    assert block.type == "story"
    assert len(block.lines) > 20
    words = shlex.split(block.command)
    assert words[0] == "evenhand"
    result = CliRunner().invoke(cli.main, words[1:], standalone_mode=False)
    assert result.output.splitlines() == list(block.lines)


def test_the_command_names_only_what_differs():
    words = replay_command(plan_of(), 4, 1)
    assert words == "evenhand replay celestial-ranks --deal 4 --seating 1 --seats 4 --seed 3"
    assert "--without shift" in replay_command(plan_of(without=["shift"]), 0, 0)
    assert "--without block" not in replay_command(plan_of(without=["shift"]), 0, 0)


@pytest.mark.parametrize("name", sim.list_games())
@pytest.mark.parametrize("sides", [None, 1])
def test_a_command_of_any_game_can_be_typed(name, sides):
    """One side for all seats is named once, or not at all where there is no other."""
    named = None if sides is None else [load(name).sides[0].name]
    plan = make_plan(name, games=2, sides=named, policies="novice", seed=4)
    words = shlex.split(replay_command(plan, 1, 1))
    result = CliRunner().invoke(cli.main, words[1:], standalone_mode=False)
    assert result.output.splitlines() == story(plan, 1, 1)
