"""Abilities: what one loses without, beside what those who used it won."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reports.figures.canvas import GAP, house_style
from reports.figures.rows import Row, count_label, draw_mark, interval_line, rows_chart
from reports.figures.scales import cell_in, in_shown_units, rows_of
from reports.model import Unit
from reports.theme import CATEGORICAL, WIDE
from reports.words import full_text


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
    data = in_shown_units(frame, unit)
    for name in ("observed", "observed_low", "observed_high", "uses"):
        data[name] = data[name].astype(float) if name in data else pd.Series(np.nan, data.index)
    data[["observed", "observed_low", "observed_high"]] *= scale
    if order == "value":
        data = data.sort_values("value", ascending=False, kind="stable")
    rows = []
    for r in rows_of(data):
        uses = "" if not math.isfinite(r.uses) else f"{r.uses:,.0f} uses" if r.uses >= 10 else f"{r.uses:,.2g} uses"
        uses = uses or count_label(r.n)
        text = full_text(cell_in(r, unit), unit, short=True)
        rows.append(Row(str(r.label), row=r, right=text, count="" if narrow else uses))
    there = data["observed"].notna().any()
    legend = "\N{BLACK CIRCLE} lost without it"
    if there:
        legend += GAP + "\N{WHITE SQUARE} seen when used, not caused"
    if not narrow and data["uses"].notna().any():
        legend += GAP + "uses: per 1,000 games"
    values = data[["value", "low", "high", "observed", "observed_low", "observed_high"]].to_numpy().ravel().tolist()
    with house_style():
        fig, ax = rows_chart(
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
                draw_mark(ax, r.observed, line.y + 0.07, CATEGORICAL[1], "s", filled=False, size=5)
            interval_line(ax, r.low, r.high, line.y - 0.03, CATEGORICAL[0])
            if math.isfinite(r.value):
                draw_mark(ax, r.value, line.y - 0.03, CATEGORICAL[0])
    return fig
