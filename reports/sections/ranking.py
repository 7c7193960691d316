"""The ranking of abilities, confirmed on fresh deals, and abilities by twos."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.lists import Confirmation, Ranked, confirm, interactions, picks, screen, strengths
from analysis.runs import Study
from reports.cells import cell_of, points
from reports.model import Cell, Column, Table


def screen_table(study: Study) -> list[Table]:
    """Return the ranking of the abilities, and what fresh deals say of the best and the worst."""
    if study.abilities is None or len(effects := strengths(study.abilities)) < 2:
        return []
    titles = {a.key: a.title for a in study.game.abilities}
    ranked = screen(effects, judge=study.abilities)
    again = {c.name: c for c in _confirmations(study, ranked)}
    rows = []
    for r in ranked:
        c = again.get(r.name)
        fresh = Cell() if c is None else cell_of(c.fresh, c.bounds, c.blocks)
        found = "yes" if r.found else "no"
        word = "" if c is None else c.word
        rows.append((Cell(titles[r.name]), Cell(r.shrunken), Cell(r.q), Cell(found), fresh, Cell(word)))
    columns = (
        Column("ability", "ability"),
        Column("shrunken", "strength for ranking", "points", "Drawn towards the mean of the list by its own error."),
        Column("q", "q", "number", "p value of no effect, adjusted for the length of the list.", digits=4),
        Column("found", "an effect"),
        Column("fresh", "on fresh deals", "points", "The best and the worst, played again on deals of their own."),
        Column("word", "holds up"),
    )
    note = "Whatever is picked as best or worst looks more extreme than it is: the fresh deals had no part in the pick."
    return [Table("ability-ranking", "Ranking", columns, tuple(rows), note)]


def _confirmations(study: Study, ranked: Sequence[Ranked]) -> tuple[Confirmation, ...]:
    """Return what fresh deals say of the best and the worst, where these were played."""
    if study.confirmed is None:
        return ()
    fresh = {e.name: e.sample for e in strengths(study.confirmed)}
    if not {r.name for r in picks(ranked)} <= set(fresh):
        return ()
    return confirm(ranked, lambda names: fresh, judge=study.confirmed)


def pairs_table(study: Study) -> list[Table]:
    """Return how the strongest abilities work together."""
    if study.pairs is None or not (found := interactions(study.pairs)):
        return []
    titles = {a.key: a.title for a in study.game.abilities}
    rows = tuple(
        (Cell(f"{titles[p.first]} with {titles[p.second]}"), cell_of(p.value, p.bounds, p.blocks), Cell(p.word))
        for p in found
    )
    columns = (
        Column("pair", "pair"),
        Column("beyond", "beyond the sum", "points", "Lost without both, minus what is lost without each."),
        Column("word", "together or separate"),
    )
    note = (
        f"Together: the loss without both differs from the sum of the two losses by more than "
        f"{points(study.pairs.margin('side'))}, shown for all pairs at once; separate: shown to differ by less."
    )
    return [Table("ability-pairs", "Abilities by twos", columns, rows, note)]
