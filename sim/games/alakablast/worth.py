"""Alakablast: what the first deal is worth to a seat, before anybody has said a word."""

from __future__ import annotations

import numpy as np

from sim.games.alakablast.engine import A_LIGHT, A_SHADOW, LIGHT, SHADOW, bit_of, edge_of, is_off
from sim.games.alakablast.numbers import LEVEL, SLOT_MAX
from sim.jit import kernel

# In share, fitted to 8,000 deals of 32,000 games of four skilled players: they explain 4 % of what a dealt hand wins.
# Light helps who sees it and harms who does not, because the others do and play around it.
OWN_LIGHT, OWN_SHADOW, OWN_LEVEL, OWN_EXTREME = 0.064, -0.022, 0.039, 0.032
HIDDEN_LIGHT, HIDDEN_SHADOW = -0.053, 0.029


@kernel
def worth(s, rules, seat):
    """Return a linear function of the dealt cards: Light, Shadow, and how high and how far from average levels are."""
    p = s.pub
    total = 0.0
    for slot in range(SLOT_MAX):
        if (p.held[seat] >> slot) & 1:
            place = np.int64(s.hid.hand[SLOT_MAX * seat + slot])
            element = rules.element[place]
            own = (p.open[seat] >> slot) & 1 == 0
            if element == LIGHT and not is_off(p, seat, A_LIGHT):
                total += OWN_LIGHT if own else HIDDEN_LIGHT
            elif element == SHADOW and not is_off(p, seat, A_SHADOW):
                total += OWN_SHADOW if own else HIDDEN_SHADOW
            if own:
                high = edge_of(rules, LEVEL, bit_of(place), np.int64(0), rules.deck, np.int64(0))
                total += OWN_LEVEL * high + OWN_EXTREME * high * high
    return total


WORTH = worth
