"""Elestrals: the numbers that kernels and rulebook share: cards, kinds of decisions, caps. No prose."""

from __future__ import annotations

from sim.games.elestrals import cards
from sim.variant import Variant

DECK_NAMES = tuple(cards.starter_decks())
# Caps that no real game meets; a game that does ends as `stopped`.
MAX_LINKS, MAX_WAITING, MAX_ACTIONS, MAX_DECISIONS, MAX_DECLARATIONS = 24, 48, 300, 6000, 16
EARLY = 8  # turns of both players after which the report asks who is ahead: each has had four
LOSS_REASONS = ("none", "spirits", "deck")


def deck_of(side: int | cards.Deck, variant: Variant) -> cards.Deck:
    """Return the deck of a side, given by number or as a deck."""
    return side if isinstance(side, cards.Deck) else cards.decks_of(variant)[side]
