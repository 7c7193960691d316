"""From a study to a report: every sentence and table is made here from what the analysis proved, for any game.

What is particular to a game comes from its facts: the names of its sides and abilities, its own tables, its readings
and its glossary. No game is named below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analysis import study as facts_of
from analysis.criteria import evaluate
from analysis.intervals import Interval
from analysis.lists import (
    Confirmation,
    Ranked,
    arm_effects,
    confirm,
    interactions,
    picks,
    screen,
    strengths,
)
from analysis.luck import without_luck
from analysis.matchups import Matchups
from analysis.moments import Moments, Sample
from analysis.play import beside_name, open_study, reading_name, turned
from analysis.robust import robust_sides
from analysis.sequences import ConfidenceSequence
from analysis.study import Judge, Strength, Study
from analysis.verdicts import Verdict, settled_sign
from reports import cards
from reports.cells import (
    cell_of,
    count_word,
    gap_cell,
    listed,
    percent,
    points,
    share_cell,
    signed,
    tier_words,
)
from reports.model import (
    Block,
    Cell,
    Column,
    Criterion,
    DataFile,
    Facts,
    FigureSpec,
    Finding,
    Header,
    Headline,
    ReportModel,
    Reproduce,
    Section,
    Table,
    Term,
    Text,
)
from sim.game import Game, Measure, TableSpec
from sim.luck import has_worth
from sim.variant import to_toml

if TYPE_CHECKING:
    from sim.run import Run

LUCK_GAMES, LUCK_DEALS = 20_000, 200_000
"""Games, and deals for the expectations, from which a report says what the luck of the deal explains."""

RARE = 1.0
"""Uses per 1,000 games below which an ability is called too rare to matter."""


def _table_gap(v: Verdict, seats: int) -> str:
    """Return how many games at a table somebody would need to notice the gap."""
    if v.table_games is None:
        return ""
    if v.table_games > 1_000_000:
        return "nobody would notice at a table"
    rounded = float(f"{v.table_games:.2g}")
    return f"about {rounded:,.0f} table games of {count_word(seats)} to notice"


def _criterion(v: Verdict, key: str, title: str, target: str, seats: int, anchor: str) -> Criterion:
    return Criterion(
        key,
        title,
        target,
        gap_cell(v),
        v.word,
        "points",
        v.further_games if v.word == "undecided" else None,
        v.smallest_margin,
        _table_gap(v, seats),
        0.0,
        v.margin,
        anchor,
    )


# ---- the head


def _first_phrase(v: Verdict) -> str:
    gap = v.gap or 0.0
    if v.word == "balanced":
        return f"going first is fair, proved within {points(v.smallest_margin)}"
    if v.word == "unbalanced":
        verb = "wins" if gap > 0 else "loses"
        return f"going first {verb} {points(gap)} of share, more than the margin of {points(v.margin)}"
    so_far = f"{points(gap)} {'more' if gap > 0 else 'less'} than fair so far{_more_games([v])}"
    return f"going first is undecided ({so_far})"


def _more_games(verdicts: Sequence[Verdict]) -> str:
    """Return how many more games are likely to decide what is undecided, rounded; nothing where nobody can tell."""
    needed = [v.further_games for v in verdicts if v.word == "undecided"]
    known = [n for n in needed if n is not None]
    if not known or len(known) < len(needed):
        return ""
    return f"; about {float(f'{max(known):.2g}'):,.0f} more games would tell"


def _sides_phrase(study: Study) -> str:
    j, game = study.main, study.game
    verdicts = facts_of.pools(j)
    word = facts_of.all_sides(j).word
    noun = f"the {count_word(len(verdicts))} classes of {game.side_word}s" if _pooled(j) else f"the {game.side_word}s"
    if word == "balanced":
        return f"{noun} are balanced, proved within {points(max(v.smallest_margin for v in verdicts))}"
    best = max(verdicts, key=lambda v: v.gap or 0.0)
    if word == "unbalanced":
        if study.assumptions is not None:
            return f"{noun} are not balanced: {cards.robust_phrase(robust_sides(study), game.side_word)}"
        worst = max(verdicts, key=lambda v: abs(v.gap or 0.0))
        side = "above" if (worst.gap or 0) > 0 else "below"
        return f"{noun} are not balanced: {worst.name} stands {points(worst.gap or 0.0)} {side} a fair share"
    return f"{noun} are undecided ({best.name} leads by {points(best.gap or 0.0)} so far{_more_games(verdicts)})"


def _pooled(j: Judge) -> bool:
    pools = facts_of.pools_of(j.tally)
    return 1 < len(pools) < len(j.tally.sides)


def _sentence(study: Study) -> str:
    j = study.main
    parts = [_first_phrase(facts_of.first_player(j))]
    if len(j.tally.sides) > 1:
        parts.append(_sides_phrase(study))
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}, between {tier_words(j)} players."


def _headlines(study: Study) -> tuple[Headline, ...]:
    j = study.main
    first = facts_of.first_player(j)
    made = [Headline("first-seat", "Going first", first.word, gap_cell(first), "points", 0.0, first.margin, "first")]
    if len(j.tally.sides) > 1:
        for i, v in enumerate(facts_of.pools(j)):
            made.append(Headline(f"class-{i}", v.name, v.word, gap_cell(v), "points", 0.0, v.margin, "sides"))
    return tuple(made)


def _overall(study: Study) -> str:
    words = [facts_of.first_player(study.main).word]
    if len(study.main.tally.sides) > 1:
        words.append(facts_of.all_sides(study.main).word)
    for word in ("unbalanced", "undecided"):
        if word in words:
            return word
    return "balanced"


def _error_of(v: Verdict) -> float:
    return (v.interval.high - v.interval.low) / 2 / 1.96


def _header(study: Study) -> Header:
    j = study.main
    plan, game = j.tally.plan, study.game
    first = facts_of.first_player(j)
    facts = Facts(
        j.tally.games_per_arm,
        j.tally.blocks,
        plan.seats,
        tier_words(j),
        str(plan.seed),
        _error_of(first),
        study.command,
        j.sequential,
        (("unit of inference", "super-block" if plan.superblock_deals > 1 else "block"),),
    )
    variant = plan.variant.name
    return Header(
        game.title, game.name, variant, _sentence(study), _overall(study), _headlines(study), facts, study.warnings
    )


def _scorecard(study: Study) -> tuple[Criterion, ...]:
    j = study.main
    n, game = j.tally.plan.seats, study.game
    first = facts_of.first_player(j)
    rows = [_criterion(first, "first-seat", "Going first", _within(first), n, "first")]
    if len(j.tally.sides) > 1:
        for i, v in enumerate(facts_of.pools(j)):
            rows.append(_criterion(v, f"class-{i}", v.name, _within(v), n, "sides"))
        for name, one, other in _contrasts(j, game):
            v = facts_of.difference(j, one, other, name)
            rows.append(_criterion(v, f"contrast-{len(rows)}", name, _apart(v), n, "sides"))
    for count, other_judge in study.seats.items():
        v = facts_of.first_player(other_judge)
        rows.append(
            _criterion(
                v, f"first-seat-{count}", f"Going first, {count_word(count)} players", _within(v), count, "counts"
            )
        )
    rows += _criteria_rows(study)
    worst_first = {"fail": -1, "unbalanced": 0, "undecided": 1, "balanced": 2, "pass": 3}
    return tuple(sorted(rows, key=lambda r: worst_first[r.verdict]))


def _criteria_rows(study: Study) -> list[Criterion]:
    """Return the criteria that the variant declares, judged; without any there is nothing to add to the margins."""
    if not study.main.tally.plan.variant.criteria:
        return []
    return [
        Criterion(
            f"criterion-{o.key}", f"Criterion {o.key}: {o.title}", o.target, cell_of(o.value, o.bounds), o.word, o.unit,
            o.further_games if o.word == "undecided" else None, o.smallest_margin, o.note, o.null, o.margin,
        )
        for o in evaluate(study)
    ]  # fmt: skip


def _within(v: Verdict) -> str:
    return f"within {points(v.margin)} of {percent(v.null)}"


def _apart(v: Verdict) -> str:
    return f"at most {points(v.margin)} apart"


def _contrasts(j: Judge, game: Game) -> Iterable[tuple[str, list[str], list[str]]]:
    """Give the pairs of groups to compare: two classes against each other, and what the game itself asks."""
    there = {j.tally.plan.side_names[i] for i in j.tally.sides}
    pools = list(facts_of.pools_of(j.tally).values())
    if len(pools) == 2 and _pooled(j):
        yield f"{' / '.join(pools[0])} against {' / '.join(pools[1])}", pools[0], pools[1]
    for name, one, other in game.contrasts:
        a, b = [s for s in one if s in there], [s for s in other if s in there]
        if a and b:
            yield name, a, b


# ---- sections


def _findings(study: Study) -> tuple[Finding, ...]:
    j, game = study.main, study.game
    made = []
    pools = facts_of.pools_of(j.tally)
    if _pooled(j):
        lists = "; ".join(listed(members) for members in pools.values())
        differences = [facts_of.difference(j, a, b, name) for name, a, b in _contrasts(j, game)][:1]
        effect = gap_cell(differences[0]) if len(pools) == 2 and differences else Cell()
        many = count_word(len(j.tally.sides))
        made.append(
            Finding(
                f"The {many} {game.side_word}s are {count_word(len(pools))} sets of rules under {many} names: {lists}. "
                "Each set is pooled; the effect is the one difference.",
                effect,
                "points",
                f"evenhand games {game.name} --write mine.toml",
                "sides",
            )
        )
    effects: list[tuple[float, Finding]] = []
    first = facts_of.first_player(j)
    if first.word != "balanced":  # what is proved fair is nothing to change
        sentence = f"{_first_phrase(first)[0].upper()}{_first_phrase(first)[1:]}."
        effects.append((abs(first.gap or 0.0), Finding(sentence, gap_cell(first), "points", "", "first")))
    if study.abilities is not None:
        real = _found(screen(strengths(study.abilities), judge=study.abilities))
        for s in facts_of.abilities(study.abilities):
            if s.key in real:
                verb = "loses" if s.value > 0 else "gains"
                sentence = f"A player who alone is without {s.title} {verb} {points(s.value)} of win share."
                command = f"evenhand compare {game.name} --without {s.key}"
                cell = cell_of(s.value, s.bounds, s.blocks)
                effects.append((abs(s.value), Finding(sentence, cell, "points", command, "abilities")))
    effects += [*_reading_findings(study), *cards.findings_of(study)]
    effects.sort(key=lambda pair: -pair[0])
    return tuple(made + [finding for _, finding in effects[:5]])


def _reading_findings(study: Study) -> list[tuple[float, Finding]]:
    if study.readings is None:
        return []
    made = []
    real = _found(screen(arm_effects(study.readings), judge=study.readings))
    for reading in study.game.readings:
        for words, settings in reading.others:
            name = reading_name(reading.rule, words)
            if name in real:
                value, bounds = facts_of.changes(study.readings, name)["seat 0"]
                levers = " ".join(f"--set {k}={_setting(v)}" for k, v in settings.items())
                sentence = f"Read the other way ({words}), {reading.rule} moves the first seat by {points(value)}."
                command = f"evenhand compare {study.game.name} {levers}"
                made.append((abs(value), Finding(sentence, cell_of(value, bounds), "points", command, "readings")))
    return made


def _found(ranked: Sequence[Ranked]) -> set[str]:
    """Return what a list holds of real effects, 5 % false ones at most."""
    return {r.name for r in ranked if r.found}


def _setting(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(str(v) for v in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _forest(key: str, title: str, verdicts: Sequence[Verdict], alt: str, caption: str, j: Judge) -> FigureSpec:
    columns = (
        Column("label", "who"),
        Column("value", "win share", "share", "Mean share of a game, with its 95 % interval; n counts blocks."),
        Column("verdict", "verdict", "verdict"),
        Column("smallest", "smallest margin proved", "points"),
    )
    rows = tuple((Cell(v.name), share_cell(v), Cell(v.word), Cell(v.smallest_margin)) for v in verdicts)
    options = {"null": verdicts[0].null, "margin": verdicts[0].margin, "null_text": "fair share"}
    return FigureSpec(key, "forest", Table(key, title, columns, rows), alt, title, caption, options)


def _first_section(study: Study) -> Section:
    j = study.main
    seats = facts_of.seats(j)
    first = seats[0]
    alt = f"The first seat wins {percent(first.estimate or 0)} where {percent(first.null)} is fair: {first.word}."
    caption = (
        "Win share of each seat over the whole game, every side, policy and hand meeting every seat equally often. "
        "The band is the margin."
    )
    figure = _forest("seats", "Win share by seat", seats, alt, caption, j)
    blocks: list[Block] = [figure]
    if len(j.tally.history) > 2:
        blocks.append(_convergence(j, first))
    return Section(
        "first", "Going first", f"{_first_phrase(first)[0].upper()}{_first_phrase(first)[1:]}.", tuple(blocks)
    )


def _convergence(j: Judge, first: Verdict) -> FigureSpec:
    """Return the running estimate of the first seat with a confidence sequence, valid at every number of games."""
    t = j.tally
    sequence = ConfidenceSequence(
        t.weights({"seat 0": 1.0}),
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


def _sides_section(study: Study) -> Section | None:
    j, game = study.main, study.game
    if len(j.tally.sides) < 2:
        return None
    blocks: list[Block] = []
    if _pooled(j):
        verdicts = facts_of.pools(j)
        best = max(verdicts, key=lambda v: v.estimate or 0.0)
        alt = f"{best.name} is the best class: {percent(best.estimate or 0)} where {percent(best.null)} is fair."
        caption = (
            f"{game.side_word.capitalize()}s with the same rules are one class; a class is the mean of its members."
        )
        blocks.append(_forest("classes", "Win share by class", verdicts, alt, caption, j))
    verdicts = facts_of.sides(j)
    best = max(verdicts, key=lambda v: v.estimate or 0.0)
    alt = f"{best.name} wins most: {percent(best.estimate or 0)} where {percent(best.null)} is fair."
    blocks.append(_forest("sides", f"Win share by {game.side_word}", verdicts, alt, "The band is the margin.", j))
    blocks += [*cards.robust_table(study), *_matrix(j, game)]
    phrase = _sides_phrase(study)
    return Section("sides", f"{game.side_word.capitalize()}s", f"{phrase[0].upper()}{phrase[1:]}.", tuple(blocks))


def _matrix(j: Judge, game: Game) -> list[Block]:
    found = facts_of.side_by_side(j)
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
    if _pooled(j):
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
    """Say only what is proved: among sides with the same rules one is always ahead by estimate."""
    by: dict[str, list[str]] = {}
    for d in found.dominated():
        if d.proved:
            by.setdefault(d.side, []).append(d.by)
    proved = listed([f"{side} (by {listed(others)})" for side, others in by.items()])
    if not by:
        return f"No {game.side_word} is proved to do worse than another one against everybody."
    return f"Dominated, proved against each single opponent: {proved}."


def _heading(column: str, game: Game) -> str:
    return game.side_word if column == "side" else column.replace("_", " ")


def _label(spec: TableSpec, column: str, value: int, sides: Sequence[str]) -> str:
    names = spec.labels.get(column, sides if column == "side" else ())
    return names[value] if 0 <= value < len(names) else str(value)


def _game_table(j: Judge, spec: TableSpec) -> Table | None:
    rows = facts_of.table_rows(j, spec)
    if not rows:
        return None
    columns = [Column(name, _heading(name, j.tally.game)) for name in spec.by]
    columns += map(_measure_column, spec.measures)
    made = []
    for key, cells in rows:
        labels = [Cell(_label(spec, name, value, j.tally.plan.side_names)) for name, value in zip(spec.by, key)]
        made.append((*labels, *(_ratio_cell(s, i) for s, i in cells)))
    if not columns:
        return None
    return Table(f"game-{spec.key}", spec.title, tuple(columns), tuple(made), spec.note)


def _ratio_cell(sample: Sample, bounds: Interval) -> Cell:
    if sample.n == 0:
        return Cell(None)
    return cell_of(sample.mean, bounds, sample.n)


def _question_table(study: Study) -> list[Table]:
    """Return what the ways of playing that the game asks about cost one player."""
    found = [] if study.abilities is None else facts_of.questions(study.abilities)
    if not found:
        return []
    columns = (
        Column("what", "way of playing"),
        Column("cost", "costs the one who does", "points", "Win share lost by the one player who plays so."),
        Column("note", "what is different"),
    )
    rows = tuple((Cell(q.title), cell_of(value, bounds), Cell(q.note)) for q, value, bounds in found)
    note = "On the same deals, everybody else playing as before."
    return [Table("questions", "What a way of playing costs", columns, rows, note)]


def _own_section(study: Study) -> Section | None:
    tables = [t for spec in study.game.tables if (t := _game_table(study.main, spec)) is not None]
    tables += _question_table(study)
    if not tables:
        return None
    lead = f"What is particular to {study.game.title}, counted over all games of the main run."
    return Section("own", "Inside the game", lead, tuple(tables))


def _abilities_section(study: Study) -> Section | None:
    if study.abilities is None:
        return None
    rows = facts_of.abilities(study.abilities)
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
    blocks += [*_screen_table(study), *_pairs_table(study)]
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
    kept, plan = study.game.committed, study.main.tally.plan
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


def _screen_table(study: Study) -> list[Table]:
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


def _pairs_table(study: Study) -> list[Table]:
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
        f"{points(study.pairs.margin('side'))}, proved for all pairs at once; separate: proved to differ by less."
    )
    return [Table("ability-pairs", "Abilities by twos", columns, rows, note)]


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


def _pace_section(study: Study) -> Section:
    j = study.main
    seats = j.tally.plan.seats
    lengths = [("turns", "turns, all seats"), ("lead_changes", "lead changes")]
    if facts_of.length_column(j) == "rounds":
        lengths.insert(0, ("rounds", "rounds"))
    ends = (("capped", "hit a cap"), ("tie", "win shared"), ("draw", "draw"), ("all_win", "win for all"))
    rows = [(Cell(title), cell_of(*facts_of.game_mean(j, key))) for key, title in lengths]
    turns, bounds = facts_of.game_mean(j, "turns")
    scale = study.game.seconds_per_turn / 60
    minutes = Interval(bounds.low * scale, bounds.high * scale, bounds.level, bounds.method)
    rows.append((Cell(f"minutes, at {study.game.seconds_per_turn:g} seconds a turn"), cell_of(turns * scale, minutes)))
    length = Table(
        "pace", "Length of a game", (Column("what", "per game"), Column("value", "mean", "number")), tuple(rows)
    )
    ended = [(title, cell_of(*facts_of.game_mean(j, key))) for key, title in ends]
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
    rounds, _ = facts_of.game_mean(j, "rounds")
    count = f"{rounds:.1f} rounds and " if facts_of.length_column(j) == "rounds" else ""
    lead = f"A game of {count_word(seats)} lasts {count}{turns:.0f} turns, about {turns * scale:.0f} minutes."
    return Section("pace", "Pace", lead, (length, endings))


def _tiers_section(study: Study) -> Section | None:
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
    made = [facts_of.first_player(j)]
    if len(j.tally.sides) > 1:
        made += facts_of.pools(j)
    return made


def _counts_section(study: Study) -> Section | None:
    if not study.seats:
        return None
    rows, length = [], facts_of.length_column(study.main)
    for n, j in sorted({**study.seats, study.main.tally.plan.seats: study.main}.items()):
        first = facts_of.first_player(j)
        rounds, bounds = facts_of.game_mean(j, length)
        cells = [Cell(f"{count_word(n)} players"), gap_cell(first), Cell(first.word), cell_of(rounds, bounds)]
        rows.append(tuple(cells))
    columns = (
        Column("players", "players"),
        Column("first", "first seat, gap to a fair share", "points"),
        Column("verdict", "verdict", "verdict"),
        Column("length", length, "number"),
    )
    lead = "The first seat at the other numbers of players, from smaller runs."
    return Section(
        "counts", "Other player counts", lead, (Table("counts", "By number of players", columns, tuple(rows)),)
    )


def _reference_section(study: Study) -> Section | None:
    if study.reference is None:
        return None
    from reports.compare import reference_section

    return reference_section(study.reference)


def _beside_section(study: Study) -> Section | None:
    """Return the variants that the game wants to see beside each other: first seat by players, its own tables."""
    if not study.beside:
        return None
    game, seats = study.game, study.main.tally.plan.seats
    variants = dict(_beside_judges(study))
    rows, words = [], []
    for n in sorted({seats, *study.seats}):
        for title, judges in variants.items():
            if n not in judges:
                continue
            v = facts_of.first_player(judges[n])
            words.append(v.word)
            head = (Cell(f"{count_word(n)} players"), Cell(title))
            rows.append((*head, gap_cell(v), Cell(v.word), _rounds_cell(judges[n])))
    columns = (
        Column("players", "players"),
        Column("variant", "variant"),
        Column("first", "first seat, gap to a fair share", "points", bar=True, null=0.0),
        Column("verdict", "verdict", "verdict"),
        Column("rounds", "rounds", "number"),
    )
    told = [f"{count_word(words.count(word))} {word}" for word in dict.fromkeys(words)]
    lead = f"Going first in {count_word(len(variants))} variants with every number of players played: {listed(told)}."
    blocks = [Table("beside", "Going first, by players and variant", columns, tuple(rows))]
    here = {title: judges[seats] for title, judges in variants.items() if seats in judges}
    blocks += [t for spec in game.tables if spec.beside and (t := _beside_table(here, spec)) is not None]
    return Section("beside", "Side by side", lead, tuple(blocks))


def _beside_judges(study: Study) -> Iterable[tuple[str, dict[int, Judge]]]:
    """Give (title, {players: judge}) of the variants in the game's order; the main one is called by its lever."""
    plan = study.main.tally.plan
    main = {**study.seats, plan.seats: study.main}
    made = []
    for i, lever in enumerate(study.game.beside):
        judges = {n: j for n in main if (j := study.beside.get(beside_name(i, n))) is not None}
        same = turned(plan.variant, lever).values == plan.variant.values
        if same or judges:
            made.append((lever.title, main if same else judges))
    if not any(judges is main for _, judges in made):
        made.insert(0, ("as it is", main))
    return made


