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

from reports.figures.bars import ability_bars
from reports.figures.canvas import ReportFigure, text_width, to_png, wrap_text
from reports.figures.convergence import convergence
from reports.figures.drawing import FIGURES, draw, frame_of
from reports.figures.forests import forest
from reports.figures.lines import curve
from reports.figures.matrix import matrix
from reports.figures.stacked import stacked
from reports.figures.svg import to_svg
from reports.figures.tiers import tiers

__all__ = [
    "FIGURES",
    "ReportFigure",
    "ability_bars",
    "convergence",
    "curve",
    "draw",
    "forest",
    "frame_of",
    "matrix",
    "stacked",
    "text_width",
    "tiers",
    "to_png",
    "to_svg",
    "wrap_text",
]
