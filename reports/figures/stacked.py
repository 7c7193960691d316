"""Parts of a whole, stacked in rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from reports import theme
from reports.figures.canvas import (
    PAD,
    house_style,
    inches_of,
    new_axes,
    new_figure,
    size_of,
    text_width,
    wrap_text,
    write_text,
)
from reports.figures.rows import count_label
from reports.figures.scales import in_shown_units, scale_x
from reports.model import Cell
from reports.theme import BODY, CATEGORICAL, HATCHES, INK, MUTED, SMALL, WIDE
from reports.words import clean, value_text


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
    data = in_shown_units(frame, "share")
    parts = list(order) if order else list(dict.fromkeys(data["part"]))
    labels = list(dict.fromkeys(data["label"]))
    with house_style():
        label_room = width - 2 * PAD if narrow else min(1.9, width * 0.3)
        wrapped = [wrap_text(str(t), BODY, label_room, 1 if narrow else 3) for t in labels]
        widest = max([text_width(line, BODY) for w in wrapped for line in w] + [0.2])
        counts = [data[data["label"] == t]["n"].max() for t in labels]
        left = PAD if narrow else PAD + widest + 0.14
        right = 0.13 if narrow else PAD + max(text_width(count_label(c), SMALL) for c in counts) + 0.08
        row_h = 0.56 if narrow else 0.4
        keys = _key_lines(parts, width - 2 * PAD)
        head = 0.22 * len(keys) + 0.1
        fig, taken = new_figure(width, head + row_h * len(labels) + 0.46, title)
        ax = new_axes(fig, left, 0.46, width - left - right, row_h * len(labels))
        ax.set_ylim(len(labels), 0)
        ax.yaxis.set_major_locator(NullLocator())
        scale_x(ax, 0.0, 100.0, "share", xlabel, narrow=narrow)
        tone = {p: (colours or {}).get(p, CATEGORICAL[k % len(CATEGORICAL)]) for k, p in enumerate(parts)}
        hatch = {p: HATCHES[k % len(HATCHES)] for k, p in enumerate(parts)}
        for i, label in enumerate(labels):
            _stacked_row(ax, data[data["label"] == label], parts, i, tone, hatch, narrow=narrow)
            bar_w = width - left - right
            edge = -(left - PAD) / bar_w * 100
            for k, line in enumerate(wrapped[i]):
                y = i + 0.17 if narrow else i + 0.5 + (k - (len(wrapped[i]) - 1) / 2) * 0.38
                write_text(ax, edge, y, line)
            if narrow:
                write_text(ax, 100, i + 0.17, count_label(counts[i]), ha="right", size=SMALL, color=MUTED)
            else:
                write_text(
                    ax,
                    100 + (right - PAD) / bar_w * 100,
                    i + 0.5,
                    count_label(counts[i]),
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
        wide = text_width(clean(str(part)), SMALL) + 0.45
        if x + wide > room and lines[-1]:
            lines.append([])
            x = 0.0
        lines[-1].append((x, part))
        x += wide
    return lines


def _stacked_key(
    fig: Figure, keys: list[list[tuple[float, str]]], tone: Mapping[str, str], hatch: Mapping[str, str], taken: float
) -> None:
    w, h = size_of(fig)
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
    inches = inches_of(ax)
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
        if text_width(text, SMALL) + 0.1 < value / 100 * inches:
            room = {"facecolor": colour, "edgecolor": "none", "pad": 1.5}
            middle = start + value / 2
            write_text(ax, middle, top + height / 2, text, ha="center", color=ink, size=SMALL, bbox=room)
        start += value
