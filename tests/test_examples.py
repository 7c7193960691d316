"""The examples in public docstrings run, and the functions that a user meets have one."""

import ast
import doctest
import importlib

import pytest

import analysis
import reports
import sim
from sim.jit import JIT_OFF
from tests import house

MODULES = tuple(
    path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for path, _ in house.sources()
    if ">>> " in (house.ROOT / path).read_text(encoding="utf-8")
)
# They play everything, draw every picture, or need a screen.
WITHOUT = {"analysis.play_study", "reports.show", "reports.index", "reports.read", "reports.write", "reports.from_json"}


@pytest.mark.skipif(JIT_OFF, reason="thousands of games")
@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    failed, tried = doctest.testmod(importlib.import_module(name), verbose=False)
    assert tried
    assert failed == 0


def test_what_a_user_calls_has_an_example():
    bare = []
    for room in (sim, analysis, reports):
        for word in room.__all__:
            found = getattr(room, word)
            if not isinstance(found, type) and f"{room.__name__}.{word}" not in WITHOUT and ">>> " not in found.__doc__:
                bare.append(f"{room.__name__}.{word}")
    assert bare == []


def test_examples_stand_under_their_heading():
    for path, tree in house.sources():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ">>> " in (ast.get_docstring(node) or ""):
                assert "\nExamples\n--------\n" in ast.get_docstring(node), f"{path}:{node.lineno}"
