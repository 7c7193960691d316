"""The two decorators that compile kernels, and the folder in which compiled code is kept.

`kernel` marks a helper: compiled into whatever calls it (`sim/lean.py`), never cached by itself. `entry` marks the few
functions that Python calls: these are cached on disk (`sim/kept.py`). Nothing there can go stale: code is found by the
folder (a hash of the generic kernels, the versions and numba's flags), by the code of the entry's own module, and by
the signature (a game's record type carries a hash of the code behind its kernels in a field name).
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

from sim import sources
from sim.kept import CheckedCache
from sim.lean import lean, lean_options

F = TypeVar("F", bound=Callable[..., Any])

_CONFIG: Any = numba.config
JIT_OFF: bool = bool(_CONFIG.DISABLE_JIT)
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
# Numba's own flag for code that needs no reference counts; it has no public name.
BARE: dict[str, Any] = {"_nrt": False}
OVERLOAD: Any = lean_options(OPTIONS)  # for `numba.extending.overload`
INLINED: Any = lean_options(OPTIONS | {"forceinline": True})  # the same, into the body of each caller
# Flags that change the code numba makes; a cache made under one set must not serve another.
_FLAGS = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "CPU_NAME", "CPU_FEATURES", "LOOP_VECTORIZE", "SLP_VECTORIZE")


def source_hash() -> str:
    """Return 12 hex digits over the generic kernels, which are compiled into the entries of every game."""
    modules = sources.closure(sorted(sources.generic_modules()), lambda name: False)
    return sources.hash_modules(modules)


def _cache_key() -> str:
    files = source_hash()
    flags = ",".join(f"{name}={getattr(_CONFIG, name, None)}" for name in _FLAGS)
    versions = f"numba {numba.__version__} numpy {np.__version__} python {sys.version_info[:2]} {platform.machine()}"
    return hashlib.sha256(f"{files}|{flags}|{versions}".encode()).hexdigest()[:16]


def _roots() -> list[Path]:
    """Return the folders to try, best first: the user's choice, the user's cache, a temporary folder."""
    chosen = os.environ.get("EVENHAND_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    base = os.environ.get("XDG_CACHE_HOME")
    user = Path(base) if base else Path(os.path.expanduser("~")) / ".cache"
    return [user / "evenhand", Path(tempfile.gettempdir()) / f"evenhand-{os.getuid() if hasattr(os, 'getuid') else 0}"]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _pick_cache_dir() -> Path | None:
    key = _cache_key()
    return next((root / key for root in _roots() if _writable(root / key)), None)


CACHE_DIR: Path | None = None if JIT_OFF else _pick_cache_dir()
if CACHE_DIR is not None:
    _CONFIG.CACHE_DIR = str(CACHE_DIR)


def _decorate(function: F, decorator: Callable[..., Any], options: dict[str, Any]) -> F:
    if JIT_OFF:
        function.py_func = function  # type: ignore[attr-defined]
        return function
    return cast(F, decorator(function, OPTIONS | options))


def _whole(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    made: Any = numba.njit(**options)(function)
    if CACHE_DIR is not None:
        made._cache = CheckedCache(function)
    return made


def kernel(function: F) -> F:
    """Compile a helper that other kernels call; it is not cached by itself."""
    return _decorate(function, lean, {})


def bare(function: F) -> F:
    """Compile a helper that makes no array: without the reference counts, two atomic steps for each array passed on."""
    return _decorate(function, lean, BARE)


def inlined(function: F) -> F:
    """Compile a `bare` helper into the body of each caller: for what runs at every move, called from few places."""
    return _decorate(function, lean, BARE | {"forceinline": True})


def entry(function: F) -> F:
    """Compile a function that Python calls; it is cached on disk where a folder can be written."""
    return _decorate(function, _whole, {})
