"""The typed model of a report: what HTML, PNG, JSON, CSV and the terminal are renderings of.

It knows no game and computes nothing. Whoever builds it says everything in these words; a renderer adds only layout.

Numbers keep their own scale: a `share` and `points` are fractions of 1 (0.014 is shown as "1.4 %" or "+1.4 points"),
`number` and `per_1000` are shown as they are. A number that is not there, or not finite, is None: an interval that has
no lower end has ``low = None``. Everything converts to strict JSON and back without loss.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = "evenhand.report"
SCHEMA_VERSION = 1
"""Version of `summary.json`: grows when a field is renamed, removed or changes its meaning; new fields keep it."""

BALANCED, UNBALANCED, UNDECIDED = "balanced", "unbalanced", "undecided"

Unit = Literal["share", "points", "number", "per_1000", "text", "verdict"]
NUMERIC_UNITS: tuple[Unit, ...] = ("share", "points", "number", "per_1000")
FigureKind = Literal["forest", "matrix", "ability_bars", "tiers", "curve", "convergence", "stacked"]
Value = str | int | float | bool | None


def finite(value: Any) -> Any:
    """Return a plain Python number (or text) for a numpy or Python one; None where it is not finite."""
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Cell:
    """One entry of a table.

    Parameters
    ----------
    value
        A number in the scale of its unit, a text, or None where there is nothing.
    low, high
        Ends of its interval; None where it has none (or no end on that side).
    n
        What it was counted from: blocks, games, uses, as the column's note says.
    text
        Shown in place of the formatted number, for what a number cannot say ("at most 0.2").
    flag
        A word shown beside it (``rare``, ``flips``); the flag ``muted`` only fades it.
    """

    value: Value = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    text: str = ""
    flag: str = ""

    def __post_init__(self) -> None:
        for name in ("value", "low", "high", "n"):
            object.__setattr__(self, name, finite(getattr(self, name)))

    @property
    def number(self) -> float | None:
        """The value as a number, or None where it is none."""
        return float(self.value) if isinstance(self.value, int | float) else None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    key, title, unit, note
        Name in the CSV, heading, unit, and one sentence for whoever points at the heading.
    bar
        Draw value and interval as a small bar in the cell; all cells of the column have the same scale.
    null, margin
        Where the bar has its line, and how far the margin reaches to both sides.
    digits
        Decimals, where the interval should not decide them.
    """

    key: str
    title: str
    unit: Unit = "text"
    note: str = ""
    bar: bool = False
    null: float | None = None
    margin: float | None = None
    digits: int | None = None

    @property
    def numeric(self) -> bool:
        """Whether its cells hold numbers."""
        return self.unit in NUMERIC_UNITS


