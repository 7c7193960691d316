"""What fixes the bytes of a run besides the plan's own words: the rules as the kernels read them, weights, code.

A plan is the same if the same is played. So hashes are taken of the records that kernels are given, never of names,
sentences or version words: a card whose number changes makes another plan, a card whose text is reworded does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sim import jit
from sim.engine import EXPERT
from sim.facts import Tier
from sim.game import Engine, Game, load_engine

if TYPE_CHECKING:
    from sim.variant import Variant


def digest_of(*pieces: bytes) -> str:
    """Return 16 hex digits over some bytes."""
    made = hashlib.sha256()
    for piece in pieces:
        made.update(len(piece).to_bytes(8, "little") + piece)
    return made.hexdigest()[:16]


_RECORDS: dict[tuple[int, str, int], np.ndarray[Any, Any]] = {}
_MOST_RECORDS = 32


def rules_record(fast: Engine, variant: Variant, seats: int) -> np.ndarray[Any, Any]:
    """Return the record from which kernels read a variant's rules, cards and decks, shape (1,); the last ones are kept.

    A game with hundreds of cards takes a third of a second to make one, and a report has a dozen plans.
    """
    key = (id(fast), variant.hash, seats)
    if key not in _RECORDS:
        while len(_RECORDS) >= _MOST_RECORDS:
            del _RECORDS[next(iter(_RECORDS))]
        _RECORDS[key] = np.atleast_1d(fast.make_rules(variant, seats))[:1]
    return _RECORDS[key]


def rules_digest(game: Game, variant: Variant, seats: int) -> str:
    """Return a hash of the record from which kernels read a variant's rules, cards and decks."""
    return digest_of(rules_record(load_engine(game), variant, seats).tobytes())


def search_digest(game: Game, tiers: Iterable[Tier]) -> str:
    """Return a hash of what the look-ahead player plays on with, "" where nobody looks ahead."""
    if all(tier.policy != EXPERT for tier in tiers):
        return ""
    settings = repr(load_engine(game).lookahead)
    players = [(t.policy, np.asarray(t.weights, np.float64).tobytes()) for t in game.tiers if t.policy != EXPERT]
    return digest_of(settings.encode(), *(str(policy).encode() + b"|" + weights for policy, weights in players))


def source_of(game: Game) -> tuple[tuple[str, str], ...]:
    """Return the hashes of the kernels that play a game."""
    return (("game", load_engine(game).tag.rpartition("_")[2]), ("kernels", jit.source_hash()))


def differences(mine: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields in which two plan identities differ."""
    a, b = dict(_flat(mine)), dict(_flat(other))
    return [key for key in dict.fromkeys((*a, *b)) if a.get(key, _flat) != b.get(key, _flat)]


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def reasons(fields: list[str]) -> list[str]:
    """Return in words why two plans are not the same, from the fields in which they differ."""
    made: dict[str, None] = {}
    for key in fields:
        if key.endswith(".rules"):
            arm = key.removeprefix("arms.").removesuffix(".rules")
            settings = any(other.startswith(f"arms.{arm}.variant") for other in fields)
            if not settings:
                made[f"the cards, decks or numbers behind the rules of {arm!r}"] = None
        else:
            made[_WORDS.get(key, key)] = None
    return list(made)


_WORDS = {
    "source.game": "the code of the game",
    "source.kernels": "the code that plays all games",
    "weights": "the weights of the players",
    "search": "what the look-ahead player plays on with",
    "entrants": "who sits where with what switched off",
}
