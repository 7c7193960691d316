"""Alakablast: the numbers that kernels and rulebook share: cards, kinds of decisions, caps. No prose."""

from __future__ import annotations

from sim.variant import Variant

ELEMENTS = ("Water", "Fire", "Plant", "Light", "Shadow")
OFFSETS = (0, 15, 30, 45, 53, 61)
PLACES = 61
LEVEL_MAX = 15
SLOT_MAX = 6
CHAIN_MAX = 20
FORGET, INFORMANT = 32, 33  # purposes of streams
ASK, CHALLENGE, NAME, TELL, CLUE_CARD, TYPE, PLAY = range(1, 8)  # kinds of decisions
ELEMENT, LEVEL, SPECIAL, NOTHING = range(4)  # features; a challenge whose type is said later has SPECIAL's number, 2
LATER = 2
(STEP_TURN, STEP_INFORMANT, STEP_TELL, STEP_CLUE_CARD, STEP_CLUE_TELL, STEP_TYPE, STEP_FIRST, STEP_SECOND) = range(8)
# Columns of the outcome rows, (name, type): the engine and the rulebook fill exactly these, in this order.
ABILITY_KEYS = ("light", "shadow", "forced_clue", "growing_stakes", "redraw_orientation")
GAME_COLUMNS: tuple[tuple[str, str], ...] = (
    ("share", "u2"),  # in 27,720ths
    ("points", "u1"),  # gems at the end
    ("rounds", "u2"),  # duels of the game that were resolved
    ("turns", "u2"),  # own turns that were begun
    ("end", "u1"),  # how it ended: won 0, tie 1, all_win 2, cap 4
    ("lead_changes", "u1"),  # how often another seat than the one before came to have the most gems alone
    ("n_light", "u2"),  # element rounds won by an own Light card
    ("n_shadow", "u2"),  # element rounds lost by an own Shadow card
    ("n_forced_clue", "u2"),  # clues given to this seat because it was challenged
    ("n_growing_stakes", "u2"),  # duels won in round 2 or later, the ability being on for this seat
    ("n_redraw_orientation", "u2"),  # redraws of one card or more after a duel with a winner, the ability being on
    ("held_light", "u2"),  # element duels entered with a Light card in hand, on or off
    ("held_shadow", "u2"),  # element duels entered with a Shadow card in hand, on or off
    ("held_forced_clue", "u2"),  # times challenged with an askable card in hand, on or off
    ("held_growing_stakes", "u2"),  # own duels won by anybody in round 2 or later, on or off
    ("held_redraw_orientation", "u2"),  # redraws of one card or more after a duel with a winner, on or off
    ("asks", "u2"),  # turns spent on asking
    ("asked", "u1"),  # asks, at most 6, to group by
    ("challenges", "u2"),  # challenges made
    ("challenged", "u2"),  # times challenged
    ("duels", "u2"),  # own duels that were resolved
    ("wins", "u2"),  # duels won
    ("wins_challenger", "u2"),  # duels won as the challenger
    ("wins_challenged", "u2"),  # duels won as the challenged
    ("duels_element", "u2"),  # own element duels
    ("duels_level", "u2"),  # own level duels
    ("gems_element", "u1"),  # gems from element duels
    ("gems_level", "u1"),  # gems from level duels
    ("pointed", "u2"),  # own other public cards that shared a feature told, by asks and clues
    ("specials_told", "u2"),  # times told 'special' of the card in question, by asks and clues
    ("forgot", "u2"),  # told features that were misremembered
    ("mended", "u2"),  # tellings of a feature of the card in question that was remembered wrongly
    ("first_win", "u1"),  # 1 for the winner of the game's first duel
    ("all_tie", "u1"),  # 1 if the game ended because a whole hand was tied
    ("capped", "u1"),  # 1 if the game was capped
    ("reshuffles", "u1"),  # reshuffles of the game
)
# One round is one duel; a duel that ends the game has its row too. Columns other than the first three and `ended` are 0
# for seats that are not in the duel.
ROUND_COLUMNS: tuple[tuple[str, str], ...] = (
    ("starter", "u1"),  # the challenger's seat
    ("turn", "u2"),  # number of the turn
    ("feature", "u1"),  # 0 element, 1 level
    ("ended", "u1"),  # 1 if the game is over with this duel
    ("role", "u1"),  # 0 not in it, 1 challenger, 2 challenged
    ("challenger", "u1"),  # 1 for the challenger
    ("won", "u1"),  # 1 for the winner
    ("gems", "u1"),  # gems won
    ("chain", "u1"),  # rounds of the duel, ties and the last one
    ("clue", "u1"),  # 1 for the challenged if a clue was given
    # how the last card played was held: 1 private, 2 public and told (its feature of the duel, or special), 3 public
    # and not told
    ("held_as", "u1"),
    ("element", "u1"),  # element of the last card played, plus 1
    ("level", "u1"),  # level of the last card played as it counts in a duel
    ("rank", "u1"),  # how the challenged stood in gems among the others before: 1 first, 2 between, 3 last, 4 all equal
    ("asks_since", "u1"),  # own asks since the own duel before, at most 5
    ("after", "u1"),  # the own duel before: 0 none, 1 won, 2 lost, 3 without a winner
    ("gems_before", "u1"),  # own gems before the duel
)
_NINE = (1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 9)
_FIVE = (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5)
PRESETS: dict[str, tuple[tuple[int, ...], ...]] = {
    "nine": (_NINE, _NINE, _NINE, (1, 2, 3, 4, 5), (5, 6, 7, 8, 9)),
    "five": (_FIVE, _FIVE, _FIVE, (1, 2, 3, 4, 5), (1, 2, 3, 4, 5)),
}
DECK_KEYS = tuple(f"deck.{name.lower()}" for name in ELEMENTS)


def level_lists(variant: Variant) -> tuple[tuple[int, ...], ...]:
    """Return the levels of the five elements' cards, in the order of their places."""
    preset = PRESETS.get(variant["levels"])
    return preset if preset is not None else tuple(tuple(variant[key]) for key in DECK_KEYS)


def deal_of(variant: Variant, seats: int) -> tuple[int, int]:
    """Return how many private and how many public cards a hand starts with."""
    private, public = variant["deal_two"] if seats == 2 else variant["deal"]
    return private, public


def slots_of(variant: Variant, seats: int) -> int:
    """Return the number of slots of a hand."""
    return max(int(variant["hand_size"]), sum(deal_of(variant, seats)))