def _rounds_cell(j: Judge) -> Cell:
    """Return the rounds of a game; where they never vary, in a word, since no interval can be made of that."""
    rounds, bounds = facts_of.game_mean(j, "rounds")
    return cell_of(rounds, bounds) if facts_of.length_column(j) == "rounds" else Cell(rounds, text=f"always {rounds:g}")


def _beside_table(judges: dict[str, Judge], spec: TableSpec) -> Table | None:
    """Return a game's own table with a column (of a table without groups: a row) for each variant."""
    found = {title: dict(facts_of.table_rows(j, spec)) for title, j in judges.items()}
    if not spec.by:
        rows = [(Cell(title), *(_ratio_cell(*c) for c in cells[()])) for title, cells in found.items() if () in cells]
        heads = [Column("variant", "variant"), *map(_measure_column, spec.measures)]
    else:
        first = spec.measures[0]
        rows = []
        sides = next(iter(judges.values())).tally.plan.side_names
        for key in sorted(set().union(*found.values())):
            labels = [Cell(_label(spec, name, value, sides)) for name, value in zip(spec.by, key)]
            cells = [_ratio_cell(*rows_of[key][0]) if key in rows_of else Cell() for rows_of in found.values()]
            rows.append((*labels, *cells))
        heads = [Column(name, _heading(name, next(iter(judges.values())).tally.game)) for name in spec.by]
        unit = _measure_column(first).unit
        heads += [Column(f"variant-{i}", title, unit, first.title) for i, title in enumerate(found)]
    if not rows:
        return None
    title = spec.title if not spec.by else f"{spec.title}: {spec.measures[0].title.lower()}"
    return Table(f"beside-{spec.key}", title, tuple(heads), tuple(rows), spec.note)


