"""Elestrals: facts. Two players, twenty Spirits each that are life and mana at once, real starter decks.

Cards have numbers in the order of their names (`cards.Card.number`); instance i of a seat is the i-th of its deck
list, plus 40 times the seat. A game, step by step; every step in capitals is a decision of the trace (`codes.py`),
also when only one code is possible, except that in windows and chains nobody is asked who could only pass, and nobody
for donors who has none. What a player is asked next when several things have to be chosen is fixed here; the rulebook
is the exact text.

1. FIRST, only with ``first = "chosen"`` (a common draw says who decides) and, in a match, by the loser of the game
   before.
2. Shuffles: the order of a deck is by ascending ``stream.word(4 * number + copy)`` of the packet's private stream
   (game of the match, DECK, packet, k), k = 0, 1, ... counting the shuffles of the seat; copies of a card are
   numbered in the deck list. The starter's deck first, then the other's; then both draw; then MULLIGAN: the starter
   until it declines, then the other: PAY for the price one by one, hand under the deck, shuffle, draw.
3. A turn: durations end, borrowed bodies go home in the order of places; Draw Phase (draw, window); Main Phase;
   Battle Phase; End Phase (effects of the End Phase, then what was delayed, as waiting effects; window).
4. A window: turn player and other player are asked in turn for Counters and, as the base of a chain, the turn player
   for abilities of the phase; it ends when both pass one after the other before a chain has begun; after a chain it
   begins again.
5. Main Phase: before each action the state effects are looked at. One decision lists all actions: NEXT, CAST, ASCEND,
   ENCHANT, DRAW, SET, TURN, RUNE, CAST_SET, USE, ROUTE.
6. What an action asks, in order. CAST: tax, Spirits (PAY), POSITION. ENCHANT, DRAW: PAY. ASCEND, and each Ascend by
   an effect: tax, the new Spirit (PAY), DONOR until DONE, POSITION. RUNE and CAST_SET: GIVE_UP, tax, the card's
   Spirits, the Spirits of its text's costs, discards; HOST of an Artifact; targets (TARGET, or SEARCH for cards
   outside the field). USE: costs, targets. ROUTE: the body (TARGET), costs, then as CAST or ASCEND. Spirits that are
   paid together stay payable together: a code that would make the rest unpayable is not offered; elements come before
   the rainbow, narrow wishes before wide ones. After that, cards under their cost leave.
7. The action is the base of a chain. Turn player and other player are asked in turn for links: CAST_SET (Counters
   whose window is open) or ANSWER (effects on a link or on the declared attack); two passes close it. Links resolve
   newest first; after each, cards under their cost leave.
8. Then the effects that wait (events met their conditions) make the next chain: first the turn player's, in the order
   that the player puts them there (TRIGGER, DONE when none of them must be used), then the other's; costs and targets
   at once. Counters that speak of an arrival may be added, even if nothing else is there. And so on until nothing
   waits. Events are heard by the cards of the turn player first, in the order of places, then by cards in hands.
9. Steps of an effect run in order: an optional one asks YES or DONE first; picks are TARGETs made then; a Search is
   SEARCH then shuffle; Spirits are PAYs; a Nexus is NEXUS_FROM, PAYs, NEXUS_TO. After each step cards under their
   cost leave.
10. Battle Phase: one decision lists DONE, ATTACK, CAST_SET and USE. An ATTACK is the base of a chain; then it is
    negated (used up), or illegal (taken back), or the two enter battle: their effects, a window, the comparison.
    Bodies leave, then the difference is Expended, PAY by PAY (none asked where the whole Spirit Deck goes), then
    effects that wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

from sim.errors import UsageError
from sim.facts import (
    Ability,
    Cards,
    Design,
    Lever,
    Measure,
    OwnSides,
    Question,
    Reading,
    Side,
    TableSpec,
    Tier,
)
from sim.game import Engine, Game, Rulebook
from sim.games.elestrals import cards
from sim.games.elestrals.codes import DECISIONS
from sim.games.elestrals.language import EffectError, cost_of
from sim.games.elestrals.numbers import (
    DECK_NAMES,
)
from sim.games.elestrals.weights import SKILLED_WEIGHTS
from sim.variant import Field, Variant

# Colours of the eleven decks: told apart without hue by the order of lightness too.
COLOURS = {
    "Centaurbor": "#8C6D31",
    "Chronodile": "#17BECF",
    "Emperowatt": "#BCBD22",
    "Fulgoryx": "#5254A3",
    "Kryoscorch": "#E377C2",
    "Majesea": "#0072B2",
    "Ohmperial": "#E69F00",
    "Penterror": "#009E73",
    "Pharogeist": "#7F7F7F",
    "Posthumoose": "#CC79A7",
    "Trifernal": "#D55E00",
}
OWN_COLOURS = ("#1F78B4", "#33A02C", "#E31A1C", "#FF7F00", "#6A3D9A", "#B15928", "#A6CEE3", "#FB9A99")
STARTERS = tuple(Side(name, COLOURS[name], cards.starter_decks()[name].note) for name in DECK_NAMES)


def _numbers() -> tuple[Field, ...]:
    return (
        Field(
            "starting_spirits",
            20,
            "Spirits of each player; a deck's own list is scaled to it.",
            (),
            1,
            60,
            rule="EL-D2",
        ),
        Field("opening_hand", 5, "Cards drawn before the first turn.", (), 0, 12, rule="EL-S4"),
        Field("mulligan_price", 2, "Spirits to Expend for each mulligan.", (), 0, 10, rule="EL-S5"),
        Field("mulligan_floor", 0, "Spirits that must be left after a mulligan.", (), 0, 20, rule="EL-S5"),
        Field("max_mulligans", 10, "Mulligans that one player may take.", (), 0, 10, rule="EL-S5"),
        Field("first_turn_draw", False, "The first turn of the game has a Draw Phase.", rule="EL-S6"),
        Field("first_turn_battle", False, "The first turn of the game has a Battle Phase.", rule="EL-S6"),
        Field("cards_per_draw_phase", 1, "Cards drawn in a Draw Phase.", (), 0, 5, rule="EL-P1"),
        Field("normal_actions", 1, "Normal Actions in each Main Phase.", (), 0, 4, rule="EL-M1"),
        Field("normal_cast_cost", 1, "The dearest Elestral that may be Normal Cast.", (), 1, 3, rule="EL-M2"),
        Field("elestral_slots", 4, "Slots of the Elestral Row.", (), 1, 4, rule="EL-C1"),
        Field("rune_slots", 4, "Slots of the Rune Row.", (), 1, 4, rule="EL-R1"),
        Field(
            "turn_cap", 120, "Turns of both players together after which a game is a draw.", (), 2, 400, rule="EL-X4"
        ),
        Field(
            "match_wins",
            1,
            "Games that a player must win; the loser of a game decides who starts the next.",
            (),
            1,
            3,
            rule="EL-S2",
        ),
    )


def _decks_wrong(text: str) -> str | None:
    try:
        cards.own_decks(text)
    except UsageError as error:
        return str(error)
    return None


def _switches() -> tuple[Field, ...]:
    return (
        Field(
            "lists",
            "assumed",
            "Copies in the starter decks, which nobody published: as assumed, the boss twice, the Stadium twice, or "
            "Spirits spread flatter.",
            tuple(cards.LISTS),
            rule="EL-D2",
        ),
        Field(
            "decks",
            "",
            "Decks of your own beside the starter decks, as JSON; --sides FILE.toml fills it in.",
            rule="EL-D1",
            check=_decks_wrong,
        ),
        Field(
            "first",
            "seat",
            "Who starts: seat 0 (every deal is played both ways), whom a random player chooses, or chance.",
            ("seat", "chosen", "random"),
            rule="EL-S2",
        ),
        Field(
            "payment",
            "asked",
            "Each Spirit paid or lost is a decision, or the helper chooses it.",
            ("asked", "helper"),
            rule="EL-K8",
        ),
        Field(
            "misenchanted_cast",
            True,
            "An Elestral may be Normal Cast or Ascended with Spirits that do not fit.",
            rule="EL-K4",
        ),
        Field(
            "misenchanted_rune",
            "stays",
            "A Rune left with enough Spirits of the wrong kind stays without effect, or leaves.",
            ("stays", "leaves"),
            rule="EL-K5",
        ),
        Field(
            "cost_check",
            "step",
            "Cards under their cost leave after each step, or only after each link of a chain.",
            ("step", "link"),
            rule="EL-K3",
        ),
        Field(
            "rune_leaves",
            "destroyed",
            "An Artifact without host and a replaced Stadium are destroyed, or sent.",
            ("destroyed", "sent"),
            rule="EL-R7",
        ),
        Field(
            "give_up_face_down", True, "A Set Rune may make room for an Invoke when the Rune Row is full.", rule="EL-R6"
        ),
        Field(
            "trigger_order",
            "turn_player",
            "Whose conditional effects go onto a chain first.",
            ("turn_player", "other"),
            rule="EL-H5",
        ),
        Field("target_recheck", True, "A target that no longer fits is skipped on resolution.", rule="EL-F4"),
        Field(
            "foretell_rest",
            "same",
            "What happens to foretold cards that nobody takes.",
            ("same", "reorder", "shuffle", "bottom"),
            rule="EL-F9",
        ),
        Field("special_ascend_is_special_cast", True, "A Special Ascend counts as a Special Cast.", rule="EL-C6"),
        Field(
            "ascend_this",
            "body_left",
            "Which of the two bodies an effect on ascending is about.",
            ("body_left", "new_body"),
            rule="EL-C7",
        ),
        Field("receive_on_cast", False, "A card's own cast counts as receiving Spirits.", rule="EL-F6"),
        Field(
            "piercing",
            "difference",
            "What Piercing takes: the difference of Spirits, or all of the attacker's.",
            ("difference", "full"),
            rule="EL-B9",
        ),
        Field(
            "stat_swap_layer",
            "base",
            "Attack and defence are swapped before bonuses, or after.",
            ("base", "final"),
            rule="EL-F3",
        ),
        Field(
            "defatk_result",
            "attack",
            "An attacker in Defence Position that is weaker is destroyed, or nothing happens.",
            ("attack", "defence"),
            rule="EL-B10",
        ),
        Field(
            "arrow_window",
            "after",
            "A Counter on an arrival comes after the cast, or answers it.",
            ("after", "link"),
            rule="EL-H7",
        ),
        Field("set_is_play", False, "Setting a Rune counts as playing it (taxes, locks).", rule="EL-M4"),
        Field(
            "nodie_loser_expends",
            False,
            "A body that survives a lost battle still costs the difference.",
            rule="EL-B11",
        ),
        Field(
            "named_in_play",
            "any",
            "A card named as in play may be anybody's, or must be one's own.",
            ("any", "own"),
            rule="EL-F2",
        ),
        Field("hand_or_deck_is_search", True, "An effect on a card in hand or deck counts as a Search.", rule="EL-F8"),
        Field(
            "steal_home_full",
            "underworld",
            "A borrowed body that finds its row full goes to the Underworld, or stays.",
            ("underworld", "stay"),
            rule="EL-F10",
        ),
        Field(
            "lock_ends_when_misenchanted",
            True,
            "What lasts while its source stays ends when the source is Misenchanted.",
            rule="EL-F5",
        ),
        Field(
            "negated_attack_counts", True, "A body whose attack was negated counts as having attacked.", rule="EL-B4"
        ),
    )


def _cost_wrong(text: str) -> str | None:
    try:
        total = sum(cost_of(text))
    except EffectError as error:
        return str(error)
    return None if 1 <= total <= 6 else "a card costs 1 to 6 Spirits."


def card_key(name: str, fact: str) -> str:
    """Return the key of the field that overrides a card's `fact`."""
    return f"card.{cards.field_name(name)}.{fact}"


