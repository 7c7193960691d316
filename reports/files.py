"""Write a report into a folder: every file complete or not there, the same bytes for the same model."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from reports.html import render
from reports.model import ReportModel, Table, from_json, to_bytes
from reports.words import clean, file_names
from sim.errors import RunError

REPORT, SUMMARY, TABLES, FIGURES = "report.html", "summary.json", "tables", "figures"


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file under a temporary name beside its place, then move it there."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        os.replace(part, path)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise RunError(f"{path} cannot be written: {error.strerror or error}.") from error
        raise


def csv_value(value: object) -> object:
    """Return a value as it stands in a CSV file: nothing for None, no name that a spreadsheet takes for a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@"):
        return "'" + clean(value)
    if isinstance(value, str):
        return clean(value)
    return "" if value is None else value


def csv_bytes(table: Table) -> bytes:
    """Return a table as CSV: full precision, an interval in the columns `<key>_low`, `<key>_high`, `<key>_n`.

    Columns of intervals, counts, flags and own texts are there only if the table has any.
    """
    heads: list[str] = []
    columns: list[list[object]] = []
    for j, column in enumerate(table.columns):
        cells = [row[j] for row in table.rows]
        heads.append(column.key)
        columns.append([c.value if c.value is not None or not c.text else c.text for c in cells])
        for part in ("low", "high", "n", "flag"):
            values = [getattr(c, part) for c in cells]
            if any(v not in (None, "") for v in values):
                heads.append(f"{column.key}_{part}")
                columns.append(values)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([csv_value(h) for h in heads])
    writer.writerows([csv_value(column[i]) for column in columns] for i in range(len(table.rows)))
    return out.getvalue().encode("utf-8", "replace")


def _pictures(model: ReportModel) -> Iterator[tuple[str, bytes]]:
    from reports import figures

    names = file_names([f.id for f in model.figures()], ".png")
    for spec in model.figures():
        buffer = io.BytesIO()
        figures.to_png(figures.draw(spec, titled=True), buffer)
        yield names[spec.id], buffer.getvalue()


def write(model: ReportModel, folder: str | Path) -> Path:
    """Write `summary.json`, `tables/*.csv`, `figures/*.png` and, last, `report.html`; return the path of the page.

    Parameters
    ----------
    model
        The report.
    folder
        Where to; made if it is not there. Files of an earlier report with other names stay.
    """
    place = Path(folder)
    write_atomic(place / SUMMARY, to_bytes(model))
    tables = model.tables()
    names = file_names([t.id for t in tables], ".csv")
    for table in tables:
        write_atomic(place / TABLES / names[table.id], csv_bytes(table))
    for name, data in _pictures(model):
        write_atomic(place / FIGURES / name, data)
    page = place / REPORT
    write_atomic(page, render(model).encode("utf-8", "replace"))
    return page


def read(folder: str | Path) -> ReportModel:
    """Return the model of a folder's (or file's) `summary.json`."""
    path = Path(folder)
    path = path / SUMMARY if path.is_dir() else path
    return from_json(json.loads(path.read_text(encoding="ascii")))
