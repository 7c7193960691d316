"""Imports go one way and never in a circle, those inside functions, by name and for the type checker counted."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import grimp
import pytest

from sim.sources import has_kernels
from tests import house

ROOMS = (*house.ROOMS, "cli")  # each may import itself and those before it
PUBLIC_KERNELS = {"sim.engine", "sim.rng"}  # of these a rulebook may take its chance and the names of the ends

OURS = rf"(?:{'|'.join(ROOMS)})\b"
# By their words, not by a syntax tree: all files together take a tenth of the time.
FROM = re.compile(rf"^[ \t]*from (\.[\w.]*|{OURS}(?:\.\w+)*) import (\([^)]*\)|[^(#\n]+)", re.MULTILINE)
PLAIN = re.compile(rf"^[ \t]*import ({OURS}(?:\.\w+)*)(?: as (\w+))?", re.MULTILINE)
BY_NAME = re.compile(rf"_module\(\s*[\"']({OURS}(?:\.\w+)*)[\"']")  # of importlib, or a function named like that one
PRIVATE = re.compile(r"(\w+)\.(_[a-zA-Z]\w*)")

SAMPLE = """
import click
import sim.rng
from sim import engine as machine
from sim.game import (
    _held,
    load,
)
from json import _default_decoder

def late():
    from analysis.study import Study as Whole, _inner
    load_module("sim.game")
    return machine._find, machine.start, load._code, machine.__name__, self._own
"""


@dataclass
class Seen:
    """What a module imports of ours, as (module, name in it), and by name; what it takes that is private."""

    imports: list[tuple[str, str]] = field(default_factory=list)
    by_name: set[str] = field(default_factory=set)
    private: list[str] = field(default_factory=list)


def look(text: str) -> Seen:
    """Return what a module imports, from its text."""
    found = [(module, "", called or module) for module, called in PLAIN.findall(text)]
    for module, names in FROM.findall(text):
        for name in names.strip("() \n").split(","):
            words = name.split()
            found += [(module, words[0], words[-1])] if words else []
    held = {called for *_, called in found}
    private = [name for _, name, _ in found if name.startswith("_")]
    private += [f"{name}.{taken}" for name, taken in PRIVATE.findall(text) if name in held] if "._" in text else []
    return Seen([(module, name) for module, name, _ in found], set(BY_NAME.findall(text)), private)


@cache
def looked() -> dict[str, Seen]:
    """Return what every module imports, by its dotted name."""
    made = {}
    for path in (*(path for room in house.ROOMS for path in (house.ROOT / room).rglob("*.py")), house.ROOT / "cli.py"):
        place = path.relative_to(house.ROOT).with_suffix("").as_posix().removesuffix("/__init__")
        made[place.replace("/", ".")] = look(path.read_text(encoding="utf-8"))
    return made


def circles(edges: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """Give the sets of modules that reach each other (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(module: str) -> Iterator[list[str]]:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(edges.get(module, ())):
            if other not in index:
                yield from visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            found = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(found) > 1 or module in edges.get(module, ()):
                yield sorted(found)

    for module in sorted(edges):
        if module not in index:
            yield from visit(module)


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """What grimp finds; it looks neither at the command line nor for imports by name."""
    made = grimp.build_graph(*house.ROOMS, exclude_type_checking_imports=False, cache_dir=None)
    return {module: set(made.find_modules_directly_imported_by(module)) for module in made.modules}


def by_statement(seen: Seen) -> set[str]:
    """Return the modules that a module imports by statement: `name` of `module` where that is one itself."""
    known = looked()
    return {f"{module}.{name}" if f"{module}.{name}" in known else module for module, name in seen.imports}


@pytest.fixture(scope="module")
def edges(graph) -> dict[str, set[str]]:
    return {
        module: graph.get(module, set()) | by_statement(seen) | seen.by_name & looked().keys()
        for module, seen in looked().items()
    }


def test_imports_are_seen():
    seen = look(SAMPLE)
    assert seen.imports == [("sim.rng", ""), ("sim", "engine"), ("sim.game", "_held"), ("sim.game", "load"),
                            ("analysis.study", "Study"), ("analysis.study", "_inner")]  # fmt: skip
    assert seen.by_name == {"sim.game"}
    assert seen.private == ["_held", "_inner", "machine._find", "load._code"]


def test_the_text_shows_every_import_that_the_graph_has(graph):
    assert graph.keys() == looked().keys() - {"cli"}
    assert {
        module: missed for module, others in graph.items() if (missed := others - by_statement(looked()[module]))
    } == {}


def test_circles_are_found():
    assert list(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == [["a", "b", "c"]]
    assert list(circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})) == []
    assert list(circles({"a": {"a"}})) == [["a"]]


def test_no_modules_import_each_other(edges):
    assert len(edges) > 100
    assert {"analysis.study", "sim.experiment"} <= edges["cli"]  # inside commands, and for the type checker
    assert "sim.referee" in edges["sim"]  # by name
    assert list(circles(edges)) == []


def test_rooms_import_one_way(edges):
    """The command line stands above all: nobody imports it."""
    wrong = [
        f"{module} -> {other}"
        for module, others in edges.items()
        for other in others
        if ROOMS.index(other.partition(".")[0]) > ROOMS.index(module.partition(".")[0])
    ]
    assert wrong == []


def test_no_rulebook_imports_the_kernels_that_it_judges(edges):
    rulebooks = [module for module in edges if module.startswith("sim.games.") and ".rulebook" in module]
    assert len(rulebooks) >= 4
    kernels = {f"{module} -> {other}" for module in rulebooks for other in edges[module] - PUBLIC_KERNELS
               if has_kernels(other)}  # fmt: skip
    assert kernels == set()


def test_nobody_imports_what_is_private():
    assert [f"{module}: {name}" for module, seen in looked().items() for name in seen.private] == []
