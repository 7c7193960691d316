"""Figures: each function takes a tidy table and returns a matplotlib Figure.

They are public for notebooks. Every table is a pandas DataFrame with one row per mark. Shares and points are fractions
of 1 and shown in %; an interval is in the columns `low` and `high`, the count behind it in `n`; each of the three may
be missing. Names are shown as they are: nothing in them is taken as mathematics or as markup.

All functions share

title
    A line above the picture; the report has it outside.
width
    In inches. Below 5 a layout for narrow screens is used: labels above their marks.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import IO, Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullFormatter, NullLocator
from matplotlib.transforms import Bbox

from reports import theme
from reports.model import Cell, FigureSpec, Table, Unit
from reports.theme import BAND, BODY, CATEGORICAL, HATCHES, INK, MARKERS, MUTED, RULE, SMALL, WIDE
from reports.words import clean, full_text, interval_text, margin_text, number, short_count, value_text

VERDICT_MARKS = {"balanced": ("o", True), "unbalanced": ("D", True), "undecided": ("o", False)}
VERDICT_LEGEND = (("balanced", "proved inside"), ("unbalanced", "proved outside"), ("undecided", "undecided"))
TIER_MARKS = {"random": "X", "novice": "^", "skilled": "o", "expert": "D"}
PAD = 0.03  # inches at the left and right: an inline picture stands flush with the text above it
GAP = "\N{EM SPACE}\N{EM SPACE}"  # SVG takes several plain spaces for one


class ReportFigure(Figure):
    """A figure that shows itself in a notebook without pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        to_png(self, buffer)
        return buffer.getvalue()


@contextmanager
def _style() -> Iterator[None]:
    """Use our style on top of matplotlib's defaults, whatever the user's own settings are."""
    skip = ("backend", "backend_fallback", "interactive", "toolbar", "timezone", "date.epoch")
    base: dict[str, Any] = {k: v for k, v in mpl.rcParamsDefault.items() if k not in skip}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mpl.MatplotlibDeprecationWarning)
        # A name in a script that the font lacks is no reason for noise: browsers have other fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        settings: Any = {**base, **theme.STYLE}
        with mpl.rc_context(settings):
            yield


# --- layout: everything in inches -------------------------------------------------------------------------------------


def _text_width(text: str, size: float, weight: str = "normal") -> float:
    if not text:
        return 0.0
    width, _, _ = text_to_path.get_text_width_height_descent(
        text, FontProperties(size=size, weight=weight), ismath=False
    )
    return float(width) / 72


