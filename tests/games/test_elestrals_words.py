"""Elestrals: every word of the effect language stands in one table, with a number of its own, and has its rules."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from sim.games.elestrals import GAME, cards, language, opcodes, words
from sim.games.elestrals.board import FRAME, REGISTERS
from sim.games.elestrals.ops import ON_CARDS
from sim.games.elestrals.rulebook import Rulebook

TABLES = {
    "steps": {word: row.number for word, row in words.STEPS.items()},
    "statics": {word: row.number for word, row in words.STATICS.items()},
    "counters": {word: number for word, (number, _) in language.COUNTERS.items()},
    "events": language.EVENTS,
    "references": language.REFS,
    "durations": language.UNTIL,
    "comparisons": language.COMPARISONS,
    "windows": language.WINDOWS,
    "costs": language.COSTS,
    "kinds": language.KINDS,
    "rules": language.RULES,
    "restrictions": language.RESTRICTIONS,
    "tags": language.TAGS,
    "flags": language.FLAGS,
    "zones": language.ZONES,
    "stores": language.STORES,
}
FAMILIES = [
    import_module(f"sim.games.elestrals.ops.{name}") for name in ("field", "piles", "spirits", "arrive", "choice")
]
SAME = {"ncast": "spcast"}  # a way into play is carried out as a Special Cast


@pytest.mark.parametrize("name", TABLES)
def test_no_two_words_of_a_table_share_a_number(name):
    numbers = [int(number) for number in TABLES[name].values()]
    assert len(set(numbers)) == len(numbers)
    assert min(numbers) >= 0


def test_words_that_are_tested_by_masks_fit_into_one_number():
    for name in ("steps", "statics", "events"):
        assert max(TABLES[name].values()) < 63, name


def test_every_word_of_a_step_has_a_rule_and_a_kernel_of_its_name():
    for word in words.STEPS:
        assert hasattr(Rulebook, "_op_" + word), word
        kernels = [f for f in FAMILIES if hasattr(f, "op_" + SAME.get(word, word))]
        assert len(kernels) == 1, word


def test_every_kernel_of_a_step_has_a_word():
    for family in FAMILIES:
        for name in vars(family):
            if name.startswith("op_"):
                assert name.removeprefix("op_") in words.STEPS, name


def test_steps_whose_cards_are_chosen_first_take_a_subject():
    numbers = {int(row.number): word for word, row in words.STEPS.items()}
    for number in ON_CARDS:
        made = words.STEPS[numbers[int(number)]]
        assert made.parts, numbers[int(number)]


def test_the_numbers_module_holds_numbers_only():
    held = {name: value for name, value in vars(opcodes).items() if name.isupper()}
    assert all(type(value).__name__ == "int64" for value in held.values())


def test_every_word_of_an_effect_is_on_a_card():
    texts = " ".join(a.text for c in cards.all_cards().values() for a in (*c.abilities, *c.faces))
    for word in (*words.STEPS, *words.STATICS):
        assert f"{word}(" in texts, word


def test_a_word_that_is_not_known_is_named_with_the_nearest():
    with pytest.raises(language.EffectError, match="destroy"):
        words.parse_step("destory(t1)")
    with pytest.raises(language.EffectError, match="shroud"):
        words.parse_effect("shrowd(self,any:invoke)")
    with pytest.raises(language.EffectError, match="at least 2 arguments"):
        words.parse_effect("tax(opp)")
    with pytest.raises(language.EffectError, match="arguments that it cannot have"):
        words.parse_effect("tax(any,exp 1O,play:card)")


def _registers(function: ast.FunctionDef) -> set[str]:
    """Return the registers of its frame `f` that a kernel uses."""
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.Attribute)]
    return {node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == "f"}


def test_no_routine_uses_two_registers_of_one_place():
    names = {name for group in REGISTERS for name in group}
    assert len(names) == sum(map(len, REGISTERS))
    assert FRAME.itemsize == 8 * (3 + len(REGISTERS) + 18)
    folder, seen = Path(GAME.folder), set()
    for path in (folder / "effects.py", folder / "engine.py", *sorted((folder / "ops").glob("*.py"))):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            # `show_own` looks into the frames of several routines.
            if isinstance(function, ast.FunctionDef) and function.name != "show_own":
                used = _registers(function)
                seen |= used & names
                for group in REGISTERS:
                    assert len(used & set(group)) <= 1, (function.name, used & set(group))
    assert seen == names
