"""The rules of The Fox in the Forest: every position of the rules page by its id, and what must always hold.

K, B and M are the suits, L and F leader and follower of a trick.
"""

import random
from collections import Counter
from types import SimpleNamespace

import pytest

from sim.errors import UsageError
from sim.game import IllegalMoveError, code, split
from sim.games.fox_in_the_forest import ABILITIES, DECISIONS, GAME
from sim.games.fox_in_the_forest.numbers import (
    BASE,
    BOTTOM,
    CARDS,
    CROWN_ADD,
    CROWN_PASS,
    FAIRY_GIVE,
    FAIRY_KEEP,
    FAIRY_TAKE,
    FOX_KEEP,
    FOX_SWAP,
    HAMMER_SUIT,
    PLAY,
    POTION_BOTTOM,
    POTION_PLAY,
    RANKS,
    SHOVEL_KEEP,
    SHOVEL_TAKE,
    specials_of,
)
from sim.games.fox_in_the_forest.rulebook import RULES, STRESS, WHOLE, Rulebook, SoFar, card_of, default_seats, describe
from sim.rng import DECK, Chance, RiggedChance

BASE_GAME = GAME.default
DELUXE = GAME.variant(None, ["specials=all"])


def cards(words):
    return [card_of(word) for word in words.split()]


def words(codes, kind=PLAY):
    """Return the cards that codes of one kind name."""
    return {split(c)[1] for c in codes if split(c)[0] == kind}


def play(book, word):
    book.apply(code(PLAY, card_of(word)))


def seats_without(keys, seat=0):
    made = default_seats()
    made[seat].off = GAME.ability_mask(keys)
    return made


def position(variant, hands, decree, deck=(), *, seats=None, chance=None, **so_far):
    """Return a game before a trick; what came before is given by the names of its fields."""
    return Rulebook.from_position(variant, hands, decree, deck, SoFar(**so_far), seats, chance)


