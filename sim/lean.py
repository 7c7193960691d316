"""Helpers that are compiled into their callers only.

Numba optimises and translates every kernel together with all that it calls, once for itself and once more for each
caller: with some hundred kernels that call each other the same code is made dozens of times over. A lean helper stops
before that: only the entry that Python calls is optimised and translated, with all its helpers in it. A helper that
Python does call (a test, a session) is compiled a second time, whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
from numba.core import compiler, compiler_machinery, registry, typed_passes

# Numba's inner parts have no public types.
_COMPILER: Any = compiler
_PASSES: Any = typed_passes
_MACHINERY: Any = compiler_machinery
_REGISTRY: Any = registry
_njit: Any = numba.njit


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


class LeanDispatcher(_REGISTRY.CPUDispatcher):  # type: ignore[misc]
    """A compiled helper: without machine code for kernels that call it, whole for Python."""

    def __call__(self, *args: Any) -> Any:
        """Call it from Python."""
        return self.whole(*args)

    @cached_property
    def whole(self) -> Any:
        """The same helper with machine code of its own."""
        options = {name: set_to for name, set_to in self.targetoptions.items() if name not in _LEAN}
        return _njit(**options)(self.py_func)


_LEAN: dict[str, Any] = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def lean(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return `function` as a helper, compiled with numba's `options`."""
    return LeanDispatcher(function, targetoptions={**_LEAN, **options}, pipeline_class=LeanCompiler)


def lean_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return `options` so that `numba.extending.overload` makes helpers with them."""
    return {**_LEAN, **options, "pipeline_class": LeanCompiler}
