"""Side against side, and what the matrix means for somebody who may choose."""

from __future__ import annotations

from analysis import study as estimates
from analysis.intervals import Interval
from analysis.matchups import Matchups
from analysis.study import Judge
from reports.cells import cell_of, listed, percent
from reports.model import Block, Cell, Column, FigureSpec, Table, Text
from reports.phrases import pooled
from sim.game import Game


def matrix_blocks(j: Judge, game: Game) -> list[Block]:
    """Return side against side, and what it means for somebody who may choose; nothing with one side."""
    found = estimates.side_by_side(j)
    if found is None:
        return []
    rows = []
    for a, one in enumerate(found.sides):
        for b, other in enumerate(found.sides):
            value = float(found.shares[a, b])
            cell = Cell(0.5, flag="muted") if a == b else cell_of(value, found.interval(a, b))
            rows.append((Cell(one), Cell(other), cell))
    columns = (
        Column("row", game.side_word),
        Column("column", "against"),
        Column("value", "share of the games that either won", "share"),
    )
    title = f"{game.side_word.capitalize()} against {game.side_word}"
    order = [(float(found.shares[a].sum()), one) for a, one in enumerate(found.sides)]
    alt = f"Over all pairs {max(order)[1]} does best and {min(order)[1]} worst."
    caption = "Of the games that one of the two won, how many the row won; a cell and its mirror add to 100 %."
    table = Table("matrix", title, columns, tuple(rows), folded=True)
    figure = FigureSpec("matrix", "matrix", table, alt, title, caption, {"null": 0.5})
    return [figure, *_choice(found, j, game)] if len(found.sides) > 2 else [figure]


def _choice(found: Matchups, j: Judge, game: Game) -> list[Block]:
    """Return what the matrix means for somebody who may choose: the mix, circles, dominated sides."""
    mix = found.equilibrium()
    if mix.note:
        return []
    rows = []
    for i, overall in enumerate(found.overall()):
        bounds = Interval(mix.low[i], mix.high[i], 0.95, "bootstrap")
        row = (
            cell_of(overall.share, overall.interval),
            cell_of(mix.mix[i], bounds),
            Cell(mix.errors[i]),
            Cell(mix.support[i]),
        )
        rows.append((Cell(overall.side), *row))
    columns = (
        Column("side", game.side_word),
        Column("overall", "against all others", "share", "Mean over the others of the share of games that either won."),
        Column("mix", "equilibrium mix", "share", "How often to choose it so that no answer wins more than half."),
        Column("error", "error of the mix", "share", "Standard deviation over 200 redrawn matrices.", digits=1),
        Column("support", "played at all", "share", "Redrawn matrices in whose mix it is.", digits=0),
    )
    note = "Against this mix nobody gains by choosing otherwise; redrawn within the error of the matrix 200 times."
    if pooled(j):
        note += f" {game.side_word.capitalize()}s with the same rules stand in for one another, so read their sum."
    table = Table("mix", f"If the {game.side_word} may be chosen", columns, tuple(rows), note)
    return [table, Text((_circle_sentence(found), _dominated_sentence(found, game)), (), "", "note")]


def _circle_sentence(found: Matchups) -> str:
    circle = found.circle()
    if circle.p is None or circle.note:
        return f"Circles: {circle.note or 'nothing can be said'}."
    what = f"{percent(circle.share)} of the differences go in circles (one beats the next, the last the first)"
    proof = "beyond noise" if circle.p < 0.05 else "which noise alone explains"
    return f"{what}, {proof} (p = {circle.p:.2g}); the rest is one strength per side."


def _dominated_sentence(found: Matchups, game: Game) -> str:
    """Say only what is shown: among sides with the same rules one is always ahead by estimate."""
    by: dict[str, list[str]] = {}
    for d in found.dominated():
        if d.proved:
            by.setdefault(d.side, []).append(d.by)
    proved = listed([f"{side} (by {listed(others)})" for side, others in by.items()])
    if not by:
        return f"No {game.side_word} is shown to do worse than another one against everybody."
    return f"Dominated, shown against each single opponent: {proved}."
