"""Numbers and names as people read them: one formatter for HTML, figures and terminal."""

from __future__ import annotations

import math
import re

from reports.model import Cell, Column, Criterion, Headline, Unit

SUFFIX: dict[str, str] = {"share": " %", "points": " points", "number": "", "text": "", "verdict": ""}
SUFFIX["per_1000"] = " per 1,000"
SHORT: dict[str, str] = {**SUFFIX, "points": " pts"}
HEADING: dict[str, str] = {"points": "points", "per_1000": "per 1,000"}  # said once, in the heading of a column

# Control characters and lone surrogates: not allowed in XML, some not encodable at all.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return a text with every character replaced that no page or picture may hold; line breaks stay."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def clean(text: str) -> str:
    """Return a name as one printable line."""
    return printable(" ".join(text.split()))


def slug(text: str) -> str:
    """Return a safe file name part for an id: ASCII letters, digits, ``-`` and ``_``; never empty, never long."""
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-")[:80]
    return safe or "unnamed"


def file_names(ids: list[str], suffix: str) -> dict[str, str]:
    """Return a safe and unique file name for each id, also on file systems that do not tell cases apart."""
    taken: set[str] = set()
    names: dict[str, str] = {}
    for name in ids:
        base, number = slug(name), 2
        made = base
        while made.casefold() in taken:
            made = f"{base}-{number}"
            number += 1
        taken.add(made.casefold())
        names[name] = made + suffix
    return names


def _scaled(value: float, unit: Unit) -> float:
    return value * 100 if unit in ("share", "points") else value


def decimals(cell: Cell, unit: Unit) -> int:
    """Return how many decimals a value deserves: as many as its interval supports, at least one where it has any."""
    value = cell.number
    if isinstance(cell.value, int) and unit == "number" and cell.low is None and cell.high is None:
        return 0
    if cell.low is not None and cell.high is not None and cell.high > cell.low:
        half = _scaled(cell.high - cell.low, unit) / 2
        return min(max(1, -math.floor(math.log10(half))), 4)
    if unit in ("share", "points", "per_1000") or value is None:
        return 1
    size = abs(value)
    return 0 if size >= 1000 else 1 if size >= 10 else 2


def number(value: float, unit: Unit, digits: int, *, ascii_only: bool = False) -> str:
    """Return a number in its unit's scale without its suffix: ``1,234.5``, ``+1.4`` for points."""
    shown = round(_scaled(value, unit), digits)
    shown = 0.0 if shown == 0 else shown  # no "-0.0"
    signed = "+" if unit == "points" and shown > 0 else ""
    text = f"{signed}{shown:,.{digits}f}"
    return text if ascii_only else text.replace("-", "\N{MINUS SIGN}")


def value_text(
    cell: Cell,
    unit: Unit,
    digits: int | None = None,
    *,
    suffix: bool = True,
    short: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return a cell's value as text: its own text if it has one, a dash where there is nothing."""
    if cell.text:
        return cell.text
    if cell.value is None:
        return "-" if ascii_only else "\N{EN DASH}"
    if unit in ("text", "verdict") or cell.number is None:
        return str(cell.value)
    text = number(cell.number, unit, decimals(cell, unit) if digits is None else digits, ascii_only=ascii_only)
    return text + ((SHORT if short else SUFFIX)[unit] if suffix else "")


def interval_text(cell: Cell, unit: Unit, digits: int | None = None, *, ascii_only: bool = False) -> str:
    """Return a cell's interval as ``24.1 to 24.5``; open ends in words; "" where there is none."""
    places = decimals(cell, unit) if digits is None else digits
    low, high = (None if v is None else number(v, unit, places, ascii_only=ascii_only) for v in (cell.low, cell.high))
    if low is None and high is None:
        return ""
    if low is None:
        return f"at most {high}"
    if high is None:
        return f"at least {low}"
    return f"{low} to {high}"


def margin_text(margin: float, unit: Unit) -> str:
    """Return a margin in its unit's scale, as exact as it was set: ``2.5``, ``1.25``."""
    return f"{round(_scaled(margin, unit), 4):g}"


def prose(text: str) -> str:
    """Return a sentence in which no line ends between a number and its unit, and minus is a minus sign."""
    text = re.sub(r"(?<![\w.,)-])-(?=\d)", "\N{MINUS SIGN}", text)
    return re.sub(r"(?<=\d) (?=%|points?\b)", "\N{NO-BREAK SPACE}", text)


def full_text(
    cell: Cell, unit: Unit, digits: int | None = None, *, short: bool = False, ascii_only: bool = False
) -> str:
    """Return value, unit and interval: ``24.3 % (24.1 to 24.5)``."""
    value = value_text(cell, unit, digits, short=short, ascii_only=ascii_only)
    span = interval_text(cell, unit, digits, ascii_only=ascii_only)
    return f"{value} ({span})" if span else value


def count_text(n: int) -> str:
    """Return a count with separators."""
    return f"{n:,}"


def counted(n: int, noun: str) -> str:
    """Return a count with its noun: ``1 block``, ``2,000 blocks``."""
    return f"{count_text(n)} {noun}{'' if n == 1 else 's'}"


def short_count(n: float) -> str:
    """Return a count in few letters: ``950``, ``12.3k``, ``200k``, ``1.2M``."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if n >= size:
            scaled = n / size
            return f"{scaled:.0f}{letter}" if scaled >= 100 or scaled == int(scaled) else f"{scaled:.1f}{letter}"
    return f"{n:.0f}"


# --- small bars in cells ----------------------------------------------------------------------------------------------


def bar_scale(cells: list[Cell], null: float | None, margin: float | None) -> tuple[float, float]:
    """Return the ends of the scale that holds all cells, their intervals, the null and the margin.

    With a null the scale is symmetric about it.
    """
    numbers = [v for c in cells for v in (c.number, c.low, c.high) if v is not None]
    if null is not None:
        reach = max([abs(v - null) for v in numbers] + [(margin or 0.0) * 1.25], default=0.0) * 1.06 or 1.0
        return null - reach, null + reach
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    return (low, high) if high > low else (low, low + 1.0)


def places(cell: Cell, scale: tuple[float, float], null: float | None, margin: float | None) -> dict[str, float]:
    """Return where things stand on a small bar, in percent of its width."""

    def at(v: float) -> float:
        return round(min(max((v - scale[0]) / (scale[1] - scale[0]), 0.0), 1.0) * 100, 2)

    found = {"value": at(cell.number or 0.0)}
    if cell.number is not None and (cell.low is not None or cell.high is not None):
        low, high = at(scale[0] if cell.low is None else cell.low), at(scale[1] if cell.high is None else cell.high)
        found |= {"low": low, "width": round(high - low, 2)}
    if null is not None:
        found["null"] = at(null)
        if margin:
            found |= {"band": at(null - margin), "band_width": round(at(null + margin) - at(null - margin), 2)}
    return found


def as_column(row: Headline | Criterion) -> Column:
    """Return the column that a headline's or criterion's number would stand in."""
    return Column(row.key, row.title, row.unit, bar=True, null=row.null, margin=row.margin)
