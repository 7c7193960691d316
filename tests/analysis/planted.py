"""Lots: a game of pure chance whose every answer is known exactly, through the public contract.

Every packet holds a number u, uniform between 0 and 1, and by chance a card or two. Who has the highest strength wins:

* a plain side's strength is u, that of `Strong` u + `strong`, that of `Odd` 1 - u;
* seat 0 adds `first`;
* a spark (held with chance 1/4) adds `spark`; dust (likewise) adds nothing: a dead card;
* left and right add `hands` together or alone: one stands in for the other.
"""

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np

from sim import rng
from sim.engine import END_WON, OVER, ROUND, WHOLE, record
from sim.facts import Ability, Side, Standing, Tier
from sim.game import Engine, Game, IllegalMoveError, tag_of
from sim.jit import kernel
from sim.variant import Field

LOT = 32  # purpose of the private stream: u, then the two cards
HELD = 0.25
SPARK, DUST, LEFT, RIGHT = range(4)
TAG = tag_of("lots", __name__)
FIELDS = (
    Field("first", 0.1, "What seat 0 adds", low=-0.5, high=0.5),
    Field("strong", 0.0, "What Strong adds", low=-0.5, high=0.5),
    Field("spark", 0.0, "What a spark adds", low=0.0, high=0.5),
    Field("hands", 0.0, "What left or right adds", low=0.0, high=0.5),
)
RULES = record(*((f.key, "f8") for f in FIELDS), (TAG, "i1"))
KEYS = ("spark", "dust", "left", "right")
GAME_ROW = record(
    ("share", "u2"), ("points", "u2"), ("rounds", "u2"), ("turns", "u2"), ("end", "u1"), ("lead_changes", "u1"),
    *((f"n_{k}", "u1") for k in KEYS), *((f"held_{k}", "u1") for k in KEYS),
)  # fmt: skip
ROUND_ROW = record(("starter", "u1"), ("won", "u1"))


def state_type(n):
    pub = record(("off", "i8", (n,)), ("side", "i1", (n,)), ("actor", "i1"), ("played", "i1"), (TAG, "i1"))
    priv = record(("u", "f8"), ("cards", "i1"))
    hid = record(("key", "u8"), ("packet", "i1", (n,)))
    rows = (("game_row", GAME_ROW, (n,)), ("round_row", ROUND_ROW, (n,)))
    return record(("pub", pub), ("priv", priv, (n,)), ("hid", hid), *rows, (TAG, "i1"))


@kernel
def start(s, rules, key, seats):
    s.hid.key = key
    s.pub.played = 0
    for seat in range(len(s.priv)):
        s.pub.off[seat] = seats[seat].off
        s.pub.side[seat] = seats[seat].side
        s.hid.packet[seat] = seats[seat].packet


@kernel
def deal(s, rules):
    for seat in range(len(s.priv)):
        mine = rng.stream(s.hid.key, 0, LOT, np.int64(s.hid.packet[seat]) + 1, 0)
        s.priv[seat].u = rng.uniform(mine, 0)
        s.priv[seat].cards = (rng.uniform(mine, 1) < HELD) + 2 * (rng.uniform(mine, 2) < HELD)


@kernel
def worth(s, rules, seat):
    u = s.priv[seat].u
    return 1.0 - u if s.pub.side[seat] == 2 else u


@kernel
def strength(s, rules, seat):
    off = s.pub.off[seat]
    total = worth(s, rules, seat)
    if seat == 0:
        total += rules.first
    if s.pub.side[seat] == 1:
        total += rules.strong
    if s.priv[seat].cards & 1 and not off & 1:
        total += rules.spark
    if not off & 4 or not off & 8:
        total += rules.hands
    return total


@kernel
def advance(s, rules):
    n = len(s.priv)
    if s.pub.played:
        return OVER
    deal(s, rules)
    s.pub.played = 1
    best = 0
    for seat in range(1, n):
        if strength(s, rules, seat) > strength(s, rules, best):
            best = seat
    for seat in range(n):
        row = s.game_row[seat]
        cards = s.priv[seat].cards
        off = s.pub.off[seat]
        row.share = WHOLE if seat == best else 0
        row.points = seat == best
        row.rounds = 1
        row.turns = 1
        row.end = END_WON
        row.lead_changes = 0
        row.held_spark = cards & 1
        row.held_dust = (cards >> 1) & 1
        row.held_left = 1
        row.held_right = 1
        row.n_spark = (cards & 1) & (off & 1 == 0)
        row.n_dust = ((cards >> 1) & 1) & (off & 2 == 0)
        row.n_left = off & 4 == 0
        row.n_right = off & 8 == 0
        s.round_row[seat].starter = 0
        s.round_row[seat].won = seat == best
    return ROUND


