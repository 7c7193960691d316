"""Words and cells that the parts of a report share: counts, lists, points and per cent, cells of tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from analysis.intervals import Interval
from analysis.study import Judge
from analysis.verdicts import Verdict
from reports.model import Cell

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def count_word(n: int) -> str:
    """Return a number as a word up to twelve, else in digits."""
    return _NUMBERS[n] if n < len(_NUMBERS) else f"{n:,}"


def listed(words: Sequence[str]) -> str:
    """Return words as a list: "a, b and c"."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else "nothing"


def points(x: float, digits: int = 1) -> str:
    """Return the size of a difference of shares in points."""
    return f"{100 * abs(x):.{digits}f} points"


def signed(x: float) -> str:
    """Return a difference of shares in points with its sign, without the unit."""
    shown = round(100 * x, 1)
    return f"{shown:+.1f}" if shown else "0.0"


def percent(x: float, digits: int = 1) -> str:
    """Return a share in per cent."""
    return f"{100 * x:.{digits}f} %"


def cell_of(value: float | None, bounds: Interval | None, n: int | None = None, flag: str = "", text: str = "") -> Cell:
    """Return a cell with what of its interval is finite."""
    if bounds is None or value is None:
        return Cell(value, None, None, n, text, flag)
    low = bounds.low if math.isfinite(bounds.low) else None
    high = bounds.high if math.isfinite(bounds.high) else None
    return Cell(value, low, high, n, text, flag)


def share_cell(v: Verdict) -> Cell:
    """Return a verdict's share with its interval."""
    return cell_of(v.estimate, v.interval, v.blocks)


def gap_cell(v: Verdict) -> Cell:
    """Return a verdict's gap to its null with its interval."""
    i = v.interval
    return cell_of(v.gap, Interval(i.low - v.null, i.high - v.null, i.level, i.method), v.blocks)


def tier_words(j: Judge) -> str:
    """Return who plays in the baseline."""
    return listed(list(dict.fromkeys(t.name for t in j.tally.plan.arms[0].tiers)))
