"""Hand arithmetic of Celestial Ranks: how far a hand is from a contract, what helps it, what it can lay down.

Everything that a variant changes is data in one record of tables (`make_tables`); the kernels only look up.

Cards: type = suit * 13 + rank (suits S, H, D, C; rank 0 = ace .. 12 = king), 52 = joker. A set of types is an int64 of
which bit t is type t, bit 52 the joker. A hand is five integers:

* ``M`` types held at least once, ``D`` types held twice (bits 0..51);
* ``L`` four lanes of 13 bits: lane i (from 0) holds the ranks of which more than i cards are held; ``H`` the same
  for more than 4 + i cards;
* ``J`` the number of jokers.

Contracts are two requirements, each a set, a flush run or a run of any suits of 3 to 5 cards, in that order: "S3 F4".

Distance is the smallest number of cards, of any kind, that make the contract lie in the hand. Naturals count as in
unlimited supply (what is left of them is the business of the weight of the outs), jokers as many as the deck has.

Pass int64 numbers to the kernels: another integer type would compile all of them once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sim.bits import highest, lowest, popcount
from sim.engine import record
from sim.jit import bare, inlined, kernel

JOKER = 52
SUITS, RANKS = 4, 13
LANE = 8191  # the 13 bits of one suit or one lane
EVERY = 1 | 1 << 13 | 1 << 26 | 1 << 39  # times a rank mask: these ranks in all four lanes
NATURALS = (1 << 52) - 1

SET, FLUSH, RUN = 0, 1, 2
LETTERS = {"S": SET, "F": FLUSH, "R": RUN}
KIND_NAMES = ("set", "flush run", "run")
MAX_CONTRACTS = 24
MAX_JOKERS = 8
IMPOSSIBLE = 15  # distance of a contract that no cards can satisfy
NO_WILD = 15  # place of "jokers do not count" in the joker axis of the tables
MAX_MELDS = 200  # options of one requirement that are offered at most
MELD_SCRATCH = 1600  # room that the enumerations need in the caller's scratch
ALL_JOKERS = 256  # from here on codes of melds of jokers only
# Literal arguments would make numba compile a kernel once for each value.
NONE, ONE = np.int64(0), np.int64(1)
NO_RANK = np.int64(20)
SUIT_ORDER = np.array([0, 3, 1, 2], np.int64)  # S C H D: which copy goes first into a meld; red queens stay longest

# How the distance of a contract is found.
_SET_RUN, _SET_FLUSH, _SETS, _DISTINCT_RUN, _DISTINCT_FLUSH, _DISTINCT_SETS, _RUNS = range(7)

HAND = record(("M", "i8"), ("D", "i8"), ("L", "i8"), ("H", "i8"), ("J", "i8"), ("n", "i8"))

# A laid meld. cards: types by position from `low` upwards (sets: naturals, then jokers); suits: bit mask of its suits.
MELD = record(
    ("kind", "i1"), ("suit", "i1"), ("low", "i1"), ("n", "i1"), ("jokers", "i1"), ("suits", "i1"), ("cards", "i1", 16)
)

# state: length - 3, rank mask -> state << 13 | ranks whose loss lowers it. improve: length - 3, wanted state - 1, rank
# mask -> ranks that reach it. cost: length - 3, state, jokers used -> naturals missing. lut: contract -> (set copies,
# state, jokers) or (best count, second count, jokers) -> distance. same: contract -> (suits, cards of one rank, jokers)
# -> distance with both sets of that rank. need: contract, set copies, jokers, distance -> least state that reaches it.
TABLES = record(
    ("state", "u2", 3 * 8192),
    ("improve", "u2", 3 * 8 * 8192),
    ("cost", "i1", (3, 8, 16)),
    ("lut", "i1", MAX_CONTRACTS * 1296),
    ("same", "i1", MAX_CONTRACTS * 720),
    ("need", "i1", MAX_CONTRACTS * 1536),
    ("path", "i1", MAX_CONTRACTS),
    ("kind", "i1", (MAX_CONTRACTS, 2)),
    ("length", "i1", (MAX_CONTRACTS, 2)),
    ("spare", "i1"),
    ("n_contracts", "i1"),
    ("first", "i1"),
    ("last", "i1"),
    ("exact", "i1"),
    ("distinct_suits", "i1"),
    ("distinct_ranks", "i1"),
    ("decks", "i1"),
    ("jokers", "i1"),
    ("limit", "i1", 32),
    ("alone_low", "i1", 6),
    ("alone_high", "i1", 6),
)

# ---------------------------------------------------------------------------------------------- tables, in plain Python


def parse_contract(text: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two requirements of e.g. ``"S3 R4"`` as (kind, length), sets before flush runs before runs."""
    words = text.upper().split()
    if len(words) == 1 and len(words[0]) == 4:
        words = [words[0][:2], words[0][2:]]
    if len(words) != 2 or any(len(w) != 2 or w[0] not in LETTERS or w[1] not in "345" for w in words):
        raise ValueError(f'{text!r} is not a contract: write two of S3 S4 S5 R3 R4 R5 F3 F4 F5, as in "S3 R4"')
    first, second = sorted(((LETTERS[w[0]], int(w[1])) for w in words), key=lambda r: r[0])
    return first, second


