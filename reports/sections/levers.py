"""What turning a number of the game does."""

from __future__ import annotations

from analysis import study as estimates
from analysis.keys import ALONE, FIRST
from analysis.runs import Study
from reports.cells import cell_of, count_word
from reports.model import Cell, Column, Section, Table


def levers_section(study: Study) -> Section | None:
    """Return what turning the game's numbers does to fairness, luck and length."""
    j = study.levers
    if j is None:
        return None
    t = j.tally
    length = estimates.length_column(study.main)
    rows = []
    for number, arm in enumerate(t.plan.arm_names):
        moved = estimates.changes(j, arm) if number else {}
        cells = [Cell(arm if number else "as it is")]
        for key in (ALONE, FIRST):
            share = t.shares[number].sample(t.column(key))
            cells += [cell_of(share.mean, j.interval(share)), cell_of(*moved[key]) if number else Cell()]
        rounds, bounds = estimates.game_mean(j, length, number)
        rows.append((*cells, cell_of(rounds, bounds), cell_of(*moved[length]) if number else Cell()))
    columns = (
        Column("lever", "what is turned"),
        Column("better", "better player wins", "share", "Share of one player of this tier among weaker ones."),
        Column("better_change", "change", "points", "More means less luck."),
        Column("first", "first seat", "share"),
        Column("first_change", "change", "points"),
        Column("length", length, "number"),
        Column("rounds_change", "change", "number"),
    )
    tiers = [tier.name for tier in t.plan.arms[0].tiers]
    others = f"among {count_word(len(tiers) - 1)}" if len(tiers) > 2 else "against one"
    who = f"one {tiers[0]} player {others} {tiers[-1]}"
    lead = f"Each number is turned on the same deals, {who}: what it does to luck, to the first seat, to the length."
    return Section("levers", "What turning a number does", lead, (Table("levers", "Levers", columns, tuple(rows)),))
