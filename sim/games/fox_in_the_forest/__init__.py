"""The Fox in the Forest: facts. Two players, 33 cards, trick-taking where taking too much is punished.

The rules themselves are in `rulebook.py` (plain) and `engine.py` (fast); this page fixes what both agree on.

Cards
-----
0 to 32 are the base cards, ``suit * 11 + rank - 1`` with the suits 0 Bells, 1 Keys, 2 Moons and the ranks 1 to 11.
33 to 41 are the special cards in the order of `SPECIALS`. With ``poison`` the three 8s *are* the Poison 8s: same
numbers, same places. A card that is there in a variant is *present*: base cards of suits below ``suits``, and the
special cards in the game.

The *face* of a card is itself, but for the Mirror: its face is the current decree card, wherever the Mirror is (hand,
table), and changes with the decree at once. Where the Mirror's ability is off for its player, or
``mirror_special = "blank"`` and the decree is a special card, its face is the Mirror itself: unsuited, rank 0.
A face of 33 or more is *unsuited*; printed ranks are Bow 0, Mirror 0, Hammer 0, Potion 0, Shovel 0, Axe 8, Tree 6,
Fairy 4, Crown 2 (0 stands for "no rank"). A *special card* is a card numbered 33 or more, the Mirror included
whatever its face. ``trump`` is the suit of the decree card, or -1 when the decree is a special card (the Mirror too).

The *text* of a card on the table is the ability of its face; it works unless the ability is off for the seat that
played it, or the card is crowned. The Mirror's text works if `mirror` is on for that seat and ``mirror_ability``
is true and the ability of its face is on.
Off for one seat means that seat's copies: the cards *played* by it (a 7 played by it scores for nobody, an 8 played
by it poisons nobody, its Monarch does not restrict, its 9 is no Witch and does not make another 9 one of two).

Chance
------
All streams are of the deal; rounds count from 0; `packet` is the seat's packet (0 or 1).

* Special cards: ``stream(0, SETUP).permutation(9)``; with ``random:N`` the cards 33 + its first N entries are in the
  whole game. A chosen list draws nothing.
* Shuffle of round r: ``stream(r, DECK).permutation(42)``, absent cards skipped. Of the present cards in that order,
  places 0, 2, 4, ... below 2 * hand_size are the hand of packet 0, places 1, 3, 5, ... the hand of packet 1, place
  2 * hand_size is the decree, the rest is the draw deck, top first.
* Random picks: ``i = stream(r, purpose, packet, count).below(0, n)`` into the n cards in ascending order of number,
  where `count` is how many picks of that purpose and packet this round has had. `SHOVEL_PICK` from the last trick
  won by the seat, packet of that seat; `TREE_PICK` from the hand of the follower, packet of the follower.
* Fairy: ``stream(r, FAIRY_PICK, packet, count).permutation(n)``: its first min(2, n) entries are places in the
  opponent's hand in ascending order; packet of the opponent.

Order of a game
---------------
Round 0 is led by seat 0; with ``dealer = "alternates"`` round r is led by seat r % 2, with ``"fixed"`` always by seat
0. After the last trick the round is scored (`bands` by tricks taken); then the game is over or the next round is dealt.

Order of a trick (every step below is a decision of one seat, also where only one code is possible; nothing else is)
1. The leader: PLAY any card of the hand.
2. CROWN step, only after a PLAY of a card below 33, only if the seat holds a card with the face Crown and a working
   Crown text, and the deck is not empty: CROWN_PASS or CROWN_ADD. Adding: the Crown goes to the table with the card,
   the seat draws 1 from the top; the played card has no text in this trick and counts as rank 11 of its suit.
3. The text of the played card, if it works; the played card has left the hand:
   * Fox: FOX_KEEP or FOX_SWAP (with an empty hand only FOX_KEEP). The old decree goes to the hand.
   * Woodcutter: with an empty deck nothing. Otherwise the top card is drawn, then BOTTOM.
   * Potion (once per seat and trick; a second time its text does not work): with cards in hand POTION_BOTTOM; the
     Potion goes to the bottom, then the named card below it; the two top cards are drawn *aside* (in `seen`, not in
     the hand). With an empty hand there is no POTION_BOTTOM step: the Potion goes to the bottom and one card is drawn
     aside. Then POTION_PLAY: that card is played (suit rules do not matter, no CROWN step), another one aside goes to
     the hand. Step 3 again for the card played.
   * Shovel: SHOVEL_KEEP, or SHOVEL_TAKE if the seat has won a trick this round. Keep: the seat is marked to lose the
     trick. Take: a random card of the last trick the seat won changes places with the Shovel (which now lies in that
     trick); it is the card played. Step 3 again for it (no CROWN step).
   * Fairy: two random cards of the opponent's hand are shown (`seen`); FAIRY_KEEP or FAIRY_TAKE one of them (with
     nothing shown only FAIRY_KEEP). After a take: FAIRY_GIVE any card of the hand, the taken one included.
   * Hammer, only of the follower: HAMMER. The leader's card goes to the bottom of the deck (then its Crown, if one
     was added, below it), marks of the leader (to win, to lose) are gone, the leader draws 1 and has to PLAY a card
     again: legal as if the named suit had been led, without Monarch. Steps 2 and 3 for that card; it is not "led"
     for Tree and not a follower's card for Hammer and Axe. Then step 5.
   * Axe, only of the follower and only if the leader's card has a face of rank 5 and is not crowned (whether or not
     its text works): the follower is marked to win the trick; with a deck that is not empty the top card is drawn,
     then BOTTOM.
   The other texts work at step 4 (Tree, Monarch: asked then, with the face of then) or at step 5 and 6. A Mirror whose
   face changes on the table gets no new step 3.
4. The follower: after a working Tree of the leader a random card of the hand is played (no PLAY, no CROWN step);
   otherwise PLAY. Legal: if the leader's face is unsuited, any. Otherwise by the lead suit (suit of the face now):
   cards of that suit if there are any (with a working Monarch, a rank 11 face: only the rank 1 and the highest rank
   of them), all cards if there are none; and unsuited cards by ``unsuited_follow``: ``always`` adds them to the
   legal cards; ``match`` adds them too and where there are none of the suit they alone are legal; ``void`` treats
   them as cards of another suit. The Mirror in hand counts as its face if ``mirror_in_hand``, else as unsuited.
   Then steps 2 and 3.
5. The winner. Marks first (to win, to lose). Then a working Bow: it beats a special card, a card of the trump suit,
   and (``bow_beats_witch``) a lone Witch; it loses to all else. Then a working Hammer text: it beats an odd rank and
   loses to all else. Then two unsuited cards: ``two_unsuited``. Then an unsuited card against a suited one: higher
   rank (it has the other's suit), but it loses to a trump if ``unsuited_vs_trump = "loses"``. Then two suited cards:
   trump (trump suit, or a lone working rank 9) over lead suit over other suits, then rank. Every tie: the leader.
6. The winner's count goes up; points for each working 7 and losses for each working Poison 8 of the two played cards
   (an added Crown is neither) change the score at once, the score never below 0. All cards of the table become the
   last trick of the winner. The winner leads next; but a seat that lost with a working Swan leads instead.

What `visible()` of the rulebook and of the engine returns at each decision, before the code is applied
--------------------------------------------------------------------------------------------------------
* ``round``, ``actor``, ``leader`` (of this trick), ``decree``, ``trump``: int
* ``tricks``, ``scores``, ``treasures`` (Treasure cards won this round, working ones): a list, one per seat
* ``deck``: list of cards, top first; ``hands``: per seat a sorted list
* ``table``: per seat the card played, or -1; ``crowns``: per seat the Crown added, or -1
* ``seen``: sorted list of the cards aside (at POTION_PLAY) or shown (at FAIRY_KEEP and FAIRY_TAKE); else empty
* ``last``: per seat the cards of the last trick won this round, sorted

Columns of a game row (per seat)
--------------------------------
* ``share, points`` (final score) ``, rounds, turns`` (tricks of the game) ``, end``
* ``lead_changes``: rounds after which another seat is strictly ahead than the last one that was; same for both seats
* ``tiebreak``: 1 if the last round decided between equal totals; same for both seats
* ``tricks, band_points, treasure_points``: sums over the rounds; ``poison_points``: points really lost
* ``humble, defeated, victorious, greedy``: rounds with 0-3, 4-6, 7-9, 10 and more tricks
* ``last_points``: points of the last round
* ``n_<ability>`` as `ABILITY_USES` says; ``held_<ability>``: cards of that name dealt to the seat, summed over the
  rounds (the 8s for poison, if poison is on)

Columns of a round row (per seat)
---------------------------------
* ``starter``: 1 for the leader of the first trick; ``first_trick``: 1 if the seat won it
* ``tricks``; ``points = band + treasure_points - poison_points``; ``treasures``: working Treasure cards won
* ``result``: 0 humble, 1 defeated, 2 victorious, 3 greedy; ``humble, defeated, victorious, greedy``: 0 or 1
* ``swaps``: Fox exchanges made
* ``course``: 1 if the seat won at most 3 of the first hand_size - 4 tricks; ``course_missed``: 1 if `course` and the
  round ended with more than 3 tricks
* ``score``: after the round; ``ahead``: 1 if the score before the round was strictly higher than the opponent's

The module `engine` defines ``make_engine`` (of a `sim.game.Engine`), the module `rulebook` the class ``Rulebook``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sim.facts import (
    Ability,
    Decision,
    Design,
    Lever,
    Measure,
    Reading,
    Side,
    Standing,
    TableSpec,
    Tier,
)
from sim.game import Engine, Game
from sim.games.fox_in_the_forest.numbers import (
    BASE,
    BOTTOM,
    CROWN_ADD,
    CROWN_PASS,
    FAIRY_GIVE,
    FAIRY_KEEP,
    FAIRY_TAKE,
    FOX_KEEP,
    FOX_SWAP,
    HAMMER_SUIT,
    KIND_NAMES,
    PLAY,
    POTION_BOTTOM,
    POTION_PLAY,
    RANKS,
    ROUND_CAP,
    SHOVEL_KEEP,
    SHOVEL_TAKE,
    SPECIALS,
    specials_of,
)
from sim.games.fox_in_the_forest.weights import SKILLED_WEIGHTS
from sim.variant import Field, Variant

DECISIONS = (
    Decision(
        PLAY, KIND_NAMES[PLAY], "card", note="By the leader, by the follower, and by the leader again after a Hammer."
    ),
    Decision(FOX_KEEP, KIND_NAMES[FOX_KEEP], note="Before FOX_SWAP in the same step; alone with an empty hand."),
    Decision(FOX_SWAP, KIND_NAMES[FOX_SWAP], "hand card put down", note="The old decree goes to the hand at once."),
    Decision(BOTTOM, KIND_NAMES[BOTTOM], "hand card", note="After the draw; the drawn card is in the hand. Also Axe."),
    Decision(
        HAMMER_SUIT, KIND_NAMES[HAMMER_SUIT], "suit 0 to suits - 1", note="By the follower; the leader plays again."
    ),
    Decision(
        POTION_BOTTOM,
        KIND_NAMES[POTION_BOTTOM],
        "hand card",
        note="Before the two cards are drawn; skipped with no hand.",
    ),
    Decision(POTION_PLAY, KIND_NAMES[POTION_PLAY], "drawn card", note="The other drawn card goes to the hand."),
    Decision(
        SHOVEL_KEEP, KIND_NAMES[SHOVEL_KEEP], note="The player loses the trick; alone with no trick won this round."
    ),
    Decision(SHOVEL_TAKE, KIND_NAMES[SHOVEL_TAKE], note="By a random card of the last trick won; which one is chance."),
    Decision(FAIRY_KEEP, KIND_NAMES[FAIRY_KEEP]),
    Decision(FAIRY_TAKE, KIND_NAMES[FAIRY_TAKE], "card shown", note="It goes to the hand; FAIRY_GIVE follows."),
    Decision(FAIRY_GIVE, KIND_NAMES[FAIRY_GIVE], "hand card", note="The taken card may be given back."),
    Decision(CROWN_PASS, KIND_NAMES[CROWN_PASS]),
    Decision(CROWN_ADD, KIND_NAMES[CROWN_ADD], "the Crown (or a Mirror that is one)", note="Then draw 1."),
)


ABILITIES = (
    Ability(
        "swan", "Swan (1)", "Who loses a trick with it leads the next one.", "Losing with it does not give the lead."
    ),
    Ability(
        "fox",
        "Fox (3)",
        "Its player may exchange the decree card for a hand card at once.",
        "The decree cannot be exchanged.",
    ),
    Ability(
        "woodcutter",
        "Woodcutter (5)",
        "Its player draws a card, then puts a hand card under the deck.",
        "Nothing is drawn or put away.",
    ),
    Ability(
        "treasure",
        "Treasure (7)",
        "The winner of the trick gets a point for each.",
        "The 7s that this player plays score for nobody.",
    ),
    Ability(
        "witch",
        "Witch (9)",
        "The only 9 of a trick counts as trump.",
        "The 9s that this player plays are plain and do not count as Witches.",
    ),
    Ability(
        "monarch",
        "Monarch (11)",
        "When led, the follower must answer with the suit's 1 or with the highest card held of it.",
        "It does not restrict the follower.",
    ),
    Ability(
        "bow",
        "Bow",
        "Beats every trump and every special card, loses to all else.",
        "An unsuited card without rank.",
    ),
    Ability(
        "mirror",
        "Mirror",
        "Is always the same as the decree card: rank, suit and ability.",
        "An unsuited card without rank.",
    ),
    Ability(
        "hammer",
        "Hammer",
        "As follower, makes the leader play another card, of a named suit if possible; beats odd cards only.",
        "An unsuited card without rank.",
    ),
    Ability(
        "potion",
        "Potion",
        "Goes under the deck with another card; of two drawn cards one is played, one kept.",
        "An unsuited card without rank.",
    ),
    Ability(
        "shovel",
        "Shovel",
        "May be replaced by a random card of the last trick won; otherwise it loses.",
        "An unsuited card without rank.",
    ),
    Ability("axe", "Axe", "After a Woodcutter: works as one and wins the trick.", "Always an unsuited 8."),
    Ability("tree", "Tree", "When led, the opponent plays a random card.", "Always an unsuited 6."),
    Ability(
        "fairy",
        "Fairy",
        "Its player sees two random cards of the opponent and may exchange one.",
        "Always an unsuited 4.",
    ),
    Ability(
        "crown",
        "Crown",
        "May be added to an ordinary card, which then counts as the Monarch of its suit.",
        "Always an unsuited 2, never added.",
    ),
    Ability(
        "poison",
        "Poison (8)",
        "The winner of the trick loses a point for each.",
        "The Poison 8s that this player plays cost nobody a point.",
    ),
)

ABILITY_USES: Mapping[str, str] = {
    "swan": "tricks lost with a working Swan that gave the seat the lead, the last trick of a round not counted",
    "fox": "decree cards exchanged by a Fox",
    "woodcutter": "draws by a Woodcutter's text (not the Axe's)",
    "treasure": "working 7s in tricks that the seat won",
    "witch": "working lone 9s that the seat played and that were not of the trump suit anyway",
    "monarch": "working Monarchs led that left the follower fewer cards than following suit would have",
    "bow": "tricks won by a working Bow's text (marks of Axe and Shovel not counted)",
    "mirror": "Mirrors played with `mirror` on (each way of playing it; one added as a Crown is not played)",
    "hammer": "suits named",
    "potion": "Potions that worked",
    "shovel": "cards taken by the Shovel",
    "axe": "Axes that answered a Woodcutter",
    "tree": "random cards that the seat's Tree made the opponent play",
    "fairy": "cards taken by the Fairy",
    "crown": "Crowns added",
    "poison": "working Poison 8s in tricks that the seat won",
}


def _check_specials(text: str) -> str | None:
    try:
        specials_of(text)
    except ValueError as error:
        return str(error)
    return None


BANDS = (6, 6, 6, 6, 1, 2, 3, 6, 6, 6, 0, 0, 0, 0)

FIELDS = (
    Field(
        "target", 21, "A round that ends with somebody at this many points is the last.", low=1, high=99, rule="FF-B17"
    ),
    Field(
        "bands",
        BANDS,
        "Points for taking 0, 1, 2, ... 13 tricks in a round.",
        low=0,
        high=20,
        length=14,
        rule="FF-B16",
    ),
    Field("hand_size", 13, "Cards dealt to each player, so tricks in a round.", low=1, high=13, rule="FF-B2"),
    Field("suits", 3, "Suits in the deck, 11 cards each.", low=2, high=3, rule="FF-B1"),
    Field("treasure", 1, "Points for each Treasure (7) in a trick, to its winner.", low=0, high=9, rule="FF-B14"),
    Field("dealer", "alternates", "Who deals after round 1.", choices=("alternates", "fixed"), rule="FF-B3"),
    Field(
        "tie_break",
        "last_round",
        "What decides equal totals at the end.",
        choices=("last_round", "draw", "another_round"),
        rule="FF-B18",
    ),
    Field(
        "still_tied",
        "draw",
        "What follows where totals and the last round are equal.",
        choices=("draw", "another_round"),
        rule="FF-B19",
    ),
    Field(
        "max_rounds",
        40,
        "A game that is not over after this many rounds is a draw.",
        low=1,
        high=ROUND_CAP,
        rule="FF-B20",
    ),
    Field(
        "specials",
        "none",
        "Special cards in the deck: none, random2 (or random:N), all, or a list such as bow,mirror.",
        rule="FF-D1",
        check=_check_specials,
    ),
    Field("poison", False, "The three 8s are Poison 8s.", rule="FF-P1"),
    Field("poison_points", 1, "Points that each Poison 8 costs the winner of its trick.", low=0, high=9, rule="FF-P1"),
    Field(
        "poison_order",
        "gain_first",
        "Treasure and Poison in one trick: which counts first.",
        choices=("gain_first", "lose_first"),
        rule="FF-R16",
    ),
    Field(
        "unsuited_follow",
        "always",
        "Unsuited card on a suited lead: always legal, legal and due as a match, or legal only when void.",
        choices=("always", "match", "void"),
        rule="FF-D3",
    ),
    Field(
        "two_unsuited",
        "rank",
        "Two unsuited cards: the higher printed rank wins, or the leader.",
        choices=("rank", "leader"),
        rule="FF-D5",
    ),
    Field(
        "unsuited_vs_trump",
        "takes_suit",
        "Unsuited card against a trump: it has the trump suit, or it loses.",
        choices=("takes_suit", "loses"),
        rule="FF-D4",
    ),
    Field("mirror_in_hand", True, "The Mirror in hand counts as the decree card's suit and rank.", rule="FF-D9"),
    Field(
        "mirror_ability", True, "The Mirror copies the decree card's ability, not only rank and suit.", rule="FF-D10"
    ),
    Field(
        "mirror_special",
        "copy",
        "The Mirror while the decree is a special card: a copy of it, or a blank unsuited card.",
        choices=("copy", "blank"),
        rule="FF-D11",
    ),
    Field("fox_special", True, "The Fox may put a special card down as the decree.", rule="FF-D12"),
    Field(
        "bow_beats_witch",
        True,
        "The Bow beats a lone Witch, which is a trump when the winner is decided.",
        rule="FF-D8",
    ),
)

READINGS = (
    Reading(
        "FF-B19",
        "Nothing is said for totals and last rounds that are both equal.",
        "The game is a draw.",
        others=(("another round is played", {"still_tied": "another_round"}),),
    ),
    Reading(
        "FF-B3",
        "The first dealer is random.",
        "Seat 1 deals round 1, so that seat 0 leads; who sits there is balanced by the seatings.",
    ),
    Reading("FF-B16", "The seed's text has no scoring.", "The published table of the 2017 rulebook.", kind="source"),
    Reading("FF-B17", "The seed's text has no end of the game.", "21 points, as in the 2017 rulebook.", kind="source"),
    Reading("FF-B9", "The seed names the odd cards only.", "Their texts are those of the 2017 cards.", kind="source"),
    Reading("FF-R12", "Both players play a Swan.", "The loser of the trick leads the next one."),
    Reading("FF-R7", "A Fox as the last card of the hand.", "Nothing can be exchanged; the decree stays."),
    Reading(
        "FF-R16",
        "A Treasure and a Poison 8 in one trick at 0 points.",
        "The point is gained first.",
        others=(("the point is lost first", {"poison_order": "lose_first"}),),
    ),
    Reading(
        "FF-D3",
        "Are cards without a suit legal on a suited lead?",
        "Always, and they are never forced.",
        others=(
            ("they count as a match and are due when there is no other", {"unsuited_follow": "match"}),
            ("only when void of the lead suit", {"unsuited_follow": "void"}),
        ),
    ),
    Reading(
        "FF-D5",
        "Two cards without a suit meet.",
        "The higher printed rank wins, the leader if equal.",
        others=(("the leader wins", {"two_unsuited": "leader"}),),
    ),
    Reading(
        "FF-D4",
        "A card without a suit meets a trump.",
        "It has the trump suit, ranks are compared.",
        others=(("the trump wins", {"unsuited_vs_trump": "loses"}),),
    ),
    Reading(
        "FF-D8",
        "Does the Bow beat a lone Witch?",
        "Yes, the Witch is a trump when the winner is decided.",
        others=(("no", {"bow_beats_witch": False}),),
    ),
    Reading(
        "FF-D9",
        "Does the Mirror in hand count for following suit?",
        "Yes, it is a card of the decree's suit and rank.",
        others=(("no, it is unsuited until played", {"mirror_in_hand": False}),),
    ),
    Reading(
        "FF-D10",
        "Does the Mirror work as a Fox or Woodcutter?",
        "Yes, with every ability of the decree card.",
        others=(("no, it has only rank and suit", {"mirror_ability": False}),),
    ),
    Reading(
        "FF-D11",
        "The Mirror while the decree is a special card.",
        "It is a copy of that card.",
        others=(("a blank unsuited card", {"mirror_special": "blank"}),),
    ),
    Reading(
        "FF-D12",
        "May the Fox make a special card the decree?",
        "Yes; then there is no trump until the next exchange.",
        others=(("no", {"fox_special": False}),),
    ),
    Reading(
        "FF-D13",
        "What happens to a Crown under a hammered card, and may the leader add one to the new card?",
        "It goes under the deck with the card; adding one to the new card is allowed.",
    ),
    Reading("FF-D14", "A Potion as the last card, or drawn again by itself.", "It draws one; it works once per trick."),
    Reading("FF-D15", "Does a card dug up by the Shovel use its ability?", "Yes, it counts as played."),
    Reading("FF-D18", "May the Fairy's player give back the taken card?", "Yes."),
)


def _check(variant: Variant, seats: int) -> str | None:
    drawn, chosen = specials_of(variant["specials"])
    extra = drawn + len(chosen)
    cards = RANKS * variant["suits"] + extra
    needed = 2 * variant["hand_size"] + 1
    if cards < needed:
        return (
            f"{variant['suits']} suits and {extra} special cards are {cards} cards, but two hands of "
            f"{variant['hand_size']} and the decree need {needed}: hand_size can be at most {(cards - 1) // 2}."
        )
    if variant["treasure"] == 0 and not any(variant["bands"][: variant["hand_size"] + 1]):
        return "bands and treasure are all 0, so nobody ever scores a point; give at least one of them a value above 0."
    return None


def _warn(variant: Variant, seats: int) -> str | None:
    if variant["hand_size"] != len(variant["bands"]) - 1:
        return (
            f"bands is written for 13 tricks and a round has {variant['hand_size']}: "
            f"its entries above {variant['hand_size']} are never reached."
        )
    return None


def _engine() -> Engine:
    from sim.games.fox_in_the_forest import engine as kernels
    from sim.games.fox_in_the_forest import policies as players

    made: Engine = kernels.make_engine(players.choose, players.value)
    return made


def _rulebook() -> Callable[..., Any]:
    from sim.games.fox_in_the_forest.rulebook import Rulebook

    made: Callable[..., Any] = Rulebook
    return made


def _margins(seats: int) -> Mapping[str, float]:
    return {"first_seat": 0.02, "side": 0.05}


_RESULTS = ("humble (0-3)", "defeated (4-6)", "victorious (7-9)", "greedy (10-13)")
_POINTS = (
    Measure("points", "points", "points", note="Points of a round: band, Treasures, minus Poison."),
    Measure("band", "band", "band", note="Points for the number of tricks."),
    Measure("treasure_points", "Treasure", "treasure_points", note="Points for Treasures."),
)

TABLES = (
    TableSpec(
        "round_seats",
        "Leading or dealing a round",
        "A round seen from who leads its first trick and from who dealt it.",
        "rounds",
        ("starter",),
        (
            Measure("tricks", "tricks", "tricks", note="Tricks taken in a round."),
            *_POINTS,
            *(
                Measure(key, key, key, unit="share", note=f"Rounds that end {name}.")
                for key, name in zip(("humble", "defeated", "victorious", "greedy"), _RESULTS)
            ),
            Measure(
                "first_trick", "first trick won", "first_trick", unit="share", note="Rounds whose first trick it won."
            ),
        ),
        labels={"starter": ("dealer", "leader")},
    ),
    TableSpec(
        "round_results",
        "How points are won",
        "What a round of each class is worth, and what came with it.",
        "rounds",
        ("result",),
        (*_POINTS, Measure("first_trick", "first trick won", "first_trick", unit="share", note="Won the first trick.")),
        labels={"result": _RESULTS},
    ),
    TableSpec(
        "round_tricks",
        "Points by tricks taken",
        "Every number of tricks: its points and Treasures.",
        "rounds",
        ("tricks",),
        _POINTS,
        labels={"tricks": tuple(str(n) for n in range(14))},
    ),
    TableSpec(
        "humble_course",
        "On the humble course with four tricks to go",
        "Rounds in which a player had at most 3 tricks when four were left: how often that ended above 3 after all.",
        "rounds",
        ("starter",),
        (
            Measure("missed", "missed", "course_missed", "course", "share", "Ended with more than 3 tricks."),
            Measure("points", "points", "points", note="Points of such a round."),
        ),
        labels={"starter": ("dealer", "leader")},
        where="course",
    ),
    TableSpec(
        "game_points",
        "Where the points of a game come from",
        "Per game and seat.",
        "games",
        ("seat",),
        (
            Measure("points", "points", "points", note="Final score."),
            Measure("band_points", "bands", "band_points", note="Points for numbers of tricks."),
            Measure("treasure_points", "Treasures", "treasure_points", note="Points for Treasures."),
            Measure("poison_points", "lost to Poison", "poison_points", note="Points lost to Poison 8s."),
            Measure("rounds", "rounds", "rounds", note="Rounds of a game."),
            Measure("tiebreak", "tie-breaks", "tiebreak", unit="share", note="Games decided by the last round."),
        ),
        labels={"seat": ("leads round 1", "deals round 1")},
    ),
)


def has_ability(variant: Variant, key: str) -> bool:
    """Tell whether a card with this ability can be in the deck."""
    if key == "poison":
        return bool(variant["poison"])
    if key not in SPECIALS:
        return True
    drawn, chosen = specials_of(variant["specials"])
    return drawn > 0 or BASE + SPECIALS.index(key) in chosen


def _levers() -> tuple[Lever, ...]:
    """Return the numbers that a designer turns first: the target, the Treasure, each entry of the bands by one."""
    made = [Lever(f"target {target}", {"target": target}) for target in (16, 35)]
    made += [Lever(f"Treasure worth {value}", {"treasure": value}) for value in (0, 2)]
    for tricks, points in enumerate(BANDS):
        for change in (-1, 1):
            if points + change >= 0:
                bands = (*BANDS[:tricks], points + change, *BANDS[tricks + 1 :])
                made.append(Lever(f"{tricks} tricks score {points + change}, not {points}", {"bands": bands}))
    return tuple(made)


def _worth() -> tuple[Callable[..., Any] | None, Callable[..., Any]]:
    from sim.games.fox_in_the_forest import worth

    return None, worth.WORTH


GAME = Game(
    name="fox-in-the-forest",
    title="The Fox in the Forest",
    seats=(2,),
    default_seats=2,
    sides=(Side("fox-in-the-forest", "#2f6b4f"),),
    side_word="player",
    fields=FIELDS,
    abilities=ABILITIES,
    readings=READINGS,
    decisions=DECISIONS,
    tiers=(
        Tier("random", 0, "Every legal step is equally likely."),
        Tier("novice", 1, "Plans high or low from the hand and follows the plan."),
        Tier(
            "skilled",
            2,
            "Re-plans each trick on the scores of both players, counts cards, uses every ability on purpose.",
            SKILLED_WEIGHTS,
        ),
        Tier("expert", 3, "Looks ahead: searches re-deals that fit what it has seen."),
    ),
    engine=_engine,
    rulebook=_rulebook,
    margins=_margins,
    games=120_000,
    folder=Path(__file__).parent,
    tables=TABLES,
    has_ability=has_ability,
    check=_check,
    warn=_warn,
    seconds_per_turn=25.0,
    sources=(
        "The user's rules text: setup, tricks, decree, the names of Witch, Bow and Mirror.",
        "The 2017 rulebook and reference cards: card texts, scoring, end of the game.",
        "Rules of the 2025 Deluxe Edition as one developer wrote them down: special cards and Poison; "
        "its Goal cards are left out because their texts are not known to us.",
    ),
    glossary={
        "decree": "The face-up card whose suit is trump.",
        "trump": "The suit that beats the others; none while the decree is a special card.",
        "band": "What a number of tricks is worth at the end of a round.",
        "humble": "0 to 3 tricks in a round.",
        "defeated": "4 to 6 tricks.",
        "victorious": "7 to 9 tricks.",
        "greedy": "10 or more tricks.",
        "leader": "Who plays first to a trick.",
        "dealer": "Who dealt the round; the other player leads its first trick.",
        "special card": "One of nine cards of the Deluxe Edition, shuffled into the deck.",
        "unsuited": "Without a suit: takes the suit of the other card of the trick.",
        "void": "Without a card of the suit that was led.",
    },
    summary="A two-player trick-taker of 33 cards in which taking too many tricks scores nothing.",
    groups=(Standing("points", _worth), Design(levers=_levers())),
)
