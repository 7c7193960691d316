"""The hand kernels of Celestial Ranks against definitions in plain Python that share nothing with them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sim.games.celestial_ranks import hands as fast
from sim.jit import kernel

SIX = ("S3 R3", "S3 F3", "S3 S3", "S4 R4", "S4 F3", "S4 F4")
OTHERS = ("R3 F4", "S5 R3", "F3 F3", "R4 R4", "S3 F5", "S5 S4", "S4 R5", "S3 F4")
JOKER = 52


# -------------------------------------------------------------------------------------------------- rules by definition


@dataclass(frozen=True)
class Rules:
    """The switches of a variant."""

    ace: str = "both"
    joker_limit: str = "strict"
    laydown_extra: str = "allow"
    alljoker_any_requirement: bool = False
    set_distinct_suits: bool = False
    distinct_ranks_for_two_sets: bool = False
    decks: int = 2
    jokers: int = 4

    def tables(self, contracts):
        return fast.make_tables(contracts, fast.Switches(**self.__dict__)).view(np.recarray)[0]

    @property
    def positions(self):
        return {"both": range(1, 15), "low": range(1, 14), "high": range(2, 15)}[self.ace]

    def jokers_fit(self, naturals, jokers):
        """Tell whether a meld with at least one natural may hold so many jokers."""
        return {"strict": naturals > jokers, "none": True, "one_per_meld": jokers <= 1}[self.joker_limit]

    def length_fits(self, naturals, jokers, n):
        length = naturals + jokers
        least = n if naturals or not self.alljoker_any_requirement else 3
        if length < max(3, least):
            return False
        return length <= n if self.laydown_extra == "exact" else True


DEFAULT = Rules()
SWITCHES = (
    DEFAULT,
    Rules(ace="low", laydown_extra="exact"),
    Rules(ace="high", joker_limit="none"),
    Rules(joker_limit="one_per_meld", alljoker_any_requirement=True, jokers=8),
    Rules(set_distinct_suits=True, distinct_ranks_for_two_sets=True),
    Rules(set_distinct_suits=True, jokers=2),
    Rules(distinct_ranks_for_two_sets=True, laydown_extra="exact", alljoker_any_requirement=True),
    Rules(decks=1, jokers=2),
)


def requirements(contract):
    """Return [(letter, length)], sets before flush runs before runs."""
    return sorted(((w[0], int(w[1])) for w in contract.split()), key=lambda r: "SFR".index(r[0]))


def is_meld(cards, kind, n, rules):
    """Tell by definition whether these cards (types) are a meld for the requirement."""
    naturals = [c for c in cards if c != JOKER]
    jokers = len(cards) - len(naturals)
    if not rules.length_fits(len(naturals), jokers, n):
        return False
    if naturals and not rules.jokers_fit(len(naturals), jokers):
        return False
    if kind == "S":
        if rules.set_distinct_suits:
            suits = [c // 13 for c in naturals]
            if len(set(suits)) < len(suits) or len(cards) > 4:
                return False
        return len({c % 13 for c in naturals}) <= 1
    if len(cards) > len(rules.positions):
        return False
    if kind == "F" and len({c // 13 for c in naturals}) > 1:
        return False
    ranks = sorted(c % 13 for c in naturals)
    for low in rules.positions:
        span = range(low, low + len(cards))
        if span[-1] not in rules.positions:
            break
        places = [(p - 1) % 13 for p in span]
        if all(ranks.count(r) <= places.count(r) for r in set(ranks)):
            return True
    return False


def lies_in(hand, contract, rules, room=99):
    """Tell by trying all subsets whether two disjoint melds lie in the hand, with at most `room` cards."""
    (k0, n0), (k1, n1) = requirements(contract)
    first, second = {}, {}
    for mask in range(1, 1 << len(hand)):
        if mask.bit_count() < 3:
            continue
        cards = [c for i, c in enumerate(hand) if mask >> i & 1]
        # cheap test first: nearly all subsets hold two ranks too far apart, so only small ones are worth a look
        if is_meld(cards, k0, n0, rules):
            first[mask] = cards
        if is_meld(cards, k1, n1, rules):
            second[mask] = cards

    def ranks(cards):
        return {c % 13 for c in cards if c != JOKER}

    for a, x in first.items():
        for b, y in second.items():
            if a & b or len(x) + len(y) > room:
                continue
            if k0 == k1 == "S" and rules.distinct_ranks_for_two_sets and ranks(x) & ranks(y):
                continue
            return True
    return False


# --------------------------------------------------------- distance by definition: every pair of templates of two melds


@dataclass(frozen=True)
class Template:
    """What a meld needs: (suit or None, rank) of its naturals in a run, or so many of a rank in a set; and jokers."""

    kind: str
    suit: int | None
    ranks: tuple[int, ...]
    jokers: int


def templates(kind, n, rules, longest):
    """Return all templates of a requirement up to a length."""
    made = []
    for length in range(3, longest + 1):
        if rules.length_fits(0, length, n) and not (kind == "S" and rules.set_distinct_suits and length > 4):
            made.append(Template(kind, None, (), length))
        for jokers in range(length):
            naturals = length - jokers
            if not (rules.length_fits(naturals, jokers, n) and rules.jokers_fit(naturals, jokers)):
                continue
            if kind == "S":
                if not (rules.set_distinct_suits and length > 4):
                    made += [Template("S", None, (r,) * naturals, jokers) for r in range(13)]
                continue
            for low in rules.positions:
                if low + length - 1 not in rules.positions:
                    break
                for where in itertools.combinations(range(low, low + length), naturals):
                    ranks = tuple((p - 1) % 13 for p in where)
                    made += [Template(kind, s, ranks, jokers) for s in (range(4) if kind == "F" else (None,))]
    return made


def held_counts(hand):
    counts = np.zeros((4, 13), int)
    for c in hand:
        if c != JOKER:
            counts[c // 13, c % 13] += 1
    return counts


def missing_naturals(counts, pair, rules):
    """Return how many naturals two templates lack together; runs of a suit take their cards first."""
    counts = counts.copy()
    lacking = 0
    for t in sorted(pair, key=lambda t: "FRS".index(t.kind)):
        if t.kind == "F":
            for r in t.ranks:
                if counts[t.suit, r]:
                    counts[t.suit, r] -= 1
                else:
                    lacking += 1
        elif t.kind == "R":
            for r in t.ranks:
                # the copy whose loss hurts a set of different suits least: one that is there twice
                s = int(np.argmax(counts[:, r]))
                if counts[s, r]:
                    counts[s, r] -= 1
                else:
                    lacking += 1
    sets = [t for t in pair if t.kind == "S" and t.ranks]
    for r in {t.ranks[0] for t in sets}:
        wanted = [len(t.ranks) for t in sets if t.ranks[0] == r]
        if not rules.set_distinct_suits:
            lacking += max(0, sum(wanted) - counts[:, r].sum())
            continue
        best = 0
        for give in itertools.product(*[range(4) for _ in range(4)]):  # bit i of give[s]: a card of suit s to set i
            if any(g.bit_count() > counts[s, r] for s, g in enumerate(give)):
                continue
            best = max(best, sum(min(w, sum(g >> i & 1 for g in give)) for i, w in enumerate(wanted)))
        lacking += sum(wanted) - best
    return lacking


def brute_distance(hand, contract, rules, wild=True, longest=7, _cache={}):  # noqa: B006
    """Return the missing cards by trying all pairs of templates, jokers drawn like any card."""
    key = (contract, rules, longest)
    if key not in _cache:
        (k0, n0), (k1, n1) = requirements(contract)
        _cache[key] = templates(k0, n0, rules, longest), templates(k1, n1, rules, longest)
    first, second = _cache[key]
    counts = held_counts(hand)
    jokers = hand.count(JOKER)

    def alone(melds):
        found = [(missing_naturals(counts, (t,), rules), t) for t in melds if wild or not t.jokers]
        return sorted(found, key=lambda f: f[0] + max(0, f[1].jokers - (jokers if wild else 0)))

    best = 15
    one, two = alone(first), alone(second)
    for a, x in one:
        if a + max(0, x.jokers - jokers) >= best:
            break
        for b, y in two:
            if b + max(0, y.jokers - jokers) >= best:
                break
            used = x.jokers + y.jokers
            if used > max(jokers, rules.jokers) or a + b + max(0, used - jokers) >= best:
                continue
            if rules.distinct_ranks_for_two_sets and x.kind == y.kind == "S" and x.ranks[:1] == y.ranks[:1] != ():
                continue
            best = min(best, missing_naturals(counts, (x, y), rules) + max(0, used - jokers))
    return best


# ---------------------------------------------------------------------------------- melds that may be laid, by the text

ORDER = (0, 3, 1, 2)  # spades, clubs, hearts, diamonds


def of_rank(hand, rank, suits=ORDER):
    return [s * 13 + rank for s in suits for c in hand if c == s * 13 + rank]


def without(hand, cards):
    rest = list(hand)
    for c in cards:
        rest.remove(c)
    return rest


def book_melds(hand, contract, req, rules, wild, size, used=0, barred=None):
    """Return {code: (cards in order, rest)} of the melds for one requirement."""
    kind, n = requirements(contract)[req]
    jokers = hand.count(JOKER) if wild else 0
    found = {}
    head = req * 512

    def follows(cards, rank):
        if len(cards) + used > size - 1:
            return False
        return req == 1 or bool(book_melds(without(hand, cards), contract, 1, rules, wild, size, len(cards), rank))

    def put(a, b, cards):
        found[(head + a) * 1024 + b] = (cards, without(hand, cards))

    for length in range(3, jokers + 1):
        cards = [JOKER] * length
        if is_meld(cards, kind, n, rules) and follows(cards, None):
            # the owner declares what they stand for: a rank, or a suit and a lowest position
            if kind == "S":
                meanings = [384 + rank for rank in range(13)]
            else:
                ends = [low for low in rules.positions if low + length - 1 in rules.positions]
                meanings = [256 + suit * 16 + low for suit in (range(4) if kind == "F" else (4,)) for low in ends]
            for meaning in meanings:
                put(meaning, length * 17, cards)
    if kind == "S":
        for rank in range(13):
            cards = of_rank(hand, rank)
            if rules.distinct_ranks_for_two_sets and rank == barred:
                continue
            for natural, wilds in itertools.product(range(1, len(cards) + 1), range(jokers + 1)):
                for chosen in itertools.combinations(cards, natural):
                    meld = [*chosen, *[JOKER] * wilds]
                    if is_meld(meld, "S", n, rules) and follows(meld, rank):
                        put(128 + rank, natural * 16 + wilds, meld)
                        break
        return found
    for suit in range(4) if kind == "F" else (4,):
        for low in rules.positions:
            for length in range(3, 15):
                if low + length - 1 not in rules.positions:
                    break
                cards = run_cards(hand, suit, low, length, ())
                held = [i for i, c in enumerate(cards) if c != JOKER]
                done = False
                for extra in range(len(held) if req == 0 else 1):
                    for skipped in itertools.combinations(held, extra):
                        meld = run_cards(hand, suit, low, length, skipped)
                        wilds = meld.count(JOKER)
                        if wilds < length and wilds <= jokers and is_meld(meld, kind, n, rules) and follows(meld, None):
                            put(suit * 16 + low, length * 16 + wilds, meld)
                            done = True
                            break
                    if done:
                        break
    return found


def run_cards(hand, suit, low, length, skipped):
    rest, cards = list(hand), []
    for i in range(length):
        rank = (low + i - 1) % 13
        there = of_rank(rest, rank, ORDER if suit == 4 else (suit,))
        card = there[0] if there and i not in skipped else JOKER
        if card != JOKER:
            rest.remove(card)
        cards.append(card)
    return cards


def book_pairs(hand, contract, rules, wild):
    """Return {code0: (cards, {code1: cards})} of all lay-downs."""
    made = {}
    for code0, (cards, rest) in book_melds(hand, contract, 0, rules, wild, len(hand)).items():
        rank = (code0 >> 10) - 128 if 128 <= code0 >> 10 < 256 else None
        after = book_melds(rest, contract, 1, rules, wild, len(hand), len(cards), rank)
        made[code0] = cards, {code1: meld for code1, (meld, _) in after.items()}
    return made


# ---------------------------------------------------------------------------------------------------- hands and drivers


@kernel
def k_fill(cards, made):
    """cards: hands, types (-1: none)."""
    for i in range(len(cards)):
        fast.clear_hand(made[i])
        for x in cards[i]:
            if x >= 0:
                fast.add_card(made[i], x)


@kernel
def k_distances(t, made, c, wild, d):
    for i in range(len(made)):
        d[i] = fast.distance(t, made[i], c, wild)


@kernel
def k_outs(t, made, c, wild, d, masks, tried):
    """Outs by the kernel, and by adding every card in turn."""
    for i in range(len(made)):
        h = made[i]
        d[i], masks[i] = fast.distance_and_outs(t, h, c, wild)
        found = np.int64(0)
        for x in range(53):
            full = np.int64(t.jokers) if x == 52 else np.int64(t.decks)
            if fast.count_of(h, x) < full and not (x == 52 and not wild):
                fast.add_card(h, x)
                if fast.distance(t, h, c, wild) < d[i]:
                    found |= np.int64(1) << x
                fast.remove_card(h, x)
        tried[i] = found


@kernel
def k_discard(t, made, c, wild, n1, n2, jokers, drawn, picks, values):
    """picks: hands, (type, distance, weight). values: hands, types."""
    for i in range(len(made)):
        a, b, w = fast.best_discard(t, made[i], c, wild, n1[i], n2[i], jokers[i], drawn[i])
        picks[i, 0] = a
        picks[i, 1] = b
        picks[i, 2] = w
        fast.discard_values(t, made[i], c, wild, n1[i], n2[i], jokers[i], values[i])


@kernel
def k_lay_down(what, t, hand, c, wild, requirement, code, meld, out):
    """One driver for three kernels, so that what they share is compiled once."""
    if what == 0:
        return fast.meld_options(t, hand, c, wild, requirement, code, out), 0, False
    if what == 1:
        a, b = fast.arrange(t, hand, c, wild, out)
        return a, b, fast.may_lay(t, hand, c, wild, out)
    fast.lay_meld(t, hand, c, wild, code, meld, out)
    return 0, 0, True


NO_MELD = np.zeros(1, fast.MELD).view(np.recarray)[0]


def k_options(t, hand, c, wild, requirement, rank, out):
    return k_lay_down(0, t, hand, c, wild, requirement, rank, NO_MELD, out)[0]


def k_arrange(t, hand, c, wild, out):
    return k_lay_down(1, t, hand, c, wild, 0, -1, NO_MELD, out)


def k_lay(t, hand, c, wild, code, meld, out):
    k_lay_down(2, t, hand, c, wild, 0, code, meld, out)


@kernel
def k_accepts(t, meld, wild, card):
    return fast.accepts(t, meld, wild), fast.ends(t, meld, card)


@kernel
def k_lay_off(t, meld, card, end):
    fast.lay_off(t, meld, card, end)


def records(cards):
    """Return HAND records of hands given as lists of types."""
    longest = max(len(h) for h in cards)
    padded = np.array([[*h, *[-1] * (longest - len(h))] for h in cards])
    made = np.zeros(len(cards), fast.HAND).view(np.recarray)
    k_fill(padded, made)
    return made


def random_hands(n, size, seed, rules=DEFAULT):
    """Return hands: a third plain, a third with forced jokers, a third squeezed into five ranks."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        naturals = np.repeat(np.arange(52), rules.decks)
        jokers = 0
        if i % 3 == 1:
            jokers = int(rng.integers(0, min(rules.jokers, size) + 1))
        elif i % 3 == 2:
            low = int(rng.integers(0, 13))
            keep = [(low + k) % 13 for k in range(5)]
            naturals = naturals[np.isin(naturals % 13, keep)]
            jokers = int(rng.integers(0, min(rules.jokers, 3) + 1))
        else:
            naturals = np.concatenate([naturals, np.full(rules.jokers, JOKER)])
        take = min(size - jokers, len(naturals))
        made.append(sorted([*rng.choice(naturals, take, replace=False).tolist(), *[JOKER] * jokers]))
    return made


