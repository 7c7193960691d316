"""Every notebook runs from the top with few games, shows something, and names no place of a machine."""

import json
import re
import sys
from pathlib import Path

import nbformat
import pytest

HERE = Path(__file__).parents[1] / "notebooks"
sys.path.insert(0, str(HERE))

from execute import execute, notebooks  # noqa: E402

FEW = "400"
BOOKS = notebooks()
LARGEST = 150_000


def texts(cell):
    for output in cell.get("outputs", ()):
        yield output.get("text", "")
        yield from (str(text) for text in output.get("data", {}).values())


def test_there_are_five():
    assert [book.name[:2] for book in BOOKS] == ["01", "02", "03", "04", "05"]


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_it_runs(book, monkeypatch):
    monkeypatch.setenv("EVENHAND_GAMES", FEW)
    made = execute(book)
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    with_pictures = [cell for cell in code if any("image/png" in o.get("data", {}) for o in cell.outputs)]
    assert with_pictures
    assert sum(bool(list(texts(cell))) for cell in code) >= 4


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_what_is_committed_is_whole_small_and_of_no_machine(book):
    kept = nbformat.read(book, as_version=4)
    nbformat.validate(kept)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code), "commit it with its outputs: python notebooks/execute.py"
    shown = "\n".join(text for cell in code for text in texts(cell))
    assert shown
    assert not re.search(r"(?<![\w.<>])/(work|home|tmp|root|usr|Users)/", shown)
    assert "Traceback" not in shown
    assert len(json.dumps(kept)) < LARGEST
