"""Every game plays as it always has: its golden playthroughs (`tests/golden`), which `make golden` renews."""

import difflib

import pytest

from sim.game import REGISTRY
from sim.jit import JIT_OFF
from tests.golden import CASES, golden_file, golden_text


def test_every_game_has_golden_playthroughs():
    assert sorted(CASES) == sorted(REGISTRY)
    assert all(golden_file(name).exists() for name in REGISTRY)


@pytest.mark.skipif(JIT_OFF, reason="hundreds of games")
@pytest.mark.parametrize("name", CASES)
def test_it_plays_as_it_always_has(name):
    kept, now = (text.split("\n") for text in (golden_file(name).read_text(encoding="utf-8"), golden_text(name)))
    changed = list(difflib.unified_diff(kept, now, "kept", "now", lineterm="", n=1))
    assert not changed, "\n".join(changed[:60])
