"""Celestial Ranks: the numbers that kernels and rulebook share: cards, kinds of decisions, caps. No prose."""

from __future__ import annotations

MELDS = ("S3", "S4", "S5", "R3", "R4", "R5", "F3", "F4", "F5")
# What `element_order` calls easy: the order in which skilled players get the six contracts of the text down, as points
# per meld that reproduce it.
MELD_POINTS = {"R3": 1, "R4": 2, "F3": 3, "S3": 4, "R5": 5, "F4": 6, "S4": 8, "F5": 10, "S5": 14}
RANK_NAMES = "A23456789TJQK"
SUIT_NAMES = "SHDC"
JOKER = 52
PLACES = 112
SHIFT, BLOCK, OVERRIDE, WILD, BURY = range(5)  # bits of the abilities
# Kinds of decisions.
(
    DECLARE,
    DRAW,
    LAY_AUTO,
    LAY_MELD,
    LAY_OFF,
    LAY_OFF_MANY,
    SHIFT_PLAY,
    BLOCK_PLAY,
    OVERRIDE_PLAY,
    PICK,
    DISCARD,
    COURT,
) = range(1, 13)
COURTS: dict[str, dict[str, str]] = {
    "summer": {"fire": "S3 R3", "water": "S4 F3", "earth": "S3 S3", "air": "S4 F4"},
    "winter": {"air": "S3 S3", "earth": "S4 R4", "fire": "S3 F3", "water": "S4 F4"},
    "autumn": {"earth": "S3 F3", "fire": "S4 R4", "water": "S3 S3", "air": "S4 F4"},
    "spring": {"water": "S3 R3", "air": "S4 F3", "fire": "S3 S3", "earth": "S4 F4"},
    "human": {"levitation": "S3 F3", "invisibility": "S4 R4", "telekinesis": "S3 S3", "illumination": "S4 F4"},
}
COURT_NAMES = ("Summer", "Winter", "Autumn", "Spring", "Human")


def contract_number(text: str) -> int:
    """Return the number of a contract: "S3 R3" is 9 * 0 + 3."""
    first, second = sorted(MELDS.index(part) for part in text.split())
    return 9 * first + second


def contract_text(number: int) -> str:
    """Return the text of a contract number."""
    return f"{MELDS[number // 9]} {MELDS[number % 9]}"


def card_name(card: int) -> str:
    """Return a card's short name: "7H", "*" for a Joker."""
    return "*" if card == JOKER else RANK_NAMES[card % 13] + SUIT_NAMES[card // 13]