def distances(t, cards, c, wild=True):
    out = np.zeros(len(cards), np.int64)
    k_distances(t, records(cards), c, wild, out)
    return out


SUIT_OF = {"S": 0, "H": 1, "D": 2, "C": 3}


def parse(text):
    return [JOKER if w == "*" else SUIT_OF[w[1]] * 13 + "A23456789TJQK".index(w[0]) for w in text.split()]


# ---------------------------------------------------------------------------------- positions of the rules, by their id

POSITIONS = [
    ("A1", "7S 7H 7D 9C TD JS KS 2H 2D 4C 5S", "S3 R3", True, {}),
    ("A2", "5S 5H 5D 6C 7S KS KH 2D 9C TD QH", "S3 R3", False, {}),
    ("A3", "5S 5H 5D 5C 6C 7S KS KH 2D 9C TD", "S3 R3", True, {}),
    ("A4", "8S 8H * 3C 4D 5H TS QC KD AS 7D", "S3 R3", True, {}),
    ("A6", "3C 4C 5H 8S TD QC AS 7D * * *", "S3 R3", True, {}),
    ("A7", "9S 9H * * 3C 4D 5H 6S KD JC AS", "S4 R4", False, {}),
    ("A7 none", "9S 9H * * 3C 4D 5H 6S KD JC AS", "S4 R4", True, {"joker_limit": "none"}),
    ("A8", "9S 9H 9D * * 3C 4D 6S KD JC AS", "S4 R4", True, {}),
    ("A10", "* * * * 3C 4D 5H 6S 8D TH QS", "S4 R4", True, {}),
    ("A11", "4H 6H * KS KH KD 2C 9D JS 8C QC", "S3 F3", True, {}),
    ("A12", "4H 6D * KS KH KD 2C 7S TS 9H JD", "S3 F3", False, {}),
    ("A14", "QS KH AD 9S 9H 9D 5C 5D 7S 3C 3D", "S3 R3", True, {}),
    ("A14 low", "QS KH AD 9S 9H 9D 5C 5D 7S 3C 3D", "S3 R3", False, {"ace": "low"}),
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
    ("extra", "9S 9H 9D 9C 5S * 7H * 9C KD JC", "S4 R4", True, {}),  # 5 * 7 * 9: longer than required
    ("extra exact", "9S 9H 9D 9C 5S * 7H * 9C KD JC", "S4 R4", False, {"laydown_extra": "exact"}),
    ("three jokers", "9S 9H 9D 9C * * * 2H 3D 3D 2C", "S4 R4", False, {}),
    ("three jokers any", "9S 9H 9D 9C * * * 2H 3D 3D 2C", "S4 R4", True, {"alljoker_any_requirement": True}),
]


