"""The one kernel with which `sim.conformance` looks into a game; alone here, so that new checks recompile nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim import rng
from sim.engine import DECIDE, OVER, RANDOM, advance, apply, choose, options, pick_uniform, redeal
from sim.jit import entry

ASK, REDEAL, FOLLOW, FINISH = range(4)
CAP_STEPS = 1_000_000


@entry
def probe(what: Any, st: Any, r: Any, weights: Any, me: Any, seat: Any, key: Any, codes: Any, opts: Any) -> Any:
    """Do one of four things with st[0], working on the clone st[1]; one function, so that a game is compiled once.

    ASK: (options, decision of policy me[0] with the random word `key`). REDEAL: a world for `seat` from `key`.
    FOLLOW: carry out `codes` to the end; (decisions, 1 if each was possible). FINISH: go on at random; (steps, status).
    """
    st[1] = st[0]
    s = st[1]
    rules = r[0]
    if what == ASK:
        n = options(s, rules, opts)  # type: ignore[no-untyped-call]
        code = np.int64(opts[0])
        if n > 1 and me[0].policy != RANDOM:
            row = weights[me[0].weights]
            code = np.int64(choose(me[0].policy, s.pub, s.priv[seat], rules, row, opts, n, key))  # type: ignore[no-untyped-call]
        return n, code
    if what == REDEAL:
        redeal(s, rules, seat, key)  # type: ignore[no-untyped-call]
        return 0, 0
    step = 0
    while step < CAP_STEPS:
        # The state in a trace already stands at a decision; advancing again must not change that.
        status = advance(s, rules)  # type: ignore[no-untyped-call]
        if status == OVER:
            return step, 1
        if status == DECIDE:
            n = options(s, rules, opts)  # type: ignore[no-untyped-call]
            if n < 1:
                return step, -1
            if what == FOLLOW:
                if step >= len(codes):
                    return step, -2
                code = np.int64(codes[step])
                found = False
                for i in range(n):
                    found |= opts[i] == code
                if not found:
                    return step, -3
            else:
                code = np.int64(opts[pick_uniform(rng.word(key, step), n)])  # type: ignore[no-untyped-call]
            apply(s, rules, code)  # type: ignore[no-untyped-call]
            step += 1
    return step, -4
