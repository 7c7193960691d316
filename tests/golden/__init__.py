"""Golden playthroughs: what every game has always played, kept in words, in codes and as digests of its tables.

`make golden` renews the files; what a change does to the games is then the difference of a text. A file holds for each
case: its plan, a digest of every column of the tables of some games, a digest of the words and the codes of some more,
and one game in full.
"""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sim
from sim.experiment import Plan, make_plan
from sim.game import load, split
from sim.referee import check
from sim.trace import Trace, Tracer

FOLDER = Path(__file__).parent
DIGITS = 12


@dataclass(frozen=True)
class Case:
    """Some games of a plan.

    Parameters
    ----------
    tier, seats, variant, sides, without
        What is played, as in `sim.simulate`.
    games
        How many are digested row by row.
    followed
        How many the rulebook follows, whose words and codes are digested.
    told
        The number of the game that is told in full; None: none.
    """

    tier: str
    seats: int
    games: int = 200
    followed: int = 4
    told: int | None = None
    variant: str = "default"
    sides: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The case in a line."""
        words = [self.variant, f"{self.seats} players", self.tier]
        words += [] if self.sides is None else [", ".join(self.sides)]
        words += [f"without {key}" for key in self.without]
        return "; ".join(words)

    def plan(self, game: str) -> Plan:
        """Return the plan."""
        rules = sim.load_variant(game, self.variant)
        return make_plan(
            game, games=self.games, seats=self.seats, variant=rules, sides=self.sides, policies=self.tier,
            without=self.without, seed=1,
        )  # fmt: skip


CASES: dict[str, tuple[Case, ...]] = {
    "celestial-ranks": (
        Case("random", 4, games=8, followed=1),
        Case("novice", 4),
        Case("skilled", 4, told=11),
        Case("skilled", 2, told=25),
        Case("skilled", 3),
        Case("skilled", 5),
        Case("novice", 4, variant="house"),
        Case("skilled", 4, variant="one-deck", without=("shift",)),
        Case("expert:12", 4, games=4, followed=0),
    ),
    "fox-in-the-forest": (
        Case("random", 2, followed=10),
        Case("novice", 2, followed=10),
        Case("skilled", 2, followed=10, told=9),
        Case("random", 2, followed=10, variant="deluxe"),
        Case("skilled", 2, followed=10, variant="deluxe", told=3),
        Case("skilled", 2, followed=10, variant="poison", without=("treasure",)),
        Case("expert:20", 2, games=8, followed=0),
    ),
    "alakablast": (
        Case("random", 4, followed=10, told=1),
        Case("novice", 4, followed=10),
        Case("skilled", 4, followed=10, told=10),
        Case("skilled", 2, followed=10, told=4),
        Case("skilled", 3, followed=10, told=6),
        Case("skilled", 5, followed=10, told=5),
        Case("skilled", 4, followed=10, variant="many-specials", told=0),
        Case("novice", 4, followed=10, variant="levels-nine", without=("light",)),
        Case("expert:20", 4, games=8, followed=0),
    ),
    "elestrals": (
        Case("random", 2, games=110, followed=11, told=19),
        Case("novice", 2, games=110, followed=22, told=14),
        Case("skilled", 2, games=440, followed=44, told=10),
        Case("skilled", 2, followed=10, told=3, sides=("Majesea", "Chronodile")),
        Case("expert:8", 2, games=2, followed=0, sides=("Majesea", "Chronodile")),
    ),
}


def golden_file(game: str) -> Path:
    """Return the file of a game."""
    return FOLDER / f"{game}.txt"


def sections(game: str) -> Iterator[str]:
    """Give the text of each case of a game."""
    for case in CASES[game]:
        plan = case.plan(game)
        tracer = Tracer(plan)
        lines = [f"== {case.title} ==", "", *_digests(case, plan), *_followed(case, plan, tracer)]
        if case.told is not None:
            lines += _told(game, tracer.play(case.told))
        yield "\n".join([*lines, ""])


def golden_text(game: str) -> str:
    """Return what the file of a game has to be."""
    return "\n".join(
        [f"Golden playthroughs of {load(game).title}. `make golden` renews this file.", "", *sections(game)]
    )


def _digests(case: Case, plan: Plan) -> list[str]:
    """Return a line per table: its number of rows and a digest of each column, whatever the order of the columns."""
    run = sim.simulate(
        plan.game, case.games, seats=case.seats, variant=plan.variant, sides=case.sides, policies=case.tier,
        without=case.without, seed=1, jobs=1, progress=False,
    )  # fmt: skip
    lines = []
    for name, table in (("games", run.games), ("rounds", run.rounds)):
        columns = [f"{key} {_column(table[key])}" for key in sorted(table.columns)]
        lines.append(f"{name}: {len(table)} rows")
        lines += _wrapped(columns, "  ")
    return [*lines, ""]


def _column(values: Any) -> str:
    """Return the digest of a column: numbers as 64 bits and names as names, so that storage does not matter."""
    if isinstance(values.dtype, np.dtype):
        data = values.to_numpy().astype("<f8" if values.dtype.kind == "f" else "<i8").tobytes()
    else:
        data = "\n".join(values.astype(str)).encode()
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def _followed(case: Case, plan: Plan, tracer: Tracer) -> list[str]:
    if not case.followed:
        return []
    facts = load(plan.game)
    traces = [tracer.play(number) for number in range(case.followed)]
    words = "\n".join(line for trace in traces for line in check(trace, facts).story)
    codes = " ".join(code for trace in traces for code in _codes(trace))
    decisions = sum(len(trace.steps) for trace in traces)
    both = [f"{name} {hashlib.sha256(text.encode()).hexdigest()[:DIGITS]}" for name, text in
            (("words", words), ("codes", codes))]  # fmt: skip
    return [f"games 0 to {case.followed - 1}: {decisions} decisions, {', '.join(both)}", ""]


def _told(game: str, trace: Trace) -> list[str]:
    codes = _wrapped(_codes(trace), "  ")
    return [f"game {trace.number} in codes (seat:kind.a.b):", *codes, "", f"game {trace.number} in words:",
            *(f"  {line}" for line in check(trace, load(game)).story), ""]  # fmt: skip


def _codes(trace: Trace) -> list[str]:
    return [f"{step.seat}:{'.'.join(str(number) for number in split(step.code))}" for step in trace.steps]


def _wrapped(words: Sequence[str], indent: str) -> list[str]:
    joined = (word.replace(" ", "\0") for word in words)
    text = textwrap.fill("  ".join(joined), 118, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip
    return text.replace("\0", " ").split("\n")


def renew(games: Iterable[str]) -> list[Path]:
    """Write the files of some games anew; return those that are not as they were."""
    changed = []
    for game in games:
        path, text = golden_file(game), golden_text(game)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed
