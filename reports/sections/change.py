"""What a change of the rules does, on the same deals: shares, length and endings, changed minus baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis import study as estimates
from analysis.keys import FIRST, Seat, SideShare, Weights, mean_of
from analysis.moments import Sample
from analysis.runs import Study
from analysis.study import Judge
from analysis.verdicts import Verdict
from reports.cells import cell_of, listed, points
from reports.model import Cell, Column, Section, Table, Unit

NEGLIGIBLE = 0.2
"""A change below this part of the margin is not worth a clause of its own."""


def _changed(j: Judge, weights: Weights, margin: float, name: str) -> Verdict:
    """Return the verdict on a change of share, changed arm minus baseline: balanced means hardly moved."""
    t = j.tally
    moments = t.changes[0]
    row = [0.0] * moments.k
    for column, weight in weights.items():
        row[t.column(column)] = -weight
    if len(weights) == 1:
        found = moments.sample(t.column(next(iter(weights))), low=-1.0, high=1.0)
        sample = Sample(found.n, -found.mean, found.variance, -1.0, 1.0, found.nonzero)
    else:
        sample = moments.contrast(row, low=-1.0, high=1.0)
    return j.judged(t.sized(sample), null=0.0, margin=margin, name=name)


def _classes(j: Judge) -> list[list[str]]:
    """Return the sides that have the same rules in both arms, class by class: a change may tear a class apart."""
    t = j.tally
    labels = [t.game.classes_in(arm.variant) for arm in t.plan.arms[:2]]
    made: dict[tuple[str, str], list[str]] = {}
    for i in t.sides:
        made.setdefault((labels[0][i], labels[1][i]), []).append(t.plan.side_names[i])
    return list(made.values())


def changed_shares(j: Judge) -> list[tuple[str, Verdict]]:
    """Return the verdict on the change of the first seat and of each class, by key."""
    made = [("first-seat", _changed(j, {FIRST: 1.0}, j.margin("first_seat"), "Going first"))]
    if len(j.tally.sides) > 1:
        for i, members in enumerate(_classes(j)):
            weights = mean_of(members)
            made.append((f"class-{i}", _changed(j, weights, j.margin("side"), " / ".join(members))))
    return made


def subject_of(arm: str) -> str:
    """Return the change as the subject of a sentence."""
    return f"'{arm}'" if "=" in arm or arm.islower() else arm


def _moves(v: Verdict) -> bool:
    """Tell whether a change is settled in its sign and not negligible beside the margin."""
    return (v.interval.low > 0 or v.interval.high < 0) and abs(v.estimate or 0.0) >= NEGLIGIBLE * v.margin


def _words(v: Verdict) -> str:
    gap = v.estimate or 0.0
    beyond = f", shown to be more than {points(v.margin)}" if v.word == "unbalanced" else ""
    return f"{v.name} {'gains' if gap > 0 else 'loses'} {points(gap)}{beyond}"


def shares_phrase(verdicts: Sequence[Verdict]) -> str:
    """Return who moves, and in one clause that all the others do not."""
    movers = sorted((v for v in verdicts if _moves(v)), key=lambda v: -abs(v.estimate or 0.0))
    others = [v for v in verdicts if not _moves(v)]
    words = [_words(v) for v in movers]
    if others:
        # All bounds together hold at the level of one: each claim is tested by itself (intersection-union).
        most = max(v.smallest_margin for v in others)
        open_ones = [v.name for v in others if v.word == "undecided"]
        who = "nobody else moves" if movers else "no share moves"
        proof = "shown" if not open_ones else f"too wide yet for a verdict on {listed(open_ones)}"
        words.append(f"{who} by more than {points(most)}: {proof}")
    return ", ".join(words)


def length_phrase(j: Judge, arm: str) -> str:
    """Return what happens to the length, in rounds and turns, as far as it is settled."""
    moved = estimates.changes(j, arm)
    words: dict[str, list[str]] = {}
    for name, least in (("rounds", 0.05), ("turns", 0.5)):
        value, bounds = moved[name]
        if (bounds.low > 0 or bounds.high < 0) and abs(value) >= least:
            words.setdefault("longer" if value > 0 else "shorter", []).append(f"{abs(value):.1f} {name}")
    if not words:
        return "leaves the length of a game as it is, within error"
    return "makes a game " + " and ".join(f"{listed(list_)} {way}" for way, list_ in words.items())


def share_table(j: Judge, arm: str) -> Table:
    """Return every share before and after, with its paired change."""
    t = j.tally
    groups: list[tuple[str, str, Weights, float]] = [
        ("seat", f"seat {i + 1}", {Seat(i): 1.0}, j.margin("first_seat")) for i in range(t.plan.seats)
    ]
    if len(t.sides) > 1:
        pools = _classes(j)
        if 1 < len(pools) < len(t.sides):
            groups += [("class", " / ".join(m), mean_of(m), j.margin("side")) for m in pools]
        names = [t.plan.side_names[i] for i in t.sides]
        groups += [(t.game.side_word, name, {SideShare(name): 1.0}, j.margin("side")) for name in names]
    rows = []
    for kind, name, weights, margin in groups:
        v = _changed(j, weights, margin, name)
        before, after = (moments.contrast(t.weights(weights), low=0.0) for moments in t.shares[:2])
        shown = [cell_of(s.mean, j.interval(s)) for s in (before, after)]
        rows.append(
            (
                Cell(kind),
                Cell(name),
                *shown,
                cell_of(v.estimate, v.interval, v.blocks),
                Cell(v.smallest_margin, text=f"{100 * v.smallest_margin:.1f}"),
            )
        )
    columns = (
        Column("kind", "what"),
        Column("name", "who"),
        Column("before", t.plan.arm_names[0], "share"),
        Column("after", arm, "share"),
        Column("change", "change", "points", "Changed minus baseline on the same deals.", bar=True, null=0.0),
        Column("most", "shown to move by less than", "points"),
    )
    note = "The interval of a change is that of the difference on the same deals, not of two shares."
    return Table("shares", "Every share, before and after", columns, tuple(rows), note)


def length_tables(j: Judge, arm: str) -> list[Table]:
    """Return length and endings before and after, with the paired change."""
    t = j.tally
    change, offset = t.changes[0], len(t.share_columns)

    def row(key: str, title: str, low: float, high: float) -> tuple[Cell, ...]:
        column = t.game_columns.index(key)
        before, after = (m.sample(column, low=max(low, 0.0), high=high) for m in t.games[:2])
        found = change.sample(offset + column, low=low, high=high)
        turned = Sample(found.n, -found.mean, found.variance, low, high, found.nonzero)
        return (Cell(title), *(cell_of(s.mean, j.interval(s)) for s in (before, after, turned)))

    def table(name: str, title: str, unit: Unit, rows: list[tuple[Cell, ...]]) -> Table:
        moved: Unit = "points" if unit == "share" else "number"
        columns = (
            Column("what", "what"), Column("before", t.plan.arm_names[0], unit), Column("after", arm, unit),
            Column("change", "change", moved),
        )  # fmt: skip
        return Table(name, title, columns, tuple(rows))

    free = float("inf")
    lengths = (("rounds", "rounds per game"), ("turns", "turns, all seats"), ("lead_changes", "lead changes"))
    ends = (("capped", "hit a cap"), ("tie", "win shared"), ("draw", "draw"), ("all_win", "win for all"))
    return [
        table("length", "Length", "number", [row(key, title, -free, free) for key, title in lengths]),
        table("endings", "Games without one winner", "share", [row(key, title, -1.0, 1.0) for key, title in ends]),
    ]


def reference_section(study: Study) -> Section | None:
    """Return what the rules of a report change against the rules of reference; None where they are the same."""
    j = study.reference
    if j is None:
        return None
    arm = j.tally.plan.arms[1]
    names = f"{arm.name}, against {j.tally.plan.variant.name}"
    lead = f"{subject_of(arm.name)} {length_phrase(j, arm.name)}; {shares_phrase([v for _, v in changed_shares(j)])}."
    shares = replace(share_table(j, arm.name), id="reference-shares")
    lengths = [replace(table, id=f"reference-{table.id}") for table in length_tables(j, arm.name)]
    return Section("reference", f"What is new: {names}", f"{lead[0].upper()}{lead[1:]}", (shares, *lengths))
