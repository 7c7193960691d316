"""Headlines at every tier of play."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.figure import Figure

from reports.figures.canvas import TIER_MARKS, house_style
from reports.figures.rows import Row, count_label, draw_mark, interval_line, right_text, rows_chart
from reports.figures.scales import in_shown_units, rows_of
from reports.model import Unit
from reports.theme import CATEGORICAL, MARKERS, WIDE


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
    data = in_shown_units(frame, unit)
    rows: list[Row] = []
    for label in dict.fromkeys(data["label"]):
        rows.append(Row(str(label), heading=True))
        for r in rows_of(data[data["label"] == label]):
            count = "" if narrow else count_label(r.n)
            rows.append(Row(str(r.tier), row=r, right=right_text(r, unit, narrow=narrow), count=count))
    names = list(dict.fromkeys(str(t) for t in data["tier"]))
    with house_style():
        fig, ax = rows_chart(
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
            interval_line(ax, r.low, r.high, line.y, colour)
            if math.isfinite(r.value):
                shape = TIER_MARKS.get(str(r.tier).partition(":")[0], MARKERS[place % len(MARKERS)])
                draw_mark(ax, r.value, line.y, colour, shape)
    return fig
