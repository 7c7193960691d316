"""A plan is the same if the same is played: numbers count, sentences do not; each edit is made on a copy."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sim.errors import UsageError
from sim.experiment import make_plan
from sim.game import load, load_engine
from sim.identity import differences, reasons
from sim.run import replay_parts, run
from sim.sources import code_hash, game_modules
from tests.toy import GAME as TOY

ROOT = Path(__file__).parents[2]
HASHES = """
import sys
from sim.experiment import make_plan
from sim.game import load_engine
for name in sys.argv[1:]:
    plan = make_plan(name, games=100)
    print(name, plan.hash, plan.rules[0], dict(plan.source)["game"])
"""


def hashes(copy: Path, *names: str) -> dict[str, tuple[str, ...]]:
    env = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run([sys.executable, "-c", HASHES, *names], env=env, cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {line.split()[0]: tuple(line.split()[1:]) for line in done.stdout.splitlines()}


def edit(path: Path, pattern: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    made, count = re.subn(pattern, new, text, count=1, flags=re.DOTALL)
    assert count == 1, f"{pattern!r} is not in {path}"
    assert made != text
    path.write_text(made, encoding="utf-8")


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(ROOT / "sim", tmp_path / "sim", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_cards_and_lists_are_part_of_a_plan_and_sentences_are_not(copy):
    elestrals = copy / "sim" / "games" / "elestrals"
    fox = copy / "sim" / "games" / "fox_in_the_forest"
    names = ("elestrals", "fox-in-the-forest")
    before = hashes(copy, *names)
    # Sentences: an ability's, a comment in a kernel file, a docstring, the note of a deck.
    edit(
        fox / "__init__.py",
        "The winner of the trick gets a point for each",
        "Each brings a point to the trick's winner",
    )
    edit(fox / "engine.py", "# cards of this game", "# the cards of this very game")
    edit(fox / "policies.py", '"""', '"""Reworded. ')
    edit(elestrals / "decks" / "majesea.toml", "our assumption", "what we assumed")
    assert hashes(copy, *names) == before
    edit(elestrals / "cards" / "starter_water.toml", r"destroy\(t1\)", "drain(1)")
    card = hashes(copy, "elestrals")["elestrals"]
    edit(elestrals / "decks" / "majesea.toml", r'"Apheros" = 2\n"Foamee" = 2', '"Apheros" = 1\n"Foamee" = 3')
    deck = hashes(copy, *names)
    assert len({before["elestrals"][0], card[0], deck["elestrals"][0]}) == 3
    assert len({before["elestrals"][1], card[1], deck["elestrals"][1]}) == 3
    assert {made[2] for made in (before["elestrals"], card, deck["elestrals"])} == {before["elestrals"][2]}
    # The other game is as it was; a number in a module that its kernels read is not.
    assert deck["fox-in-the-forest"] == before["fox-in-the-forest"]
    edit(fox / "numbers.py", "ROUND_CAP = 64", "ROUND_CAP = 65")
    assert hashes(copy, names[1])[names[1]][2] != before[names[1]][2]


def other_numbers(game):
    """Return the same game with another number behind the same settings, as an edited card table makes it."""
    fast = load_engine(game)

    def make_rules(variant, seats):
        made = fast.make_rules(variant, seats)
        first = next(name for name in made.dtype.names if not name.startswith("tag_"))
        made[first] += 1
        return made

    return replace(game, engine=lambda: replace(fast, make_rules=make_rules))


def test_a_resume_with_other_cards_is_refused_with_the_reason(tmp_path, monkeypatch):
    run(make_plan(TOY, games=40, seed=3), tmp_path / "a", jobs=1, progress=False)
    manifest = (tmp_path / "a" / "manifest.json").read_bytes()
    monkeypatch.setattr("sim.game._ADDED", {})
    plan = make_plan(other_numbers(TOY), games=80, seed=3)
    with pytest.raises(UsageError, match="differs in the cards, decks or numbers behind the rules of 'baseline'"):
        run(plan, tmp_path / "a", jobs=1, progress=False)
    assert (tmp_path / "a" / "manifest.json").read_bytes() == manifest
    (sentence,) = replay_parts(tmp_path / "a", [0])
    assert "other cards, decks or numbers" in sentence


def test_reasons_are_words():
    plan = make_plan("fox-in-the-forest", games=10)
    other = make_plan("fox-in-the-forest", games=10, policies="novice", seed=2)
    assert reasons(differences(plan.identity, other.identity))[:2] == ["seed", "the weights of the players"]
    changed = make_plan("fox-in-the-forest", games=10, variant=load("fox-in-the-forest").variant("deluxe"))
    made = reasons(differences(plan.identity, changed.identity))
    assert made == ["arms.baseline.variant.specials"]  # the setting is the reason, its record follows from it


def test_what_look_ahead_plays_on_with_is_part_of_its_plans_only():
    assert make_plan("fox-in-the-forest", games=10).search == ""
    assert make_plan("fox-in-the-forest", games=10, policies="expert:5").search != ""


def test_the_files_behind_kernels_are_found_from_imports():
    made = {name.rpartition(".")[2] for name in game_modules("sim.games.elestrals.board")}
    assert {"codes", "numbers", "tables", "effects", "engine", "policies", "skilled", "bits"} <= made
    assert not {"elestrals", "rulebook", "rulebook_effects", "weights", "game"} & made
    fox = {name.rpartition(".")[2] for name in game_modules("sim.games.fox_in_the_forest.engine")}
    assert {"engine", "match", "numbers", "policies", "weights"} <= fox


def test_a_game_outside_the_checkout_is_followed_too(tmp_path, monkeypatch):
    folder = tmp_path / "lanterns"
    folder.mkdir()
    (folder / "__init__.py").write_text("def engine():\n    from lanterns import players\n    return players\n")
    (folder / "rules.py").write_text("from sim.jit import kernel\nfrom lanterns.sizes import HAND\n")
    (folder / "sizes.py").write_text("HAND = 7\n")
    (folder / "players.py").write_text("from sim.jit import kernel\n@kernel\ndef choose():\n    return 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert set(game_modules("lanterns.rules")) == {"lanterns.rules", "lanterns.sizes", "lanterns.players"}


def test_comments_docstrings_and_line_breaks_are_no_code(tmp_path):
    pairs = (
        ("def f(x):\n    return x + 1\n", 'def f(x):\n    """One more."""\n\n    return x + 1  # really\n', True),
        ("A = (1, 2)\n", '"""Numbers."""\n\nA = (\n    1,\n    2,\n)\n"""Two."""\n', True),
        ("A = (1, 2)\n", "A = (1, 3)\n", False),
        ("A = 'x'\n", "A = 'y'\n", False),
        ("def f(x, y):\n    return x\n", "def f(y, x):\n    return x\n", False),
    )
    for i, (first, second, same) in enumerate(pairs):
        (tmp_path / f"a{i}.py").write_text(first)
        (tmp_path / f"b{i}.py").write_text(second)
        assert (code_hash(tmp_path / f"a{i}.py") == code_hash(tmp_path / f"b{i}.py")) is same, second


def test_a_run_folder_of_an_earlier_format_is_refused(tmp_path):
    run(make_plan(TOY, games=40, seed=3), tmp_path / "a", jobs=1, progress=False)
    path = tmp_path / "a" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    with pytest.raises(UsageError, match="has the format 2, this version reads 3"):
        run(make_plan(TOY, games=40, seed=3), tmp_path / "a", jobs=1, progress=False)
