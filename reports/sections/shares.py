"""The picture of shares with their intervals, which several sections draw."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.study import Judge
from analysis.verdicts import Verdict
from reports.cells import share_cell
from reports.model import Cell, Column, FigureSpec, Table


def share_forest(key: str, title: str, verdicts: Sequence[Verdict], alt: str, caption: str, j: Judge) -> FigureSpec:
    """Return a picture of shares with their intervals and margin."""
    columns = (
        Column("label", "who"),
        Column("value", "win share", "share", "Mean share of a game, with its 95 % interval; n counts blocks."),
        Column("verdict", "verdict", "verdict"),
        Column("smallest", "smallest margin shown", "points"),
    )
    rows = tuple((Cell(v.name), share_cell(v), Cell(v.word), Cell(v.smallest_margin)) for v in verdicts)
    options = {"null": verdicts[0].null, "margin": verdicts[0].margin, "null_text": "fair share"}
    return FigureSpec(key, "forest", Table(key, title, columns, rows), alt, title, caption, options)
