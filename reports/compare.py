"""The report of a comparison: two arms on the same deals, and what the change does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis import study as facts_of
from analysis.intervals import Interval
from analysis.moments import Sample
from analysis.study import Judge, judge
from analysis.verdicts import Verdict, verdict
from reports.build import _cell, _count, _points, _reproduce, _tiers
from reports.model import (
    Cell,
    Column,
    Criterion,
    Facts,
    FigureSpec,
    Header,
    Headline,
    ReportModel,
    Section,
    Table,
    Term,
)

if TYPE_CHECKING:
    from sim.run import Run


def _changed(j: Judge, key: str, weights: dict[str, float], margin: float, name: str) -> Verdict:
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
    return verdict(sample, null=0.0, margin=margin, name=name, level=j.level, games_per_block=t.games_per_block)


def _shares(j: Judge) -> list[tuple[str, Verdict]]:
    made = [("first-seat", _changed(j, "seat 0", {"seat 0": 1.0}, j.margin("first_seat"), "Going first"))]
    if len(j.tally.sides) > 1:
        for i, members in enumerate(facts_of.pools_of(j.tally).values()):
            weights = {f"side {m}": 1.0 / len(members) for m in members}
            made.append((f"class-{i}", _changed(j, "", weights, j.margin("side"), " / ".join(members))))
    return made


def _words(v: Verdict) -> str:
    gap = v.estimate or 0.0
    if v.word == "balanced":
        return f"{v.name} moves by less than {_points(v.margin)}: proved"
    if v.word == "unbalanced":
        return f"{v.name} {'gains' if gap > 0 else 'loses'} {_points(gap)}: proved to be more than {_points(v.margin)}"
    if v.interval.low > 0 or v.interval.high < 0:
        return f"{v.name} {'gains' if gap > 0 else 'loses'} {_points(gap)}"
    return f"{v.name} moves by {100 * gap:+.1f} points, which is within error"


def _length(j: Judge, arm: str) -> tuple[str, tuple[float, Interval], tuple[float, Interval]]:
    moved = facts_of.changes(j, arm)
    rounds, turns = moved["rounds"], moved["turns"]
    value, bounds = turns
    if bounds.low > 0 or bounds.high < 0:
        verb = "lengthens" if value > 0 else "shortens"
        return f"it {verb} a game by {abs(value):.1f} turns", rounds, turns
    return "the length of a game stays the same within error", rounds, turns


def build_comparison(run: Run, *, margin: float | None = None, command: str = "") -> ReportModel:
    """Return the report of a run of two arms; its headlines are the paired differences, changed minus baseline."""
    j = judge(run, margin=margin)
    t = j.tally
    plan, game = t.plan, t.game
    arm = plan.arms[1]
    shares = _shares(j)
    length, rounds, turns = _length(j, arm.name)
    sentence = f"{arm.name}: {length}; " + "; ".join(_words(v) for _, v in shares) + f", between {_tiers(j)} players."
    headlines = tuple(
        Headline(key, v.name, v.word, _cell(v.estimate, v.interval, v.blocks), "points", 0.0, v.margin, "change")
        for key, v in shares
    )
    rows = tuple(
        Criterion(
            key, f"Change of {v.name}", f"moves by less than {_points(v.margin)}",
            _cell(v.estimate, v.interval, v.blocks),
            v.word, "points", v.further_games if v.word == "undecided" else None, v.smallest_margin, "", 0.0, v.margin,
            "change",
        )
        for key, v in shares
    )  # fmt: skip
    words = {v.word for _, v in shares}
    overall = "unbalanced" if "unbalanced" in words else "undecided" if "undecided" in words else "balanced"
    facts = Facts(
        t.games_per_arm, t.blocks, plan.seats, _tiers(j), str(plan.seed), None, command, j.sequential,
        (("arms", f"{plan.arms[0].variant.name} and {arm.name}"),),
    )  # fmt: skip
    header = Header(game.title, game.name, arm.name, sentence, overall, headlines, facts)
    figure_rows = tuple((Cell(v.name), _cell(v.estimate, v.interval, v.blocks)) for _, v in shares)
    columns = (Column("label", "who"), Column("value", "change of share", "points"))
    title = "What the change moves"
    figure = FigureSpec(
        "change", "forest", Table("change", title, columns, figure_rows), sentence, title,
        "Changed minus baseline on the same deals, with the 95 % interval of the paired difference.",
        {"null": 0.0, "unit": "points"},
    )  # fmt: skip
    table = Table(
        "length", "Length", (Column("what", "what"), Column("value", "change", "number")),
        ((Cell("rounds per game"), _cell(*rounds)), (Cell("turns per game, all seats"), _cell(*turns))),
    )  # fmt: skip
    lead = f"{_count(plan.seats).capitalize()} players, {t.games_per_arm:,} games of each arm on the same deals."
    glossary = (Term("change", "Changed arm minus baseline, block by block on the same deals."),)
    return ReportModel(
        header, rows, (), (Section("change", title, lead, (figure, table)),), glossary,
        _reproduce(facts_of.Study(main=j, command=command), run),
    )  # fmt: skip