def _wrap(text: str, size: float, inches: float, lines: int = 3) -> list[str]:
    """Return a name in lines of at most so many inches; what is too long ends in an ellipsis."""
    text = clean(text).strip() or "(no name)"
    if _text_width(text, size) <= inches:
        return [text]
    for letters in range(max(int(inches / _text_width("i", size)), 4), 3, -1):
        parts = textwrap.wrap(text, letters, break_long_words=True, break_on_hyphens=False)
        if len(parts) > lines:
            parts = [*parts[: lines - 1], parts[lines - 1][: letters - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"]
        if max(_text_width(part, size) for part in parts) <= inches:
            break
    return parts


def _figure(width: float, height: float, title: str) -> tuple[Figure, float]:
    """Return a figure with room for `height` inches below its title, and the inches that the title takes."""
    lines = _wrap(title, BODY + 1.5, width - 2 * PAD, 4) if title else []
    top = 0.2 * len(lines) + 0.14 if lines else 0.0
    fig = ReportFigure(figsize=(width, height + top))
    for i, line in enumerate(lines):
        y = 1 - (0.16 + 0.2 * i) / (height + top)
        fig.text(PAD / width, y, line, size=BODY + 1.5, weight="bold", va="center", parse_math=False)
    return fig, top


def _axes(fig: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    w, h = _size(fig)
    ax = fig.add_axes((left / w, bottom / h, width / w, height / h))
    for side in ("top", "right", "left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0, pad=4, colors=MUTED)
    return ax


def _say(ax: Axes, x: float, y: float, text: str, **more: Any) -> None:
    """Write at data coordinates; a name stays a name."""
    ax.text(x, y, text, **{"size": BODY, "va": "center", "color": INK, "clip_on": False, "parse_math": False, **more})


def _ticks(low: float, high: float, count: int, *, whole: bool = False) -> list[float]:
    steps = [1, 2, 5, 10] if whole else [1, 2, 2.5, 5, 10]
    found = MaxNLocator(nbins=count, steps=steps, integer=whole).tick_values(low, high)
    return [float(t) for t in found if low - 1e-9 <= t <= high + 1e-9]


def _tick_text(value: float, unit: Unit, step: float) -> str:
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    if step * 10**digits % 1 > 1e-6 and digits < 4:
        digits += 1
    scale = 100 if unit in ("share", "points") else 1
    return number(value / scale, unit, digits)


def _unit_label(unit: Unit) -> str:
    return {"share": "%", "points": "points", "per_1000": "per 1,000 games"}.get(unit, "")


def _scale_x(ax: Axes, low: float, high: float, unit: Unit, label: str, *, narrow: bool, whole: bool = False) -> None:
    """Set limits, ticks, their texts and quiet grid lines on x; data are already in shown units."""
    ax.set_xlim(low, high)
    ticks = _ticks(low, high, 4 if narrow else 7, whole=whole)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_major_formatter(FixedFormatter([_tick_text(t, unit, step) for t in ticks]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.grid(axis="x", color=RULE, linewidth=0.4, alpha=0.45)
    ax.set_axisbelow(True)
    ax.set_xlabel(_with_unit(label, unit), size=SMALL, color=MUTED, parse_math=False, labelpad=4)


def _with_unit(label: str, unit: Unit) -> str:
    """Return an axis label with its unit, once."""
    word, label = _unit_label(unit), clean(label)
    return label if not word or word in label.split() else f"{label} ({word})" if label else word


def _shown(frame: pd.DataFrame, unit: Unit) -> pd.DataFrame:
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


def _records(frame: pd.DataFrame) -> list[Any]:
    return list(frame.itertuples())


def _inches(ax: Axes) -> float:
    """Return the width of an axes in inches."""
    return float(_size(ax.figure)[0] * ax.get_position().width)


def _size(fig: Any) -> tuple[float, float]:
    w, h = fig.get_size_inches()
    return float(w), float(h)


def _cell(row: Any, unit: Unit) -> Cell:
    scale = 100.0 if unit in ("share", "points") else 1.0
    return Cell(row.value / scale, row.low / scale, row.high / scale)


def _limits(values: Sequence[float], null: float | None, margin: float | None) -> tuple[float, float]:
    known = [v for v in values if v is not None and math.isfinite(v)]
    if null is not None:
        known += [null - (margin or 0.0) * 1.15, null + (margin or 0.0) * 1.15]
    low, high = min(known, default=0.0), max(known, default=1.0)
    pad = (high - low) * 0.06 or 1.0
    return low - pad, high + pad


def _null_and_margin(
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
    _say(ax, null, 0.12, clean(text), size=SMALL, color=MUTED, ha=side)


def _marker(
    ax: Axes, x: float, y: float, colour: str, shape: str = "o", *, filled: bool = True, size: float = 6.5
) -> None:
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


def _interval(ax: Axes, low: float, high: float, y: float, colour: str, *, thick: bool = True) -> None:
    """Draw an interval; an end that is open runs to the edge."""
    left, right = ax.get_xlim()
    if math.isnan(low) and math.isnan(high):
        return
    ends = (left if math.isnan(low) else low, right if math.isnan(high) else high)
    width = 2.4 if thick else 0.9
    ax.plot(ends, [y, y], color=colour, linewidth=width, solid_capstyle="butt", zorder=3, alpha=0.95)
    if not thick:
        ax.plot(ends, [y, y], color=colour, linestyle="none", marker="|", markersize=5, zorder=3)


# --- rows: forest, tiers, abilities -----------------------------------------------------------------------------------


class _Row:
    """A line of a row chart: a heading, or a label with a mark."""

    def __init__(self, label: str, *, heading: bool = False, row: Any = None, right: str = "", count: str = "") -> None:
        self.label, self.heading, self.row, self.right, self.count = label, heading, row, right, count
        self.lines: list[str] = []
        self.y = 0.0


def _count(n: float) -> str:
    return "" if n is None or not math.isfinite(n) else f"n {short_count(n)}"


def _rows_chart(
    rows: list[_Row],
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
    number_room = max([_text_width(r.right, SMALL + 0.5) for r in rows] + [0.3]) + 0.12
    count_room = max([_text_width(r.count, SMALL) for r in rows] + [0.0]) + 0.1
    y = 0.3
    for r in rows:
        if r.heading:
            r.lines, r.y = _wrap(r.label, BODY, width - 2 * PAD, 1), y + 0.2
            y += 0.32
        elif narrow:
            r.lines, r.y = _wrap(r.label, BODY, max(width - 2 * PAD - number_room, 0.6), 2), y
            y += 0.17 * len(r.lines) + 0.27
            r.y = y - 0.18
        else:
            r.lines = _wrap(r.label, BODY, label_room)
            height = max(0.3, 0.15 * len(r.lines) + 0.1)
            r.y = y + height / 2
            y += height
    foot = 0.42 + (0.24 if legend else 0.0)
    fig, _ = _figure(width, y + 0.06 + foot, title)
    widest = max([_text_width(line, BODY) for r in rows if not r.heading for line in r.lines] + [0.3])
    left = PAD if narrow else PAD + min(label_room, widest) + 0.14
    right = PAD if narrow else PAD + number_room + count_room
    ax = _axes(fig, left, foot, width - left - right, y + 0.06)
    ax.set_ylim(y + 0.06, 0)
    ax.yaxis.set_major_locator(NullLocator())
    low, high = xlim if xlim else _limits(values, null, margin)
    _scale_x(ax, low, high, unit, xlabel, narrow=narrow)
    ax.grid(visible=False)
    if not narrow:
        ticks = [float(t) for t in ax.xaxis.get_major_locator().tick_values(low, high)]
        ax.vlines(ticks, 0.24, y + 0.06, color=RULE, linewidth=0.4, alpha=0.45, zorder=0)
    strips = [(r.y - 0.1, r.y + 0.11) for r in rows if not r.heading] if narrow else [(0.24, y + 0.06)]
    _null_and_margin(ax, null, margin, unit, null_text, strips)
    _label_rows(ax, rows, narrow=narrow, left=left, number_room=number_room, count_room=count_room)
    if legend:
        h = _size(fig)[1]
        fig.text(PAD / width, 0.11 / h, legend, size=SMALL, color=MUTED, va="center", parse_math=False)
    return fig, ax


def _label_rows(
    ax: Axes, rows: list[_Row], *, narrow: bool, left: float, number_room: float, count_room: float
) -> None:
    """Write names and numbers of the rows around the axes."""
    low, high = ax.get_xlim()
    w = _inches(ax)
    per_inch = (high - low) / w
    edge = low - (left - PAD) * per_inch
    for r in rows:
        if r.heading:
            _say(ax, edge, r.y, r.lines[0], weight="bold")
            continue
        top = r.y - 0.19 - 0.16 * (len(r.lines) - 1) if narrow else r.y - 0.075 * (len(r.lines) - 1)
        for i, line in enumerate(r.lines):
            _say(ax, edge, top + (0.16 if narrow else 0.15) * i, line)
        if narrow:
            _say(ax, high, r.y - 0.19, r.right, ha="right", size=SMALL + 0.5)
        else:
            _say(ax, high + number_room * per_inch, r.y, r.right, ha="right", size=SMALL + 0.5)
            _say(ax, high + (number_room + count_room) * per_inch, r.y, r.count, ha="right", size=SMALL, color=MUTED)


def _right_text(row: Any, unit: Unit, *, narrow: bool) -> str:
    """Return the numbers beside a mark: value and interval; with little room the count too, in few letters."""
    cell = _cell(row, unit)
    value, span = value_text(cell, unit, short=True), interval_text(cell, unit)
    if narrow:
        tail = _count(row.n)
        return "\N{EN SPACE}".join(part for part in (f"{value} ({span})" if span else value, tail) if part)
    return full_text(cell, unit, short=True)


def forest(
    frame: pd.DataFrame,
    *,
    null: float | None = None,
    margin: float | None = None,
    unit: Unit = "share",
    order: str = "given",
    colours: Mapping[str, str] | None = None,
    null_text: str = "",
    xlabel: str = "",
    xlim: Sequence[float] | None = None,
    title: str = "",
    width: float = WIDE,
) -> Figure:
    """Draw dots and intervals in rows, a line at the null, the margin as a band, the numbers beside each mark.

    Parameters
    ----------
    frame
        Columns ``label``, ``value``, ``low``, ``high``, ``n``; optional ``panel`` (rows under a common heading),
        ``verdict`` (the shape of the mark), ``wide_low``, ``wide_high`` (interval adjusted for several comparisons,
        drawn thin).
    null, margin
        The value of a fair game and how far from it still counts as balanced, in the scale of the values.
    order
        ``given`` or ``value`` (largest first, within panels).
    colours
        {label: colour}; otherwise all marks have one.
    """
    narrow = width < 5
    scale = 100.0 if unit in ("share", "points") else 1.0
    data = _shown(frame, unit)
    for name in ("wide_low", "wide_high"):
        data[name] = (data[name].astype(float) if name in data else pd.Series(np.nan, data.index)) * scale
    if order == "value":
        data = data.sort_values("value", ascending=False, kind="stable")
    if "panel" not in data:
        data["panel"] = ""
    rows: list[_Row] = []
    for panel in dict.fromkeys(data["panel"]):
        if panel:
            rows.append(_Row(str(panel), heading=True))
        for r in _records(data[data["panel"] == panel]):
            count = "" if narrow else _count(r.n)
            rows.append(_Row(str(r.label), row=r, right=_right_text(r, unit, narrow=narrow), count=count))
    legend = ""
    if "verdict" in data:
        there = set(data["verdict"])
        signs = {"balanced": "\N{BLACK CIRCLE}", "unbalanced": "\N{BLACK DIAMOND}", "undecided": "\N{WHITE CIRCLE}"}
        legend = GAP.join(f"{signs[v]} {text}" for v, text in VERDICT_LEGEND if v in there)
    with _style():
        fig, ax = _rows_chart(
            rows,
            data[["value", "low", "high", "wide_low", "wide_high"]].to_numpy().ravel().tolist(),
            unit=unit,
            null=None if null is None else null * scale,
            margin=None if margin is None else margin * scale,
            null_text=null_text,
            xlabel=xlabel,
            xlim=(xlim[0] * scale, xlim[1] * scale) if xlim else None,
            legend=legend,
            title=title,
            width=width,
        )
        for line in rows:
            if line.row is None:
                continue
            r = line.row
            colour = (colours or {}).get(r.label, CATEGORICAL[0])
            shape, filled = VERDICT_MARKS.get(getattr(r, "verdict", "balanced"), ("o", True))
            _interval(ax, r.wide_low, r.wide_high, line.y, colour, thick=False)
            _interval(ax, r.low, r.high, line.y, colour)
            if math.isfinite(r.value):
                _marker(ax, r.value, line.y, colour, shape, filled=filled)
    return fig


def ability_bars(
    frame: pd.DataFrame,
    *,
    unit: Unit = "points",
    order: str = "value",
    null_text: str = "worth nothing",
    xlabel: str = "",
    title: str = "",
    width: float = WIDE,
) -> Figure:
    """Draw the strength of abilities: what one entrant loses without each, and what was seen, hollow.

    Parameters
    ----------
    frame
        Columns ``label``, ``value``, ``low``, ``high`` (causal, points of share), ``n``; optional ``uses`` (per 1,000
        games, shown in place of n), ``observed`` (share when used less the null: not caused), ``observed_low``,
        ``observed_high``.
    order
        ``value`` (largest first) or ``given``.
    """
    narrow = width < 5
    scale = 100.0 if unit in ("share", "points") else 1.0
    data = _shown(frame, unit)
    for name in ("observed", "observed_low", "observed_high", "uses"):
        data[name] = data[name].astype(float) if name in data else pd.Series(np.nan, data.index)
    data[["observed", "observed_low", "observed_high"]] *= scale
    if order == "value":
        data = data.sort_values("value", ascending=False, kind="stable")
    rows = []
    for r in _records(data):
        uses = "" if not math.isfinite(r.uses) else f"{r.uses:,.0f} uses" if r.uses >= 10 else f"{r.uses:,.2g} uses"
        uses = uses or _count(r.n)
        text = full_text(_cell(r, unit), unit, short=True)
        rows.append(_Row(str(r.label), row=r, right=text, count="" if narrow else uses))
    there = data["observed"].notna().any()
    legend = "\N{BLACK CIRCLE} lost without it"
    if there:
        legend += GAP + "\N{WHITE SQUARE} seen when used, not caused"
    if not narrow and data["uses"].notna().any():
        legend += GAP + "uses: per 1,000 games"
    values = data[["value", "low", "high", "observed", "observed_low", "observed_high"]].to_numpy().ravel().tolist()
    with _style():
        fig, ax = _rows_chart(
            rows,
            [*values, 0.0],
            unit=unit,
            null=0.0,
            margin=None,
            null_text=null_text,
            xlabel=xlabel,
            xlim=None,
            legend=legend,
            title=title,
            width=width,
        )
        for line in rows:
            r = line.row
            if math.isfinite(r.value):
                ax.plot(
                    [0, r.value],
                    [line.y, line.y],
                    color=CATEGORICAL[0],
                    linewidth=5,
                    alpha=0.22,
                    zorder=2,
                    solid_capstyle="butt",
                )
            if math.isfinite(r.observed_low) and math.isfinite(r.observed_high):
                ends = (r.observed_low, r.observed_high)
                ax.plot(ends, [line.y + 0.07] * 2, color=CATEGORICAL[1], linewidth=0.9, zorder=3)
            if math.isfinite(r.observed):
                _marker(ax, r.observed, line.y + 0.07, CATEGORICAL[1], "s", filled=False, size=5)
            _interval(ax, r.low, r.high, line.y - 0.03, CATEGORICAL[0])
            if math.isfinite(r.value):
                _marker(ax, r.value, line.y - 0.03, CATEGORICAL[0])
    return fig


def tiers(
    frame: pd.DataFrame,
    *,
    null: float | None = None,
    margin: float | None = None,
    unit: Unit = "share",
    null_text: str = "",
    xlabel: str = "",
    title: str = "",
    width: float = WIDE,
) -> Figure:
    """Draw the same headlines at every tier of play, one shape per tier.

    Parameters
    ----------
    frame
        Columns ``label`` (the headline), ``tier``, ``value``, ``low``, ``high``, ``n``.
    null, margin
        As in `forest`.
    """
    narrow = width < 5
    scale = 100.0 if unit in ("share", "points") else 1.0
    data = _shown(frame, unit)
    rows: list[_Row] = []
    for label in dict.fromkeys(data["label"]):
        rows.append(_Row(str(label), heading=True))
        for r in _records(data[data["label"] == label]):
            count = "" if narrow else _count(r.n)
            rows.append(_Row(str(r.tier), row=r, right=_right_text(r, unit, narrow=narrow), count=count))
    names = list(dict.fromkeys(str(t) for t in data["tier"]))
    with _style():
        fig, ax = _rows_chart(
            rows,
            data[["value", "low", "high"]].to_numpy().ravel().tolist(),
            unit=unit,
            null=None if null is None else null * scale,
            margin=None if margin is None else margin * scale,
            null_text=null_text,
            xlabel=xlabel,
            xlim=None,
            legend="",
            title=title,
            width=width,
        )
        for line in rows:
            if line.row is None:
                continue
            r, place = line.row, names.index(str(line.row.tier))
            colour = CATEGORICAL[place % len(CATEGORICAL)]
            _interval(ax, r.low, r.high, line.y, colour)
            if math.isfinite(r.value):
                shape = TIER_MARKS.get(str(r.tier).partition(":")[0], MARKERS[place % len(MARKERS)])
                _marker(ax, r.value, line.y, colour, shape)
    return fig


# --- matrix -----------------------------------------------------------------------------------------------------------


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
    data = _shown(frame, unit)
    names = list(dict.fromkeys([*data["row"], *data["column"]]))
    if order == "value":
        mean = data[data["row"] != data["column"]].groupby("row")["value"].mean()
        names.sort(key=lambda name: -float(mean.get(name, -math.inf)))
    centre = null * scale
    reach = limit * scale if limit else float((data["value"] - centre).abs().max())
    reach = reach if math.isfinite(reach) and reach > 0 else 1.0
    size = len(names)
    with _style():
        label_room = 0.95 if narrow else 1.5
        lines = 2 if narrow or size > 7 else 3  # what the lowest cell has room for
        labels = [_wrap(str(name), SMALL if narrow else BODY, label_room, lines) for name in names]
        widest = max([_text_width(line, SMALL if narrow else BODY) for part in labels for line in part] + [0.3])
        left = PAD + min(widest, label_room) + 0.1
        cell_w = min((width - left - PAD) / max(size, 1), 1.15)
        cell_h = min(max(cell_w * 0.62, 0.3), 0.6)
        # A word that would be cut in two is turned instead.
        slanted = max(_text_width(word, SMALL) for n in names for word in str(n).split() or [""]) > cell_w - 0.06
        columns = [_wrap(str(n), SMALL, 1.2 if slanted else cell_w - 0.06, 1 if slanted else 3) for n in names]
        head = (
            (max(_text_width(c[0], SMALL) for c in columns) + 0.12) if slanted else 0.15 * max(map(len, columns)) + 0.1
        )
        head += 0.22
        foot = 0.62 if narrow else 0.5
        fig, _ = _figure(width, head + cell_h * size + foot, title)
        ax = _axes(fig, left, foot, cell_w * size, cell_h * size)
        ax.set_xlim(0, size)
        ax.set_ylim(size, 0)
        ax.xaxis.set_major_locator(NullLocator())
        ax.yaxis.set_major_locator(NullLocator())
        for i, parts in enumerate(labels):
            for k, line in enumerate(parts):
                y = i + 0.5 + (k - (len(parts) - 1) / 2) * 0.14 / cell_h
                _say(ax, -0.1 / cell_w, y, line, ha="right", size=SMALL if narrow else BODY)
        for j, parts in enumerate(columns):
            if slanted:
                _say(ax, j + 0.5, -0.06 / cell_h, parts[0], size=SMALL, rotation=90, ha="center", va="bottom")
                continue
            for k, line in enumerate(parts):
                y = (-0.1 - 0.15 * (len(parts) - 1 - k)) / cell_h
                _say(ax, j + 0.5, y, line, ha="center", size=SMALL)
        corner = f"{clean(row_title)} \N{DOWNWARDS ARROW}{GAP}{clean(column_title)} \N{RIGHTWARDS ARROW}"
        fig_h = _size(fig)[1]
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
    for r in _records(data):
        if not math.isfinite(r.value):
            continue
        i, j = index[r.row], index[r.column]
        covered = not (r.low > centre or r.high < centre)  # an interval that is not known covers everything
        part = min(max((r.value - centre) / reach, -1.0), 1.0)
        colour = to_hex(colours(0.5 + part / 2))
        face = "none" if covered or i == j else colour
        ax.add_patch(Rectangle((j, i), 1, 1, facecolor=face, edgecolor=RULE, linewidth=0.5, zorder=1))
        ink = MUTED if face == "none" else theme.text_on(colour)
        cell = _cell(r, unit)
        text = value_text(cell, unit, suffix=False)
        sized = BODY if _text_width(text, BODY, "bold") < cell_w * 0.9 else 6.0
        half = (r.high - r.low) / 2
        both = math.isfinite(half) and cell_w > 0.5 and cell_h > 0.36
        weight = "normal" if face == "none" else "bold"
        room = {"facecolor": "none", "edgecolor": "none"}
        if _text_width(text, sized) < cell_w:
            _say(
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
            _say(ax, j + 0.5, i + 0.72, spread, ha="center", color=ink, size=6.5)


def _matrix_key(fig: Figure, data: pd.DataFrame, centre: float, reach: float, unit: Unit, *, narrow: bool) -> None:
    """Draw the colour scale with its three numbers, and what a cell rests on."""
    w, h = _size(fig)
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


# --- lines ------------------------------------------------------------------------------------------------------------


def _scale_y(ax: Axes, unit: Unit, count: int) -> None:
    low, high = ax.get_ylim()
    ticks = _ticks(low, high, count)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_major_formatter(FixedFormatter([_tick_text(t, unit, step) for t in ticks]))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.grid(axis="y", color=RULE, linewidth=0.4, alpha=0.45)
    ax.set_axisbelow(True)


def _apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
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


def _lines_axes(width: float, height: float, title: str, right: float, ylabel: str) -> tuple[Figure, Axes]:
    top = 0.3 if ylabel else 0.12
    fig, taken = _figure(width, height, title)
    left = 0.42
    ax = _axes(fig, left, 0.42, width - left - right, height - 0.42 - top)
    ax.spines["bottom"].set_visible(True)
    if ylabel:
        y = 1 - (taken + 0.13) / (height + taken)
        fig.text(PAD / width, y, clean(ylabel), size=SMALL, color=MUTED, va="center", parse_math=False)
    return fig, ax


def _end_labels(ax: Axes, ends: list[tuple[float, float, str, str]], height: float) -> None:
    """Name the lines at their right ends: (x, y, text, colour), moved apart where they would touch."""
    low, high = ax.get_ylim()
    _, right = ax.get_xlim()
    per_inch = (high - low) / height
    places = _apart([e[1] for e in ends], 0.16 * per_inch, low + 0.05 * per_inch, high - 0.05 * per_inch)
    for (_, _, text, colour), place in zip(ends, places, strict=True):
        ax.plot([_shift(ax, right, 0.08)], [place], marker="o", color=colour, markersize=4, clip_on=False)
        _say(ax, _shift(ax, right, 0.17), place, text, size=SMALL)


def _shift(ax: Axes, x: float, inches: float) -> float:
    """Return the x value that stands some inches right of another, also on a logarithmic axis."""
    low, high = ax.get_xlim()
    part = inches / _inches(ax)
    if ax.get_xscale() == "log":
        return float(x * (high / low) ** part)
    return float(x + (high - low) * part)


def curve(
    frame: pd.DataFrame,
    *,
    style: str = "line",
    x_unit: Unit = "number",
    y_unit: Unit = "share",
    xlabel: str = "",
    ylabel: str = "",
    marks: Sequence[Mapping[str, Any]] = (),
    title: str = "",
    width: float = WIDE,
) -> Figure:
    """Draw a distribution, plain or cumulative, or any quantity along another, with a ribbon for an interval.

    Parameters
    ----------
    frame
        Columns ``x``, ``y``; optional ``series`` (one line each, named at its end), ``low``, ``high``.
    style
        ``line``, ``step`` (cumulative distributions) or ``bars`` (counts; one series).
    marks
        Vertical lines: ``{"x": 12, "text": "half of all games"}``.
    """
    narrow = width < 5
    x_scale = 100.0 if x_unit in ("share", "points") else 1.0
    data = frame.rename(columns={"y": "value"})
    data = _shown(data, y_unit)
    data["x"] = data["x"].astype(float) * x_scale
    if "series" not in data:
        data["series"] = ""
    names = list(dict.fromkeys(data["series"]))
    named = len(names) > 1
    height = 2.5 if narrow else 2.9
    room = max([_text_width(clean(str(n)), SMALL) for n in names]) + 0.4 if named else 0.25
    room = min(room, width * 0.34)
    with _style():
        fig, ax = _lines_axes(width, height, title, room, _with_unit(ylabel, y_unit))
        low, high = float(data["x"].min()), float(data["x"].max())
        step = _smallest_step(data["x"])
        pad = step * 0.6 if style == "bars" else 0.0
        ax.set_xlim(low - pad, high + pad if high + pad > low - pad else low + 1)
        tops = data[["value", "low", "high"]].to_numpy()
        bottom, top = float(np.nanmin(tops)), float(np.nanmax(tops))
        floor = 0.0 if style in ("bars", "step") or bottom < top * 0.35 else bottom - (top - bottom) * 0.08
        ax.set_ylim(min(floor, bottom), top + (top - floor) * (0.16 if marks else 0.06) or 1.0)
        counted = x_unit == "number" and bool((data["x"] % 1 == 0).all())
        _scale_x(ax, *ax.get_xlim(), x_unit, xlabel, narrow=narrow, whole=counted)
        ax.grid(visible=False, axis="x")
        _scale_y(ax, y_unit, 4)
        ends = []
        for k, name in enumerate(names):
            part = data[data["series"] == name].sort_values("x", kind="stable")
            colour = CATEGORICAL[k % len(CATEGORICAL)]
            _draw_series(ax, part, style, colour, step, k)
            ends.append((float(part["x"].iloc[-1]), float(part["value"].iloc[-1]), clean(str(name)), colour))
        if named:
            _end_labels(ax, ends, height - 0.6)
        _draw_marks(ax, marks, x_scale)
    return fig


def _smallest_step(values: pd.Series[Any]) -> float:
    gaps = np.diff(np.unique(values.to_numpy(dtype=float)))
    return float(gaps.min()) if len(gaps) else 1.0


def _draw_series(ax: Axes, part: pd.DataFrame, style: str, colour: str, step: float, place: int) -> None:
    x, y = part["x"].to_numpy(), part["value"].to_numpy()
    if style == "bars":
        ax.bar(x, y, width=step * 0.86, color=colour, linewidth=0)
        known = part["low"].notna() & part["high"].notna()
        if known.any():
            ax.vlines(x[known], part["low"][known], part["high"][known], color=INK, linewidth=1.0)
        return
    dash = ("-", "--", "-.", ":")[place % 4]
    if style == "step":
        ax.step(x, y, where="post", color=colour, linewidth=1.8, linestyle=dash)
        return
    if part["low"].notna().any():
        ax.fill_between(x, part["low"].to_numpy(), part["high"].to_numpy(), color=colour, alpha=0.2, linewidth=0)
    ax.plot(x, y, color=colour, linewidth=1.8, linestyle=dash)
    if len(x) <= 24:
        ax.plot(x, y, color=colour, linestyle="none", marker=MARKERS[place % len(MARKERS)], markersize=4)


def _draw_marks(ax: Axes, marks: Sequence[Mapping[str, Any]], x_scale: float) -> None:
    """Draw named vertical lines; the names stand on the side where there is room, one below the other."""
    low, high = ax.get_ylim()
    left, right = ax.get_xlim()
    for i, mark in enumerate(marks):
        x = float(mark["x"]) * x_scale
        ax.axvline(x, color=INK, linewidth=0.9, linestyle=(0, (3, 2)))
        y = high - (high - low) * (0.05 + 0.075 * (i % 3))
        leftward = x > (left + right) / 2
        place = _shift(ax, x, -0.06 if leftward else 0.06)
        _say(ax, place, y, clean(str(mark["text"])), size=SMALL, ha="right" if leftward else "left")


def convergence(
    frame: pd.DataFrame,
    *,
    null: float | None = None,
    margin: float | None = None,
    unit: Unit = "share",
    log: bool = True,
    xlabel: str = "games",
    ylabel: str = "",
    title: str = "",
    width: float = WIDE,
) -> Figure:
    """Draw the running estimate with its confidence sequence as a ribbon, valid however often one looked.

    Parameters
    ----------
    frame
        Columns ``n`` (games so far), ``value``, ``low``, ``high``; optional ``series``.
    null, margin
        Lines at the null and at both ends of the margin.
    """
    narrow = width < 5
    scale = 100.0 if unit in ("share", "points") else 1.0
    data = _shown(frame, unit)
    if "series" not in data:
        data["series"] = ""
    names = list(dict.fromkeys(data["series"]))
    height = 2.5 if narrow else 2.9
    finals = {name: data[data["series"] == name].sort_values("n").iloc[-1] for name in names}
    texts = {
        name: " ".join(
            part for part in (clean(str(name)), value_text(_cell(finals[name], unit), unit, short=True)) if part
        )
        for name in names
    }
    room = min(max(_text_width(t, SMALL) for t in texts.values()) + 0.4, width * 0.38)
    with _style():
        fig, ax = _lines_axes(width, height, title, room, _with_unit(ylabel, unit))
        low, high = float(data["n"].min()), float(data["n"].max())
        if log and low > 0 and high > low:
            ax.set_xscale("log")
        ax.set_xlim(low, high if high > low else low + 1)
        ax.set_ylim(*_convergence_limits(data, null, margin, scale))
        if null is not None:
            if margin:
                ax.axhspan(
                    (null - margin) * scale, (null + margin) * scale, color=BAND, alpha=0.17, linewidth=0, zorder=0
                )
                for y in (null - margin, null + margin):
                    ax.axhline(y * scale, color=RULE, linewidth=0.9, linestyle=(0, (4, 2)))
            ax.axhline(null * scale, color=INK, linewidth=1.0)
        _count_axis(ax, low, high, 4 if narrow else 6)
        ax.set_xlabel(clean(xlabel), size=SMALL, color=MUTED, parse_math=False)
        _scale_y(ax, unit, 5)
        ends = []
        for k, name in enumerate(names):
            part = data[data["series"] == name].sort_values("n", kind="stable")
            colour = CATEGORICAL[k % len(CATEGORICAL)]
            x = part["n"].to_numpy(dtype=float)
            ax.fill_between(x, part["low"].to_numpy(), part["high"].to_numpy(), color=colour, alpha=0.18, linewidth=0)
            ax.plot(x, part["value"].to_numpy(), color=colour, linewidth=1.8, linestyle=("-", "--", "-.", ":")[k % 4])
            ends.append((x[-1], float(part["value"].iloc[-1]), texts[name], colour))
        _end_labels(ax, ends, height - 0.6)
    return fig


def _convergence_limits(
    data: pd.DataFrame, null: float | None, margin: float | None, scale: float
) -> tuple[float, float]:
    """Return limits that show the later nine tenths of the ribbon whole; the first looks may leave the picture."""
    late = data[data["n"] >= data["n"].quantile(0.25)]
    values = late[["value", "low", "high"]].to_numpy().ravel().tolist()
    return _limits(values, None if null is None else null * scale, None if margin is None else margin * scale)


def _count_axis(ax: Axes, low: float, high: float, count: int) -> None:
    if ax.get_xscale() == "log":
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        whole = [m * 10.0**p for p in powers for m in (1, 2, 5)]
        ticks = [t for t in whole if low <= t <= high]
        while len(ticks) > count:
            ticks = ticks[::2]
    else:
        ticks = _ticks(low, high, count)
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_major_formatter(FixedFormatter([short_count(t) for t in ticks]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())


def stacked(
    frame: pd.DataFrame,
    *,
    order: Sequence[str] | None = None,
    colours: Mapping[str, str] | None = None,
    xlabel: str = "",
    title: str = "",
    width: float = WIDE,
) -> Figure:
    """Draw parts of a whole in rows (how games end, who goes out), with text in every part that has room.

    Parameters
    ----------
    frame
        Columns ``label`` (row), ``part``, ``value`` (fraction of the row); optional ``n`` (of the row).
    order
        Parts from left to right.
    """
    narrow = width < 5
    data = _shown(frame, "share")
    parts = list(order) if order else list(dict.fromkeys(data["part"]))
    labels = list(dict.fromkeys(data["label"]))
    with _style():
        label_room = width - 2 * PAD if narrow else min(1.9, width * 0.3)
        wrapped = [_wrap(str(t), BODY, label_room, 1 if narrow else 3) for t in labels]
        widest = max([_text_width(line, BODY) for w in wrapped for line in w] + [0.2])
        counts = [data[data["label"] == t]["n"].max() for t in labels]
        left = PAD if narrow else PAD + widest + 0.14
        right = 0.13 if narrow else PAD + max(_text_width(_count(c), SMALL) for c in counts) + 0.08
        row_h = 0.56 if narrow else 0.4
        keys = _key_lines(parts, width - 2 * PAD)
        head = 0.22 * len(keys) + 0.1
        fig, taken = _figure(width, head + row_h * len(labels) + 0.46, title)
        ax = _axes(fig, left, 0.46, width - left - right, row_h * len(labels))
        ax.set_ylim(len(labels), 0)
        ax.yaxis.set_major_locator(NullLocator())
        _scale_x(ax, 0.0, 100.0, "share", xlabel, narrow=narrow)
        tone = {p: (colours or {}).get(p, CATEGORICAL[k % len(CATEGORICAL)]) for k, p in enumerate(parts)}
        hatch = {p: HATCHES[k % len(HATCHES)] for k, p in enumerate(parts)}
        for i, label in enumerate(labels):
            _stacked_row(ax, data[data["label"] == label], parts, i, tone, hatch, narrow=narrow)
            bar_w = width - left - right
            edge = -(left - PAD) / bar_w * 100
            for k, line in enumerate(wrapped[i]):
                y = i + 0.17 if narrow else i + 0.5 + (k - (len(wrapped[i]) - 1) / 2) * 0.38
                _say(ax, edge, y, line)
            if narrow:
                _say(ax, 100, i + 0.17, _count(counts[i]), ha="right", size=SMALL, color=MUTED)
            else:
                _say(
                    ax,
                    100 + (right - PAD) / bar_w * 100,
                    i + 0.5,
                    _count(counts[i]),
                    ha="right",
                    size=SMALL,
                    color=MUTED,
                )
        _stacked_key(fig, keys, tone, hatch, taken)
    return fig


def _key_lines(parts: Sequence[str], room: float) -> list[list[tuple[float, str]]]:
    """Return the key as lines of (x in inches, part)."""
    lines: list[list[tuple[float, str]]] = [[]]
    x = 0.0
    for part in parts:
        wide = _text_width(clean(str(part)), SMALL) + 0.45
        if x + wide > room and lines[-1]:
            lines.append([])
            x = 0.0
        lines[-1].append((x, part))
        x += wide
    return lines


def _stacked_key(
    fig: Figure, keys: list[list[tuple[float, str]]], tone: Mapping[str, str], hatch: Mapping[str, str], taken: float
) -> None:
    w, h = _size(fig)
    for i, line in enumerate(keys):
        y = 1 - (taken + 0.14 + 0.22 * i) / h
        for x, part in line:
            box = Rectangle(
                ((PAD + x) / w, y - 0.055 / h),
                0.17 / w,
                0.11 / h,
                facecolor=tone[part],
                edgecolor=theme.text_on(tone[part]),
                hatch=hatch[part],
                linewidth=0,
                transform=fig.transFigure,
            )
            fig.add_artist(box)
            text = clean(str(part))
            fig.text((PAD + x + 0.23) / w, y, text, size=SMALL, color=INK, va="center", parse_math=False)


def _stacked_row(
    ax: Axes,
    data: pd.DataFrame,
    parts: Sequence[str],
    i: int,
    tone: Mapping[str, str],
    hatch: Mapping[str, str],
    *,
    narrow: bool,
) -> None:
    inches = _inches(ax)
    start = 0.0
    top, height = (i + 0.36, 0.5) if narrow else (i + 0.16, 0.68)
    for part in parts:
        found = data[data["part"] == part]["value"]
        value = float(found.sum()) if len(found) else 0.0
        if value <= 0:
            continue
        colour = tone[part]
        ink = theme.text_on(colour)
        # The hatch has the edge's colour; a line of width 0 shows the hatch only.
        ax.add_patch(
            Rectangle((start, top), value, height, facecolor=colour, edgecolor=ink, hatch=hatch[part], linewidth=0)
        )
        text = value_text(Cell(value / 100), "share")
        if _text_width(text, SMALL) + 0.1 < value / 100 * inches:
            room = {"facecolor": colour, "edgecolor": "none", "pad": 1.5}
            middle = start + value / 2
            _say(ax, middle, top + height / 2, text, ha="center", color=ink, size=SMALL, bbox=room)
        start += value


# --- from a model, to files -------------------------------------------------------------------------------------------

FIGURES: dict[str, Callable[..., Figure]] = {
    "forest": forest,
    "matrix": matrix,
    "ability_bars": ability_bars,
    "tiers": tiers,
    "curve": curve,
    "convergence": convergence,
    "stacked": stacked,
}


def frame_of(table: Table) -> pd.DataFrame:
    """Return a table of the model as a tidy DataFrame.

    The intervals of the column ``value`` (or ``y``) become ``low``, ``high``, ``n``; those of another column ``x``
    become ``x_low``, ``x_high``, ``x_n``. Columns that would hold nothing are left out.
    """
    found: dict[str, list[Any]] = {}
    for j, column in enumerate(table.columns):
        cells = [row[j] for row in table.rows]
        found[column.key] = [c.value for c in cells]
        for part in ("low", "high", "n"):
            values = [getattr(c, part) for c in cells]
            name = part if column.key in ("value", "y") else f"{column.key}_{part}"
            if any(v is not None for v in values):
                found.setdefault(name, [math.nan if v is None else v for v in values])
    made = pd.DataFrame(found)
    for column in table.columns:
        if column.numeric:
            made[column.key] = pd.to_numeric(made[column.key]).astype(float)
    return made


def draw(spec: FigureSpec, *, width: float = WIDE, titled: bool = False) -> Figure:
    """Return the figure of a model's spec; with its title in the picture where it has to stand alone."""
    options = dict(spec.options)
    return FIGURES[spec.kind](frame_of(spec.table), title=spec.title if titled else "", width=width, **options)


_CLUTTER = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_TAG = re.compile(r"<[^<>]+>")
_STYLE_TAG = re.compile(r"<style[^>]*>.*?</style>", re.DOTALL)
_FONT = re.compile(r"(font:[^;\"]*?\d(?:px|pt)?) [^;\"]+")
_FAMILY = re.compile(r"font-family: [^;\"]+")
_NUMBERS = re.compile(r"(?<=[ \"(,-])(\d+\.\d{3,})(?=[ \",)\n])")


def to_svg(fig: Figure, *, prefix: str = "figure", alt: str = "") -> str:
    """Return a figure as an SVG element for inlining into HTML: no header, ids of its own, colours of the page.

    Parameters
    ----------
    prefix
        Unique in the page; starts every id, so that several pictures do not take each other's clip paths.
    alt
        What the picture says, for those who do not see it.
    """
    buffer = io.BytesIO()
    with _style():
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = _STYLE_TAG.sub("", _CLUTTER.sub("", buffer.getvalue().decode("utf-8"))).strip()
    # Only tags are changed: a name that looks like markup is text, in which < and > are escaped.
    text = _TAG.sub(lambda m: _fix_tag(m[0], prefix), text)
    text = re.sub(r">\s*\n\s*<", "><", text)
    box = re.search(r'viewBox="([^"]*)"', text)
    opening = f'<svg viewBox="{box[1] if box else ""}" role="img" aria-label="{escape(clean(alt))}">'
    return re.sub(r"<svg[^>]*>", lambda _: f"{opening}<title>{escape(clean(alt))}</title>", text, count=1)


def _fix_tag(tag: str, prefix: str) -> str:
    """Return a tag of an SVG with ids of its own, the page's font and colours, and short numbers."""
    tag = re.sub(r' transform="rotate\(-0 [^"]*"', "", tag)
    tag = re.sub(r'\bid="([^"]*)"', rf'id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]*)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r'\b(?:xlink:)?href="#([^"]*)"', rf'href="#{prefix}-\1"', tag)
    tag = _FONT.sub(r"\1 var(--figure-font, sans-serif)", tag)
    tag = _FAMILY.sub("font-family: var(--figure-font, sans-serif)", tag)
    for colour, variable in theme.PAGE_COLOURS.items():
        tag = tag.replace(f": {colour}", f": var({variable}, {colour})")
    return _NUMBERS.sub(lambda m: f"{float(m[1]):.2f}", tag.replace("\n", " "))


def to_png(fig: Figure, path: str | Path | IO[bytes], *, dpi: int = 160) -> None:
    """Write a figure as a PNG with a transparent ground and some air around; the same bytes for the same figure."""
    w, h = _size(fig)
    air = Bbox.from_extents(-0.12, -0.06, w + 0.12, h + 0.06)
    with _style():
        fig.savefig(path, format="png", dpi=dpi, metadata={"Software": None}, transparent=True, bbox_inches=air)
