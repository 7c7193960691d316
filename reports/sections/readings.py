"""Every place that the rules leave open, and what the other way would move."""

from __future__ import annotations

from analysis import study as estimates
from analysis.keys import FIRST, ClassShare, OtherReading
from analysis.runs import Study
from reports.cells import cell_of, count_word
from reports.model import Cell, Column, Section, Table, Text


def readings_section(study: Study) -> Section | None:
    """Return the places that the rules leave open, or None where there are none."""
    game = study.game
    if not game.readings:
        return None
    kinds = {"contradiction": 0, "gap": 1, "source": 2}
    rows = []
    for reading in sorted(game.readings, key=lambda r: kinds[r.kind]):
        others = list(reading.others) or [("", {})]
        for words, _ in others:
            rows.append(_reading_row(study, reading.rule, reading.kind, reading.question, reading.took, words))
    rows.sort(key=lambda row: -abs(float(row[5].value)) if isinstance(row[5].value, float) else 1.0)
    columns = [
        Column("rule", "rule"),
        Column("kind", "kind"),
        Column("question", "what is open"),
        Column("took", "how we took it"),
        Column("other", "the other way"),
        Column("first", "moves the first seat by", "points"),
    ]
    if len(study.main.tally.sides) > 1:
        columns.append(Column("sides", f"moves a class of {game.side_word}s by up to", "points"))
    columns.append(Column("length", f"changes {estimates.length_column(study.main)} by", "number"))
    open_ones = sum(1 for r in game.readings if r.kind == "contradiction")
    some = count_word(open_ones) if open_ones else "none"
    lead = (
        f"The rules leave {count_word(len(game.readings))} places open, {some} of them a contradiction; each "
        "is listed with the way we took it and, where it was played, how far the other way moves the headlines."
    )
    sources = Text(tuple(game.sources), (), "Where the rules come from")
    return Section(
        "readings",
        "Did we play your rules?",
        lead,
        (Table("readings", "Readings", tuple(columns), tuple(rows)), sources),
    )


def _reading_row(study: Study, rule: str, kind: str, question: str, took: str, words: str) -> tuple[Cell, ...]:
    head = [Cell(rule), Cell(kind), Cell(question), Cell(took), Cell(words or "none")]
    several = len(study.main.tally.sides) > 1
    name = str(OtherReading(rule, words))
    if study.readings is None or not words or name not in study.readings.tally.plan.arm_names:
        return (*head, Cell(), *([Cell()] if several else []), Cell())
    moved = estimates.changes(study.readings, name)
    first = cell_of(*moved[FIRST])
    classes = [pair for key, pair in moved.items() if isinstance(key, ClassShare)]
    most = max(classes, key=lambda pair: abs(pair[0])) if classes else None
    sides = [Cell() if most is None else cell_of(*most)] if several else []
    return (*head, first, *sides, cell_of(*moved[estimates.length_column(study.main)]))
