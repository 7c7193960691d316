"""Shares or differences with their intervals, a row each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reports.figures.canvas import GAP, VERDICT_LEGEND, VERDICT_MARKS, house_style
from reports.figures.rows import Row, count_label, draw_mark, interval_line, right_text, rows_chart
from reports.figures.scales import in_shown_units, rows_of
from reports.model import Unit
from reports.theme import CATEGORICAL, WIDE


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
    data = in_shown_units(frame, unit)
    for name in ("wide_low", "wide_high"):
        data[name] = (data[name].astype(float) if name in data else pd.Series(np.nan, data.index)) * scale
    if order == "value":
        data = data.sort_values("value", ascending=False, kind="stable")
    if "panel" not in data:
        data["panel"] = ""
    rows: list[Row] = []
    for panel in dict.fromkeys(data["panel"]):
        if panel:
            rows.append(Row(str(panel), heading=True))
        for r in rows_of(data[data["panel"] == panel]):
            count = "" if narrow else count_label(r.n)
            rows.append(Row(str(r.label), row=r, right=right_text(r, unit, narrow=narrow), count=count))
    legend = ""
    if "verdict" in data:
        there = set(data["verdict"])
        signs = {"balanced": "\N{BLACK CIRCLE}", "unbalanced": "\N{BLACK DIAMOND}", "undecided": "\N{WHITE CIRCLE}"}
        legend = GAP.join(f"{signs[v]} {text}" for v, text in VERDICT_LEGEND if v in there)
    with house_style():
        fig, ax = rows_chart(
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
            interval_line(ax, r.wide_low, r.wide_high, line.y, colour, thick=False)
            interval_line(ax, r.low, r.high, line.y, colour)
            if math.isfinite(r.value):
                draw_mark(ax, r.value, line.y, colour, shape, filled=filled)
    return fig
