"""Pace and drama: how long games last, and how much the luck of the deal explains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis import study as estimates
from analysis.intervals import Interval
from analysis.luck import without_luck
from analysis.runs import Study
from reports.cells import cell_of, count_word, listed, percent
from reports.model import Block, Cell, Column, Section, Table, Text
from sim.luck import has_worth

if TYPE_CHECKING:
    from sim.run import Run


LUCK_GAMES, LUCK_DEALS = 20_000, 200_000
"""Games, and deals for the expectations, from which a report says what the luck of the deal explains."""


def pace_section(study: Study) -> Section:
    """Return how long games last and how they end."""
    j = study.main
    seats = j.tally.plan.seats
    lengths = [("turns", "turns, all seats"), ("lead_changes", "lead changes")]
    if estimates.length_column(j) == "rounds":
        lengths.insert(0, ("rounds", "rounds"))
    ends = (("capped", "hit a cap"), ("tie", "win shared"), ("draw", "draw"), ("all_win", "win for all"))
    rows = [(Cell(title), cell_of(*estimates.game_mean(j, key))) for key, title in lengths]
    turns, bounds = estimates.game_mean(j, "turns")
    scale = study.game.seconds_per_turn / 60
    minutes = Interval(bounds.low * scale, bounds.high * scale, bounds.level, bounds.method)
    rows.append((Cell(f"minutes, at {study.game.seconds_per_turn:g} seconds a turn"), cell_of(turns * scale, minutes)))
    length = Table(
        "pace", "Length of a game", (Column("what", "per game"), Column("value", "mean", "number")), tuple(rows)
    )
    ended = [(title, cell_of(*estimates.game_mean(j, key))) for key, title in ends]
    met = tuple((Cell(title), cell) for title, cell in ended if cell.number)
    never = [cell for _, cell in ended if not cell.number]
    heading = "Games that do not end with one winner"
    note = (
        ""
        if not never
        else f"Never met: {listed([title for title, cell in ended if not cell.number])}"
        + (f"; each is at most {percent(max(cell.high or 0.0 for cell in never), 2)} of games.")
    )
    columns = (Column("what", "end"), Column("value", "games", "share"))
    endings: Block = Table("endings", heading, columns, met, note) if met else Text((note,), (), heading)
    rounds, _ = estimates.game_mean(j, "rounds")
    count = f"{rounds:.1f} rounds and " if estimates.length_column(j) == "rounds" else ""
    lead = f"A game of {count_word(seats)} lasts {count}{turns:.0f} turns, about {turns * scale:.0f} minutes."
    return Section("pace", "Pace", lead, (length, endings))


def luck_blocks(study: Study, run: Run) -> list[Block]:
    """Return in words how much of the variance what was dealt first explains, measured on the first games."""
    if run.plan.draw == "random" or not has_worth(study.game):
        return []
    found = without_luck(run, deals=LUCK_DEALS, most=LUCK_GAMES)
    items = [f"{lucky.name[0].upper()}{lucky.name[1:]}: {lucky.words}." for lucky in found]
    what = (
        "Every hand is played in every seat, which cancels most of the luck of the deal. How much of the variance that "
        f"is left the worth of the first hands explains, in {found[0].adjusted.sample.n:,} blocks:"
    )
    return [Text((what,), tuple(items), "The luck of the deal that pairing leaves")]
