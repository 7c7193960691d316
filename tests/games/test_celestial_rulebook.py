"""The rulebook of Celestial Ranks: the positions of the rules page by id, every switch, and what always holds."""

import itertools
import random
from collections import Counter

import pytest

from sim.engine import END_CAP, END_TIE, END_WON, WHOLE
from sim.facts import SeatSetup
from sim.game import IllegalMoveError, chance_of, code, split
from sim.games.celestial_ranks import ABILITIES, FIELDS, GAME
from sim.games.celestial_ranks.numbers import (
    BLOCK,
    BLOCK_PLAY,
    BURY,
    COURT,
    COURT_NAMES,
    DECLARE,
    DISCARD,
    DRAW,
    JOKER,
    LAY_AUTO,
    LAY_MELD,
    LAY_OFF,
    LAY_OFF_MANY,
    OVERRIDE,
    OVERRIDE_PLAY,
    PICK,
    RANK_NAMES,
    SHIFT,
    SHIFT_PLAY,
    SUIT_NAMES,
    WILD,
    contract_number,
    contract_text,
)
from sim.games.celestial_ranks.rulebook import (
    FLUSH,
    RULES,
    RUN,
    SET,
    CelestialRanks,
    Meld,
    MeldRules,
    can_lay,
    requirements,
)
from sim.rng import DECK, RESHUFFLE, RiggedChance

PASS, JOKER_PLAYED = code(BLOCK_PLAY, 0), code(BLOCK_PLAY, 1)
PILE, TOP, NOTHING = code(DRAW, 0), code(DRAW, 1), code(DRAW, 2)


def one(name):
    return JOKER if name == "*" else SUIT_NAMES.index(name[1]) * 13 + RANK_NAMES.index(name[0])


def cards(text):
    return [one(name) for name in text.split()]