def _measure_column(m: Measure) -> Column:
    return Column(m.key, m.title, m.unit, m.note)  # type: ignore[arg-type]


def _levers_section(study: Study) -> Section | None:
    """Return what turning the game's numbers does to fairness, luck and length."""
    j = study.levers
    if j is None:
        return None
    t = j.tally
    length = facts_of.length_column(study.main)
    rows = []
    for number, arm in enumerate(t.plan.arm_names):
        moved = facts_of.changes(j, arm) if number else {}
        cells = [Cell(arm if number else "as it is")]
        for key in ("entrant 0", "seat 0"):
            share = t.shares[number].sample(t.column(key))
            cells += [cell_of(share.mean, j.interval(share)), cell_of(*moved[key]) if number else Cell()]
        rounds, bounds = facts_of.game_mean(j, length, number)
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


def _readings_section(study: Study) -> Section | None:
    game = study.game
    if not game.readings:
        return None
    kinds = {"contradiction": 0, "gap": 1, "source": 2}
    rows = []
    for reading in sorted(game.readings, key=lambda r: kinds[r.kind]):
        others = list(reading.others) or [("", {})]
        for words, _ in others:
            rows.append(_reading_row(study, reading.rule, reading.kind, reading.question, reading.took, words))
    rows.sort(key=lambda row: -abs(float(row[5].value)) if isinstance(row[5].value, float) else 1.0)
    columns = [
        Column("rule", "rule"),
        Column("kind", "kind"),
        Column("question", "what is open"),
        Column("took", "how we took it"),
        Column("other", "the other way"),
        Column("first", "moves the first seat by", "points"),
    ]
    if len(study.main.tally.sides) > 1:
        columns.append(Column("sides", f"moves a class of {game.side_word}s by up to", "points"))
    columns.append(Column("length", f"changes {facts_of.length_column(study.main)} by", "number"))
    open_ones = sum(1 for r in game.readings if r.kind == "contradiction")
    some = count_word(open_ones) if open_ones else "none"
    lead = (
        f"The rules leave {count_word(len(game.readings))} places open, {some} of them a contradiction; each "
        "is listed with the way we took it and, where it was played, how far the other way moves the headlines."
    )
    sources = Text(tuple(game.sources), (), "Where the rules come from")
    return Section(
        "readings",
        "Did we play your rules?",
        lead,
        (Table("readings", "Readings", tuple(columns), tuple(rows)), sources),
    )


