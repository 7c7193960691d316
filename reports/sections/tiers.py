"""The same headlines between players of every tier."""

from __future__ import annotations

from analysis import study as estimates
from analysis.intervals import Interval
from analysis.runs import Study
from analysis.study import Judge
from analysis.verdicts import Verdict, settled_sign
from reports.cells import gap_cell, listed, tier_words
from reports.model import Cell, Column, FigureSpec, Section, Table


def tiers_section(study: Study) -> Section | None:
    """Return the headlines between players of every tier, or None where only one was played."""
    if not study.tiers:
        return None
    rows = []
    judges = {tier_words(study.main): study.main, **study.tiers}
    flips = []
    base = _headline_verdicts(study.main)
    for name, j in judges.items():
        for v, reference in zip(_headline_verdicts(j), base):
            sign = settled_sign(_gap_interval(v), _gap_interval(reference))
            word = "" if j is study.main else {"same": "agrees", "opposite": "flips"}.get(sign, "not settled")
            if word == "flips":
                flips.append(f"{v.name} ({name})")
            rows.append((Cell(v.name), Cell(name), gap_cell(v), Cell(v.word), Cell(word)))
    columns = (
        Column("label", "headline"),
        Column("tier", "players"),
        Column("value", "gap to a fair share", "points"),
        Column("verdict", "verdict", "verdict"),
        Column("agrees", "sign"),
    )
    lead = (
        f"At another skill these headlines change sign: {listed(flips)}."
        if flips
        else "No headline changes its sign with the skill of the players beyond error."
    )
    title = "The same headlines by tier"
    table = Table("tiers", title, columns, tuple(rows))
    caption = "Bots are not people: a verdict that holds at two skills is worth more than one that does not."
    picture = Table("tiers-figure", title, columns[:3], tuple(r[:3] for r in rows), folded=True)
    figure = FigureSpec(
        "tiers-figure",
        "tiers",
        picture,
        lead,
        title,
        caption,
        {"null": 0.0, "unit": "points", "null_text": "fair share"},
    )
    return Section("confidence", "At every skill", lead, (figure, table))


def _gap_interval(v: Verdict) -> Interval:
    return Interval(v.interval.low - v.null, v.interval.high - v.null, v.interval.level, v.interval.method)


def _headline_verdicts(j: Judge) -> list[Verdict]:
    made = [estimates.first_player(j)]
    if len(j.tally.sides) > 1:
        made += estimates.pools(j)
    return made
