"""The first seat at the other numbers of players."""

from __future__ import annotations

from analysis import study as estimates
from analysis.runs import Study
from reports.cells import cell_of, count_word, gap_cell
from reports.model import Cell, Column, Section, Table


def counts_section(study: Study) -> Section | None:
    """Return the first seat at the other numbers of players, or None where they were not played."""
    if not study.seats:
        return None
    rows, length = [], estimates.length_column(study.main)
    for n, j in sorted({**study.seats, study.main.tally.plan.seats: study.main}.items()):
        first = estimates.first_player(j)
        rounds, bounds = estimates.game_mean(j, length)
        cells = [Cell(f"{count_word(n)} players"), gap_cell(first), Cell(first.word), cell_of(rounds, bounds)]
        rows.append(tuple(cells))
    columns = (
        Column("players", "players"),
        Column("first", "first seat, gap to a fair share", "points"),
        Column("verdict", "verdict", "verdict"),
        Column("length", length, "number"),
    )
    lead = "The first seat at the other numbers of players, from smaller runs."
    return Section(
        "counts", "Other player counts", lead, (Table("counts", "By number of players", columns, tuple(rows)),)
    )
