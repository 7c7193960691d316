"""The cache of compiled code: keyed by flags, never in the way where it cannot be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sim.jit import JIT_OFF

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


def cached(folder: Path) -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*.nb?")}


def warned(*arguments, **environment):
    """Return the lines on standard error, and what is printed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "EVENHAND_"))}
    env.update(PYTHONPATH=str(ROOT), **environment)
    done = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines(), done.stdout.split()


@pytest.mark.skipif(JIT_OFF, reason="nothing is kept where nothing is compiled")
@pytest.mark.parametrize("damage", [lambda w: b"", lambda w: w[: len(w) // 2], lambda w: b"\x80\x04garbage",
                                    lambda w: w[:40] + bytes(len(w) - 40)])  # fmt: skip
def test_what_is_damaged_is_thrown_away(tmp_path, damage, monkeypatch, capsys):
    from sim import kept

    monkeypatch.setattr(kept, "_told", set())
    file = kept.CheckedFile(str(tmp_path), "play.py311", "stamp")
    for ending in ("nbi", "nbc"):
        file.save("key", ["code"] * 20)
        assert file.load("key") == ["code"] * 20
        (path,) = tmp_path.glob(f"*.{ending}")
        path.write_bytes(damage(path.read_bytes()))
        assert file.load("key") is None
        assert not path.exists()
    (line,) = capsys.readouterr().err.splitlines()
    assert "was damaged: it is thrown away and compiled anew." in line
    assert kept.CheckedFile(str(tmp_path), "play.py311", "another stamp").load("key") is None


def test_a_damaged_cache_file_is_compiled_anew_with_one_warning(tmp_path):
    cache = {"EVENHAND_CACHE_DIR": str(tmp_path)}
    planted = ("-m", "tests.sim.planted", "1")
    assert warned(*planted, **cache) == ([], ["unnoticed"])
    for path in (*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")):
        path.write_bytes(path.read_bytes()[:50])
    (line,), printed = warned(*planted, **cache)
    assert printed == ["unnoticed"]
    assert "was damaged: it is thrown away and compiled anew." in line
    before = cached(tmp_path)
    assert warned(*planted, **cache) == ([], ["unnoticed"])
    assert cached(tmp_path) == before


def test_rewording_compiles_nothing_and_a_changed_kernel_does(tmp_path):
    shutil.copytree(ROOT / "sim", tmp_path / "sim", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "own.py").write_text((ROOT / "tests" / "sim" / "planted.py").read_text())
    there = {"EVENHAND_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    call = "import numpy, own; own.read(numpy.zeros(4, numpy.int64), 1)"

    def files():
        env = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "EVENHAND_"))} | there
        subprocess.run([sys.executable, "-c", call], env=env, cwd=tmp_path, check=True)
        return cached(tmp_path / "cache")

    before = files()
    assert before
    for path in (tmp_path / "own.py", tmp_path / "sim" / "engine.py", tmp_path / "sim" / "rng.py"):
        path.write_text(path.read_text().replace('"""', '"""Reworded. ', 1) + "\n# and a comment\n")
    assert files() == before
    own = tmp_path / "own.py"
    own.write_text(own.read_text().replace("return values[i]", "return values[i] + 1"))
    assert files() != before
