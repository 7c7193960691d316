"""What is looked at to hold the house: sources as syntax trees, functions, docstrings, names of games."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from sim.game import REGISTRY, Game, load

ROOT = Path(__file__).parents[1]
ROOMS = ("sim", "analysis", "reports")
MOST_LINES, MOST_ARGUMENTS, MOST_KERNEL_ARGUMENTS = 80, 8, 10
KERNELS = {"kernel", "bare", "inlined", "entry", "njit", "overload"}
OPEN_TO_NAMES = {"sim/game.py": "REGISTRY", "cli.py": "EXAMPLES"}
"""Where a game may be named outside its folder: the line that adds it, and the examples that help ends with."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function or method somewhere in the sources."""

    path: str
    name: str
    node: FunctionNode

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{self.path}:{self.node.lineno} {self.name}"

    @property
    def lines(self) -> int:
        """How long it is, decorators left out."""
        return (self.node.end_lineno or 0) - self.node.lineno + 1

    @property
    def decorators(self) -> set[str]:
        """The last words of its decorators' names."""
        made = set()
        for decorator in self.node.decorator_list:
            named = decorator.func if isinstance(decorator, ast.Call) else decorator
            made.add(named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", ""))
        return made

    @property
    def arguments(self) -> int:
        """How many arguments a caller has to keep in order: those that may only be named are not counted."""
        spec = self.node.args
        names = [argument.arg for argument in (*spec.posonlyargs, *spec.args)]
        return len(names[1:] if names[:1] in (["self"], ["cls"]) else names)


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    """Return all modules of the rooms and of the command line."""
    paths = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))] + [ROOT / "cli.py"]
    return tuple((p.relative_to(ROOT).as_posix(), ast.parse(p.read_text(encoding="utf-8"))) for p in paths)


def functions(path: str, tree: ast.AST, inside: str = "") -> Iterator[Function]:
    """Give all functions of a module, methods and functions in functions too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, FunctionNode):
            yield Function(path, inside + node.name, node)
            yield from functions(path, node, f"{inside}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(path, node, f"{inside}{node.name}.")
        elif isinstance(node, ast.stmt):  # there are no functions in expressions
            yield from functions(path, node, inside)


@cache
def all_functions() -> tuple[Function, ...]:
    """Return every function of the sources."""
    return tuple(function for path, tree in sources() for function in functions(path, tree))


def rulebook_files(game: Game) -> list[tuple[str, ast.Module]]:
    """Return the modules of a game's rulebook: `rulebook.py` and what begins like it, or all of such a folder."""
    folder = game.folder.relative_to(ROOT).as_posix()
    return [(path, tree) for path, tree in sources() if path.startswith(f"{folder}/rulebook")]


def rule_ids(game: Game) -> list[str]:
    """Return the ids of a game's rules: the keys of `RULES` in its rulebook."""
    return list(import_module(f"{REGISTRY[game.name].partition(':')[0]}.rulebook").RULES)


def complaints_of_rules(name: str) -> list[str]:
    """Return the rule ids of a game that are not in the docstring of exactly one function of its rulebook."""
    game = load(name)
    places: dict[str, list[str]] = {rule: [] for rule in rule_ids(game)}
    ids = re.compile(r"(?<![\w-])(" + "|".join(sorted(map(re.escape, places), key=len, reverse=True)) + r")(?![\w-])")
    for path, tree in rulebook_files(game):
        for function in functions(path, tree):
            for rule in dict.fromkeys(ids.findall(ast.get_docstring(function.node) or "")):
                places[rule].append(function.place)
    return [f"{rule}: {', '.join(found) or 'nowhere'}" for rule, found in places.items() if len(found) != 1]


def long_functions() -> list[str]:
    """Return the functions that are too long."""
    return [f"{f.place}: {f.lines} lines" for f in all_functions() if f.lines > MOST_LINES]


def wide_functions() -> list[str]:
    """Return the functions with too many arguments; what the command line calls gets its options by name."""
    found = []
    for function in all_functions():
        most = MOST_KERNEL_ARGUMENTS if function.decorators & KERNELS else MOST_ARGUMENTS
        if function.arguments > most and "command" not in function.decorators:
            found.append(f"{function.place}: {function.arguments} arguments, at most {most}")
    return found


def undocumented() -> list[str]:
    """Return the public modules, classes and functions without a docstring."""
    found = []
    for path, tree in sources():
        if ast.get_docstring(tree) is None:
            found.append(path)
        found += [f"{path}:{node.lineno} {name}" for name, node in public(tree) if ast.get_docstring(node) is None]
    return found


def public(tree: ast.Module | ast.ClassDef, inside: str = "") -> Iterator[tuple[str, ast.ClassDef | FunctionNode]]:
    """Give the public classes, functions and methods of a module with their names."""
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, FunctionNode)) and not node.name.startswith("_"):
            yield inside + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node, f"{node.name}.")


@cache
def game_words() -> re.Pattern[str]:
    """Return what games are called, in lower case: in words, in commands, in code."""
    words: set[str] = set()
    for game in map(load, REGISTRY):
        words |= {game.name, game.title.lower(), game.folder.name, game.title.lower().removeprefix("the ")}
    return re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)))


def named(text: str) -> list[str]:
    """Return the names of games in a text."""
    return game_words().findall(text.lower())


def named_games() -> list[str]:
    """Return the places outside a game's folder where code names it; docstrings may, as examples."""
    folders = {load(name).folder.relative_to(ROOT).as_posix() for name in REGISTRY}
    found = []
    for path, tree in sources():
        if not any(path.startswith(f"{folder}/") for folder in folders):
            for line, text in texts(tree, OPEN_TO_NAMES.get(path, "")):
                found += [f"{path}:{line} has {word!r}" for word in named(text)]
    return list(dict.fromkeys(found))


def texts(tree: ast.AST, open_name: str) -> Iterator[tuple[int, str]]:
    """Give the texts and names in code, all but docstrings and what is assigned to one open name."""
    if isinstance(tree, (ast.Assign, ast.AnnAssign)):
        targets = tree.targets if isinstance(tree, ast.Assign) else [tree.target]
        if any(isinstance(target, ast.Name) and target.id == open_name for target in targets):
            return
    line = getattr(tree, "lineno", 0)
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield line, tree.value
    for word in ("id", "attr", "name", "module", "arg"):
        if isinstance(value := getattr(tree, word, None), str):
            yield line, value
    for node in ast.iter_child_nodes(tree):
        prose = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not prose:
            yield from texts(node, open_name)
