"""The referee over 50,000 games of The Fox in the Forest: `python -m tests.check.fox [GAMES]`.

The base game and the shipped variants, each special card alone, every switch, each ability off for one player, all
tiers; every rule id must have decided something at least 20 times.
"""

from __future__ import annotations

import sys

from sim.games.fox_in_the_forest import GAME
from sim.games.fox_in_the_forest.numbers import SPECIALS
from sim.games.fox_in_the_forest.rulebook import RULES, STRESS
from tests.check._referee import NOVICE, RANDOM, SKILLED, Case, Check

SKILLED_NOVICE, NOVICE_RANDOM = ("skilled", "novice"), ("novice", "random")
EVERYTHING = ("specials=all", "poison=true")
SWITCHED = (
    ("specials=all", "suits=2", "hand_size=11"),
    ("specials=all", "hand_size=1", "max_rounds=9"),
    ("tie_break=draw", "target=5", "dealer=fixed"),
    ("tie_break=another_round", "target=4"),
    ("tie_break=another_round", "still_tied=another_round", "target=3"),
    ("specials=random:4", "bow_beats_witch=false", "poison=true", "poison_points=3", "treasure=2"),
    ("max_rounds=2",),
)


def _each(name: str, weight: float, settings: tuple[str, ...] = (), variant: str | None = None) -> list[Case]:
    """Return a kind of games with each mix of tiers."""
    return [
        Case(f"{name}, {'/'.join(tiers)}", weight / 5, 2, tiers, settings, variant)
        for tiers in (SKILLED, NOVICE, RANDOM, SKILLED_NOVICE, NOVICE_RANDOM)
    ]


def cases() -> list[Case]:
    """Return all cases."""
    made = [case for name in GAME.variant_names for case in _each(name, 10, variant=name)]
    made += [case for name in SPECIALS for case in _each(f"{name} alone", 2, (f"specials={name}",))]
    made += [case for settings in (*STRESS[1:], *SWITCHED) for case in _each(" ".join(settings), 2, settings)]
    for ability in GAME.abilities:
        made.append(Case(f"one without {ability.key}", 0.5, 2, SKILLED_NOVICE, EVERYTHING, without=ability.key))
        made.append(Case(f"one without {ability.key}, random", 0.5, 2, RANDOM, EVERYTHING, without=ability.key))
    return made


CHECK = Check(GAME.name, {rule: sentence for rule, (sentence, _) in RULES.items()}, cases, 50_000, chunk=100)
main = CHECK.main

if __name__ == "__main__":
    sys.exit(main())
