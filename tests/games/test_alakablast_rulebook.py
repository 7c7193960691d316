"""Alakablast's rulebook: every position of the rules page, every switch, and what must hold in any game."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import cache
from types import SimpleNamespace

import pytest

from sim.errors import UsageError
from sim.game import IllegalMoveError, chance_of, code, split
from sim.games.alakablast import FIELDS, GAME
from sim.games.alakablast.numbers import (
    ASK,
    CHALLENGE,
    CLUE_CARD,
    ELEMENT,
    GAME_COLUMNS,
    LATER,
    LEVEL,
    NAME,
    NOTHING,
    OFFSETS,
    PLACES,
    PLAY,
    ROUND_COLUMNS,
    SPECIAL,
    STEP_CLUE_CARD,
    STEP_CLUE_TELL,
    STEP_FIRST,
    STEP_SECOND,
    STEP_TELL,
    STEP_TURN,
    STEP_TYPE,
    TELL,
    TYPE,
    level_lists,
    slots_of,
)
from sim.games.alakablast.rulebook import IS_BASIC, IS_SPECIAL, OPEN, RULES, WHOLE, Rulebook
from sim.rng import DECK, RESHUFFLE, Chance, Stream
from sim.variant import to_toml

WATER, FIRE, PLANT, LIGHT, SHADOW = range(5)
WON, TIE, ALL_WIN, CAP = 0, 1, 2, 4
FOUR_PRIVATE = "W1 F1 P1 L1", "W2 F2 P2 L2", "W3 F3 P3 L3", "W4 F4 P4 L4", "W5 F5 P5 L5"


def seated(n: int, off: dict[int, str] | None = None, packets: list[int] | None = None) -> list[SimpleNamespace]:
    masks = {seat: GAME.ability_mask([key]) for seat, key in (off or {}).items()}
    return [SimpleNamespace(side=0, packet=packets[i] if packets else i, off=masks.get(i, 0)) for i in range(n)]


def book(n: int = 2, off: dict[int, str] | None = None, deal: int = 0, **settings) -> Rulebook:
    variant = GAME.default.changed(**settings)
    GAME.check_variant(variant, n)
    return Rulebook(variant, seated(n, off), chance_of(1, GAME.name, deal))


def rigged(*hands: str, off: dict[int, str] | None = None, gems=None, stock="", discards="", memory=None, **settings):
    made = book(len(hands), off, **settings)
    made.rig(hands, gems=gems, stock=stock, discards=discards, memory=memory)
    return made


def do(made: Rulebook, *codes: int) -> Rulebook:
    for move in codes:
        made.apply(move)
    return made


def refusal(made: Rulebook, move: int) -> str:
    """Return the rule id with which a move is refused; nothing may change."""
    before = made.visible(), made.options()
    with pytest.raises(IllegalMoveError) as caught:
        made.apply(move)
    assert (made.visible(), made.options()) == before
    return str(caught.value).partition(": ")[0]


def duel(made: Rulebook, feature: int, *slots: tuple[int, int]) -> Rulebook:
    """Seat 0 challenges the seat to its left; both play the slots of each round."""
    made.apply(code(CHALLENGE, 1, feature))
    for mine, theirs in slots:
        do(made, code(PLAY, mine), code(PLAY, theirs))
    return made


def memory(made: Rulebook, seat: int, slot: int) -> tuple:
    return made.visible()["hands"][seat][slot][2:]


def kinds(made: Rulebook) -> set[int]:
    return {split(option)[0] for option in made.options()}


def play_out(made: Rulebook, seed: int, check=None) -> Rulebook:
    coins = random.Random(seed)
    while not made.over:
        made.apply(coins.choice(made.options()))
        if check is not None:
            check(made)
    return made


def single(mine: str, theirs: str, feature: int, off: dict[int, str] | None = None, **settings) -> int | None:
    """Return the gems' sign of a duel of single cards: 1, -1, or None for a tie."""
    fill = {"W": "W11 W12 W13", "F": "F11 F12 F13"}
    made = rigged(f"{mine} {fill['W']}", f"{theirs} {fill['F']}", off=off, **settings)
    duel(made, feature, (0, 0))
    if made.step == STEP_FIRST:
        return None
    return 1 if made.gems[0] else -1


# --- the positions of the rules page --------------------------------------------------------------------------------


def test_g1_water_beats_fire():
    made = duel(rigged("W3 W4 W5 W6", "F9 F4 F5 F6"), ELEMENT, (0, 0))
    assert made.gems == [1, 0]
    assert made.round_outcomes[0]["won"] == [1, 0]


@pytest.mark.parametrize(
    ("mine", "theirs", "result"),
    [
        ("F3", "P9", 1),
        ("P3", "W9", 1),
        ("W3", "F9", 1),
        ("L2", "W9", 1),
        ("L2", "F9", 1),
        ("L2", "P9", 1),
        ("W3", "S12", 1),
        ("F3", "S12", 1),
        ("P3", "S12", 1),
        ("L2", "S12", 1),
        ("W3", "W9", None),
        ("L2", "L3", None),
        ("S12", "S9", None),
    ],
)
def test_g2_triangle_light_and_shadow_either_way_round(mine, theirs, result):
    assert single(mine, theirs, ELEMENT) == result
    assert single(theirs, mine, ELEMENT) == (None if result is None else -result)


def test_g4_only_the_level_counts_in_a_level_duel():
    assert single("S12", "L2", LEVEL) == 1
    assert single("L2", "S12", LEVEL) == -1


