"""The decisions of Elestrals: kind numbers, what the two arguments of a code mean, and the places they name.

Places are seen from the seat that decides: 0 to 3 the own Elestral Row, 4 to 7 the own Rune Row, 8 the own Stadium
slot, 9 to 17 the same of the other player. Cards outside the field are named by their number (`cards.Card.number`), so
that two copies in a hand are one option; the copy with the lowest instance number is meant.
"""

from __future__ import annotations

from sim.facts import Decision
from sim.game import code

ROW, RUNES, STADIUM, PLACES = 0, 4, 8, 9  # first place of each part of a player's field, and their number
SPIRIT_DECK = 31  # the target of a direct attack
PAY_DECK, PAY_FIELD, PAY_UNDERWORLD = 0, 1, 19  # places of Spirits: the Spirit Deck, place + 1, the Underworld

HAND, DECK, UNDERWORLD, SHOWN, THEIR_UNDERWORLD = range(5)  # where a card outside the field is
ATTACK_POSITION, DEFENCE_POSITION = 0, 1

FIRST = 1
MULLIGAN = 2
CAST = 3
ASCEND = 4
ENCHANT = 5
DRAW = 6
SET = 7
RUNE = 8
CAST_SET = 9
USE = 10
ROUTE = 11
TURN = 12
NEXT = 13
ATTACK = 14
POSITION = 15
PAY = 16
DONOR = 17
TARGET = 18
SEARCH = 19
DISCARD = 20
PUT_BACK = 21
TAKE = 22
NEXUS_FROM = 23
NEXUS_TO = 24
ANSWER = 25
TRIGGER = 26
YES = 27
CHOICE = 28
GIVE_UP = 29
HOST = 30
AMOUNT = 31

DONE = code(0)  # pass, decline, no more: always the smallest code

DECISIONS = (
    Decision(0, "done", note="pass, decline, no more"),
    Decision(FIRST, "first", "1: I start, 0: the other player starts"),
    Decision(MULLIGAN, "mulligan"),
    Decision(CAST, "normal cast", "card in hand"),
    Decision(ASCEND, "normal ascend", "card in hand", "place of the body that ascends"),
    Decision(ENCHANT, "normal enchant", "place of the Elestral", note="the Spirit is a `pay`"),
    Decision(DRAW, "expend to draw", note="the Spirit is a `pay`"),
    Decision(SET, "set", "card in hand"),
    Decision(RUNE, "cast a Rune from hand", "card in hand"),
    Decision(CAST_SET, "cast a Set Rune", "its place", note="also how a Counter answers or starts a chain"),
    Decision(USE, "use an ability", "place", "ability of the card"),
    Decision(ROUTE, "special route", "card in hand", "ability of the card"),
    Decision(TURN, "change position", "place"),
    Decision(NEXT, "next phase", note="ends the Main Phase"),
    Decision(ATTACK, "attack", "place of the attacker", f"place of the defender, {SPIRIT_DECK} the Spirit Deck"),
    Decision(POSITION, "position", "0 Attack, 1 Defence"),
    Decision(
        PAY,
        "spirit",
        f"{PAY_DECK} the Spirit Deck, place + {PAY_FIELD} a card, {PAY_UNDERWORLD} the Underworld",
        "element",
        note="one Spirit to pay, lose, move or take back",
    ),
    Decision(DONOR, "donor", "place", "element", note="one more Spirit for an Ascend"),
    Decision(TARGET, "target", "place"),
    Decision(SEARCH, "card", "card", "0 hand, 1 deck, 2 Underworld, 3 shown cards, 4 the other Underworld"),
    Decision(DISCARD, "discard", "card"),
    Decision(PUT_BACK, "put back", "card"),
    Decision(TAKE, "take", "card", note="one of the cards that are looked at"),
    Decision(NEXUS_FROM, "nexus from", "place"),
    Decision(NEXUS_TO, "nexus to", "place"),
    Decision(ANSWER, "answer", "place", "ability of the card", note="a conditional effect in the same chain"),
    Decision(TRIGGER, "trigger", "card", "ability of the card + 4 times the number of its earlier twins that wait"),
    Decision(YES, "yes", note="an optional step is taken"),
    Decision(CHOICE, "choice", "0 the first thing, 1 the second"),
    Decision(GIVE_UP, "give up", "place of the own Rune that makes room"),
    Decision(HOST, "host", "place of the Elestral that an Artifact Empowers"),
    Decision(AMOUNT, "amount", "number"),
)
