"""Abilities: what each is worth to the one player who is without it."""

from __future__ import annotations

from collections.abc import Sequence

from analysis import study as estimates
from analysis.intervals import Interval
from analysis.runs import Study
from analysis.study import Strength
from analysis.verdicts import settled_sign
from reports.cells import cell_of, points, signed, tier_words
from reports.model import Block, Cell, Column, FigureSpec, Section, Table, Text
from reports.sections.ranking import pairs_table, screen_table
from sim.committed import committed_of
from sim.game import Game

RARE = 1.0
"""Uses per 1,000 games below which an ability is called too rare to matter."""


def abilities_section(study: Study) -> Section | None:
    """Return what each ability is worth, or None where none was switched off."""
    if study.abilities is None:
        return None
    rows = estimates.abilities(study.abilities)
    if not rows:
        return None
    game = study.game
    table = _ability_table(rows, game)
    title = "What each ability is worth"
    figure_rows = tuple(
        (
            Cell(s.title),
            cell_of(s.value, s.bounds, s.blocks),
            Cell(s.uses[0]),
            Cell(None if s.used is None else s.used[0]),
        )
        for s in rows
    )
    columns = (
        Column("label", "ability"),
        Column("value", "strength", "points"),
        Column("uses", "uses per 1,000 games", "per_1000"),
        Column("observed", "share when used, minus fair", "points"),
    )
    strongest = max(rows, key=lambda s: s.value)
    weakest = min(rows, key=lambda s: s.value)
    lead = (
        f"{strongest.title} is the strongest: alone without it a player loses {points(strongest.value)} of win share; "
        f"{weakest.title} is the weakest ({signed(weakest.value)} points)."
    )
    figure = FigureSpec(
        "abilities-figure",
        "ability_bars",
        Table("abilities-figure", title, columns, figure_rows, folded=True),
        lead,
        title,
        "Filled: what one player loses who alone plays without it, on the same deals, all others having it. Hollow: "
        "the share of seats that used it, minus a fair share: an observation, not an effect.",
        {},
    )
    blocks: list[Block] = [figure, table, *_committed_table(study, rows)]
    blocks += [*screen_table(study), *pairs_table(study)]
    played = {s.key for s in rows}
    words = [f"{a.title}: {a.does} Off: {a.off}" for a in game.abilities if a.key in played]
    blocks.append(Text((), tuple(words), "What they do, and what off means"))
    return Section("abilities", "Abilities", lead, tuple(blocks))


def _ability_table(rows: Sequence[Strength], game: Game) -> Table:
    parents = {a.key: a.title for a in game.abilities}
    inside = any(s.parent is not None for s in rows)
    columns = (
        Column("ability", "ability"),
        *([Column("inside", "part of")] if inside else []),
        Column(
            "strength",
            "strength",
            "points",
            "Win share lost by the one player who plays without it.",
            bar=True,
            null=0.0,
        ),
        Column("uses", "uses per 1,000 games", "per_1000", "By that player, when nothing is off."),
        Column("used", "share when used", "points", "Observed share of seats that used it, minus a fair share."),
        Column("held", "share when held", "points", "Observed share of seats that held its card, minus a fair share."),
        Column(
            "first", "first seat if nobody has it", "points", "Change of the first seat's share, off for everybody."
        ),
        Column("rounds", "rounds if nobody has it", "number", "Change of rounds per game, off for everybody."),
        Column("note", "note"),
    )
    made = []
    for s in rows:
        made.append(
            (
                Cell(s.title),
                *([Cell("" if s.parent is None else parents[s.parent])] if inside else []),
                cell_of(s.value, s.bounds, s.blocks),
                _uses_cell(s),
                Cell() if s.used is None else cell_of(*s.used),
                Cell() if s.held is None else cell_of(*s.held),
                Cell() if s.all_first is None else cell_of(*s.all_first),
                Cell() if s.all_rounds is None else cell_of(*s.all_rounds),
                Cell(_ability_note(s)),
            )
        )
    note = "Strength and changes are measured on the same deals with and without; nested abilities are never summed."
    return Table("abilities", "Abilities", columns, tuple(made), note)


_SIGNS = {
    "same": "same sign",
    "opposite": "the sign changes with the players",
    "not settled": "not settled",
}


def _committed_table(study: Study, rows: Sequence[Strength]) -> list[Table]:
    """Return the strengths here beside those of the game's committed table, for the rules that it was made with."""
    kept, plan = committed_of(study.game), study.main.tally.plan
    if kept is None or dict(plan.variant.values) != dict(study.game.default.values):
        return []
    tier = tier_words(study.main)
    made = []
    for s in rows:
        if s.key not in kept.abilities:
            continue
        share, low, high, points, least, most = kept.abilities[s.key]
        there = Interval(low, high, 0.95, "blocks")
        made.append(
            (
                Cell(s.title),
                cell_of(s.value, s.bounds, s.blocks),
                cell_of(share, there),
                cell_of(points, Interval(least, most, 0.95, "blocks")),
                Cell(_SIGNS[settled_sign(s.bounds, there)]),
            )
        )
    columns = (
        Column("ability", "ability"),
        Column("here", f"strength, {tier}", "points"),
        Column("there", f"strength, {kept.tier}", "points", "Win share lost by the one player without it."),
        Column(
            "points", f"points per round, {kept.tier}", "number", "Points per round lost, against the other player."
        ),
        Column("sign", "sign"),
    )
    note = (
        f"The {kept.tier} columns were played once ({kept.games:,} games an arm, seed {kept.seed}, {kept.date}) and "
        "are kept beside the game. A sign changes only where both intervals exclude zero on opposite sides."
    )
    title = "Strengths at another skill"
    return [Table("abilities-committed", title, columns, tuple(made), note)] if made else []


def _uses_cell(s: Strength) -> Cell:
    """Return uses per 1,000 games; never used in n blocks is at most about 3.7 in n."""
    if s.uses[0] > 0 or s.blocks == 0:
        return cell_of(*s.uses)
    return Cell(0.0, 0.0, 1000 * 3.7 / s.blocks)


def _ability_note(s: Strength) -> str:
    if s.nonzero == 0 or s.uses[0] < RARE:
        reach = max(abs(s.bounds.low), abs(s.bounds.high))
        return f"too rare to matter: can move a share by at most {points(reach, 2)}"
    if s.used is not None and settled_sign(s.bounds, s.used[1]) == "opposite":
        return (
            "seats that used it win less often than others, and yet it helps"
            if s.value > 0
            else ("seats that used it win more often than others, and yet it hurts")
        )
    return ""