def _card_fields() -> tuple[Field, ...]:
    made: list[Field] = []
    for name in cards.playable():
        card = cards.all_cards()[name]
        letters = "Cost in letters: E F W I T R L S, O for any." if not made else ""
        made.append(Field(card_key(name, "cost"), card.letters, letters, rule="EL-K1", check=_cost_wrong))
        if card.is_elestral:
            made.append(Field(card_key(name, "attack"), card.attack, "", (), 0, 99))
            made.append(Field(card_key(name, "defence"), card.defence, "", (), 0, 99))
    return tuple(made)


FIELDS = (*_numbers(), *_switches(), *_card_fields())


def _abilities(found: Iterable[cards.Card]) -> tuple[Ability, ...]:
    """Return what can be switched off: each card with a text."""
    return tuple(
        Ability(
            card.key,
            card.name,
            "In the words of the effect language: " + " ; ".join(a.text for a in (*card.abilities, *card.faces)) + ".",
            f"{card.name} keeps its cost, stats, elements and type and loses its text.",
        )
        for card in found
        if card.abilities or card.faces
    )


CARDS = _abilities(cards.all_cards()[name] for name in cards.playable())

READINGS = (
    Reading("EL-D3", "What is 'a card' of which a deck holds three?", "The full name, title included."),
    Reading(
        "EL-S2",
        "A random player decides who starts; how is that played in an experiment?",
        "Seat 0 starts and every deal is played both ways, so that the choice can be judged from the results.",
        others=(("a random player decides", {"first": "chosen"}), ("chance decides", {"first": "random"})),
    ),
    Reading(
        "EL-S5", "Who takes mulligans first?", "The player who starts finishes, then the other; new hands stay hidden."
    ),
    Reading(
        "EL-S5",
        "Is a mulligan allowed that leaves no Spirits?",
        "Yes: reaching zero is not a loss.",
        others=(("one must be left", {"mulligan_floor": 1}),),
    ),
    Reading(
        "EL-K3",
        "When exactly does a card under its cost leave?",
        "After each step of an effect and after each payment, before the other player can answer.",
        others=(("only after a link of a chain", {"cost_check": "link"}),),
    ),
    Reading(
        "EL-K4",
        "May one cast or Ascend Misenchanted on purpose?",
        "Yes for the Normal Action and for Ascends; a Special Cast and a Rune must match.",
        others=(("no", {"misenchanted_cast": False}),),
    ),
    Reading(
        "EL-K5",
        "What of a continuous Rune with enough Spirits of the wrong kind?",
        "It stays without effect, like an Elestral.",
        others=(("it leaves", {"misenchanted_rune": "leaves"}),),
    ),
    Reading(
        "EL-K6", "Can a cost be chosen that one has too few Spirits for?", "No: only a forced Expend can lose the game."
    ),
    Reading("EL-K7", "Where do the Spirits under a card go that leaves the field?", "To their owner's Underworld."),
    Reading("EL-R3", "Can a Divine be loaded again by the Normal Action?", "No: it names Elestrals only."),
    Reading(
        "EL-R6",
        "May the Rune that makes room for an Invoke be a Set one?",
        "Yes; it gives no Spirits.",
        others=(("no", {"give_up_face_down": False}),),
    ),
    Reading(
        "EL-R7",
        "Is an Artifact without host, or a replaced Stadium, destroyed or sent?",
        "Destroyed; the text says both of the Stadium.",
        kind="contradiction",
        others=(("sent", {"rune_leaves": "sent"}),),
    ),
    Reading(
        "EL-R5", "Does a negated Stadium bring the old one back?", "No: the old one left before anybody could answer."
    ),
    Reading(
        "EL-R8",
        "What if the Elestral that an Artifact is cast on is gone on resolution?",
        "The Artifact goes to the Underworld.",
    ),
    Reading("EL-H2", "When is a chain closed?", "When both players pass in turn; the turn player is asked first."),
    Reading(
        "EL-H3",
        "May a Counter start a chain?",
        "The turn player may in the Main and Battle Phase, both in the Draw and End Phase.",
    ),
    Reading(
        "EL-H5",
        "In which order do several conditional effects go onto a chain?",
        "The turn player's first, in any order, then the other's, so that those resolve first.",
        others=(("the other's first", {"trigger_order": "other"}),),
    ),
    Reading(
        "EL-H6",
        "Must the source of a conditional effect still be there?",
        "Yes, unless the event is that it left or fought.",
    ),
    Reading(
        "EL-H4",
        "Is a search in the middle of an effect answered?",
        "The link of the effect is; a Search opens no chain of its own.",
    ),
    Reading(
        "EL-F4",
        "Does an effect work on a target that no longer fits its description?",
        "No: that part is skipped.",
        others=(("yes, if it is still there", {"target_recheck": False}),),
    ),
    Reading(
        "EL-F7",
        "When is an effect offered?",
        "When its costs can be paid, its targets exist and its first step can do something.",
    ),
    Reading("EL-B7", "What if both bodies are gone before the comparison?", "There is no result."),
    Reading(
        "EL-B3",
        "Is an attack that turns illegal used up?",
        "No: it is taken back; at most 16 declarations of one body a turn.",
    ),
    Reading(
        "EL-X3", "What if both players would lose?", "Losses are met one after the other, so the first one counts."
    ),
    *(
        Reading(rule, question, took, others=others)
        for rule, question, took, others in (
            (
                "EL-F9",
                "What happens to the rest of foretold cards?",
                "They go back in the same order.",
                (
                    ("any order", {"foretell_rest": "reorder"}),
                    ("shuffled in", {"foretell_rest": "shuffle"}),
                    ("to the bottom", {"foretell_rest": "bottom"}),
                ),
            ),
            (
                "EL-C6",
                "Is a Special Ascend a Special Cast?",
                "Yes.",
                (("no", {"special_ascend_is_special_cast": False}),),
            ),
            (
                "EL-C7",
                "Which body does 'when this Ascends' speak of?",
                "The one that is left behind.",
                (("the new one", {"ascend_this": "new_body"}),),
            ),
            ("EL-F6", "Does being cast count as receiving Spirits?", "No.", (("yes", {"receive_on_cast": True}),)),
            (
                "EL-B9",
                "What does Piercing take?",
                "The difference of Spirits, as in Attack Position.",
                (("all the attacker's Spirits", {"piercing": "full"}),),
            ),
            (
                "EL-F3",
                "Are attack and defence swapped before or after bonuses?",
                "Before.",
                (("after", {"stat_swap_layer": "final"}),),
            ),
            (
                "EL-B10",
                "What happens to a weaker attacker in Defence Position?",
                "It is compared as an attacker.",
                (("nothing", {"defatk_result": "defence"}),),
            ),
            (
                "EL-H7",
                "When is a Counter played that speaks of an arrival?",
                "After the cast, before the next action.",
                (("as an answer to the cast", {"arrow_window": "link"}),),
            ),
            ("EL-M4", "Is Setting a way of playing a card?", "No.", (("yes", {"set_is_play": True}),)),
            (
                "EL-B11",
                "Does a body that survives a lost battle cost the difference?",
                "No.",
                (("yes", {"nodie_loser_expends": True}),),
            ),
            ("EL-F2", "Whose card counts as in play?", "Anybody's.", (("one's own", {"named_in_play": "own"}),)),
            ("EL-F8", "Is 'from hand or deck' a Search?", "Yes.", (("no", {"hand_or_deck_is_search": False}),)),
            (
                "EL-F10",
                "Where does a borrowed body go whose row is full?",
                "To the Underworld.",
                (("it stays", {"steal_home_full": "stay"}),),
            ),
            (
                "EL-F5",
                "Does a lasting lock end when its source is Misenchanted?",
                "Yes.",
                (("no", {"lock_ends_when_misenchanted": False}),),
            ),
            (
                "EL-B4",
                "Has a body attacked whose attack was negated?",
                "Yes.",
                (("no", {"negated_attack_counts": False}),),
            ),
        )
    ),
)


