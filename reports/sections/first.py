"""Going first: the share of every seat, and how it settled."""

from __future__ import annotations

from analysis import study as estimates
from analysis.keys import FIRST
from analysis.runs import Study
from analysis.sequences import ConfidenceSequence
from analysis.study import Judge
from analysis.verdicts import Verdict
from reports.cells import cell_of, percent
from reports.model import Block, Cell, Column, FigureSpec, Section, Table
from reports.phrases import first_phrase
from reports.sections.shares import share_forest


def first_section(study: Study) -> Section:
    """Return the share of every seat, and how the first one settled."""
    j = study.main
    seats = estimates.seats(j)
    first = seats[0]
    alt = f"The first seat wins {percent(first.estimate or 0)} where {percent(first.null)} is fair: {first.word}."
    caption = (
        "Win share of each seat over the whole game, every side, policy and hand meeting every seat equally often. "
        "The band is the margin."
    )
    figure = share_forest("seats", "Win share by seat", seats, alt, caption, j)
    blocks: list[Block] = [figure]
    if len(j.tally.history) > 2:
        blocks.append(_convergence(j, first))
    return Section("first", "Going first", f"{first_phrase(first)[0].upper()}{first_phrase(first)[1:]}.", tuple(blocks))


def _convergence(j: Judge, first: Verdict) -> FigureSpec:
    """Return the running estimate of the first seat with a confidence sequence, valid at every number of games."""
    t = j.tally
    sequence = ConfidenceSequence(
        t.weights({FIRST: 1.0}),
        null=first.null,
        margin=first.margin,
        low=0.0,
        high=1.0,
        games_per_block=t.games_per_block,
    )
    rows = []
    step = max(1, len(t.history) // 60)
    for i, prefix in enumerate(t.history):
        sequence.see(prefix)
        if i % step == 0 or i == len(t.history) - 1:
            look = sequence.look
            rows.append((Cell(prefix.n * t.games_per_block), cell_of(look.sample.mean, look.interval)))
    columns = (Column("n", "games", "number", digits=0), Column("value", "first seat", "share"))
    title = "How the first seat's share settled"
    alt = f"After {t.games_per_arm:,} games the first seat's share stands at {percent(first.estimate or 0)}."
    caption = "The ribbon is a confidence sequence: it holds at every number of games at once, and is wider for it."
    table = Table("convergence", title, columns, tuple(rows), folded=True)
    return FigureSpec(
        "convergence", "convergence", table, alt, title, caption, {"null": first.null, "margin": first.margin}
    )
