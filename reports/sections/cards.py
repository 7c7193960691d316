"""The parts of a report on single cards, and on verdicts that must hold under every assumption."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cards import BEST, CardEffect
from analysis.lists import picks
from analysis.robust import robust_sides
from analysis.runs import Study
from reports.cells import cell_of, gap_cell, listed, points, share_cell, tier_words
from reports.model import Block, Cell, Column, FigureSpec, Finding, Section, Table, Text


def section_of(study: Study) -> Section | None:
    """Return what single cards are worth, or None where no side brings cards of its own."""
    game, cards = study.game, study.cards
    if not cards:
        return None
    confirmed = [c for c in cards if c.again is not None]
    blocks: list[Block] = [*_figure(confirmed), *_picked(confirmed), _ranges(cards, game.side_word)]
    blocks += [_all(cards, game.side_word), _meaning(study, cards)]
    return Section("cards", "Cards", _lead(cards, confirmed, game.side_word), tuple(blocks))


def _lead(cards: Sequence[CardEffect], confirmed: Sequence[CardEffect], word: str) -> str:
    found = sum(c.ranked.found for c in cards)
    first = f"Of {len(cards):,} cards in their {word}s {found:,} have a text that is shown to matter."
    held = [c for c in confirmed if c.again is not None and c.again.word == "confirmed"]
    if not held:
        return first
    best = max(held, key=lambda c: _fresh(c))
    worst = min(held, key=lambda c: _fresh(c))
    words = f" On fresh deals {_title(best)} is the strongest: blanked, its {word} loses {points(_fresh(best))}"
    if _fresh(worst) < 0:
        words += f"; {_title(worst)} is a burden: blanked, its {word} gains {points(_fresh(worst))}"
    return f"{first}{words}."


def _fresh(card: CardEffect) -> float:
    return card.again.fresh if card.again is not None else card.ranked.value


def _title(card: CardEffect) -> str:
    return f"{card.title} ({card.side})" if card.title != card.side else card.title


def findings_of(study: Study) -> list[tuple[float, Finding]]:
    """Return the sides and the cards to look at first, with the size of their effects."""
    name, word, made = study.game.name, study.game.side_word, []
    for r in robust_sides(study):
        if r.word in ("too strong", "too weak"):
            sentence = f"{r.verdict.name} is {r.word}, whatever list is assumed and at both tiers."
            command = f"evenhand report {name} --sides {r.verdict.name},all"
            made.append((abs(r.verdict.gap or 0.0), Finding(sentence, gap_cell(r.verdict), "points", command, "sides")))
    for c in study.cards:
        if c.again is not None and c.again.word == "confirmed":
            verb = "costs its" if c.again.fresh > 0 else "gives its"
            sentence = f"Blanking {_title(c)} {verb} {word} {points(c.again.fresh)} of win share."
            cell = cell_of(c.again.fresh, c.again.bounds, c.again.blocks)
            command = f"evenhand compare {name} --without {c.key}"
            made.append((abs(c.again.fresh), Finding(sentence, cell, "points", command, "cards")))
    return made


def _figure(confirmed: Sequence[CardEffect]) -> list[Block]:
    if not confirmed:
        return []
    rows = tuple(
        (Cell(_title(c)), cell_of(c.again.fresh, c.again.bounds, c.again.blocks)) for c in confirmed if c.again
    )
    columns = (Column("label", "card"), Column("value", "share lost when blanked", "points"))
    title = "The strongest and the weakest cards, on fresh deals"
    best, worst = max(confirmed, key=_fresh), min(confirmed, key=_fresh)
    alt = f"{_title(best)} is worth most to its owner ({points(_fresh(best))}), {_title(worst)} least."
    caption = (
        "What the one player loses who alone plays with the card blanked: cost and numbers stay, the text goes. Deals "
        "that had no part in picking these cards."
    )
    table = Table("cards-figure", title, columns, rows, folded=True)
    return [FigureSpec("cards-figure", "ability_bars", table, alt, title, caption, {})]


def _picked(confirmed: Sequence[CardEffect]) -> list[Block]:
    if not confirmed:
        return []
    rows = []
    for c in confirmed:
        again = c.again
        if again is not None:
            fresh = cell_of(again.fresh, again.bounds, again.blocks)
            plain = Cell() if c.plain is None else cell_of(*c.plain)
            seen = cell_of(c.ranked.value, c.ranked.bounds, c.ranked.blocks)
            rows.append((Cell(c.title), Cell(c.side), seen, fresh, Cell(again.word), plain))
    columns = (
        Column("card", "card"),
        Column("side", "in"),
        Column("screen", "screened", "points", "On the deals by which it was picked: too extreme for being so."),
        Column("fresh", "on fresh deals", "points", "Share lost by the one player whose card is blank."),
        Column("word", "holds up"),
        Column("plain", "as a plain body", "points", "Share lost with a plain body of cost 1 in its place."),
    )
    note = "Blank takes the text away; the plain body takes the whole card, its cost and numbers too."
    return [Table("cards-confirmed", "Best and worst, confirmed", columns, tuple(rows), note)]


def _ranges(cards: Sequence[CardEffect], word: str) -> Table:
    """Return, deck by deck, how far apart the cards are that are neither best nor worst of all."""
    picked = {(c.side, c.key) for c in picks(cards, BEST)}
    rows = []
    for side in dict.fromkeys(c.side for c in cards):
        rest = [c for c in cards if c.side == side and (side, c.key) not in picked]
        if rest:
            low, high = rest[-1], rest[0]
            found = sum(c.ranked.found for c in rest)
            ends = (Cell(low.ranked.shrunken), Cell(low.title), Cell(high.ranked.shrunken), Cell(high.title))
            rows.append((Cell(side), Cell(len(rest)), *ends, Cell(found)))
    columns = (
        Column("side", word),
        Column("n", "other cards", "number", digits=0),
        Column("low", "from", "points", "Drawn towards the mean of the list by its own error."),
        Column("weakest", "weakest of them"),
        Column("high", "to", "points"),
        Column("strongest", "strongest of them"),
        Column("found", "shown to matter", "number", "At 5 % false ones over the whole list.", digits=0),
    )
    return Table(
        "cards-ranges", "All other cards, as a range", columns, tuple(sorted(rows, key=lambda r: str(r[0].value)))
    )


def _all(cards: Sequence[CardEffect], word: str) -> Table:
    rows = tuple(
        (
            Cell(c.title), Cell(c.side), cell_of(c.ranked.value, c.ranked.bounds, c.ranked.blocks),
            Cell(c.ranked.shrunken), Cell(c.ranked.q), Cell("yes" if c.ranked.found else "no"),
        )
        for c in cards
    )  # fmt: skip
    columns = (
        Column("card", "card"),
        Column("side", word),
        Column("value", "share lost when blanked", "points"),
        Column("shrunken", "for ranking", "points", "Drawn towards the mean of the list by its own error."),
        Column("q", "q", "number", "p value of no effect, adjusted for the length of the list.", digits=4),
        Column("found", "an effect"),
    )
    return Table("cards-screen", "Every card, as screened", columns, rows, folded=True)


def _meaning(study: Study, cards: Sequence[CardEffect]) -> Text:
    keys = {c.key for c in picks(cards, BEST)}
    words = [f"{a.title}: {a.does}" for a in study.game.cards_in(study.main.tally.plan.variant) if a.key in keys]
    return Text((), tuple(words), "What the picked cards do")


# ---- verdicts under every assumption


def robust_table(study: Study) -> list[Block]:
    """Return the shares of each side under every assumption and at every tier, and what may be said of it."""
    found = robust_sides(study)
    if not found:
        return []
    word = study.game.side_word
    titles = [c.title for c in found[0].checks]
    columns = (
        Column("side", word),
        Column("main", tier_words(study.main), "share"),
        *(Column(f"check-{i}", title, "share") for i, title in enumerate(titles)),
        Column("word", "so the " + word + " is"),
        Column("by", "because of"),
    )
    rows = tuple(
        (
            Cell(r.verdict.name), share_cell(r.verdict), *(share_cell(c.verdict) for c in r.checks), Cell(r.word),
            Cell(listed(r.by) if r.by else ""),
        )
        for r in sorted(found, key=lambda r: -(r.verdict.estimate or 0.0))
    )  # fmt: skip
    note = (
        f"A {word} is called too strong or too weak only if that is shown, beyond the margin of "
        f"{points(found[0].verdict.margin)}, however the open facts are filled in and at both tiers."
    )
    return [Table("robust", "Do these verdicts hold?", columns, rows, note)]