@kernel
def options(s, rules, out):
    return 0


@kernel
def apply(s, rules, code):
    s.pub.actor = 0


@kernel
def redeal(s, rules, seat, key):
    s.hid.key = key


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    return options[0]


def make_rules(variant, seats):
    made = np.zeros(1, RULES)
    for f in FIELDS:
        made[f.key] = variant[f.key]
    return made


def _engine():
    kernels = {"start": start, "advance": advance, "options": options, "apply": apply, "redeal": redeal,
               "choose": choose}  # fmt: skip
    return Engine(TAG, state_type, RULES, make_rules, GAME_ROW, ROUND_ROW, 1, kernels, lambda s, rules, seats: {})


class Lots:
    """The rulebook: everything is drawn at once."""

    def __init__(self, variant, seats, chance):
        self.actor, self.over, self.uses, self.story = 0, True, Counter(), []
        draws = [[chance.stream(0, LOT, seat.packet).uniform(i) for i in range(3)] for seat in seats]
        self.cards = [[draw[1] < HELD, draw[2] < HELD, True, True] for draw in draws]
        self.on = [[not int(seat.off) >> i & 1 for i in range(4)] for seat in seats]
        found = []
        for at, (seat, draw) in enumerate(zip(seats, draws)):
            total = 1 - draw[0] if seat.side == 2 else draw[0]
            total += variant["first"] * (at == 0) + variant["strong"] * (seat.side == 1)
            total += variant["spark"] * (self.cards[at][SPARK] and self.on[at][SPARK])
            found.append(total + variant["hands"] * (self.on[at][LEFT] or self.on[at][RIGHT]))
        self.best = found.index(max(found))
        self.round_outcomes = [{"starter": [0] * len(seats), "won": [int(i == self.best) for i in range(len(seats))]}]
        self.story.append(f"Seat {self.best} draws the best lot.")

    def options(self):
        return []

    def apply(self, code):
        raise IllegalMoveError(f"lots are drawn, {code} is not played")

    def visible(self):
        return {}

    def outcome(self):
        n = len(self.cards)
        won = [int(i == self.best) for i in range(n)]
        both = [[h and o for h, o in zip(held, on)] for held, on in zip(self.cards, self.on)]
        made = {"share": [WHOLE * w for w in won], "points": won, "rounds": [1] * n, "turns": [1] * n,
                "end": [END_WON] * n, "lead_changes": [0] * n}  # fmt: skip
        for i, key in enumerate(KEYS):
            made[f"n_{key}"] = [int(row[i]) for row in both]
            made[f"held_{key}"] = [int(row[i]) for row in self.cards]
        return made


GAME = Game(
    name="lots",
    title="Lots",
    seats=(2, 3, 4),
    default_seats=2,
    sides=(Side("Plain", "#808080"), Side("Strong", "#d55e00"), Side("Odd", "#0072b2")),
    side_word="side",
    fields=FIELDS,
    abilities=tuple(Ability(key, key.capitalize(), "Adds to the strength.", "Adds nothing.") for key in KEYS),
    readings=(),
    decisions=(),
    tiers=(Tier("skilled", 2, "Nothing is decided.", (0.0,)),),
    engine=_engine,
    rulebook=lambda: Lots,
    margins=lambda seats: {"first_seat": 0.02, "side": 0.05},
    games=4000,
    folder=Path(__file__).parent,
    groups=(Standing(worth=lambda: (deal, worth)),),
)


def wins(lead):
    """Chance that u + lead exceeds another u, exactly; 1 - u is as uniform as u."""
    return 1 - (1 - lead) ** 2 / 2 if lead >= 0 else (1 + lead) ** 2 / 2


def exact_two(variant, mine=("spark", "left", "right"), *, seat=None, side=0, against=0):
    """Exact share with two seats of a player who has the abilities `mine`, against one who has all of them."""
    total = 0.0
    for at, i, other in product((0, 1) if seat is None else (seat,), (0, 1), (0, 1)):
        chance = (HELD if i else 1 - HELD) * (HELD if other else 1 - HELD) / (2 if seat is None else 1)
        lead = variant["first"] * (1 if at == 0 else -1)
        lead += variant["strong"] * ((side == 1) - (against == 1))
        lead += variant["spark"] * (i * ("spark" in mine) - other)
        lead += variant["hands"] * (("left" in mine or "right" in mine) - 1)
        total += chance * wins(lead)
    return total
