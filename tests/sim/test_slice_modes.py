"""The slice of every game once more, in processes of their own: with bounds checks, and uncompiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.game import REGISTRY

ROOT = Path(__file__).parents[2]
MODES = {"checked": {"NUMBA_BOUNDSCHECK": "1"}, "uncompiled": {"NUMBA_DISABLE_JIT": "1"}}


@pytest.mark.skipif(any(key in os.environ for mode in MODES.values() for key in mode), reason="is in such a mode")
@pytest.mark.parametrize(("mode", "slice_of"), [*(("checked", name) for name in REGISTRY), ("uncompiled", "agree")])
def test_the_slice_in_another_mode(mode, slice_of):
    """Compiling with checks takes longest, so each game has a process; uncompiled all of them take seconds."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "tests/sim/test_slice.py", "-k", slice_of],
        cwd=ROOT, env={**kept, **MODES[mode]}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "skipped" not in done.stdout
