"""Alakablast: players."""

from __future__ import annotations

import numpy as np

from sim.jit import kernel


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    """Return the code that a policy plays."""
    return np.int64(options[0])
