"""Rigged decks of Elestrals, for what starter decks seldom or never do: three copies of rare cards and their partners.

Some of the partners (Aardvarum, Blizzard) are in no starter deck, so that the cards which speak of them need a deck
like these. A variant brings them as decks of its own.
"""

from __future__ import annotations

from sim.games.elestrals import cards
from sim.games.elestrals.language import ELEMENT_NAMES

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
    "Echoes": (  # effects that wait for a card that a later link of the same chain takes away
        {"earth": 10, "fire": 6, "lunar": 4},
        (
            "Hummbust", "Vysceris", "Rummagem", "Dense Fog", "Poison Tipped Arrow", "Gorgon's Gaze", "Earthquake",
            "Shield of Achilles", "Altar of Stars", "Divine Blessing", "Pandora's Box", "Nectar of the Gods",
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


def deck(name: str) -> cards.Deck:
    """Return a rigged deck."""
    spirits, names = LISTS[name]
    copies = {card: 1 if card == names[-1] else cards.MAX_COPIES for card in names}
    return cards.Deck(name, tuple(sorted(copies.items())), tuple(spirits.get(e, 0) for e in ELEMENT_NAMES))


def setting(*names: str) -> str:
    """Return the setting of a variant that brings rigged decks."""
    text = ""
    for name in names:
        text = cards.with_deck(text, deck(name))
    return f"decks={text}"
