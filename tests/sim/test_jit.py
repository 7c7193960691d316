"""The cache of compiled code: keyed by flags, never in the way where it cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def python(*arguments, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "EVENHAND_"))}
    env.update(PYTHONPATH=str(ROOT), **environment)
    done = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_bounds_checks_do_not_use_the_unchecked_cache(tmp_path):
    cache = {"EVENHAND_CACHE_DIR": str(tmp_path)}
    assert python("-m", "tests.sim.planted", "5", **cache) == ["unnoticed"]
    assert python("-m", "tests.sim.planted", "5", **cache, NUMBA_BOUNDSCHECK="1") == ["caught"]
    assert python("-m", "tests.sim.planted", "3", **cache, NUMBA_BOUNDSCHECK="1") == ["unnoticed"]
    folders = [path for path in tmp_path.iterdir() if any(path.rglob("*.nbc"))]
    assert len(folders) == 2


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    (tmp_path / "file").write_text("")
    there = {"EVENHAND_CACHE_DIR": str(tmp_path / "file" / "below")}
    assert python("-m", "tests.sim.planted", "1", **there) == ["unnoticed"]
    assert python("-c", "from sim import jit; print(jit.CACHE_DIR)", **there) == ["None"]


def test_the_users_cache_gives_way_to_a_temporary_folder(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    where = {"XDG_CACHE_HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path / "tmp")}
    (printed,) = python("-c", "from sim import jit; print(jit.CACHE_DIR)", **where)
    assert Path(printed).is_relative_to(tmp_path / "tmp")


def test_without_the_compiler_kernels_are_plain_functions(tmp_path):
    assert python("-m", "tests.sim.planted", "5", NUMBA_DISABLE_JIT="1") == ["caught"]
