from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest

from reports.files import csv_bytes, read, write, write_atomic
from reports.model import Cell, Column, ReportModel, Table


def _all(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_two_renderings_have_the_same_bytes(model: ReportModel, folder: Path, tmp_path: Path) -> None:
    write(model, tmp_path)
    assert _all(tmp_path) == _all(folder)


def test_a_report_read_back_renders_the_same_page(folder: Path, tmp_path: Path) -> None:
    from reports.html import render

    assert render(read(folder)) == (folder / "report.html").read_text(encoding="utf-8")


def test_every_table_and_figure_has_its_file(model: ReportModel, folder: Path) -> None:
    assert {p.stem for p in (folder / "tables").iterdir()} == {t.id for t in model.tables()}
    assert {p.stem for p in (folder / "figures").iterdir()} == {f.id for f in model.figures()}
    for picture in (folder / "figures").iterdir():
        data = picture.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert b"Software" not in data
        assert b"tIME" not in data


def test_csv_has_full_precision_and_intervals(model: ReportModel, folder: Path) -> None:
    table = next(t for t in model.tables() if t.id == "courts")
    rows = list(csv.DictReader(io.StringIO((folder / "tables" / "courts.csv").read_text(encoding="utf-8"))))
    share = [row[1] for row in table.rows]
    assert [float(r["share"]) for r in rows] == [c.value for c in share]
    assert [float(r["share_low"]) for r in rows] == [c.low for c in share]
    assert [int(r["share_n"]) for r in rows] == [c.n for c in share]
    assert "share_flag" in rows[0]
    assert "rounds_flag" not in rows[0]


def test_csv_names_are_no_formulas() -> None:
    table = Table("t", "t", (Column("name", "name"), Column("x", "x", "number")), ((Cell("=1+1"), Cell(-2.5)),))
    assert csv_bytes(table) == b"name,x\n'=1+1,-2.5\n"


def test_nothing_half_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "summary.json"
    write_atomic(place, b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_atomic(place, b"new")
    assert _all(tmp_path) == {"summary.json": b"old"}


def test_nasty_names_stay_inside_the_folder(nasty: ReportModel, nasty_folder: Path) -> None:
    import dataclasses

    figure = dataclasses.replace(nasty.figures()[0], id='../../<script>"')
    section = dataclasses.replace(nasty.sections[0], blocks=(figure,))
    place = nasty_folder.parent / "inside"
    write(dataclasses.replace(nasty, sections=(section,)), place)
    assert sorted(_all(place)) == ["figures/script.png", "report.html", "summary.json", "tables/script.csv"]