@pytest.mark.parametrize(
    ("text", "contract", "answer", "switches"), [p[1:] for p in POSITIONS], ids=[p[0] for p in POSITIONS]
)
def test_positions(text, contract, answer, switches):
    rules = Rules(**switches)
    t, hand = rules.tables([contract]), parse(text)
    assert (distances(t, [hand], 0)[0] == 0) == answer
    assert lies_in(hand, contract, rules, len(hand) - 1) is answer
    out = np.zeros(fast.MELD_SCRATCH, np.int32)
    a, b, may = k_arrange(t, records([hand])[0], 0, True, out)
    assert may == (a >= 0) == (b >= 0) == answer


def test_a27_only_the_declared_contract_counts():
    hand = parse("2S 2H 2D 5S 5H 5D 7C 9D JH KS QC")
    t = DEFAULT.tables(SIX)
    assert distances(t, [hand], SIX.index("S3 S3"))[0] == 0
    assert distances(t, [hand], SIX.index("S4 F4"))[0] > 0


# ----------------------------------------------------------------------------------------------- hands as five integers


def test_cards_come_and_go():
    rng = np.random.default_rng(5)
    deck = [*range(52), *range(52), *[JOKER] * 4]
    for _ in range(20):
        order = rng.permutation(deck).tolist()
        hand = records([order[:30]])[0]
        for gone in order[:20]:
            assert fast.has_card(hand, gone)
            fast.remove_card(hand, gone)
        rest = order[20:30]
        assert [fast.count_of(hand, x) for x in range(53)] == [rest.count(x) for x in range(53)]
        assert hand == records([rest])[0]
        assert fast.types_of(fast.held_types(hand)) == sorted(set(rest))


