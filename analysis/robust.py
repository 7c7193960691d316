"""Whether a verdict on a side holds however the open facts are filled in, and between other players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from analysis.estimands import share_in
from analysis.keys import SideShare
from analysis.runs import Study
from analysis.study import sides
from analysis.verdicts import Verdict

Kind = Literal["list", "play"]


@dataclass(frozen=True)
class Check:
    """A side's verdict under another assumption (``list``), or between players of another tier (``play``)."""

    title: str
    kind: Kind
    verdict: Verdict


@dataclass(frozen=True)
class Robust:
    """What may be said of a side.

    Parameters
    ----------
    verdict
        Of the main run.
    checks
        The same under each assumption and at each other tier.
    word
        ``too strong``, ``too weak`` or ``balanced`` if all say so; ``depends on the list``, ``depends on the play`` or
        both where one says otherwise; ``not settled`` where one is undecided; ``undecided`` where the main run is.
    by
        What says otherwise, or is undecided.
    """

    verdict: Verdict
    checks: tuple[Check, ...]
    word: str
    by: tuple[str, ...]


def direction(v: Verdict) -> int | None:
    """Return 1 for shown above the margin, -1 below, 0 within, None for undecided."""
    if v.word == "undecided":
        return None
    return 0 if v.word == "balanced" else 1 if (v.gap or 0.0) > 0 else -1


def robust_sides(study: Study) -> list[Robust]:
    """Return what may be said of each side; nothing where the game has no assumptions that were played."""
    if study.assumptions is None:
        return []
    made = []
    for i, v in enumerate(sides(study.main)):
        checks = (*_assumed(study, i, v), *(Check(name, "play", sides(j)[i]) for name, j in study.tiers.items()))
        made.append(Robust(v, checks, *_word(v, checks)))
    return made


def _assumed(study: Study, place: int, main: Verdict) -> list[Check]:
    j = study.assumptions
    if j is None:
        return []
    t = j.tally
    column = SideShare(t.plan.side_names[t.sides[place]])
    made = []
    for arm, title in enumerate(t.plan.arm_names[1:], 1):
        sample = share_in(t, column, arm)
        made.append(Check(title, "list", j.judged(sample, null=main.null, margin=main.margin, name=main.name)))
    return made


def _word(main: Verdict, checks: tuple[Check, ...]) -> tuple[str, tuple[str, ...]]:
    own = direction(main)
    if own is None:
        return "undecided", ()
    against = [c for c in checks if direction(c.verdict) not in (None, own)]
    if against:
        kinds = [kind for kind in ("list", "play") if any(c.kind == kind for c in against)]
        return "depends on the " + " and the ".join(kinds), tuple(c.title for c in against)
    open_ones = [c.title for c in checks if direction(c.verdict) is None]
    if not any(c.kind == "play" for c in checks):
        open_ones.append("a second tier")
    if open_ones:
        return "not settled", tuple(open_ones)
    return {1: "too strong", -1: "too weak", 0: "balanced"}[own], ()
