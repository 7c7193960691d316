"""Imports go one way and never in a circle, those inside functions and for the type checker counted."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("sim", "analysis", "reports")  # each may import itself and those before it


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
def edges() -> dict[str, set[str]]:
    graph = grimp.build_graph(*ROOMS, exclude_type_checking_imports=False, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def test_circles_are_found():
    assert list(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == [["a", "b", "c"]]
    assert list(circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})) == []
    assert list(circles({"a": {"a"}})) == [["a"]]


def test_no_modules_import_each_other(edges):
    assert len(edges) > 100
    assert list(circles(edges)) == []


def test_rooms_import_one_way(edges):
    wrong = [
        f"{module} -> {other}"
        for module, others in edges.items()
        for other in others
        if ROOMS.index(other.partition(".")[0]) > ROOMS.index(module.partition(".")[0])
    ]
    assert wrong == []


def test_the_command_line_stands_above_all_rooms():
    """Nobody imports it, and it needs nothing heavy before a command is chosen."""
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert "cli" not in [alias.name for alias in node.names], path
            elif isinstance(node, ast.ImportFrom):
                assert node.module != "cli", path


def test_nobody_imports_what_is_private():
    wrong = []
    for path in (ROOT / "cli.py", *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ROOMS:
                wrong += [f"{path}: {alias.name}" for alias in node.names if alias.name.startswith("_")]
    assert wrong == []