@dataclass(frozen=True)
class Table:
    """A table: rows of cells, one per column. `id` names its CSV file; `note` says how to read it."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    folded: bool = False
    type: Literal["table"] = "table"

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"table {self.id!r}: row {number} has {len(row)} cells for {len(self.columns)} columns"
                )


@dataclass(frozen=True)
class FigureSpec:
    """A picture: which figure function, its tidy table, its options.

    Parameters
    ----------
    id
        Names the PNG (`figures/<id>.png`) and prefixes the ids inside the SVG.
    kind
        The function of `reports.figures`.
    table
        Its tidy table; the columns are those that the function documents. The interval of the column ``value`` gives
        the columns ``low``, ``high`` and ``n``; that of another column ``x`` gives ``x_low``, ``x_high``, ``x_n``.
    alt
        One sentence that states the finding, for those who do not see the picture.
    title, caption
        Title and what stands below: how to read it.
    options
        Further keyword arguments of the figure function; JSON values.
    """

    id: str
    kind: FigureKind
    table: Table
    alt: str
    title: str
    caption: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    type: Literal["figure"] = "figure"

    def __post_init__(self) -> None:
        if not self.alt.strip():
            raise ValueError(f"figure {self.id!r} has no alt text")


@dataclass(frozen=True)
class Text:
    """Paragraphs of prose, then a list; `tone` is ``plain``, ``note`` or ``warning``."""

    paragraphs: tuple[str, ...]
    items: tuple[str, ...] = ()
    title: str = ""
    tone: Literal["plain", "note", "warning"] = "plain"
    type: Literal["text"] = "text"


@dataclass(frozen=True)
class Story:
    """A game told in words, line by line, and the command that tells it again."""

    id: str
    title: str
    lines: tuple[str, ...]
    lead: str = ""
    command: str = ""
    type: Literal["story"] = "story"


Block = Table | FigureSpec | Text | Story


@dataclass(frozen=True)
class Section:
    """A section of the report: `lead` is the one sentence that says what was found."""

    id: str
    title: str
    lead: str
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Headline:
    """A row of the verdict strip: what is judged, the word, the number behind it.

    Parameters
    ----------
    key, title
        Name, and what is judged ("Going first").
    verdict
        ``balanced``, ``unbalanced`` or ``undecided``.
    value, unit
        Estimate with its interval, and its unit.
    null, margin
        The number of a fair game, and how far from it still counts as balanced.
    anchor
        Id of the section (or block) with the details.
    """

    key: str
    title: str
    verdict: str
    value: Cell
    unit: Unit = "points"
    null: float = 0.0
    margin: float | None = None
    anchor: str = ""


@dataclass(frozen=True)
class Facts:
    """What was played. `mc_error` is the standard error of the first headline, in its unit; `seed` keeps all digits."""

    games: int
    blocks: int
    seats: int
    tier: str
    seed: str
    mc_error: float | None
    command: str
    sequential: bool = False
    more: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.seed, str):
            raise TypeError("a seed is text: JSON readers round numbers of more than 53 bits")
        object.__setattr__(self, "mc_error", finite(self.mc_error))


@dataclass(frozen=True)
class Header:
    """The top of the report.

    Parameters
    ----------
    title, game, variant
        Title of the game, its name on the command line, name of the variant.
    sentence
        The generated sentence; it ends with who played ("... between skilled players").
    verdict
        The word for the whole game.
    headlines
        The verdict strip.
    facts
        What was played.
    warnings
        What a reader must know before believing a number.
    kind
        ``report`` of a game, or ``comparison`` of two sets of rules.
    """

    title: str
    game: str
    variant: str
    sentence: str
    verdict: str
    headlines: tuple[Headline, ...]
    facts: Facts
    warnings: tuple[str, ...] = ()
    kind: Literal["report", "comparison"] = "report"


@dataclass(frozen=True)
class Criterion:
    """A row of the scorecard.

    Parameters
    ----------
    key, title
        Name, and what is demanded.
    target
        The demand in words ("within 2.5 points of 25 %").
    observed, unit
        Estimate with interval, and its unit; the smallest margin has the same unit.
    verdict
        ``balanced``, ``unbalanced`` or ``undecided``.
    games_needed
        Further games until a verdict is likely; None where there is one.
    smallest_margin
        The smallest margin within which balance is shown.
    table_gap
        The gap in table terms ("about 7,500 table games of four to notice").
    null, margin
        Of the small bar.
    anchor
        Id of the section with the details.
    """

    key: str
    title: str
    target: str
    observed: Cell
    verdict: str
    unit: Unit = "points"
    games_needed: int | None = None
    smallest_margin: float | None = None
    table_gap: str = ""
    null: float = 0.0
    margin: float | None = None
    anchor: str = ""

    def __post_init__(self) -> None:
        for name in ("games_needed", "smallest_margin"):
            object.__setattr__(self, name, finite(getattr(self, name)))


@dataclass(frozen=True)
class Finding:
    """What to change, the largest effect first: a sentence, the effect, the command that tries the lever."""

    sentence: str
    effect: Cell
    unit: Unit = "points"
    command: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Term:
    """A word of the glossary."""

    word: str
    meaning: str


@dataclass(frozen=True)
class DataFile:
    """A file of the run folder."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Reproduce:
    """How to get the same bytes again."""

    command: str
    variant_toml: str
    versions: tuple[tuple[str, str], ...]
    source_hash: str
    files: tuple[DataFile, ...] = ()


