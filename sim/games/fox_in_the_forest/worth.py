"""The Fox in the Forest: what the hand dealt for the first round is worth."""

from __future__ import annotations

import numpy as np

from sim.games.fox_in_the_forest.policies import hand_worth, position, unseen_by
from sim.games.fox_in_the_forest.weights import SKILLED_WEIGHTS
from sim.jit import kernel

NUMBERS = np.array(SKILLED_WEIGHTS)


@kernel
def worth(s, rules, seat):
    """Return the points that `skilled` thinks to come out ahead by in the round, from its own hand alone."""
    mine = s.priv[seat]
    trump = np.int64(s.pub.trump)
    total = hand_worth(s.pub, rules, NUMBERS, mine.hand, unseen_by(s.pub, mine), trump, seat)
    left = np.int64(rules.hand_size)
    return position(rules, NUMBERS, left, np.int64(0), np.int64(0), total, np.float64(seat == s.pub.leader))


WORTH = worth
