"""What a number is about, as types: columns of a run's sums, arms of a plan, runs of a report.

A name is made from a key and never taken apart again: whoever has a manifest or a folder looks a key's name up in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sim.facts import Design
from sim.game import Game

# ---- columns of shares


@dataclass(frozen=True)
class Seat:
    """The share of a seat, counted from 0."""

    number: int

    def __str__(self) -> str:
        return f"seat {self.number}"


@dataclass(frozen=True)
class Entrant:
    """The share of an entrant, whatever its seat; entrant 0 is the one that differs in an arm."""

    number: int

    def __str__(self) -> str:
        return f"entrant {self.number}"


@dataclass(frozen=True)
class SideShare:
    """The mean share of a side per appearance."""

    name: str

    def __str__(self) -> str:
        return f"side {self.name}"


@dataclass(frozen=True)
class ClassShare:
    """The mean share of the sides of a class."""

    name: str

    def __str__(self) -> str:
        return f"class {self.name}"


Column = Seat | Entrant | SideShare
"""A column of a run's sums of shares."""

Weights = Mapping[Column, float]
"""A contrast of columns: {column: weight}."""

FIRST, ALONE = Seat(0), Entrant(0)
"""The seat that acts first, and the one player who plays otherwise in an arm."""


def mean_of(names: Iterable[str]) -> dict[Column, float]:
    """Return the weights of the mean share of some sides."""
    sides = list(names)
    return {SideShare(name): 1.0 / len(sides) for name in sides}


# ---- arms of a plan


@dataclass(frozen=True)
class Off:
    """The arm in which entrant 0 alone plays without an ability or a card's text."""

    key: str

    def __str__(self) -> str:
        return f"without {self.key}"


@dataclass(frozen=True)
class OffBoth:
    """The arm in which entrant 0 alone plays without two abilities."""

    first: str
    second: str

    def __str__(self) -> str:
        return f"without {self.first} and {self.second}"


@dataclass(frozen=True)
class OffForAll:
    """The arm in which nobody has an ability."""

    key: str

    def __str__(self) -> str:
        return f"{self.key} off for all"


@dataclass(frozen=True)
class Asked:
    """The arm in which entrant 0 alone plays as a question of the game asks."""

    key: str

    def __str__(self) -> str:
        return f"asked: {self.key}"


@dataclass(frozen=True)
class PlainBody:
    """The arm in which a plain body stands for a card of entrant 0."""

    key: str

    def __str__(self) -> str:
        return f"plain {self.key}"


@dataclass(frozen=True)
class OtherReading:
    """The arm in which a place that the rules leave open is read another way, for all."""

    rule: str
    words: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.words}"


@dataclass(frozen=True)
class Named:
    """An arm that goes by a title: a lever, an assumption, a change that was asked for."""

    title: str

    def __str__(self) -> str:
        return self.title


ArmKey = Off | OffBoth | OffForAll | Asked | PlainBody | OtherReading | Named


# ---- runs of a report


@dataclass(frozen=True)
class RunKey:
    """A smaller run of a report.

    Parameters
    ----------
    kind
        What it is for, one of the names of `analysis.runs.RUNS`.
    about
        The tier, the number of players, the place of a side or of a variant, for kinds of which there are several.
    """

    kind: str
    about: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        return "-".join([self.kind, *map(str, self.about)])


def run_keys(game: Game, sides: int) -> dict[str, RunKey]:
    """Return {name of a folder: key} of all runs that a report of a game can have.

    Parameters
    ----------
    game
        The facts.
    sides
        Number of sides that the main plan knows.
    """
    keys = [
        RunKey(kind) for kind in ("reference", "abilities", "readings", "levers", "assumptions", "pairs", "confirmed")
    ]
    keys += [RunKey("tier", (tier.name,)) for tier in game.tiers]
    keys += [RunKey("seats", (n,)) for n in game.seats]
    keys += [RunKey("beside", (i, n)) for i in range(len(game.group(Design).beside)) for n in game.seats]
    keys += [RunKey(kind, (side,)) for kind in ("cards", "cards-again") for side in range(sides)]
    return {str(key): key for key in keys}
