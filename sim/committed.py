"""Tables of measurements that are too slow for every report: played once, kept beside the game, valid for its rules."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from sim.game import Game
from sim.identity import rules_digest

COMMITTED = "expert.toml"
"""In a game's folder: strengths of abilities played once, see `analysis.committed`."""


@dataclass(frozen=True)
class Committed:
    """Strengths of abilities at a tier too slow for every report, measured once with the default variant.

    Parameters
    ----------
    tier, games, seed, date
        Who played, games per arm, and when.
    abilities
        {ability: (share lost, low, high, points per round lost, low, high)}, 95 % intervals by block.
    """

    tier: str
    games: int
    seed: int
    date: str
    abilities: Mapping[str, tuple[float, ...]]


def committed_of(game: Game) -> Committed | None:
    """Return a game's table of strengths at a slow tier, None where there is none for the rules as they are now."""
    path = game.folder / COMMITTED
    if not path.exists():
        return None
    made = tomllib.loads(path.read_text(encoding="utf-8"))
    if made["rules"] != rules_digest(game, game.default, game.default_seats):
        return None
    abilities = {key: tuple(float(number) for number in row) for key, row in made["abilities"].items()}
    return Committed(made["tier"], made["games"], made["seed"], made["date"], abilities)
