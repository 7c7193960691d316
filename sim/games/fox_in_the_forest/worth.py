"""The Fox in the Forest: what the hand dealt for the first round is worth."""

from __future__ import annotations

import numpy as np

from sim.games.fox_in_the_forest.policies import WEIGHTS, hand_worth, outlook, unseen_by, worth_of
from sim.jit import kernel


@kernel
def worth(s, rules, seat):
    """Return what the seat may think the round is worth, from its own hand alone."""
    mine = s.priv[seat]
    trump = np.int64(s.pub.trump)
    total = hand_worth(s.pub, rules, WEIGHTS, mine.hand, unseen_by(s.pub, mine), trump, seat)
    left, nothing = np.int64(rules.hand_size), np.int64(0)
    view = outlook(s.pub, rules, WEIGHTS, seat, left, nothing, nothing, nothing)
    return worth_of(view, left, total, np.float64(seat == s.pub.leader))


WORTH = worth
