"""Compiled code on disk, checked when it is read: what is damaged is thrown away and compiled anew.

Numba's own files carry no checksum and are stamped with the time of the source file. Ours are found by the code alone
(`sim.sources`), so that comments, docstrings and the time of a checkout compile nothing, and begin with a digest, so
that a cut or overwritten file is noticed before it is unpickled or run.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
from numba.core import caching

from sim import sources

# Numba's caching has no public types.
_CACHE: Any = caching.FunctionCache
_FILE: Any = caching.IndexDataCacheFile
_told: set[str] = set()


def _tell(kind: str, sentence: str) -> None:
    """Say a sentence once for each kind and process."""
    if kind not in _told:
        _told.add(kind)
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(f"{sentence}\n")
            sys.stderr.flush()


class CheckedFile(_FILE):  # type: ignore[misc]
    """An index and its data files, each behind a digest of its bytes."""

    def _load_index(self) -> dict[Any, str]:
        made = self._read(self._index_path)
        if made is None or made[:2] != (numba.__version__, self._source_stamp):
            return {}
        found: dict[Any, str] = made[2]
        return found

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (numba.__version__, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, content: Any) -> None:
        data = self._dump(content)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)

    def _read(self, path: str) -> Any:
        """Return what a file holds, None where it is missing or damaged; a damaged one is removed."""
        try:
            with open(path, "rb") as file:
                whole = file.read()
        except FileNotFoundError:
            return None
        digest, data = whole[:32], whole[32:]
        if hashlib.sha256(data).digest() == digest:
            with suppress(Exception):  # a digest that fits code of another make, or a class that is gone
                return pickle.loads(data)
        _tell("damaged", f"{path} was damaged: it is thrown away and compiled anew.")
        with suppress(OSError):
            os.unlink(path)
        return None


class CheckedCache(_CACHE):  # type: ignore[misc]
    """The cache of one entry: found by its code, never in the way."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        modules = sources.game_modules(function.__module__)
        version = f"py{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"
        self._cache_file = CheckedFile(
            cache_path=self._cache_path,
            filename_base=f"{function.__qualname__}.{version}",
            source_stamp=sources.hash_modules(modules),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature, None where there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:
            _tell("unreadable", f"Compiled code in {self._cache_path} cannot be used ({error}): it is compiled anew.")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for a signature, or say once why that is impossible."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            why = error.strerror or error
            _tell(
                "unwritable", f"Compiled code cannot be kept in {self._cache_path} ({why}): it lasts for this process."
            )
