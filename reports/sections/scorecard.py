"""The scorecard: every verdict of a report against its target, the worst first."""

from __future__ import annotations

from analysis import study as estimates
from analysis.criteria import evaluate
from analysis.runs import Study
from analysis.verdicts import Verdict
from reports.cells import cell_of, count_word, gap_cell, percent, points
from reports.model import Criterion


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


def scorecard(study: Study) -> tuple[Criterion, ...]:
    """Return every verdict against its target, the worst first."""
    j = study.main
    n = j.tally.plan.seats
    first = estimates.first_player(j)
    rows = [_criterion(first, "first-seat", "Going first", _within(first), n, "first")]
    if len(j.tally.sides) > 1:
        for i, v in enumerate(estimates.pools(j)):
            rows.append(_criterion(v, f"class-{i}", v.name, _within(v), n, "sides"))
        for name, one, other in estimates.contrasts_of(j):
            v = estimates.difference(j, one, other, name)
            rows.append(_criterion(v, f"contrast-{len(rows)}", name, _apart(v), n, "sides"))
    for count, other_judge in study.seats.items():
        v = estimates.first_player(other_judge)
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
