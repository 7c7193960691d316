from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys

import numpy as np
import pytest

from reports.model import Cell, Column, Facts, FigureSpec, ReportModel, Table, from_json, to_bytes, to_json


def _strict(data: bytes) -> dict[str, object]:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    found: dict[str, object] = json.loads(data.decode("ascii"), parse_constant=refuse)
    return found


def test_summary_is_strict_json_and_comes_back_as_the_same_model(model: ReportModel, nasty: ReportModel) -> None:
    for made in (model, nasty):
        data = _strict(to_bytes(made))
        assert data == to_json(made)
        assert from_json(data) == made


def test_summary_of_another_schema_is_refused(model: ReportModel) -> None:
    with pytest.raises(ValueError, match="version 99"):
        from_json({**to_json(model), "schema_version": 99})


def test_numbers_that_are_none_are_null() -> None:
    cell = Cell(np.float64("nan"), -math.inf, np.float32(0.5), np.int64(7))
    assert (cell.value, cell.low, cell.high, cell.n) == (None, None, 0.5, 7)
    assert type(cell.n) is int
    assert type(cell.high) is float


def test_not_finite_numbers_in_options_do_not_reach_the_file(model: ReportModel) -> None:
    figure = dataclasses.replace(model.figures()[0], options={"null": math.nan})
    section = dataclasses.replace(model.sections[0], blocks=(figure,))
    assert b"NaN" not in to_bytes(dataclasses.replace(model, sections=(section,)))


def test_seed_is_text() -> None:
    with pytest.raises(TypeError, match="text"):
        Facts(1, 1, 2, "skilled", 2**64 - 1, None, "")  # type: ignore[arg-type]


def test_what_does_not_fit_is_refused(model: ReportModel) -> None:
    with pytest.raises(ValueError, match="row 0 has 1 cells for 2 columns"):
        Table("t", "t", (Column("a", "a"), Column("b", "b")), ((Cell(1),),))
    with pytest.raises(ValueError, match="no alt text"):
        FigureSpec("f", "forest", model.figures()[0].table, " ", "title")
    with pytest.raises(ValueError, match="'seats' stands twice"):
        dataclasses.replace(model, sections=(model.sections[0], model.sections[0]))


def test_importing_reports_loads_nothing_heavy() -> None:
    code = (
        "import sys, reports, reports.model, reports.terminal, reports.files, reports.html; "
        "print([m for m in ('numpy', 'pandas', 'matplotlib', 'jinja2', 'rich', 'numba', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
