"""The referee over 50,000 games of Alakablast: `python -m tests.check alakablast [GAMES] [--jobs N]`.

Engine and rulebook are compared at every decision of games of 2 to 5 players, of the three sets of levels, with and
without forgetting, and of every value of every switch; every rule id must have decided something at least 20 times.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import cycle

from sim.games.alakablast import GAME
from sim.games.alakablast.rulebook import RULES
from sim.variant import Field
from tests.check._referee import NOVICE, RANDOM, SKILLED, Case, Check

MIXED = ("skilled", "novice", "random", "skilled", "novice")
LEVELS = ("listed", "nine", "five")

# Values of the fields that are numbers or lists; of a choice or a yes or no every value is played.
NUMBERS: dict[str, tuple[str, ...]] = {
    "hand_size": ("1", "2", "3", "6"),
    "deal": ("3,1", "1,3", "4,0", "0,4", "1,0", "3,3"),
    "deal_two": ("3,2", "2,3", "3,1", "0,4"),
    "setup_discard": ("0,0,0,0", "20,20,20,20"),
    "target": ("1,1,1,1", "9,6,5,4"),
    "supply": ("40",),
    "forget_prob": ("0.05", "0.5", "1"),
    "stakes": ("1", "1,2", "2,1,1,3", "1,2,3,2,3,4,3,4"),
    "max_turns": ("5", "40"),
    "deck.water": ("1,1,2,2,3,3,15",),
    "deck.fire": ("13,13,13,13,13,13,13,13,13,13,13,13,13,13,13",),
    "deck.plant": ("7,8",),
    "deck.light": ("13", "1,2,3,4,5,6,7,8"),
    "deck.shadow": ("1,2,3,4,5",),
}
SHORT = ("stock_out=reshuffle", "stock_out=play_short", "stock_out=game_ends")


def values(field: Field) -> tuple[str, ...]:
    """Return the values of a switch other than its default, as on the command line."""
    if field.choices:
        return tuple(choice for choice in field.choices if choice != field.default)
    if isinstance(field.default, bool):
        return (str(not field.default).lower(),)
    return NUMBERS[field.key]


def usual() -> Iterator[Case]:
    """Return games as they are played: 2 to 5 players, three sets of levels, with and without forgetting."""
    for seats in GAME.seats:
        for levels in LEVELS:
            for forget in ("0", "0.1"):
                for tiers in (SKILLED, NOVICE, MIXED, RANDOM):
                    name = f"{seats} players, levels {levels}, forgetting {forget}, {'/'.join(tiers[:3])}"
                    settings = (f"levels={levels}", f"forget_prob={forget}")
                    yield Case(name, 4, seats, tiers, settings)
            yield Case(f"{seats} players, levels {levels}, in turn", 2, seats, MIXED,
                       (f"levels={levels}",), draw="balanced")  # fmt: skip


def switches() -> Iterator[Case]:
    """Return every value of every switch, by itself and with a deck so small that the stock runs out."""
    counts = cycle(GAME.seats)
    for field in GAME.fields:
        for value in values(field):
            setting = f"{field.key}={value}"
            twos = field.key == "deal_two"
            for tiers in (MIXED, RANDOM):
                for _ in range(2):
                    seats = 2 if twos else next(counts)
                    yield Case(f"{setting}, {seats} players, {tiers[0]}", 1, seats, tiers, (setting,))


def stress() -> Iterator[Case]:
    """Return the shipped variants, rare ends, switches that meet each other, and players without an ability."""
    for variant in GAME.variant_names:
        for seats in GAME.seats:
            yield Case(f"{variant}, {seats} players", 1, seats, MIXED, (), variant)
    for out in SHORT:
        for seats in GAME.seats:
            for more in ((), ("short_hand_tie=no_gem",), ("redraw_in_tie=true", "draw_first=loser")):
                settings = (out, "target=20,10,8,6", "supply=100", *more)
                yield Case(f"short-stock, {', '.join(settings)}, {seats} players", 1, seats, RANDOM,
                           settings, "short-stock")  # fmt: skip
    for seats in GAME.seats:
        for settings in (
            ("known=deducible", "touch_specials=false", "special_level=none", "forget_prob=0.2"),
            ("known=deducible", "allow_null_ask=true", "max_turns=60", "informant=random"),
            ("clue_before_type=true", "clue_card_by=challenger", "no_repeat_target=true", "informant=chosen"),
            ("levels=five", "special_clue_touches=false", "forget_prob=0.3", "informant=next"),
            ("allow_ask=false", "light_vs_shadow=tie", "redraw_winner=in_turn", "redraw_loser=public"),
        ):
            yield Case(f"{', '.join(settings)}, {seats} players", 1, seats, MIXED, settings)
        for ability in GAME.abilities:
            yield Case(f"one without {ability.key}, {seats} players", 1, seats, MIXED, without=ability.key)


def cases() -> list[Case]:
    """Return all cases."""
    return [*usual(), *switches(), *stress()]


CHECK = Check(GAME.name, RULES, cases, 50_000, chunk=100)
main = CHECK.main

if __name__ == "__main__":
    sys.exit(main())
