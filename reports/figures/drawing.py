"""From a figure's specification to the picture: which kind draws it, from which rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reports.figures.bars import ability_bars
from reports.figures.convergence import convergence
from reports.figures.forests import forest
from reports.figures.lines import curve
from reports.figures.matrix import matrix
from reports.figures.stacked import stacked
from reports.figures.tiers import tiers
from reports.model import FigureSpec, Table
from reports.theme import WIDE

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
