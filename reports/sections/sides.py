"""Sides: the share of each, of each class, and what choosing among them is worth."""

from __future__ import annotations

from analysis import study as estimates
from analysis.runs import Study
from reports.cells import percent
from reports.model import Block, Section
from reports.phrases import sides_phrase
from reports.sections import cards
from reports.sections.matrix import matrix_blocks
from reports.sections.shares import share_forest


def sides_section(study: Study) -> Section | None:
    """Return the share of each side and class, or None with one side."""
    j, game = study.main, study.game
    if len(j.tally.sides) < 2:
        return None
    blocks: list[Block] = []
    if estimates.pooled(j):
        verdicts = estimates.pools(j)
        best = max(verdicts, key=lambda v: v.estimate or 0.0)
        alt = f"{best.name} is the best class: {percent(best.estimate or 0)} where {percent(best.null)} is fair."
        caption = (
            f"{game.side_word.capitalize()}s with the same rules are one class; a class is the mean of its members."
        )
        blocks.append(share_forest("classes", "Win share by class", verdicts, alt, caption, j))
    verdicts = estimates.sides(j)
    best = max(verdicts, key=lambda v: v.estimate or 0.0)
    alt = f"{best.name} wins most: {percent(best.estimate or 0)} where {percent(best.null)} is fair."
    blocks.append(share_forest("sides", f"Win share by {game.side_word}", verdicts, alt, "The band is the margin.", j))
    blocks += [*cards.robust_table(study), *matrix_blocks(j, game)]
    phrase = sides_phrase(study)
    return Section("sides", f"{game.side_word.capitalize()}s", f"{phrase[0].upper()}{phrase[1:]}.", tuple(blocks))