def _joker_limit(joker_limit: str, length: int) -> int:
    """Return how many jokers a meld of `length` cards with at least one natural may hold."""
    return {"strict": (length - 1) // 2, "none": length - 1, "one_per_meld": 1}[joker_limit]


def _span(ace: str) -> tuple[int, int]:
    """Return the lowest and highest position of a run: ace 1, king 13, ace 14."""
    return {"both": (1, 14), "low": (1, 13), "high": (2, 14)}[ace]


def _alone(n: int, exact: bool, any_requirement: bool) -> tuple[int, int]:
    """Return the least and greatest length of a meld made of jokers only."""
    return (3 if any_requirement else n), (n if exact else MAX_JOKERS)


def _run_costs(n: int, ace: str, joker_limit: str, exact: bool, any_requirement: bool) -> np.ndarray[Any, Any]:
    """Return the naturals missing for a run; axes: rank mask 8192, jokers used 0..8."""
    masks = np.arange(8192)
    first, last = _span(ace)
    cost = np.full((8192, MAX_JOKERS + 1), IMPOSSIBLE, np.int64)
    for length in range(n, n + 1 if exact else RANKS + 1):
        for low in range(first, last - length + 2):
            window = sum(1 << ((position - 1) % RANKS) for position in range(low, low + length))
            gaps = length - np.bitwise_count(masks & window).astype(np.int64)
            for used in range(MAX_JOKERS + 1):
                jokers = np.minimum(gaps, min(used, _joker_limit(joker_limit, length)))
                np.minimum(cost[:, used], gaps - jokers, out=cost[:, used])
    cost[:, _alone(n, exact, any_requirement)[0] :] = 0
    return cost


@cache
def _run_tables(
    n: int, ace: str, joker_limit: str, exact: bool, any_requirement: bool
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return (state, improve, cost) of runs of `n`: at most 8 states of a hand, each better than the last."""
    costs = _run_costs(n, ace, joker_limit, exact, any_requirement)
    classes, state = np.unique(costs, axis=0, return_inverse=True)
    order = np.argsort(-classes.sum(axis=1), kind="stable")
    classes = classes[order]
    if len(classes) > 8 or (np.diff(classes, axis=0) > 0).any():
        raise AssertionError("the states of runs are not ordered")  # tested for every switch: cannot happen
    state = np.argsort(order)[state.reshape(-1)]
    masks = np.arange(8192)
    critical = np.zeros(8192, np.int64)
    improve = np.zeros((8, 8192), np.int64)
    for rank in range(RANKS):
        critical |= (state[masks & ~(1 << rank)] < state).astype(np.int64) << rank
        better = state[masks | 1 << rank]
        improve |= (better >= np.arange(1, 9)[:, None]).astype(np.int64) << rank
    cost = np.zeros((8, 16), np.int64)
    cost[: len(classes), : MAX_JOKERS + 1] = classes
    cost[len(classes) :] = cost[len(classes) - 1]
    cost[:, MAX_JOKERS + 1 :] = cost[:, MAX_JOKERS, None]
    return (state << 13 | critical).astype(np.uint16), improve.astype(np.uint16), cost.astype(np.int8)


def _set_costs(n: int, joker_limit: str, low: int, most: int) -> np.ndarray[Any, Any]:
    """Return the naturals missing for a set of at most `most` cards; axes: naturals held 0..n, jokers used 0..8."""
    cost = np.full((n + 1, MAX_JOKERS + 1), IMPOSSIBLE, np.int64)
    for held in range(n + 1):
        for used in range(MAX_JOKERS + 1):
            if n <= most:
                cost[held, used] = n - held - min(used, _joker_limit(joker_limit, n), n - held)
            if used >= low:
                cost[held, used] = 0
    return cost


def _join(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], deck_jokers: int) -> np.ndarray[Any, Any]:
    """Return the distance by jokers held (axis of 16), from the naturals missing by jokers used of both melds."""
    out = np.full(16, IMPOSSIBLE, np.int64)
    for held in range(MAX_JOKERS + 2):
        for i in range(MAX_JOKERS + 1):
            for j in range(MAX_JOKERS + 1):
                if i + j <= max(held, deck_jokers):
                    out[held] = min(out[held], a[i] + b[j] + max(0, i + j - held))
    out[NO_WILD] = min(IMPOSSIBLE, a[0] + b[0])
    return out


def _two_sets_lut(
    a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], deck_jokers: int, split: bool
) -> np.ndarray[Any, Any]:
    """Return distances; axes: best count 0..8, second count 0..8, jokers. `split`: one rank may serve both sets."""

    def join(x: int, y: int) -> np.ndarray[Any, Any]:
        return _join(a[min(x, len(a) - 1)], b[min(y, len(b) - 1)], deck_jokers)

    pair = {(x, y): join(x, y) for x in range(len(a)) for y in range(len(b))}

    def at(x: int, y: int) -> np.ndarray[Any, Any]:
        return pair[min(x, len(a) - 1), min(y, len(b) - 1)]

    lut = np.full((9, 9, 16), IMPOSSIBLE, np.int64)
    for top in range(9):
        for second in range(top + 1):
            best = np.minimum(at(top, second), at(second, top))
            if split:
                for x in range(top + 1):
                    best = np.minimum(best, at(x, top - x))
            lut[top, second] = best
    return lut


def _same_rank_lut(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], deck_jokers: int) -> np.ndarray[Any, Any]:
    """Return distances, both sets of one rank, suits distinct in a set; axes: suits 0..4, cards 0..8, jokers."""
    lut = np.full((5, 9, 16), IMPOSSIBLE, np.int64)
    for suits in range(5):
        for cards in range(suits, min(2 * suits, 8) + 1):
            for x in range(suits + 1):
                for y in range(min(suits, cards - x) + 1):
                    joined = _join(a[min(x, len(a) - 1)], b[min(y, len(b) - 1)], deck_jokers)
                    lut[suits, cards] = np.minimum(lut[suits, cards], joined)
    return lut


@dataclass(frozen=True)
class Switches:
    """What a variant says about melds and cards.

    Parameters
    ----------
    ace
        ``both``, ``low`` or ``high``.
    joker_limit
        ``strict`` (a mixed meld holds more naturals than jokers), ``none`` or ``one_per_meld``; melds of jokers only
        are never limited by it.
    laydown_extra
        ``allow`` melds longer than required, or ``exact``.
    alljoker_any_requirement
        Three jokers satisfy a longer requirement too.
    set_distinct_suits
        No two cards of one suit in a set, so at most four cards.
    distinct_ranks_for_two_sets
        The two sets of a contract differ in rank.
    decks, jokers
        Copies of each natural (1 or 2) and jokers in all (0 to 8).
    spare
        Cards that a lay-down must leave in the hand.
    """

    ace: str = "both"
    joker_limit: str = "strict"
    laydown_extra: str = "allow"
    alljoker_any_requirement: bool = False
    set_distinct_suits: bool = False
    distinct_ranks_for_two_sets: bool = False
    decks: int = 2
    jokers: int = 4
    spare: int = 1

    @property
    def exact(self) -> bool:
        """Whether melds are as long as required, not longer."""
        return self.laydown_extra == "exact"


def make_tables(contracts: Sequence[str], switches: Switches | None = None) -> np.ndarray[Any, Any]:
    """Return the tables of a variant.

    Parameters
    ----------
    contracts
        At most 24, as ``"S3 R4"``; a contract's number is its place here.
    switches
        What the variant says; by default the usual game.

    Returns
    -------
    ndarray of TABLES, shape (1,)
    """
    by = switches or Switches()
    if len(contracts) > MAX_CONTRACTS:
        raise ValueError(f"{len(contracts)} contracts: at most {MAX_CONTRACTS} are possible")
    if not (1 <= by.decks <= 2 and 0 <= by.jokers <= MAX_JOKERS):
        raise ValueError(
            f"{by.decks} decks with {by.jokers} jokers: 1 or 2 decks and 0 to {MAX_JOKERS} jokers are possible"
        )
    made = np.zeros(1, TABLES)
    t = made[0]
    t["n_contracts"], t["spare"] = len(contracts), by.spare
    t["first"], t["last"] = _span(by.ace)
    t["exact"], t["distinct_suits"] = by.exact, by.set_distinct_suits
    t["distinct_ranks"] = by.distinct_ranks_for_two_sets
    t["decks"], t["jokers"] = by.decks, by.jokers
    t["limit"] = [_joker_limit(by.joker_limit, max(length, 1)) for length in range(32)]
    state, improve = t["state"].reshape(3, 8192), t["improve"].reshape(3, 8, 8192)
    for n in (3, 4, 5):
        t["alone_low"][n], t["alone_high"][n] = _alone(n, by.exact, by.alljoker_any_requirement)
        state[n - 3], improve[n - 3], t["cost"][n - 3] = _run_tables(
            n, by.ace, by.joker_limit, by.exact, by.alljoker_any_requirement
        )
    most = 4 if by.set_distinct_suits else 16
    costs = {n: _set_costs(n, by.joker_limit, int(t["alone_low"][n]), most) for n in (3, 4, 5)}
    for i, text in enumerate(contracts):
        _tabulate(t, i, text, costs, by)
    return made


def _tabulate(t: Any, i: int, text: str, costs: dict[int, np.ndarray[Any, Any]], by: Switches) -> None:
    """Write the distances of contract `i`; costs: naturals missing for sets of 3, 4 and 5."""
    lut, need = t["lut"].reshape(MAX_CONTRACTS, 1296)[i], t["need"].reshape(MAX_CONTRACTS, 6, 16, 16)[i]
    (kind0, n0), (kind1, n1) = parse_contract(text)
    t["kind"][i], t["length"][i] = (kind0, kind1), (n0, n1)
    if kind0 != SET:
        t["path"][i] = _RUNS
    elif kind1 == SET:
        t["path"][i] = _DISTINCT_SETS if by.set_distinct_suits else _SETS
        split = not (by.set_distinct_suits or by.distinct_ranks_for_two_sets)
        lut[:] = _two_sets_lut(costs[n0], costs[n1], by.jokers, split).reshape(-1)
        t["same"].reshape(MAX_CONTRACTS, 720)[i] = _same_rank_lut(costs[n0], costs[n1], by.jokers).reshape(-1)
    else:
        base = _DISTINCT_RUN if by.set_distinct_suits else _SET_RUN
        t["path"][i] = base + (kind1 == FLUSH)
        made = np.full((6, 8, 16), IMPOSSIBLE, np.int64)
        for copies in range(6):
            for s in range(8):
                made[copies, s] = _join(costs[n0][min(copies, n0)], t["cost"][n1 - 3, s], by.jokers)
        lut[:768] = made.reshape(-1)
        need[:] = (made[:, :, :, None] > np.arange(16)).sum(axis=1)


def types_of(mask: int) -> list[int]:
    """Return the types in a mask, ascending."""
    return [t for t in range(JOKER + 1) if int(mask) >> t & 1]


# ------------------------------------------------------------------------------------------------------ cards in a hand


@kernel
def add_card(hand, t):
    """Put a card of type `t` into the hand; a third copy of a natural must not come."""
    hand.n += 1
    if t == JOKER:
        hand.J += 1
    else:
        bit = 1 << t
        hand.D |= hand.M & bit
        hand.M |= bit
        lanes = (1 << (t % RANKS)) * EVERY
        hand.H |= ((hand.H << 13) | (hand.L >> 39)) & lanes
        hand.L |= ((hand.L << 13) | LANE) & lanes


@kernel
def remove_card(hand, t):
    """Take a card of type `t`, which must be there, out of the hand."""
    hand.n -= 1
    if t == JOKER:
        hand.J -= 1
    else:
        hand.M, hand.D, hand.L, hand.H = _without(hand.M, hand.D, hand.L, hand.H, t)


@kernel
def clear_hand(hand):
    """Empty the hand."""
    hand.M = 0
    hand.D = 0
    hand.L = 0
    hand.H = 0
    hand.J = 0
    hand.n = 0


@kernel
def count_of(hand, t):
    """Return how many cards of type `t` are held."""
    if t == JOKER:
        return hand.J
    return ((hand.M >> t) & 1) + ((hand.D >> t) & 1)


@kernel
def has_card(hand, t):
    """Tell whether a card of type `t` is held."""
    return count_of(hand, t) > 0


@kernel
def held_types(hand):
    """Return the mask of types held, the joker included."""
    if hand.J > 0:
        return hand.M | (1 << JOKER)
    return hand.M


@kernel
def _without(M, D, L, H, t):
    bit = 1 << t
    lanes = (1 << (t % RANKS)) * EVERY
    twice = D & bit
    M = (M & ~bit) | twice
    D = D & ~bit
    L2 = (L & ~lanes) | (((L >> 13) | ((H & LANE) << 39)) & lanes)
    H2 = (H & ~lanes) | ((H >> 13) & lanes)
    return M, D, L2, H2


@kernel
def _with(M, D, L, H, t):
    bit = 1 << t
    lanes = (1 << (t % RANKS)) * EVERY
    H2 = H | (((H << 13) | (L >> 39)) & lanes)
    L2 = L | (((L << 13) | LANE) & lanes)
    return M | bit, D | (M & bit), L2, H2


@kernel
def _jokers(hand, wild):
    """Return the place in the joker axis of the tables."""
    return hand.J if wild else NO_WILD


# ------------------------------------------------------------------------------------------------------------- distance


@kernel
def _lane(L, H, k):
    """Return the ranks of which at least `k` cards are held (k = 1..8)."""
    if k <= 4:
        return (L >> (13 * (k - 1))) & LANE
    return (H >> (13 * (k - 5))) & LANE


@kernel
def _copies(L, H, n):
    """Return the greatest number of cards of one rank, at most `n`."""
    if H != 0 and n > 4:
        return np.int64(5)
    if L == 0:
        return np.int64(0)
    return min(highest(L) // 13 + 1, n)


@kernel
def _state(t, base, mask):
    return np.int64(t.state[np.uint64(base + mask)])


@kernel
def _lut(t, c, copies, state, j):
    return np.int64(t.lut[np.uint64(c * 1296 + (copies << 7) + (state << 4) + j)])


@kernel
def _need(t, c, copies, j, d):
    return np.int64(t.need[np.uint64(c * 1536 + (copies << 8) + (j << 4) + d)])


@kernel
def _set_and_run(t, c, M, L, H, j, flush):
    """Return (distance, copies k, best state beside k copies, best state, ranks at exactly k, critical ranks)."""
    n0 = np.int64(t.length[c, 0])
    base = (np.int64(t.length[c, 1]) - 3) << 13
    k = _copies(L, H, n0)
    if flush:
        e0 = _state(t, base, M & LANE)
        e1 = _state(t, base, (M >> 13) & LANE)
        e2 = _state(t, base, (M >> 26) & LANE)
        e3 = _state(t, base, (M >> 39) & LANE)
        s = max(max(e0, e1), max(e2, e3)) >> 13
        critical = LANE
        for e in (e0, e1, e2, e3):
            if e >> 13 == s:
                critical &= e
    else:
        e = _state(t, base, L & LANE)
        s = e >> 13
        critical = e & LANE
    if k == 0:
        return _lut(t, c, NONE, s, j), k, s, s, np.int64(LANE), critical
    at = _lane(L, H, k)
    if _lane(L, H, k + 1) != 0:
        return _lut(t, c, k, s, j), k, s, s, np.int64(0), critical
    if at & ~critical:
        return _lut(t, c, k, s, j), k, s, s, at, critical
    sk = np.int64(0)
    left = at
    while left:
        sk = max(sk, _state_without(t, base, M, L, lowest(left), flush))
        left &= left - 1
    return min(_lut(t, c, k, sk, j), _lut(t, c, k - 1, s, j)), k, sk, s, at, critical


@kernel
def _state_without(t, base, M, L, rank, flush):
    """Return the state of the best run without the cards of `rank`."""
    keep = LANE & ~(1 << rank)
    if not flush:
        return _state(t, base, L & keep) >> 13
    a = max(_state(t, base, M & keep), _state(t, base, (M >> 13) & keep))
    b = max(_state(t, base, (M >> 26) & keep), _state(t, base, (M >> 39) & keep))
    return max(a, b) >> 13


@kernel
def _two_tops(L, H):
    """Return the two greatest counts of cards of a rank, and these ranks' lanes without the first rank."""
    if L == 0:
        return np.int64(0), np.int64(0)
    if H == 0:
        h = highest(L)
        top = h // 13 + 1
        rest = L & ~((1 << (h - 13 * (top - 1))) * EVERY)
        return top, (highest(rest) // 13 + 1 if rest else np.int64(0))
    h = highest(H)
    top = h // 13 + 5
    lanes = (1 << (h - 13 * (top - 5))) * EVERY
    rest = H & ~lanes
    if rest:
        return top, highest(rest) // 13 + 5
    rest = L & ~lanes
    return top, (highest(rest) // 13 + 1 if rest else np.int64(0))


@kernel
def _lut2(t, c, top, second, j):
    return np.int64(t.lut[np.uint64(c * 1296 + top * 144 + (second << 4) + j)])


@kernel
def _suit_lanes(M):
    """Return lanes like L, counting the suits of a rank instead of its cards."""
    a, b, c, d = M & LANE, (M >> 13) & LANE, (M >> 26) & LANE, (M >> 39) & LANE
    ab, cd, a_b, c_d = a & b, c & d, a | b, c | d
    two = ab | cd | (a_b & c_d)
    return (a_b | c_d) | (two << 13) | (((ab & c_d) | (cd & a_b)) << 26) | ((ab & cd) << 39)


@kernel
def _distinct_set_and_run(t, c, M, D, L, H, j, flush):
    """Return the distance where the suits of a set differ: a second copy of a card is free for the run."""
    n0 = np.int64(t.length[c, 0])
    base = (np.int64(t.length[c, 1]) - 3) << 13
    G = _suit_lanes(M)
    k = _copies(G, NONE, n0)
    s = _state_without(t, base, M, L, NO_RANK, flush)
    if k == 0:
        return _lut(t, c, NONE, s, j)
    more = (G >> (13 * k)) & LANE
    sk = np.int64(0)
    left = _lane(G, NONE, k)
    while left:
        bit = left & -left
        left &= left - 1
        if bit & more:
            sk = s
        elif flush:
            bits = bit * EVERY & ~D
            keep = M & ~bits
            sk = max(sk, _state_without(t, base, keep, L, NO_RANK, flush))
        elif bit & _lane(L, H, k + 1):
            sk = s
        else:
            sk = max(sk, _state(t, base, L & LANE & ~bit) >> 13)
    return min(_lut(t, c, k, sk, j), _lut(t, c, k - 1, s, j))


@kernel
def _distinct_two_sets(t, c, M, L, H, j):
    """Return the distance of two sets where the suits of a set differ."""
    G = _suit_lanes(M)
    top, second = _two_tops(G, np.int64(0))
    d = _lut2(t, c, top, second, j)
    if t.distinct_ranks == 0:
        left = L & LANE
        while left:
            lanes = (left & -left) * EVERY
            left &= left - 1
            suits, cards = popcount(G & lanes), popcount(L & lanes) + popcount(H & lanes)
            d = min(d, np.int64(t.same[c * 720 + suits * 144 + cards * 16 + j]))
    return d


@kernel
def _window(low, length):
    """Return the ranks at positions low .. low + length - 1 (length <= 13)."""
    bits = ((1 << length) - 1) << (low - 1)
    return (bits & LANE) | (bits >> 13)


@kernel
def _one_meld_of_jokers(t, c, which, states, j):
    """Return the distance if requirement `which` is met by jokers only and the other in the best way."""
    low = np.int64(t.alone_low[t.length[c, which]])
    other = np.int64(t.length[c, 1 - which]) - 3
    best = np.int64(IMPOSSIBLE)
    for used in range(MAX_JOKERS + 1):
        if low + used <= max(j, np.int64(t.jokers)):
            best = min(best, max(0, low + used - j) + np.int64(t.cost[other, states, used]))
    return best


@kernel
def _two_runs(t, c, M, D, L, j):
    """Return the distance of two runs: every pair of windows, cards that both want given to either."""
    P, twice = L & LANE, (L >> 13) & LANE
    flush0, flush1 = t.kind[c, 0] == FLUSH, t.kind[c, 1] == FLUSH
    n0, n1 = np.int64(t.length[c, 0]), np.int64(t.length[c, 1])
    best = np.int64(n0 + n1)
    J = j
    if j == NO_WILD:
        J = np.int64(0)
    else:
        s0 = _state_without(t, (n0 - 3) << 13, M, L, NO_RANK, flush0)
        s1 = _state_without(t, (n1 - 3) << 13, M, L, NO_RANK, flush1)
        best = min(best, _one_meld_of_jokers(t, c, NONE, s1, j), _one_meld_of_jokers(t, c, ONE, s0, j))
    first, last = np.int64(t.first), np.int64(t.last)
    top0 = n0 if t.exact else max(n0, min(2 * J + 1, 13))
    top1 = n1 if t.exact else max(n1, min(2 * J + 1, 13))
    for x in range(4 if flush0 else 1):
        have0 = (M >> (13 * x)) & LANE if flush0 else P
        # ranks of which meld 0 would take the only card
        single0 = have0 & ~((D >> (13 * x)) & LANE) if flush0 and flush1 else have0 & ~twice
        for length0 in range(n0, top0 + 1):
            limit0 = np.int64(t.limit[length0])
            for low0 in range(first, last - length0 + 2):
                w0 = _window(low0, length0)
                gaps0 = length0 - popcount(w0 & have0)
                if gaps0 - min(J, limit0) >= best:
                    continue
                for y in range(4 if flush1 else 1):
                    have1 = (M >> (13 * y)) & LANE if flush1 else P
                    contested = w0 & single0 & have1
                    if flush0 and flush1 and x != y:
                        contested = np.int64(0)
                    for length1 in range(n1, top1 + 1):
                        limit1 = np.int64(t.limit[length1])
                        for low1 in range(first, last - length1 + 2):
                            w1 = _window(low1, length1)
                            gaps1 = length1 - popcount(w1 & have1)
                            if gaps0 + gaps1 - J >= best:
                                continue
                            shared = popcount(contested & w1)
                            wanted = gaps0 + gaps1 + shared
                            usable = min(limit0 + limit1, gaps0 + shared + limit1, gaps1 + shared + limit0, wanted)
                            best = min(best, wanted - min(J, usable))
    return best


@kernel
def _distance(t, c, M, D, L, H, j):
    """Return the missing cards of contract `c`; j: jokers held, or NO_WILD."""
    path = t.path[c]
    if path <= _SET_FLUSH:
        return _set_and_run(t, c, M, L, H, j, path == _SET_FLUSH)[0]
    if path == _SETS:
        top, second = _two_tops(L, H)
        return _lut2(t, c, top, second, j)
    return _slow_distance(t, c, M, D, L, H, j)


@kernel
def _slow_distance(t, c, M, D, L, H, j):
    path = t.path[c]
    if path == _RUNS:
        return _two_runs(t, c, M, D, L, j)
    if path == _DISTINCT_SETS:
        return _distinct_two_sets(t, c, M, L, H, j)
    return _distinct_set_and_run(t, c, M, D, L, H, j, path == _DISTINCT_FLUSH)


@kernel
def distance(t, hand, contract, wild):
    """Return how many cards the hand lacks for the contract (t: TABLES record; wild: jokers may be melded)."""
    return _distance(t, contract, hand.M, hand.D, hand.L, hand.H, _jokers(hand, wild))


@kernel
def feasible(t, hand, contract, wild):
    """Tell whether the contract lies in the hand; whether a card is left to discard is `may_lay`'s business."""
    return distance(t, hand, contract, wild) == 0


# ----------------------------------------------------------------------------------------------------------------- outs


@kernel
def _spread(ranks):
    """Return the types of these ranks in all suits."""
    return ranks * EVERY


@kernel
def _reach(t, base, row, M, L, flush):
    """Return the types that bring the run to the wanted state; base: of `improve`, row: wanted state - 1."""
    at = base + (row << 13)
    if not flush:
        return _spread(np.int64(t.improve[np.uint64(at + (L & LANE))]))
    a = np.int64(t.improve[np.uint64(at + (M & LANE))])
    b = np.int64(t.improve[np.uint64(at + ((M >> 13) & LANE))])
    c = np.int64(t.improve[np.uint64(at + ((M >> 26) & LANE))])
    d = np.int64(t.improve[np.uint64(at + ((M >> 39) & LANE))])
    return a | (b << 13) | (c << 26) | (d << 39)


@kernel
def _spare(t, base, M, L, ranks, state, critical, wanted, flush):
    """Return those of `ranks` that can all leave the run and it still has the wanted state."""
    if state < wanted:
        return np.int64(0)
    if state == wanted:
        return ranks & ~critical
    spare = ranks & ~critical
    left = ranks & critical
    while left:
        rank = lowest(left)
        left &= left - 1
        if _state_without(t, base, M, L, rank, flush) >= wanted:
            spare |= 1 << rank
    return spare


@kernel
def _outs_set_and_run(t, c, M, L, H, j, flush):
    """Return (distance, types that lower it)."""
    d, k, sk, s, at, critical = _set_and_run(t, c, M, L, H, j, flush)
    if d == 0 or d == IMPOSSIBLE:
        return d, np.int64(0)
    n0 = np.int64(t.length[c, 0])
    base = (np.int64(t.length[c, 1]) - 3) << 13
    rows = base << 3
    wanted = _need(t, c, k, j, d - 1)
    out = np.int64(0)
    if k == 0:
        out |= _reach(t, rows, wanted - 1, M, L, flush)
    else:
        # the set stays one copy short of its best rank, which is then free for the run
        less = _need(t, c, k - 1, j, d - 1)
        out |= _reach(t, rows, less - 1, M, L, flush)
        # one more of a rank with a copy less
        out |= _spread(_spare(t, base, M, L, _lane_or_all(L, H, k - 1) & ~_lane(L, H, k), s, critical, wanted, flush))
        if at == 0:
            out |= _reach(t, rows, wanted - 1, M, L, flush)
        elif wanted <= 8:
            left = at
            while left:
                bit = left & -left
                left &= left - 1
                out |= _reach(t, rows, wanted - 1, M & ~_spread(bit), L & ~bit, flush)
            if s >= wanted:
                out |= _spread(at)  # one more card of the set's rank frees the run's own
    if k < n0 and at != 0:
        out |= _spread(_spare(t, base, M, L, at, s, critical, _need(t, c, k + 1, j, d - 1), flush))
    if j < t.jokers and min(_lut(t, c, k, sk, j + 1), _lut(t, c, max(k - 1, 0), s, j + 1)) < d:
        out |= 1 << JOKER
    return d, out


@kernel
def _lane_or_all(L, H, k):
    if k == 0:
        return np.int64(LANE)
    return _lane(L, H, k)


@kernel
def _outs_two_sets(t, c, L, H, j):
    """Return (distance, types that lower it)."""
    top, second = _two_tops(L, H)
    d = _lut2(t, c, top, second, j)
    out = np.int64(0)
    if d == 0 or d == IMPOSSIBLE:
        return d, out
    best = _lane_or_all(L, H, top)
    if top < 8 and _lut2(t, c, top + 1, second, j) < d:
        out |= best
    if second < top and _lut2(t, c, top, second + 1, j) < d:
        out |= _lane_or_all(L, H, second) & ~best
    out = _spread(out)
    if j < t.jokers and _lut2(t, c, top, second, j + 1) < d:
        out |= 1 << JOKER
    return d, out


@kernel
def _slow_outs(t, c, M, D, L, H, j):
    """Return (distance, types that lower it) by trying every type."""
    d = np.int64(IMPOSSIBLE)
    out = np.int64(0)
    any_suit = t.path[c] == _RUNS and t.kind[c, 0] == RUN
    for x in range(-1, JOKER + 1):  # -1: the hand as it is
        M2, D2, L2, H2, j2 = M, D, L, H, j
        if x == JOKER:
            if j >= t.jokers:
                break
            j2 = j + 1
        elif x >= 0:
            if any_suit and x >= RANKS:
                continue
            M2, D2, L2, H2 = _with(M, D, L, H, x)
        value = _slow_distance(t, c, M2, D2, L2, H2, j2)
        if x < 0:
            d = value
            if d == 0:
                break
        elif value < d:
            out |= _spread(np.int64(1) << x) if any_suit and x < JOKER else np.int64(1) << x
    return d, out


@kernel
def _outs(t, c, M, D, L, H, j):
    """Return (distance, types that lower it); types of which all copies are held are left out."""
    path = t.path[c]
    if path <= _SET_FLUSH:
        d, out = _outs_set_and_run(t, c, M, L, H, j, path == _SET_FLUSH)
    elif path == _SETS:
        d, out = _outs_two_sets(t, c, L, H, j)
    else:
        d, out = _slow_outs(t, c, M, D, L, H, j)
    return d, out & ~(D if t.decks == 2 else M)


@kernel
def distance_and_outs(t, hand, contract, wild):
    """Return (distance, mask of the types that lower it); types of which the hand holds all copies are left out."""
    return _outs(t, contract, hand.M, hand.D, hand.L, hand.H, _jokers(hand, wild))


@kernel
def outs(t, hand, contract, wild):
    """Return the mask of the types that lower the distance."""
    return distance_and_outs(t, hand, contract, wild)[1]


@kernel
def outs_weight(mask, n1, n2, unseen_jokers):
    """Return the number of unseen copies of the types in `mask`; n1, n2: types with at least one, two unseen copies."""
    weight = popcount(mask & n1 & NATURALS) + popcount(mask & n2 & NATURALS)
    if (mask >> JOKER) & 1:
        weight += unseen_jokers
    return weight


# -------------------------------------------------------------------------------------------------------------- discard


@kernel
def _value(t, c, cards, wild, x, unseen):
    """Return distance * 1024 - outs weight of the hand without one `x` (-1: the whole hand): smaller is better.

    cards: M, D, L, H, J of the hand. unseen: the last three arguments of `outs_weight`.
    """
    M, D, L, H, J = cards
    if x == JOKER:
        J -= 1
    elif x >= 0:
        M, D, L, H = _without(M, D, L, H, x)
    d, mask = _outs(t, c, M, D, L, H, J if wild else np.int64(NO_WILD))
    n1, n2, unseen_jokers = unseen
    return d * 1024 - outs_weight(mask, n1, n2, unseen_jokers)


@kernel
def _loners(M, L):
    """Return held types of ranks held once with nobody within two ranks: the likeliest to be spare."""
    P = L & LANE
    ring = P | (P << 13)
    near = (ring >> 1) | (ring >> 2) | (ring << 1) | (ring << 2)
    return M & _spread(P & ~((near | (near >> 13)) & LANE) & ~((L >> 13) & LANE))


@kernel
def best_discard(t, hand, contract, wild, n1, n2, unseen_jokers, drawn):
    """Return (type, distance, outs weight) of the discard that leaves the nearest hand with the most outs.

    Ties go to `drawn` (-1: none), then to lone cards, then to the others by type, last to the joker.
    """
    unseen = (n1, n2, unseen_jokers)
    lone = _loners(hand.M, hand.L)
    rest = hand.M & ~lone
    first = np.int64(-1)
    if 0 <= drawn < JOKER:
        first = np.int64(drawn)
        lone &= ~(np.int64(1) << first)
        rest &= ~(np.int64(1) << first)
    joker_left = hand.J > 0
    best = np.int64(1 << 40)
    goal = best
    pick = np.int64(-1)
    x = np.int64(-1)  # the whole hand: no discard can leave a better one, so the first that is as good is the best
    while True:
        value = _value(t, contract, (hand.M, hand.D, hand.L, hand.H, hand.J), wild, x, unseen)
        if x < 0:
            goal = value
        elif value < best:
            best = value
            pick = x
            if value <= goal:
                break
        if first >= 0:
            x = first
            first = np.int64(-1)
        elif lone:
            x = lowest(lone)
            lone &= lone - 1
        elif rest:
            x = lowest(rest)
            rest &= rest - 1
        elif joker_left:
            x = np.int64(JOKER)
            joker_left = False
        else:
            break
    d = (best + 1023) >> 10
    return pick, d, d * 1024 - best


@kernel
def discard_values(t, hand, contract, wild, n1, n2, unseen_jokers, out):
    """Write distance * 1024 - outs weight after discarding each type into out[53]; -1 for types not held."""
    out[:] = -1
    unseen = (n1, n2, unseen_jokers)
    left = held_types(hand)
    while left:
        x = lowest(left)
        left &= left - 1
        out[x] = _value(t, contract, (hand.M, hand.D, hand.L, hand.H, hand.J), wild, x, unseen)


@kernel
def cheapest_discard(values, cost):
    """Return the type with the least values[type] + cost[type] among those held; ties to the lowest type."""
    pick = np.int64(-1)
    best = 0.0
    for x in range(JOKER + 1):
        if values[x] >= 0:
            total = values[x] + cost[x]
            if pick < 0 or total < best:
                best = total
                pick = np.int64(x)
    return pick


# ------------------------------------------------------------------------------------------------------------- lay-down


@kernel
def meld_length(code):
    """Return how many cards a meld option takes."""
    a, b = (code >> 10) & 511, code & 1023
    if 128 <= a < ALL_JOKERS:
        return (b >> 4) + (b & 15)
    return b >> 4


@kernel
def meld_jokers(code):
    """Return how many jokers a meld option takes."""
    return code & 15


@kernel
def meld_rank(code):
    """Return the rank of a set option with naturals, else -1."""
    a = (code >> 10) & 511
    if 128 <= a < ALL_JOKERS:
        return a - 128
    return np.int64(-1)


# In what follows `cards` are (M, D, jokers) and `want` is (kind, length, room, forbidden): what is required, how
# many cards its meld may take, and the rank that a set must not have, or -1. Options are written into out[at:],
# ascending, `base` added to every code, until there are `most`; how many there are is returned.


@inlined
def _set_melds(t, cards, want, base, out, at, most):
    """Write the sets with naturals."""
    M, D, J = cards
    _, n, room, forbidden = want
    found = np.int64(0)
    ranks = (M | (M >> 13) | (M >> 26) | (M >> 39)) & LANE
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        if rank == forbidden:
            continue
        lanes = EVERY << rank
        held = popcount(M & lanes)
        if not t.distinct_suits:
            held += popcount(D & lanes)
        for natural in range(1, held + 1):
            for jokers in range(J + 1):
                length = natural + jokers
                if length < n or jokers > t.limit[length]:
                    continue
                if length > room or (t.exact and length > n) or (t.distinct_suits and length > 4):
                    break
                out[at + found] = base + ((128 + rank) << 10) + (natural << 4) + jokers
                found += 1
                if found == most:
                    return found
    return found


@inlined
def _run_melds(t, cards, want, base, out, at, most):
    """Write the runs with naturals, a joker wherever the hand has no natural left."""
    M, D, J = cards
    kind, n, room, _ = want
    found = np.int64(0)
    first, last = np.int64(t.first), np.int64(t.last)
    for suit in range(4 if kind == FLUSH else 1):
        if kind == FLUSH:
            have = (M >> (13 * suit)) & LANE
            aces = ((M >> (13 * suit)) & 1) + ((D >> (13 * suit)) & 1)
            label = np.int64(suit)
        else:
            have = (M | (M >> 13) | (M >> 26) | (M >> 39)) & LANE
            aces = popcount(M & EVERY) + popcount(D & EVERY)
            label = np.int64(4)
        if have == 0:
            continue
        for low in range(first, last - n + 2):
            gaps = 0
            for length in range(1, min(room, last - low + 1, n if t.exact else 14) + 1):
                position = low + length - 1
                if position == 14 and low == 1:
                    there = aces > 1
                else:
                    there = (have >> ((position - 1) % 13)) & 1 == 1
                if not there:
                    gaps += 1
                    if gaps > J:
                        break
                if length >= n and gaps < length and gaps <= t.limit[length]:
                    out[at + found] = base + ((label * 16 + low) << 10) + (length << 4) + gaps
                    found += 1
                    if found == most:
                        return found
    return found


@inlined
def _joker_melds(t, J, want, base, out, at, most):
    """Write the melds of jokers only: their owner declares a rank, or a suit (4: any) and a lowest position."""
    kind, n, room, _ = want
    found = np.int64(0)
    longest = np.int64(t.last) - t.first + 1
    if kind == SET:
        longest = np.int64(4 if t.distinct_suits else MAX_JOKERS)
    top = min(J, room, longest, np.int64(t.alone_high[n]))
    least = np.int64(t.alone_low[n])
    if top < least:
        return found
    for meaning in range(13 if kind == SET else 80):
        label, low = meaning >> 4, meaning & 15
        if kind != SET and (low < t.first or (label == 4) == (kind == FLUSH)):
            continue
        for length in range(least, top + 1):
            if kind == SET or low + length - 1 <= t.last:
                a = (384 if kind == SET else ALL_JOKERS) + meaning
                out[at + found] = base + (a << 10) + length * 17
                found += 1
                if found == most:
                    return found
    return found


@bare
def _melds(t, cards, want, base, out, at, most):
    """Write all melds for one requirement."""
    if want[0] == SET:
        found = _set_melds(t, cards, want, base, out, at, most)
    else:
        found = _run_melds(t, cards, want, base, out, at, most)
    if found == most:
        return found
    return found + _joker_melds(t, cards[2], want, base, out, at + found, most - found)


@kernel
def _drop(M, D, x):
    """Return (M, D) without one card of type `x`."""
    bit = np.int64(1) << x
    return (M & ~bit) | (D & bit), D & ~bit


@kernel
def _first_of_rank(M, rank):
    """Return the type of this rank that goes first into a meld, or -1."""
    for i in range(4):
        x = SUIT_ORDER[i] * 13 + rank
        if (M >> x) & 1:
            return x
    return np.int64(-1)


@kernel
def _follows(t, cards, want, out, at):
    """Tell whether one more meld can be laid from these cards; kind < 0: none is wanted."""
    M, _, J = cards
    kind, n, room, _ = want
    if kind < 0:
        return True
    if kind != SET:
        base = (n - 3) << 13
        P = (M | (M >> 13) | (M >> 26) | (M >> 39)) & LANE
        state = _state_without(t, base, M, P, NO_RANK, kind == FLUSH)
        if t.cost[n - 3, state, J] > 0:
            return False
        if room >= max(n, 2 * J + 1):
            return True  # only a run with more jokers than that has to be longer
    return _melds(t, cards, want, NONE, out, at, ONE) > 0


@kernel
def _after_run(t, cards, run, want, out, at):
    """Return (found, M, D) after the naturals of a run are gone.

    cards: with the jokers left for a second meld. run: suit (4: any suits), lowest position, length, jokers in it.
    Jokers beyond the gaps stand where a natural is held, at the first combination of positions that leaves a second
    meld: two runs may want the same card.
    """
    M, D, J = cards
    suit, low, length, jokers = run
    held = 0
    M1, D1 = M, D
    for position in range(low, low + length):
        rank = (position - 1) % 13
        x = _first_of_rank(M1, rank) if suit == 4 else suit * 13 + rank
        if x >= 0 and (M1 >> x) & 1:
            M1, D1 = _drop(M1, D1, x)
            held += 1
    extra = jokers - (length - held)
    skipped = ((1 << extra) - 1) << (held - extra)
    while skipped >= 0:
        if popcount(skipped) == extra:
            M2, D2 = M, D
            seen = 0
            for position in range(low, low + length):
                rank = (position - 1) % 13
                x = _first_of_rank(M2, rank) if suit == 4 else suit * 13 + rank
                if x >= 0 and (M2 >> x) & 1:
                    seen += 1
                    if (skipped >> (held - seen)) & 1 == 0:
                        M2, D2 = _drop(M2, D2, x)
            if _follows(t, (M2, D2, J), want, out, at):
                return True, M2, D2
        if extra == 0:
            break
        skipped -= 1
    return False, M, D


@kernel
def _after_set(t, cards, rank, natural, want, out, at):
    """Return (found, M, D) after the first combination of `natural` cards of `rank` that leaves a second meld.

    cards: with the jokers left for it; kind < 0: nothing is to follow. Combinations are tried in lexicographic order.
    """
    M, D, J = cards
    kind, n, room, _ = want
    held = 0
    suits = 0  # two bits a card, in the order in which they go
    for i in range(4):
        suit = SUIT_ORDER[i]
        for _ in range(((M >> (suit * 13 + rank)) & 1) + ((D >> (suit * 13 + rank)) & 1)):
            suits |= suit << (2 * held)
            held += 1
    want1 = (kind, n, room, rank if t.distinct_ranks else np.int64(-1))
    # Which suits go matters only to a flush run, or where the suits of a set differ.
    again = kind == FLUSH or (t.distinct_suits and kind == SET)
    # Card i is bit held - 1 - i, so lexicographic order is falling numbers.
    chosen = ((1 << natural) - 1) << (held - natural)
    while chosen > 0:
        if popcount(chosen) == natural:
            M2, D2 = M, D
            seen = 0
            clash = False
            for i in range(held):
                if (chosen >> (held - 1 - i)) & 1:
                    suit = (suits >> (2 * i)) & 3
                    clash |= (seen >> suit) & 1 == 1
                    seen |= 1 << suit
                    M2, D2 = _drop(M2, D2, suit * 13 + rank)
            if not (clash and t.distinct_suits):
                if _follows(t, (M2, D2, J), want1, out, at):
                    return True, M2, D2
                if not again:
                    break
        chosen -= 1
    return False, M, D


@kernel
def _first(t, M, D, J, code, kind1, n1, size, out, at):
    """Return (code or -1, M, D, J) after the meld `code`, where a second meld (kind1 >= 0) must be left in the rest.

    size: cards in the hand before; one must stay. A run may get more jokers than it has gaps: the code says so.
    """
    a = (code >> 10) & 511
    length = meld_length(code)
    want1 = (kind1, n1, size - np.int64(t.spare) - length, np.int64(-1))
    while True:
        jokers = meld_jokers(code)
        left = (M, D, J - jokers)
        if a < 128:
            found, M2, D2 = _after_run(t, left, (a >> 4, a & 15, length, jokers), want1, out, at)
        elif a < ALL_JOKERS:
            found, M2, D2 = _after_set(t, left, a - 128, length - jokers, want1, out, at)
        else:
            found, M2, D2 = _follows(t, left, want1, out, at), M, D
        if found:
            return code, M2, D2, J - jokers
        jokers += 1
        if a >= 128 or jokers > J or jokers >= length or jokers > t.limit[length]:
            return np.int64(-1), M, D, J
        code += 1


@kernel
def meld_options(t, hand, contract, wild, requirement, first_rank, out):
    """Write the codes of the melds that may be laid for one requirement, ascending; return how many (at most 200).

    A code is a * 1024 + b. Set: a = 512 * requirement + 128 + rank, b = 16 * naturals + jokers. Run: a = 512 *
    requirement + 16 * suit + lowest position (suit 4: any suits; ace 1, or 14 at the high end), b = 16 * length +
    jokers. Jokers only: the same with 256 more, b = 17 * length; their meaning is what its owner declares.

    What is offered: every set of at least one natural of a rank with any number of its naturals and of jokers; every
    window of a run, jokers standing exactly where the hand has no natural left; melds of jokers with every meaning.
    Requirement 0 comes first, and only melds after which requirement 1 can be laid from the rest with one card
    to spare; then requirement 1 from what is left. If there are more than 200 only the first 200 are offered.

    Which copies go: the cards of a rank in the order S, C, H, D. A set for requirement 0 takes the first
    combination, in lexicographic order over its cards so ordered, after which requirement 1 can be laid; a set for
    requirement 1 the first combination; a run goes through its positions upwards and takes the first card left.
    Where both requirements are runs, the first one may need jokers at positions for which it has a natural that the
    second one wants: then as few as possible, at the first combination of positions.

    Parameters
    ----------
    t, hand
        TABLES and HAND records; for requirement 1 the hand without the cards of the first meld.
    contract, wild, requirement
        Number of the contract, whether the seat may meld jokers, 0 or 1.
    first_rank
        For requirement 1: `meld_rank` of the first meld, else -1.
    out
        Integers, at least MELD_SCRATCH of them.
    """
    J = hand.J if wild else np.int64(0)
    if requirement == 0:
        found = 0
        if distance(t, hand, contract, wild) == 0:
            last = np.int64(MELD_SCRATCH - 1)
            kind1, n1 = np.int64(t.kind[contract, 1]), np.int64(t.length[contract, 1])
            kind, n = np.int64(t.kind[contract, 0]), np.int64(t.length[contract, 0])
            room = hand.n - np.int64(t.spare) - min(n1, np.int64(t.alone_low[n1]))
            want = (kind, n, room, np.int64(-1))
            for i in range(_melds(t, (hand.M, hand.D, J), want, NONE, out, NONE, last)):
                code = _first(t, hand.M, hand.D, J, np.int64(out[i]), kind1, n1, hand.n, out, last)[0]
                if code >= 0 and found < MAX_MELDS:
                    out[found] = code
                    found += 1
        return found
    kind, n = np.int64(t.kind[contract, 1]), np.int64(t.length[contract, 1])
    forbidden = np.int64(first_rank) if t.distinct_ranks else np.int64(-1)
    want = (kind, n, hand.n - np.int64(t.spare), forbidden)
    return _melds(t, (hand.M, hand.D, J), want, np.int64(512 << 10), out, NONE, np.int64(MAX_MELDS))


@kernel
def _arrange_with(t, hand, c, J, jokers, out):
    """Return (first, second) with exactly so many jokers of J, then most cards, then the lowest codes; or (-1, -1)."""
    kind1, n1 = np.int64(t.kind[c, 1]), np.int64(t.length[c, 1])
    kind0, n0 = np.int64(t.kind[c, 0]), np.int64(t.length[c, 0])
    room = hand.n - np.int64(t.spare) - min(n1, np.int64(t.alone_low[n1]))
    free = np.int64(MELD_SCRATCH // 2)
    best0, best1 = np.int64(-1), np.int64(-1)
    cards = np.int64(-1)
    want0 = (kind0, n0, room, np.int64(-1))
    for i in range(_melds(t, (hand.M, hand.D, jokers), want0, NONE, out, NONE, free)):
        code0, M, D, _ = _first(t, hand.M, hand.D, J, np.int64(out[i]), kind1, n1, hand.n, out, free)
        left = jokers - meld_jokers(code0)
        if code0 < 0 or left < 0:
            continue
        forbidden = meld_rank(code0) if t.distinct_ranks else np.int64(-1)
        length0 = meld_length(code0)
        want1 = (kind1, n1, hand.n - np.int64(t.spare) - length0, forbidden)
        more = np.int64(MELD_SCRATCH) - free
        for k in range(_melds(t, (M, D, left), want1, np.int64(512 << 10), out, free, more)):
            code1 = np.int64(out[free + k])
            length = length0 + meld_length(code1)
            if meld_jokers(code1) == left and length > cards:
                cards = length
                best0, best1 = code0, code1
    return best0, best1


@kernel
def arrange(t, hand, contract, wild, out):
    """Return the codes (first, second) of the canonical lay-down, or (-1, -1); out: scratch, MELD_SCRATCH integers.

    Fewest jokers, then most cards, then the lowest first code, then the lowest second code. Laying the two codes one
    after the other with `lay_meld` is the lay-down.
    """
    best0, best1 = np.int64(-1), np.int64(-1)
    J = hand.J if wild else np.int64(0)
    for jokers in range(J + 1):
        j = np.int64(jokers) if wild else np.int64(NO_WILD)
        if _distance(t, contract, hand.M, hand.D, hand.L, hand.H, j) == 0:
            best0, best1 = _arrange_with(t, hand, contract, J, np.int64(jokers), out)
            if best0 >= 0:
                break
    return best0, best1


@kernel
def may_lay(t, hand, contract, wild, out):
    """Tell whether the contract can be laid down with a card to spare; out: scratch, MELD_SCRATCH integers."""
    if distance(t, hand, contract, wild) > 0:
        return False
    if (hand.J < 2 or not wild) and hand.n - t.spare >= np.int64(t.length[contract, 0]) + np.int64(
        t.length[contract, 1]
    ):
        return True  # with so few jokers a longer meld is never the only one
    return arrange(t, hand, contract, wild, out)[0] >= 0


@kernel
def lay_meld(t, hand, contract, wild, code, meld, out):
    """Take the cards of option `code` out of the hand and write them down in `meld` (MELD record).

    out: scratch, MELD_SCRATCH integers.
    """
    requirement = code >> 19
    kind = np.int64(t.kind[contract, requirement])
    J = hand.J if wild else np.int64(0)
    kind1, n1 = np.int64(-1), np.int64(3)
    if requirement == 0:
        kind1, n1 = np.int64(t.kind[contract, 1]), np.int64(t.length[contract, 1])
    _, M, D, _ = _first(t, hand.M, hand.D, J, np.int64(code), kind1, n1, hand.n, out, NONE)
    a = (code >> 10) & 511
    length = meld_length(code)
    meld.kind = kind
    meld.n = length
    meld.jokers = meld_jokers(code)
    meld.suit = 0
    meld.suits = 0
    if kind == SET:
        meld.low = (a - 128) & 127
    else:
        meld.suit = (a & 127) >> 4
        meld.low = a & 15
    # What is gone from the hand: types of which one, two copies went.
    one = (hand.M ^ M) | (hand.D ^ D)
    two = (hand.M ^ M) & (hand.D ^ D)
    for i in range(length):
        card = np.int64(JOKER)
        if a < ALL_JOKERS:
            rank = (meld.low + i - 1) % 13 if kind != SET else a - 128
            x = _first_of_rank(one, rank)
            if x >= 0:
                card = x
                one, two = _drop(one, two, x)
                meld.suits |= 1 << (x // 13)
        meld.cards[i] = card
        remove_card(hand, card)
    for i in range(length, len(meld.cards)):
        meld.cards[i] = -1


# -------------------------------------------------------------------------------------------------------------- lay-off


@kernel
def _takes_natural(t, meld):
    return meld.jokers <= t.limit[meld.n + 1]


@kernel
def _takes_joker(t, meld):
    return meld.jokers == meld.n or meld.jokers + 1 <= t.limit[meld.n + 1]


@kernel
def accepts(t, meld, wild):
    """Return the mask of the types that may be laid off on a laid meld, the joker limit kept."""
    length = np.int64(meld.n)
    mask = np.int64(0)
    if meld.kind == SET:
        if length >= (4 if t.distinct_suits else len(meld.cards)):
            return mask
        if _takes_natural(t, meld):
            mask = EVERY << np.int64(meld.low)
            if t.distinct_suits:
                for suit in range(4):
                    if (meld.suits >> suit) & 1:
                        mask &= ~(LANE << (13 * suit))
    else:
        low, high = np.int64(meld.low), np.int64(meld.low) + length - 1
        if low <= t.first and high >= t.last:
            return mask
        if _takes_natural(t, meld):
            ranks = np.int64(0)
            if low > t.first:
                ranks |= np.int64(1) << ((low - 2) % 13)
            if high < t.last:
                ranks |= np.int64(1) << (high % 13)
            mask = ranks << (13 * np.int64(meld.suit)) if meld.kind == FLUSH else _spread(ranks)
    if wild and _takes_joker(t, meld):
        mask |= 1 << JOKER
    return mask


@kernel
def ends(t, meld, card):
    """Return where an accepted card may go on: bit 0 the low end of a run, bit 1 the high end; a set: bit 1 only."""
    if meld.kind == SET:
        return 2
    low, high = np.int64(meld.low), np.int64(meld.low) + meld.n - 1
    can = 0
    if low > t.first and (card == JOKER or (low - 2) % 13 == card % 13):
        can |= 1
    if high < t.last and (card == JOKER or high % 13 == card % 13):
        can |= 2
    if can == 3 and card == JOKER and meld.jokers == meld.n:
        return 2  # a run of jokers only grows upwards while it can
    return can


@kernel
def lay_off(t, meld, card, end):
    """Put an accepted card on a laid meld; end: 0 low, 1 high (sets: no matter). The hand is the caller's business."""
    at = np.int64(meld.n)
    if meld.kind != SET and end == 0:
        while at > 0:
            meld.cards[at] = meld.cards[at - 1]
            at -= 1
        meld.low -= 1
    meld.cards[at] = card
    meld.n += 1
    if card == JOKER:
        meld.jokers += 1
    else:
        meld.suits |= 1 << (card // 13)
