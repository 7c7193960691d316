"""Celestial Ranks: facts. A rummy race of five courts for four elements each.

Cards are types 0 to 51 (suit * 13 + rank; suits Spades, Hearts, Diamonds, Clubs; ranks Ace = 0 to King = 12) and 52,
the Joker. A contract is two melds out of S3 S4 S5 R3 R4 R5 F3 F4 F5 (set, run of any suits, flush run), numbered 0 to
8 in this order; its number is 9 * i + j with i <= j, whatever the variant: courts with the same contracts are the
same game.

A round, step by step. Every step below is a decision of the trace, also when only one code is possible.

1. COURT, only with ``court_assignment = "choose"`` and only before round 1: seats 0, 1, ... in turn take a court
   that is left.
2. DECLARE: seats 0, 1, ... in turn; revealed when all have declared. A seat that failed an element has only that
   one (``retry = "locked"``); ``element_order`` other than `free` leaves one code.
3. The deal. The order of the pack is the permutation of 112 places of the common stream (round, DECK, None, 0):
   place i < 104 is the card type i % 52 of deck i // 52, places 104 to 111 are Jokers; places that the variant
   leaves out are skipped. Of the cards that remain, card k * n + p (k < cards_dealt) goes to packet p, the next one
   is flipped, the rest is the draw pile, first one on top.
4. Turns, clockwise from the starter; in round 1 the starter is seat 0. A turn is: DRAW; then any number of
   LAY_AUTO, LAY_MELD, LAY_OFF, LAY_OFF_MANY and SHIFT; then DISCARD. One decision lists all that may be done next,
   the discards included. When LAY_MELD has laid the first meld (requirement 0), the next decision of the same seat
   lists only the LAY_MELD codes of requirement 1. A Joker stands in a run only where no natural for the place is
   held, with one exception: where both melds are runs and the rest of the hand leaves no second one, the first run
   spares naturals. It takes as few further Jokers as give a second run, within the Joker limit, at the first places
   in the order of their combinations, lowest first; a window still has one code.
5. A SHIFT opens the skirmish. The queen leaves the hand. Seats clockwise from the left of the last player of a card
   (the Shifter at first), that player excepted, are asked BLOCK if they hold a Joker, may block and keep a card;
   others pass without a step. A Joker played restarts the round of questions at the left of its player. It ends
   when all have passed or all Jokers of the deck lie in this skirmish. Then, where ``override_needs`` allows, seats
   clockwise from the left of the player of the last Joker, that player excepted, are asked OVERRIDE if they hold a
   shift queen, may override and keep a card; the first that plays one ends it.
6. No Joker was played: the Shifter takes a card of the draw pile (PICK), the queen joins the pile, the pile is
   shuffled. Override: its player takes two cards (PICK twice, or as many as there are), the pile is shuffled.
   Otherwise the last Joker's player draws replacements one by one, as long as there are cards. The queens and
   Jokers of a skirmish with a Joker are out until the next round. With ``shifter_retrump = "restores_shift"`` a
   Shifter whose Joker won takes the PICK in place of replacements, and the pile is shuffled without the queen.
7. DISCARD ends the turn; a hand that is empty then ends the round. A bury happens right after the discard, unless
   the round has ended.

A shuffle during the round takes the permutation of the common stream (round, RESHUFFLE, None, k), where k counts the
shuffles of the round from 0, over the same 112 places: of a type with one copy in the shuffled pile the place of deck
0 counts, with two copies both; of j Jokers the places 104 to 103 + j. The order gives the pile from the top (for a
bury: the new bottom part from its top).

Whenever after a step the draw pile is empty and the discard pile has two cards or more, all but its top card are
shuffled into a new draw pile at once (also in the middle of drawing replacements).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sim.facts import (
    Ability,
    Classes,
    Decision,
    Design,
    Lever,
    Measure,
    Question,
    Reading,
    Seating,
    Side,
    Standing,
    TableSpec,
    Tier,
)
from sim.game import Engine, Game, Rulebook
from sim.games.celestial_ranks.numbers import (
    BLOCK_PLAY,
    COURT,
    COURT_NAMES,
    COURTS,
    DECLARE,
    DISCARD,
    DRAW,
    LAY_AUTO,
    LAY_MELD,
    LAY_OFF,
    LAY_OFF_MANY,
    MELDS,
    OVERRIDE_PLAY,
    PICK,
    SHIFT_PLAY,
    contract_number,
    contract_text,
)
from sim.variant import Field, Variant


def _contract_wrong(text: str) -> str | None:
    parts = text.split()
    if len(parts) == 2 and all(part in MELDS for part in parts):
        return None
    return f'a contract is two melds out of {", ".join(MELDS)}, such as "S3 R3".'


def _contract_fields() -> list[Field]:
    return [
        Field(f"contracts.{court}.{element}", text, "", check=_contract_wrong)
        for court, elements in COURTS.items()
        for element, text in elements.items()
    ]


FIELDS: tuple[Field, ...] = (
    Field("decks", 2, "Decks of 52 cards", choices=(1, 2), rule="CR-01"),
    Field("jokers", 4, "Jokers in all", low=0, high=8, rule="CR-01"),
    Field("cards_dealt", 10, "Cards dealt to each player", low=6, high=14, rule="CR-S3"),
    Field("elements_to_win", 4, "Elements that win the game", low=1, high=4, rule="CR-S5"),
    Field(
        "court_assignment",
        "rotate",
        "Who gets which court: every set of distinct courts in turn, a random draw as at the table, the same court for "
        "all, or by choice in seat order",
        choices=("rotate", "random_distinct", "mirror", "choose"),
        rule="CR-03",
    ),
    Field("layoff_targets", "opponents", "Whose melds take lay-offs", choices=("opponents", "any"), rule="CR-05"),
    Field("laydown_extra", "allow", "May a meld be longer than required", choices=("allow", "exact"), rule="CR-06"),
    Field("layoff_same_turn", True, "May one lay off in the turn of laying down", rule="CR-07"),
    Field("distinct_ranks_for_two_sets", False, "Must the two sets of S3 S3 differ in rank", rule="CR-10"),
    Field("set_distinct_suits", False, "May a set hold a suit once only", rule="CR-11"),
    Field("ace", "both", "Where the Ace goes in a run", choices=("both", "low", "high"), rule="CR-13"),
    Field(
        "joker_limit",
        "strict",
        "Jokers in a mixed meld: fewer than naturals, no limit, one",
        choices=("strict", "none", "one_per_meld"),
        rule="CR-15",
    ),
    Field("alljoker_any_requirement", False, "Do three Jokers satisfy a meld of four or more", rule="CR-17"),
    Field("shift_queens", "red", "Which queens shift and bury", choices=("red", "all"), rule="CR-23"),
    Field(
        "shift_timing",
        "after_draw",
        "When a Shift may be played",
        choices=("after_draw", "any_time_on_turn"),
        rule="CR-25",
    ),
    Field("max_shifts_per_turn", 99, "Shifts allowed in one turn", low=0, high=99, rule="CR-26"),
    Field(
        "bury",
        "all",
        "What a discarded Joker or two-eyed queen buries: the pile with it, the pile without it, nothing",
        choices=("all", "all_but_trigger", "off"),
        rule="CR-32",
    ),
    Field(
        "goout",
        "discard_required",
        "Must the last card be discarded",
        choices=("discard_required", "meld_all_ok"),
        rule="CR-36",
    ),
    Field(
        "element_order",
        "free",
        "Which element may be declared",
        choices=("free", "listed", "easiest_first", "hardest_first"),
        rule="CR-41",
    ),
    Field("retry", "locked", "After a failed element", choices=("locked", "redeclare"), rule="CR-42"),
    Field(
        "next_starter",
        "rotate",
        "Who starts the next round",
        choices=("rotate", "out_player", "left_of_out", "eldest_always"),
        rule="CR-43",
    ),
    Field("must_go_out_to_win", False, "Must the winner be the one who went out", rule="CR-45"),
    Field(
        "tie",
        "replay",
        "Several finish and another goes out",
        choices=("replay", "share", "fewest_cards"),
        rule="CR-46",
    ),
    Field(
        "shifter_retrump",
        "prize_only",
        "What the Shifter's own Joker wins",
        choices=("prize_only", "restores_shift", "forbidden"),
        rule="CR-48",
    ),
    Field(
        "replacement",
        "own_spent+1",
        "How many cards the winner of a skirmish draws",
        choices=("own_spent+1", "all_spent+1"),
        rule="CR-51",
    ),
    Field(
        "override_needs",
        "all_deck_jokers",
        "When a queen may override: all Jokers lie in this skirmish, or everybody has passed on the last one",
        choices=("all_deck_jokers", "all_others_passed"),
        rule="CR-53",
    ),
    Field(
        "turn_cap", 100, "Turns of each player after which a round ends with nobody out", low=1, high=250, rule="CR-29"
    ),
    Field("round_cap", 60, "Rounds after which the game ends undecided", low=1, high=60, rule="CR-CAP"),
    *_contract_fields(),
)

ABILITIES = (
    Ability(
        "shift",
        "Stardust Shift",
        "A two-eyed queen fetches any card of the draw pile.",
        "The seat's two-eyed queens are plain queens; it cannot block or override either.",
    ),
    Ability(
        "block",
        "Shift Block",
        "A Joker cancels a Shift and wins replacement cards.",
        "The seat cannot answer a Shift; overriding falls away with it.",
        parent="shift",
    ),
    Ability(
        "override",
        "Queen override",
        "When all Jokers are down, a two-eyed queen takes the skirmish and fetches two cards.",
        "The seat cannot override; the last Joker decides.",
        parent="block",
    ),
    Ability(
        "wild",
        "Wild Jokers",
        "A Joker stands for any card of a meld.",
        "The seat cannot meld or lay off Jokers; they still block and bury.",
    ),
    Ability(
        "bury",
        "Bury",
        "A discarded Joker or two-eyed queen sends the discard pile under the draw pile.",
        "The seat's own discards do not bury.",
    ),
)

READINGS = (
    Reading(
        "CR-42",
        "The text lets everybody declare each round, and makes whoever failed replay.",
        "Whoever failed is locked to the same element.",
        "contradiction",
        (("a free choice every round", {"retry": "redeclare"}),),
    ),
    Reading(
        "CR-05",
        "Lay-offs go on opponents' melds; one's own are not mentioned.",
        "On opponents' melds only, as written: a player alone on the table cannot shed a card.",
        "gap",
        (("on any meld", {"layoff_targets": "any"}),),
    ),
    Reading(
        "CR-06",
        "Whether a meld may be longer than its requirement when it is laid down.",
        "It may.",
        "gap",
        (("exactly the required length", {"laydown_extra": "exact"}),),
    ),
    Reading(
        "CR-15",
        "A meld with Jokers needs more standard cards than Jokers; other tables play other limits.",
        "Naturals outnumber Jokers, checked at every lay-off too.",
        "gap",
        (("no limit", {"joker_limit": "none"}), ("one Joker a meld", {"joker_limit": "one_per_meld"})),
    ),
    Reading(
        "CR-17",
        "Whether three Jokers satisfy a requirement of four.",
        "No: the length must reach the requirement too.",
        "gap",
        (("three Jokers satisfy any requirement", {"alljoker_any_requirement": True}),),
    ),
    Reading(
        "CR-11",
        "Two decks hold identical cards; whether a set may hold a suit twice.",
        "It may.",
        "gap",
        (("a suit once only", {"set_distinct_suits": True}),),
    ),
    Reading(
        "CR-10",
        "Whether two sets may be of one rank.",
        "They may.",
        "gap",
        (("ranks must differ", {"distinct_ranks_for_two_sets": True}),),
    ),
    Reading(
        "CR-23",
        "The text calls the queens of hearts and diamonds two-eyed; on printed packs all queens show two eyes.",
        "The queens of hearts and diamonds.",
        "gap",
        (("all queens", {"shift_queens": "all"}),),
    ),
    Reading(
        "CR-25",
        "When in the turn a Shift may be played.",
        "After the draw and before the discard.",
        "gap",
        (("at any time of the turn", {"shift_timing": "any_time_on_turn"}),),
    ),
    Reading(
        "CR-32",
        "Whether the discarded Joker or queen itself is buried with the pile.",
        "It is; the discard pile is empty then.",
        "gap",
        (("it stays on top", {"bury": "all_but_trigger"}),),
    ),
    Reading(
        "CR-36",
        "Whether one may go out by melding the last card.",
        "No: the last card is discarded.",
        "gap",
        (("melding all is enough", {"goout": "meld_all_ok"}),),
    ),
    Reading(
        "CR-41",
        "In which order the elements are collected.",
        "In any order.",
        "gap",
        (("in printed order", {"element_order": "listed"}),),
    ),
    Reading(
        "CR-43",
        "Who starts the rounds after the first.",
        "The start moves on clockwise.",
        "gap",
        (
            ("whoever went out", {"next_starter": "out_player"}),
            ("the player to the left of whoever went out", {"next_starter": "left_of_out"}),
            ("always the eldest", {"next_starter": "eldest_always"}),
        ),
    ),
    Reading(
        "CR-45",
        "Whether a single finisher who did not go out has won.",
        "He has.",
        "gap",
        (("only whoever goes out can win", {"must_go_out_to_win": True}),),
    ),
    Reading(
        "CR-46",
        "Several finish and none of them went out: both must replay.",
        "All of them lose that element and replay it.",
        "gap",
        (("they share the win", {"tie": "share"}), ("the fewest cards left win", {"tie": "fewest_cards"})),
    ),
    Reading(
        "CR-48",
        "Whether the Shifter may answer a block with a Joker of his own, and what he wins.",
        "He may; he wins the replacement cards, the Shift stays cancelled.",
        "gap",
        (
            ("his Joker restores the Shift", {"shifter_retrump": "restores_shift"}),
            ("he may not", {"shifter_retrump": "forbidden"}),
        ),
    ),
    Reading(
        "CR-51",
        "What counts as a lost card when the winner draws replacements.",
        "The cards that the winner spent himself, and one more.",
        "gap",
        (("every card spent in the skirmish, and one more", {"replacement": "all_spent+1"}),),
    ),
    Reading(
        "CR-53",
        "When all Jokers count as used for the override.",
        "When every Joker of the deck lies in this skirmish, which is very rare.",
        "gap",
        (("when everybody has passed on the last one", {"override_needs": "all_others_passed"}),),
    ),
    Reading(
        "CR-01",
        "The number of decks and Jokers is not in the text.",
        "Two decks and four Jokers, from the publisher's page and the words about four trumps.",
        "source",
        (("one deck, two Jokers", {"decks": 1, "jokers": 2}),),
    ),
    Reading(
        "CR-04",
        "The Mother's Twist is named and never explained.",
        "Only the rule stated with it: no action but the last discard may empty a hand.",
        "gap",
    ),
)

DECISIONS = (
    Decision(DECLARE, "declare", "contract number", "place of the element in the court's printed list"),
    Decision(DRAW, "draw", "0 draw pile, 1 discard pile, 2 nothing (no card can be drawn from the draw pile)"),
    Decision(LAY_AUTO, "lay down, arranged automatically"),
    Decision(LAY_MELD, "lay down one meld", "see hands.meld_options", "see hands.meld_options"),
    Decision(
        LAY_OFF,
        "lay off a card",
        "card type",
        "seat * 4 + meld * 2 + end (0 low end or a set, 1 high end); an Ace at the high end has end 1",
    ),
    Decision(
        LAY_OFF_MANY,
        "lay several naturals at once on a meld of Jokers only",
        "cards at the low end (or on the set) * 16 + cards at the high end",
        "seat * 4 + meld * 2",
        "Offered only when single naturals would break the Joker limit and all of them together do not; for each place "
        "the lowest card type held that fits is taken, a set takes the lowest types first.",
    ),
    Decision(SHIFT_PLAY, "play a Stardust Shift", "card type of the queen"),
    Decision(BLOCK_PLAY, "answer a Shift", "0 pass, 1 play a Joker"),
    Decision(OVERRIDE_PLAY, "override with a queen", "0 pass, else card type of the queen + 1"),
    Decision(PICK, "take a card from the draw pile", "card type"),
    Decision(DISCARD, "discard", "card type"),
    Decision(COURT, "choose a court", "court"),
)

# Numbers of the skilled player, in the order of `policies`; `tuning.md` says how they were found.
SKILLED_WEIGHTS = (0.0, 0.0, 0.0, 40.0, 8.0, 2.0, 0.0, 1.0, 1.0, 12.0, 8.0, 900.0)

TIERS = (
    Tier("random", 0, "picks uniformly among the codes of each step; for tests, never for a verdict"),
    Tier("novice", 1, "takes what completes, lays down when it can, discards the least useful card"),
    Tier(
        "skilled",
        2,
        "counts unseen copies, reads pick-ups and discards, shifts, blocks and discards with a purpose",
        SKILLED_WEIGHTS,
    ),
    Tier("expert", 3, "plays like skilled unless a search to the end of the round is sure of something better"),
)

QUESTIONS = (
    Question(
        "printed-order",
        "Declaring in printed order",
        "One player declares the elements of his court in the order in which they are printed.",
        Tier("skilled", 2, "declares in printed order", (-1.0, *SKILLED_WEIGHTS[1:])),
    ),
    Question(
        "hardest-first",
        "Declaring the hardest first",
        "One player declares the hardest element that is left.",
        Tier("skilled", 2, "declares the hardest first", (3.0, 3.0, 3.0, *SKILLED_WEIGHTS[3:])),
    ),
)

CONTRACT_LABELS = tuple(contract_text(i) for i in range(81))


def chosen(variant: Variant) -> bool:
    """Tell whether the players choose their courts themselves."""
    return bool(variant["court_assignment"] == "choose")


def seating(variant: Variant) -> str:
    """Return how the courts are seated; a choice is made in the game, by whoever sits there."""
    return {"random_distinct": "random", "mirror": "mirror"}.get(str(variant["court_assignment"]), "balanced")


def margins(seats: int) -> dict[str, float]:
    """Return the margins of balance: 2 points for the first of two seats, otherwise a tenth of the null."""
    return {"first_seat": 0.02 if seats == 2 else 0.1 / seats, "side": 0.1 / seats}


def check(variant: Variant, seats: int) -> str | None:
    """Return why the variant cannot be played by so many, or None."""
    total = 52 * variant["decks"] + variant["jokers"]
    dealt = seats * variant["cards_dealt"]
    left = total - dealt - 1
    if left < 1:
        return (
            f"{seats} players cannot be dealt: {total} cards - {seats} x {variant['cards_dealt']} dealt - 1 flipped = "
            f"{left} left for the draw pile; at least 1 is needed."
        )
    for key, text in variant.group("contracts").items():
        if (sentence := _impossible(variant, str(text))) is not None:
            return f"contracts.{key} = {text!r} can be met by no hand: {sentence}"
    return None


def _impossible(variant: Variant, text: str) -> str | None:
    lengths = [int(part[1]) for part in text.split()]
    spare = 0 if variant["goout"] == "meld_all_ok" else 1
    held = variant["cards_dealt"] + 1 - spare
    if sum(lengths) > held:
        return f"it takes {sum(lengths)} cards, and a hand after the draw can lay down {held}."
    if variant["set_distinct_suits"] and "S5" in text:
        few = variant["alljoker_any_requirement"] and variant["jokers"] >= 3
        return None if few else "a set of five needs a suit twice, and set_distinct_suits forbids it."
    copies = 4 if variant["set_distinct_suits"] else 4 * variant["decks"]
    sets = [n for part, n in zip(text.split(), lengths) if part[0] == "S"]
    needed = sum(max(n - copies, 0) for n in sets)
    if needed > variant["jokers"]:
        return f"it takes {needed} Jokers beside the {copies} cards of a rank; there are {variant['jokers']}."
    return None


def warn(variant: Variant, seats: int) -> str | None:
    """Return a warning for a variant that can be dealt but hardly played, or None."""
    left = 52 * variant["decks"] + variant["jokers"] - seats * variant["cards_dealt"] - 1
    if left < 2 * seats:
        return f"Only {left} cards are left for the draw pile of {seats} players: the pile is reshuffled all the time."
    return None


def pools(variant: Variant) -> tuple[str, ...]:
    """Return for each court the name of its class: the courts with the same contracts, listed."""
    sets = [tuple(sorted(contract_number(str(t)) for t in variant.group(f"contracts.{c}").values())) for c in COURTS]
    return tuple("/".join(COURT_NAMES[j] for j in range(5) if sets[j] == sets[i]) for i in range(5))


def _engine() -> Engine:
    from sim.games.celestial_ranks.engine import make_engine
    from sim.games.celestial_ranks.policies import choose

    return make_engine(choose)


def _rulebook() -> Callable[..., Rulebook]:
    from sim.games.celestial_ranks import rulebook

    made: Any = rulebook.CelestialRanks
    return made  # type: ignore[no-any-return]


TABLES = (
    TableSpec(
        "courts",
        "Courts as they were chosen",
        "Players chose their courts in seat order: an observation, not a verdict on the courts.",
        "games",
        ("court",),
        (
            Measure("taken", "seats per game", "1", "game", "number", "Seats with this court, per seat and game."),
            Measure("share", "win share", "share", "1", "share", "Win share of the seats that took it."),
        ),
        {"court": COURT_NAMES},
        when=chosen,
    ),
    TableSpec(
        "contracts",
        "Contracts",
        "One row per contract over all rounds in which it was declared.",
        "rounds",
        ("contract",),
        (
            Measure("laid", "laid down", "laid", "1", "share", "Share of rounds in which the contract was laid down."),
            Measure(
                "laid_turn", "own turns until then", "laid_turn", "laid", "number", "Own turns until the lay-down."
            ),
            Measure(
                "tries",
                "rounds spent",
                "1",
                "collected",
                "number",
                "Rounds for each time it was collected.",
            ),
            Measure("left", "cards left", "left", "1", "number", "Cards left in the hand when the round ended."),
            Measure(
                "last",
                "last one missing",
                "last",
                "1",
                "share",
                "Share of rounds in which it was the last one missing.",
            ),
            Measure("out", "went out", "out", "1", "share", "Share of rounds in which its player went out."),
        ),
        {"contract": CONTRACT_LABELS},
    ),
    TableSpec(
        "distance",
        "By distance from the round's starter",
        "Distance 0 starts the round; the share of rounds each distance collects and goes out.",
        "rounds",
        ("distance",),
        (
            Measure(
                "collected",
                "collected",
                "collected",
                "1",
                "share",
                "Share of rounds in which the element was collected.",
            ),
            Measure("out", "went out", "out", "1", "share", "Share of rounds in which this distance went out."),
            Measure(
                "laid_turn", "own turns to lay down", "laid_turn", "laid", "number", "Own turns until the lay-down."
            ),
        ),
        {"distance": ("starter", "1 after", "2 after", "3 after", "4 after")},
    ),
    TableSpec(
        "order",
        "What is declared when",
        "How many elements a seat already had when it declared each contract.",
        "rounds",
        ("contract", "had"),
        (
            Measure("declared", "rounds", "1", "game", "number", "Rounds per seat and game."),
            Measure("laid", "laid down", "laid", "1", "share", "Share of these rounds in which it was laid down."),
        ),
        {"contract": CONTRACT_LABELS, "had": ("none yet", "1 collected", "2 collected", "3 collected")},
    ),
    TableSpec(
        "pace",
        "Pace of a round",
        "Per seat and round.",
        "rounds",
        (),
        (
            Measure("turns", "own turns", "turns", "1", "number", "Own turns per round."),
            Measure(
                "idle",
                "draw-and-discard turns",
                "idle",
                "turns",
                "share",
                "Turns in which only drawing and discarding was possible.",
            ),
            Measure(
                "stuck",
                "rounds on one element",
                "tries",
                "1",
                "number",
                "Which try on the same element the round is, on average.",
            ),
            Measure("capped", "capped rounds", "capped", "1", "share", "Rounds that ended with nobody out."),
            Measure("shifts", "Shifts", "shifts", "1", "per_1000", "Shifts played per 1,000 rounds of a seat."),
            Measure("met", "Shifts met", "shifts_met", "shifts", "share", "Share of Shifts that a Joker answered."),
            Measure(
                "retrumped",
                "re-trumped",
                "retrumped",
                "shifts",
                "share",
                "Share of Shifts in which a second Joker was played.",
            ),
        ),
    ),
)

LEVERS = (
    Lever("9 cards dealt", {"cards_dealt": 9}),
    Lever("11 cards dealt", {"cards_dealt": 11}),
    Lever("three elements win", {"elements_to_win": 3}),
    Lever("2 Jokers", {"jokers": 2}),
    Lever("6 Jokers", {"jokers": 6}),
    Lever("one deck, 2 Jokers", {"decks": 1, "jokers": 2}),
)


def _worth() -> tuple[Callable[..., Any] | None, Callable[..., Any]]:
    from sim.games.celestial_ranks import worth

    return worth.FIRST_DEAL, worth.WORTH


GAME = Game(
    name="celestial-ranks",
    title="Celestial Ranks",
    seats=(2, 3, 4, 5),
    default_seats=4,
    sides=(
        Side("Summer", "#D55E00"),
        Side("Winter", "#0072B2"),
        Side("Autumn", "#E69F00"),
        Side("Spring", "#009E73"),
        Side("Human", "#CC79A7"),
    ),
    side_word="court",
    fields=FIELDS,
    abilities=ABILITIES,
    readings=READINGS,
    decisions=DECISIONS,
    tiers=TIERS,
    engine=_engine,
    rulebook=_rulebook,
    margins=margins,
    games=200_000,
    folder=Path(__file__).parent,
    tables=TABLES,
    check=check,
    warn=warn,
    seconds_per_turn=20.0,
    sources=(
        "The rules text of Celestial Ranks (Mrs. E's Card Nook).",
        "Number of players, decks and Jokers: the game's page at cchartly.com/mrs-e.",
    ),
    summary="A rummy race of five courts: four contracts to lay down, wild Jokers, queens that fetch cards.",
    glossary={
        "contract": "The two melds that earn an element: S set, R run of any suits, F flush run, with their lengths.",
        "class": "Courts with the same four contracts; they are the same court under several names and are pooled.",
        "Shift": "A two-eyed queen (hearts or diamonds) played to fetch a card from the draw pile.",
        "skirmish": "The exchange of Jokers, and at last queens, that answers a Shift.",
        "bury": "A discarded Joker or two-eyed queen sends the discard pile under the draw pile.",
        "capped round": "A round that ended with nobody out.",
    },
    groups=(
        Seating(of=seating, chosen=chosen),
        Classes(pools, (("Fae courts against the Human Realm", COURT_NAMES[:4], COURT_NAMES[4:]),)),
        Standing("collected", _worth),
        Design(questions=QUESTIONS, levers=LEVERS),
    ),
)
