"""The part of a report on pace and drama: how long, who leads, when it is decided, how much the cards decide."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.drama import DECIDED, QUANTILES, Drama
from analysis.intervals import Interval
from analysis.moments import Sample
from analysis.study import Judge
from reports.cells import cell_of, percent
from reports.model import Block, Cell, Column, FigureSpec, Table, Text
from sim.game import Game

LEAST_ON = 0.01
"""A round is shown while at least this share of games goes on after it."""


def blocks_of(drama: Drama, j: Judge, game: Game) -> list[Block]:
    """Return the figures and tables on pace and drama."""
    made: list[Block] = [_length_figure(drama, j), _length_table(drama, j, game)]
    if drama.model is not None and drama.fate.n > 1:
        made += _path_figure(drama, j)
    return made + _drama_blocks(drama, j)


def lead_of(drama: Drama, j: Judge) -> str:
    """Return what was found, in a sentence or two to stand after the length of a game."""
    words = []
    if drama.model is not None and drama.fate.n > 1:
        early, behind = drama.fate_of("early"), drama.fate_of("behind")
        words.append(f"{percent(early.mean)} of games are decided before their last round")
        if behind.n:
            words.append(f"{percent(behind.mean)} are won from behind at half-time")
    deal = drama.deal_share()
    if deal is not None and deal.n > 1:
        words.append(f"the cards dealt explain {percent(max(deal.mean, 0.0))} of who wins")
    if not words:
        return ""
    text = ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]
    return f" {text[0].upper()}{text[1:]}."


def _seen(drama: Drama) -> str:
    return f"Counted over the first {drama.games:,} games."


def _length_figure(drama: Drama, j: Judge) -> FigureSpec:
    rows = []
    for i, x in enumerate(drama.points):
        sample = drama.below.sample(i)
        rows.append((Cell(x), cell_of(sample.mean, j.interval(sample), sample.n)))
    columns = (Column("x", "turns of all seats", "number", digits=0), Column("y", "games that are over", "share"))
    title = "How long games last"
    half, long = (drama.quantile(q, j)[0] for q in (0.5, 0.99))
    alt = f"Half of all games end within {half} turns, and all but the longest 1 % within {long}."
    marks = [{"x": half, "text": f"half: {half}"}, {"x": long, "text": f"99 %: {long}"}]
    options = {"style": "step", "xlabel": "turns of all seats", "ylabel": "games that are over", "marks": marks}
    table = Table("length-figure", title, columns, tuple(rows), folded=True)
    caption = f"Share of games that have ended after so many turns. {_seen(drama)}"
    return FigureSpec("length-figure", "curve", table, alt, title, caption, options)


def _minutes(turns: float, game: Game) -> float:
    return turns * game.seconds_per_turn / 60


def _length_table(drama: Drama, j: Judge, game: Game) -> Table:
    names = {0.01: "the shortest 1 %", 0.5: "half of all games", 0.99: "all but the longest 1 %"}
    rows = []
    for q in QUANTILES:
        turns, bounds = drama.quantile(q, j)
        low, high = _minutes(bounds.low, game), _minutes(bounds.high, game)
        at_table = Interval(low, high, bounds.level, bounds.method)
        label = names.get(q, f"{100 * q:.0f} % of games")
        rows.append((Cell(label), cell_of(turns, bounds), cell_of(_minutes(turns, game), at_table)))
    longest = len(drama.turns) - 1
    rows.append((Cell("the longest game"), Cell(longest), Cell(_minutes(longest, game))))
    columns = (
        Column("part", "games"),
        Column("turns", "end within so many turns", "number", digits=0),
        Column("minutes", "minutes at the table", "number", digits=0),
    )
    note = f"At {game.seconds_per_turn:g} seconds a turn; intervals allow for the games of a block being alike. "
    return Table("quantiles", "Short and long games", columns, tuple(rows), note + _seen(drama))


def _path_figure(drama: Drama, j: Judge) -> list[Block]:
    title = "What a lead is worth"
    expected, found, table_rows = [], [], []
    for k in range(1, drama.path_rounds + 1):
        on, chance, won = drama.leader(k)
        if on.mean < LEAST_ON or chance.n < 2:
            continue
        chance_cell, won_cell = (cell_of(s.mean, j.interval(s), s.n) for s in (chance, won))
        expected.append((Cell(k), chance_cell, Cell("expected")))
        found.append((Cell(k), won_cell, Cell("really won")))
        table_rows.append((Cell(k), cell_of(on.mean, j.interval(on), on.n), chance_cell, won_cell))
    if len(expected) < 2:
        return [_path_table(table_rows)] if table_rows else []
    columns = (
        Column("x", "after round", "number", digits=0),
        Column("y", "share of the leader", "share"),
        Column("series", "line"),
    )
    most = max(expected, key=lambda row: row[1].number or 0.0)
    alt = f"A leader's chance is greatest after round {most[0].value}: {percent(most[1].number or 0.0)}."
    caption = (
        "Expected share of the seat that leads after each round in games that go on, learned from half of the deals "
        "and applied to the other half, beside the share that those leaders really won; halves differ by chance too."
    )
    spec = Table("lead-figure", title, columns, (*expected, *found), folded=True)
    options = {"xlabel": "rounds played", "ylabel": "share of the leader"}
    figure = FigureSpec("lead-figure", "curve", spec, alt, title, caption, options)
    return [figure, _path_table(table_rows)]


def _path_table(rows: Sequence[tuple[Cell, ...]]) -> Table:
    columns = (
        Column("round", "after round", "number", digits=0),
        Column("on", "games still on", "share"),
        Column("expected", "expected share of the leader", "share"),
        Column("won", "share the leader won", "share"),
    )
    return Table("lead", "The leader after each round", columns, tuple(rows), "Several leaders count in parts.", True)


def _drama_blocks(drama: Drama, j: Judge) -> list[Block]:
    """Return the table of single numbers, and a list that says what each means."""
    rows, notes = [], []

    def row(what: str, sample: Sample, unit: str, note: str) -> None:
        shown = cell_of(sample.mean, j.interval(sample), sample.n)
        rows.append((Cell(what), *((shown, Cell()) if unit == "share" else (Cell(), shown))))
        notes.append(f"{what[0].upper()}{what[1:]}: {note}")

    if drama.model is not None and drama.fate.n > 1:
        fair, sure = 50.0 / drama.plan.seats, f"{100 * DECIDED:.0f} %"
        row(
            "decided in round", drama.fate_of("decided_round"), "number",
            f"the first after which the winner's chance stays at {sure} or more; at latest the last round.",
        )  # fmt: skip
        row("decided after", drama.fate_of("decided_part"), "share", "that round over all rounds of the game.")
        row(
            "decided before the last round", drama.fate_of("early"), "share",
            f"games that begin their last round with the winner at {sure} or more.",
        )  # fmt: skip
        row("won from behind at half-time", drama.fate_of("behind"), "share", "another led after half of the rounds.")
        row("great comebacks", drama.fate_of("comeback"), "share", f"the winner's chance was once below {fair:.3g} %.")
        row(
            "how well a standing tells the end", _skill(drama), "share",
            "squared error that knowing the standing takes away, on deals it was not learned from; 0 % tells nothing.",
        )  # fmt: skip
    deal = drama.deal_share()
    if deal is not None and deal.n > 1:
        row(
            "share of the result in the cards dealt", deal, "share",
            "the part of the variance of a share that goes with the same cards, whoever plays them in whatever seat.",
        )  # fmt: skip
    if not rows:
        return []
    columns = (Column("what", "what"), Column("share", "share", "share"), Column("number", "round", "number"))
    note = f"Ties are left out where a winner is named. {_seen(drama)}"
    return [Table("drama", "Drama", columns, tuple(rows), note), Text((), tuple(notes), "What these mean")]


def _skill(drama: Drama) -> Sample:
    """Return 1 minus squared error of the model over that of knowing nothing."""
    ratio = drama.score.ratio(0, 1, low=0.0, high=2.0)
    return Sample(ratio.n, 1.0 - ratio.mean, ratio.variance, -1.0, 1.0)
