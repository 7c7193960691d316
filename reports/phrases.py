"""The phrases that more than one part of a report says of the same verdict, and what they need to know."""

from __future__ import annotations

from collections.abc import Sequence

from analysis import study as estimates
from analysis.lists import Ranked
from analysis.robust import Robust, robust_sides
from analysis.runs import Study
from analysis.verdicts import Verdict
from reports.cells import count_word, listed, points


def first_phrase(v: Verdict) -> str:
    """Return what is found of going first, as a clause."""
    gap = v.gap or 0.0
    if v.word == "balanced":
        return f"going first is fair, shown within {points(v.smallest_margin)}"
    if v.word == "unbalanced":
        verb = "wins" if gap > 0 else "loses"
        return f"going first {verb} {points(gap)} of share, more than the margin of {points(v.margin)}"
    so_far = f"{points(gap)} {'more' if gap > 0 else 'less'} than fair so far{more_games([v])}"
    return f"going first is undecided ({so_far})"


def more_games(verdicts: Sequence[Verdict]) -> str:
    """Return how many more games are likely to decide what is undecided, rounded; nothing where nobody can tell."""
    needed = [v.further_games for v in verdicts if v.word == "undecided"]
    known = [n for n in needed if n is not None]
    if not known or len(known) < len(needed):
        return ""
    return f"; about {float(f'{max(known):.2g}'):,.0f} more games would tell"


def sides_phrase(study: Study) -> str:
    """Return what is found of the sides or their classes, as a clause."""
    j, game = study.main, study.game
    verdicts = estimates.pools(j)
    word = estimates.all_sides(j).word
    noun = (
        f"the {count_word(len(verdicts))} classes of {game.side_word}s"
        if estimates.pooled(j)
        else f"the {game.side_word}s"
    )
    if word == "balanced":
        return f"{noun} are balanced, shown within {points(max(v.smallest_margin for v in verdicts))}"
    best = max(verdicts, key=lambda v: v.gap or 0.0)
    if word == "unbalanced":
        if study.assumptions is not None:
            return f"{noun} are not balanced: {robust_phrase(robust_sides(study), game.side_word)}"
        worst = max(verdicts, key=lambda v: abs(v.gap or 0.0))
        side = "above" if (worst.gap or 0) > 0 else "below"
        return f"{noun} are not balanced: {worst.name} stands {points(worst.gap or 0.0)} {side} a fair share"
    return f"{noun} are undecided ({best.name} leads by {points(best.gap or 0.0)} so far{more_games(verdicts)})"


def robust_phrase(found: Sequence[Robust], word: str) -> str:
    """Return in a few words which sides are too strong or too weak whatever is assumed, and how many are open."""
    parts = []
    by_size = sorted(found, key=lambda r: -abs(r.verdict.gap or 0.0))
    for what in ("too strong", "too weak"):
        names = [f"{r.verdict.name} ({points(r.verdict.gap or 0.0)})" for r in by_size if r.word == what]
        if names:
            parts.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {what}")
    text = f"{listed(parts)}, whatever list is assumed and at both tiers" if parts else f"no {word} is so everywhere"
    dependent = [r.verdict.name for r in by_size if r.word.startswith("depends")]
    if dependent:
        text += f"; {listed(dependent)} {'depends' if len(dependent) == 1 else 'depend'} on the list or the play"
    open_ones = sum(r.word in ("not settled", "undecided") for r in found)
    if open_ones:
        text += f"; {count_word(open_ones)} {word}{' is' if open_ones == 1 else 's are'} not settled"
    return text


def found_names(ranked: Sequence[Ranked]) -> set[str]:
    """Return what a list holds of real effects, 5 % false ones at most."""
    return {r.name for r in ranked if r.found}


def written(value: object) -> str:
    """Return a setting as the command line reads it."""
    if isinstance(value, tuple):
        return ",".join(str(v) for v in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