def margins(seats: int) -> dict[str, float]:
    """Return the margins of the verdicts: first seat 2 points, a deck's overall share 3, one matchup 10."""
    return {"first_seat": 0.02, "side": 0.03, "pair": 0.10}


def check(variant: Variant, seats: int) -> str | None:
    """Say why a variant cannot be played, if so."""
    if variant["opening_hand"] > cards.DECK_CARDS:
        return f"An opening hand of {variant['opening_hand']} needs more than the {cards.DECK_CARDS} cards of a deck."
    if cards.own_cards(variant["decks"]):
        from sim.games.elestrals.tables import fits

        if not fits(variant["decks"]):
            return "The cards of your own decks say more than there is room for; leave some of them out."
    return None


def warn(variant: Variant, seats: int) -> str | None:
    """Say what looks odd about a variant, if anything."""
    if variant["normal_actions"] == 0:
        return "normal_actions = 0: no Elestral can be cast from the hand by the rules alone."
    if variant["starting_spirits"] < 8:
        return f"starting_spirits = {variant['starting_spirits']}: games end within a few casts."
    return None


def card_keys(variant: Variant, side: int) -> tuple[str, ...]:
    """Return the keys of a deck's cards in the order of the bits of an *off* mask."""
    return cards.decks_of(variant)[side].keys


