"""The files behind compiled code, found from their imports, and a hash of what they say to the compiler.

Only the standard library is used, and nothing is executed: modules are read as text. Comments, docstrings and line
breaks do not count, so that a sentence may be reworded without compiling anything anew.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

KERNEL_MARKS = frozenset({"kernel", "bare", "inlined", "entry"})
"""The decorators of `sim.jit`: a module that uses one holds kernels."""


@cache
def file_of(module: str) -> Path | None:
    """Return the file of a module or package by its dotted name, None where there is none in Python."""
    top, *rest = module.split(".")
    place = _top(top)
    if place is None:
        return None
    if not rest:
        return place
    if place.name != "__init__.py":
        return None
    path = place.parent.joinpath(*rest)
    for found in (path.with_suffix(".py"), path / "__init__.py"):
        if found.is_file():
            return found
    return None


@cache
def _top(name: str) -> Path | None:
    held = getattr(sys.modules.get(name), "__file__", None)
    if held is None:
        try:
            spec = find_spec(name)
        except (ImportError, ValueError):
            return None
        held = None if spec is None else spec.origin
    path = None if held is None else Path(held)
    return path if path is not None and path.suffix == ".py" and path.is_file() else None


@dataclass(frozen=True)
class _Facts:
    """What is kept of a file: a hash of its code, its import statements, whether it marks kernels."""

    code: str
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    kernels: bool


@cache
def _facts(path: Path) -> _Facts:
    collecting = gc.isenabled()
    gc.disable()  # a syntax tree is many small objects and no garbage: looking for some doubles the time
    try:
        tree = ast.parse(path.read_bytes())
        words: list[str] = []
        _walk(tree, words)
        code = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()
        imports = tuple(node for node in _running(tree) if isinstance(node, ast.Import | ast.ImportFrom))
        marks = (mark for node in tree.body if isinstance(node, ast.FunctionDef) for mark in node.decorator_list)
        kernels = any(getattr(mark, "attr", getattr(mark, "id", "")) in KERNEL_MARKS for mark in marks)
        return _Facts(code, imports, kernels)
    finally:
        if collecting:
            gc.enable()


def code_hash(path: Path) -> str:
    """Return a hash of a file's code: of its syntax tree without docstrings."""
    return _facts(path).code


def _walk(node: ast.AST, words: list[str]) -> None:
    words.append(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            _walk(value, words)
        elif isinstance(value, list):
            words.append("[")
            for i, item in enumerate(value):
                if isinstance(item, ast.AST):
                    # A string that stands alone is said to readers, not to the compiler.
                    if not (isinstance(item, ast.Expr) and _is_text(item.value)):
                        _walk(item, words)
                else:
                    words.append(f"{i}{item!r}")
            words.append("]")
        else:
            words.append(repr(value))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """Return the modules that a module imports anywhere in its text, but for the type checker only."""
    path = file_of(module)
    if path is None:
        return ()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    made: dict[str, None] = {}
    for node in _facts(path).imports:
        if isinstance(node, ast.Import):
            made |= dict.fromkeys(alias.name for alias in node.names)
        else:
            base = _absolute(node, package)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                made[inner if file_of(inner) is not None else base] = None
    return tuple(made)


def _running(node: ast.AST) -> Iterator[ast.stmt]:
    """Give the statements of a tree, inner ones too, without the blocks that only a type checker reads."""
    for name in ("body", "orelse", "finalbody", "handlers"):
        for child in getattr(node, name, ()):
            if isinstance(child, ast.If) and _only_for_types(child.test):
                continue
            if isinstance(child, ast.stmt):
                yield child
            yield from _running(child)


def _only_for_types(test: ast.expr) -> bool:
    return getattr(test, "attr", getattr(test, "id", "")) == "TYPE_CHECKING"


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


def has_kernels(module: str) -> bool:
    """Tell whether a module marks a function as a kernel."""
    path = file_of(module)
    return path is not None and _facts(path).kernels


def closure(roots: Iterable[str], follow: Callable[[str], bool]) -> dict[str, Path]:
    """Return the modules that are reached from `roots` through imports, where `follow` agrees, with their files."""
    made: dict[str, Path] = {}
    left = [name for name in roots if file_of(name) is not None]
    while left:
        name = left.pop()
        path = file_of(name)
        if name in made or path is None:
            continue
        made[name] = path
        left += [other for other in imports_of(name) if follow(other)]
    return made


@cache
def generic_modules() -> frozenset[str]:
    """Return the modules whose code is compiled into every game: the step machine, the search, what they import."""
    return frozenset(closure(("sim.engine", "sim.search"), lambda name: name.startswith("sim.")))


def game_modules(module: str) -> dict[str, Path]:
    """Return the modules behind the kernels of the game that `module` belongs to, with their files.

    They are looked for among all that the game's own package, or its single module, imports: those that hold kernels,
    and what these import in turn. The generic kernels are hashed once for all games, other libraries not at all.
    """
    package = module.rpartition(".")[0]
    roots = [module, *([package] if package and package != "sim.games" else [])]
    reached = closure(roots, lambda name: _own(name, module))
    kernels = [module, *(name for name in reached if has_kernels(name))]
    return closure(kernels, lambda name: _own(name, module))


def _own(name: str, module: str) -> bool:
    if name.startswith("sim.") and not name.startswith("sim.games."):
        return name not in generic_modules() and has_kernels(name)
    path = file_of(name)
    if path is None or name.partition(".")[0] in sys.stdlib_module_names:
        return False
    return name.partition(".")[0] == module.partition(".")[0] or not _installed(path)


def _installed(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _libraries())


@cache
def _libraries() -> frozenset[str]:
    return frozenset(sysconfig.get_path(key) for key in ("purelib", "platlib", "stdlib", "platstdlib"))


def hash_modules(modules: dict[str, Path]) -> str:
    """Return 12 hex digits over the names and the code of modules."""
    digest = hashlib.sha256()
    for name in sorted(modules):
        digest.update(f"{name}\0{code_hash(modules[name])}\0".encode())
    return digest.hexdigest()[:12]