@dataclass(frozen=True)
class ReportModel:
    """A whole report. The ids of sections are unique, and so are those of tables, figures and stories."""

    header: Header
    scorecard: tuple[Criterion, ...]
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    glossary: tuple[Term, ...]
    reproduce: Reproduce

    def __post_init__(self) -> None:
        for kind, names in (("section", [s.id for s in self.sections]), ("block", self.block_ids())):
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"{kind} id {name!r} stands twice in the report")

    def block_ids(self) -> list[str]:
        """Return the ids of tables, figures and stories, in their order."""
        return [b.id for s in self.sections for b in s.blocks if not isinstance(b, Text)]

    def tables(self) -> list[Table]:
        """Return all tables, those behind the figures included (under the figure's id), in their order."""
        found: list[Table] = []
        for section in self.sections:
            for block in section.blocks:
                if isinstance(block, Table):
                    found.append(block)
                elif isinstance(block, FigureSpec):
                    found.append(dataclasses.replace(block.table, id=block.id))
        return found

    def figures(self) -> list[FigureSpec]:
        """Return all figures, in their order."""
        return [b for s in self.sections for b in s.blocks if isinstance(b, FigureSpec)]

    def section(self, name: str) -> Section:
        """Return a section by its id."""
        return next(s for s in self.sections if s.id == name)


# --- JSON -------------------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return finite(value)


def to_json(model: ReportModel) -> dict[str, Any]:
    """Return the model as plain lists, dicts, texts, numbers and None: the content of `summary.json`.

    The keys are the field names of this module in their order, after ``schema`` and ``schema_version``.

    Examples
    --------
    >>> import sim
    >>> from reports.report import build
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> model = build(run, stories=False)
    >>> from_json(to_json(model)) == model
    True
    """
    return {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **_plain(model)}


def to_bytes(model: ReportModel) -> bytes:
    """Return `summary.json`: strict JSON, ASCII, the same bytes for the same model."""
    return json.dumps(to_json(model), indent=1, allow_nan=False, ensure_ascii=True).encode("ascii") + b"\n"


def _block_class(data: Mapping[str, Any]) -> type[Block]:
    kinds: dict[str, type[Block]] = {"table": Table, "figure": FigureSpec, "text": Text, "story": Story}
    return kinds[data["type"]]


def _made(kind: Any, data: Any) -> Any:
    """Return `data` as an object of type `kind` (a dataclass, a tuple of such, or a plain type)."""
    if kind == Block:
        kind = _block_class(data)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = typing.get_type_hints(kind)
        # Unknown keys are from a later minor version: left out.
        return kind(**{f.name: _made(hints[f.name], data[f.name]) for f in dataclasses.fields(kind) if f.name in data})
    if typing.get_origin(kind) is tuple:
        parts = typing.get_args(kind)
        inner = parts[:1] * len(data) if len(parts) == 2 and parts[1] is Ellipsis else parts
        return tuple(_made(part, item) for part, item in zip(inner, data, strict=True))
    if typing.get_origin(kind) in (typing.Union, types.UnionType) or kind is Any:
        return data
    return data


def from_json(data: Mapping[str, Any]) -> ReportModel:
    """Return the model of a parsed `summary.json`; ValueError where it is of another schema."""
    if data.get("schema") != SCHEMA or data.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(
            f"not a report summary of version {SCHEMA_VERSION}: "
            f"schema {data.get('schema')!r}, version {data.get('schema_version')!r}"
        )
    made: ReportModel = _made(ReportModel, data)
    return made