def own_cards(variant: Variant) -> tuple[Ability, ...]:
    """Return what can be switched off of the cards that a variant's own decks bring."""
    return _abilities(cards.own_cards(variant["decks"]).values())


def sides_of(variant: Variant) -> tuple[Side, ...]:
    """Return the starter decks and the variant's own."""
    own = cards.own_decks(variant["decks"])
    return (
        *STARTERS,
        *(Side(deck.name, colour, "a deck of your own") for deck, colour in zip(own, cycle(OWN_COLOURS))),
    )


def read_side(variant: Variant, path: Path) -> tuple[Variant, str]:
    """Return the variant with the deck of a file, and the deck's name."""
    deck = cards.read_deck(path)
    try:
        text = cards.with_deck(variant["decks"], deck)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    return variant.changed(decks=text), deck.name


def plain_side(variant: Variant, side: int, key: str) -> tuple[Variant, str, str] | None:
    """Return the variant with one more deck, in which a plain body stands for a card; its name, and that body's key.

    The plain body is an Elestral without its text that costs one Spirit of the deck's main element: of those that the
    deck does not hold the one whose attack and defence together are in the middle.
    """
    deck = cards.decks_of(variant)[side]
    name = next(name for name in deck.names if cards.slug(name) == key)
    body = cards.plain_body(deck)
    if body is None or len(cards.own_decks(variant["decks"])) >= cards.MAX_OWN:
        return None
    counts = {body if card == name else card: copies for card, copies in deck.cards}
    title = f"{deck.name} plain {key}"[:40]
    other = cards.Deck(title, tuple(sorted(counts.items())), deck.spirits, own=deck.own)
    return variant.changed(decks=cards.with_deck(variant["decks"], other)), other.name, cards.slug(body)


