"""Alakablast: hidden hands, clues and duels for gems. The facts of the game.

What follows fixes everything that the rulebook and the fast engine must agree on.

**Cards.** Elements: Water 0, Fire 1, Plant 2, Light 3, Shadow 4; element `e` below 3 beats `(e + 1) % 3`. A card is a
*place* in the superset of `PLACES` = 61: places `OFFSETS[e] + i` hold the `i`-th number of the element's level list
(`level_lists`), so that every set of cards fits a 63-bit mask; places beyond the end of a list are left out. Levels
are 1 to 15. With ``special_level = "none"`` a Light card counts as level 16 and a Shadow card as level 0 in a level
duel, and neither is ever touched by a level clue.

**Chance.** `stream(round, purpose, packet or None, index)`:

* the deck is `stream(0, DECK, None, 0).permutation(61)` with the unused places skipped. With `n` seats and a deal of
  `a` private and `b` public cards (`deal_of`), card `k` (from 0) of packet `p` is `deck[k * n + p]`; cards 0..a-1 lie
  in slots 0..a-1 as private cards, the next `b` in slots a..a+b-1 as public ones. Then `setup_discard` cards go to
  the discard pile, the rest is the stock, first card on top;
* when a card must be drawn and the stock is empty (``stock_out = "reshuffle"``), reshuffle number k = 1, 2, ... is
  `stream(0, RESHUFFLE, None, k).permutation(61)` with the places skipped that do not lie in the discard pile;
* forgetting: at the start of a seat's own turn number `t`, before it decides, from `stream(t, FORGET, packet, 0)`,
  for each slot with a public card that was not told to be special: if the remembered element is right and `uniform(2
  * slot) < forget_prob` it becomes `(true + 1 + below(32 + 2 * slot, 2)) % 3`; if the remembered level is right and
  `uniform(2 * slot + 1) < forget_prob` it becomes `others[below(33 + 2 * slot, len(others))]`, `others` being the
  other levels in the deck, ascending (no change if there are none);
* ``informant = "random"``: `1 + stream(t, INFORMANT, None, 0).below(0, n - 1)` seats to the left of the asker.

**A hand** has `slots_of(variant, seats)` numbered slots. A card never moves; a played card leaves its slot empty; a
drawn card goes to the empty slot with the lowest number, until the hand counts `hand_size` cards. A card is private
(only its holder sees it) or public (all others see it).

**Memory** of the holder, one per public card: element (-1 or 0..2), level (0 or 1..15), special (0 open, 1 special, 2
basic), and what is ruled out: not_element (bit e), not_level (bit v). A card drawn starts with an empty memory.
Telling feature f of the card in slot j to its holder:

* element e: every public card of element e gets element = e, special = 2; every other public card gets bit e in
  not_element, and a remembered e there is wiped (-1);
* level v: the card of slot j gets level = v, special = 2. Another public card of level v gets level = v if it is
  basic (special = 2 then only if ``touch_specials`` is false) or if ``touch_specials`` is true. Every other public
  card gets bit v in not_level and a remembered v there is wiped (0). If ``touch_specials`` is false, a bit in
  not_level rules out only basic cards of that level;
* special: the card of slot j gets special = 1. If ``special_clue_touches`` every other public Light or Shadow card
  gets special = 1 and every other public card special = 2; otherwise the others are left alone.

**Known.** An element or level is known if it is remembered. With ``known = "deducible"`` also if all candidates agree
on it (a basic element; a level above 0), and a card counts as told special if all candidates are special. Candidates
of an own public card: cards of the deck that are not discarded, not private in the own hand, not public in another
hand, and fit the memory of that card; no candidate at all: nothing is deduced. Askable: public, not known to be
special, and not both features known. What may be told of a card: Light and Shadow: "special" only ("nothing" if
remembered as special); otherwise, if neither feature is known, either one; else every unknown feature and every known
one that is wrong, and "nothing" if that is empty. "Nothing" needs ``allow_null_ask``, under which every own public
card may be asked about on one's turn; a clue of a challenge always needs an askable card.

**Steps.** Every step below is a decision even if it has one option; the pending step is one of the STEP_ numbers. A
turn (numbered from 1; seat 0 takes turn 1, then always the next seat to the left, seat + 1): forgetting, then
`STEP_TURN`. A challenge needs a card in both hands; with ``no_repeat_target`` the target of one's own challenge
before is barred if another one can be challenged.

* ask: [`STEP_INFORMANT`, only if ``informant = "chosen"``: the asker] -> `STEP_TELL`: the informant. Committee: of
  the other seats the one with the most gems speaks for all, of several the one first to the left of the asker.
* challenge: [clue: only if the challenged seat has an askable card and its forced clue is on: `STEP_CLUE_CARD` by
  ``clue_card_by``, `STEP_CLUE_TELL` by the challenger] -> [`STEP_TYPE` by the challenger, only if
  ``clue_before_type``] -> `STEP_FIRST`: the challenger's card, kept in `hid` -> `STEP_SECOND`: the challenged
  player's card; both are shown and discarded. A tie: (with ``redraw_in_tie`` both draw up, challenger first, private
  and public in turn) next round of the chain from `STEP_FIRST`; but if a hand is empty, or the chain has had 20
  rounds, the chain ends without a winner: both hands empty or ``short_hand_tie = "end"`` or 20 rounds: the game ends
  as all_win; ``no_gem``: nobody gets a gem.
* end of a duel: gems `stakes[min(r, len) - 1]` for the winner in round r; the round row; at the target the game is
  over, before any card is drawn. Otherwise both draw up, winner first (``draw_first``), the winner's by
  ``redraw_winner``, the loser's by ``redraw_loser``; without a winner the challenger first, both private and public
  in turn. "In turn" starts with private at each redraw. With ``stock_out = "game_ends"`` the first card that cannot
  be drawn ends the game (in a tie chain: no row for the unfinished duel), with ``play_short`` drawing just stops.
* A seat with nothing to choose at `STEP_TURN` ends the game (only with ``play_short``, or without asking). A game
  that ends so, or by ``game_ends``, is won by the most gems: `won`, or `tie` with equal shares.
* After turn number ``max_turns`` the game is capped, 1/n each. The target is looked at first.

**visible()** is, at a decision: ``turn``, ``step`` (STEP_), ``actor``, ``gems`` [seat], ``stock`` (how many),
``discards`` (places, ascending), ``hands`` [seat][slot] of tuples (place, public, element, level, special, not_element,
not_level), where a private card has (place, 0, -1, 0, 0, 0, 0) and an empty slot (-1, 0, -1, 0, 0, 0, 0). All are plain
ints, lists and tuples; nothing is said of a card chosen but not yet shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from sim.facts import (
    Ability,
    Decision,
    Design,
    Lever,
    Measure,
    Question,
    Reading,
    Side,
    Standing,
    TableSpec,
    Tier,
)
from sim.game import Engine, Game, Rulebook
from sim.games.alakablast.numbers import (
    ASK,
    CHALLENGE,
    CLUE_CARD,
    DECK_KEYS,
    ELEMENTS,
    LEVEL_MAX,
    NAME,
    OFFSETS,
    PLAY,
    PRESETS,
    SLOT_MAX,
    TELL,
    TYPE,
    level_lists,
    slots_of,
)
from sim.variant import Field, Variant

LOW_TO_HIGH = tuple(range(1, 14))
DEFAULT_LISTS = (LOW_TO_HIGH, LOW_TO_HIGH, LOW_TO_HIGH, (1, 2, 3, 4, 5), (9, 10, 11, 12, 13))


def _list_check(most: int) -> Callable[[Any], str | None]:
    def check(levels: tuple[int, ...]) -> str | None:
        return None if len(levels) <= most else f"at most {most} cards of this element are possible."

    return check


def _deal_check(deal: tuple[int, int]) -> str | None:
    return None if 1 <= sum(deal) <= SLOT_MAX else f"a hand starts with 1 to {SLOT_MAX} cards, not {sum(deal)}."


def _stakes_check(stakes: tuple[int, ...]) -> str | None:
    return None if 1 <= len(stakes) <= 8 else "one number for each round of a tie chain, 1 to 8 of them."


FIELDS = (
    Field(
        "levels",
        "listed",
        "Which levels the cards have: the lists of [deck] below, or a ready-made set, 1 to 9 or 1 to 5",
        choices=("listed", *PRESETS),
        rule="AL-02",
    ),
    Field("hand_size", 4, "Cards that both contestants draw up to after a duel", low=1, high=SLOT_MAX, rule="AL-28"),
    Field(
        "deal",
        (2, 2),
        "Opening hand with 3 to 5 players: cards seen only by the holder, cards seen only by the others",
        low=0,
        high=SLOT_MAX,
        length=2,
        rule="AL-04",
        check=_deal_check,
    ),
    Field(
        "deal_two",
        (2, 2),
        "The same with 2 players; one page gives one of the two groups a third card",
        low=0,
        high=SLOT_MAX,
        length=2,
        rule="AL-04",
        check=_deal_check,
    ),
    Field(
        "setup_discard",
        (10, 6, 0, 0),
        "Cards laid face up on the discard pile before the game, with 2, 3, 4, 5 players",
        low=0,
        high=40,
        length=4,
        rule="AL-05",
    ),
    Field(
        "target",
        (7, 6, 5, 4),
        "Gems that win the game, with 2, 3, 4, 5 players",
        low=1,
        high=40,
        length=4,
        rule="AL-07",
    ),
    Field("supply", 20, "Gems in the box", low=1, high=200, rule="AL-32"),
    Field("allow_ask", True, "May a turn be spent on asking?", rule="AL-08"),
    Field("allow_null_ask", False, "May one ask about a card of which nothing is left to tell?", rule="AL-09"),
    Field(
        "informant",
        "committee",
        "Who answers an ask: the others, for whom the one with the most gems speaks; one that the asker names; "
        "the next to the left; one at random",
        choices=("committee", "chosen", "next", "random"),
        rule="AL-10",
    ),
    Field(
        "known",
        "told",
        "What counts as known: what was told, or also what can be worked out by counting cards",
        choices=("told", "deducible"),
        rule="AL-12",
    ),
    Field(
        "touch_specials", True, "Does a level clue also point at Light and Shadow cards of that level?", rule="AL-14"
    ),
    Field("special_clue_touches", True, "Does the clue 'special' also point at the other special cards?", rule="AL-14"),
    Field(
        "special_level",
        "number",
        "Light and Shadow have a level like other cards, or none: Light wins and Shadow loses every level duel",
        choices=("number", "none"),
        rule="AL-03",
    ),
    Field(
        "forget_prob",
        0.0,
        "Chance that a player misremembers a told feature, for each feature and own turn",
        low=0.0,
        high=1.0,
        rule="AL-16",
    ),
    Field(
        "no_repeat_target",
        False,
        "Must a challenge go to another player than one's own challenge before (no effect with 2 players)?",
        rule="AL-17",
    ),
    Field("clue_before_type", False, "Is the clue given before element or level is said?", rule="AL-18"),
    Field(
        "clue_card_by",
        "challenged",
        "Who picks the card that the clue is about",
        choices=("challenged", "challenger"),
        rule="AL-19",
    ),
    Field(
        "light_vs_shadow",
        "light",
        "Who wins Light against Shadow in an element duel",
        choices=("light", "shadow", "tie"),
        rule="AL-22",
    ),
    Field("redraw_in_tie", False, "Do both draw up after each tie, before the next round?", rule="AL-24"),
    Field(
        "stakes",
        (1, 2, 3, 4),
        "Gems for winning in round 1, 2, ... of a duel; the last number stands for all later rounds",
        low=1,
        high=20,
        rule="AL-25",
        check=_stakes_check,
    ),
    Field(
        "all_tie_worth",
        "split",
        "What players think the ending with all hand cards tied is worth to them: 1/n, a win, or nothing",
        choices=("split", "win", "none"),
        rule="AL-26",
    ),
    Field(
        "short_hand_tie",
        "end",
        "Only one of two tied players has no card left: the game ends, or nobody gets a gem",
        choices=("end", "no_gem"),
        rule="AL-27",
    ),
    Field(
        "redraw_winner",
        "public",
        "How the winner of a duel takes new cards",
        choices=("public", "private", "in_turn"),
        rule="AL-28",
    ),
    Field(
        "redraw_loser",
        "private",
        "How the loser of a duel takes new cards",
        choices=("public", "private", "in_turn"),
        rule="AL-28",
    ),
    Field("draw_first", "winner", "Who draws first after a duel", choices=("winner", "loser"), rule="AL-28"),
    Field(
        "stock_out",
        "reshuffle",
        "The stock is empty: shuffle the discards, play on with short hands, or end the game (most gems win)",
        choices=("reshuffle", "play_short", "game_ends"),
        rule="AL-30",
    ),
    Field("max_turns", 400, "Turns after which a game is stopped and shared equally", low=1, high=2000, rule="AL-09"),
    *(
        Field(
            key,
            levels,
            f"Levels of the {name} cards, one number per card"
            if i
            else "Levels of the Water cards, one number per card; no public page states the printed ones",
            low=1,
            high=LEVEL_MAX,
            rule="AL-01",
            check=_list_check(OFFSETS[i + 1] - OFFSETS[i]),
        )
        for i, (key, name, levels) in enumerate(zip(DECK_KEYS, ELEMENTS, DEFAULT_LISTS))
    ),
)

ABILITIES = (
    Ability(
        "light",
        "Light",
        "A Light card wins an element duel against everything but Light.",
        "The player's own Light cards tie with every element; they keep their level.",
    ),
    Ability(
        "shadow",
        "Shadow",
        "A Shadow card loses an element duel against everything but Shadow.",
        "The player's own Shadow cards tie with every element; they keep their level.",
    ),
    Ability(
        "forced_clue",
        "Forced clue",
        "A player who is challenged is first told a feature of a hidden card by the challenger.",
        "The player gets no clue when challenged.",
    ),
    Ability(
        "growing_stakes",
        "Growing stakes",
        "A duel won after ties is worth more gems, one more for each tie.",
        "Every duel that the player wins is worth the first stake only.",
    ),
    Ability(
        "redraw_orientation",
        "Redraw orientation",
        "After a duel the winner's new cards are seen only by the others, the loser's only by the loser.",
        "The player takes new cards private and public in turn, private first, after a win as after a loss.",
    ),
)

READINGS = (
    Reading(
        "AL-14",
        "Other cards that share a told feature must be told too, special cards included: does a level clue point at "
        "special cards of that level, though a special card's features may never be told?",
        "It does, without saying that they are special; the clue 'special' points at all special cards.",
        "contradiction",
        (
            ("Level clues pass over special cards.", {"touch_specials": False}),
            ("The clue 'special' is about one card only.", {"special_clue_touches": False}),
            ("Neither touches a special card.", {"touch_specials": False, "special_clue_touches": False}),
        ),
    ),
    Reading(
        "AL-02",
        "The levels printed on the cards are on no page we found.",
        "Levels 1 to 13 once per element; Light 1 to 5, Shadow 9 to 13.",
        "source",
        (("Levels 1 to 9, some of them twice.", {"levels": "nine"}), ("Levels 1 to 5.", {"levels": "five"})),
    ),
    Reading(
        "AL-01",
        "The text does not say how many cards there are.",
        "49: 13 each of Water, Fire and Plant, 5 Light, 5 Shadow, as two pages agree.",
        "source",
    ),
    Reading(
        "AL-03",
        "Does a special card have a level?",
        "It does: it is special regardless of its features.",
        "gap",
        (("Light wins and Shadow loses every level duel.", {"special_level": "none"}),),
    ),
    Reading(
        "AL-04",
        "With how many cards of each kind does a hand start?",
        "Two private and two public ones, as public pages say.",
        "source",
        (
            ("With two players three private and two public ones.", {"deal_two": (3, 2)}),
            ("With two players two private and three public ones.", {"deal_two": (2, 3)}),
            ("With two players three private and one public one.", {"deal_two": (3, 1)}),
        ),
    ),
    Reading(
        "AL-05",
        "Are cards taken out before the game?",
        "10 with two and 6 with three players, face up, as a public page says.",
        "source",
        (("None.", {"setup_discard": (0, 0, 0, 0)}),),
    ),
    Reading(
        "AL-09",
        "May one ask about a card of which everything that may be told has been told?",
        "No; who has no other card to ask about must challenge.",
        "gap",
        (("One may, as a way to pass.", {"allow_null_ask": True}),),
    ),
    Reading(
        "AL-10",
        "Which of the others picks the feature that is told?",
        "They act as one; in the simulation the one with the most gems speaks for them.",
        "gap",
        (
            ("The asker names one.", {"informant": "chosen"}),
            ("The next player to the left.", {"informant": "next"}),
            ("One at random.", {"informant": "random"}),
        ),
    ),
    Reading(
        "AL-12",
        "Does something count as known that was not told but can be worked out?",
        "No, only what was told.",
        "gap",
        (("It does.", {"known": "deducible"}),),
    ),
    Reading(
        "AL-16",
        "How often do players misremember?",
        "Never.",
        "gap",
        (("Each told feature with 5 % on each own turn.", {"forget_prob": 0.05}),),
    ),
    Reading(
        "AL-17",
        "May the same player be challenged again and again?",
        "Yes.",
        "gap",
        (("Not twice running by the same challenger.", {"no_repeat_target": True}),),
    ),
    Reading(
        "AL-18",
        "Is element or level said before the clue?",
        "Yes; an older summary of the rules says it aloud first.",
        "source",
        (("The clue comes first.", {"clue_before_type": True}),),
    ),
    Reading(
        "AL-19",
        "Who picks the card that the clue of a challenge is about?",
        "The challenged player, as an asker would; the challenger picks the feature.",
        "gap",
        (("The challenger picks both.", {"clue_card_by": "challenger"}),),
    ),
    Reading(
        "AL-24",
        "Do the contestants draw between tied rounds?",
        "No, they go on with the cards left in hand.",
        "gap",
        (("They draw up after each tie.", {"redraw_in_tie": True}),),
    ),
    Reading(
        "AL-25",
        "A tied round adds one gem: for every round, or once?",
        "Round r is worth r gems.",
        "contradiction",
        (
            ("Two gems after any number of ties.", {"stakes": (1, 2)}),
            ("Always one gem.", {"stakes": (1,)}),
        ),
    ),
    Reading(
        "AL-26",
        "All hand cards tied: does everybody win, or nobody?",
        "The share is 1/n each either way; players take it to be worth that.",
        "contradiction",
        (
            ("Players think of it as a win.", {"all_tie_worth": "win"}),
            ("Players think of it as a loss.", {"all_tie_worth": "none"}),
        ),
    ),
    Reading(
        "AL-27",
        "Two tied players have different numbers of cards, and one hand is empty.",
        "The game ends as if all cards were tied.",
        "gap",
        (("Nobody gets a gem.", {"short_hand_tie": "no_gem"}),),
    ),
    Reading(
        "AL-28",
        "Who draws first after a duel?",
        "The winner.",
        "gap",
        (("The loser.", {"draw_first": "loser"}),),
    ),
    Reading(
        "AL-30",
        "What happens when the stock runs out?",
        "The discards are shuffled to make a new one.",
        "gap",
        (
            ("Nobody draws any more.", {"stock_out": "play_short"}),
            ("The game ends; most gems win.", {"stock_out": "game_ends"}),
        ),
    ),
)

DECISIONS = (
    Decision(ASK, "ask", "slot of the own public card asked about", "", "Actor: the seat whose turn it is."),
    Decision(
        CHALLENGE,
        "challenge",
        "who: seats to the left of the challenger, 1 to n-1",
        "feature: 0 element, 1 level; 2 if it is said later",
        "Actor: the seat whose turn it is. b is 0 or 1, but always 2 with clue_before_type.",
    ),
    Decision(
        NAME,
        "informant",
        "who answers: seats to the left of the asker, 1 to n-1",
        "",
        "Actor: the asker, only with informant = chosen.",
    ),
    Decision(
        TELL,
        "tell",
        "what is told: 0 element, 1 level, 2 special, 3 nothing",
        "",
        "Actor: the informant of an ask; the challenger for the clue of a challenge. Telling a feature that the holder "
        "remembers wrongly mends it, telling the other one leaves it.",
    ),
    Decision(
        CLUE_CARD,
        "clue card",
        "slot in the challenged player's hand, an askable card",
        "",
        "Actor: the challenged player, or the challenger with clue_card_by = challenger.",
    ),
    Decision(TYPE, "type", "feature: 0 element, 1 level", "", "Actor: the challenger, only with clue_before_type."),
    Decision(
        PLAY,
        "play",
        "slot of the card played",
        "",
        "Simultaneous: the challenger's choice stays in hid until the challenged player has chosen.",
    ),
)

# The weights of the skilled player: `policies.py` names their places, `tuning.md` says how they were found.
SKILLED_WEIGHTS = (4.0, 0.0, 0.01, 0.5, 16.0, 0.5, 0.002, 0.7, 0.02)

TIERS = (
    Tier("random", 0, "Any allowed step, all equally likely; for tests."),
    Tier("novice", 1, "Challenges with its best card that it can see, asks when it knows nothing."),
    Tier(
        "skilled",
        2,
        "Weighs what its hidden cards can be, plays each duel as a small game, answers in its own interest.",
        SKILLED_WEIGHTS,
    ),
    Tier("expert", 3, "Looks ahead by playing on from worlds that fit everything it was told.", (400.0, 0.0)),
)

_ASK, _ASK_EACH = 1, 2  # places of the weights that say when the skilled player asks


def _asking(floor: float, each: float) -> tuple[float, ...]:
    """Return the weights of a skilled player who asks when no challenge is worth so much, and more per unknown card."""
    return (*SKILLED_WEIGHTS[:_ASK], floor, each, *SKILLED_WEIGHTS[_ASK_EACH + 1 :])


QUESTIONS = (
    Question(
        "never-asks",
        "Never asking",
        "One player asks only when it cannot challenge.",
        Tier("skilled", 2, "never asks", _asking(-1e9, 0.0)),
    ),
    Question(
        "asks-unknown",
        "Asking about unknown cards",
        "One player asks whenever it knows nothing of two or more of its hidden cards.",
        Tier("skilled", 2, "asks about unknown cards", _asking(-3.0, 2.0)),
    ),
    Question(
        "always-asks",
        "Asking whenever one may",
        "One player challenges only when there is nothing left to ask.",
        Tier("skilled", 2, "always asks", _asking(1e9, 0.0)),
    ),
)

_FEATURES = {"feature": ("element", "level")}
_WON = Measure("won", "Duels won", "won", "1", "share", "Duels won, of the duels that these seats were in.")
_GEMS = Measure("gems", "Gems per duel", "gems", "1", "number", "Gems taken home per own duel.")
_CHAIN = Measure("chain", "Rounds per duel", "chain", "1", "number", "One and the number of ties.")
_PART = Measure("part", "Part of all", "1", "all", "share", "How often, of all lines of this table.")
_CHALLENGER = Measure("won_calling", "Won as challenger", "wins_challenger", "challenges", "share")
_CHALLENGED = Measure("won_called", "Won as challenged", "wins_challenged", "challenged", "share")
_SHARE = Measure("share", "Share of wins", "share", "1", "share", "Games won, shared games in part.")

TABLES = (
    TableSpec(
        "seats",
        "Why the seats differ",
        "Seat 0 takes the first turn, and the earlier a seat, the more turns it has before somebody reaches the "
        "target. What a turn is worth stands in the last two columns: the wider apart they are, the more an extra "
        "turn brings, and the longer the game, the less one turn counts. What weaker players show too (below, at every "
        "skill) lies in the rules and not in how well they are played.",
        "games",
        ("seat",),
        (
            _SHARE,
            Measure("points", "Gems", "points"),
            Measure("own_turns", "Own turns", "turns"),
            Measure("challenged", "Times challenged", "challenged"),
            _CHALLENGER,
            _CHALLENGED,
        ),
    ),
    TableSpec(
        "roles",
        "Challenging and being challenged",
        "What a duel brings to the one who called it and to the one who was called. Nobody loses a gem: a duel takes "
        "something only from those who are not in it. So with three and more players it can pay to be a likely target, "
        "and what keeps others from challenging its owner can cost more than it wins.",
        "rounds",
        ("role",),
        (_WON, _GEMS, Measure("clue", "Clue given", "clue", "1", "share")),
        {"role": ("not in it", "challenger", "challenged")},
        "role",
        beside=True,
    ),
    TableSpec(
        "features",
        "Element duels and level duels",
        "From the challenger's side: which of the two is worth calling.",
        "rounds",
        ("feature",),
        (_WON, _GEMS, _CHAIN, _PART),
        _FEATURES,
        "challenger",
        beside=True,
    ),
    TableSpec(
        "cards",
        "The card that decides a duel",
        "The last card a contestant played, by element.",
        "rounds",
        ("feature", "element"),
        (_WON, _GEMS, _PART),
        {**_FEATURES, "element": ("none", *ELEMENTS)},
        "role",
        beside=True,
    ),
    TableSpec(
        "levels",
        "Winning by level",
        "The last card a contestant of a level duel played, by its level.",
        "rounds",
        ("level",),
        (_WON, _GEMS, _PART),
        {},
        "feature*role",
    ),
    TableSpec(
        "held",
        "Known and unknown cards",
        "Whether the player saw the last card, had been told its feature of the duel, or played it blind.",
        "rounds",
        ("feature", "held_as"),
        (_WON, _GEMS, _PART),
        {**_FEATURES, "held_as": ("none", "private", "public, told", "public, not told")},
        "role",
        beside=True,
    ),
    TableSpec(
        "targets",
        "Whom players challenge",
        "The challenged player's place in gems among the challenger's opponents before the duel.",
        "rounds",
        ("rank",),
        (_PART, _WON, _GEMS, Measure("gems_before", "Challenger's gems before", "gems_before")),
        {"rank": ("none", "first", "between", "last", "all equal")},
        "challenger",
        beside=True,
    ),
    TableSpec(
        "asking",
        "Is asking ever right?",
        "Share by turns spent on asking. Watched, not an experiment: who asks a lot may be behind.",
        "games",
        ("asked",),
        (_SHARE, _PART, Measure("points", "Gems", "points"), Measure("wins", "Duels won", "wins", "duels", "share")),
        {"asked": ("0", "1", "2", "3", "4", "5", "6 or more")},
        beside=True,
    ),
    TableSpec(
        "asks_since",
        "Duels after asking",
        "Duels by how often a contestant had asked since the own duel before.",
        "rounds",
        ("role", "asks_since"),
        (_WON, _GEMS),
        {"role": ("not in it", "challenger", "challenged"), "asks_since": ("0", "1", "2", "3", "4", "5 or more")},
        "role",
    ),
    TableSpec(
        "after",
        "The duel after a win",
        "The winner's new cards are hidden from the winner: a catch-up effect shows as fewer wins after a win.",
        "rounds",
        ("after",),
        (_WON, _GEMS, _PART),
        {"after": ("first duel", "won", "lost", "no winner")},
        "role",
        beside=True,
    ),
    TableSpec(
        "first_win",
        "Winning the first duel",
        "What the first duel of the game is worth.",
        "games",
        ("first_win",),
        (_SHARE, Measure("points", "Gems", "points")),
        {"first_win": ("did not win it", "won it")},
        beside=True,
    ),
    TableSpec(
        "chains",
        "Ties",
        "Duels by the number of rounds they took.",
        "rounds",
        ("feature", "chain"),
        (
            _PART,
            Measure("decided", "Has a winner", "won", "challenger", "share", "Duels that were won by somebody."),
            Measure("stake", "Gems to the winner", "gems", "won"),
        ),
        _FEATURES,
        "role",
    ),
    TableSpec(
        "length",
        "Length and endings",
        "How long games are and how they end; own turns, challenges and asks are those of one player.",
        "games",
        (),
        (
            Measure("rounds", "Duels", "rounds"),
            Measure("turns", "Own turns", "turns"),
            Measure("challenges", "Own challenges", "challenges"),
            Measure("asks", "Own asks", "asks"),
            Measure("ask_share", "Turns spent on asking", "asks", "asks+challenges", "share"),
            Measure("lead_changes", "Lead changes", "lead_changes"),
            Measure("all_tie", "All hand cards tied", "all_tie", "1", "share"),
            Measure("reshuffles", "Reshuffles", "reshuffles"),
        ),
        beside=True,
    ),
)


def check(variant: Variant, seats: int) -> str | None:
    """Return what makes the variant unplayable, with the arithmetic, or None."""
    listed = tuple(tuple(variant[key]) for key in DECK_KEYS)
    if variant["levels"] != "listed" and listed != DEFAULT_LISTS:
        return f"levels = {variant['levels']!r} replaces the lists of [deck]; set levels = 'listed' to use your own."
    cards = sum(len(levels) for levels in level_lists(variant))
    hand, laid = slots_of(variant, seats), variant["setup_discard"][seats - 2]
    if cards < seats * hand + laid:
        return (
            f"{seats} players need {seats} x {hand} cards in hand and {laid} discarded at the start, "
            f"{seats * hand + laid} in all, but the deck has {cards}."
        )
    target, most = variant["target"][seats - 2], max(variant["stakes"])
    needed = seats * (target - 1) + most
    if needed > variant["supply"]:
        return (
            f"{seats} players can hold {seats} x {target - 1} gems before a last win of {most}, "
            f"{needed} in all, but the supply is {variant['supply']}."
        )
    return None


def warn(variant: Variant, seats: int) -> str | None:
    """Return what a designer should know before trusting a run of the variant, or None."""
    if variant["allow_null_ask"]:
        return (
            f"Players may pass by asking for nothing; a game is stopped after {variant['max_turns']} turns and shared."
        )
    if any(later < earlier for earlier, later in pairwise(variant["stakes"])):
        return "A later round of a duel is worth fewer gems than an earlier one."
    return None


def margins(seats: int) -> Mapping[str, float]:
    """Return the margins of the verdicts as differences of share."""
    return {"first_seat": 0.02 if seats == 2 else 0.1 / seats, "side": 0.1 / seats}


def _engine() -> Engine:
    from sim.games.alakablast.engine import make_engine
    from sim.games.alakablast.policies import choose

    return make_engine(choose)


def _rulebook() -> Callable[..., Rulebook]:
    from sim.games.alakablast.rulebook import Rulebook as Rules

    made: Callable[..., Any] = Rules
    return made


BESIDE = (
    Lever("levels 1 to 13", {"levels": "listed"}),
    Lever("levels 1 to 9", {"levels": "nine"}),
    Lever("levels 1 to 5", {"levels": "five"}),
)
LEVERS = (
    *BESIDE[1:],
    Lever("targets three gems higher", {"target": (10, 9, 8, 7), "supply": 40}),
    Lever("Shadow carries levels 1 to 5", {"deck.shadow": (1, 2, 3, 4, 5)}),
    Lever("every win is worth one gem", {"stakes": (1, 1, 1, 1)}),
    Lever("no setup discards", {"setup_discard": (0, 0, 0, 0)}),
)


def _worth() -> tuple[Callable[..., Any] | None, Callable[..., Any]]:
    from sim.games.alakablast import worth

    return None, worth.WORTH


GAME = Game(
    name="alakablast",
    title="Alakablast",
    seats=(2, 3, 4, 5),
    default_seats=4,
    sides=(Side("alakablast", "#6a4fb3"),),
    side_word="player",
    fields=FIELDS,
    abilities=ABILITIES,
    readings=READINGS,
    decisions=DECISIONS,
    tiers=TIERS,
    engine=_engine,
    rulebook=_rulebook,
    margins=margins,
    games=40_000,
    folder=Path(__file__).parent,
    tables=TABLES,
    check=check,
    warn=warn,
    seconds_per_turn=90.0,
    sources=(
        "The designer's text: the overview, turn and game-end rules as given.",
        "https://en.doc.boardgamearena.com/Gamehelpalakablast: the same text as a help page.",
        "http://es.doc.boardgamearena.com/index.php?title=Gamehelpalakablast&oldid=1501: an older summary: "
        "card counts, which cards are special, the type of a duel is said first.",
        "https://kuribodo.com/bga_alakablast: card counts, opening hands, cards discarded at the start.",
        "No public page states the levels printed on the cards: all level numbers are assumptions.",
    ),
    glossary={
        "private card": "A card in hand that only its holder sees.",
        "public card": "A card in hand that everybody but its holder sees.",
        "ask": "A turn spent on being told a feature of an own public card.",
        "clue": "What a challenged player is told by the challenger before a duel.",
        "feature": "Element or level of a card.",
        "special": "Light and Shadow: their features are never told, only that they are special.",
        "duel": "What a challenge leads to: both play a card at the same time, again after each tie.",
        "chain": "The rounds of one duel: its ties and its last round.",
        "pointed out": "Told of a card because it shares the feature told of another card.",
        "informant": "The player who picks what an asker is told.",
        "all-tie ending": "Two contestants tie with all their cards: the game ends at once, and all share it.",
        "first player": "Seat 0. At the table the most flamboyantly dressed player begins; here it is chance.",
    },
    summary="Some of your cards only you see, the others only your opponents: ask, or duel for gems.",
    groups=(Standing("gems", _worth), Design(questions=QUESTIONS, levers=LEVERS, beside=BESIDE)),
)