def _reading_row(study: Study, rule: str, kind: str, question: str, took: str, words: str) -> tuple[Cell, ...]:
    head = [Cell(rule), Cell(kind), Cell(question), Cell(took), Cell(words or "none")]
    several = len(study.main.tally.sides) > 1
    name = reading_name(rule, words)
    if study.readings is None or not words or name not in study.readings.tally.plan.arm_names:
        return (*head, Cell(), *([Cell()] if several else []), Cell())
    moved = facts_of.changes(study.readings, name)
    first = cell_of(*moved["seat 0"])
    classes = [moved[key] for key in moved if key.startswith("class ")]
    most = max(classes, key=lambda pair: abs(pair[0])) if classes else None
    sides = [Cell() if most is None else cell_of(*most)] if several else []
    return (*head, first, *sides, cell_of(*moved[facts_of.length_column(study.main)]))


def _reproduce(study: Study, run: Run | None) -> Reproduce:
    plan = study.main.tally.plan
    game = study.game
    versions = tuple(sorted((run.manifest.get("versions", {}) if run is not None else {}).items()))
    files = []
    if run is not None and run.out is not None:
        for entry in run.manifest["parts"]:
            for table, sha in sorted(entry["sha256"].items()):
                path = f"{table}/part-{entry['part']:05d}.parquet"
                size = (run.out / path).stat().st_size if (run.out / path).exists() else 0
                files.append(DataFile(path, sha, size))
    return Reproduce(
        study.command,
        to_toml(plan.variant, game.fields, game.title),
        versions,
        "-".join(value for _, value in plan.source),
        tuple(files),
    )


