"""Facts of a game as small typed records: sides, abilities, readings, tables, and the optional groups of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.variant import Value, Variant

SEATINGS = ("balanced", "random", "mirror")
"""Balanced seatings of every set of sides in turn, a random seating for each deal, one side for all seats."""


@dataclass(frozen=True)
class Side:
    """A court, realm or deck. Sides of the same `pool` have the same rules and are pooled in verdicts."""

    name: str
    colour: str
    note: str = ""


@dataclass(frozen=True)
class Ability:
    """A card effect or special rule that can be switched off.

    Parameters
    ----------
    key
        Its word on the command line and in column names (``shift``).
    title, does, off
        Its name, what it does and what *off* means, one sentence each.
    parent
        The ability that contains it: off together with it, shown nested and never summed.
    """

    key: str
    title: str
    does: str
    off: str
    parent: str | None = None


@dataclass(frozen=True)
class Reading:
    """A place where the rules' text is silent or contradicts itself.

    Parameters
    ----------
    rule
        The rule id.
    question, took
        What is open, and the way we took it, one sentence each.
    kind
        ``gap``, ``contradiction`` or ``source`` (the number comes from another page than the seed).
    others
        The other ways: (in words, {field: value}).
    """

    rule: str
    question: str
    took: str
    kind: str = "gap"
    others: tuple[tuple[str, Mapping[str, Value]], ...] = ()


@dataclass(frozen=True)
class Decision:
    """A row of the decisions table: what kind number, what the two arguments mean."""

    kind: int
    name: str
    a: str = ""
    b: str = ""
    note: str = ""


@dataclass(frozen=True)
class Tier:
    """How a tier plays: the policy's number, its weights, a sentence on what it does."""

    name: str
    policy: int
    note: str
    weights: tuple[float, ...] = ()


@dataclass(frozen=True)
class Measure:
    """A ratio that a table shows: the sum of `value` over the sum of `over`, with its block error.

    Parameters
    ----------
    key, title
        Column name and heading.
    value
        A column of the source table, ``"a*b"`` or ``"a+b"`` of two; ``"1"`` counts rows.
    over
        Likewise, the denominator; ``"1"`` makes a mean over rows, ``"game"`` a sum per seat and game, ``"all"`` the
        part of the rows of all groups.
    unit
        ``share`` (shown in %), ``points`` (a difference of shares), ``number``, ``per_1000``.
    note
        One sentence for the glossary.
    """

    key: str
    title: str
    value: str
    over: str = "1"
    unit: str = "number"
    note: str = ""


@dataclass(frozen=True)
class TableSpec:
    """A game's own table of its report: rows of `source` grouped by some columns.

    Parameters
    ----------
    key, title, note
        Name of the CSV, heading, one sentence that says how to read it.
    source
        ``games`` or ``rounds``.
    by
        Columns to group by; their labels come from `labels`.
    measures
        The columns.
    labels
        {column: names of its values 0, 1, 2, ...}.
    where
        A column (or ``"a*b"``) that must be non-zero, or "".
    beside
        Whether its first measure (all measures of a table without groups) is shown for the variants of `Design.beside`.
    when
        Tells whether a variant has it; None: all have.
    """

    key: str
    title: str
    note: str
    source: str
    by: tuple[str, ...]
    measures: tuple[Measure, ...]
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    where: str = ""
    beside: bool = False
    when: Callable[[Variant], bool] | None = None


@dataclass(frozen=True)
class Question:
    """A way of playing whose price a designer asks for: one player plays so, all others as before.

    Parameters
    ----------
    key, title, note
        Name, heading and one sentence on what is different.
    tier
        How that one player plays.
    of
        The tier that it is compared with; asked only where all play so.
    """

    key: str
    title: str
    note: str
    tier: Tier
    of: str = "skilled"


@dataclass(frozen=True)
class Lever:
    """A number or switch that a designer may turn, and what the report plays it with.

    Parameters
    ----------
    title
        What is turned, in words ("target 16").
    settings
        {field: value}.
    """

    title: str
    settings: Mapping[str, Value]


