"""Elestrals with rigged decks, for what starter decks seldom or never do: three copies of the rare cards and partners.

`GAME` is the game with these decks in place of the starter decks: same engine, same rulebook, other sides. Some of the
partners (Aardvarum, Blizzard) are in no starter deck, so that the cards which speak of them need a deck like these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sim.game import Engine, Rulebook, SeatSetup, Side
from sim.games.elestrals import GAME as USUAL
from sim.games.elestrals import cards, tables
from sim.games.elestrals.language import ELEMENT_NAMES
from sim.variant import Variant

# Name of a deck: its Spirits, and its cards: three copies of each, of the last one a single copy.
LISTS: dict[str, tuple[dict[str, int], tuple[str, ...]]] = {
    "Insects": (
        {"earth": 14, "lunar": 6},
        (
            "Aardbud", "Aardvarum", "Vysceris", "Mosstacean", "Spinymph", "Toxeerie", "Centaurbor", "Foloi Forest",
            "Demeter", "Earthquake", "Dense Fog", "Poison Tipped Arrow", "Gorgon's Gaze", "Ambrosia",
        ),
    ),
    "Blizzards": (
        {"frost": 16, "fire": 4},
        (
            "Frigicub", "Blizzard", "Khione", "Scepter of Khione", "Polarachne", "Chillalotl", "Kryoling", "Kryovyrn",
            "Kryoscorch", "Snowattle", "Frosmite", "Komagma", "Rock and a Hard Place", "Ambrosia",
        ),
    ),
    "Thunder": (
        {"thunder": 20},
        (
            "Cygnetrik", "Ohmperial", "Jolten", "Sparkitt", "Toxion", "Mt. Olympus", "Zeus", "Thunderbolt of Zeus",
            "Thunderstorm", "Pandora's Box", "Boombatt", "Astrabbit", "Divine Blessing", "Ambrosia",
        ),
    ),
    "Moon": (
        {"lunar": 16, "wind": 4},
        (
            "Artemis", "Bow of Artemis", "Posthumoose", "Therahart", "Fawnlit", "Nitevenom", "Gnawbie", "Doppelgator",
            "Fulgoryx", "Havocub", "Circle the Sky", "Altar of Stars", "Dense Fog", "Ambrosia",
        ),
    ),
    "Eruptions": (
        {"fire": 15, "water": 5},
        (
            "Krakatuga", "Eruption", "Blazerus", "Trifernal", "Sinder", "Komagma", "Hephaestus", "Hammer of Hephaestus",
            "Kindleo", "Circle the Sky", "Smoltuga", "Chains of Prometheus", "Tsunami", "Ambrosia",
        ),
    ),
    "Sun": (
        {"solar": 14, "lunar": 6},
        (
            "Solbelle", "Solstox", "Apollo", "Corvishine", "Peagleam", "Drataura", "Plucky", "Pharogeist", "Pharomel",
            "Golden Fleece", "Cypromal", "Divine Healing", "Poison Tipped Arrow", "Ambrosia",
        ),
    ),
    "Foretold": (
        {"solar": 20},
        (
            "Solbelle", "Solstox", "Apollo", "Corvishine", "Plucky", "Peagleam", "First Light", "Divine Healing",
            "Temple of the Sun", "Nectar of the Gods", "Drops of Lethe", "Circle the Sky", "Tsunami", "Ambrosia",
        ),
    ),
    "Counters": (
        {"earth": 14, "lunar": 6},
        (
            "Vysceris", "Rummagem", "Girafflora", "Dense Fog", "Poison Tipped Arrow", "Gorgon's Gaze",
            "Shield of Achilles", "Altar of Stars", "Divine Blessing", "Pandora's Box", "Argo", "Nectar of the Gods",
            "Drops of Lethe", "Ambrosia",
        ),
    ),
    "Wind": (
        {"wind": 20},
        (
            "Penterror", "Twindra", "Hydrake", "Aeolus", "Bag of Winds", "Peagust", "Aeromare", "Glydesdale",
            "Exaltair", "Soarlet", "Tornado", "Circle the Sky", "Altar of Stars", "Ambrosia",
        ),
    ),
    "Earth": (
        {"earth": 16, "wind": 4},
        (
            "Satymber", "Scythe of Demeter", "Sproutyr", "Spinymph", "Centaurbor", "Demeter", "Foloi Forest",
            "Spinosect", "Rummagem", "Tectaurus", "Earthquake", "Tornado", "Shield of Achilles", "Ambrosia",
        ),
    ),
}  # fmt: skip


def _deck(name: str) -> cards.Deck:
    spirits, names = LISTS[name]
    copies = {card: 1 if card == names[-1] else cards.MAX_COPIES for card in names}
    deck = cards.Deck(name, tuple(sorted(copies.items())), tuple(spirits.get(e, 0) for e in ELEMENT_NAMES))
    cards.check_deck(deck, name)
    return deck


DECKS = tuple(_deck(name) for name in LISTS)


def _make_rules(variant: Variant, seats: int) -> np.ndarray[Any, Any]:
    made = USUAL.engine().make_rules(variant, seats)
    known = cards.all_cards()
    for row, deck in zip(made[0]["deck"], DECKS, strict=False):
        row["card"] = [known[name].number for name in deck.list]
        row["distinct"] = [deck.names.index(name) for name in deck.list]
        row["spirits"] = tables.pack(cards.spirits_of(deck, int(str(variant["starting_spirits"]))))
    return made


def _engine() -> Engine:
    return replace(USUAL.engine(), make_rules=_make_rules)


def with_decks(maker: Callable[..., Rulebook]) -> Callable[..., Rulebook]:
    """Return a maker of rulebooks, of a mutant for example, whose sides are the rigged decks."""

    def make(variant: Variant, seats: Sequence[Any], chance: Any) -> Rulebook:
        setups = [SeatSetup(DECKS[p.side], p.packet, p.off, p.entrant) for p in seats]  # type: ignore[arg-type]
        return maker(variant, setups, chance)

    return make


GAME = replace(
    USUAL,
    name="elestrals-rigged",
    sides=tuple(Side(deck.name, "#000000") for deck in DECKS),
    engine=_engine,
    rulebook=lambda: with_decks(USUAL.rulebook()),
)
