"""One HTML file without anything from outside: reads without JavaScript, on paper, in the dark and on a telephone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from reports import words
from reports.model import BALANCED, UNBALANCED, UNDECIDED, Cell, Column, FigureSpec, ReportModel, Table
from reports.theme import NARROW, WIDE

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


# Words that are drawn as a pill: (class, sign). A word that is not here is shown as it is, in a quiet pill.
PILLS = {
    BALANCED: ("good", "\N{CHECK MARK}"),
    UNBALANCED: ("bad", "\N{BLACK UP-POINTING TRIANGLE}"),
    UNDECIDED: ("open", "?"),
    "agrees": ("good", "\N{CHECK MARK}"),
    "flips": ("bad", "\N{BLACK UP-POINTING TRIANGLE}"),
}


def _attributes(cell: Cell, path: str) -> Markup:
    """Return the numbers of a cell in full precision, and where they stand in `summary.json` (a JSON pointer)."""
    from markupsafe import Markup

    known = [(name, getattr(cell, name)) for name in ("value", "low", "high", "n")]
    parts = [
        f' data-{name}="{json.dumps(v)}"' for name, v in known if isinstance(v, int | float) and not isinstance(v, bool)
    ]
    return Markup("".join([f' data-path="{escape(path)}"', *parts]))


def _ids(names: Sequence[str], prefix: str) -> dict[str, str]:
    """Return an HTML id for every id of the model: safe characters, unique, never one of the page's own."""
    return {name: prefix + made for name, made in words.file_names(list(names), "").items()}


def _pictures(spec: FigureSpec, prefix: str) -> dict[str, Markup]:
    """Return the SVG for a page and the one for a narrow screen."""
    from markupsafe import Markup

    from reports import figures

    return {
        name: Markup(figures.to_svg(figures.draw(spec, width=width), prefix=f"{prefix}-{name}", alt=spec.alt))
        for name, width in (("wide", WIDE), ("narrow", NARROW))
    }


def _scales(table: Table) -> dict[int, tuple[float, float]]:
    """Return the scale of every column that has bars."""
    return {
        j: words.bar_scale([row[j] for row in table.rows], column.null, column.margin)
        for j, column in enumerate(table.columns)
        if column.bar
    }


def _counts(table: Table) -> dict[int, int]:
    """Return the count that stands behind all cells of a column, for those columns that have one for all."""
    found: dict[int, int] = {}
    for j in range(len(table.columns)):
        counts = {row[j].n for row in table.rows}
        if len(table.rows) > 1 and len(counts) == 1 and (n := counts.pop()) is not None:
            found[j] = n
    return found


def _one_scale(cell: Cell, column: Column) -> tuple[float, float]:
    return words.bar_scale([cell], column.null, column.margin)


def _command(text: str) -> Markup:
    """Return a command whose lines break between its words only, as far as they fit."""
    from markupsafe import Markup, escape

    return Markup(" ").join(
        Markup("<span>{}</span>").format(words.printable(word)) if word else escape("") for word in text.split(" ")
    )


def _head(column: Column) -> str:
    """Return the unit that a column's heading has to say."""
    unit = words.HEADING.get(column.unit, "")
    return "" if unit in column.title.lower() else unit


def _printable(value: Any) -> Any:
    return words.printable(value) if type(value) is str else value


@cache
def _environment() -> Environment:
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    made.filters |= {
        "count": words.count_text,
        "value": words.value_text,
        "interval": words.interval_text,
        "attributes": _attributes,
        "as_column": words.as_column,
        "places": words.places,
        "scales": _scales,
        "counts": _counts,
        "one_scale": _one_scale,
        "command": _command,
        "head_unit": _head,
        "margin": words.margin_text,
        "prose": words.prose,
    }
    made.globals |= {"pills": PILLS, "Cell": Cell}
    return made


def render(model: ReportModel, *, links: bool = True) -> str:
    """Return the report as one HTML page.

    Parameters
    ----------
    model
        The report.
    links
        Name the files beside the page (CSV, PNG, `summary.json`) as links; off where the page stands alone.

    Examples
    --------
    >>> import sim
    >>> from reports.report import build
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> render(build(run, stories=False)).startswith("<!DOCTYPE html>")
    True
    """
    blocks = _ids(model.block_ids(), "b-")
    sections = _ids([s.id for s in model.sections], "s-")
    pictures = {f.id: _pictures(f, blocks[f.id]) for f in model.figures()}
    files = {
        "csv": words.file_names([t.id for t in model.tables()], ".csv"),
        "png": words.file_names([f.id for f in model.figures()], ".png"),
    }
    template = _environment().get_template("report.html.j2")
    return template.render(
        model=model,
        head=model.header,
        blocks=blocks,
        sections=sections,
        anchors={**blocks, **sections},
        pictures=pictures,
        files=files,
        links=links,
    )


def index(reports: Sequence[tuple[str, ReportModel]], *, title: str = "Balance reports") -> str:
    """Return a page that lists reports with their verdicts.

    Parameters
    ----------
    reports
        (address of the page relative to the index, its model).
    """
    return _environment().get_template("index.html.j2").render(reports=reports, title=title)