def _glossary(study: Study) -> tuple[Term, ...]:
    words = {
        "share": "What a seat won of one game: 1 for a win alone, split on a tie; the shares of a game sum to 1.",
        "fair share": "1 divided by the number of players.",
        "block": "All games of one deal: every player meets every seat and every hand; the unit of error.",
        "super-block": "The run of deals after which every side has met every other equally often.",
        "margin": "How far from fair still counts as balanced.",
        "balanced": "Proved to lie within the margin.",
        "unbalanced": "Proved to lie outside the margin.",
        "undecided": "Neither is proved yet; the report says how many more games it takes.",
        "strength": "What one player loses who alone plays without an ability, on the same deals.",
        **study.game.glossary,
    }
    for tier in study.game.tiers:
        words[tier.name] = f"A tier of player: {tier.note.rstrip('.')}."
    return tuple(Term(word, meaning) for word, meaning in words.items())


def _luck_blocks(study: Study, run: Run) -> list[Block]:
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


def _with_drama(study: Study, run: Run, sections: list[Section], tell: bool) -> list[Section]:
    """Return the sections with what needs the games themselves: pace and drama, and games told in words."""
    from analysis.drama import drama_of
    from reports import drama as pace
    from reports import stories

    found = drama_of(run)
    made = []
    for section in sections:
        if section.id == "pace":
            lead = section.lead + pace.lead_of(found, study.main)
            blocks = (*section.blocks, *pace.blocks_of(found, study.main, study.game), *_luck_blocks(study, run))
            section = Section("pace", "Pace and drama", lead, blocks)
        made.append(section)
    told = stories.section_of(found) if tell else None
    return [*made, told] if told is not None else made


def build(study: Study | Run | Path | str, run: Run | None = None, *, stories: bool = True) -> ReportModel:
    """Return the report of a study, of one run, or of the run folder in which a study's runs lie.

    Parameters
    ----------
    study
        What was proved, a run (its report has no abilities and no other tiers), or a run folder.
    run
        The main run, for the list of files.
    stories
        Whether games are told in words.
    """
    if isinstance(study, Path | str):
        study, run = open_study(Path(study))
    elif not isinstance(study, Study):
        run = study
        study = Study(main=facts_of.judge(run))
    makers: tuple[Callable[[Study], Section | None], ...] = (
        _first_section,
        _sides_section,
        _own_section,
        _abilities_section,
        cards.section_of,
        _pace_section,
        _counts_section,
        _beside_section,
        _tiers_section,
        _reference_section,
        _levers_section,
        _readings_section,
    )
    sections = [section for maker in makers if (section := maker(study)) is not None]
    if run is not None:
        sections = _with_drama(study, run, sections, stories)
    return ReportModel(
        _header(study), _scorecard(study), _findings(study), tuple(sections), _glossary(study), _reproduce(study, run)
    )


__all__ = ["Moments", "build"]
