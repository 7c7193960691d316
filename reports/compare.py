"""The report of a comparison: two arms on the same deals, and what the change does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.runs import Study
from analysis.study import judge
from reports.cells import cell_of, count_word, points, tier_words
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
from reports.sections.change import changed_shares, length_phrase, length_tables, share_table, shares_phrase, subject_of
from reports.sections.closing import reproduce

if TYPE_CHECKING:
    from sim.run import Run


def build_comparison(run: Run, *, margin: float | None = None, command: str = "") -> ReportModel:
    """Return the report of a run of two arms; its headlines are the paired differences, changed minus baseline."""
    j = judge(run, margin=margin)
    t = j.tally
    plan, game = t.plan, t.game
    arm = plan.arms[1]
    shares = changed_shares(j)
    sentence = f"{subject_of(arm.name)} {length_phrase(j, arm.name)}; {shares_phrase([v for _, v in shares])}, "
    sentence += f"between {tier_words(j)} players."
    headlines = tuple(
        Headline(key, v.name, v.word, cell_of(v.estimate, v.interval, v.blocks), "points", 0.0, v.margin, "change")
        for key, v in shares
    )
    rows = tuple(
        Criterion(
            key, f"Change of {v.name}", f"moves by less than {points(v.margin)}",
            cell_of(v.estimate, v.interval, v.blocks),
            v.word, "points", v.further_games if v.word == "undecided" else None, v.smallest_margin, "", 0.0, v.margin,
            "change",
        )
        for key, v in shares
    )  # fmt: skip
    words = {v.word for _, v in shares}
    overall = "unbalanced" if "unbalanced" in words else "undecided" if "undecided" in words else "balanced"
    facts = Facts(
        t.games_per_arm, t.blocks, plan.seats, tier_words(j), str(plan.seed), None, command, j.sequential,
        (("arms", f"{plan.arms[0].variant.name} and {arm.name}"),),
    )  # fmt: skip
    header = Header(game.title, game.name, arm.name, sentence, overall, headlines, facts, kind="comparison")
    figure_rows = tuple((Cell(v.name), cell_of(v.estimate, v.interval, v.blocks)) for _, v in shares)
    columns = (Column("label", "who"), Column("value", "change of share", "points"))
    title = "What the change moves"
    figure = FigureSpec(
        "change", "forest", Table("change", title, columns, figure_rows), sentence, title,
        "Changed minus baseline on the same deals, with the 95 % interval of the paired difference.",
        {"null": 0.0, "unit": "points"},
    )  # fmt: skip
    lead = f"{count_word(plan.seats).capitalize()} players, {t.games_per_arm:,} games of each arm on the same deals."
    glossary = (Term("change", "Changed arm minus baseline, block by block on the same deals."),)
    section = Section("change", title, lead, (figure, share_table(j, arm.name), *length_tables(j, arm.name)))
    again = reproduce(Study(main=j, command=command), run)
    return ReportModel(header, rows, (), (section,), glossary, again)
