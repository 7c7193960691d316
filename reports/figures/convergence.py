"""An estimate settling, with its confidence sequence."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reports.figures.canvas import house_style, text_width
from reports.figures.lines import count_axis, end_labels, lines_axes
from reports.figures.scales import axis_limits, cell_in, in_shown_units, scale_y, with_unit
from reports.model import Unit
from reports.theme import BAND, CATEGORICAL, INK, MUTED, RULE, SMALL, WIDE
from reports.words import clean, value_text


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
    data = in_shown_units(frame, unit)
    if "series" not in data:
        data["series"] = ""
    names = list(dict.fromkeys(data["series"]))
    height = 2.5 if narrow else 2.9
    finals = {name: data[data["series"] == name].sort_values("n").iloc[-1] for name in names}
    texts = {
        name: " ".join(
            part for part in (clean(str(name)), value_text(cell_in(finals[name], unit), unit, short=True)) if part
        )
        for name in names
    }
    room = min(max(text_width(t, SMALL) for t in texts.values()) + 0.4, width * 0.38)
    with house_style():
        fig, ax = lines_axes(width, height, title, room, with_unit(ylabel, unit))
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
        count_axis(ax, low, high, 4 if narrow else 6)
        ax.set_xlabel(clean(xlabel), size=SMALL, color=MUTED, parse_math=False)
        scale_y(ax, unit, 5)
        ends = []
        for k, name in enumerate(names):
            part = data[data["series"] == name].sort_values("n", kind="stable")
            colour = CATEGORICAL[k % len(CATEGORICAL)]
            x = part["n"].to_numpy(dtype=float)
            ax.fill_between(x, part["low"].to_numpy(), part["high"].to_numpy(), color=colour, alpha=0.18, linewidth=0)
            ax.plot(x, part["value"].to_numpy(), color=colour, linewidth=1.8, linestyle=("-", "--", "-.", ":")[k % 4])
            ends.append((x[-1], float(part["value"].iloc[-1]), texts[name], colour))
        end_labels(ax, ends, height - 0.6)
    return fig


def _convergence_limits(
    data: pd.DataFrame, null: float | None, margin: float | None, scale: float
) -> tuple[float, float]:
    """Return limits that show the later nine tenths of the ribbon whole; the first looks may leave the picture."""
    late = data[data["n"] >= data["n"].quantile(0.25)]
    values = late[["value", "low", "high"]].to_numpy().ravel().tolist()
    return axis_limits(values, None if null is None else null * scale, None if margin is None else margin * scale)
