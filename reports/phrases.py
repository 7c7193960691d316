"""The phrases that more than one part of a report says of the same verdict, and what they need to know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analysis import study as estimates
from analysis.lists import Ranked
from analysis.robust import robust_sides
from analysis.runs import Study
from analysis.study import Judge
from analysis.verdicts import Verdict
from reports.cells import count_word, points
from reports.sections import cards
from sim.facts import Classes
from sim.game import Game


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
    noun = f"the {count_word(len(verdicts))} classes of {game.side_word}s" if pooled(j) else f"the {game.side_word}s"
    if word == "balanced":
        return f"{noun} are balanced, shown within {points(max(v.smallest_margin for v in verdicts))}"
    best = max(verdicts, key=lambda v: v.gap or 0.0)
    if word == "unbalanced":
        if study.assumptions is not None:
            return f"{noun} are not balanced: {cards.robust_phrase(robust_sides(study), game.side_word)}"
        worst = max(verdicts, key=lambda v: abs(v.gap or 0.0))
        side = "above" if (worst.gap or 0) > 0 else "below"
        return f"{noun} are not balanced: {worst.name} stands {points(worst.gap or 0.0)} {side} a fair share"
    return f"{noun} are undecided ({best.name} leads by {points(best.gap or 0.0)} so far{more_games(verdicts)})"


def pooled(j: Judge) -> bool:
    """Whether some sides have the same rules, so that classes are judged and not sides."""
    pools = estimates.pools_of(j.tally)
    return 1 < len(pools) < len(j.tally.sides)


def contrasts(j: Judge, game: Game) -> Iterable[tuple[str, list[str], list[str]]]:
    """Give the pairs of groups to compare: two classes against each other, and what the game itself asks."""
    there = {j.tally.plan.side_names[i] for i in j.tally.sides}
    pools = list(estimates.pools_of(j.tally).values())
    if len(pools) == 2 and pooled(j):
        yield f"{' / '.join(pools[0])} against {' / '.join(pools[1])}", pools[0], pools[1]
    for name, one, other in game.group(Classes).contrasts:
        a, b = [s for s in one if s in there], [s for s in other if s in there]
        if a and b:
            yield name, a, b


def found_names(ranked: Sequence[Ranked]) -> set[str]:
    """Return what a list holds of real effects, 5 % false ones at most."""
    return {r.name for r in ranked if r.found}


def written(value: object) -> str:
    """Return a setting as the command line reads it."""
    if isinstance(value, tuple):
        return ",".join(str(v) for v in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
