"""Celestial Ranks: what a hand is worth to a court before anything is declared."""

from __future__ import annotations

import numpy as np

from sim.bits import popcount
from sim.games.celestial_ranks import hands
from sim.games.celestial_ranks.engine import deal
from sim.games.celestial_ranks.numbers import JOKER, WILD
from sim.jit import kernel

OUT = 1 / 64
"""What one type of card that helps counts, in missing cards: a hand one card short with 20 such types is two thirds
of a card nearer than with none, about what a turn's draw and discard are worth."""


@kernel
def first_deal(s, rules):
    """Deal the first round: the stock does not depend on what is declared."""
    deal(s, rules)


@kernel
def worth(s, rules, seat):
    """Return minus the mean distance of the hand to the court's four contracts, helped by what would shorten it."""
    wild = (s.pub.off[seat] >> WILD) & 1 == 0
    side = np.int64(s.pub.side[seat])
    hand = s.priv[seat].hand
    total = 0.0
    for e in range(4):
        table = np.int64(rules.place[np.int64(rules.contract[side, e])])
        away, helps = hands.distance_and_outs(rules.tables, hand, table, wild)
        total += OUT * (popcount(helps & hands.NATURALS) + 2 * ((helps >> JOKER) & 1)) - away
    return total / 4


FIRST_DEAL = first_deal
WORTH = worth
