"""Run all notebooks and keep their outputs: ``python notebooks/execute.py [NAME.ipynb ...]``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def notebooks() -> list[Path]:
    """Return the notebooks in their order."""
    return sorted(HERE.glob("[0-9]*.ipynb"))


def execute(path: Path, *, timeout: float = 300.0) -> Any:
    """Return a notebook with its cells run from the top; an error in a cell is raised."""
    book = nbformat.read(path, as_version=4)
    root = str(HERE.parent)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = root if not before else root + os.pathsep + before
    try:
        client = NotebookClient(
            book, timeout=timeout, kernel_name="python3", resources={"metadata": {"path": str(HERE)}}
        )
        client.execute()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    for cell in book.cells:
        cell.metadata.pop("execution", None)  # times would change the file at every run
    book.metadata["language_info"] = {"name": "python"}
    return book


if __name__ == "__main__":
    for place in [HERE / name for name in sys.argv[1:]] or notebooks():
        nbformat.write(execute(place), place)
        print(place.name)
