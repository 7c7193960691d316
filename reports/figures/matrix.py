"""Side against side as a coloured matrix."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from reports import theme
from reports.figures.canvas import (
    GAP,
    PAD,
    house_style,
    new_axes,
    new_figure,
    size_of,
    text_width,
    wrap_text,
    write_text,
)
from reports.figures.scales import cell_in, in_shown_units, rows_of
from reports.model import Cell, Unit
from reports.theme import BODY, MUTED, RULE, SMALL, WIDE
from reports.words import clean, number, short_count, value_text


def _diverging() -> LinearSegmentedColormap:
    return LinearSegmentedColormap.from_list("evenhand", list(theme.DIVERGING))


def matrix(
    frame: pd.DataFrame,
    *,
    null: float = 0.5,
    limit: float | None = None,
    unit: Unit = "share",
    order: str = "given",
    row_title: str = "plays as",
    column_title: str = "against",
    title: str = "",
    width: float = WIDE,
) -> Figure:
    """Draw side against side as a heat map: colour by distance from the null, symmetric; the number in each cell.

    A cell whose interval covers the null has no colour. The diagonal is hatched.

    Parameters
    ----------
    frame
        Columns ``row``, ``column``, ``value``, ``low``, ``high``, ``n``; a pair that is missing stays empty.
    null, limit
        The centre of the colours and how far they reach to both sides; by default to the farthest value.
    order
        ``given`` or ``value`` (strongest row first).
    """
    narrow = width < 5
    scale = 100.0 if unit in ("share", "points") else 1.0
    data = in_shown_units(frame, unit)
    names = list(dict.fromkeys([*data["row"], *data["column"]]))
    if order == "value":
        mean = data[data["row"] != data["column"]].groupby("row")["value"].mean()
        names.sort(key=lambda name: -float(mean.get(name, -math.inf)))
    centre = null * scale
    reach = limit * scale if limit else float((data["value"] - centre).abs().max())
    reach = reach if math.isfinite(reach) and reach > 0 else 1.0
    size = len(names)
    with house_style():
        label_room = 0.95 if narrow else 1.5
        lines = 2 if narrow or size > 7 else 3  # what the lowest cell has room for
        labels = [wrap_text(str(name), SMALL if narrow else BODY, label_room, lines) for name in names]
        widest = max([text_width(line, SMALL if narrow else BODY) for part in labels for line in part] + [0.3])
        left = PAD + min(widest, label_room) + 0.1
        cell_w = min((width - left - PAD) / max(size, 1), 1.15)
        cell_h = min(max(cell_w * 0.62, 0.3), 0.6)
        # A word that would be cut in two is turned instead.
        slanted = max(text_width(word, SMALL) for n in names for word in str(n).split() or [""]) > cell_w - 0.06
        columns = [wrap_text(str(n), SMALL, 1.2 if slanted else cell_w - 0.06, 1 if slanted else 3) for n in names]
        head = (
            (max(text_width(c[0], SMALL) for c in columns) + 0.12) if slanted else 0.15 * max(map(len, columns)) + 0.1
        )
        head += 0.22
        foot = 0.62 if narrow else 0.5
        fig, _ = new_figure(width, head + cell_h * size + foot, title)
        ax = new_axes(fig, left, foot, cell_w * size, cell_h * size)
        ax.set_xlim(0, size)
        ax.set_ylim(size, 0)
        ax.xaxis.set_major_locator(NullLocator())
        ax.yaxis.set_major_locator(NullLocator())
        for i, parts in enumerate(labels):
            for k, line in enumerate(parts):
                y = i + 0.5 + (k - (len(parts) - 1) / 2) * 0.14 / cell_h
                write_text(ax, -0.1 / cell_w, y, line, ha="right", size=SMALL if narrow else BODY)
        for j, parts in enumerate(columns):
            if slanted:
                write_text(ax, j + 0.5, -0.06 / cell_h, parts[0], size=SMALL, rotation=90, ha="center", va="bottom")
                continue
            for k, line in enumerate(parts):
                y = (-0.1 - 0.15 * (len(parts) - 1 - k)) / cell_h
                write_text(ax, j + 0.5, y, line, ha="center", size=SMALL)
        corner = f"{clean(row_title)} \N{DOWNWARDS ARROW}{GAP}{clean(column_title)} \N{RIGHTWARDS ARROW}"
        fig_h = size_of(fig)[1]
        top = (foot + cell_h * size + head - 0.1) / fig_h
        fig.text(PAD / width, top, corner, size=SMALL, color=MUTED, va="center", parse_math=False)
        _matrix_cells(ax, data, names, centre, reach, unit, cell_w, cell_h)
        _matrix_key(fig, data, centre, reach, unit, narrow=narrow)
    return fig


def _matrix_cells(
    ax: Axes,
    data: pd.DataFrame,
    names: list[Any],
    centre: float,
    reach: float,
    unit: Unit,
    cell_w: float,
    cell_h: float,
) -> None:
    """Colour and number of every cell."""
    colours = _diverging()
    index = {name: i for i, name in enumerate(names)}
    for i in range(len(names)):
        box = Rectangle((i, i), 1, 1, facecolor="none", edgecolor=RULE, hatch="////", linewidth=0.0, zorder=0)
        ax.add_patch(box)
    for r in rows_of(data):
        if not math.isfinite(r.value):
            continue
        i, j = index[r.row], index[r.column]
        covered = not (r.low > centre or r.high < centre)  # an interval that is not known covers everything
        part = min(max((r.value - centre) / reach, -1.0), 1.0)
        colour = to_hex(colours(0.5 + part / 2))
        face = "none" if covered or i == j else colour
        ax.add_patch(Rectangle((j, i), 1, 1, facecolor=face, edgecolor=RULE, linewidth=0.5, zorder=1))
        ink = MUTED if face == "none" else theme.text_on(colour)
        cell = cell_in(r, unit)
        text = value_text(cell, unit, suffix=False)
        sized = BODY if text_width(text, BODY, "bold") < cell_w * 0.9 else 6.0
        half = (r.high - r.low) / 2
        both = math.isfinite(half) and cell_w > 0.5 and cell_h > 0.36
        weight = "normal" if face == "none" else "bold"
        room = {"facecolor": "none", "edgecolor": "none"}
        if text_width(text, sized) < cell_w:
            write_text(
                ax,
                j + 0.5,
                i + (0.37 if both else 0.5),
                text,
                ha="center",
                color=ink,
                weight=weight,
                size=sized,
                bbox=room,
            )
        if both:
            scale = 100 if unit in ("share", "points") else 1
            spread = "\N{PLUS-MINUS SIGN}" + number(half / scale, "share" if scale == 100 else "number", 1)
            write_text(ax, j + 0.5, i + 0.72, spread, ha="center", color=ink, size=6.5)


def _matrix_key(fig: Figure, data: pd.DataFrame, centre: float, reach: float, unit: Unit, *, narrow: bool) -> None:
    """Draw the colour scale with its three numbers, and what a cell rests on."""
    w, h = size_of(fig)
    key = fig.add_axes((PAD / w, 0.28 / h, 1.1 / w, 0.1 / h))
    colours = _diverging()
    for i in range(24):  # a little wider than a step: no seams
        key.add_patch(Rectangle((i / 24, 0), 1.3 / 24, 1, facecolor=to_hex(colours((i + 0.5) / 24)), linewidth=0))
    key.set_axis_off()
    scale = 100 if unit in ("share", "points") else 1
    for x, v in ((0.0, centre - reach), (0.5, centre), (1.0, centre + reach)):
        text = value_text(Cell(v / scale), unit, suffix=False)
        place = (PAD + 1.1 * x) / w
        side = ("left", "center", "right")[round(2 * x)]
        fig.text(place, 0.17 / h, text, size=7, color=MUTED, ha=side, va="center", parse_math=False)
    known = data["n"].dropna()
    count = ""
    if len(known):
        low, high = short_count(float(known.min())), short_count(float(known.max()))
        count = f"n {low if low == high else f'{low} to {high}'} per cell"
    lines = (
        ["no colour: the interval covers the null", count]
        if narrow
        else [f"no colour: the interval covers the null{GAP}{count}"]
    )
    for i, line in enumerate(part for part in lines if part):
        y = (0.33 - 0.15 * i) / h
        fig.text((PAD + 1.25) / w, y, line, size=7, color=MUTED, va="center", parse_math=False)
