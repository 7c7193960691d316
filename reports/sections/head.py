"""The head of a report: one sentence, the overall word, the headlines, what was played."""

from __future__ import annotations

from analysis import study as estimates
from analysis.runs import Study
from analysis.study import Judge
from analysis.verdicts import Verdict
from reports.cells import gap_cell, tier_words
from reports.model import Facts, Header, Headline
from reports.phrases import first_phrase, sides_phrase


def _sentence(study: Study) -> str:
    j = study.main
    parts = [first_phrase(estimates.first_player(j))]
    if len(j.tally.sides) > 1:
        parts.append(sides_phrase(study))
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}, between {tier_words(j)} players."


def _headlines(study: Study) -> tuple[Headline, ...]:
    j = study.main
    first = estimates.first_player(j)
    made = [Headline("first-seat", "Going first", first.word, gap_cell(first), "points", 0.0, first.margin, "first")]
    if len(j.tally.sides) > 1:
        for i, v in enumerate(estimates.pools(j)):
            made.append(Headline(f"class-{i}", v.name, v.word, gap_cell(v), "points", 0.0, v.margin, "sides"))
    return tuple(made)


def _overall(study: Study) -> str:
    words = [estimates.first_player(study.main).word]
    if len(study.main.tally.sides) > 1:
        words.append(estimates.all_sides(study.main).word)
    for word in ("unbalanced", "undecided"):
        if word in words:
            return word
    return "balanced"


def _error_of(v: Verdict) -> float:
    return (v.interval.high - v.interval.low) / 2 / 1.96


def header(study: Study) -> Header:
    """Return the head of the report: its sentence, its overall word, its headlines and facts."""
    j = study.main
    plan, game = j.tally.plan, study.game
    first = estimates.first_player(j)
    facts = Facts(
        j.tally.games_per_arm,
        j.tally.blocks,
        plan.seats,
        tier_words(j),
        str(plan.seed),
        _error_of(first),
        study.command,
        j.sequential,
        (
            ("unit of inference", "super-block" if plan.superblock_deals > 1 else "block"),
            ("intervals of verdicts", _together(j)),
        ),
    )
    variant = plan.variant.name
    return Header(
        game.title, game.name, variant, _sentence(study), _overall(study), _headlines(study), facts, study.warnings
    )


def _together(j: Judge) -> str:
    """Return at which level the intervals of the page's verdicts hold."""
    if j.family == 1:
        return f"{100 * j.level:g} %"
    return f"all {j.family} together {100 * j.level:g} %, each {100 * j.verdict_level:.4g} %"
