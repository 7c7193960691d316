"""The conformance checks: the toy passes, and games with one fault each are caught."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim import engine
from sim.conformance import ConformanceError, check_facts, check_game
from sim.game import add
from tests.sim import broken
from tests.toy import GAME

ROOT = Path(__file__).parents[2]


def test_the_toy_passes_for_every_tier():
    seen = check_game("tests.toy:GAME", seats=(2, 3), games=3)
    assert seen.tiers == ("random", "novice", "skilled", "expert")
    assert seen.games == 2 * 3 * 4
    assert seen.decisions > seen.games * 5


def test_games_with_one_fault_each_are_caught_uncompiled():
    """Without the compiler a broken kernel is exchanged in no time; one process tries them all."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "ignore", "-m", "tests.sim.broken"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert said.pop("nothing") == "passes"
    assert set(said) == set(broken.FAULTS)
    wrong = {name: said[name] for name, (_, words) in broken.FAULTS.items() if words not in said[name]}
    assert wrong == {}


def test_two_games_with_one_tag_are_refused():
    fast = GAME.engine()
    engine.register(fast.tag, dict(fast.kernels))
    with pytest.raises(ValueError, match="belongs to another game"):
        engine.register(fast.tag, {**fast.kernels, "options": broken.options_unordered})
    with pytest.raises(ValueError, match="no implementation of redeal"):
        engine.register("tag_x", {name: f for name, f in fast.kernels.items() if name != "redeal"})
    with pytest.raises(ValueError, match="must start with"):
        engine.register("x", dict(fast.kernels))


@pytest.mark.parametrize("name", broken.WRONG_FACTS)
def test_facts_that_do_not_fit(name):
    game, words = broken.WRONG_FACTS[name]
    with pytest.raises(ConformanceError, match=words):
        check_facts(game)


def test_a_name_of_the_registry_cannot_be_taken():
    import dataclasses

    from sim.errors import UsageError

    with pytest.raises(UsageError, match="give yours another name"):
        add(dataclasses.replace(GAME, name="celestial-ranks"))
