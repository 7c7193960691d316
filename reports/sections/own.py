"""Inside the game: its own tables, and the price of ways of playing."""

from __future__ import annotations

from analysis import study as estimates
from analysis.runs import Study
from reports.cells import cell_of
from reports.model import Cell, Column, Section, Table
from reports.sections.tables import game_table


def _question_table(study: Study) -> list[Table]:
    """Return what the ways of playing that the game asks about cost one player."""
    found = [] if study.abilities is None else estimates.questions(study.abilities)
    if not found:
        return []
    columns = (
        Column("what", "way of playing"),
        Column("cost", "costs the one who does", "points", "Win share lost by the one player who plays so."),
        Column("note", "what is different"),
    )
    rows = tuple((Cell(q.title), cell_of(value, bounds), Cell(q.note)) for q, value, bounds in found)
    note = "On the same deals, everybody else playing as before."
    return [Table("questions", "What a way of playing costs", columns, rows, note)]


def own_section(study: Study) -> Section | None:
    """Return the game's own tables and questions, or None where it has none."""
    tables = [t for spec in study.game.tables if (t := game_table(study.main, spec)) is not None]
    tables += _question_table(study)
    if not tables:
        return None
    lead = f"What is particular to {study.game.title}, counted over all games of the main run."
    return Section("own", "Inside the game", lead, tuple(tables))
