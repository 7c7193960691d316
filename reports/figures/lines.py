"""Curves over a count, with labels at their ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter, NullLocator

from reports.figures.canvas import PAD, house_style, inches_of, new_axes, new_figure, text_width, write_text
from reports.figures.scales import in_shown_units, nice_ticks, scale_x, scale_y, spread_apart, with_unit
from reports.model import Unit
from reports.theme import CATEGORICAL, INK, MARKERS, MUTED, SMALL, WIDE
from reports.words import clean, short_count


def lines_axes(width: float, height: float, title: str, right: float, ylabel: str) -> tuple[Figure, Axes]:
    """Return a figure for curves and its axes, with room for labels at the right."""
    top = 0.3 if ylabel else 0.12
    fig, taken = new_figure(width, height, title)
    left = 0.42
    ax = new_axes(fig, left, 0.42, width - left - right, height - 0.42 - top)
    ax.spines["bottom"].set_visible(True)
    if ylabel:
        y = 1 - (taken + 0.13) / (height + taken)
        fig.text(PAD / width, y, clean(ylabel), size=SMALL, color=MUTED, va="center", parse_math=False)
    return fig, ax


def end_labels(ax: Axes, ends: list[tuple[float, float, str, str]], height: float) -> None:
    """Name the lines at their right ends: (x, y, text, colour), moved apart where they would touch."""
    low, high = ax.get_ylim()
    _, right = ax.get_xlim()
    per_inch = (high - low) / height
    places = spread_apart([e[1] for e in ends], 0.16 * per_inch, low + 0.05 * per_inch, high - 0.05 * per_inch)
    for (_, _, text, colour), place in zip(ends, places, strict=True):
        ax.plot([_shift(ax, right, 0.08)], [place], marker="o", color=colour, markersize=4, clip_on=False)
        write_text(ax, _shift(ax, right, 0.17), place, text, size=SMALL)


def _shift(ax: Axes, x: float, inches: float) -> float:
    """Return the x value that stands some inches right of another, also on a logarithmic axis."""
    low, high = ax.get_xlim()
    part = inches / inches_of(ax)
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
    data = in_shown_units(data, y_unit)
    data["x"] = data["x"].astype(float) * x_scale
    if "series" not in data:
        data["series"] = ""
    names = list(dict.fromkeys(data["series"]))
    named = len(names) > 1
    height = 2.5 if narrow else 2.9
    room = max([text_width(clean(str(n)), SMALL) for n in names]) + 0.4 if named else 0.25
    room = min(room, width * 0.34)
    with house_style():
        fig, ax = lines_axes(width, height, title, room, with_unit(ylabel, y_unit))
        low, high = float(data["x"].min()), float(data["x"].max())
        step = _smallest_step(data["x"])
        pad = step * 0.6 if style == "bars" else 0.0
        ax.set_xlim(low - pad, high + pad if high + pad > low - pad else low + 1)
        tops = data[["value", "low", "high"]].to_numpy()
        bottom, top = float(np.nanmin(tops)), float(np.nanmax(tops))
        floor = 0.0 if style in ("bars", "step") or bottom < top * 0.35 else bottom - (top - bottom) * 0.08
        ax.set_ylim(min(floor, bottom), top + (top - floor) * (0.16 if marks else 0.06) or 1.0)
        counted = x_unit == "number" and bool((data["x"] % 1 == 0).all())
        scale_x(ax, *ax.get_xlim(), x_unit, xlabel, narrow=narrow, whole=counted)
        ax.grid(visible=False, axis="x")
        scale_y(ax, y_unit, 4)
        ends = []
        for k, name in enumerate(names):
            part = data[data["series"] == name].sort_values("x", kind="stable")
            colour = CATEGORICAL[k % len(CATEGORICAL)]
            _draw_series(ax, part, style, colour, step, k)
            ends.append((float(part["x"].iloc[-1]), float(part["value"].iloc[-1]), clean(str(name)), colour))
        if named:
            end_labels(ax, ends, height - 0.6)
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
        write_text(ax, place, y, clean(str(mark["text"])), size=SMALL, ha="right" if leftward else "left")


def count_axis(ax: Axes, low: float, high: float, count: int) -> None:
    """Put ticks on an axis that counts games or blocks."""
    if ax.get_xscale() == "log":
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        whole = [m * 10.0**p for p in powers for m in (1, 2, 5)]
        ticks = [t for t in whole if low <= t <= high]
        while len(ticks) > count:
            ticks = ticks[::2]
    else:
        ticks = nice_ticks(low, high, count)
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_major_formatter(FixedFormatter([short_count(t) for t in ticks]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())
