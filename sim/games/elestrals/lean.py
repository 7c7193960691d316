"""Helpers that are compiled into their callers only.

Numba optimises and translates every kernel together with all that it calls, once for itself and once more for each
caller: with some two hundred kernels that call each other the same code is made dozens of times over. A lean kernel
stops before that: only the entry that Python calls is optimised and translated, with all its helpers in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import compiler, compiler_machinery, typed_passes

from sim.jit import JIT_OFF

# Numba's inner parts have no public types.
_COMPILER: Any = compiler
_PASSES: Any = typed_passes
_MACHINERY: Any = compiler_machinery
_njit: Any = numba.njit

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _leave_out(library: Any) -> None:
    """Make a code library keep its code as it is: no optimisation together with its callees, no machine code."""

    def ready() -> None:
        library._finalize_dynamic_globals()
        library._verify_declare_only_symbols()
        library._finalized = True

    library._optimize_final_module = lambda: None
    library._finalize_final_module = ready


@_MACHINERY.register_pass(mutates_CFG=True, analysis_only=False)
class LeanLowering(_PASSES.NativeLowering):  # type: ignore[misc]
    """Lowers a helper to intermediate code and stops there."""

    _name = "lean_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower, and make the result known to callers."""
        state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        state.library.enable_object_caching()
        _leave_out(state.library)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state["cr"]
        entry: Any = [].append  # stands for the machine code: numba wants a builtin, and asks only which one it is
        state.targetctx.insert_user_function(entry, made.fndesc, [state.library])
        state["cr"] = made._replace(cfunc=entry)
        return True


class LeanCompiler(_COMPILER.CompilerBase):  # type: ignore[misc]
    """Numba's own pipeline with another last step."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        made = _COMPILER.DefaultPassBuilder.define_nopython_pipeline(self.state, "lean")
        made.passes = [
            (LeanLowering, text) if step is _PASSES.NativeLowering else (step, text) for step, text in made.passes
        ]
        made._finalized = False
        made.finalize()
        return [made]


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a helper that only kernels call."""
    if JIT_OFF:
        return function
    return _njit(pipeline_class=LeanCompiler, **OPTIONS)(function)
