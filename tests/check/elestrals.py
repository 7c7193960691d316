"""The referee over 20,000 games of Elestrals: `python -m tests.check elestrals [GAMES]`, or `elestrals caps [GAMES]`.

Engine and rulebook are compared at every decision of games between all 121 ordered pairs of the eleven starter decks,
by all tiers, with every value of every switch, and of rigged decks (`tests.games.elestrals_rigged`); every rule id and
every ability of each of the 151 starter cards must have decided something at least 20 times. Then 100,000 skilled
games over all pairs by the engine alone: none may meet a cap that no real game meets.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from itertools import cycle, product

import numpy as np

from analysis.intervals import exact_bounds
from sim.engine import ENDS
from sim.experiment import make_plan
from sim.games.elestrals import FIELDS, GAME, cards
from sim.games.elestrals.numbers import DECK_NAMES
from sim.games.elestrals.rulebook import RULES
from sim.games.elestrals.rulebook_table import ability_key
from sim.run import Table
from sim.trace import Trace
from sim.variant import Field
from tests.check._referee import NOVICE, RANDOM, SKILLED, Case, Check
from tests.games.elestrals_rigged import LISTS, setting

GAMES, CAP_GAMES, CHUNK_GAMES = 20_000, 100_000, 4840
SKILLED_NOVICE, NOVICE_RANDOM, SKILLED_RANDOM = ("skilled", "novice"), ("novice", "random"), ("skilled", "random")
TIERS = (SKILLED, NOVICE, RANDOM, SKILLED_NOVICE, NOVICE_RANDOM, SKILLED_RANDOM)
# Numbers and several switches at once; of the switches every other value is played besides.
NUMBERS = (
    ("match_wins=2",),
    ("match_wins=2", "first=chosen", "payment=helper"),
    ("match_wins=3", "starting_spirits=8"),
    ("first=chosen", "mulligan_price=1", "mulligan_floor=1", "opening_hand=4"),
    ("first_turn_draw=true", "first_turn_battle=true", "cards_per_draw_phase=2"),
    ("normal_actions=2", "normal_cast_cost=2"),
    ("elestral_slots=2", "rune_slots=1"),
    ("starting_spirits=40", "turn_cap=30"),
    ("payment=helper", "set_is_play=true", "cost_check=link", "misenchanted_cast=false"),
    ("turn_cap=8",),
)
# For rigged decks: the dear bodies of their rare effects come down early, and games are long.
LAVISH = ("starting_spirits=40", "opening_hand=7", "normal_actions=2", "normal_cast_cost=3", "mulligan_price=0")
LONG = ("starting_spirits=40", "opening_hand=1", "normal_actions=2")
ALONE = ("Counters", "Foretold", "Echoes")  # rigged decks that are played against themselves only
SHARED = ("ambrosia", "nectar-of-the-gods", "circle-the-sky", "gorgons-gaze", "earthquake", "dense-fog", "warmite")


def values(field: Field) -> tuple[str, ...]:
    """Return the values of a switch other than its default, as on the command line."""
    if field.choices:
        return tuple(choice for choice in field.choices if choice != field.default)
    return (str(not field.default).lower(),)


SWITCHES = tuple(
    f"{field.key}={value}"
    for field in FIELDS
    if field.choices or isinstance(field.default, bool)
    for value in values(field)
)


def _pairs(name: str, weight: float, tiers: tuple[str, ...], settings: tuple[str, ...] = ()) -> Case:
    """Return games between all pairs of decks."""
    return Case(f"{name}, {'/'.join(tiers)}", weight, 2, tiers, settings, draw="balanced", pairs=True)


def _usual() -> Iterator[Case]:
    for tiers in TIERS:
        yield _pairs("starter decks", 30, tiers)


def _turned() -> Iterator[Case]:
    """Return games with every value of every switch, and with other numbers; tiers in turn."""
    mixes = cycle(TIERS)
    for switch in SWITCHES:
        for _ in range(2):
            yield _pairs(switch, 1, next(mixes), (switch,))
    for settings in NUMBERS:
        yield _pairs(" ".join(settings), 1.5, next(mixes), settings)


def _rigged() -> Iterator[Case]:
    """Return games between all pairs of rigged decks, and of two decks each against itself."""
    decks = tuple(name for name in LISTS if name not in ALONE)
    bring = setting(*decks)
    for name, settings in (("rigged decks", (bring,)), ("rigged decks, lavish", (*LAVISH, bring))):
        for tiers in (SKILLED, RANDOM, SKILLED_RANDOM):
            title = f"{name}, {'/'.join(tiers)}"
            yield Case(title, 6, 2, tiers, settings, draw="balanced", sides=decks, pairs=True)
    for deck in ALONE:
        for tiers in (SKILLED, RANDOM):
            name = f"{deck} against itself, {'/'.join(tiers)}"
            yield Case(name, 3, 2, tiers, (*LONG, setting(deck)), draw="balanced", sides=(deck,))


def _without() -> Iterator[Case]:
    """Return games in which one player has a card without its text: the boss of each deck, and cards of many decks."""
    mixes = cycle(TIERS)
    for deck, other in zip(DECK_NAMES, (*DECK_NAMES[1:], DECK_NAMES[0]), strict=True):
        boss, tiers = cards.slug(deck), next(mixes)
        yield Case(f"{deck} without its boss", 0.6, 2, tiers, without=boss, draw="balanced", sides=(deck, other))
    for card in SHARED:
        yield Case(f"one without {card}", 1, 2, next(mixes), without=card, draw="balanced", pairs=True)


def cases() -> list[Case]:
    """Return all cases."""
    return [*_usual(), *_turned(), *_rigged(), *_without()]


def _pair(first: str, second: str) -> str:
    return f"pair:{first}-{second}"


def _notes(trace: Trace) -> list[str]:
    """Return which decks of the usual game met in which seats."""
    met = [DECK_NAMES[place.side] for place in trace.places if place.side < len(DECK_NAMES)]
    return [_pair(*met)] if len(met) == 2 else []


def starter_abilities() -> dict[str, str]:
    """Return {word of an ability: the ability in words} of every card of the starter decks."""
    made = {}
    for name in sorted({name for deck in cards.starter_decks().values() for name in deck.names}):
        card = cards.all_cards()[name]
        for i, ability in enumerate((*card.abilities, *card.faces)):
            made[ability_key(card, i)] = f"{name}: {ability.text}"
    return made


CHECK = Check(
    GAME.name,
    {rule: sentence for rule, (_, sentence) in RULES.items()},
    cases,
    GAMES,
    lists={
        "abilities of starter cards": starter_abilities(),
        "ordered pairs of decks": {_pair(a, b): f"{a} in seat 0" for a, b in product(DECK_NAMES, repeat=2)},
    },
    notes=_notes,
)


def caps(games: int = CAP_GAMES) -> int:
    """Play skilled games over all pairs; return 1 if one met a cap of links, effects, actions or decisions."""
    plan = make_plan(GAME.name, games=games, policies="skilled", mirrors=True, draw="balanced", seed=5)
    table, ends, turns, began = Table(plan), np.zeros(len(ENDS), int), [], time.monotonic()
    capped: set[int] = set()  # deals: games of one deal are no independent witnesses
    for first in range(0, plan.total_games, CHUNK_GAMES):
        stop = min(first + CHUNK_GAMES, plan.total_games)
        rows = table.play(plan, first, stop).game_rows[:, 0]
        ends += np.bincount(rows["end"], minlength=len(ENDS))
        turns += rows["turns"].tolist()
        capped |= set(plan.expand(first, stop).deal[rows["end"] == ENDS.index("cap")].tolist())
    deals = plan.superblocks * plan.superblock_deals
    low, high = (1e6 * float(bound) for bound in exact_bounds(deals, len(capped)))
    print(
        f"{len(turns):,} skilled games over all pairs in {time.monotonic() - began:.0f} s; ends: "
        + ", ".join(f"{name} {n:,}" for name, n in zip(ENDS, ends.tolist(), strict=True) if n)
        + f"; turns: mean {np.mean(turns):.1f}, most {max(turns)}."
    )
    print(
        f"The turn cap was met in {ends[ENDS.index('cap')]} games of {len(capped)} deals out of {deals:,}: "
        f"in {low:.0f} to {high:.0f} of a million deals (95 %)."
    )
    stopped = int(ends[ENDS.index("stopped")])
    print(f"A cap of links, waiting effects, actions or decisions was met in {stopped} games.")
    return 1 if stopped else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when engine and rulebook agree everywhere, nothing is rare, and no game is stopped."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["caps"]:
        return caps(*(int(word) for word in given[1:2]))
    return CHECK.main(given) or caps()


if __name__ == "__main__":
    sys.exit(main())
