"""Which way of playing beats which: one player of a tier among others of a weaker one, on balanced seatings."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.estimands import share_in
from analysis.keys import ALONE
from analysis.study import judge
from sim.errors import UsageError
from sim.experiment import Plan, make_plan
from sim.game import Game, load
from sim.run import run as play
from sim.variant import Variant

SCHEMA, SCHEMA_VERSION = "evenhand.skill", 1
PART = 1 / 40
"""Games of each pair of tiers, as a part of the games of the game's report."""


@dataclass(frozen=True)
class Rung:
    """One player of a tier among players of another.

    Parameters
    ----------
    tier, among
        How the one plays, and how all others play.
    seats, null
        Number of players, and the share of the one if both tiers were equally good.
    share, low, high
        Win share of the one, with its 95 % interval over blocks.
    games, blocks
        What was played.
    word
        ``better``, ``worse``, or ``not settled`` where the interval holds the null.
    """

    tier: str
    among: str
    seats: int
    null: float
    share: float
    low: float
    high: float
    games: int
    blocks: int
    word: str


def pairs_of(game: Game, tiers: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """Return the pairs (stronger, weaker) of a ladder, in the order in which the tiers are named.

    Parameters
    ----------
    game
        The game.
    tiers
        Weakest first; None takes the game's own but `expert`, which takes its time.
    """
    named = [t.name for t in game.tiers if t.name != "expert"] if tiers is None else list(tiers)
    for name in named:
        game.tier(name)
        if named.count(name) > 1:
            raise UsageError(f"The policy {name!r} is named twice; name each once, the weakest first.")
    if len(named) < 2:
        raise UsageError(f"A ladder needs at least two policies, not {len(named)}; name them, the weakest first.")
    return [(strong, weak) for weak, strong in combinations(named, 2)]


def skill_plan(
    game: str,
    strong: str,
    weak: str,
    *,
    games: int | None = None,
    seats: int | None = None,
    sides: Sequence[str] | None = None,
    variant: Variant | None = None,
    seed: int | str = 1,
) -> Plan:
    """Return the plan of one `strong` player among `weak` ones, each meeting every seat and packet equally often."""
    facts = load(game)
    n = facts.default_seats if seats is None else seats
    size = max(1, round(facts.games * PART)) if games is None else games
    return make_plan(
        game, games=size, seats=n, sides=sides, variant=variant, policies=[strong, *[weak] * (n - 1)], seed=seed
    )


def ladder(
    game: str,
    tiers: Sequence[str] | None = None,
    *,
    out: Path | None = None,
    jobs: int | None = None,
    backend: str = "threading",
    progress: bool | None = None,
    **what: Any,
) -> tuple[Rung, ...]:
    """Play every pair of tiers and return the ladder.

    Parameters
    ----------
    game, tiers
        See `pairs_of`.
    out
        Folder with a run folder for each pair; None keeps nothing.
    jobs, backend, progress
        See `sim.run.run`.
    what
        See `skill_plan`.

    Examples
    --------
    >>> rungs = ladder("celestial-ranks", ["novice", "skilled"], games=400, progress=False)
    >>> [(rung.tier, rung.among, rung.word) for rung in rungs]
    [('skilled', 'novice', 'better')]
    """
    plans = [(pair, skill_plan(game, *pair, **what)) for pair in pairs_of(load(game), tiers)]
    made = []
    for (strong, weak), plan in plans:
        folder = None if out is None else out / f"{strong}-{weak}".replace(":", "-")
        run = play(plan, folder, None, jobs, backend, progress=progress)
        j = judge(run)
        sample = share_in(j.tally, ALONE)
        shown = j.interval(sample)
        word = "better" if shown.low > j.null else "worse" if shown.high < j.null else "not settled"
        size = run.games_per_arm, sample.n
        made.append(Rung(strong, weak, plan.seats, j.null, sample.mean, shown.low, shown.high, *size, word))
    return tuple(made)


def ladder_table(rungs: Sequence[Rung]) -> pd.DataFrame:
    """Return a ladder as a tidy table: the fields of `Rung`.

    Examples
    --------
    >>> rungs = ladder("celestial-ranks", ["novice", "skilled"], games=400, progress=False)
    >>> list(ladder_table(rungs)["tier"])
    ['skilled']
    """
    return pd.DataFrame([dataclasses.asdict(rung) for rung in rungs])


def to_json(game: str, rungs: Sequence[Rung], command: str) -> dict[str, Any]:
    """Return a ladder as one JSON object."""
    return {
        "schema": SCHEMA, "schema_version": SCHEMA_VERSION, "game": game, "command": command,
        "rungs": [dataclasses.asdict(rung) for rung in rungs],
    }  # fmt: skip


def lines_of(title: str, rungs: Sequence[Rung]) -> Iterator[str]:
    """Give the lines for a terminal, at most 80 columns of ASCII."""
    n = rungs[0].seats
    who = "one against the other" if n == 2 else f"one player among {n - 1} others"
    yield f"{title}: {who}"
    yield f"win share with its 95 % interval; fair is {100 * rungs[0].null:.1f} %"
    yield ""
    for r in rungs:
        pair = f"{r.tier} among {r.among}" if n > 2 else f"{r.tier} v {r.among}"
        span = f"{100 * r.low:.1f} to {100 * r.high:.1f}"
        yield f"  {pair:29.29s} {100 * r.share:5.1f} %  ({span:>14s})  {r.word:11s} {r.games:>8,}"
    yield ""
    yield "Every player in every seat with every hand; last column: games of the pair."
