"""Elestrals: the kernels that choose."""

from __future__ import annotations

import numpy as np

from sim.jit import kernel


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    """Return one of options[:n]."""
    return np.int64(options[0])