def test_eight_of_a_rank():
    hand = records([[0, 0, 13, 13, 26, 26, 39, 39]])[0]
    assert (hand.L, hand.H) == (fast.EVERY, fast.EVERY)
    fast.remove_card(hand, 13)
    assert hand.H == 1 | 1 << 13 | 1 << 26


# ----------------------------------------------------------------------------------- feasible, distance, outs, discards


def check_feasible(n, sizes, contracts, rules, seed):
    t = rules.tables(contracts)
    yes = 0
    for size in sizes:
        cards = random_hands(n, size, seed, rules)
        for c, contract in enumerate(contracts):
            zero = distances(t, cards, c) == 0
            for hand, answer in zip(cards, zero):
                assert lies_in(hand, contract, rules) == answer, (hand, contract, rules)
            yes += zero.sum()
    return yes


def test_feasible_is_by_definition():
    assert check_feasible(24, (8, 10), SIX, DEFAULT, 1) > 40


@pytest.mark.parametrize("rules", SWITCHES[1:], ids=str)
def test_feasible_under_switches(rules):
    assert check_feasible(6, (9,), (*SIX, "F3 F3", "R3 F4", "S5 R3"), rules, 2) > 3


@pytest.mark.full
@pytest.mark.parametrize("rules", SWITCHES, ids=str)
def test_feasible_full(rules):
    assert check_feasible(40, (9, 11, 12), (*SIX, *OTHERS), rules, 3) > 50


