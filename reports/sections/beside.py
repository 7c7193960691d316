"""Variants beside each other."""

from __future__ import annotations

from collections.abc import Iterable

from analysis import study as estimates
from analysis.runs import Study, turned
from analysis.study import Judge
from reports.cells import cell_of, count_word, gap_cell, listed
from reports.model import Cell, Column, Section, Table
from reports.sections.tables import group_label, heading, measure_column, ratio_cell
from sim.facts import Design, TableSpec


def beside_section(study: Study) -> Section | None:
    """Return the variants that the game wants to see beside each other: first seat by players, its own tables."""
    if not study.beside:
        return None
    game, seats = study.game, study.main.tally.plan.seats
    variants = dict(_beside_judges(study))
    rows, words = [], []
    for n in sorted({seats, *study.seats}):
        for title, judges in variants.items():
            if n not in judges:
                continue
            v = estimates.first_player(judges[n])
            words.append(v.word)
            head = (Cell(f"{count_word(n)} players"), Cell(title))
            rows.append((*head, gap_cell(v), Cell(v.word), _rounds_cell(judges[n])))
    columns = (
        Column("players", "players"),
        Column("variant", "variant"),
        Column("first", "first seat, gap to a fair share", "points", bar=True, null=0.0),
        Column("verdict", "verdict", "verdict"),
        Column("rounds", "rounds", "number"),
    )
    told = [f"{count_word(words.count(word))} {word}" for word in dict.fromkeys(words)]
    lead = f"Going first in {count_word(len(variants))} variants with every number of players played: {listed(told)}."
    blocks = [Table("beside", "Going first, by players and variant", columns, tuple(rows))]
    here = {title: judges[seats] for title, judges in variants.items() if seats in judges}
    blocks += [t for spec in game.tables if spec.beside and (t := _beside_table(here, spec)) is not None]
    return Section("beside", "Side by side", lead, tuple(blocks))


def _beside_judges(study: Study) -> Iterable[tuple[str, dict[int, Judge]]]:
    """Give (title, {players: judge}) of the variants in the game's order; the main one is called by its lever."""
    plan = study.main.tally.plan
    main = {**study.seats, plan.seats: study.main}
    made = []
    for i, lever in enumerate(study.game.group(Design).beside):
        judges = {n: j for n in main if (j := study.beside.get((i, n))) is not None}
        same = turned(plan.variant, lever).values == plan.variant.values
        if same or judges:
            made.append((lever.title, main if same else judges))
    if not any(judges is main for _, judges in made):
        made.insert(0, ("as it is", main))
    return made


def _rounds_cell(j: Judge) -> Cell:
    """Return the rounds of a game; where they never vary, in a word, since no interval can be made of that."""
    rounds, bounds = estimates.game_mean(j, "rounds")
    return (
        cell_of(rounds, bounds) if estimates.length_column(j) == "rounds" else Cell(rounds, text=f"always {rounds:g}")
    )


def _beside_table(judges: dict[str, Judge], spec: TableSpec) -> Table | None:
    """Return a game's own table with a column (of a table without groups: a row) for each variant."""
    found = {title: dict(estimates.table_rows(j, spec)) for title, j in judges.items()}
    if not spec.by:
        rows = [(Cell(title), *(ratio_cell(*c) for c in cells[()])) for title, cells in found.items() if () in cells]
        heads = [Column("variant", "variant"), *map(measure_column, spec.measures)]
    else:
        first = spec.measures[0]
        rows = []
        sides = next(iter(judges.values())).tally.plan.side_names
        for key in sorted(set().union(*found.values())):
            labels = [Cell(group_label(spec, name, value, sides)) for name, value in zip(spec.by, key)]
            cells = [ratio_cell(*rows_of[key][0]) if key in rows_of else Cell() for rows_of in found.values()]
            rows.append((*labels, *cells))
        heads = [Column(name, heading(name, next(iter(judges.values())).tally.game)) for name in spec.by]
        unit = measure_column(first).unit
        heads += [Column(f"variant-{i}", title, unit, first.title) for i, title in enumerate(found)]
    if not rows:
        return None
    title = spec.title if not spec.by else f"{spec.title}: {spec.measures[0].title.lower()}"
    return Table(f"beside-{spec.key}", title, tuple(heads), tuple(rows), spec.note)
