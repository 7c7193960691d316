"""The verdict in the terminal: at most 25 lines of at most 80 columns, and plain where it has to be."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from reports.model import BALANCED, UNBALANCED, Cell, Criterion, Headline, ReportModel, Unit
from reports.words import clean, count_text, counted, interval_text, value_text

if TYPE_CHECKING:
    from rich.text import Text

LINES, COLUMNS = 25, 80
NARROW = 64  # below, a table becomes a list
_NUMERIC = "0123456789.,+-%"
SIGNS = {BALANCED: "[=]", UNBALANCED: "[!]", "undecided": "[?]", "pass": "[=]", "fail": "[!]"}
COLOURS = {
    BALANCED: "bold cyan", UNBALANCED: "bold yellow", "undecided": "bold magenta", "pass": "bold cyan",
    "fail": "bold yellow",
}  # fmt: skip


def ascii_form(text: str) -> str:
    """Return a text in ASCII that reads well: signs and dashes in their usual forms, anything else as ``?``."""
    forms = {
        "\N{MINUS SIGN}": "-",
        "\N{EN DASH}": "-",
        "\N{EM DASH}": "-",
        "\N{PLUS-MINUS SIGN}": "+/-",
        "\N{NO-BREAK SPACE}": " ",
        "\N{HORIZONTAL ELLIPSIS}": "...",
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    }
    for sign, plain in forms.items():
        text = text.replace(sign, plain)
    return text.encode("ascii", "replace").decode("ascii")


def _say(text: str) -> str:
    """Return a text of the model as one line without control characters: no name can move the cursor."""
    return ascii_form(clean(text))


def _wrapped(text: str, width: int, indent: str = "", first: str | None = None) -> list[str]:
    """Return lines; a word longer than a line (a seed, a path) keeps its line and is never cut."""
    start = indent if first is None else first
    return textwrap.wrap(
        text,
        width,
        initial_indent=start,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [start.rstrip()]


def _short(text: str, width: int) -> str:
    """Return a name of at most so many letters; only names are ever shortened, and never inside a number."""
    if len(text) <= width:
        return text
    kept = text[: max(width - 3, 1)]
    if text[len(kept)] in _NUMERIC:
        kept = kept.rstrip(_NUMERIC)
    return kept + "..."


def _numbers(cell: Cell, unit: Unit) -> tuple[str, str]:
    value = value_text(cell, unit, short=True, ascii_only=True)
    return _say(value), _say(interval_text(cell, unit, ascii_only=True))


def _sign(verdict: str) -> str:
    return f"{SIGNS.get(verdict, '[ ]')} {_say(verdict)}"


def _outcome(row: Criterion) -> str:
    """Return what a reader needs beside the verdict: how many more games, or the gap at the table."""
    if row.games_needed is not None:
        return f"{count_text(row.games_needed)} more games"
    if row.verdict == BALANCED and row.smallest_margin is not None:
        unit: Unit = "share" if row.unit == "points" else row.unit
        return f"within +/-{value_text(Cell(row.smallest_margin), unit, 2, suffix=False, ascii_only=True)}"
    return _say(row.table_gap)


Rows = list[tuple[str, str, str, str, str]]
HEADING = ("", "verdict", "gap", "interval", "within/margin")


def _proved(row: Headline, scorecard: Iterable[Criterion]) -> str:
    """Return the smallest margin shown and the margin asked for, by the criterion of that name."""
    same = next((c for c in scorecard if c.key == row.key), None)
    if same is not None and same.games_needed is not None:
        return _outcome(same)
    if same is None or same.smallest_margin is None or same.margin is None:
        return ""
    scale = 100 if row.unit in ("share", "points") else 1
    return f"{scale * same.smallest_margin:.2f} of {scale * same.margin:.3g}"


def _rows(rows: Iterable[Headline | Criterion], scorecard: Iterable[Criterion] = ()) -> Rows:
    found = []
    for row in rows:
        cell = row.value if isinstance(row, Headline) else row.observed
        more = _proved(row, scorecard) if isinstance(row, Headline) else _outcome(row)
        found.append((_say(row.title), _sign(row.verdict), *_numbers(cell, row.unit), more))
    return found


def _as_table(rows: Rows, width: int, keep: bool = False) -> list[str]:
    """Return one line a row: names shortened to what is left, a remark where its row has room, or below with `keep`."""
    sizes = [max(len(row[i]) for row in rows) for i in range(4)]
    room = width - sizes[1] - sizes[2] - sizes[3] - 6
    if room < min(sizes[0], 10):
        return _as_list(rows, width)
    name = min(sizes[0], room)
    lines = []
    for title, sign, value, span, more in rows:
        parts = (_short(title, name).ljust(name), sign.ljust(sizes[1]), value.rjust(sizes[2]), span.ljust(sizes[3]))
        line = "  ".join(parts)
        beside = len(line) + 2 + len(more) <= width
        lines.append((f"{line}  {more}" if beside else line).rstrip())
        # What it takes to decide is never left out.
        if more and not beside and (sign == _sign("undecided") or (keep and title)):
            lines.append(f"    {more}")
    return lines


def _as_list(rows: Rows, width: int, keep: bool = True) -> list[str]:
    lines = []
    for name, sign, value, span, more in rows:
        lines += _wrapped(f"{sign} {name}", width, "    ", "")
        for part in (value, span, more):
            lines += _wrapped(part, width, "    ") if part else []
    return lines


def lines_of(model: ReportModel, width: int = COLUMNS, page: str = "") -> list[str]:
    """Return the lines of the summary, in ASCII.

    Parameters
    ----------
    model
        The report.
    width
        Columns of the terminal. Below 64 the tables become lists, and the summary may take more lines.
    page
        Path of the report, shown at the end.
    """
    width = max(min(width, COLUMNS), 12)
    head, facts = model.header, model.header.facts
    top = _wrapped(f"{_say(head.title)} ({_say(head.variant)}): {_say(head.verdict).upper()}", width)
    top += _wrapped(_say(head.sentence), width)
    played = f"{counted(facts.games, 'game')}, {counted(facts.blocks, 'block')}, {facts.seats} seats, "
    bottom = _wrapped(f"{played}{_say(facts.tier)} players, seed {_say(facts.seed)}", width, "  ", "")
    bottom += _wrapped(f"again: {_say(facts.command)}", width, "  ", "")
    if page:
        bottom += _wrapped(f"report: {_say(page)}", width, "  ", "")
    shape = _as_table if width >= NARROW else _as_list
    groups = []
    if head.headlines:
        strip = _rows(head.headlines, model.scorecard)
        headed = shape is _as_table and any(row[4] for row in strip)
        groups.append(shape([HEADING, *strip] if headed else strip, width, keep=True))
    told = {row.key for row in head.headlines}
    if others := [row for row in model.scorecard if row.key not in told]:
        groups.append(shape(_rows(others), width))
    warnings = [line for w in head.warnings for line in _wrapped(f"mind: {_say(w)}", width, "  ", "")]
    findings = [
        line for i, f in enumerate(model.findings, 1) for line in _wrapped(f"{i}. {_say(f.sentence)}", width, "   ", "")
    ]
    return _fitted(top, groups, warnings, findings, bottom, narrow=width < NARROW)


def _fitted(
    top: list[str],
    groups: list[list[str]],
    warnings: list[str],
    findings: list[str],
    bottom: list[str],
    *,
    narrow: bool,
) -> list[str]:
    """Return all of it if it fits; otherwise whole lines less of what matters least, and a line that says so."""
    parts = [top, *groups, warnings, findings, bottom]

    def joined() -> list[str]:
        return [line for i, part in enumerate(p for p in parts if p) for line in ([""] if i else []) + part]

    if narrow:
        return joined()
    rest = "(more in the report)"
    for place in (len(parts) - 2, len(groups), len(parts) - 3, 1):
        over = len(joined()) - LINES
        if over <= 0 or place < 1:
            break
        kept = max(len(parts[place]) - over - 1, 0)
        if len(parts[place]) > 1:
            parts[place] = [*parts[place][:kept], rest]
    made = joined()
    # Said once, at the end of what is cut.
    made = [line for i, line in enumerate(made) if line != rest or rest not in made[i + 1 :]]
    if len(made) > LINES:
        made = [line for line in made if line]
    # The last lines say how to get it again: they stay whatever is left out.
    return made if len(made) <= LINES else [*made[: LINES - len(bottom)], *bottom]


def _coloured(line: str) -> Text:
    from rich.text import Text

    made = Text(line)
    for word, sign in SIGNS.items():
        made.highlight_words([f"{sign} {word}"], COLOURS[word])
    return made


def plain(stream: IO[str]) -> bool:
    """Return whether a stream gets no colour: not a terminal, ``NO_COLOR`` set, or a terminal that has none."""
    return not stream.isatty() or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def _width() -> int:
    """Return the columns of the terminal: ``COLUMNS`` if it is a number above 0, else asked, else 80."""
    import shutil

    return shutil.get_terminal_size((COLUMNS, LINES)).columns


def summary(model: ReportModel, *, stream: IO[str] | None = None, width: int | None = None, page: str = "") -> None:
    """Print the verdict.

    Parameters
    ----------
    model
        The report.
    stream
        Where to; standard output if None, nowhere if there is none.
    width
        Columns; the terminal's if None.
    page
        Path of the report, shown at the end.

    Examples
    --------
    >>> import sim
    >>> from reports.report import build
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> summary(build(run, stories=False), width=80)  # doctest: +ELLIPSIS
    Celestial Ranks (default): UNDECIDED
    ...
    """
    stream = sys.stdout if stream is None else stream
    if stream is None:  # a service without standard streams
        return
    lines = lines_of(model, _width() if width is None else width, page)
    if plain(stream):
        stream.write("\n".join(lines) + "\n")
        return
    from rich.console import Console

    console = Console(file=stream, width=max(len(line) for line in lines) + 1, highlight=False, markup=False)
    for i, line in enumerate(lines):
        console.print(_coloured(line), style="bold" if i == 0 else "", soft_wrap=True)
