"""Two choices made at the same time, for the tests of the search.

Seat 0 hides a coin in its left hand, in its right hand, or keeps it; seat 1, who does not see where it is, names a
hand; the coin is shown; seat 0 says whether the hand was the right one, and gets nothing if it says what is not so. It
gets a whole game for a coin that is missed in the left hand, half of one in the right hand, a fifth for a coin that it
keeps. The mixed strategy that nobody can use: left once and right twice of three times, worth a third; seat 1 names
left twice of three times. Who thinks that seat 1 sees the coin keeps it.
"""

from __future__ import annotations

from sim import rng
from sim.engine import DECIDE, OVER, WHOLE, named, pick_uniform, record
from sim.game import tag_of
from sim.jit import kernel

TAG = tag_of("pennies", __name__)
LEFT, RIGHT, KEEP = range(3)
HIDE, NAME, SAY = (kind << 20 for kind in (1, 2, 3))
RULES = record(("kept", "i8"), (TAG, "i1"))
STATE = record(
    ("pub", record(("step", "i8"), ("named", "i8"), ("shown", "i8"), ("said", "i8"), ("actor", "i8"), (TAG, "i1"))),
    ("priv", record(("coin", "i8")), (2,)),
    ("hid", record(("key", "u8"), ("coin", "i8"))),
    ("game_row", record(("share", "i8")), (2,)),
    (TAG, "i1"),
)


@kernel
def start(s, rules, key, seats):
    s.hid.key = key
    s.pub.step = 0


@kernel
def advance(s, rules):
    s.pub.actor = s.pub.step % 2
    if s.pub.step < 3:
        return DECIDE
    found = s.pub.named == s.pub.shown
    worth = rules.kept if s.pub.shown == KEEP else (0 if found else WHOLE // (1 + s.pub.shown))
    if s.pub.said != found:
        worth = 0
    s.game_row[0].share = worth
    s.game_row[1].share = WHOLE - worth
    return OVER


@kernel
def options(s, rules, out):
    n = 3 if s.pub.step == 0 else 2
    for i in range(n):
        out[i] = ((s.pub.step + 1) << 20) + i
    return n


@kernel
def apply(s, rules, code):
    i = code & 1023
    if s.pub.step == 0:
        s.hid.coin = i
    elif s.pub.step == 1:
        s.pub.named = i
        s.pub.shown = s.hid.coin
    else:
        s.pub.said = i
    s.pub.step += 1


@kernel
def redeal(s, rules, seat, key):
    if s.pub.step == 1:
        s.hid.coin = rng.below(key, 0, 3)
    s.hid.key = rng.word(key, 1)


@kernel
def unseen(s, rules):
    return s.pub.step == 1


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    """Policy 1: anything; policy 2: left; policy 3: right."""
    return options[pick_uniform(key, n)] if policy == 1 or pub.step != 1 else options[policy - 2]


KERNELS = named(start, advance, options, apply, redeal, choose, unseen)