def _engine() -> Engine:
    from sim.games.elestrals.engine import make_engine
    from sim.games.elestrals.policies import LOOKAHEAD, choose

    return make_engine(choose, LOOKAHEAD)


def _rulebook() -> Callable[..., Rulebook]:
    from sim.games.elestrals.rulebook import Rulebook as Rules

    made: Callable[..., Any] = Rules
    return made


# What each number says stands in `policies` (`W_...`); those of `skilled` in `skilled`.
NOVICE_WEIGHTS = (30.0, 20.0, 8.0, 4.0, 6.0, 5.0, 3.0, 4.0, 3.0, 4.0, 4.0, 1.0, 3.0, 12.0, 1.0, 0.0)
TIERS = (
    Tier("random", 0, "chooses with the same chance among all codes of each step"),
    Tier(
        "novice", 1, "takes the fights that it wins, never wastes its Normal Action, casts bodies first", NOVICE_WEIGHTS
    ),
    Tier(
        "skilled",
        2,
        "weighs fights, Spirits, effects and each card of its deck with numbers found by playing itself",
        SKILLED_WEIGHTS,
    ),
    Tier("expert", 3, "looks ahead: plays on from worlds that fit what it has seen, both sides by `skilled`"),
)

_DECK = ("side",)
TABLES = (
    TableSpec(
        "order",
        "Going first, deck by deck",
        "Each deck against all others: its win share when it starts and when it does not. A deck whose gain lies below "
        "zero should choose to go second.",
        "games",
        _DECK,
        (
            Measure("gain", "gained by going first", "share*order", "starter", "points", "Share first, less second."),
            Measure("first", "share going first", "share*starter", "starter", "share"),
        ),
    ),
    TableSpec(
        "ends",
        "How games end",
        "One row for winners (and draws), one for each way to lose: what each player has at the end.",
        "games",
        ("lost_by",),
        (
            Measure("part", "players", "1", "all", "share", "Of all players of all games."),
            Measure("turns", "turns", "turns", note="Turns of both players together."),
            Measure("life", "Spirits left", "points", note="In the Spirit Deck at the end."),
            Measure("field", "Spirits on the field", "field_spirits"),
            Measure("hand", "cards in hand", "hand_left", note="Never played: dead cards for who has lost."),
            Measure("deck", "cards in the deck", "deck_left"),
        ),
        labels={"lost_by": ("won or drawn", "out of Spirits", "out of cards")},
    ),
    TableSpec(
        "early",
        "Four turns in",
        "When each player has had four turns: is the game over, and does the player win who then has more Spirits?",
        "games",
        (),
        (
            Measure("over", "over by then", "over4", "1", "share", "Games decided within four turns of each player."),
            Measure("ahead", "leader wins", "share*ahead4", "ahead4", "share", "Of those ahead in Spirits then."),
        ),
        beside=True,
    ),
    TableSpec(
        "pace",
        "Bodies of cost 2 and 3",
        "How often and when each deck brings its dearer Elestrals into play; turns of both players are counted.",
        "games",
        _DECK,
        (
            Measure("two", "cost 2 seen", "cast2", "1", "share", "Games in which the deck brought one into play."),
            Measure("turn2", "turn of the first", "first_cost2", "cast2"),
            Measure("win2", "share when seen", "share*cast2", "cast2", "share", "Seen, not caused."),
            Measure(
                "three", "cost 3 seen", "cast3", "1", "share", "Games in which the deck brought its boss into play."
            ),
            Measure("turn3", "turn of the first", "first_cost3", "cast3"),
            Measure("win3", "share when seen", "share*cast3", "cast3", "share", "Seen, not caused."),
        ),
    ),
    TableSpec(
        "mulligans",
        "Mulligans taken",
        "Win share by the number of mulligans: who takes one had a bad hand and pays for it; what the choice itself is "
        "worth stands under the ways of playing.",
        "games",
        ("mulligans",),
        (
            Measure("part", "players", "1", "all", "share", "Of all players of all games."),
            Measure("share", "win share", "share", unit="share"),
        ),
    ),
    TableSpec(
        "spirits",
        "Where the Spirits go",
        "Per game and player: what is paid for bodies and Runes, for effects, for mulligans; what is lost in battle "
        "and to effects; what comes back.",
        "games",
        _DECK,
        (
            Measure("cast", "paid to cast", "paid_cast"),
            Measure("cost", "paid for effects", "paid_cost"),
            Measure("mulligan", "for mulligans", "paid_mulligan"),
            Measure("battle", "lost in battle", "lost_battle"),
            Measure("effect", "lost to effects", "lost_effect"),
            Measure("back", "recovered", "recovered"),
            Measure("field", "left on the field", "field_spirits"),
        ),
    ),
    TableSpec(
        "actions",
        "What a deck does",
        "Per game and player.",
        "games",
        _DECK,
        (
            Measure("cast", "bodies cast", "cast"),
            Measure("ascended", "Ascends", "ascended"),
            Measure("runes", "Runes played", "runes"),
            Measure("drawn", "cards drawn", "drawn"),
            Measure("hand", "cards left in hand", "hand_left"),
        ),
    ),
)

