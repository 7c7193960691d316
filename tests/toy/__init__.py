"""High Card: a small game for the tests of the run layer, played through the public contract only.

A round: everybody holds `hand` cards of a deck of 24 (six ranks, four of each); in turn each plays one, and may before
that, once a round, swap a card for the top of the stock. The highest rank scores a point, the earlier card wins a tie;
moons count `bonus` more. With ``hand = 1`` and no swap nothing is decided: of two players the first wins a
round with chance 13/23.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim import bits, rng
from sim.engine import DECIDE, END_TIE, END_WON, OVER, ROUND, WHOLE, named, record
from sim.facts import Ability, Decision, Measure, Side, TableSpec, Tier
from sim.game import Engine, Game, IllegalMoveError, code, tag_of
from sim.jit import kernel
from sim.rng import Chance
from sim.variant import Field, Variant

DECK, RANKS = 24, 6
PLAY, SWAP = 1, 2
TAG = tag_of("toy", __name__)
FIELDS = (
    Field("rounds", 2, "Rounds in a game", low=1, high=9, rule="TOY-5"),
    Field("hand", 2, "Cards dealt to each player", low=1, high=3, rule="TOY-1"),
    Field("bonus", 1, "What a moon adds to the rank of its card", low=0, high=6, rule="TOY-3"),
    Field("tie", "first", "Who wins a tie of ranks", choices=("first", "last"), rule="TOY-4"),
)
RULES = record(("rounds", "i8"), ("hand", "i8"), ("bonus", "i8"), ("last", "i8"), (TAG, "i8"))
GAME_ROW = record(
    ("share", "u2"), ("points", "i2"), ("rounds", "u2"), ("turns", "u2"), ("end", "u1"), ("lead_changes", "u1"),
    ("n_swap", "u2"), ("held_swap", "u2"),
)  # fmt: skip
ROUND_ROW = record(("starter", "u1"), ("rank", "u1"), ("won", "u1"), ("swapped", "u1"))


def state_type(n: int) -> np.dtype[Any]:
    """Return the state record for `n` seats."""
    pub = record(
        ("seen", "i8"), ("off", "i8", (n,)), ("points", "i2", (n,)), ("uses", "i2", (n,)), ("held", "i2", (n,)),
        ("changes", "i2"), ("turns", "i2"), ("played", "i1", (n,)), ("swapped", "i1", (n,)), ("side", "i1", (n,)),
        ("actor", "i1"), ("starter", "i1"), ("nth", "i1"), ("turn", "i1"), ("left", "i1"), ("leader", "i1"),
        (TAG, "i1"),
    )  # fmt: skip
    priv = record(("hand", "i8"), ("gave", "i8"))
    hid = record(("key", "u8"), ("stock", "i1", (DECK,)), ("packet", "i1", (n,)), ("next", "i1"), ("phase", "i1"))
    rows = (("game_row", GAME_ROW, (n,)), ("round_row", ROUND_ROW, (n,)))
    return record(("pub", pub), ("priv", priv, (n,)), ("hid", hid), *rows, (TAG, "i1"))


@kernel
def start(s, rules, key, seats):
    s.hid.key = key
    s.hid.phase = 0
    s.pub.nth = 0
    s.pub.turns = 0
    s.pub.changes = 0
    s.pub.leader = -1
    for seat in range(len(s.priv)):
        s.pub.points[seat] = 0
        s.pub.uses[seat] = 0
        s.pub.held[seat] = 0
        s.pub.off[seat] = seats[seat].off
        s.pub.side[seat] = seats[seat].side
        s.hid.packet[seat] = seats[seat].packet


@kernel
def deal(s, rules):
    n = len(s.priv)
    rng.permutation(rng.stream(s.hid.key, s.pub.nth, rng.DECK, 0, 0), DECK, s.hid.stock)
    s.hid.next = n * rules.hand
    s.pub.left = DECK - n * rules.hand
    s.pub.seen = 0
    s.pub.starter = s.pub.nth % n
    s.pub.turn = 0
    for seat in range(n):
        s.pub.played[seat] = -1
        s.pub.swapped[seat] = 0
        s.priv[seat].gave = 0
        hand = 0
        for i in range(rules.hand):
            hand |= 1 << np.int64(s.hid.stock[np.int64(s.hid.packet[seat]) * rules.hand + i])
        s.priv[seat].hand = hand


@kernel
def strength(s, rules, seat):
    return np.int64(s.pub.played[seat]) % RANKS + (rules.bonus if s.pub.side[seat] == 1 else 0)


@kernel
def score_round(s, rules):
    n = len(s.priv)
    best = np.int64(s.pub.starter)
    for i in range(1, n):
        seat = (np.int64(s.pub.starter) + i) % n
        gap = strength(s, rules, seat) - strength(s, rules, best)
        if gap > 0 or (gap == 0 and rules.last):
            best = seat
    s.pub.points[best] += 1
    for seat in range(n):
        s.round_row[seat].starter = s.pub.starter
        s.round_row[seat].rank = s.pub.played[seat] % RANKS
        s.round_row[seat].won = seat == best
        s.round_row[seat].swapped = s.pub.swapped[seat]
    if s.pub.leader != best and s.pub.points[best] > (0 if s.pub.leader < 0 else s.pub.points[np.int64(s.pub.leader)]):
        s.pub.changes += s.pub.leader >= 0
        s.pub.leader = best


@kernel
def score_game(s, rules):
    n = len(s.priv)
    best = 0
    winners = 0
    for seat in range(n):
        if s.pub.points[seat] > best:
            best = np.int64(s.pub.points[seat])
            winners = 0
        winners += s.pub.points[seat] == best
    for seat in range(n):
        row = s.game_row[seat]
        row.share = WHOLE // winners if s.pub.points[seat] == best else 0
        row.points = s.pub.points[seat]
        row.rounds = s.pub.nth
        row.turns = s.pub.turns
        row.end = END_WON if winners == 1 else END_TIE
        row.lead_changes = s.pub.changes
        row.n_swap = s.pub.uses[seat]
        row.held_swap = s.pub.held[seat]


@kernel
def advance(s, rules):
    n = len(s.priv)
    if s.hid.phase == 0 and s.pub.nth == rules.rounds:
        score_game(s, rules)
        return OVER
    if s.hid.phase == 0:
        deal(s, rules)
        s.hid.phase = 1
    if s.pub.turn == n:
        score_round(s, rules)
        s.pub.nth += 1
        s.hid.phase = 0
        return ROUND
    s.pub.actor = (s.pub.starter + s.pub.turn) % n
    return DECIDE


@kernel
def options(s, rules, out):
    seat = np.int64(s.pub.actor)
    n = 0
    for kind in (PLAY, SWAP):
        if kind == SWAP and (s.pub.swapped[seat] or s.pub.left == 0 or s.pub.off[seat] & 1):
            break
        hand = s.priv[seat].hand
        while hand:
            out[n] = (kind << 20) | (bits.lowest(hand) << 10)
            hand &= hand - 1
            n += 1
    return n


@kernel
def apply(s, rules, code):
    seat = np.int64(s.pub.actor)
    card = (np.int64(code) >> 10) & 1023
    me = s.priv[seat]
    me.hand &= ~(1 << card)
    if code >> 20 == PLAY:
        s.pub.held[seat] += s.pub.left > 0
        s.pub.played[seat] = card
        s.pub.seen |= 1 << card
        s.pub.turn += 1
        s.pub.turns += 1
    else:
        me.gave |= 1 << card
        me.hand |= 1 << np.int64(s.hid.stock[np.int64(s.hid.next)])
        s.hid.next += 1
        s.pub.left -= 1
        s.pub.swapped[seat] = 1
        s.pub.uses[seat] += 1


@kernel
def redeal(s, rules, seat, key):
    unseen = ((1 << DECK) - 1) & ~(s.priv[seat].hand | s.priv[seat].gave | s.pub.seen)
    m = bits.popcount(unseen)
    pool = s.hid.stock
    for i in range(m):
        pool[i] = bits.lowest(unseen)
        unseen &= unseen - 1
    for i in range(m - 1):
        j = i + rng.below(key, i, m - i)
        pool[i], pool[j] = pool[j], pool[i]
    at = 0
    for other in range(len(s.priv)):
        if other != seat:
            whose = s.priv[other]
            hand = bits.popcount(whose.hand)
            gave = bits.popcount(whose.gave)
            whose.hand = 0
            whose.gave = 0
            for i in range(hand + gave):
                if i < hand:
                    whose.hand |= 1 << np.int64(pool[at])
                else:
                    whose.gave |= 1 << np.int64(pool[at])
                at += 1
    for i in range(DECK - 1, np.int64(s.hid.next) - 1, -1):
        pool[i] = pool[m - DECK + i]
    s.hid.key = rng.stream(key, 0, rng.REDEAL, 0, 0)


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    low = 0
    high = 0
    for i in range(n):
        rank = ((options[i] >> 10) & 1023) % RANKS
        if options[i] >> 20 == PLAY:
            if rank > ((options[high] >> 10) & 1023) % RANKS:
                high = i
        elif options[low] >> 20 == PLAY or rank < ((options[low] >> 10) & 1023) % RANKS:
            low = i
    swap = options[low] >> 20 == SWAP and ((options[low] >> 10) & 1023) % RANKS < weights[0]
    if policy == 1:
        return options[low] if swap and pub.turn == 0 else options[high]
    return options[low] if swap else options[high]


def make_rules(variant: Variant, seats: int) -> np.ndarray[Any, Any]:
    made = np.zeros(1, RULES)
    made["rounds"], made["hand"], made["bonus"] = variant["rounds"], variant["hand"], variant["bonus"]
    made["last"] = variant["tie"] == "last"
    return made


def visible(s: Any, rules: Any, seats: int) -> dict[str, Any]:
    return {
        "points": [int(x) for x in s.pub.points],
        "played": [int(x) for x in s.pub.played],
        "hands": [[c for c in range(DECK) if int(s.priv[i].hand) >> c & 1] for i in range(seats)],
        "left": int(s.pub.left),
    }


class HighCard:
    """The rulebook of High Card."""

    def __init__(self, variant: Variant, seats: Sequence[Any], chance: Chance) -> None:
        self.variant, self.chance = variant, chance
        self.sides = [int(seat.side) for seat in seats]
        self.packets = [int(seat.packet) for seat in seats]
        self.off = [int(seat.off) for seat in seats]
        self.uses: Counter[str] = Counter()
        self.story: list[str] = []
        self.points = [0] * len(seats)
        self.swaps = [0] * len(seats)
        self.held = [0] * len(seats)
        self.round = self.turns = self.changes = 0
        self.leader: int | None = None
        self.round_outcomes: list[dict[str, list[int]]] = []
        self.over = False
        self.deal()

    def deal(self) -> None:
        n, size = len(self.sides), self.variant["hand"]
        self.uses["TOY-1"] += 1
        cards = self.chance.stream(self.round, rng.DECK).permutation(DECK)
        self.hands = [sorted(cards[p * size : (p + 1) * size]) for p in self.packets]
        self.stock = cards[n * size :]
        self.played = [-1] * n
        self.swapped = [False] * n
        self.order = [(self.round + i) % n for i in range(n)]
        self.actor = self.order[0]

    def options(self) -> list[int]:
        made = [code(PLAY, card) for card in self.hands[self.actor]]
        if self.may_swap():
            made += [code(SWAP, card) for card in self.hands[self.actor]]
        return made

    def may_swap(self) -> bool:
        return not self.swapped[self.actor] and bool(self.stock) and not self.off[self.actor] & 1

    def apply(self, value: int) -> None:
        if value not in self.options():
            raise IllegalMoveError(f"TOY-2: {value} is not possible")
        seat, card = self.actor, value >> 10 & 1023
        self.hands[seat].remove(card)
        if value >> 20 == SWAP:
            self.uses["TOY-2"] += 1
            self.hands[seat] = sorted([*self.hands[seat], self.stock.pop(0)])
            self.swapped[seat] = True
            self.swaps[seat] += 1
            self.story.append(f"Seat {seat} swaps a card for the top of the stock (TOY-2).")
            return
        self.held[seat] += bool(self.stock)
        self.played[seat] = card
        self.turns += 1
        self.story.append(f"Seat {seat} plays a {card % RANKS + 1}.")
        if seat == self.order[-1]:
            self.end_round()
        else:
            self.actor = self.order[self.order.index(seat) + 1]

    def strength(self, seat: int) -> int:
        moon = self.sides[seat] == 1
        self.uses["TOY-3"] += moon
        return self.played[seat] % RANKS + (self.variant["bonus"] if moon else 0)

    def winner(self) -> int:
        strengths = {seat: self.strength(seat) for seat in self.order}
        best = [seat for seat in self.order if strengths[seat] == max(strengths.values())]
        self.uses["TOY-4"] += len(best) > 1
        return best[0] if self.variant["tie"] == "first" else best[-1]

    def end_round(self) -> None:
        best = self.winner()
        self.points[best] += 1
        self.round_outcomes.append(
            {
                "starter": [self.order[0]] * len(self.sides),
                "rank": [card % RANKS for card in self.played],
                "won": [int(seat == best) for seat in range(len(self.sides))],
                "swapped": [int(x) for x in self.swapped],
            }
        )
        self.story.append(f"Seat {best} takes the round.")
        if self.leader is None:
            self.leader = best
        elif self.points[best] > self.points[self.leader]:
            self.leader, self.changes = best, self.changes + 1
        self.round += 1
        self.over = self.round == self.variant["rounds"]
        self.uses["TOY-5"] += self.over
        if not self.over:
            self.deal()

    def visible(self) -> dict[str, Any]:
        return {"points": self.points, "played": self.played, "hands": self.hands, "left": len(self.stock)}

    def outcome(self) -> dict[str, Any]:
        n, winners = len(self.sides), self.points.count(max(self.points))
        return {
            "share": [WHOLE // winners if p == max(self.points) else 0 for p in self.points],
            "points": self.points,
            "rounds": [self.round] * n,
            "turns": [self.turns] * n,
            "end": [END_WON if winners == 1 else END_TIE] * n,
            "lead_changes": [self.changes] * n,
            "n_swap": self.swaps,
            "held_swap": self.held,
        }


KERNELS = named(start, advance, options, apply, redeal, choose)
GAME = Game(
    name="toy",
    title="High Card",
    seats=(2, 3, 4, 5),
    default_seats=2,
    sides=tuple(Side(name, colour) for name, colour in (("Sun", "#e0a000"), ("Moon", "#4060c0"), ("Star", "#a0a0a0"))),
    side_word="sky",
    fields=FIELDS,
    abilities=(Ability("swap", "Swap", "Swap a card for the top of the stock.", "Nobody may swap."),),
    readings=(),
    decisions=(Decision(PLAY, "play", "card"), Decision(SWAP, "swap", "card")),
    tiers=(
        Tier("random", 0, "Any of the options."),
        Tier("novice", 1, "Plays its highest card.", (1.0,)),
        Tier("skilled", 2, "Swaps a low card, then plays its highest.", (3.0, 0.0)),
    ),
    engine=lambda: Engine(TAG, state_type, RULES, make_rules, GAME_ROW, ROUND_ROW, 9, KERNELS, visible),
    rulebook=lambda: HighCard,
    margins=lambda seats: {"first_seat": 0.02, "side": 0.1 / seats},
    games=2000,
    folder=Path(__file__).parent,
    tables=(
        TableSpec("ranks", "Ranks", "What is played.", "rounds", ("starter",), (Measure("rank", "Rank", "rank"),)),
    ),
    check=lambda variant, seats: (
        None if seats * variant["hand"] <= DECK else f"{DECK} - {seats} x {variant['hand']} cards: too few."
    ),
)
