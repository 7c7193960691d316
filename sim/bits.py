"""Bit helpers with a plain-Python twin, for int64 masks that stay below bit 63."""

from __future__ import annotations

import numpy as np

from sim.jit import JIT_OFF, kernel

if JIT_OFF:

    def popcount(x):
        """Return the number of set bits of a non-negative integer."""
        return int(x).bit_count()

    def lowest(x):
        """Return the index of the lowest set bit; `x` must not be 0."""
        return (int(x) & -int(x)).bit_length() - 1

    def highest(x):
        """Return the index of the highest set bit; `x` must not be 0."""
        return int(x).bit_length() - 1

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def _ctpop(typingctx, x):
        def codegen(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.int64), codegen

    @intrinsic
    def _cttz(typingctx, x):
        def codegen(context, builder, signature, args):
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), codegen

    @intrinsic
    def _ctlz(typingctx, x):
        def codegen(context, builder, signature, args):
            return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), codegen

    @kernel
    def popcount(x):
        """Return the number of set bits of a non-negative integer."""
        return _ctpop(np.int64(x))

    @kernel
    def lowest(x):
        """Return the index of the lowest set bit; `x` must not be 0."""
        return _cttz(np.int64(x))

    @kernel
    def highest(x):
        """Return the index of the highest set bit; `x` must not be 0."""
        return 63 - _ctlz(np.int64(x))


@kernel
def nth(x, n):
    """Return the index of the n-th set bit (from 0) of `x`; there must be that many."""
    for _ in range(n):
        x &= x - 1
    return lowest(x)