LEVERS = (
    Lever("30 Spirits", {"starting_spirits": 30}),
    Lever("15 Spirits", {"starting_spirits": 15}),
    Lever("opening hand of 7", {"opening_hand": 7}),
    Lever("first player draws", {"first_turn_draw": True}),
    Lever("first player may attack", {"first_turn_battle": True}),
    Lever("free mulligans", {"mulligan_price": 0}),
    Lever("no mulligans", {"max_mulligans": 0}),
    Lever("two Normal Actions", {"normal_actions": 2}),
)
ASSUMPTIONS = (
    Lever("boss twice", {"lists": "boss_twice"}),
    Lever("Stadium twice", {"lists": "stadium_twice"}),
    Lever("flatter Spirits", {"lists": "flat_spirits"}),
)
BESIDE = (Lever("single game", {"match_wins": 1}), Lever("best of three", {"match_wins": 2}))


NO_BODY_PLACE = 426  # of the weight for a mulligan of a hand without a castable body, among those of `skilled`


def _mulligans() -> Tier:
    """Return `skilled` with the will to take a mulligan whenever no Elestral of the hand can be cast."""
    weights = list(SKILLED_WEIGHTS)
    weights[NO_BODY_PLACE] = 1000.0
    return Tier("skilled, mulligans", 2, "takes a mulligan when no Elestral of its hand can be cast", tuple(weights))