@dataclass(frozen=True)
class SeatSetup:
    """Who sits in a seat, for a rulebook: `off` is the bit mask of abilities switched off for the seat."""

    side: int
    packet: int
    off: int = 0
    entrant: int = 0


# ---- optional groups: what only some games have; `Game.group` finds one by its type


def _balanced(variant: Variant) -> str:
    return "balanced"


def _never(variant: Variant) -> bool:
    return False


@dataclass(frozen=True)
class Seating:
    """How the players of a game come to their sides.

    Parameters
    ----------
    of
        `of(variant)` says how the variant seats the sides, one of `SEATINGS`.
    chosen
        Tells whether the players choose their sides themselves: then no design balances them, and no verdict is given.
    """

    of: Callable[[Variant], str] = _balanced
    chosen: Callable[[Variant], bool] = _never


@dataclass(frozen=True)
class Classes:
    """Sides that are the same under several names, and groups of sides to compare.

    Parameters
    ----------
    of
        `of(variant)` returns for each side the name of the class of sides with the same rules; None: each its own.
    contrasts
        (name, sides, sides): groups of sides to compare ("Fae courts against the Human Realm").
    """

    of: Callable[[Variant], Sequence[str]] | None = None
    contrasts: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class OwnSides:
    """Sides that variants and files bring beside those that ship with the game.

    Parameters
    ----------
    of
        `of(variant)`: the sides where a variant brings some of its own; None: always the game's.
    read
        `read(variant, path)` returns the variant with the side of a file, and the side's name; None: no such.
    plain
        `plain(variant, side, card)` returns the variant with one more side, in which a plain body stands for the card
        of a side; the new side's name, and the card that must be off there. None: that cannot be made.
    """

    of: Callable[[Variant], tuple[Side, ...]] | None = None
    read: Callable[[Variant, Path], tuple[Variant, str]] | None = None
    plain: Callable[[Variant, int, str], tuple[Variant, str, str] | None] | None = None


def _none_of(variant: Variant, side: int) -> tuple[str, ...]:
    return ()


def _none_own(variant: Variant) -> tuple[Ability, ...]:
    return ()


@dataclass(frozen=True)
class Cards:
    """Abilities of single cards where sides bring cards of their own, more of them than one mask holds.

    Their uses are not counted, and a report screens them side by side.

    Parameters
    ----------
    all
        The cards that ship with the game.
    of
        `of(variant, side)` gives the keys of a side's cards in the order of their bits, which follow those of the
        game's abilities.
    own
        `own(variant)`: further cards that the sides of a variant bring.
    missing
        {card: why it cannot be played yet}.
    """

    all: tuple[Ability, ...] = ()
    of: Callable[[Variant, int], tuple[str, ...]] = _none_of
    own: Callable[[Variant], tuple[Ability, ...]] = _none_own
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Standing:
    """Who is ahead, and what a deal is worth before anything is decided.

    Parameters
    ----------
    column
        The column of the round rows whose sum so far says who is ahead; "" where there is none.
    worth
        Loads the kernels (first_deal, worth) of `sim.luck`; first_deal may be None. None: nothing is said of a deal.
    """

    column: str = ""
    worth: Callable[[], tuple[Callable[..., Any] | None, Callable[..., Any]]] | None = None


@dataclass(frozen=True)
class Design:
    """What a designer asks of the game.

    Parameters
    ----------
    questions
        Ways of playing whose price is measured.
    levers
        Numbers to turn: the report says what each does to fairness, luck and length.
    beside
        Variants that the report shows beside each other, with every number of players; one of them may be the default.
    assumptions
        Other ways to fill in what nobody has published: a side is called strong or weak only if it is so in all of
        them, and at a second tier.
    """

    questions: tuple[Question, ...] = ()
    levers: tuple[Lever, ...] = ()
    beside: tuple[Lever, ...] = ()
    assumptions: tuple[Lever, ...] = ()


Group = Seating | Classes | OwnSides | Cards | Standing | Design
