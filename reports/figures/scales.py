"""Scales, ticks and values of pictures, in the units of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullLocator

from reports.figures.canvas import write_text
from reports.model import Cell, Unit
from reports.theme import BAND, INK, MUTED, RULE, SMALL
from reports.words import clean, margin_text, number, value_text


def nice_ticks(low: float, high: float, count: int, *, whole: bool = False) -> list[float]:
    """Return round places for ticks between two values."""
    steps = [1, 2, 5, 10] if whole else [1, 2, 2.5, 5, 10]
    found = MaxNLocator(nbins=count, steps=steps, integer=whole).tick_values(low, high)
    return [float(t) for t in found if low - 1e-9 <= t <= high + 1e-9]


def tick_text(value: float, unit: Unit, step: float) -> str:
    """Return the text of a tick with as many digits as the step needs."""
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    if step * 10**digits % 1 > 1e-6 and digits < 4:
        digits += 1
    scale = 100 if unit in ("share", "points") else 1
    return number(value / scale, unit, digits)


def unit_label(unit: Unit) -> str:
    """Return what stands beside an axis for a unit."""
    return {"share": "%", "points": "points", "per_1000": "per 1,000 games"}.get(unit, "")


def scale_x(ax: Axes, low: float, high: float, unit: Unit, label: str, *, narrow: bool, whole: bool = False) -> None:
    """Set limits, ticks, their texts and quiet grid lines on x; data are already in shown units."""
    ax.set_xlim(low, high)
    ticks = nice_ticks(low, high, 4 if narrow else 7, whole=whole)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_major_formatter(FixedFormatter([tick_text(t, unit, step) for t in ticks]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.grid(axis="x", color=RULE, linewidth=0.4, alpha=0.45)
    ax.set_axisbelow(True)
    ax.set_xlabel(with_unit(label, unit), size=SMALL, color=MUTED, parse_math=False, labelpad=4)


def with_unit(label: str, unit: Unit) -> str:
    """Return an axis label with its unit, once."""
    word, label = unit_label(unit), clean(label)
    return label if not word or word in label.split() else f"{label} ({word})" if label else word


def in_shown_units(frame: pd.DataFrame, unit: Unit) -> pd.DataFrame:
    """Return a copy with the columns of an estimate there, as floats, and in shown units."""
    data = frame.copy().reset_index(drop=True)
    scale = 100.0 if unit in ("share", "points") else 1.0
    for name in ("value", "low", "high"):
        data[name] = (pd.to_numeric(data[name]) if name in data else pd.Series(np.nan, data.index)).astype(
            float
        ) * scale
    if "n" not in data:
        data["n"] = np.nan
    return data


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """Return the rows of a table, to be read by attribute."""
    return list(frame.itertuples())


def cell_in(row: Any, unit: Unit) -> Cell:
    """Return the value and interval of a row as a cell of the model."""
    scale = 100.0 if unit in ("share", "points") else 1.0
    return Cell(row.value / scale, row.low / scale, row.high / scale)


def axis_limits(values: Sequence[float], null: float | None, margin: float | None) -> tuple[float, float]:
    """Return the ends of an axis that show all values, the null and the margin."""
    known = [v for v in values if v is not None and math.isfinite(v)]
    if null is not None:
        known += [null - (margin or 0.0) * 1.15, null + (margin or 0.0) * 1.15]
    low, high = min(known, default=0.0), max(known, default=1.0)
    pad = (high - low) * 0.06 or 1.0
    return low - pad, high + pad


def null_and_margin(
    ax: Axes,
    null: float | None,
    margin: float | None,
    unit: Unit,
    null_text: str,
    strips: Sequence[tuple[float, float]],
) -> None:
    """Draw the line of a fair game and the band of the margin in strips of y, and name both above the rows."""
    if null is None:
        return
    for top, bottom in strips:
        if margin:
            box = Rectangle(
                (null - margin, top), 2 * margin, bottom - top, color=BAND, alpha=0.17, linewidth=0, zorder=0
            )
            ax.add_patch(box)
        ax.plot([null, null], [top, bottom], color=INK, linewidth=1.0, zorder=1, solid_capstyle="butt")
    scale = 100 if unit in ("share", "points") else 1
    text = null_text or ("no difference" if null == 0 else f"fair: {value_text(Cell(null / scale), unit)}")
    if margin:
        text += f", margin \N{PLUS-MINUS SIGN}{margin_text(margin / scale, unit)}"
    low, high = ax.get_xlim()
    place = (null - low) / (high - low)
    side = "center" if 0.25 < place < 0.75 else "left" if place <= 0.25 else "right"
    write_text(ax, null, 0.12, clean(text), size=SMALL, color=MUTED, ha=side)


def scale_y(ax: Axes, unit: Unit, count: int) -> None:
    """Set ticks and their texts on y."""
    low, high = ax.get_ylim()
    ticks = nice_ticks(low, high, count)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_major_formatter(FixedFormatter([tick_text(t, unit, step) for t in ticks]))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.grid(axis="y", color=RULE, linewidth=0.4, alpha=0.45)
    ax.set_axisbelow(True)


def spread_apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places as near as possible to the wanted ones, at least `gap` from each other, in the same order."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [0.0] * len(wanted)
    floor = low
    for i in order:
        placed[i] = max(wanted[i], floor)
        floor = placed[i] + gap
    ceiling = high
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    return placed