def check_distance(n, size, contracts, rules, seed, wild=True):
    t = rules.tables(contracts)
    cards = random_hands(n, size, seed, rules)
    for c, contract in enumerate(contracts):
        for hand, d in zip(cards, distances(t, cards, c, wild)):
            assert brute_distance(hand, contract, rules, wild) == d, (hand, contract, rules, wild)


def test_distance_is_by_definition():
    check_distance(30, 11, SIX, DEFAULT, 4)
    check_distance(6, 10, SIX, DEFAULT, 5, wild=False)


@pytest.mark.parametrize("rules", SWITCHES[1:], ids=str)
def test_distance_under_switches(rules):
    check_distance(5, 10, SIX, rules, 6)
    check_distance(3, 10, ("S5 R3", "S5 S4"), rules, 6)


def test_distance_of_two_runs():
    check_distance(9, 10, ("R3 R3", "R3 R4"), DEFAULT, 7)
    check_distance(4, 10, ("F3 F3", "F3 R3"), DEFAULT, 7)
    check_distance(3, 10, ("F3 F3", "R3 R3"), Rules(laydown_extra="exact", joker_limit="none"), 8)


def test_seven_long_run_with_three_jokers():
    hand = parse("JS JH JD JC AS 2H 6D 7C * * * JH")
    assert lies_in(hand, "S4 R4", DEFAULT)
    assert distances(DEFAULT.tables(["S4 R4"]), [hand], 0)[0] == 0
    exact = Rules(laydown_extra="exact")
    assert distances(exact.tables(["S4 R4"]), [hand], 0)[0] == brute_distance(hand, "S4 R4", exact) == 1


@pytest.mark.full
@pytest.mark.parametrize("rules", SWITCHES, ids=str)
def test_distance_full(rules):
    check_distance(150, 11, SIX, rules, 9)
    check_distance(40, 14, SIX, rules, 9)
    check_distance(40, 11, ("S5 R3", "S5 S4", "S3 F5", "R3 R3", "F3 R4"), rules, 10)
    check_distance(30, 11, SIX, rules, 11, wild=False)


def check_outs(n, size, contracts, rules, seed, wild=True):
    t = rules.tables(contracts)
    made = records(random_hands(n, size, seed, rules))
    d, masks, tried = (np.zeros(n, np.int64) for _ in range(3))
    some = 0
    for c, contract in enumerate(contracts):
        k_outs(t, made, c, wild, d, masks, tried)
        wrong = np.flatnonzero(masks != tried)
        assert not len(wrong), (contract, rules, made[wrong[0]], fast.types_of(masks[wrong[0]] ^ tried[wrong[0]]))
        assert ((masks != 0) | (d == 0) | (d == fast.IMPOSSIBLE) | (made.J > 2) | (t.decks == 1)).all()
        some += (masks != 0).sum()
    assert some > 0


@pytest.mark.parametrize("size", [10, 11, 14])
def test_outs_are_the_cards_that_help(size):
    check_outs(3000, size, SIX, DEFAULT, size)


@pytest.mark.parametrize("rules", SWITCHES[1:], ids=str)
def test_outs_under_switches(rules):
    check_outs(600, 10, (*SIX, "S5 R3", "S3 F5", "S5 S4"), rules, 12)


