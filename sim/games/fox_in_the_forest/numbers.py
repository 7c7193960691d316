"""The Fox in the Forest: the numbers that kernels and rulebook share: cards, kinds of decisions, caps. No prose."""

from __future__ import annotations

from sim.errors import nearest

SUITS = ("Bells", "Keys", "Moons")
RANKS = 11
BASE = 33  # cards of the base game; special cards are numbered from here
SPECIALS = ("bow", "mirror", "hammer", "potion", "shovel", "axe", "tree", "fairy", "crown")
BOW, MIRROR, HAMMER, POTION, SHOVEL, AXE, TREE, FAIRY, CROWN = range(BASE, BASE + len(SPECIALS))
CARDS = BASE + len(SPECIALS)  # the superset that is shuffled
SPECIAL_RANKS = (0, 0, 0, 0, 0, 8, 6, 4, 2)
ROUND_CAP = 64  # upper bound of the field max_rounds
# Purposes of this game's own streams.
SHOVEL_PICK, TREE_PICK, FAIRY_PICK = 32, 33, 34
# Kinds of decisions; the facts of the game say what the arguments are.
PLAY = 1
FOX_KEEP, FOX_SWAP = 2, 3
BOTTOM = 4
HAMMER_SUIT = 5
POTION_BOTTOM, POTION_PLAY = 6, 7
SHOVEL_KEEP, SHOVEL_TAKE = 8, 9
FAIRY_KEEP, FAIRY_TAKE, FAIRY_GIVE = 10, 11, 12
CROWN_PASS, CROWN_ADD = 13, 14
KIND_NAMES = {
    PLAY: "play",
    FOX_KEEP: "fox: keep the decree",
    FOX_SWAP: "fox: new decree",
    BOTTOM: "woodcutter: bottom",
    HAMMER_SUIT: "hammer: name a suit",
    POTION_BOTTOM: "potion: bottom",
    POTION_PLAY: "potion: play",
    SHOVEL_KEEP: "shovel: keep",
    SHOVEL_TAKE: "shovel: replace",
    FAIRY_KEEP: "fairy: take nothing",
    FAIRY_TAKE: "fairy: take",
    FAIRY_GIVE: "fairy: give",
    CROWN_PASS: "crown: play the card alone",
    CROWN_ADD: "crown: add",
}

# The place of an ability is the bit of the mask of those that are off.
ABILITY_KEYS = (
    "swan",
    "fox",
    "woodcutter",
    "treasure",
    "witch",
    "monarch",
    "bow",
    "mirror",
    "hammer",
    "potion",
    "shovel",
    "axe",
    "tree",
    "fairy",
    "crown",
    "poison",
)


def specials_of(text: str) -> tuple[int, tuple[int, ...]]:
    """Return (how many are drawn at random, cards chosen by name) of a value of the field `specials`.

    Raises
    ------
    ValueError
        With a sentence, where the value says nothing.
    """
    word = text.strip().casefold()
    if word in ("", "none"):
        return 0, ()
    if word == "all":
        return 0, tuple(range(BASE, CARDS))
    if word.startswith("random"):
        number = word.removeprefix("random").lstrip(":")
        if number.isdecimal() and int(number) <= len(SPECIALS):
            return int(number), ()
        raise ValueError(f"random takes a number from 0 to {len(SPECIALS)}, as in random:2.")
    chosen = []
    for part in (name.strip() for name in word.split(",")):
        if part not in SPECIALS:
            raise ValueError(nearest(part, [*SPECIALS, "none", "all", "random2"], "special card"))
        chosen.append(BASE + SPECIALS.index(part))
    if len(set(chosen)) < len(chosen):
        raise ValueError("every special card is there once; name each at most once.")
    return 0, tuple(sorted(chosen))
