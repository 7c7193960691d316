"""Reports: a typed model first; HTML, PNG, JSON, CSV and terminal are renderings of it.

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reports.files import read, write
    from reports.html import index, render
    from reports.model import ReportModel, from_json, to_json
    from reports.notebook import show
    from reports.report import build
    from reports.terminal import summary

__all__ = ["ReportModel", "build", "from_json", "index", "read", "render", "show", "summary", "to_json", "write"]

_PLACES = {
    "ReportModel": "model",
    "build": "report",
    "from_json": "model",
    "index": "html",
    "read": "files",
    "render": "html",
    "show": "notebook",
    "summary": "terminal",
    "to_json": "model",
    "write": "files",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'reports' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"reports.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