def test_outs_without_wild_jokers_and_of_two_runs():
    check_outs(600, 10, SIX, DEFAULT, 13, wild=False)
    check_outs(12, 10, ("R3 F4", "F3 F3", "R4 R4"), DEFAULT, 14)


@pytest.mark.full
@pytest.mark.parametrize("rules", SWITCHES, ids=str)
def test_outs_full(rules):
    for size in (6, 10, 11, 16, 25):
        check_outs(12000, size, (*SIX, "S5 R3", "S3 F5", "S5 S4", "S4 R5"), rules, size + 100)


def check_discards(n, size, contracts, rules, seed, wild=True):
    t = rules.tables(contracts)
    cards = random_hands(n, size, seed, rules)
    rng = np.random.default_rng(seed)
    made = records(cards)
    counts = np.array([[rules.decks - h.count(x) for x in range(52)] for h in cards])
    unseen = rng.integers(0, counts + 1)
    bit = 1 << np.arange(52)
    n1, n2 = ((unseen > k) @ bit for k in (0, 1))
    jokers = np.array([rules.jokers - h.count(JOKER) for h in cards])
    drawn = np.array([h[int(rng.integers(len(h)))] if rng.random() < 0.5 else -1 for h in cards])
    picks, values = np.zeros((n, 3), np.int64), np.zeros((n, 53), np.int64)
    for c in range(len(contracts)):
        k_discard(t, made, c, wild, n1, n2, jokers, drawn, picks, values)
        for i in rng.choice(n, min(n, 40), replace=False):
            h = cards[i]
            weights = {}
            rests = [without(h, [x]) for x in sorted(set(h))]
            d, masks, _ = (np.zeros(len(rests), np.int64) for _ in range(3))
            k_outs(t, records(rests), c, wild, d, masks, np.zeros(len(rests), np.int64))
            for x, dx, mask in zip(sorted(set(h)), d, masks):
                weights[x] = dx * 1024 - sum(jokers[i] if y == JOKER else unseen[i, y] for y in fast.types_of(mask))
            assert {x: v for x, v in enumerate(values[i]) if v >= 0} == weights
        held = np.where(values >= 0, values, 1 << 30)
        x, d, w = picks.T
        assert (d * 1024 - w == held.min(axis=1)).all()
        assert (held[np.arange(n), x] == held.min(axis=1)).all()
        natural_as_good = held[:, :52].min(axis=1) <= held.min(axis=1)
        assert (x[natural_as_good] != JOKER).all()
        as_good = (drawn >= 0) & (drawn < JOKER) & (held[np.arange(n), drawn] == held.min(axis=1))
        assert (x[as_good] == drawn[as_good]).all()


def test_best_discard():
    check_discards(600, 11, SIX, DEFAULT, 15)
    check_discards(150, 11, SIX, DEFAULT, 16, wild=False)
    check_discards(60, 11, ("S3 F3", "S3 S3"), SWITCHES[4], 17)
    check_discards(40, 11, ("S4 F4", "S4 R4"), SWITCHES[3], 18)


@pytest.mark.full
@pytest.mark.parametrize("rules", SWITCHES, ids=str)
def test_best_discard_full(rules):
    check_discards(6000, 11, SIX, rules, 19)


def test_a_dangerous_discard_is_avoided():
    values, cost = np.full(53, -1), np.zeros(53)
    values[[3, 9, 20]] = 2040, 2041, 3000
    assert fast.cheapest_discard(values, cost) == 3
    cost[3] = 5.0
    assert fast.cheapest_discard(values, cost) == 9


# ------------------------------------------------------------------------------------------------- lay-down and lay-off


def lay_both(t, hand, c, wild, code0, code1):
    """Lay two options; return the melds' cards and what is left."""
    out = np.zeros(fast.MELD_SCRATCH, np.int32)
    made, melds = records([hand])[0], []
    for code in (code0, code1):
        meld = np.zeros(1, fast.MELD).view(np.recarray)[0]
        k_lay(t, made, c, wild, code, meld, out)
        assert meld.jokers == list(meld.cards[: meld.n]).count(JOKER)
        melds.append([int(x) for x in meld.cards[: meld.n]])
    rest = [x for x in range(53) for _ in range(fast.count_of(made, x))]
    assert len(rest) == made.n
    return melds, rest


