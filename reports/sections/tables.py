"""A game's own tables: heads, labels and cells."""

from __future__ import annotations

from collections.abc import Sequence

from analysis import study as estimates
from analysis.intervals import Interval
from analysis.moments import Sample
from analysis.study import Judge
from reports.cells import cell_of
from reports.model import Cell, Column, Table
from sim.facts import Measure, TableSpec
from sim.game import Game


def heading(column: str, game: Game) -> str:
    """Return the heading of a column that groups rows."""
    return game.side_word if column == "side" else column.replace("_", " ")


def group_label(spec: TableSpec, column: str, value: int, sides: Sequence[str]) -> str:
    """Return the name of a group's value in a column."""
    names = spec.labels.get(column, sides if column == "side" else ())
    return names[value] if 0 <= value < len(names) else str(value)


def game_table(j: Judge, spec: TableSpec) -> Table | None:
    """Return a game's own table with its measures, or None where nothing occurred."""
    rows = estimates.table_rows(j, spec)
    if not rows:
        return None
    columns = [Column(name, heading(name, j.tally.game)) for name in spec.by]
    columns += map(measure_column, spec.measures)
    made = []
    for key, cells in rows:
        labels = [Cell(group_label(spec, name, value, j.tally.plan.side_names)) for name, value in zip(spec.by, key)]
        made.append((*labels, *(ratio_cell(s, i) for s, i in cells)))
    if not columns:
        return None
    return Table(f"game-{spec.key}", spec.title, tuple(columns), tuple(made), spec.note)


def ratio_cell(sample: Sample, bounds: Interval) -> Cell:
    """Return a measure as a cell, empty where its denominator never occurred."""
    if sample.n == 0:
        return Cell(None)
    return cell_of(sample.mean, bounds, sample.n)


def measure_column(m: Measure) -> Column:
    """Return the column of a measure."""
    return Column(m.key, m.title, m.unit, m.note)  # type: ignore[arg-type]