QUESTIONS = (
    Question(
        "mulligan", "A mulligan for a hand without a body",
        "Takes a mulligan whenever no Elestral of the hand can be cast; else plays as skilled.", _mulligans(),
    ),
)  # fmt: skip

GAME = Game(
    name="elestrals",
    title="Elestrals",
    seats=(2,),
    default_seats=2,
    sides=STARTERS,
    side_word="deck",
    fields=FIELDS,
    abilities=(),
    readings=READINGS,
    decisions=DECISIONS,
    tiers=TIERS,
    engine=_engine,
    rulebook=_rulebook,
    margins=margins,
    games=88_000,
    folder=Path(__file__).parent,
    tables=TABLES,
    check=check,
    warn=warn,
    seconds_per_turn=60.0,
    sources=(
        "The How-to-Play text of Elestrals (seed 003).",
        "Names, costs, stats and what effects do: public card data of the Elestrals API repository, July 2025.",
        "Which cards a starter deck holds: the same data; copies and Spirits are our assumption.",
    ),
    summary="Two decks of 40 cards; 20 Spirits each are life and mana at once; Elestrals, five kinds of Runes, chains.",
    glossary={
        "Spirit": "One of the twenty cards that are a player's life and that pay for everything.",
        "Expend": "To move a Spirit from the Spirit Deck to the Underworld; who must and cannot has lost.",
        "Misenchanted": "With enough Spirits underneath, but not of the right elements: battles on without effect.",
        "Ascend": "To replace a body by another card that takes over its Spirits, with one new Spirit.",
        "chain": "An action with the answers to it, resolved newest first.",
    },
    groups=(
        OwnSides(sides_of, read_side, plain_side),
        Cards(CARDS, card_keys, own_cards, {c.name: c.missing for c in cards.all_cards().values() if c.missing}),
        Design(questions=QUESTIONS, levers=LEVERS, beside=BESIDE, assumptions=ASSUMPTIONS),
    ),
)