def test_g5_second_round_is_worth_two_and_both_draw_two():
    made = rigged("F3 P2 W8 W9", "F7 W4 P8 P9", stock="L1 L2 L3 L4")
    duel(made, ELEMENT, (0, 0), (1, 1))
    assert made.gems == [2, 0]
    hands = made.visible()["hands"]
    winner, loser = hands[0], hands[1]
    # The winner draws L1 and L2 into the two empty slots, the others see them; the loser L3 and L4, seen by itself.
    assert [card[:2] for card in winner[:2]] == [(OFFSETS[LIGHT], 1), (OFFSETS[LIGHT] + 1, 1)]
    assert [card[:2] for card in loser[:2]] == [(OFFSETS[LIGHT] + 2, 0), (OFFSETS[LIGHT] + 3, 0)]
    assert [card[1] for card in winner[2:] + loser[2:]] == [0, 0, 0, 0]
    row = made.round_outcomes[0]
    assert (row["chain"], row["gems"], row["level"]) == ([2, 2], [2, 0], [2, 4])


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_g7_four_ties_end_the_game_for_all(n):
    hands = ["F3 P2 W8 W9", "F7 P4 W1 W2", *["L1 L2 S9 S10", "L3 L4 S11 S12", "W11 F11 P11 L5"][: n - 2]]
    made = duel(rigged(*hands), ELEMENT, (0, 0), (1, 1), (2, 2), (3, 3))
    assert made.over
    outcome = made.outcome()
    assert outcome["share"] == [WHOLE // n] * n
    assert outcome["end"] == [ALL_WIN] * n
    assert outcome["all_tie"] == [1] * n
    assert made.round_outcomes[0]["chain"][:2] == [4, 4]
    assert made.round_outcomes[0]["ended"] == [1] * n
    assert made.gems == [0] * n


def test_g8_element_told_points_out_and_rules_out():
    made = rigged("P1 | W5 W9 F5", FOUR_PRIVATE[1])
    do(made, code(ASK, 1))
    assert made.actor == 1
    assert made.options() == [code(TELL, ELEMENT), code(TELL, LEVEL)]
    do(made, code(TELL, ELEMENT))
    assert memory(made, 0, 1)[:3] == (WATER, 0, IS_BASIC)
    assert memory(made, 0, 2)[:3] == (WATER, 0, IS_BASIC)
    assert memory(made, 0, 3) == (-1, 0, OPEN, 1 << WATER, 0)
    assert made.outcome()["pointed"] == [1, 0]


def test_g10_level_told_touches_a_special_card_without_saying_so():
    made = rigged("P12 P13 | F5 L5", FOUR_PRIVATE[1])
    do(made, code(ASK, 2), code(TELL, LEVEL))
    assert memory(made, 0, 2)[:3] == (-1, 5, IS_BASIC)
    assert memory(made, 0, 3)[:3] == (-1, 5, OPEN)


def test_g11_special_points_out_all_specials_and_no_feature():
    made = rigged("P1 | L2 S9 W2", FOUR_PRIVATE[1].replace("W2", "W7").replace("L2", "L4"))
    do(made, code(ASK, 1))
    assert made.options() == [code(TELL, SPECIAL)]
    do(made, code(TELL, SPECIAL))
    assert memory(made, 0, 1)[:3] == (-1, 0, IS_SPECIAL)
    assert memory(made, 0, 2)[:3] == (-1, 0, IS_SPECIAL)
    assert memory(made, 0, 3)[:3] == (-1, 0, IS_BASIC)


def test_g12_the_other_feature_must_be_told():
    made = rigged("P12 P13 | W5 F6", "W2 F2 P3 L2", memory={(0, 2): {"told_level": 5}})
    do(made, code(ASK, 2))
    assert made.options() == [code(TELL, ELEMENT)]
    assert refusal(made, code(TELL, LEVEL)) == "AL-11"


def test_g14_four_private_cards_get_no_clue():
    made = rigged("W3 W4 | W5 W6", "F9 F4 F5 F6")
    do(made, code(CHALLENGE, 1, ELEMENT))
    assert made.step == STEP_FIRST
    assert made.uses["AL-20"] == 1


def test_g16_fourth_gem_of_five_players_ends_the_game_at_once():
    hands = ["W6 F6 P6 S9", *FOUR_PRIVATE[1:]]
    made = duel(rigged(*hands, gems=[3, 0, 1, 3, 2]), ELEMENT, (0, 1))
    assert made.over
    outcome = made.outcome()
    assert outcome["points"] == [4, 0, 1, 3, 2]
    assert outcome["share"] == [WHOLE, 0, 0, 0, 0]
    assert outcome["end"] == [WON] * 5
    assert made.visible()["hands"][0][0][0] == -1, "nobody draws any more"


@pytest.mark.parametrize(("stakes", "gems", "over"), [((1, 2, 3, 4), 7, True), ((1, 2), 7, True), ((1,), 6, False)])
def test_g17_stakes(stakes, gems, over):
    made = rigged("F3 P2 W8 W9", "F7 W4 P8 P9", gems=[5, 0], stakes=stakes)
    duel(made, ELEMENT, (0, 0), (1, 1))
    assert made.gems == [gems, 0]
    assert made.over is over


def test_g19_told_special_is_never_asked_again():
    made = rigged("P12 P13 | L2 F6", "W2 F2 P3 L3", memory={(0, 2): {"special": IS_SPECIAL}})
    assert code(ASK, 2) not in made.options()
    assert refusal(made, code(ASK, 2)) == "AL-13"


@pytest.mark.parametrize(("feature", "after"), [(ELEMENT, (WATER, 7)), (LEVEL, (-1, 5))])
def test_g20_wrong_memory_is_left_or_mended(feature, after):
    made = rigged("P12 P13 | W5 F6", "W2 F2 P3 L3", memory={(0, 2): {"told_level": 7}})
    do(made, code(ASK, 2))
    assert made.options() == [code(TELL, ELEMENT), code(TELL, LEVEL)]
    do(made, code(TELL, feature))
    assert memory(made, 0, 2)[:2] == after
    assert made.outcome()["mended"] == [int(feature == LEVEL), 0]


# --- the deal -------------------------------------------------------------------------------------------------------


def test_al01_al02_deck_and_its_presets():
    assert [len(levels) for levels in level_lists(GAME.default)] == [13, 13, 13, 5, 5]
    for name in ("levels-nine", "levels-five"):
        assert [len(levels) for levels in level_lists(GAME.variant(name))] == [13, 13, 13, 5, 5]
    own = GAME.variant(None, ["deck.light=2,2,4"])
    assert level_lists(own)[LIGHT] == (2, 2, 4)
    with pytest.raises(UsageError, match="at most 8"):
        GAME.variant(None, ["deck.light=1,2,3,4,5,6,7,8,9"])


def test_check_gives_the_arithmetic():
    small = GAME.default.changed(deck__water=(), deck__fire=(), setup_discard=(10, 10, 10, 10))
    with pytest.raises(UsageError, match=r"5 x 4 cards in hand and 10 discarded at the start, 30 in all.*23"):
        GAME.check_variant(small, 5)
    with pytest.raises(UsageError, match=r"4 x 6 gems before a last win of 4, 28 in all.*20"):
        GAME.check_variant(GAME.default.changed(target=(7, 6, 7, 4)), 4)
    with pytest.raises(UsageError, match="replaces the lists"):
        GAME.check_variant(GAME.default.changed(levels="five", deck__light=(1,)), 4)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_al04_al05_hands_by_packet(n):
    packets = [(2 * seat + 1) % n if n % 2 else (seat + 1) % n for seat in range(n)]
    chance = chance_of(7, GAME.name, 3)
    made = Rulebook(GAME.default, seated(n, packets=packets), chance)
    used = [place for place in chance.stream(0, DECK).permutation(PLACES) if place in made.deck]
    for seat in range(n):
        hand = made.visible()["hands"][seat]
        assert [card[0] for card in hand] == [used[k * n + packets[seat]] for k in range(4)]
        assert [card[1] for card in hand] == [0, 0, 1, 1]
    laid = {2: 10, 3: 6}.get(n, 0)
    assert made.visible()["discards"] == sorted(used[4 * n : 4 * n + laid])
    assert made.visible()["stock"] == 49 - 4 * n - laid


def test_al04_three_and_two_cards_draw_up_to_four_only():
    made = book(2, deal_two=(3, 2))
    assert slots_of(made.variant, 2) == 5
    assert [card[1] for card in made.visible()["hands"][0]] == [0, 0, 0, 1, 1]
    made = duel(rigged("W3 W4 W5 W6 W7", "F3 F4 F5 F6 F7", deal_two=(3, 2)), ELEMENT, (0, 0))
    assert [len([c for c in hand if c[0] >= 0]) for hand in made.visible()["hands"]] == [4, 4]


def test_common_cards_keep_their_order_in_another_deck():
    full = book(4).stock
    thin = Rulebook(GAME.default.changed(deck__shadow=()), seated(4), chance_of(1, GAME.name, 0))
    order = [c for hand in thin.hands for c in hand]
    kept = [p for p in full if p in thin.stock]
    assert [p for p in thin.stock if p in full] == kept
    assert all(card is not None and card.element != SHADOW for card in order)


def test_levels_share_places():
    one = Rulebook(GAME.default, seated(4), chance_of(1, GAME.name, 5))
    other = Rulebook(GAME.variant("levels-five"), seated(4), chance_of(1, GAME.name, 5))
    assert one.visible() == other.visible()
    assert [c.level for h in one.hands for c in h if c] != [c.level for h in other.hands for c in h if c]


# --- turns and asking -----------------------------------------------------------------------------------------------


def test_al06_the_turn_goes_to_the_left():
    made = book(3, deal=2)
    for turn in range(1, 5):
        assert (made.actor, made.turn, made.step) == ((turn - 1) % 3, turn, STEP_TURN)
        do(made, made.options()[0])
        if made.step == STEP_TELL:
            do(made, made.options()[0])
        else:
            while made.step != STEP_TURN:
                do(made, made.options()[0])


def test_al07_target_by_players():
    made = duel(rigged(*FOUR_PRIVATE[:3], gems=[4, 0, 0], target=(7, 5, 5, 4)), ELEMENT, (0, 1))
    assert made.over
    assert made.outcome()["share"] == [WHOLE, 0, 0]


def test_al08_options_of_a_turn():
    made = rigged("P12 P13 | W5 F6", *FOUR_PRIVATE[1:3])
    challenges = [code(CHALLENGE, steps, feature) for steps in (1, 2) for feature in (0, 1)]
    assert made.options() == [code(ASK, 2), code(ASK, 3), *challenges]
    assert refusal(made, code(ASK, 0)) == "AL-08"
    assert refusal(made, code(PLAY, 0)) == "AL-08"
    assert refusal(made, code(CHALLENGE, 1, LATER)) == "AL-18"


def test_al08_without_asking():
    assert kinds(book(4, allow_ask=False)) == {CHALLENGE}


def test_al09_both_features_known_or_null_ask():
    known = {(0, 2): {"told_level": 5, "told_element": WATER}, (0, 3): {"special": IS_SPECIAL}}
    hands = "P12 P13 | W5 L5", FOUR_PRIVATE[1]
    made = rigged(*hands, memory=known)
    assert kinds(made) == {CHALLENGE}
    assert refusal(made, code(ASK, 2)) == "AL-09"
    for slot in (2, 3):
        free = rigged(*hands, memory=known, allow_null_ask=True)
        before = free.visible()["hands"]
        do(free, code(ASK, slot))
        assert free.options() == [code(TELL, NOTHING)]
        do(free, code(TELL, NOTHING))
        assert free.visible()["hands"] == before
        assert free.actor == 1


def test_al09_cap():
    made = book(4, allow_null_ask=True, max_turns=6)
    for _ in range(6):
        do(made, next(c for c in made.options() if split(c)[0] == ASK))
        do(made, made.options()[0])
    assert made.over
    outcome = made.outcome()
    assert (outcome["end"], outcome["share"], outcome["capped"]) == ([CAP] * 4, [WHOLE // 4] * 4, [1] * 4)
    assert outcome["asked"] == [2, 2, 1, 1]


def test_al10_who_answers():
    hands = ["P12 P13 | W5 F6", *FOUR_PRIVATE[1:4]]
    assert do(rigged(*hands, gems=[4, 1, 2, 2]), code(ASK, 2)).actor == 2
    assert do(rigged(*hands), code(ASK, 2)).actor == 1
    assert do(rigged(*hands, gems=[0, 0, 3, 0], informant="next"), code(ASK, 2)).actor == 1
    chosen = do(rigged(*hands, informant="chosen"), code(ASK, 2))
    assert (chosen.actor, chosen.options()) == (0, [code(NAME, steps) for steps in (1, 2, 3)])
    assert refusal(chosen, code(NAME, 0)) == "AL-10"
    assert do(chosen, code(NAME, 3)).actor == 3
    actors = Counter()
    for deal in range(60):
        made = book(4, deal=deal, informant="random")
        made.rig(hands)
        actors[do(made, code(ASK, 2)).actor] += 1
    assert set(actors) == {1, 2, 3}
    assert min(actors.values()) >= 8


def test_al12_deducible():
    """All Water cards but W5 are seen, so a card told to be Water is W5 and there is nothing to ask."""
    rest = "W1 W2 W3 W4 W6 W7 W8 W9 W10 W11 W12 W13"
    for known, slots in (("told", {2, 3}), ("deducible", {3})):
        hands = "P12 P13 | W5 F6", FOUR_PRIVATE[1].replace("W2", "F9")
        made = rigged(*hands, discards=rest, memory={(0, 2): {"told_element": WATER}}, known=known)
        assert {split(c)[1] for c in made.options() if split(c)[0] == ASK} == slots


def test_al12_al15_ruled_out_counts_in_deduction():
    """A card that is neither Water nor Fire nor special is Plant, so only its level may be told."""
    out = {"not_elements": frozenset({WATER, FIRE}), "special": IS_BASIC}
    for known, tellable in (("told", {ELEMENT, LEVEL}), ("deducible", {LEVEL})):
        made = do(rigged("P12 P13 | P5 F6", "W2 F2 P3 L3", memory={(0, 2): out}, known=known), code(ASK, 2))
        assert {split(c)[1] for c in made.options()} == tellable
    special = {"not_elements": frozenset({WATER, FIRE, PLANT})}
    made = rigged("P12 P13 | L5 F6", "W2 F2 P3 L3", memory={(0, 2): special}, known="deducible")
    assert [c for c in made.options() if split(c)[0] == ASK] == [code(ASK, 3)]


def test_al33_unseen():
    made = rigged("P1 | W5 F6", "W2 | F2 L3", discards="S9 S10")
    names = {made._make(place).name for place in made.unseen(0)}
    assert {"Water 5", "Fire 6", "Water 2", "Plant 2"} <= names
    assert not {"Plant 1", "Fire 2", "Light 3", "Shadow 9", "Shadow 10"} & names


def test_al13_special_touched_by_a_level_is_still_only_special():
    made = rigged("P12 P13 | F5 L5", FOUR_PRIVATE[1], memory={(0, 3): {"told_level": 5}})
    do(made, code(ASK, 3))
    assert made.options() == [code(TELL, SPECIAL)]
    assert refusal(made, code(TELL, ELEMENT)) == "AL-13"


def test_al14_switches():
    made = rigged("P12 P13 | F5 L5", FOUR_PRIVATE[1], touch_specials=False)
    do(made, code(ASK, 2), code(TELL, LEVEL))
    assert memory(made, 0, 3) == (-1, 0, OPEN, 0, 1 << 5)
    made = rigged("P1 | L2 S9 W2", "W7 F2 P2 L4", special_clue_touches=False)
    do(made, code(ASK, 1), code(TELL, SPECIAL))
    assert memory(made, 0, 2) == memory(made, 0, 3) == (-1, 0, OPEN, 0, 0)


def test_al14_touched_basic_card_is_known_basic_only_without_touching_specials():
    for touch, special in ((True, OPEN), (False, IS_BASIC)):
        made = rigged("P12 P13 | F5 W5", FOUR_PRIVATE[1], touch_specials=touch)
        do(made, code(ASK, 2), code(TELL, LEVEL))
        assert memory(made, 0, 3)[:3] == (-1, 5, special)


def test_al15_wrong_memory_of_a_passed_over_card_is_wiped():
    wrong = {(0, 3): {"told_level": 5, "told_element": WATER}}
    made = rigged("P12 P13 | W5 F6", FOUR_PRIVATE[1], memory=wrong)
    do(made, code(ASK, 2), code(TELL, LEVEL))
    assert memory(made, 0, 3)[:2] == (WATER, 0)
    made = rigged("P12 P13 | W5 F6", FOUR_PRIVATE[1], memory=wrong)
    do(made, code(ASK, 2), code(TELL, ELEMENT))
    assert memory(made, 0, 3)[:2] == (-1, 5)


def test_al15_special_level_none_is_never_touched():
    made = rigged("P12 P13 | F5 L5", FOUR_PRIVATE[1], special_level="none")
    do(made, code(ASK, 2), code(TELL, LEVEL))
    assert memory(made, 0, 3)[:2] == (-1, 0)
    assert single("L2", "W9", LEVEL, special_level="none") == 1
    assert single("S12", "W9", LEVEL, special_level="none") == -1
    assert single("S12", "S9", LEVEL, special_level="none") is None
    assert single("L2", "L5", LEVEL, special_level="none") is None


def test_al16_forgetting_always_and_never():
    told = {(0, 2): {"told_level": 5, "told_element": WATER}, (0, 3): {"special": IS_SPECIAL}}
    hands = "P12 P13 | W5 L5", FOUR_PRIVATE[1]
    sure = rigged(*hands, memory=told, forget_prob=1.0)
    element, level, *_ = memory(sure, 0, 2)
    assert element in (FIRE, PLANT)
    assert level in set(range(1, 14)) - {5}
    assert memory(sure, 0, 3)[:3] == (-1, 0, IS_SPECIAL)
    assert sure.outcome()["forgot"] == [2, 0]
    assert memory(rigged(*hands, memory=told), 0, 2)[:2] == (WATER, 5)


def test_al16_forgetting_comes_as_often_as_it_should():
    told = {(0, 2): {"told_level": 5, "told_element": WATER}}
    wrong = Counter()
    for deal in range(400):
        made = book(2, deal=deal, forget_prob=0.25)
        made.rig(["P12 P13 | W5 L5", FOUR_PRIVATE[1]], memory=told)
        element, level, *_ = memory(made, 0, 2)
        wrong["element"] += element != WATER
        wrong["level"] += level != 5
    # 400 coins of 1/4: 100 with standard deviation 8.7.
    assert 65 < wrong["element"] < 135
    assert 65 < wrong["level"] < 135


# --- challenging ----------------------------------------------------------------------------------------------------


def test_al17_not_oneself_and_not_again():
    hands = ["W3 W4 W5 W6", *FOUR_PRIVATE[1:3]]
    hands[2] = "F7 F8 F9 F10"
    made = rigged(*hands, no_repeat_target=True)
    assert refusal(made, code(CHALLENGE, 0, ELEMENT)) == "AL-18"
    duel(made, ELEMENT, (0, 1))
    for _ in range(2):
        do(made, code(CHALLENGE, 1, LEVEL))
        while made.step != STEP_TURN:
            do(made, made.options()[0])
    assert made.actor == 0
    assert {split(c)[1] for c in made.options() if split(c)[0] == CHALLENGE} == {2}
    assert refusal(made, code(CHALLENGE, 1, LEVEL)) == "AL-17"
    two = duel(rigged("W3 W4 W5 W6", FOUR_PRIVATE[1], no_repeat_target=True), ELEMENT, (0, 1))
    do(two, code(CHALLENGE, 1, LEVEL), code(CLUE_CARD, 0), code(TELL, LEVEL), code(PLAY, 0), code(PLAY, 0))
    assert any(split(c)[0] == CHALLENGE for c in two.options())


def test_al18_al19_order_of_a_challenge():
    hands = "W3 W4 W5 W6", "F2 F3 | P2 L4", "P10 P11 P12 P13"
    made = rigged(*hands)
    do(made, code(CHALLENGE, 1, ELEMENT))
    assert (made.step, made.actor, made.options()) == (STEP_CLUE_CARD, 1, [code(CLUE_CARD, 2), code(CLUE_CARD, 3)])
    assert refusal(made, code(CLUE_CARD, 0)) == "AL-19"
    do(made, code(CLUE_CARD, 2))
    assert (made.step, made.actor) == (STEP_CLUE_TELL, 0)
    do(made, code(TELL, LEVEL))
    assert (made.step, made.actor) == (STEP_FIRST, 0)
    do(made, code(PLAY, 0))
    assert (made.step, made.actor) == (STEP_SECOND, 1)
    do(made, code(PLAY, 2))
    assert made.gems == [0, 1, 0]
    row = made.round_outcomes[0]
    assert (row["role"], row["clue"], row["held_as"]) == ([1, 2, 0], [0, 1, 0], [1, 3, 0])

    made = rigged(*hands, clue_card_by="challenger")
    do(made, code(CHALLENGE, 1, ELEMENT))
    assert (made.step, made.actor) == (STEP_CLUE_CARD, 0)

    made = rigged(*hands, clue_before_type=True)
    assert {split(c)[2] for c in made.options()} == {LATER}
    do(made, code(CHALLENGE, 1, LATER), code(CLUE_CARD, 3), code(TELL, SPECIAL))
    assert (made.step, made.actor) == (STEP_TYPE, 0)
    do(made, code(TYPE, LEVEL), code(PLAY, 0), code(PLAY, 3))
    assert made.gems == [0, 1, 0]
    assert made.round_outcomes[0]["feature"] == [LEVEL] * 3
    assert made.round_outcomes[0]["held_as"] == [1, 2, 0]


def test_al21_the_first_choice_is_not_seen():
    made = rigged("W3 W4 W5 W6", "F3 F4 F5 F6")
    do(made, code(CHALLENGE, 1, ELEMENT))
    seen = [dict(do(rigged("W3 W4 W5 W6", "F3 F4 F5 F6"), code(CHALLENGE, 1, 0), c).visible()) for c in made.options()]
    assert all(view == seen[0] for view in seen)
    assert refusal(made, code(PLAY, 5)) == "AL-21"


def test_al22_light_against_shadow():
    assert single("L2", "S12", ELEMENT, light_vs_shadow="tie") is None
    assert single("L2", "S12", ELEMENT, light_vs_shadow="shadow") == -1
    assert single("S12", "L2", ELEMENT, light_vs_shadow="shadow") == 1


@pytest.mark.parametrize(("mine", "theirs", "result"), [("W5", "F6", -1), ("W6", "F5", 1), ("W5", "P5", None)])
def test_al23_levels(mine, theirs, result):
    assert single(mine, theirs, LEVEL) == result


def test_al24_redraw_in_tie():
    hands = "W3 W4 W5 W6", "W7 W8 W9 W10"
    made = duel(rigged(*hands), ELEMENT, (0, 0))
    assert [len(made._cards(seat)) for seat in (0, 1)] == [3, 3]
    assert len(made.options()) == 3
    made = duel(rigged(*hands, stock="F1 F2", redraw_in_tie=True), ELEMENT, (0, 0))
    hand = made.visible()["hands"]
    assert [hand[seat][0][:2] for seat in (0, 1)] == [(OFFSETS[FIRE], 0), (OFFSETS[FIRE] + 1, 0)]
    assert made.step == STEP_FIRST


def test_al24_a_chain_without_end_ends():
    made = book(2, redraw_in_tie=True, deck__fire=(), deck__plant=(), deck__light=(), deck__shadow=(),
                deck__water=tuple(range(1, 16)), setup_discard=(0, 0, 0, 0))  # fmt: skip
    do(made, code(CHALLENGE, 1, ELEMENT))
    while not made.over:
        do(made, made.options()[0])
    assert made.end == ALL_WIN
    assert made.round_outcomes[0]["chain"] == [20, 20]


def test_al27_short_hand():
    short = "W3 | ", "W4 W5 P1 P2"
    made = duel(rigged(*short), ELEMENT, (0, 0))
    assert (made.over, made.end) == (True, ALL_WIN)
    made = duel(rigged(*short, short_hand_tie="no_gem", stock="F1 F2 F3 F4 F5"), ELEMENT, (0, 0))
    assert not made.over
    assert made.gems == [0, 0]
    assert [card[1] for card in made.visible()["hands"][0]] == [0, 1, 0, 1]
    assert [card[1] for card in made.visible()["hands"][1]] == [0, 0, 0, 0]
    assert made.after == [3, 3]


def test_al28_draw_first_and_orientation():
    hands = "W3 W4 W5 W6", "F3 F4 F5 F6"
    first = duel(rigged(*hands, stock="L1 L2"), ELEMENT, (0, 0)).visible()["hands"]
    assert [first[seat][0][:2] for seat in (0, 1)] == [(OFFSETS[LIGHT], 1), (OFFSETS[LIGHT] + 1, 0)]
    later = duel(rigged(*hands, stock="L1 L2", draw_first="loser"), ELEMENT, (0, 0)).visible()["hands"]
    assert [later[seat][0][:2] for seat in (0, 1)] == [(OFFSETS[LIGHT] + 1, 1), (OFFSETS[LIGHT], 0)]
    turned = rigged(*hands, stock="L1 L2", redraw_winner="private", redraw_loser="public")
    assert [h[0][1] for h in duel(turned, ELEMENT, (0, 0)).visible()["hands"]] == [0, 1]
    mixed = rigged("F3 P2 W8 W9", "F7 W4 P8 P9", redraw_winner="in_turn", redraw_loser="in_turn")
    assert [[c[1] for c in h[:2]] for h in duel(mixed, ELEMENT, (0, 0), (1, 1)).visible()["hands"]] == [[0, 1], [0, 1]]


def test_al28_hand_size():
    made = duel(rigged("W3 W4 W5 W6", "F3 F4 F5 F6", hand_size=6), ELEMENT, (0, 0))
    assert [len(made._cards(seat)) for seat in (0, 1)] == [6, 6]


def test_al29_kept_cards_keep_what_was_told():
    told = {"told_level": 5, "not_elements": frozenset({FIRE})}
    made = rigged("W3 W4 | W5 F6", "F3 F4 F5 F7", memory={(0, 2): told})
    before = made.visible()["hands"][0][2]
    assert duel(made, ELEMENT, (0, 0)).visible()["hands"][0][2] == before
    assert before == (OFFSETS[WATER] + 4, 1, -1, 5, OPEN, 1 << FIRE, 0)


def drained(**settings) -> Rulebook:
    """A duel after which two cards must be drawn from a stock of one."""
    made = book(2, **settings)
    made.rig(["W3 W4 W5 W6", "F3 F4 F5 F6"])
    made.discards, made.stock = made.stock[1:], made.stock[:1]
    return duel(made, ELEMENT, (0, 0))


def test_al30_stock_out():
    made = drained()
    assert made.reshuffles == 1
    assert len(made.stock) + 8 == 49
    order = made.chance.stream(0, RESHUFFLE, None, 1).permutation(PLACES)
    gone = {card.place for card in made._cards(0)} | {c.place for c in made._cards(1)[1:]}
    assert [made._card(1, 0).place, *made.stock] == [p for p in order if p in made.deck and p not in gone]
    short = drained(stock_out="play_short")
    assert [len(short._cards(seat)) for seat in (0, 1)] == [4, 3]
    ends = drained(stock_out="game_ends")
    assert (ends.over, ends.end, ends.outcome()["share"]) == (True, WON, [WHOLE, 0])
    assert ends.round_outcomes[0]["ended"] == [0, 0]


def test_al30_nobody_can_do_anything():
    made = book(2, stock_out="play_short")
    made.rig(["W3 | ", "F3 | "], gems=[0, 1])
    made.discards, made.stock = made.stock, []
    duel(made, ELEMENT, (0, 0))
    assert (made.over, made.end, made.outcome()["share"]) == (True, TIE, [WHOLE // 2] * 2)


def test_al32_supply():
    assert GAME.default["supply"] == 20
    for n, most in ((2, 16), (3, 19), (4, 20), (5, 19)):
        assert n * (GAME.default["target"][n - 2] - 1) + 4 == most


def test_every_field_belongs_to_a_rule():
    assert {field.rule for field in FIELDS} <= set(RULES)


# --- abilities ------------------------------------------------------------------------------------------------------


def test_light_and_shadow_off_tie_with_everything():
    for mine, key in (("L2", "light"), ("S12", "shadow")):
        for theirs in ("W9", "F9", "P9", "L3", "S9"):
            assert single(mine, theirs, ELEMENT, off={0: key}) is None
            assert single(theirs, mine, ELEMENT, off={1: key}) is None
    assert single("L2", "W9", ELEMENT, off={1: "light"}) == 1
    assert single("L2", "S12", ELEMENT, off={0: "shadow"}) == 1
    assert single("S12", "W9", LEVEL, off={0: "shadow"}) == 1


def test_forced_clue_off_for_the_challenged():
    hands = "W3 W4 | W5 W6", "F2 F3 | P2 L4"
    assert do(rigged(*hands, off={1: "forced_clue"}), code(CHALLENGE, 1, ELEMENT)).step == STEP_FIRST
    assert do(rigged(*hands, off={0: "forced_clue"}), code(CHALLENGE, 1, ELEMENT)).step == STEP_CLUE_CARD
    outcome = do(rigged(*hands, off={1: "forced_clue"}), code(CHALLENGE, 1, ELEMENT)).outcome()
    assert (outcome["held_forced_clue"], outcome["n_forced_clue"]) == ([0, 1], [0, 0])


@pytest.mark.parametrize(("seat", "gems", "uses"), [(0, 1, 0), (1, 2, 1)])
def test_growing_stakes_off_for_the_winner(seat, gems, uses):
    made = rigged("F3 P2 W8 W9", "F7 W4 P8 P9", off={seat: "growing_stakes"})
    duel(made, ELEMENT, (0, 0), (1, 1))
    assert made.gems == [gems, 0]
    assert made.outcome()["n_growing_stakes"] == [uses, 0]
    assert made.outcome()["held_growing_stakes"] == [1, 1]


def test_redraw_orientation_off():
    for seat, orientations in ((0, [[0, 1], [0, 0]]), (1, [[1, 1], [0, 1]])):
        made = rigged("F3 P2 W8 W9", "F7 W4 P8 P9", off={seat: "redraw_orientation"})
        duel(made, ELEMENT, (0, 0), (1, 1))
        assert [[c[1] for c in h[:2]] for h in made.visible()["hands"]] == orientations
        assert made.outcome()["n_redraw_orientation"] == [int(seat != 0), int(seat != 1)]


def test_counts_of_light_and_shadow():
    made = duel(rigged("L2 W4 W5 W6", "S12 F4 F5 F6"), ELEMENT, (0, 0))
    outcome = made.outcome()
    assert (outcome["n_light"], outcome["n_shadow"]) == ([1, 0], [0, 1])
    assert (outcome["held_light"], outcome["held_shadow"]) == ([1, 0], [0, 1])


# --- rows -----------------------------------------------------------------------------------------------------------


def test_rank_lead_and_momentum():
    hands = ["W6 W7 W8 W9", *FOUR_PRIVATE[1:4]]
    for gems, rank in (([0, 3, 2, 1], 1), ([0, 2, 3, 1], 2), ([0, 1, 3, 2], 3), ([3, 1, 1, 1], 4)):
        made = duel(rigged(*hands, gems=gems), ELEMENT, (0, 1))
        assert made.round_outcomes[0]["rank"] == [rank, rank, 0, 0]
        assert made.round_outcomes[0]["gems_before"] == [*gems[:2], 0, 0]
    two = rigged("W6 P7 W8 W9", "F6 F7 F8 F9")
    duel(two, ELEMENT, (0, 0))
    do(two, code(CHALLENGE, 1, ELEMENT))
    while two.step != STEP_FIRST:
        do(two, two.options()[0])
    do(two, code(PLAY, 1), code(PLAY, 1))
    assert two.gems == [1, 1]
    assert two.round_outcomes[1]["after"] == [1, 2]
    assert two.outcome()["first_win"] == [1, 0]
    assert two.outcome()["lead_changes"] == [0, 0]


def test_rows_have_the_columns_of_the_facts():
    made = play_out(book(4, deal=9), 9)
    assert set(made.outcome()) == {name for name, _ in GAME_COLUMNS}
    assert all(set(row) == {name for name, _ in ROUND_COLUMNS} for row in made.round_outcomes)
    limits = {"u1": 255, "u2": 65535}
    for name, kind in GAME_COLUMNS:
        assert all(0 <= value <= limits[kind] for value in made.outcome()[name])
    for table in GAME.tables:
        columns = {name for name, _ in (GAME_COLUMNS if table.source == "games" else ROUND_COLUMNS)} | {"seat", "1"}
        ratios = {m.value for m in table.measures} | {m.over for m in table.measures} - {"all"}
        named = {name for part in {*table.by, *ratios, table.where} for name in re.split(r"[*+]", part)}
        assert named <= columns | {""}, table.key


@pytest.mark.parametrize("name", GAME.variant_names)
def test_shipped_variants_are_whole_files_and_playable(name, tmp_path):
    variant = GAME.variant(name)
    for n in GAME.seats:
        GAME.check_variant(variant, n)
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(variant, FIELDS, GAME.title), encoding="utf-8")
    assert GAME.variant(str(path)).hash == variant.hash
    assert play_out(Rulebook(variant, seated(3), chance_of(3, GAME.name, 1)), 1).over


def test_readings_and_others_can_be_played():
    known = {field.key: field for field in FIELDS}
    for reading in GAME.readings:
        assert reading.rule in RULES
        for _, settings in reading.others:
            for key, value in settings.items():
                assert known[key].accept(value, "test") == value
    assert GAME.readings[0].rule == "AL-14"


# --- any game -------------------------------------------------------------------------------------------------------

STRESS = (
    ("default", {}),
    ("levels-nine", {"forget_prob": 0.1, "informant": "chosen"}),
    ("levels-five", {"redraw_in_tie": True, "informant": "random"}),
    ("many-specials", {"known": "deducible", "clue_before_type": True}),
    ("no-touch", {"known": "deducible", "forget_prob": 0.2, "allow_null_ask": True, "max_turns": 60}),
    ("short-stock", {"short_hand_tie": "no_gem", "no_repeat_target": True, "special_level": "none"}),
    ("short-stock", {"stock_out": "game_ends", "hand_size": 4, "clue_card_by": "challenger"}),
    ("short-stock", {"stock_out": "reshuffle", "deal_two": (3, 2), "light_vs_shadow": "tie"}),
    ("flat-stakes", {"draw_first": "loser", "redraw_winner": "private", "redraw_loser": "public"}),
)


def holds(made: Rulebook) -> None:
    """49 cards (or as many as the deck has), gems within the supply, full hands between duels."""
    view = made.visible()
    places = [card[0] for hand in view["hands"] for card in hand if card[0] >= 0] + view["discards"] + made.stock
    assert sorted(places) == sorted(made.deck)
    assert sum(view["gems"]) <= 20
    assert made.over or made.options() == sorted(set(made.options()))
    if made.variant["stock_out"] == "reshuffle" and made.step <= STEP_CLUE_TELL and not made.over:
        assert min(len(made._cards(seat)) for seat in range(made.n)) >= made.variant["hand_size"]


def ends_well(made: Rulebook) -> None:
    outcome = made.outcome()
    assert sum(outcome["share"]) == WHOLE
    assert sum(outcome["wins"]) == sum(any(row["won"]) for row in made.round_outcomes)
    assert [a + b for a, b in zip(outcome["gems_element"], outcome["gems_level"])] == outcome["points"]
    assert [a + b for a, b in zip(outcome["challenges"], outcome["challenged"])] >= outcome["duels"]
    assert sum(outcome["asks"]) + sum(outcome["challenges"]) >= sum(outcome["turns"]) - 1
    for key in ("light", "shadow", "forced_clue", "growing_stakes", "redraw_orientation"):
        if key not in ("light", "shadow"):
            assert all(n <= held for n, held in zip(outcome[f"n_{key}"], outcome[f"held_{key}"]))


@cache
def random_games() -> Counter:
    """Play 2,160 random games over all stress variants, checking as they go; return how often each rule was used."""
    uses: Counter = Counter()
    for i, (name, settings) in enumerate(STRESS):
        variant = GAME.variant(name).changed(**settings)
        for deal in range(240):
            n = 2 + deal % 4
            GAME.check_variant(variant, n)
            off = {0: ("light", "shadow", "forced_clue", "growing_stakes", "redraw_orientation")[deal % 5]}
            made = Rulebook(variant, seated(n, off if deal % 3 == 0 else None), chance_of(i, GAME.name, deal))
            play_out(made, 1000 * i + deal, holds)
            ends_well(made)
            uses += made.uses
    return uses


def test_random_games_keep_the_cards_and_end():
    assert random_games()


def test_every_rule_is_used():
    assert set(random_games()) == set(RULES)
    assert min(random_games().values()) >= 20, random_games()


class Relabelled(Chance):
    """Chance with Water, Fire and Plant renamed: the same shuffles of other cards."""

    def stream(self, round_: int = 0, purpose: int = 0, packet: int | None = None, index: int = 0) -> Stream:
        free = super().stream(round_, purpose, packet, index)
        if purpose not in (DECK, RESHUFFLE):
            return free
        plain = free.permutation(PLACES)
        free.permutation = lambda n: [rename(place) for place in plain]
        return free


def rename(place: int) -> int:
    return (place + 15) % 45 if 0 <= place < 45 else place


def rename_card(card: tuple) -> tuple:
    place, public, element, level, special, not_element, not_level = card
    turned = sum(1 << (e + 1) % 3 for e in range(3) if not_element >> e & 1)
    return rename(place), public, (element + 1) % 3 if element >= 0 else -1, level, special, turned, not_level


@pytest.mark.parametrize("name", ["default", "forgetful", "levels-five"])
def test_water_fire_plant_renamed_change_nothing(name):
    for deal in range(60):
        n = 2 + deal % 4
        chance = chance_of(4, GAME.name, deal)
        one = Rulebook(GAME.variant(name), seated(n), chance)
        two = Rulebook(GAME.variant(name), seated(n), Relabelled(chance.key))
        coins = random.Random(deal)
        while not one.over:
            assert one.options() == two.options()
            move = coins.choice(one.options())
            do(one, move)
            do(two, move)
            a, b = one.visible(), two.visible()
            assert [[rename_card(card) for card in hand] for hand in a["hands"]] == b["hands"]
            assert sorted(map(rename, a["discards"])) == b["discards"]
            assert a["gems"] == b["gems"]
        assert two.over
        assert one.outcome() == two.outcome()


def test_element_duels_are_antisymmetric_and_turn_round():
    made = book(2)
    cards = [made._make(place) for place in made.deck]
    turned = {card.place: made._make(rename(card.place)) for card in cards}
    for a in cards:
        for b in cards:
            result = made._element_result(0, a, 1, b)
            assert made._element_result(0, b, 1, a) == -result
            assert made._element_result(0, turned[a.place], 1, turned[b.place]) == result
            assert made._level_result(a, b) == -made._level_result(b, a)


@pytest.mark.parametrize(("name", "rate"), [("default", 0.059), ("levels-nine", 0.100), ("levels-five", 0.188)])
def test_level_ties_of_the_presets(name, rate):
    made = Rulebook(GAME.variant(name), seated(2), chance_of(1, GAME.name, 0))
    cards = [made._make(place) for place in made.deck]
    pairs = [(a, b) for a in cards for b in cards if a is not b]
    assert sum(made._level_result(a, b) == 0 for a, b in pairs) / len(pairs) == pytest.approx(rate, abs=5e-4)


@pytest.mark.parametrize("known", ["told", "deducible"])
def test_options_do_not_depend_on_hidden_own_cards(known):
    """Untold public cards exchanged for cards of the stock leave the options of a turn as they are."""
    for deal in range(40):
        made = book(3, deal=deal, known=known)
        before = made.options()
        slot = 2 + deal % 2
        made.stock[0], made._card(0, slot).place = made._card(0, slot).place, made.stock[0]
        other = made._make(made._card(0, slot).place)
        made._card(0, slot).element, made._card(0, slot).level = other.element, other.level
        made._begin()
        assert made.options() == before


def test_the_same_deal_is_the_same_game():
    one, two = play_out(book(4, deal=3), 5), play_out(book(4, deal=3), 5)
    assert one.outcome() == two.outcome()
    assert one.story == two.story
    assert len(one.story) > one.turn


def test_no_move_after_the_end():
    made = play_out(book(3, deal=1), 1)
    assert made.options() == []
    assert refusal(made, code(CHALLENGE, 1, ELEMENT)) == "AL-07"


# --- mutants --------------------------------------------------------------------------------------------------------


class ShadowBeatsLight(Rulebook):
    def _element_result(self, seat, mine, other, theirs):
        result = super()._element_result(seat, mine, other, theirs)
        return -result if {mine.element, theirs.element} == {LIGHT, SHADOW} else result


class PlantLosesToWater(Rulebook):
    def _element_result(self, seat, mine, other, theirs):
        result = super()._element_result(seat, mine, other, theirs)
        return -result if {mine.element, theirs.element} == {PLANT, WATER} else result


class EqualLevelsForTheChallenger(Rulebook):
    def _level_result(self, mine, theirs):
        return super()._level_result(mine, theirs) or 1


class LightIsOneLevelHigher(Rulebook):
    def _strength(self, card):
        return super()._strength(card) + (card.element == LIGHT)


class ThirdRoundWorthTwo(Rulebook):
    def _stake(self, duel, winner):
        return min(super()._stake(duel, winner), 2)


class LoserDrawsFirst(Rulebook):
    def _draw_after(self, duel, winner):
        self.variant = self.variant.changed(draw_first="loser")
        super()._draw_after(duel, winner)


class WinnerSeesNewCards(Rulebook):
    def _draw_up(self, seat, way):
        return super()._draw_up(seat, "private")


class DrawsIntoTheLastSlot(Rulebook):
    def _draw_up(self, seat, way):
        self.hands[seat].reverse()
        drawn = super()._draw_up(seat, way)
        self.hands[seat].reverse()
        return drawn


class ElementPointsAtNothingElse(Rulebook):
    def _tell_element(self, holder, card):
        kept = {id(c): (c.told_element, c.special) for c in self._own_public(holder) if c is not card}
        touched = super()._tell_element(holder, card)
        for other in self._own_public(holder):
            if other is not card:
                other.told_element, other.special = kept[id(other)]
        return touched


class LevelPassesOverSpecials(Rulebook):
    def _tell_level(self, holder, card):
        self.variant = self.variant.changed(touch_specials=False)
        return super()._tell_level(holder, card)


class NothingIsRuledOut(Rulebook):
    def _tell_level(self, holder, card):
        kept = {id(c): c.not_levels for c in self._own_public(holder)}
        touched = super()._tell_level(holder, card)
        for other in self._own_public(holder):
            other.not_levels = kept[id(other)]
        return touched


class SpecialIsAskedAgain(Rulebook):
    def _known_special(self, holder, card):
        return False


class LevelIsNeverOffered(Rulebook):
    def _tellable(self, holder, card):
        choices = super()._tellable(holder, card)
        return [c for c in choices if c != LEVEL] or choices


class WrongMemoryIsNeverMended(Rulebook):
    def _tellable(self, holder, card):
        choices = super()._tellable(holder, card)
        return [c for c in choices if c not in self._known(holder, card)] or choices


class LastPlayerIsNeverChallenged(Rulebook):
    def _targets(self, seat):
        targets = super()._targets(seat)
        return targets[:-1] or targets


class TheWeakestAnswers(Rulebook):
    def _informant(self, asker):
        return min(self._leftwards(asker), key=lambda seat: self.gems[seat])


class NoClueForTheLastCard(Rulebook):
    def _askable(self, holder):
        slots = super()._askable(holder)
        return slots if len(slots) > 1 or self.step == STEP_TURN else []


class FourTiesPayTheFirstSeat(Rulebook):
    def _chain_over(self, duel):
        over = super()._chain_over(duel)
        if self.end == ALL_WIN:
            self.share = [WHOLE, *[0] * (self.n - 1)]
        return over


class DiscardsStayOut(Rulebook):
    def _stock_ready(self):
        return bool(self.stock)


MUTANTS = tuple(made for made in Rulebook.__subclasses__() if made.__module__ == __name__)


def difference(mutant: type[Rulebook], variant, n: int, deal: int) -> str | None:
    """Return where a mutant and the rulebook part, or None: options, what is seen, outcome."""
    chance = chance_of(2, GAME.name, deal)
    one, two = Rulebook(variant, seated(n), chance), mutant(variant, seated(n), chance)
    coins = random.Random(deal)
    while not one.over:
        if one.options() != two.options():
            return "options"
        if one.visible() != two.visible():
            return "seen"
        move = coins.choice(one.options())
        do(one, move)
        do(two, move)
    return None if (one.over, one.outcome()) == (two.over, two.outcome()) else "outcome"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_mutants_are_told_apart(mutant):
    variants = [GAME.default, GAME.variant("forgetful"), GAME.variant("short-stock", ["stock_out=reshuffle"])]
    found = (difference(mutant, v, 2 + deal % 4, deal) for deal in range(200) for v in variants)
    assert any(found)


def test_the_rulebook_is_not_told_apart_from_itself():
    assert all(difference(Rulebook, GAME.variant("forgetful"), 2 + deal % 4, deal) is None for deal in range(20))