def check_lay_down(wanted, size, contracts, rules, seed, wild=True):
    """Options and arrangement of hands that can lay down (and of some that cannot) against the text."""
    t = rules.tables(contracts)
    cards = random_hands(600, size, seed, rules)
    out = np.zeros(fast.MELD_SCRATCH, np.int32)
    seen = 0
    for c, contract in enumerate(contracts):
        d = distances(t, cards, c, wild)
        ready = np.flatnonzero(d == 0)
        for i in [*ready[:: max(1, len(ready) // wanted)][:wanted], *np.flatnonzero(d == 1)[:1]]:
            hand = cards[i]
            pairs = book_pairs(hand, contract, rules, wild)
            made = records([hand])[0]
            n = k_options(t, made, c, wild, 0, -1, out)
            assert out[:n].tolist() == sorted(pairs)[: fast.MAX_MELDS], (hand, contract, rules)
            for code0 in sorted(pairs)[:: max(1, len(pairs) // 3)]:
                first, seconds = pairs[code0]
                code1 = sorted(seconds)[len(seconds) // 2]
                melds, rest = lay_both(t, hand, c, wild, code0, code1)
                assert melds == [first, seconds[code1]]
                assert sorted([*melds[0], *melds[1], *rest]) == hand
                assert rest
                for meld, (kind, length) in zip(melds, requirements(contract)):
                    assert is_meld(meld, kind, length, rules)
                after = records([without(hand, first)])[0]
                n = k_options(t, after, c, wild, 1, fast.meld_rank(code0), out)
                assert out[:n].tolist() == sorted(seconds)[: fast.MAX_MELDS]
            a, b, may = k_arrange(t, made, c, wild, out)
            assert may == bool(pairs)
            if pairs:
                ranked = [
                    ((*x, *y).count(JOKER), -len(x) - len(y), code0, code1)
                    for code0, (x, ys) in pairs.items()
                    for code1, y in ys.items()
                ]
                assert (a, b) == min(ranked)[2:], (hand, contract, rules)
                seen += 1
            else:
                assert (a, b) == (-1, -1)
    return seen


def test_lay_down_is_by_the_text():
    assert check_lay_down(3, 11, SIX, DEFAULT, 20) > 12
    assert check_lay_down(2, 9, SIX, DEFAULT, 21, wild=False) > 3
    assert check_lay_down(2, 14, ("S4 R4", "S3 F3"), DEFAULT, 22) > 3


@pytest.mark.parametrize("rules", SWITCHES[1:], ids=str)
def test_lay_down_under_switches(rules):
    assert check_lay_down(2, 11, SIX, rules, 23) > 4


def test_lay_down_of_two_runs():
    assert check_lay_down(3, 10, ("R3 R3", "F3 R3", "R3 F4"), DEFAULT, 24) > 3


@pytest.mark.full
@pytest.mark.parametrize("rules", SWITCHES, ids=str)
def test_lay_down_full(rules):
    for size in (8, 11, 15):
        check_lay_down(25, size, (*SIX, "R3 R3", "F3 R3", "S5 R3", "S5 S4"), rules, 25 + size)


def test_a_lay_down_leaves_a_card():
    t = DEFAULT.tables(["S3 R3"])
    out = np.zeros(fast.MELD_SCRATCH, np.int32)
    hand = records([parse("5S 5H 5D 6C 7S 8S")])[0]
    assert fast.distance(t, hand, 0, True) == 0
    assert k_arrange(t, hand, 0, True, out) == (-1, -1, False)
    assert k_options(t, hand, 0, True, 0, -1, out) == 0
    assert k_arrange(t, records([parse("5S 5H 5D 6C 7S 8S 8S")])[0], 0, True, out)[2]


def test_options_are_never_too_many():
    hand = [c for c in range(52) if c % 13 < 6] + [JOKER] * 6
    out = np.zeros(fast.MELD_SCRATCH, np.int32)
    t = Rules(jokers=8).tables(["F3 F3", "S3 F3"])
    for c in (0, 1):
        n = k_options(t, records([hand])[0], c, True, 0, -1, out)
        assert 50 < n <= fast.MAX_MELDS
        assert (np.diff(out[:n]) > 0).all()


def meld_of(kind, cards, low, suit=0):
    meld = np.zeros(1, fast.MELD).view(np.recarray)[0]
    meld.kind, meld.low, meld.suit, meld.n = "SFR".index(kind), low, suit, len(cards)
    meld.jokers = cards.count(JOKER)
    meld.cards[: len(cards)] = cards
    for c in cards:
        if c != JOKER:
            meld.suits |= 1 << (c // 13)
    return meld


LAY_OFFS = [
    ("A30", "F", "5C 6C 7C", 5, {}, "4C 8C *"),
    ("A31", "R", "5C 6D 7S", 5, {}, "4S 4H 4D 4C 8S 8H 8D 8C *"),
    ("A33", "R", "QS KH AD", 12, {}, "JS JH JD JC *"),
    ("set", "S", "7S 7H 7D", 6, {}, "7S 7H 7D 7C *"),
    ("distinct", "S", "7S 7H 7D", 6, {"set_distinct_suits": True}, "7C *"),
    ("joker limit", "S", "7S 7H *", 6, {}, "7S 7H 7D 7C"),
    ("two jokers", "F", "5C * 7C 8C", 5, {}, "4C 9C *"),
    ("jokers only", "S", "* * *", 0, {}, "*"),
    ("jokers only, no limit", "R", "* * *", 1, {"joker_limit": "none"}, "4S 4H 4D 4C *"),
    ("ace low", "R", "QS KH JD", 11, {"ace": "low"}, "TS TH TD TC *"),
    ("two to king", "F", "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", 2, {}, "AS *"),
]


@pytest.mark.parametrize(
    ("kind", "cards", "low", "switches", "answer"), [x[1:] for x in LAY_OFFS], ids=[x[0] for x in LAY_OFFS]
)
def test_lay_off_positions(kind, cards, low, switches, answer):
    cards = sorted(parse(cards), key=lambda c: c % 13 or 13) if kind == "R" and low > 1 else parse(cards)
    meld = meld_of(kind, cards, low, SUIT_OF["C"] if kind == "F" and low == 5 else 0)
    mask, _ = k_accepts(Rules(**switches).tables(["S3 R3"]), meld, True, JOKER)
    assert fast.types_of(mask) == sorted(parse(answer))
    mask, _ = k_accepts(Rules(**switches).tables(["S3 R3"]), meld, False, JOKER)
    assert fast.types_of(mask) == sorted(set(parse(answer)) - {JOKER})


@pytest.mark.parametrize("rules", SWITCHES, ids=str)
def test_laying_off_keeps_a_meld_a_meld(rules):
    t = rules.tables(["S3 R3", "S3 F3"])
    rng = np.random.default_rng(30)
    laid = 0
    for hand in random_hands(300, 11, 31, rules):
        for c, kinds in enumerate(("SR", "SF")):
            out = np.zeros(fast.MELD_SCRATCH, np.int32)
            made = records([hand])[0]
            a, b, may = k_arrange(t, made, c, True, out)
            if not may or laid > 40:
                continue
            loose = Rules(**{**rules.__dict__, "laydown_extra": "allow"})
            for code, kind in zip((a, b), kinds):
                meld = np.zeros(1, fast.MELD).view(np.recarray)[0]
                k_lay(t, made, c, True, code, meld, out)
                for _ in range(6):
                    cards = [int(x) for x in meld.cards[: meld.n]]
                    for x in range(53):
                        mask, where = k_accepts(t, meld, True, x)
                        if cards.count(JOKER) == len(cards):
                            continue  # what a meld of jokers means is by convention
                        fits = False
                        if kind == "S":
                            fits = is_meld([*cards, x], "S", 3, loose)
                        else:
                            for end in (0, 1):
                                longer = [*cards, x] if end else [x, *cards]
                                low = meld.low if end else meld.low - 1
                                ok = is_meld(longer, kind, 3, loose) and {low, low + meld.n} <= set(rules.positions)
                                ok = ok and (x == JOKER or x % 13 == (low + meld.n - 1 if end else low - 1) % 13)
                                fits |= ok
                                if mask >> x & 1:
                                    assert (where >> end & 1 == 1) == ok
                        assert fits == (mask >> x & 1 == 1), (cards, meld.low, x, rules)
                    choices = fast.types_of(k_accepts(t, meld, True, 0)[0])
                    if not choices:
                        break
                    x = int(rng.choice(choices))
                    where = k_accepts(t, meld, True, x)[1]
                    k_lay_off(t, meld, x, 1 if where & 2 else 0)
                    assert is_meld([int(y) for y in meld.cards[: meld.n]], kind, 3, loose)
                laid += 1
    assert laid > 10


# --------------------------------------------------------------------------------------------------------------- tables


@pytest.mark.parametrize("words", ["S3", "S3 X3", "S6 R3", "R2 S3", "S3 R3 F3"])
def test_a_bad_contract_is_refused(words):
    with pytest.raises(ValueError, match="is not a contract"):
        fast.make_tables([words])


def test_contracts_are_put_in_order():
    assert fast.parse_contract("R4 S3") == ((fast.SET, 3), (fast.RUN, 4))
    assert fast.parse_contract("R3F4") == ((fast.FLUSH, 4), (fast.RUN, 3))


def test_implications_between_contracts():
    cards = random_hands(6000, 11, 40)
    t = DEFAULT.tables(SIX)
    d = {contract: distances(t, cards, c) for c, contract in enumerate(SIX)}
    for hard, easy in (
        ("S4 F4", "S4 R4"),
        ("S4 F4", "S4 F3"),
        ("S4 R4", "S3 R3"),
        ("S4 F3", "S3 F3"),
        ("S3 F3", "S3 R3"),
    ):
        assert (d[hard] >= d[easy]).all()
        assert (d[easy][d[hard] == 0] == 0).all()


def check_states(aces):
    for n, ace, limit, exact, any_requirement in itertools.product(
        (3, 4, 5), aces, ("strict", "none", "one_per_meld"), (False, True), (False, True)
    ):
        state, _, cost = fast._run_tables(n, ace, limit, exact, any_requirement)
        assert (np.diff(cost.astype(int), axis=0) <= 0).all()
        assert state.max() >> 13 <= 7


def test_states_of_runs_are_ordered():
    check_states(["low"])


@pytest.mark.full
def test_states_of_runs_are_ordered_full():
    check_states(["both", "high"])


def test_uncompiled_kernels_agree():
    script = (
        "import numpy as np, tests.games.test_celestial_hands as x\n"
        "x.test_eight_of_a_rank()\n"
        "x.check_outs(3, 10, x.SIX, x.DEFAULT, 50)\n"
        "x.check_discards(2, 11, ('S4 F4',), x.DEFAULT, 51)\n"
        "x.check_lay_down(1, 11, ('S3 F3', 'S3 S3'), x.DEFAULT, 52)\n"
        "x.check_distance(1, 10, ('F3 R3',), x.DEFAULT, 53)\n"
    )
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=Path(__file__).parents[2],
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