def trick(decree, lead, follow, after_lead=(), after_follow=(), variant=BASE_GAME, void=None, **more):
    """Play one trick of a longer round and return the game after it; L is seat 0."""
    used = {*cards(f"{decree} {lead} {follow}"), *cards(more.pop("held", ""))}
    deck = [c for c in cards("K2 B2 M2 K4 B4 M4 K6 B6 M6 K8 B8 M8 K10 B10 M10") if c not in used]
    lead_suit = card_of(lead) // RANKS
    free = [c for c in deck if void is None or c // RANKS != lead_suit]
    spare = {free[0], free[1]}
    hands = [[card_of(lead), free[0]], [card_of(follow), free[1]]]
    for seat, held in enumerate(more.pop("extra", ((), ()))):
        hands[seat] += held
    away = spare | set(hands[0]) | set(hands[1])
    book = position(variant, hands, card_of(decree), [c for c in deck if c not in away], tricks=(1, 1), **more)
    play(book, lead)
    for step in after_lead:
        book.apply(step)
    play(book, follow)
    for step in after_follow:
        book.apply(step)
    return book


# ---------------------------------------------------------------------------------------------- legal follows

LEGAL = [
    ("L1", "M5", "K4", "K2 K9 M1 B11", "K2 K9", "FF-B6"),
    ("L2", "M5", "K4", "M1 B11 B9", "M1 B11 B9", "FF-B7"),
    ("L3", "M5", "B9", "B2 M10 K5", "B2", "FF-R9"),
    ("L4", "M5", "M6", "M2 B9", "M2", "FF-R9"),
    ("L6", "M5", "K11", "K4 K8 M1", "K8", "FF-B25"),
    ("L7", "M5", "K11", "K1 B3", "K1", "FF-R10"),
    ("L8", "M5", "K11", "B1 M9 M11", "B1 M9 M11", "FF-R10"),
    ("L10", "K5", "K11", "K1 K2 K10 M9", "K1 K10", "FF-B25"),
    ("L12", "M5", "B1", "B11 B9 M3", "B11 B9", "FF-B6"),
    ("S6", "M11", "mirror", "M1 M4 M8 K2", "M1 M8", "FF-B25"),
    ("PC21", "B4", "B11", "B1 B2 B3 B9 B10", "B1 B10", "FF-B25"),
    ("highest is a Witch", "M5", "K11", "K2 K9", "K9", "FF-R11"),
    ("highest is a Fox", "M5", "K11", "K2 K3", "K3", "FF-R11"),
    ("unsuited is never forced", "M5", "K4", "axe B2", "axe B2", "FF-B7"),
    ("unsuited is always legal", "M5", "K11", "axe K2 K6 B2", "axe K6", "FF-B25"),
    ("unsuited led", "M5", "bow", "K2 B4 M6", "K2 B4 M6", "FF-D3"),
    ("Mirror in hand", "M5", "M2", "mirror K2", "mirror", "FF-D9"),
]


@pytest.mark.parametrize(("name", "decree", "lead", "hand", "legal", "rule"), LEGAL, ids=[row[0] for row in LEGAL])
def test_legal_follows(name, decree, lead, hand, legal, rule):
    held = cards(hand)
    others = [c for c in range(BASE) if c not in {*held, card_of(decree), card_of(lead)}]
    book = position(DELUXE, [[card_of(lead), *others[: len(held) - 1]], held], card_of(decree), others[-6:])
    play(book, lead)
    assert book.actor == 1
    assert words(book.options()) == set(cards(legal))
    assert book.uses[rule] >= 1


def test_l13_choices_of_a_fox():
    book = position(BASE_GAME, [cards("K3 K6 M2"), cards("B2 B6 B8")], card_of("B4"), cards("M10"))
    play(book, "K3")
    assert book.options() == [code(FOX_KEEP), code(FOX_SWAP, card_of("K6")), code(FOX_SWAP, card_of("M2"))]


def test_l14_choices_of_a_woodcutter():
    book = position(BASE_GAME, [cards("B5 K6"), cards("B2 B6")], card_of("B4"), cards("M8 M10"))
    play(book, "B5")
    assert book.options() == [code(BOTTOM, card_of("K6")), code(BOTTOM, card_of("M8"))]
    book.apply(code(BOTTOM, card_of("M8")))
    assert book.deck == cards("M10 M8")
    assert book.hands[0] == cards("K6")


def test_l16_a_fox_as_the_last_card():
    book = position(BASE_GAME, [cards("K3"), cards("B2")], card_of("B4"), cards("M8"))
    play(book, "K3")
    assert book.options() == [code(FOX_KEEP)]
    assert book.uses["FF-R7"] == 1


def test_r7_a_woodcutter_as_the_last_card():
    book = position(BASE_GAME, [cards("K5"), cards("B2")], card_of("B4"), cards("M8 M2"))
    play(book, "K5")
    assert book.options() == [code(BOTTOM, card_of("M8"))]


def test_r6_a_led_fox_is_followed_in_its_printed_suit():
    book = position(BASE_GAME, [cards("K3 M6"), cards("K2 M8")], card_of("B4"), cards("M10"))
    play(book, "K3")
    book.apply(code(FOX_SWAP, card_of("M6")))
    assert book.trump == 2
    assert words(book.options()) == {card_of("K2")}
    assert book.uses["FF-R6"] == 1


def test_r14_and_r15_exchange_for_the_same_suit():
    book = position(BASE_GAME, [cards("K3 B6"), cards("K2 M8")], card_of("B4"), cards("M10"))
    play(book, "K3")
    book.apply(code(FOX_SWAP, card_of("B6")))
    assert (book.trump, book.decree) == (0, card_of("B6"))
    assert book.picked_up[0] == cards("B4")
    assert book.hands[0] == cards("B4")
    assert book.uses["FF-R14"] == 1
    assert book.uses["FF-R5"] == 0


# ---------------------------------------------------------------------------------------------- who wins

TRICKS = [
    # id, decree, lead, follow, winner, next leader, Treasure points, follower void of the lead suit
    ("W1", "M5", "K10", "K9", 1, 1, 0, None),
    ("W2", "M5", "K9", "M10", 1, 1, 0, "void"),
    ("W3", "M5", "K9", "M8", 0, 0, 0, "void"),
    ("W5", "M5", "B9", "K9", 0, 0, 0, "void"),
    ("W6", "K5", "K9", "K10", 1, 1, 0, None),
    ("W7", "M5", "M11", "K9", 0, 0, 0, "void"),
    ("W8", "M5", "K2", "B11", 0, 0, 0, "void"),
    ("W9", "M5", "K11", "M1", 1, 1, 0, "void"),
    ("W10", "M5", "K1", "K2", 1, 0, 0, None),
    ("W13", "M5", "K1", "B1", 0, 1, 0, "void"),
    ("W14", "M5", "M1", "B10", 0, 0, 0, "void"),
    ("W15", "M5", "K11", "K1", 0, 1, 0, None),
    ("W21", "M5", "K7", "M7", 1, 1, 2, "void"),
    ("W22", "M5", "K7", "K10", 1, 1, 1, None),
    ("W23", "M5", "K7", "B7", 0, 0, 2, "void"),
    ("W25", "M5", "K7", "B1", 0, 1, 1, "void"),
    ("N1", "axe", "K10", "K9", 1, 1, 0, None),
    ("N3", "axe", "K2", "M11", 0, 0, 0, "void"),
    ("N4", "axe", "K9", "K11", 0, 0, 0, None),
    ("S1", "M5", "M11", "bow", 1, 1, 0, None),
    ("S2", "M5", "K2", "bow", 0, 0, 0, None),
    ("S3", "M5", "bow", "K9", 0, 0, 0, None),
    ("S4", "M6", "mirror", "bow", 1, 1, 0, None),
    ("S5", "M7", "M6", "mirror", 1, 1, 1, None),
    ("S12", "M5", "K6", "axe", 1, 1, 0, None),
    ("PC21-1", "B4", "B9", "B11", 1, 1, 0, None),
    ("PC21-2", "B4", "M9", "M11", 0, 0, 0, None),
    ("PC21-3", "B4", "M9", "M10", 0, 0, 0, None),
    ("PC21-4", "B4", "M9", "K9", 0, 0, 0, "void"),
    ("PC21-5", "B4", "M4", "B2", 1, 1, 0, "void"),
    ("PC21-6", "B4", "M4", "K2", 0, 0, 0, "void"),
    ("FF-R11 a forced Witch beats the Monarch", "M5", "K11", "K9", 1, 1, 0, None),
    ("FF-D4 an unsuited card against a trump", "M5", "M10", "axe", 0, 0, 0, None),
    ("FF-D4 an unsuited card is a trump against one", "M5", "M4", "axe", 1, 1, 0, None),
    ("FF-D5 two unsuited cards", "M5", "crown", "tree", 1, 1, 0, None),
    ("FF-D6 the same card: the leader", "M5", "axe", "K8", 0, 0, 0, None),
    ("FF-D7 the Bow loses to a plain card", "M5", "K10", "bow", 0, 0, 0, None),
    ("FF-D7 the Bow beats a special card that is no trump", "M5", "axe", "bow", 1, 1, 0, None),
    ("FF-D7 the Bow beats the Mirror without a trump", "crown", "bow", "mirror", 0, 0, 0, None),
    ("FF-D20 a led Hammer beats odd", "M5", "hammer", "K7", 0, 0, 1, None),
    ("FF-D20 a led Hammer loses to even", "M5", "hammer", "K2", 1, 1, 0, None),
    ("FF-D20 a led Hammer loses to an even special card", "M5", "hammer", "axe", 1, 1, 0, None),
    ("two Witches with a Mirror", "M9", "K9", "mirror", 1, 1, 0, None),
]


@pytest.mark.parametrize(
    ("name", "decree", "lead", "follow", "winner", "leads", "points", "void"), TRICKS, ids=[row[0] for row in TRICKS]
)
def test_tricks(name, decree, lead, follow, winner, leads, points, void):
    book = trick(decree, lead, follow, void=void, variant=DELUXE)
    done = book.tricks_log[0]
    assert (done["winner"], done["next_leader"]) == (winner, leads)
    assert done["points"][winner] == points
    assert done["points"][1 - winner] == 0


def test_w11_a_swan_loses_to_a_woodcutter():
    book = position(BASE_GAME, [cards("K5 B2"), cards("K1 B4")], card_of("M5"), cards("M2 M4"))
    for step in (code(PLAY, card_of("K5")), code(BOTTOM, card_of("M2")), code(PLAY, card_of("K1"))):
        book.apply(step)
    assert book.tricks_log[0]["winner"] == 0
    assert book.leader == 1


@pytest.mark.parametrize(
    ("name", "answer", "winner"), [("W17", code(FOX_SWAP, card_of("B7")), 1), ("W18", code(FOX_KEEP), 0)]
)
def test_w17_w18_a_fox_of_the_follower(name, answer, winner):
    book = position(BASE_GAME, [cards("K10 K2"), cards("B3 B7")], card_of("M5"), cards("M2 M4"))
    for step in (code(PLAY, card_of("K10")), code(PLAY, card_of("B3")), answer):
        book.apply(step)
    assert book.tricks_log[0]["winner"] == winner


def test_w20_a_led_fox_that_keeps_the_decree():
    book = position(BASE_GAME, [cards("K3 K2"), cards("M11 B7")], card_of("M2"), cards("M4"))
    for step in (code(PLAY, card_of("K3")), code(FOX_KEEP), code(PLAY, card_of("M11"))):
        book.apply(step)
    assert book.tricks_log[0]["winner"] == 1


def test_s7_s8_the_fairy_has_the_suit_of_the_other_card():
    for follow, winner in (("M2", 0), ("K5", 1)):
        after = (code(BOTTOM, card_of("B6")),) if follow == "K5" else ()
        book = position(DELUXE, [cards("fairy B2"), cards(f"{follow} B4")], card_of("M5"), cards("B6 B8"))
        for step in (code(PLAY, card_of("fairy")), code(FAIRY_KEEP), code(PLAY, card_of(follow)), *after):
            book.apply(step)
        assert book.tricks_log[0]["winner"] == winner


def test_s9_a_crowned_card_equal_to_a_monarch_loses_to_the_leader():
    book = position(DELUXE, [cards("M11 B2 B4"), cards("crown M2 K6")], card_of("K2"), cards("B6 B8"))
    play(book, "M11")
    assert words(book.options()) == set(cards("M2 crown"))
    play(book, "M2")
    book.apply(code(CROWN_ADD, card_of("crown")))
    assert book.tricks_log[0]["winner"] == 0
    assert book.uses["FF-D6"] == 1
    assert len(book.hands[0]) == len(book.hands[1]) == 2


def test_s10_a_crowned_woodcutter_draws_for_the_crown_only():
    book = position(DELUXE, [cards("K8 B2 B4"), cards("crown K5 K6")], card_of("M2"), cards("B6 B8"))
    play(book, "K8")
    play(book, "K5")
    assert book.options() == [code(CROWN_PASS), code(CROWN_ADD, card_of("crown"))]
    book.apply(code(CROWN_ADD, card_of("crown")))
    assert book.tricks_log[0]["winner"] == 1
    assert sorted(book.hands[1]) == cards("B6 K6")
    assert book.deck == cards("B8")
    assert sorted(book.last[1]) == sorted(cards("K8 K5 crown"))


def test_s11_an_axe_after_a_woodcutter():
    book = position(DELUXE, [cards("B5 B2"), cards("axe K2")], card_of("M2"), cards("K6 K8 K10"))
    play(book, "B5")
    book.apply(code(BOTTOM, card_of("K6")))
    play(book, "axe")
    assert words(book.options(), BOTTOM) == set(cards("K2 K8"))
    book.apply(code(BOTTOM, card_of("K2")))
    assert book.tricks_log[0]["winner"] == 1
    assert book.deck == cards("K10 K6 K2")


# ---------------------------------------------------------------------------------------------- special cards


def test_bow_against_a_lone_witch_is_a_switch():
    other = GAME.variant(None, ["specials=all", "bow_beats_witch=false"])
    assert trick("M5", "bow", "K9", variant=DELUXE).tricks_log[0]["winner"] == 0
    assert trick("M5", "bow", "K9", variant=other).tricks_log[0]["winner"] == 1


def test_unsuited_against_trump_is_a_switch():
    other = GAME.variant(None, ["specials=all", "unsuited_vs_trump=loses"])
    assert trick("M5", "M4", "axe", variant=other).tricks_log[0]["winner"] == 0
    assert trick("M5", "axe", "K4", variant=other).tricks_log[0]["winner"] == 0


def test_two_unsuited_is_a_switch():
    other = GAME.variant(None, ["specials=all", "two_unsuited=leader"])
    assert trick("M5", "crown", "tree", variant=other).tricks_log[0]["winner"] == 0


@pytest.mark.parametrize(
    ("way", "hand", "legal"),
    [
        ("always", "axe K2 B2", "axe K2"),
        ("match", "axe K2 B2", "axe K2"),
        ("void", "axe K2 B2", "K2"),
        ("always", "axe M2 B2", "axe M2 B2"),
        ("match", "axe M2 B2", "axe"),
        ("void", "axe M2 B2", "axe M2 B2"),
    ],
)
def test_unsuited_follow_is_a_switch(way, hand, legal):
    variant = GAME.variant(None, ["specials=all", f"unsuited_follow={way}"])
    book = position(variant, [cards("K4 K6 K8"), cards(hand)], card_of("M5"), cards("M6"))
    play(book, "K4")
    assert words(book.options()) == set(cards(legal))


def test_mirror_in_hand_is_a_switch():
    variant = GAME.variant(None, ["specials=all", "mirror_in_hand=false"])
    book = position(variant, [cards("M2 K6 K8"), cards("mirror M4 B2")], card_of("M5"), cards("M6"))
    play(book, "M2")
    assert words(book.options()) == set(cards("mirror M4"))
    book = position(variant, [cards("K4 K6"), cards("mirror M4")], card_of("M5"), cards("M6"))
    play(book, "K4")
    assert words(book.options()) == set(cards("mirror M4"))


def test_a_mirror_works_as_a_fox_and_takes_the_new_identity():
    book = position(DELUXE, [cards("K10 K2"), cards("mirror B7")], card_of("M3"), cards("M2 M4"))
    play(book, "K10")
    play(book, "mirror")
    assert book.options() == [code(FOX_KEEP), code(FOX_SWAP, card_of("B7"))]
    book.apply(code(FOX_SWAP, card_of("B7")))
    assert book.tricks_log[0]["winner"] == 1  # the Mirror is the 7 of the new trump suit
    assert book.treasures == [0, 1]


def test_a_mirror_without_abilities_is_a_switch():
    variant = GAME.variant(None, ["specials=all", "mirror_ability=false"])
    book = position(variant, [cards("K10 K2"), cards("mirror B7")], card_of("M3"), cards("M2 M4"))
    play(book, "K10")
    play(book, "mirror")
    assert book.tricks_log[0]["winner"] == 1  # still the 3 of trump
    assert book.counts[1]["fox"] == 0


def test_a_mirror_of_a_special_decree_is_a_switch():
    blank = GAME.variant(None, ["specials=all", "mirror_special=blank"])
    for variant, winner in ((DELUXE, 1), (blank, 0)):
        book = trick("axe", "K4", "mirror", variant=variant)
        assert book.tricks_log[0]["winner"] == winner  # a copy is an unsuited 8


def test_a_mirror_can_be_added_as_a_crown():
    book = position(DELUXE, [cards("K8 B2"), cards("mirror K5")], card_of("crown"), cards("B6 B8"))
    play(book, "K8")
    play(book, "K5")
    book.apply(code(CROWN_ADD, card_of("mirror")))
    assert book.tricks_log[0]["winner"] == 1


def test_fox_with_special_cards_is_a_switch():
    other = GAME.variant(None, ["specials=all", "fox_special=false"])
    for variant, allowed in ((DELUXE, "axe K6"), (other, "K6")):
        book = position(variant, [cards("K3 axe K6"), cards("B2 B4 B6")], card_of("bow"), cards("M6"))
        play(book, "K3")
        assert words(book.options(), FOX_SWAP) == set(cards(allowed))
        book.apply(code(FOX_SWAP, card_of("K6")))
        assert card_of("bow") in book.hands[0]
        assert book.trump == 1


def test_a_hammer_makes_the_leader_play_another_card():
    book = position(DELUXE, [cards("K10 B4 M3"), cards("hammer K2 K6")], card_of("M5"), cards("B7 M8"))
    play(book, "K10")
    play(book, "hammer")
    assert book.options() == [code(HAMMER_SUIT, suit) for suit in range(3)]
    book.apply(code(HAMMER_SUIT, 0))
    assert book.deck == cards("M8 K10")
    assert (book.actor, book.visible()["table"]) == (0, [-1, card_of("hammer")])
    assert words(book.options()) == set(cards("B4 B7"))
    play(book, "B7")
    done = book.tricks_log[0]
    assert (done["winner"], done["points"]) == (1, [0, 1])  # it beats odd cards


def test_a_hammered_crown_goes_under_the_deck_too():
    book = position(DELUXE, [cards("K10 crown M4"), cards("hammer K2 K6")], card_of("M5"), cards("B7 M8 B8"))
    play(book, "K10")
    book.apply(code(CROWN_ADD, card_of("crown")))
    play(book, "hammer")
    book.apply(code(HAMMER_SUIT, 1))
    assert book.deck == cards("B8 K10 crown")
    assert words(book.options()) == set(cards("M4 B7 M8"))  # no Keys: any card
    play(book, "M4")
    assert book.tricks_log[0]["winner"] == 0  # even cards beat the Hammer
    assert len(book.hands[0]) == len(book.hands[1]) == 2


def test_a_potion_plays_one_of_two_drawn_cards():
    book = position(DELUXE, [cards("K10 K2"), cards("potion B4")], card_of("M5"), cards("M8 B8 B10"))
    play(book, "K10")
    play(book, "potion")
    assert book.options() == [code(POTION_BOTTOM, card_of("B4"))]
    book.apply(code(POTION_BOTTOM, card_of("B4")))
    assert book.deck == cards("B10 potion B4")
    assert book.visible()["seen"] == sorted(cards("M8 B8"))
    assert words(book.options(), POTION_PLAY) == set(cards("M8 B8"))
    book.apply(code(POTION_PLAY, card_of("M8")))
    assert book.tricks_log[0]["winner"] == 1
    assert book.hands[1] == cards("B8")


def test_a_potion_as_the_last_card_draws_one():
    book = position(DELUXE, [cards("K10"), cards("potion")], card_of("M5"), cards("M8 B8"))
    play(book, "K10")
    play(book, "potion")
    assert book.options() == [code(POTION_PLAY, card_of("M8"))]


def test_a_potion_works_once_in_a_trick():
    book = position(DELUXE, [cards("K10 K2"), cards("potion B4")], card_of("M5"), ())
    play(book, "K10")
    play(book, "potion")
    book.apply(code(POTION_BOTTOM, card_of("B4")))
    book.apply(code(POTION_PLAY, card_of("potion")))
    assert book.tricks_log[0]["winner"] == 0
    assert book.hands[1] == cards("B4")


def test_a_card_played_through_the_potion_uses_its_ability():
    book = position(DELUXE, [cards("potion B4"), cards("K2 K4")], card_of("M5"), cards("K3 B8"))
    play(book, "potion")
    book.apply(code(POTION_BOTTOM, card_of("B4")))
    book.apply(code(POTION_PLAY, card_of("K3")))
    assert words(book.options(), FOX_SWAP) == {card_of("B8")}
    book.apply(code(FOX_KEEP))
    assert book.actor == 1
    assert words(book.options()) == set(cards("K2 K4"))


def test_a_shovel_is_replaced_or_loses():
    dug = cards("K11 B11")
    start = ([cards("K10 K2"), cards("shovel B4")], card_of("M5"), cards("M8"))
    book = position(DELUXE, *start, last=((), dug), tricks=(0, 1))
    play(book, "K10")
    play(book, "shovel")
    assert book.options() == [code(SHOVEL_KEEP), code(SHOVEL_TAKE)]
    book.apply(code(SHOVEL_TAKE))
    played = book.tricks_log[0]["cards"][1]
    assert played in dug
    assert book.tricks_log[0]["winner"] == int(played == card_of("K11"))
    everything = {*book.last[0], *book.last[1], *book.pile[1]}
    assert everything == {*dug, *cards("K10 shovel")}

    book = position(DELUXE, *start)
    play(book, "K10")
    play(book, "shovel")
    assert book.options() == [code(SHOVEL_KEEP)]
    book.apply(code(SHOVEL_KEEP))
    assert book.tricks_log[0]["winner"] == 0


def test_a_kept_shovel_loses_to_everything():
    book = position(DELUXE, [cards("shovel K2"), cards("bow B4")], card_of("M5"), cards("M8"))
    play(book, "shovel")
    book.apply(code(SHOVEL_KEEP))
    play(book, "bow")
    assert book.tricks_log[0]["winner"] == 1
    assert book.uses["FF-D22"] == 1


def test_both_cards_of_the_last_trick_can_be_dug_up():
    dug = set()
    for deal in range(30):
        book = position(
            DELUXE,
            [cards("shovel K2"), cards("K10 B4")],
            card_of("M5"),
            cards("M8"),
            last=(cards("M2 M4"), ()),
            chance=Chance.of(1, GAME.name, deal),
        )
        play(book, "shovel")
        book.apply(code(SHOVEL_TAKE))
        dug.add(book.visible()["table"][0])
    assert dug == set(cards("M2 M4"))


def test_a_led_tree_makes_the_opponent_play_at_random():
    seen = set()
    for deal in range(40):
        book = position(
            DELUXE,
            [cards("tree K2 K6"), cards("K10 B3 M4")],
            card_of("M5"),
            cards("M8"),
            chance=Chance.of(1, GAME.name, deal),
        )
        play(book, "tree")
        if book.tricks_log:
            seen.add(book.tricks_log[0]["cards"][1])
        else:
            seen.add(card_of("B3"))
            assert words(book.options(), FOX_SWAP) == set(cards("K10 M4"))
    assert seen == set(cards("K10 B3 M4"))


def test_a_tree_that_follows_is_a_plain_unsuited_6():
    assert trick("M5", "K4", "tree", variant=DELUXE).tricks_log[0]["winner"] == 1
    assert trick("M5", "K8", "tree", variant=DELUXE).tricks_log[0]["winner"] == 0


def test_a_fairy_takes_and_gives():
    book = position(DELUXE, [cards("fairy K2 K6"), cards("K10 B8 M4")], card_of("M5"), cards("M8"))
    play(book, "fairy")
    shown = book.visible()["seen"]
    assert len(shown) == 2
    assert set(shown) < set(cards("K10 B8 M4"))
    assert book.options() == [code(FAIRY_KEEP), *(code(FAIRY_TAKE, c) for c in shown)]
    book.apply(code(FAIRY_TAKE, shown[0]))
    assert words(book.options(), FAIRY_GIVE) == {*cards("K2 K6"), shown[0]}
    book.apply(code(FAIRY_GIVE, card_of("K2")))
    assert card_of("K2") in book.hands[1]
    assert shown[0] in book.hands[0]
    assert (len(book.hands[0]), len(book.hands[1])) == (2, 3)


def test_a_fairy_against_an_empty_hand():
    book = position(DELUXE, [cards("K10"), cards("fairy")], card_of("M5"), cards("M8"))
    play(book, "K10")
    play(book, "fairy")
    assert book.options() == [code(FAIRY_KEEP)]


def test_a_crown_is_not_added_to_a_special_card():
    book = position(DELUXE, [cards("axe crown B2"), cards("K2 B4 B6")], card_of("M5"), cards("M8"))
    play(book, "axe")
    assert book.actor == 1
    crownless = position(DELUXE, [cards("K8 crown"), cards("K2 B4")], card_of("M5"), ())
    play(crownless, "K8")  # nothing could be drawn for it
    assert crownless.actor == 1


def test_an_axe_without_a_woodcutter_and_a_crowned_woodcutter():
    book = position(DELUXE, [cards("B5 crown B2"), cards("axe K2 K4")], card_of("M2"), cards("K6 K8 K10"))
    play(book, "B5")
    book.apply(code(CROWN_ADD, card_of("crown")))
    play(book, "axe")
    assert book.tricks_log[0]["winner"] == 0  # the crowned card is an 11 and no Woodcutter


# ---------------------------------------------------------------------------------------------- poison


def test_poison_takes_a_point_and_never_below_zero():
    variant = GAME.variant("poison")
    assert trick("M5", "K8", "K10", variant=variant, scores=(0, 5)).scores == [0, 4]
    assert trick("M5", "K8", "K10", variant=variant, scores=(5, 0)).scores == [5, 0]
    assert trick("M5", "K8", "M8", variant=variant, scores=(0, 5), void="void").scores == [0, 3]
    assert trick("M5", "K8", "K10", scores=(0, 5)).scores == [0, 5]


def test_r16_the_order_of_treasure_and_poison():
    assert trick("M5", "K7", "K8", variant=GAME.variant("poison")).scores == [0, 0]
    other = GAME.variant("poison", ["poison_order=lose_first"])
    assert trick("M5", "K7", "K8", variant=other).scores == [0, 1]


# ---------------------------------------------------------------------------------------------- round and game


def last_trick(winner, tricks, scores=(0, 0), treasures=(0, 0), lead="K2", variant=BASE_GAME, **more):
    """Play the last trick of a round, won by `winner`, and return the game after it."""
    hands = [[card_of(lead)], cards("K10")] if winner else [cards("K10"), [card_of(lead)]]
    book = position(
        variant, hands, card_of("M5"), cards("B2 B4"), scores=scores, tricks=tricks, treasures=treasures, **more
    )
    while not book.round_outcomes:
        book.apply(book.options()[0])
    return book


def test_g1_greedy_keeps_treasures():
    book = last_trick(1, (3, 9), scores=(0, 1), treasures=(0, 1), lead="K7")
    assert book.round_outcomes[0]["points"] == [6, 2]
    assert book.round_outcomes[0]["result"] == [0, 3]


def test_g2_six_tricks_with_three_treasures_against_seven():
    book = last_trick(1, (6, 6), scores=(3, 0), treasures=(3, 0))
    assert book.round_outcomes[0]["points"] == [6, 6]


@pytest.mark.parametrize(("winner", "tricks", "points"), [(0, (12, 0), [0, 6]), (1, (0, 12), [6, 0])])
def test_g3_all_tricks(winner, tricks, points):
    assert last_trick(winner, tricks).round_outcomes[0]["points"] == points


def test_the_band_table():
    points = [6, 6, 6, 6, 1, 2, 3, 6, 6, 6, 0, 0, 0, 0]
    for mine in range(13):
        row = last_trick(0, (mine, 12 - mine)).round_outcomes[0]
        assert row["tricks"] == [mine + 1, 12 - mine]
        assert row["band"] == [points[mine + 1], points[12 - mine]]
        assert row["result"] == [sum(mine + 1 > top for top in (3, 6, 9)), sum(12 - mine > top for top in (3, 6, 9))]


def test_g4_a_round_is_finished_after_the_target():
    book = position(
        BASE_GAME, [cards("K10 K2"), cards("K7 B4")], card_of("M5"), cards("B2"), scores=(20, 12), tricks=(5, 6)
    )
    play(book, "K10")
    play(book, "K7")
    assert book.scores == [21, 12]
    assert not book.over
    while not book.over:
        book.apply(book.options()[0])
    assert book.uses["FF-B13"] == 1
    assert len(book.round_outcomes) == 1


def test_g6_the_last_round_breaks_a_tie():
    book = last_trick(0, (6, 6), scores=(17, 20))
    assert book.scores == [23, 23]
    assert book.over
    assert book.outcome()["share"] == [WHOLE, 0]
    assert book.outcome()["tiebreak"] == [1, 1]
    assert (
        last_trick(0, (6, 6), scores=(17, 20), variant=BASE_GAME.changed(tie_break="draw")).shares == [WHOLE // 2] * 2
    )


def test_the_columns_of_a_round():
    start = ([cards("K10 K2 B6 B8 M2"), cards("K4 B2 B4 M4 M6")], card_of("M5"), cards("B10"))
    book = position(BASE_GAME.changed(max_rounds=1), *start, scores=(5, 4), tricks=(3, 5), leader=0, treasures=(1, 0))
    for word in ("K10", "K4", "B6", "B2", "B8", "B4", "K2", "M4", "M6", "M2"):
        play(book, word)
    row = book.round_outcomes[0]
    assert row["tricks"] == [6, 7]
    assert row["points"] == [4, 6]
    assert row["score"] == [8, 10]
    assert row["ahead"] == [0, 0]  # 4-4 before this round
    assert row["starter"] == [1, 0]
    assert row["course"] == [1, 1]  # of the tricks up to the ninth it saw one


@pytest.mark.parametrize(("early", "ended", "course", "missed"), [(3, 3, 1, 0), (3, 4, 1, 1), (4, 4, 0, 0)])
def test_the_humble_course(early, ended, course, missed):
    for deal in range(4000):
        book = random_game(BASE_GAME, deal)
        for number, row in enumerate(book.round_outcomes):
            won = [t["winner"] for t in book.tricks_log if t["round"] == number]
            if won[:9].count(0) == early and won.count(0) == ended:
                assert (row["course"][0], row["course_missed"][0]) == (course, missed)
                return
    pytest.fail("no such round in 4,000 games")


def test_who_is_ahead_before_a_round():
    for deal in range(30):
        book = random_game(BASE_GAME, deal)
        before = [0, 0]
        changes, ahead = 0, None
        for row in book.round_outcomes:
            assert row["ahead"] == [int(before[0] > before[1]), int(before[1] > before[0])]
            before = row["score"]
            if before[0] != before[1]:
                now = before[1] > before[0]
                changes += ahead is not None and now != ahead
                ahead = now
        assert book.outcome()["lead_changes"] == [changes] * 2


def test_a_fixed_dealer():
    book = last_trick(0, (6, 6), variant=BASE_GAME.changed(dealer="fixed"))
    assert (book.round, book.leader) == (1, 0)


def test_g8_another_round_with_the_other_dealer():
    book = last_trick(0, (6, 6), scores=(14, 17))
    assert book.scores == [20, 20]
    assert not book.over
    assert (book.round, book.leader, book.actor) == (1, 1, 1)


def test_equal_totals_and_equal_last_rounds():
    book = last_trick(1, (6, 6), scores=(18, 15), treasures=(3, 0))
    assert book.scores == [21, 21]
    assert book.over
    assert book.outcome()["share"] == [WHOLE // 2, WHOLE // 2]
    assert book.outcome()["end"] == [3, 3]
    again = last_trick(
        1, (6, 6), scores=(18, 15), treasures=(3, 0), variant=BASE_GAME.changed(still_tied="another_round")
    )
    assert not again.over
    assert again.round == 1


def test_a_game_that_reaches_its_limit_of_rounds_is_a_draw():
    book = last_trick(0, (6, 6), scores=(3, 0), variant=BASE_GAME.changed(max_rounds=1))
    assert book.over
    assert (book.outcome()["end"], book.outcome()["share"]) == ([4, 4], [WHOLE // 2] * 2)


def test_r12_a_swan_in_the_last_trick_does_nothing():
    book = position(BASE_GAME, [cards("K1"), cards("K2")], card_of("M5"), cards("B2"), tricks=(6, 6))
    play(book, "K1")
    play(book, "K2")
    assert book.tricks_log[0]["next_leader"] == 1
    assert book.counts[0]["swan"] == 0
    assert (book.round, book.leader) == (1, 1)


def test_pc21_a_recorded_beginning():
    suits = str.maketrans("shc", "BKM")

    def theirs(text):
        return [card_of((word[-1] + word[:-1]).translate(suits)) for word in text.split()]

    book = position(
        BASE_GAME,
        [theirs("3h 7s 11h 9c 6c 1c 8h 6s 6h 2h 10h 11s 8s"), theirs("1s 10c 5c 9s 3s 2c 1h 4c 8c 7h 2s 10s 7c")],
        *theirs("4s"),
        theirs("3c 5s 4h 11c 5h 9h"),
        leader=1,
    )
    leaders = []
    for kind, word in (
        (PLAY, "1s"), (PLAY, "6s"), (PLAY, "8c"), (PLAY, "6c"), (PLAY, "5c"), (BOTTOM, "10c"), (PLAY, "1c"),
        (PLAY, "3h"), (FOX_SWAP, "11h"), (PLAY, "1h"),
    ):  # fmt: skip
        book.apply(code(kind, *theirs(word)))
    leaders = [t["leader"] for t in book.tricks_log] + [book.leader]
    assert leaders == [1, 1, 1, 0, 1]
    assert book.tricks == [2, 2]
    assert book.decree == theirs("11h")[0]
    assert theirs("4s")[0] in book.hands[0]
    assert book.deck == theirs("5s 4h 11c 5h 9h 10c")


# ---------------------------------------------------------------------------------------------- abilities off


def test_without_an_ability_the_card_keeps_rank_and_suit():
    assert trick("M5", "K1", "K2", seats=seats_without(["swan"])).leader == 1
    assert trick("M5", "K9", "K10", seats=seats_without(["witch"])).tricks_log[0]["winner"] == 1
    assert trick("M5", "K7", "K2", seats=seats_without(["treasure"])).scores == [0, 0]
    assert trick("M5", "K2", "K7", seats=seats_without(["treasure"])).scores == [0, 1]
    for word in ("K3", "K5"):
        book = position(
            BASE_GAME,
            [cards(f"{word} B2"), cards("K2 B4")],
            card_of("M5"),
            cards("M2"),
            seats=seats_without(["fox", "woodcutter"]),
        )
        play(book, word)
        assert (book.actor, book.deck) == (1, cards("M2"))


def test_a_plain_9_is_not_a_second_witch():
    book = trick("M5", "B9", "K9", void="void", seats=seats_without(["witch"]))
    assert book.tricks_log[0]["winner"] == 1


def test_a_monarch_without_its_ability_does_not_restrict():
    book = position(
        BASE_GAME, [cards("K11 B2"), cards("K2 K4")], card_of("M5"), cards("M2"), seats=seats_without(["monarch"])
    )
    play(book, "K11")
    assert words(book.options()) == set(cards("K2 K4"))


@pytest.mark.parametrize(
    ("key", "lead", "winner"),
    [
        ("bow", "M11", 0),
        ("mirror", "K2", 0),
        ("hammer", "K7", 0),
        ("potion", "K2", 0),
        ("shovel", "K2", 0),
        ("axe", "K2", 1),
    ],
)
def test_special_cards_without_their_abilities(key, lead, winner):
    book = trick("M5", lead, key, variant=DELUXE, seats=seats_without([key], seat=1))
    assert book.tricks_log[0]["winner"] == winner
    assert book.uses["FF-O1"] == 1


def test_a_crown_without_its_ability_is_never_added():
    book = position(
        DELUXE, [cards("K8 B2"), cards("crown K5")], card_of("M2"), cards("B6 B8"), seats=seats_without(["crown"], 1)
    )
    play(book, "K8")
    play(book, "K5")
    assert words(book.options(), BOTTOM)  # straight to the Woodcutter


# ---------------------------------------------------------------------------------------------- what is refused


def test_refusals_name_the_rule():
    book = position(BASE_GAME, [cards("K4 K6"), cards("K2 M1")], card_of("M5"), cards("M6"))
    with pytest.raises(IllegalMoveError, match="FF-B5"):
        play(book, "B2")
    play(book, "K4")
    with pytest.raises(IllegalMoveError, match="FF-B6"):
        play(book, "M1")
    with pytest.raises(IllegalMoveError, match="FF-B6"):
        book.apply(code(FOX_KEEP))
    monarch = position(BASE_GAME, [cards("K11 K6"), cards("K2 K4")], card_of("M5"), cards("M6"))
    play(monarch, "K11")
    with pytest.raises(IllegalMoveError, match="FF-B25"):
        play(monarch, "K2")


def test_settings_that_cannot_be():
    with pytest.raises(UsageError, match="did you mean bow"):
        GAME.variant(None, ["specials=bo"])
    with pytest.raises(UsageError, match="target"):
        GAME.variant(None, ["target=0"])
    with pytest.raises(UsageError, match="fox"):
        GAME.ability_mask(["Foxx"])
    with pytest.raises(UsageError, match="exactly 2"):
        GAME.check_variant(BASE_GAME, 3)
    with pytest.raises(UsageError, match="22 cards"):
        GAME.check_variant(GAME.variant(None, ["suits=2"]), 2)
    GAME.check_variant(GAME.variant(None, ["suits=2", "hand_size=10"]), 2)
    with pytest.raises(UsageError, match="nobody"):
        GAME.check_variant(GAME.variant(None, ["treasure=0", "bands=0,0,0,0,0,0,0,0,0,0,0,0,0,0"]), 2)


def test_specials_of():
    assert specials_of("none") == (0, ())
    assert specials_of("random2") == specials_of("random:2") == (2, ())
    assert specials_of("mirror, bow") == (0, (33, 34))
    assert len(specials_of("all")[1]) == 9


# ---------------------------------------------------------------------------------------------- always true


def random_game(variant, deal, seats=None, check=None):
    book = Rulebook(variant, seats or default_seats(), Chance.of(1, GAME.name, deal))
    picks = random.Random(deal)
    while not book.over:
        options = book.options()
        assert options == sorted(set(options))
        assert options
        if check is not None:
            check(book)
        book.apply(picks.choice(options))
    return book


def all_cards(book):
    """Return every card of the round, wherever it is."""
    seen = book.visible()
    aside = seen["seen"] if words(book.options(), POTION_PLAY) else []
    table = [c for c in seen["table"] + seen["crowns"] if c >= 0]
    return sorted(
        [*seen["hands"][0], *seen["hands"][1], *seen["deck"], seen["decree"], *table, *aside]
        + [c for place in (*seen["last"], *book.pile) for c in place]
    )


@pytest.mark.parametrize("settings", STRESS)
def test_cards_are_conserved_and_hands_stay_equal(settings):
    variant = GAME.variant(None, settings)
    present = None

    def check(book):
        nonlocal present
        now = all_cards(book)
        assert len(now) == len(set(now))
        if present is not None:
            assert now == present
        present = now
        if book.visible()["table"] == [-1, -1] and not book.seen:  # a Potion's cards lie aside
            assert len(book.hands[0]) == len(book.hands[1])

    for deal in range(25):
        present = None
        book = random_game(variant, deal, check=check)
        for row in book.round_outcomes:
            assert sum(row["tricks"]) == variant["hand_size"]
            assert sum(row["starter"]) == sum(row["first_trick"]) == 1
        assert sum(book.outcome()["share"]) == WHOLE


def test_base_rounds():
    for deal in range(120):
        book = random_game(
            BASE_GAME, deal, check=lambda b: None if b.visible()["table"] != [-1, -1] else deck_of_six(b)
        )
        for number, row in enumerate(book.round_outcomes):
            assert sorted(row["band"])[1] == 6
            assert 6 <= sum(row["band"]) <= 9
            assert sum(row["treasure_points"]) <= 3
            assert row["starter"][number % 2] == 1
            assert row["points"] == [b + t for b, t in zip(row["band"], row["treasure_points"])]
        done = book.outcome()
        assert max(done["points"]) >= 21
        assert done["points"] == [a + b for a, b in zip(done["band_points"], done["treasure_points"])]
        assert done["turns"][0] == 13 * done["rounds"][0]
        assert done["rounds"][0] >= 3
        assert done["n_treasure"] == done["treasure_points"]


def deck_of_six(book):
    assert len(book.deck) == 6


def test_every_rule_decides_something_often():
    uses = Counter()
    for settings in STRESS:
        variant = GAME.variant(None, settings)
        for deal in range(120):
            off = GAME.ability_mask([ABILITIES[deal % len(ABILITIES)].key]) if deal % 3 == 0 else 0
            seats = [SimpleNamespace(side=0, packet=p, off=off * p) for p in (0, 1)]
            uses += random_game(variant, deal, seats).uses
    assert {rule: uses[rule] for rule in RULES if uses[rule] < 20} == {}
    assert set(uses) <= set(RULES)


def test_every_field_reading_and_kind_is_known():
    for item in (*GAME.fields, *GAME.readings):
        assert item.rule in RULES, item
    for reading in GAME.readings:
        for _, change in reading.others:
            assert set(change) <= {f.key for f in GAME.fields}
            assert all(GAME.default[key] != value for key, value in change.items())
    assert [d.kind for d in DECISIONS] == list(range(1, len(DECISIONS) + 1))
    assert len({describe(c) for c in range(CARDS)}) == CARDS
    for name in GAME.variant_names:
        GAME.check_variant(GAME.variant(name), 2)


def test_the_tables_name_columns_that_exist():
    book = random_game(BASE_GAME, 0)
    there = {"games": {"seat", *book.outcome()}, "rounds": {"seat", *book.round_outcomes[0]}}
    for table in GAME.tables:
        assert set(table.by) <= there[table.source]
        assert not table.where or table.where in there[table.source]
        for measure in table.measures:
            named = {*measure.value.split("*"), *measure.over.split("*")} - {"1"}
            assert named <= there[table.source], measure


# ---------------------------------------------------------------------------------------------- symmetry and pairing


def relabelled(card, suits):
    return suits[card // RANKS] * RANKS + card % RANKS if card < BASE else card


@pytest.mark.parametrize("suits", [(1, 0, 2), (2, 0, 1)])
def test_relabelling_the_suits_changes_nothing_else(suits):
    for deal in range(40):
        first = Chance.of(3, GAME.name, deal)
        orders = {
            (r, DECK, None, 0): [relabelled(c, suits) for c in first.stream(r, DECK).permutation(CARDS)]
            for r in range(40)
        }
        one = Rulebook(BASE_GAME, default_seats(), first)
        two = Rulebook(BASE_GAME, default_seats(), RiggedChance(first.key, orders))
        picks = random.Random(deal)
        while not one.over:
            chosen = picks.choice(one.options())
            kind, card, _ = split(chosen)
            one.apply(chosen)
            two.apply(code(kind, 0 if kind == FOX_KEEP else relabelled(card, suits)))
        assert two.over
        assert one.outcome() == two.outcome()
        assert one.round_outcomes == two.round_outcomes


def test_swapping_the_seats_swaps_the_result():
    for deal in range(60):
        order = Chance.of(4, GAME.name, deal).stream(0, DECK).permutation(BASE)
        hands, decree, deck = (order[:13], order[13:26]), order[26], order[27:]
        variant = BASE_GAME.changed(max_rounds=1)
        one = position(variant, hands, decree, deck, leader=0)
        two = position(variant, hands[::-1], decree, deck, leader=1)
        picks = random.Random(deal)
        while not one.over:
            assert one.options() == two.options()
            chosen = picks.choice(one.options())
            one.apply(chosen)
            two.apply(chosen)
        assert one.round_outcomes == [{k: v[::-1] for k, v in row.items()} for row in two.round_outcomes]


def test_a_packet_keeps_its_cards_in_the_other_seat():
    chance = Chance.of(5, GAME.name, 0)
    crossed = [SimpleNamespace(side=0, packet=1 - s, off=0) for s in (0, 1)]
    one, two = Rulebook(BASE_GAME, default_seats(), chance), Rulebook(BASE_GAME, crossed, chance)
    assert one.hands == two.hands[::-1]
    assert (one.decree, one.deck) == (two.decree, two.deck)


def test_special_cards_leave_the_order_of_the_others():
    chance = Chance.of(5, GAME.name, 1)
    plain = Rulebook(BASE_GAME, default_seats(), chance)
    order = [c for c in chance.stream(0, DECK).permutation(CARDS) if c < BASE]
    assert plain.hands[0] == sorted(order[0:26:2])
    assert plain.hands[1] == sorted(order[1:26:2])
    assert [plain.decree, *plain.deck] == order[26:]
    deluxe = Rulebook(GAME.variant("deluxe"), default_seats(), chance)
    assert len(deluxe.specials) == 2
    assert len(deluxe.deck) == 8


def test_the_poison_variant_deals_the_same_cards():
    chance = Chance.of(5, GAME.name, 2)
    assert (
        Rulebook(GAME.variant("poison"), default_seats(), chance).hands
        == Rulebook(BASE_GAME, default_seats(), chance).hands
    )


def test_a_story_is_told():
    book = random_game(DELUXE, 3)
    assert book.story[0].startswith("Special cards of this game")
    assert "(FF-B15)" in book.story[-1]
    assert all(line.endswith(".") for line in book.story)