def meld(kind, text, start=None):
    """Return a meld from its cards in order; `start` is needed where the first card is a Joker or a high Ace."""
    made = cards(text)
    first = next((card for card in made if card != JOKER), 0)
    if start is None:
        start = first % 13 if kind == SET else first % 13 + 1 - made.index(first)
    return Meld(kind, start, made, first // 13 if kind == FLUSH else -1)


def variant(**settings):
    names = {field.key for field in FIELDS}
    assert {key.replace("__", ".") for key in settings} <= names
    return GAME.default.changed(**settings)


def new(n=3, sides=None, off=None, chance=None, deal=0, **settings):
    seats = [SeatSetup((sides or range(n))[i], i, (off or {}).get(i, 0)) for i in range(n)]
    return CelestialRanks(variant(**settings), seats, chance or chance_of(1, GAME.name, deal))


def declare_all(book):
    while book.phase == "declare":
        book.apply(min(book.options(), key=lambda c: split(c)[2]))
    return book


def rig(book, **attributes):
    for name, value in attributes.items():
        assert hasattr(book, name), name
        setattr(book, name, value)
    book._offered = None
    return book


def table(hands, melds=None, pile="2S 3S 4S 5S 6S", discards="8H", contracts=None, drawn=True, off=None, **settings):
    """Return a game in round 1 where seat 0 is at turn, after its draw unless `drawn` is False.

    `hands` are texts; `melds` {seat: [melds]} of those who have laid down (two turns ago); `contracts` {seat: text}.
    """
    book = declare_all(new(len(hands), off=off, **settings))
    melds = melds or {}
    laid = [seat in melds for seat in range(book.n)]
    numbers = [contract_number((contracts or {}).get(seat, "S4 F4")) for seat in range(book.n)]
    rig(
        book,
        hands=[sorted(cards(hand)) for hand in hands],
        melds=[melds.get(seat, []) for seat in range(book.n)],
        laid=laid,
        pile=cards(pile),
        discards=cards(discards),
        contracts=numbers,
        drawn=drawn,
        phase="action" if drawn else "draw",
    )
    for seat in range(book.n):
        book.row["turns"][seat] = 3 if seat == 0 else 2
        book.row["laid_turn"][seat] = int(laid[seat])
        book.row["laid"][seat] = int(laid[seat])
    return book


def kinds(book):
    return {split(c)[0] for c in book.options()}


def lay_offs(book):
    """Return {(card, owner, meld, end)}."""
    found = [split(c) for c in book.options() if split(c)[0] == LAY_OFF]
    return {(a, b // 4, b // 2 % 2, b % 2) for _, a, b in found}


def refused(book, value, rule):
    before = book.visible()
    with pytest.raises(IllegalMoveError, match=f"^{rule}:"):
        book.apply(value)
    assert book.visible() == before


def discard(book, name):
    book.apply(code(DISCARD, one(name)))


def total(book):
    fight = len(book.skirmish.cards) if book.skirmish else 0
    lying = sum(len(m.cards) for melds in book.melds for m in melds)
    return sum(map(len, book.hands)) + lying + len(book.pile) + len(book.discards) + len(book.limbo) + fight


# ---------------------------------------------------------------------------------------------- contract feasibility

FEASIBLE = [
    ("A1", "7S 7H 7D 9C TD JS KS 2H 2D 4C 5S", "S3 R3", True, {}),
    ("A2", "5S 5H 5D 6C 7S KS KH 2D 9C TD QH", "S3 R3", False, {}),
    ("A3", "5S 5H 5D 5C 6C 7S KS KH 2D 9C TD", "S3 R3", True, {}),
    ("A4", "8S 8H * 3C 4D 5H TS QC KD AS 7D", "S3 R3", True, {}),
    ("A6", "3C 4C 5H 8S TD QC AS 7D * * *", "S3 R3", True, {}),
    ("A7", "9S 9H * * 3C 4D 5H 6S KD JC AS", "S4 R4", False, {}),
    ("A7 no limit", "9S 9H * * 3C 4D 5H 6S KD JC AS", "S4 R4", True, {"joker_limit": "none"}),
    ("A8", "9S 9H 9D * * 3C 4D 6S KD JC AS", "S4 R4", True, {}),
    ("A10", "* * * * 3C 4D 5H 6S 8D TH QS", "S4 R4", True, {}),
    ("A11", "4H 6H * KS KH KD 2C 9D JS 8C QC", "S3 F3", True, {}),
    ("A12", "4H 6D * KS KH KD 2C 7S TS 9H JD", "S3 F3", False, {}),
    ("A14", "QS KH AD 9S 9H 9D 5C 5D 7S 3C 3D", "S3 R3", True, {}),
    ("A14 ace low", "QS KH AD 9S 9H 9D 5C 5D 7S 3C 3D", "S3 R3", False, {"ace": "low"}),
    ("A15", "QH QD QS 4C 5C 6C 8D TS KH 2D 2S", "S3 F3", True, {}),
    ("A17", "4S 4S 4H 4H 4D 4C 8D TS KH 2D 9D", "S3 S3", True, {}),
    ("A17 ranks", "4S 4S 4H 4H 4D 4C 8D TS KH 2D 9D", "S3 S3", False, {"distinct_ranks_for_two_sets": True}),
    ("A18", "6S 6H 6C 6D 7D 8D 9D 2S 4C QC KH", "S4 F4", False, {}),
    ("A19", "6S 6H 6C 6D 7D 8D 9D * 4C QC KH", "S4 F4", True, {}),
    ("A21", "JC QC KC AC 5S 5H 5D 5C 2H 8D 9S", "S4 F4", True, {}),
    ("A22", "TH TD * 2C 3C * KS 7D 6H QS 8D", "S3 F3", True, {}),
    ("A23", "2S 2H 2D * * * 7C 9D JH KS 5C", "S3 S3", True, {}),
    ("A25", "2S 2H 3D 3C 4S 4H 5D 5C 6S 6H 7C", "S3 R3", False, {}),
    ("A25 joker", "2S 2H 3D 3C 4S 4H 5D 5C 6S 6H *", "S3 R3", True, {}),
    ("ace high only", "AS 2H 3D 9S 9H 9D 5C 6D 7S KC JD", "S3 R3", True, {"ace": "high"}),
    ("ace high only, low run", "AS 2H 3D 9S 9H 9D 5C JD KC 7S 7H", "S3 R3", False, {"ace": "high"}),
    ("no wrap", "KS AH 2D 9S 9H 9D 5C 7S 7D 4H JC", "S3 R3", False, {}),
    ("longer run", "5S * 7H * 9D KS KH KD KC 2C 2D", "S4 R4", True, {}),
    ("longer run, exact", "5S * 7H * 9D KS KH KD KC 2C 2D", "S4 R4", False, {"laydown_extra": "exact"}),
    ("twin suits", "7S 7S 7H 9C TD JS KS 2H 2D 4C 5C", "S3 R3", True, {}),
    ("twin suits off", "7S 7S 7H 9C TD JS KS 2H 2D 4C 5C", "S3 R3", False, {"set_distinct_suits": True}),
    ("one Joker", "5S * 7H * 9D KS KH KD KC 2C 2D", "S4 R4", False, {"joker_limit": "one_per_meld"}),
    ("three Jokers", "* * * 9S 9H 9D 9C 2S 2D 4H QC", "S4 R4", False, {}),
    ("three Jokers suffice", "* * * 9S 9H 9D 9C 2S 2D 4H QC", "S4 R4", True, {"alljoker_any_requirement": True}),
    ("keep one", "7S 7H 7D 9C TD JS", "S3 R3", False, {}),
    ("meld all", "7S 7H 7D 9C TD JS", "S3 R3", True, {"goout": "meld_all_ok"}),
    ("eight melded, one kept", "9S 9H 9D 9C 3C 4D 5H 6S KD", "S4 R4", True, {}),
]


@pytest.mark.parametrize(
    ("hand", "contract", "answer", "settings"), [f[1:] for f in FEASIBLE], ids=[f[0] for f in FEASIBLE]
)
def test_contract_feasible(hand, contract, answer, settings):
    assert can_lay(cards(hand), contract, variant(**settings)) is answer


def test_A27_declaration_locks():
    hand = "4S 4S 4H 4H 4D 4C 8D TS KH 2D 9D"
    assert can_lay(cards(hand), "S3 S3", variant())
    book = table([hand, "2S", "2S"], contracts={0: "S4 F4"})
    assert kinds(book) == {DISCARD}
    refused(book, code(LAY_AUTO), "CR-S9")
    assert LAY_AUTO in kinds(table([hand, "2S", "2S"], contracts={0: "S3 S3"}))


def test_wild_off_takes_no_joker():
    hand = cards("8S 8H * 3C 4D 5H TS QC KD AS 7D")
    assert can_lay(hand, "S3 R3", variant())
    assert not can_lay(hand, "S3 R3", variant(), wild=False)


def is_meld_by_definition(chosen, kind, needed):
    """Say whether cards make a meld under the default rules, by trying every place of a run."""
    naturals = [c for c in chosen if c != JOKER]
    jokers = len(chosen) - len(naturals)
    if len(chosen) < needed or (naturals and len(naturals) <= jokers):
        return False
    if not naturals:
        return len(chosen) >= 3
    if kind == SET:
        return len({c % 13 for c in naturals}) == 1
    if kind == FLUSH and len({c // 13 for c in naturals}) > 1:
        return False
    for low in range(1, 15 - len(chosen) + 1):
        places = [(low + i - 1) % 13 for i in range(len(chosen))]
        if not Counter(c % 13 for c in naturals) - Counter(places):
            return True
    return False


def can_lay_by_definition(hand, contract):
    """Say the same as `can_lay` by trying all pairs of disjoint parts of the hand."""
    found = []
    for kind, needed in requirements(contract_number(contract)):
        masks = [m for m in range(1 << len(hand)) if needed <= m.bit_count() <= 7]
        found.append(
            [m for m in masks if is_meld_by_definition([c for i, c in enumerate(hand) if m >> i & 1], kind, needed)]
        )
    return any(x & y == 0 and (x | y).bit_count() < len(hand) for x in found[0] for y in found[1])


def some_hand(draw, size):
    """Return a hand that is rich in melds: few ranks, some Jokers."""
    ranks = draw.sample(range(13), draw.randint(4, 7))
    pack = [suit * 13 + rank for rank in ranks for suit in range(4)] * 2 + [JOKER] * 4
    return draw.sample(pack, size)


def test_feasible_is_what_the_definition_says():
    draw = random.Random(5)
    answers = Counter()
    for _ in range(24):
        hand = some_hand(draw, 9)
        for contract in ("S3 R3", "S3 F3", "S3 S3", "S4 R4", "S4 F3", "S4 F4"):
            answer = can_lay(hand, contract, variant())
            assert answer is can_lay_by_definition(hand, contract), (hand, contract)
            answers[answer] += 1
    assert min(answers.values()) >= 30


def test_harder_contracts_imply_easier_ones():
    draw = random.Random(6)
    implied = [("S4 F4", "S4 R4"), ("S4 F4", "S4 F3"), ("S4 R4", "S3 R3"), ("S4 F3", "S3 F3"), ("S3 F3", "S3 R3")]
    seen = Counter()
    for _ in range(400):
        hand = some_hand(draw, 11)
        laid = {c: can_lay(hand, c, variant()) for c in {c for pair in implied for c in pair}}
        for hard, easy in implied:
            assert laid[easy] or not laid[hard], (hand, hard, easy)
            seen[hard] += laid[hard]
    assert min(seen.values()) >= 20


# ------------------------------------------------------------------------------------------------- laying down, codes


def lay_codes(book):
    return [split(c)[1:] for c in book.options() if split(c)[0] == LAY_MELD]


def test_lay_meld_codes_and_forced_second():
    book = table(["7S 7H 7D 9C TD JS KS 2H 3D 3C 5S", "2S", "2S"], contracts={0: "S3 R3"})
    assert lay_codes(book) == [(128 + 6, 3 * 16)]
    book.apply(code(LAY_MELD, 128 + 6, 3 * 16))
    assert book.visible()["laid"] == [0, 0, 0]
    assert kinds(book) == {LAY_MELD}
    assert lay_codes(book) == [(512 + 4 * 16 + 9, 3 * 16)]
    refused(book, code(DISCARD, one("KS")), "CR-S8")
    book.apply(book.options()[0])
    assert book.visible()["laid"] == [1, 0, 0]
    assert book.visible()["melds"][0] == [[SET, 6, 3, 0, -1], [RUN, 9, 3, 0, -1]]
    assert book.row["laid_turn"][0] == 3


def test_lay_auto_takes_fewest_jokers_then_most_cards():
    book = table(["7S 7H 7D 7C 9C TD JS * KS 2H 5D", "2S", "2S"], contracts={0: "S3 R3"})
    assert (128 + 6, 2 * 16 + 1) in lay_codes(book)
    book.apply(code(LAY_AUTO))
    assert book.visible()["melds"][0] == [[SET, 6, 4, 0, -1], [RUN, 9, 3, 0, -1]]
    assert JOKER in book.hands[0]


def test_black_cards_go_first():
    book = table(["QS QH QD QC 9C TD JS KS 2H 5D 4C", "2S", "2S"], contracts={0: "S3 R3"})
    book.apply(code(LAY_MELD, 128 + 11, 3 * 16))
    assert book.melds[0][0].cards == cards("QS QC QH")


def test_first_combination_leaves_the_second_meld():
    book = table(["6S 6H 6C 6D 6H 7C 8C 2S 2D KH JD", "2S", "2S"], contracts={0: "S4 F3"})
    assert lay_codes(book) == [(128 + 5, 4 * 16)]
    book.apply(code(LAY_MELD, 128 + 5, 4 * 16))
    assert sorted(book.melds[0][0].cards) == sorted(cards("6S 6H 6H 6D"))
    assert lay_codes(book) == [(512 + 3 * 16 + 6, 3 * 16)]


def test_all_joker_melds_are_declared():
    book = table(["* * * 3C 4D 5H 8S TD QC AS 7D", "2S", "2S"], contracts={0: "S3 R3"})
    sets = [(a, b) for a, b in lay_codes(book) if a >= 384]
    assert sets == [(384 + rank, 3 * 17) for rank in range(13)]
    book.apply(code(LAY_MELD, 384 + 8, 51))
    book.apply(code(LAY_MELD, 512 + 64 + 3, 48))
    assert book.visible()["melds"][0][0] == [SET, 8, 3, 3, -1]
    assert {"CR-17", "CR-18"} <= set(book.uses)
    assert book.totals["n_wild"][0] == 3


def test_all_joker_run_windows():
    book = table(["* * * 9S 9H 9D 8S TD QC AS 3D", "2S", "2S"], contracts={0: "S3 F3"})
    rank = 128 + 8
    book.apply(code(LAY_MELD, rank, 48))
    runs = [(a - 512 - 256, b) for a, b in lay_codes(book) if a >= 512 + 256]
    assert runs == [(suit * 16 + low, 51) for suit in range(4) for low in range(1, 13)]


def test_no_more_than_two_hundred_melds_are_offered():
    book = table(
        ["* * * * * * * * 4S 8H 9D 9C KD 2H", "2S", "2S"], contracts={0: "F3 F3"}, jokers=8, joker_limit="none"
    )
    melds = MeldRules(book.variant).first_melds(book.contracts[0], book._hand_for_melds(0))
    assert len(melds) > 200
    assert lay_codes(book) == [(lay.a, lay.b) for lay in melds[:200]]
    assert len(book.options()) <= 256


def test_joker_beside_queen_and_king_is_jack_or_ace():
    book = table(["7S 7H 7D QS KS * 2H 5D 9C", "2S", "2S"], contracts={0: "S3 R3"})
    book.apply(code(LAY_MELD, 128 + 6, 48))
    assert lay_codes(book) == [(512 + 64 + low, 49) for low in (11, 12)]
    book.apply(code(LAY_MELD, 512 + 64 + 12, 49))
    assert book.melds[0][1].cards == cards("QS KS *")
    assert book.uses["CR-20"] == 1


def test_flush_runs_are_laid_before_runs():
    assert requirements(contract_number("R3 F4")) == ((FLUSH, 4), (RUN, 3))
    book = table(["4H 5H 6H 7H 9S TD JC 2S 2D", "2S", "2S"], contracts={0: "R3 F4"})
    book.apply(book.options()[1])
    assert book.melds[0][0].kind == FLUSH


def test_second_meld_keeps_a_card():
    book = table(["7S 7H 7D 9C TD JS QS", "2S", "2S"], contracts={0: "S3 R3"})
    book.apply(code(LAY_MELD, 128 + 6, 48))
    assert lay_codes(book) == [(512 + 64 + 9, 48), (512 + 64 + 10, 48)]


# ------------------------------------------------------------------------------------------------- positions of play

F567 = meld(FLUSH, "5C 6C 7C")


def fresh(*melds):
    return [Meld(m.kind, m.start, list(m.cards), m.suit) for m in melds]


def layer(hand, theirs, own=None, **settings):
    """Return seat 0, which has laid down, before melds of seat 1."""
    mine = own or fresh(meld(SET, "2S 2H 2D"), meld(RUN, "TS JS QS"))
    melds = {0: mine, 1: fresh(*theirs)}
    return table([hand, "2S 3S", "2S 3S"], melds=melds, **settings)


def test_A30_flush_run_stays_in_suit():
    book = layer("4C 8C 8D 4D KD", [F567])
    assert lay_offs(book) == {(one("4C"), 1, 0, 0), (one("8C"), 1, 0, 1)}
    refused(book, code(LAY_OFF, one("8D"), 4 + 1), "CR-S7")
    book.apply(code(LAY_OFF, one("4C"), 4))
    assert book.visible()["melds"][1] == [[FLUSH, 4, 4, 0, 3]]
    book.apply(code(LAY_OFF, one("8C"), 5))
    assert book.melds[1][0].cards == cards("4C 5C 6C 7C 8C")


def test_A31_run_takes_neighbours_of_any_suit():
    book = layer("8H 4D 6S KD", [meld(RUN, "5C 6D 7S")])
    assert lay_offs(book) == {(one("8H"), 1, 0, 1), (one("4D"), 1, 0, 0)}
    refused(book, code(LAY_OFF, one("6S"), 4), "CR-S7")


def test_A33_no_wrap():
    book = layer("2S JH KC 5D", [meld(RUN, "QS KH AD", 12)])
    assert lay_offs(book) == {(one("JH"), 1, 0, 0)}
    refused(book, code(LAY_OFF, one("2S"), 5), "CR-14")


def test_ace_at_both_ends_and_fourteen_cards():
    book = layer("AS AS KD * 5C", [meld(RUN, "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")])
    assert (one("AS"), 1, 0, 0) in lay_offs(book)
    assert (one("AS"), 1, 0, 1) in lay_offs(book)
    book.apply(code(LAY_OFF, one("AS"), 4))
    book.apply(code(LAY_OFF, one("AS"), 5))
    assert book.visible()["melds"][1] == [[RUN, 1, 14, 0, -1]]
    assert lay_offs(book) == set()
    refused(book, code(LAY_OFF, JOKER, 5), "CR-14")


@pytest.mark.parametrize(("ace", "ends"), [("both", {0, 1}), ("low", {0}), ("high", {1})])
def test_switch_ace_in_lay_offs(ace, ends):
    book = layer("AS 5C 5D", [meld(RUN, "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")], ace=ace)
    assert {end for *_, end in lay_offs(book)} == ends


def test_A34_own_melds():
    own = fresh(meld(SET, "7S 7H 7D"), meld(RUN, "TS JS QS"))
    book = layer("7C 2D KD", [F567], own=own)
    assert lay_offs(book) == set()
    refused(book, code(LAY_OFF, one("7C"), 0), "CR-05")
    book = layer("7C 2D 4D", [F567], own=fresh(*own), layoff_targets="any")
    assert lay_offs(book) == {(one("7C"), 0, 0, 0)}


def test_A35_not_laid_down():
    book = table(["8C 2D 3H", "2S 3S", "2S 3S"], melds={1: fresh(F567, meld(SET, "2S 2H 2D"))})
    assert kinds(book) == {DISCARD}
    refused(book, code(LAY_OFF, one("8C"), 5), "CR-S10")


def test_A36_out_with_the_last_discard():
    book = layer("4C KD", [F567])
    book.apply(code(LAY_OFF, one("4C"), 4))
    discard(book, "KD")
    assert len(book.round_outcomes) == 1
    row = book.round_outcomes[0]
    assert row["out"] == [1, 0, 0]
    assert row["collected"] == [1, 1, 0]
    assert row["left"] == [0, 2, 2]
    assert row["capped"] == [0, 0, 0]


def test_A36_one_card_is_kept():
    book = layer("4C", [F567])
    assert kinds(book) == {DISCARD}
    refused(book, code(LAY_OFF, one("4C"), 4), "CR-04")


def test_A38_joker_buries_the_pile():
    book = table(["* 2D 3H", "4S 3S", "2S 3S"], discards="5C 7D", pile="2S 3S 4S")
    discard(book, "*")
    assert book.discards == []
    assert book.pile[:3] == cards("2S 3S 4S")
    assert sorted(book.pile[3:]) == sorted(cards("5C 7D *"))
    assert book.options() == [PILE]
    refused(book, TOP, "CR-S8")
    assert book.totals["n_bury"][0] == 1


def test_A38_all_but_trigger():
    book = table(["* 2D 3H", "4S 3S", "2S 3S"], discards="5C 7D", pile="2S 3S 4S", bury="all_but_trigger")
    discard(book, "*")
    assert book.discards == [JOKER]
    assert sorted(book.pile[3:]) == sorted(cards("5C 7D"))
    assert book.options() == [PILE, TOP]


def test_switch_bury_off_and_ability_off():
    for settings in ({"bury": "off"}, {"off": {0: 1 << BURY}}):
        book = table(["* 2D 3H", "4S 3S", "2S 3S"], discards="5C 7D", **settings)
        discard(book, "*")
        assert book.discards == cards("5C 7D *")
        assert book.totals["n_bury"][0] == 0


def test_A39_black_queen_is_nothing_special():
    book = table(["QS 2D 3H", "4S 3S", "2S 3S"], discards="5C 7D")
    assert kinds(book) == {DISCARD}
    refused(book, code(SHIFT_PLAY, one("QS")), "CR-23")
    discard(book, "QS")
    assert book.discards == cards("5C 7D QS")


def test_switch_shift_queens_all():
    book = table(["QS 2D 3H", "4S 3S", "2S 3S"], discards="5C 7D", shift_queens="all")
    assert SHIFT_PLAY in kinds(book)
    discard(book, "QS")
    assert book.discards == []


ELEVEN = "QH 2D 3H 4C 5S 6D 8C TS JH KD AC"


def test_A41_shift():
    book = table([ELEVEN, "2S 3S", "2S 3S"], pile="7S 9D 4H 4H")
    book.apply(code(SHIFT_PLAY, one("QH")))
    assert [split(c)[1] for c in book.options()] == sorted(cards("7S 9D 4H"))
    refused(book, code(PICK, one("AS")), "CR-31")
    book.apply(code(PICK, one("9D")))
    assert len(book.hands[0]) == 11
    assert one("9D") in book.hands[0]
    assert len(book.pile) == 4
    assert one("QH") in book.pile
    assert book.actor == 0
    assert kinds(book) == {DISCARD}
    assert book.limbo == []
    assert {"CR-30", "CR-31", "CR-S14"} <= set(book.uses)


def test_A42_block():
    ten = "* 2S 3S 5D 6H 7D 8H 9S TC JD"
    book = table([ELEVEN, ten, "2S 3S"], pile="7S 9D 4H 4H")
    book.apply(code(SHIFT_PLAY, one("QH")))
    assert book.actor == 1
    assert book.options() == [PASS, JOKER_PLAYED]
    book.apply(JOKER_PLAYED)
    assert sorted(book.limbo) == [one("QH"), JOKER]
    assert len(book.hands[0]) == 10
    assert len(book.hands[1]) == 11
    assert book.pile == cards("4H 4H")
    assert book.actor == 0
    discard(book, "AC")
    assert len(book.hands[0]) == 9
    assert book.totals["n_block"] == [0, 1, 0]
    assert book.row["shifts_met"][0] == 1
    assert book.row["retrumped"][0] == 0


JOKERS_AND_QUEEN = ["QH 2D 3H 4C", "* * 3S 5D", "* * 3S 5H", "QD 7D 8D 9D"]


def four_jokers(hands, **settings):
    book = table(hands, pile="7S 9D 4H 4H 5C 6C 7C 8C", **settings)
    book.apply(code(SHIFT_PLAY, one("QH")))
    for seat in (1, 2, 1, 2):
        assert book.actor == seat
        book.apply(JOKER_PLAYED)
    return book


def test_A44_override():
    book = four_jokers(JOKERS_AND_QUEEN)
    assert book.actor == 3
    assert book.options() == [code(OVERRIDE_PLAY, 0), code(OVERRIDE_PLAY, one("QD") + 1)]
    book.apply(code(OVERRIDE_PLAY, one("QD") + 1))
    book.apply(code(PICK, one("7C")))
    assert book.actor == 3
    book.apply(code(PICK, one("4H")))
    assert [len(hand) for hand in book.hands] == [3, 2, 2, 5]
    assert len(book.limbo) == 6
    assert len(book.pile) == 6
    assert book.actor == 0
    assert book.row["retrumped"][0] == 1
    assert book.totals["n_override"] == [0, 0, 0, 1]


def test_A44_override_declined_is_A45():
    book = four_jokers(JOKERS_AND_QUEEN)
    book.apply(code(OVERRIDE_PLAY, 0))
    assert [len(hand) for hand in book.hands] == [3, 2, 5, 4]


def test_A45_last_joker_wins():
    book = four_jokers([*JOKERS_AND_QUEEN[:3], "2S 7D 8D 9D"])
    assert [len(hand) for hand in book.hands] == [3, 2, 5, 4]
    assert book.pile == cards("4H 5C 6C 7C 8C")
    assert len(book.limbo) == 5
    assert book.actor == 0


def test_override_off_and_block_off():
    book = four_jokers(JOKERS_AND_QUEEN, off={3: 1 << OVERRIDE})
    assert book.actor == 0
    for contains in (SHIFT, BLOCK):
        assert four_jokers(JOKERS_AND_QUEEN, off={3: 1 << contains}).actor == 0
    book = table(JOKERS_AND_QUEEN, off={1: 1 << BLOCK})
    book.apply(code(SHIFT_PLAY, one("QH")))
    assert book.actor == 2
    book = table(JOKERS_AND_QUEEN, off={0: 1 << SHIFT, 2: 1 << SHIFT})
    refused(book, code(SHIFT_PLAY, one("QH")), "CR-S14")


def test_shifters_own_second_queen_overrides():
    book = four_jokers(["QH QD 3H 4C", "* * 3S 5D", "* * 3S 5H", "2S 7D 8D 9D"])
    assert book.actor == 0
    book.apply(code(OVERRIDE_PLAY, one("QD") + 1))
    book.apply(book.options()[0])
    book.apply(book.options()[0])
    assert len(book.hands[0]) == 4


def test_A47_a_melded_joker_cannot_block():
    melds = {1: fresh(meld(SET, "7S 7H *"), F567)}
    book = table([ELEVEN, "2S 3S", "2S 3S"], melds=melds)
    book.apply(code(SHIFT_PLAY, one("QH")))
    assert book.phase == "pick"
    assert book.uses["CR-22"] == 1


def test_A53_shifters_own_joker():
    hand = "QH * 3H 4C 5S 6D 8C TS JH KD AC"
    ten = "* 2S 3S 5D 6H 7D 8H 9S TC JD"
    book = table([hand, ten, "2S 3S"], pile="7S 9D 4H 4H")
    book.apply(code(SHIFT_PLAY, one("QH")))
    book.apply(JOKER_PLAYED)
    assert book.actor == 0
    book.apply(JOKER_PLAYED)
    assert book.phase == "action"
    assert [len(h) for h in book.hands] == [12, 9, 2]
    assert sorted(book.limbo) == [one("QH"), JOKER, JOKER]
    assert book.pile == cards("4H")


@pytest.mark.parametrize("choice", ["restores_shift", "forbidden"])
def test_switch_shifter_retrump(choice):
    hand = "QH * 3H 4C 5S 6D 8C TS JH KD AC"
    book = table([hand, "* 2S 3S", "2S 3S"], pile="7S 9D 4H 4H", shifter_retrump=choice)
    book.apply(code(SHIFT_PLAY, one("QH")))
    book.apply(JOKER_PLAYED)
    if choice == "forbidden":
        assert len(book.hands[0]) == 10
        assert len(book.hands[1]) == 4
        return
    book.apply(JOKER_PLAYED)
    assert book.phase == "pick"
    book.apply(code(PICK, one("9D")))
    assert len(book.hands[0]) == 10
    assert sorted(book.pile) == sorted(cards("7S 4H 4H"))
    assert sorted(book.limbo) == [one("QH"), JOKER, JOKER]


def test_switch_replacement():
    book = four_jokers([*JOKERS_AND_QUEEN[:3], "2S 7D 8D 9D"], replacement="all_spent+1")
    assert len(book.hands[2]) == 2 + 6


def test_replacements_end_with_the_cards_and_refill_on_the_way():
    book = table(["QH 2D 3H", "* 2S 3S", "2S 3S"], pile="7S", discards="4C 5C")
    book.apply(code(SHIFT_PLAY, one("QH")))
    book.apply(JOKER_PLAYED)
    assert sorted(book.hands[1]) == sorted(cards("2S 3S 7S 4C"))
    assert book.pile == []
    assert book.discards == cards("5C")


def test_switch_override_needs():
    for needs, actor in (("all_deck_jokers", 0), ("all_others_passed", 2)):
        book = table(["QH 2D 3H 4C", "* 3S 5D", "QD 7D 8D"], override_needs=needs)
        book.apply(code(SHIFT_PLAY, one("QH")))
        book.apply(JOKER_PLAYED)
        assert book.actor == actor
        assert book.uses["CR-53"] == 1


def test_questions_go_on_clockwise_and_restart():
    book = table(["QH 2D *", "* 3S 5D", "* 7D 8D"])
    book.apply(code(SHIFT_PLAY, one("QH")))
    asked = []
    for answer in (PASS, JOKER_PLAYED, PASS, JOKER_PLAYED, PASS):
        if book.phase != "block":
            break
        asked.append(book.actor)
        book.apply(answer)
    assert asked == [1, 2, 0, 1, 0]
    assert book.skirmish is None
    assert len(book.hands[1]) == 4


def test_skirmish_cards_never_empty_a_hand():
    book = table(["QH 2D", "*", "2S 3S"])
    book.apply(code(SHIFT_PLAY, one("QH")))
    assert book.phase == "pick"
    book = table(["QH", "*", "2S 3S"])
    refused(book, code(SHIFT_PLAY, one("QH")), "CR-56")


def test_A48_the_finisher_who_goes_out_wins():
    book = end_of_round([3, 3, 0], laid=[0, 1], out=1)
    assert book.over
    assert book.outcome()["share"] == [0, WHOLE, 0]
    assert book.outcome()["end"] == [END_WON] * 3
    assert book.outcome()["points"] == [4, 4, 0]


def test_A50_the_only_finisher_wins():
    book = end_of_round([3, 0, 0], laid=[0, 2], out=2)
    assert book.over
    assert book.outcome()["share"] == [WHOLE, 0, 0]


def test_A51_locked():
    book = end_of_round([0, 0, 0], laid=[1], out=1)
    assert book.phase == "declare"
    assert [split(c)[2] for c in book.options()] == [0]
    refused(book, code(DECLARE, contract_number("S3 S3"), 2), "CR-42")
    book.apply(book.options()[0])
    assert [split(c)[2] for c in book.options()] != [0]
    declare_all(book)
    assert book.row["tries"] == [2, 1, 2]


def test_switch_retry():
    book = end_of_round([0, 0, 0], laid=[1], out=1, retry="redeclare")
    assert sorted(split(c)[2] for c in book.options()) == [0, 1, 2, 3]


def test_A52_alone_on_the_table():
    mine = fresh(meld(SET, "2S 2H 2D"), meld(RUN, "TS JS QS"))
    settings = {"layoff_targets": "opponents", "laydown_extra": "exact"}
    book = table(["4C 5H 7D", "3S 5S 8D TD"], melds={0: mine}, pile="6S 9S KH JD 2C 4S", **settings)
    for _ in range(3):
        assert kinds(book) == {DISCARD}
        book.apply(book.options()[0])
        for _ in range(2):
            book.apply(PILE)
            if book.actor == 1:
                book.apply(book.options()[-1])
        assert len(book.hands[0]) == 3
    assert not book.round_outcomes


# ------------------------------------------------------------------------------------------------ end of round, game


def end_of_round(had, laid, out, left=None, **settings):
    """Return a game after a round: how many elements each seat had, who laid down, who went out (None: the cap)."""
    n = len(had)
    book = declare_all(new(n, **settings))
    melds = [fresh(F567, meld(SET, "2S 2H 2D")) if seat in laid else [] for seat in range(n)]
    sizes = left or [2] * n
    rig(
        book,
        got=[[place for place in range(4) if place != book.declared[seat]][:k] for seat, k in enumerate(had)],
        laid=[seat in laid for seat in range(n)],
        melds=melds,
        hands=[[one("KD")] if seat == out else cards("3S 4S 5S 6S")[: sizes[seat]] for seat in range(n)],
        turn_seat=n - 1 if out is None else out,
        actor=n - 1 if out is None else out,
        phase="action",
        drawn=True,
    )
    if out is None:
        book.row["turns"] = [book.variant["turn_cap"]] * n
    book.apply(book.options()[-1])
    assert len(book.round_outcomes) == 1
    return book


def test_several_finishers_and_another_goes_out():
    book = end_of_round([3, 3, 0], laid=[0, 1, 2], out=2)
    assert not book.over
    assert book.visible()["got"] == [[1, 2, 3], [1, 2, 3], [0]]
    assert book.round_outcomes[0]["collected"] == [0, 0, 1]
    assert [split(c)[2] for c in book.options()] == [0]
    assert book.totals["points"] == [3, 3, 1]
    book = end_of_round([1, 1, 0], laid=[0, 1, 2], out=2, elements_to_win=2)
    assert [split(c)[2] for c in book.options()] == [0]


def test_switch_tie():
    book = end_of_round([3, 3, 0], laid=[0, 1, 2], out=2, tie="share")
    assert book.outcome()["share"] == [WHOLE // 2, WHOLE // 2, 0]
    assert book.outcome()["end"] == [END_TIE] * 3
    book = end_of_round([3, 3, 0], laid=[0, 1, 2], out=2, left=[3, 2, 1], tie="fewest_cards")
    assert book.outcome()["share"] == [0, WHOLE, 0]
    assert book.outcome()["end"] == [END_WON] * 3
    book = end_of_round([3, 3, 3, 0], laid=[0, 1, 2, 3], out=3, left=[2, 3, 2, 1], tie="fewest_cards")
    assert book.outcome()["share"] == [WHOLE // 2, 0, WHOLE // 2, 0]


def test_switch_must_go_out_to_win():
    book = end_of_round([3, 0, 0], laid=[0, 2], out=2, must_go_out_to_win=True)
    assert not book.over
    assert book.round_outcomes[0]["collected"] == [0, 0, 1]
    book = end_of_round([3, 3, 0], laid=[0, 1], out=1, must_go_out_to_win=True)
    assert book.outcome()["share"] == [0, WHOLE, 0]
    assert book.outcome()["points"] == [4, 4, 0]
    book = end_of_round([3, 3, 0], laid=[0, 1, 2], out=2, must_go_out_to_win=True, tie="share")
    assert book.visible()["got"] == [[1, 2, 3], [1, 2, 3], [0]]


def test_switch_elements_to_win():
    book = end_of_round([0, 0, 0], laid=[1], out=1, elements_to_win=1)
    assert book.outcome()["share"] == [0, WHOLE, 0]
    assert book.round_outcomes[0]["last"] == [1, 1, 1]


def test_switch_turn_cap():
    book = end_of_round([3, 0, 0], laid=[1], out=None, turn_cap=5)
    assert book.round_outcomes[0]["capped"] == [1, 1, 1]
    assert book.round_outcomes[0]["out"] == [0, 0, 0]
    assert book.round_outcomes[0]["collected"] == [0, 1, 0]
    assert book.starter == 1


def test_cap_round_can_be_won():
    assert end_of_round([3, 0, 0], laid=[0], out=None).outcome()["share"] == [WHOLE, 0, 0]


def test_switch_round_cap():
    book = end_of_round([0, 0, 0, 0], laid=[1], out=1, round_cap=1)
    assert book.over
    assert book.outcome()["share"] == [WHOLE // 4] * 4
    assert book.outcome()["end"] == [END_CAP] * 4
    assert book.uses["CR-CAP"] == 1


@pytest.mark.parametrize(
    ("rule", "starter"), [("rotate", 1), ("out_player", 2), ("left_of_out", 0), ("eldest_always", 0)]
)
def test_switch_next_starter(rule, starter):
    book = end_of_round([0, 0, 0], laid=[2], out=2, next_starter=rule)
    declare_all(book)
    assert book.turn_seat == starter
    assert book.row["distance"] == [(seat - starter) % 3 for seat in range(3)]
    assert end_of_round([0, 0, 0], laid=[2], out=None, next_starter=rule).starter == (
        0 if rule == "eldest_always" else 1
    )


def test_switch_element_order():
    assert len(new(2).options()) == 4
    first = {"listed": "S3 R3", "easiest_first": "S3 R3", "hardest_first": "S4 F4"}
    for order, text in first.items():
        assert new(2, sides=[0, 1], element_order=order).options() == [
            code(DECLARE, contract_number(text), 3 if order == "hardest_first" else 0)
        ]
    # Winter: S3S3 is worth 8 points, S3F3 7.
    book = new(2, sides=[1, 0], element_order="easiest_first")
    assert contract_text(split(book.options()[0])[1]) == "S3 F3"


def test_switch_contracts():
    book = new(2, sides=[0, 1], contracts__summer__fire="R5 F5", element_order="listed")
    assert split(book.options()[0])[1] == contract_number("R5 F5")


def test_switch_court_assignment_choose():
    book = new(3, court_assignment="choose")
    assert book.options() == [code(COURT, i) for i in range(5)]
    book.apply(code(COURT, 4))
    refused(book, code(COURT, 4), "CR-03")
    book.apply(code(COURT, 0))
    book.apply(code(COURT, 2))
    assert book.sides == [4, 0, 2]
    assert book.phase == "declare"
    assert COURT_NAMES[4] in " ".join(book.story)


def test_lead_changes():
    book = declare_all(new(3))
    rounds = [([0, 1, 0], 0), ([1, 1, 0], 0), ([1, 1, 2], 1), ([1, 2, 2], 1), ([1, 2, 3], 1), ([1, 4, 3], 2)]
    for points, changes in rounds:
        book.totals["points"] = points
        book._note_leader()
        assert book.totals["lead_changes"] == [changes] * 3


# ------------------------------------------------------------------------------------------------ deal, piles, turns


def identity(n=112):
    return list(range(n))


def test_deal_follows_the_packets():
    chance = RiggedChance(1, {(0, DECK, None, 0): identity()})
    seats = [SeatSetup(0, 2), SeatSetup(1, 0), SeatSetup(2, 1)]
    book = declare_all(CelestialRanks(variant(), seats, chance))
    assert book.hands[0] == list(range(2, 30, 3))
    assert book.hands[1] == list(range(0, 30, 3))
    assert book.discards == [30]
    assert book.pile == [*range(31, 52), *range(52), *[JOKER] * 4]
    assert book.options() == [PILE, TOP]


@pytest.mark.parametrize(("decks", "jokers", "dealt"), [(1, 2, 10), (2, 8, 14), (2, 0, 6), (1, 4, 7)])
def test_switches_decks_jokers_cards_dealt(decks, jokers, dealt):
    chance = RiggedChance(1, {(0, DECK, None, 0): identity()})
    book = declare_all(new(3, chance=chance, decks=decks, jokers=jokers, cards_dealt=dealt))
    assert [len(hand) for hand in book.hands] == [dealt] * 3
    everything = sorted([*itertools.chain(*book.hands), *book.pile, *book.discards])
    assert everything == sorted(list(range(52)) * decks + [JOKER] * jokers)


def test_reshuffle_takes_the_places_of_the_cards_there():
    order = identity()[::-1]
    book = declare_all(new(3, chance=RiggedChance(1, {(0, RESHUFFLE, None, 0): order})))
    assert book._shuffled(cards("7S 7H 7H * 2C")) == cards("* 7H 2C 7H 7S")
    assert book.shuffles == 1
    assert book._shuffled([]) == []
    assert book.shuffles == 1


def test_every_shuffle_of_a_round_has_its_own_order():
    book = declare_all(new(3))
    pile = list(range(20))
    orders = [book.chance.stream(0, RESHUFFLE, None, k).permutation(112) for k in range(2)]
    for order in orders:
        assert book._shuffled(pile) == [place for place in order if place in pile]
    assert orders[0] != orders[1]


def test_the_last_card_of_the_pile_makes_a_new_pile():
    book = table(["2D 3H", "4S 3S", "2S 3S"], pile="9S", discards="4C 5C 6C", drawn=False)
    book.apply(PILE)
    assert sorted(book.pile) == sorted(cards("4C 5C"))
    assert book.discards == cards("6C")
    assert book.uses["CR-28"] == 1


def test_nothing_to_draw_and_a_lap_of_it():
    book = table(["2D 3H", "4S 3S"], pile="", discards="", drawn=False)
    assert book.options() == [NOTHING]
    book.apply(NOTHING)
    discard(book, "2D")
    assert book.options() == [TOP, NOTHING]
    book.apply(NOTHING)
    discard(book, "4S")
    assert book.round_outcomes[0]["capped"] == [1, 1]


def test_taking_the_discard_breaks_the_lap():
    book = table(["2D 3H", "4S 3S"], pile="", discards="", drawn=False)
    book.apply(NOTHING)
    discard(book, "2D")
    book.apply(TOP)
    discard(book, "2D")
    assert not book.round_outcomes
    assert book.skipped == 0
    assert book.uses["CR-39"] == 1


def test_flipped_trigger_buries_nothing():
    order = identity()
    order[30], order[104] = 104, order[30]
    book = declare_all(new(3, chance=RiggedChance(1, {(0, DECK, None, 0): order})))
    assert book.discards == [JOKER]
    assert TOP in book.options()
    assert book.uses["CR-34"] == 1


def test_last_discard_buries_nothing():
    book = layer("*", [F567])
    discard(book, "*")
    assert book.uses["CR-33"] == 1
    assert book.totals["n_bury"][0] == 0


def test_shift_without_a_pile():
    book = table(["QH 2D 3H", "4S 3S", "2S 3S"], pile="", discards="8H")
    assert kinds(book) == {DISCARD}
    refused(book, code(SHIFT_PLAY, one("QH")), "CR-27")


def test_switch_shift_timing():
    refused(table(["QH 2D", "4S 3S", "2S 3S"], drawn=False), code(SHIFT_PLAY, one("QH")), "CR-25")
    book = table(["QH 2D", "4S 3S", "2S 3S"], drawn=False, shift_timing="any_time_on_turn")
    book.apply(code(SHIFT_PLAY, one("QH")))
    book.apply(code(PICK, one("4S")))
    assert book.phase == "draw"
    assert PILE in book.options()


def test_switch_max_shifts_per_turn():
    for most, again in ((99, True), (1, False)):
        book = table(["QH QD 3H", "4S 3S", "2S 3S"], max_shifts_per_turn=most)
        book.apply(code(SHIFT_PLAY, one("QH")))
        book.apply(code(PICK, one("4S")))
        assert (SHIFT_PLAY in kinds(book)) is again
    refused(book, code(SHIFT_PLAY, one("QD")), "CR-26")


def test_switch_layoff_same_turn():
    hand = "7S 7H 7D 9C TD JS 4C 2H"
    for same, expected in ((True, {LAY_OFF, DISCARD}), (False, {DISCARD})):
        melds = {1: fresh(F567, meld(SET, "2S 2D 2C"))}
        book = table([hand, "4S 3S", "2S 3S"], melds=melds, contracts={0: "S3 R3"}, layoff_same_turn=same)
        book.apply(code(LAY_AUTO))
        assert kinds(book) == expected
    refused(book, code(LAY_OFF, one("4C"), 4), "CR-07")


def test_switch_goout():
    hand = "7S 7H 7D 9C TD JS"
    book = table([hand, "4S 3S", "2S 3S"], contracts={0: "S3 R3"}, goout="meld_all_ok")
    book.apply(code(LAY_AUTO))
    assert book.round_outcomes[0]["out"] == [1, 0, 0]
    book = layer("4C", [F567], goout="meld_all_ok")
    book.apply(code(LAY_OFF, one("4C"), 4))
    assert book.round_outcomes[0]["out"] == [1, 0, 0]


def test_switch_laydown_extra():
    hand = "7S 7H 7D 7C 9C TD JS QS 2H 3D 5H"
    for extra, count in (("allow", 2), ("exact", 1)):
        book = table([hand, "4S 3S", "2S 3S"], contracts={0: "S3 R3"}, laydown_extra=extra)
        assert len(lay_codes(book)) == count


def test_switch_joker_limit_at_lay_offs():
    theirs = [meld(SET, "7S 7H *")]
    for limit, allowed in (("strict", False), ("none", True), ("one_per_meld", False)):
        assert bool(lay_offs(layer("* 2D 3H", theirs, joker_limit=limit))) is allowed
    theirs = [meld(SET, "7S 7H 7D 7C *")]
    for limit, allowed in (("strict", True), ("none", True), ("one_per_meld", False)):
        assert bool(lay_offs(layer("* 2D 3H", theirs, joker_limit=limit))) is allowed
    refused(layer("* 2D 3H", theirs, joker_limit="one_per_meld"), code(LAY_OFF, JOKER, 4), "CR-16")


def test_switch_set_distinct_suits_at_lay_offs():
    theirs = [meld(SET, "7S 7H 7D")]
    assert len(lay_offs(layer("7S 7C 2D *", theirs))) == 3
    book = layer("7S 7C 2D *", theirs, set_distinct_suits=True)
    assert lay_offs(book) == {(one("7C"), 1, 0, 0), (JOKER, 1, 0, 0)}
    refused(book, code(LAY_OFF, one("7S"), 4), "CR-11")


def test_wild_off_lays_off_no_joker():
    book = layer("* 2D 4C 8D", [F567, meld(SET, "7S 7H 7D")], off={0: 1 << WILD})
    assert {card for card, *_ in lay_offs(book)} == {one("4C")}
    refused(book, code(LAY_OFF, JOKER, 4 + 2), "CR-S16")


def test_joker_chooses_its_end():
    book = layer("* 2D 4D 8D", [meld(FLUSH, "5C 6C 7C")])
    assert lay_offs(book) == {(JOKER, 1, 0, 0), (JOKER, 1, 0, 1)}
    book.apply(code(LAY_OFF, JOKER, 4))
    assert book.visible()["melds"][1] == [[FLUSH, 4, 4, 1, 3]]
    assert book.totals["n_wild"][0] == 1


def many(book):
    return {(a // 16, a % 16, b) for kind, a, b in map(split, book.options()) if kind == LAY_OFF_MANY}


def test_several_naturals_join_a_meld_of_jokers():
    theirs = [Meld(SET, 6, [JOKER] * 3)]
    book = layer("7S 7S 7H 7C 7D 2D", theirs)
    assert lay_offs(book) == set()
    assert many(book) == {(4, 0, 4), (5, 0, 4)}
    book.apply(code(LAY_OFF_MANY, 4 * 16, 4))
    assert book.hands[0] == sorted(cards("7C 2D"))
    assert book.visible()["melds"][1] == [[SET, 6, 7, 3, -1]]
    assert many(layer("7S 7S 7H 7C", theirs)) == set()
    assert many(layer("7S 7S 7H 7C 2D", theirs, joker_limit="none")) == set()
    assert many(layer("7S 7S 7H 7C 2D", theirs, joker_limit="one_per_meld")) == set()
    assert many(layer("7S 7S 7H 7C 2D *", theirs, off={0: 1 << WILD})) == {(4, 0, 4)}


def test_several_naturals_join_a_run_of_jokers():
    theirs = [Meld(RUN, 4, [JOKER] * 3)]
    book = layer("2S 3H 3D 7C 8S 9D KD", theirs)
    assert many(book) == {(1, 3, 4), (2, 2, 4), (2, 3, 4)}
    book.apply(code(LAY_OFF_MANY, 2 * 16 + 2, 4))
    assert book.melds[1][0].cards == cards("2S 3H * * * 7C 8S")
    assert book.visible()["melds"][1] == [[RUN, 2, 7, 3, -1]]
    flush = [Meld(FLUSH, 4, [JOKER] * 3, 3)]
    assert many(layer("2S 3H 3D 7C 8S 9D KD", flush)) == set()
    assert many(layer("7C 8C 9C TC JC KD", flush)) == {(0, 4, 4), (0, 5, 4)}


def test_several_naturals_stay_between_the_aces():
    theirs = [Meld(RUN, 3, [JOKER] * 3)]
    assert many(layer("KS AS 2S 6H 7H 8D QD", theirs)) == {(1, 3, 4), (2, 2, 4), (2, 3, 4)}
    assert many(layer("KS AS 2S 6H 7H 8D QD", theirs, ace="high")) == {(1, 3, 4)}
    theirs = [Meld(RUN, 6, [JOKER] * 3)]
    hand = "AS 2S 3S 4S 5S 9D TD JD QD KD 7C 7D"
    assert (5, 5, 4) in many(layer(hand, theirs))
    assert (5, 6, 4) not in many(layer(hand, theirs))
    assert (5, 6, 4) in many(layer(hand + " AD", theirs))


def test_a_joker_joins_a_meld_of_jokers():
    for limit in ("strict", "one_per_meld", "none"):
        book = layer("* 2D 4D", [Meld(SET, 6, [JOKER] * 3)], joker_limit=limit)
        assert lay_offs(book) == {(JOKER, 1, 0, 0)}


def test_switches_distinct_ranks_and_short_jokers_use_their_rules():
    hand = "4S 4S 4H 5H 5D 5C 8D TS KH 2D 9D"
    book = table([hand, "4S 3S", "2S 3S"], contracts={0: "S3 S3"}, distinct_ranks_for_two_sets=True)
    book.apply(code(LAY_MELD, 128 + 3, 48))
    assert lay_codes(book) == [(512 + 128 + 4, 48)]
    book.apply(book.options()[0])
    assert book.uses["CR-10"] == 1
    book = table(["* * * 9S 9H 9D 9C 2S", "4S 3S", "2S 3S"], contracts={0: "S4 R4"}, alljoker_any_requirement=True)
    book.apply(code(LAY_AUTO))
    assert book.visible()["melds"][0] == [[SET, 8, 4, 0, -1], [RUN, 1, 3, 3, -1]]


def test_idle_turns():
    book = table(["2D 3H 9C", "4S 3S", "2S 3S"])
    discard(book, "2D")
    assert book.row["idle"] == [1, 0, 0]
    book = table(["QH 3H 9C", "4S 3S", "2S 3S"])
    discard(book, "3H")
    assert book.row["idle"] == [0, 0, 0]


def test_rules_refuse_the_wrong_step():
    book = new(3)
    refused(book, PILE, "CR-S8")
    refused(book, code(SHIFT_PLAY, one("QH")), "CR-25")
    declare_all(book)
    refused(book, code(DISCARD, book.hands[0][0]), "CR-S8")


# ------------------------------------------------------------------------------------------------- what always holds


def play(book, seed, check=None):
    """Play a game at random, but lay down and off eagerly; call `check` before every decision."""
    draw = random.Random(seed)
    while not book.over:
        choices = book.options()
        if check is not None:
            check(book, choices)
        eager = [c for c in choices if split(c)[0] in (LAY_AUTO, LAY_MELD, LAY_OFF, LAY_OFF_MANY, SHIFT_PLAY)]
        book.apply(draw.choice(eager) if eager and draw.random() < 0.8 else draw.choice(choices))
    return book


def invariants(book, choices):
    assert choices
    assert choices == sorted(set(choices))
    assert len(choices) <= 256
    if book.phase in ("court", "declare"):
        return
    assert total(book) == 52 * book.variant["decks"] + book.variant["jokers"]
    assert all(book.hands)
    for found in itertools.chain(*book.melds):
        naturals = len(found.cards) - found.jokers
        assert naturals == 0 or book.rules.within_limit(naturals, found.jokers)
        if found.kind == SET:
            assert {c % 13 for c in found.cards if c != JOKER} <= {found.start}
        else:
            assert found.start >= 1
            assert found.high <= 14
            for i, card in enumerate(found.cards):
                assert card == JOKER or card % 13 == (found.start + i - 1) % 13
                assert card == JOKER or found.suit in (-1, card // 13)


def finished(book):
    outcome = book.outcome()
    assert sum(outcome["share"]) == WHOLE
    assert outcome["rounds"] == [len(book.round_outcomes)] * book.n
    assert outcome["turns"] == [sum(row["turns"][s] for row in book.round_outcomes) for s in range(book.n)]
    assert outcome["points"] == [sum(row["collected"][s] for row in book.round_outcomes) for s in range(book.n)]
    assert outcome["n_shift"] == [sum(row["shifts"][s] for row in book.round_outcomes) for s in range(book.n)]
    for row in book.round_outcomes:
        assert sum(row["out"]) == 1 - row["capped"][0]
        assert all(not collected or laid for collected, laid in zip(row["collected"], row["laid"]))
        assert all(met <= shifts for met, shifts in zip(row["shifts_met"], row["shifts"]))
    assert set(book.uses) <= set(RULES)
    assert book.options() == []
    assert book.visible()["actor"] == -1


ALTERNATIVES = [(f.key, choice) for f in FIELDS for choice in f.choices if choice != f.default]
ALTERNATIVES += [(f.key, not f.default) for f in FIELDS if isinstance(f.default, bool)]


@pytest.mark.parametrize(("key", "value"), ALTERNATIVES, ids=[f"{k}={v}" for k, v in ALTERNATIVES])
def test_every_switch_plays(key, value):
    finished(play(new(3, turn_cap=12, round_cap=6, jokers=6, **{key: value}), 3, invariants))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_games_of_every_size(seats):
    finished(play(new(seats, deal=seats), seats, invariants))


def test_every_ability_off_plays():
    for bit in range(len(ABILITIES)):
        book = play(new(3, off={0: 1 << bit}, turn_cap=30, round_cap=8, jokers=8), bit, invariants)
        finished(book)
        gone = {SHIFT: "n_shift", BLOCK: "n_block", OVERRIDE: "n_override", WILD: "n_wild", BURY: "n_bury"}[bit]
        assert book.outcome()[gone][0] == 0


def test_the_same_deal_and_choices_give_the_same_game():
    first, second = (play(new(4, deal=9), 2) for _ in range(2))
    assert first.story == second.story
    assert first.outcome() == second.outcome()


def test_courts_of_a_class_are_the_same_court():
    def rows(sides):
        book = play(new(3, sides=sides), 4)
        outcome = book.outcome()
        assert outcome.pop("court") == sides
        return [{k: v for k, v in row.items() if k != "element"} for row in book.round_outcomes], outcome

    assert rows([0, 1, 2]) == rows([3, 2, 4])


def test_two_players_exact_opponents_take_four_rounds():
    easy = {f.key.replace(".", "__"): "S3 R3" for f in FIELDS if f.key.startswith("contracts.")}
    games = 0
    for deal in range(6):
        book = new(2, deal=deal, laydown_extra="exact", off={0: 1 << BLOCK, 1: 1 << BLOCK}, **easy)
        play(book, deal)
        if any(row["capped"][0] for row in book.round_outcomes):
            continue
        games += 1
        assert len(book.round_outcomes) == 4
    assert games >= 3


STRESS = [
    ("S3 S3", 3, {"layoff_targets": "any", "distinct_ranks_for_two_sets": True}),
    ("S3 R3", 3, {"layoff_targets": "any", "jokers": 8, "override_needs": "all_others_passed"}),
    ("S3 R3", 3, {"layoff_targets": "any", "elements_to_win": 1}),
    ("S3 R3", 5, {"decks": 1, "jokers": 0, "turn_cap": 20}),
    ("S3 F3", 3, {"layoff_targets": "any", "jokers": 8, "cards_dealt": 14, "round_cap": 4}),
    ("R3 R3", 3, {"jokers": 8, "cards_dealt": 6, "turn_cap": 10, "round_cap": 2}),
]


def test_every_rule_is_met_in_play():
    uses = Counter()
    for contract, seats, settings in STRESS:
        same = {f.key.replace(".", "__"): contract for f in FIELDS if f.key.startswith("contracts.")}
        for deal in range(14):
            uses += play(new(seats, deal=deal, **settings, **same), deal).uses
    assert set(uses) == set(RULES)


def test_story_names_the_rules_of_special_moments():
    book = play(new(4, jokers=8, override_needs="all_others_passed"), 1)
    text = " ".join(book.story)
    for rule in ("CR-S13", "CR-30", "CR-31", "CR-32", "CR-47", "CR-51", "CR-44"):
        assert f"({rule})" in text or f"({rule}," in text, rule
    assert "Summer" in text


def test_every_field_names_a_rule_that_stands_here():
    assert {f.rule for f in FIELDS if f.rule} <= set(RULES)
    assert all(sentence.endswith(".") and source for sentence, source in RULES.values())
