"""Charts of one row for each name: marks, intervals and the text beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from reports.figures.canvas import PAD, inches_of, new_axes, new_figure, size_of, text_width, wrap_text, write_text
from reports.figures.scales import axis_limits, cell_in, null_and_margin, scale_x
from reports.model import Unit
from reports.theme import BODY, INK, MUTED, RULE, SMALL
from reports.words import full_text, interval_text, short_count, value_text


def draw_mark(
    ax: Axes, x: float, y: float, colour: str, shape: str = "o", *, filled: bool = True, size: float = 6.5
) -> None:
    """Draw one mark, filled or hollow."""
    ax.plot(
        [x],
        [y],
        marker=shape,
        markersize=size,
        markerfacecolor=colour if filled else "none",
        markeredgecolor=INK if filled else colour,
        markeredgewidth=0.7 if filled else 1.5,
        linestyle="none",
        zorder=4,
        clip_on=False,
    )


def interval_line(ax: Axes, low: float, high: float, y: float, colour: str, *, thick: bool = True) -> None:
    """Draw an interval; an end that is open runs to the edge."""
    left, right = ax.get_xlim()
    if math.isnan(low) and math.isnan(high):
        return
    ends = (left if math.isnan(low) else low, right if math.isnan(high) else high)
    width = 2.4 if thick else 0.9
    ax.plot(ends, [y, y], color=colour, linewidth=width, solid_capstyle="butt", zorder=3, alpha=0.95)
    if not thick:
        ax.plot(ends, [y, y], color=colour, linestyle="none", marker="|", markersize=5, zorder=3)


class Row:
    """A line of a row chart: a heading, or a label with a mark."""

    def __init__(self, label: str, *, heading: bool = False, row: Any = None, right: str = "", count: str = "") -> None:
        self.label, self.heading, self.row, self.right, self.count = label, heading, row, right, count
        self.lines: list[str] = []
        self.y = 0.0


def count_label(n: float) -> str:
    """Return the count behind an interval as a short text."""
    return "" if n is None or not math.isfinite(n) else f"n {short_count(n)}"


def rows_chart(
    rows: list[Row],
    values: Sequence[float],
    *,
    unit: Unit,
    null: float | None,
    margin: float | None,
    null_text: str,
    xlabel: str,
    xlim: tuple[float, float] | None,
    legend: str,
    title: str,
    width: float,
) -> tuple[Figure, Axes]:
    """Lay out labels, the plot and the numbers beside it; return the axes with y of each row set (in inches)."""
    narrow = width < 5
    label_room = width - 2 * PAD if narrow else min(2.1, width * 0.3)
    number_room = max([text_width(r.right, SMALL + 0.5) for r in rows] + [0.3]) + 0.12
    count_room = max([text_width(r.count, SMALL) for r in rows] + [0.0]) + 0.1
    y = 0.3
    for r in rows:
        if r.heading:
            r.lines, r.y = wrap_text(r.label, BODY, width - 2 * PAD, 1), y + 0.2
            y += 0.32
        elif narrow:
            r.lines, r.y = wrap_text(r.label, BODY, max(width - 2 * PAD - number_room, 0.6), 2), y
            y += 0.17 * len(r.lines) + 0.27
            r.y = y - 0.18
        else:
            r.lines = wrap_text(r.label, BODY, label_room)
            height = max(0.3, 0.15 * len(r.lines) + 0.1)
            r.y = y + height / 2
            y += height
    foot = 0.42 + (0.24 if legend else 0.0)
    fig, _ = new_figure(width, y + 0.06 + foot, title)
    widest = max([text_width(line, BODY) for r in rows if not r.heading for line in r.lines] + [0.3])
    left = PAD if narrow else PAD + min(label_room, widest) + 0.14
    right = PAD if narrow else PAD + number_room + count_room
    ax = new_axes(fig, left, foot, width - left - right, y + 0.06)
    ax.set_ylim(y + 0.06, 0)
    ax.yaxis.set_major_locator(NullLocator())
    low, high = xlim if xlim else axis_limits(values, null, margin)
    scale_x(ax, low, high, unit, xlabel, narrow=narrow)
    ax.grid(visible=False)
    if not narrow:
        ticks = [float(t) for t in ax.xaxis.get_major_locator().tick_values(low, high)]
        ax.vlines(ticks, 0.24, y + 0.06, color=RULE, linewidth=0.4, alpha=0.45, zorder=0)
    strips = [(r.y - 0.1, r.y + 0.11) for r in rows if not r.heading] if narrow else [(0.24, y + 0.06)]
    null_and_margin(ax, null, margin, unit, null_text, strips)
    label_rows(ax, rows, narrow=narrow, left=left, number_room=number_room, count_room=count_room)
    if legend:
        h = size_of(fig)[1]
        fig.text(PAD / width, 0.11 / h, legend, size=SMALL, color=MUTED, va="center", parse_math=False)
    return fig, ax


def label_rows(ax: Axes, rows: list[Row], *, narrow: bool, left: float, number_room: float, count_room: float) -> None:
    """Write names and numbers of the rows around the axes."""
    low, high = ax.get_xlim()
    w = inches_of(ax)
    per_inch = (high - low) / w
    edge = low - (left - PAD) * per_inch
    for r in rows:
        if r.heading:
            write_text(ax, edge, r.y, r.lines[0], weight="bold")
            continue
        top = r.y - 0.19 - 0.16 * (len(r.lines) - 1) if narrow else r.y - 0.075 * (len(r.lines) - 1)
        for i, line in enumerate(r.lines):
            write_text(ax, edge, top + (0.16 if narrow else 0.15) * i, line)
        if narrow:
            write_text(ax, high, r.y - 0.19, r.right, ha="right", size=SMALL + 0.5)
        else:
            write_text(ax, high + number_room * per_inch, r.y, r.right, ha="right", size=SMALL + 0.5)
            write_text(
                ax, high + (number_room + count_room) * per_inch, r.y, r.count, ha="right", size=SMALL, color=MUTED
            )


def right_text(row: Any, unit: Unit, *, narrow: bool) -> str:
    """Return the numbers beside a mark: value and interval; with little room the count too, in few letters."""
    cell = cell_in(row, unit)
    value, span = value_text(cell, unit, short=True), interval_text(cell, unit)
    if narrow:
        tail = count_label(row.n)
        return "\N{EN SPACE}".join(part for part in (f"{value} ({span})" if span else value, tail) if part)
    return full_text(cell, unit, short=True)
