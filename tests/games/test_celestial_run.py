"""Runs and reports of Celestial Ranks: the same bytes whatever happens on the way."""

import functools
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import analysis.play
import cli
import reports.files
from sim.experiment import make_plan
from sim.run import check_run, run

ROOT = Path(__file__).parents[2]
NAME = "celestial-ranks"
REPORT = ("report", NAME, "--games", "300", "--seats", "3", "--seed", "11", "--no-readings", "-q")
LONG = 30_000  # three parts


def hashes(folder, *patterns):
    """Return {file: sha256} of the files of a run folder that match a pattern."""
    files = sorted(path for pattern in patterns for path in Path(folder).glob(pattern))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def everything(folder):
    return hashes(folder, "**/*.parquet", "**/*.csv", "**/summary.json")


def start(*arguments, **environment):
    """Start the command line in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), *arguments], cwd=ROOT, env=env, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def kill_when(process, condition, seconds=100):
    """Kill a process with SIGKILL as soon as something is there; it must not have ended by itself."""
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.002)
    process.kill()
    assert process.wait() == -9


@pytest.fixture(scope="module")
def without_pictures():
    """The page and its pictures are none of the files whose bytes are promised, and making them takes longest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reports.files, "_pictures", lambda model: iter(()))
        patch.setattr(reports.files, "render", lambda model: "a page")
        yield


def report(out, *options):
    with pytest.raises(SystemExit) as ended:
        cli.main([*REPORT, "--out", str(out), *options])
    assert ended.value.code == 0


@pytest.fixture(scope="module")
def reference(tmp_path_factory, without_pictures):
    """The files of a report that one worker played undisturbed."""
    out = tmp_path_factory.mktemp("reference")
    report(out, "--jobs", "1")
    made = everything(out)
    assert "summary.json" in made
    assert sum(name.endswith(".parquet") for name in made) >= 6
    assert sum(name.endswith(".csv") for name in made) >= 5
    return made


def test_two_jobs_make_the_same_report(reference, tmp_path):
    report(tmp_path, "--jobs", "2")
    assert everything(tmp_path) == reference


def test_processes_make_the_same_report(reference, tmp_path):
    report(tmp_path, "--jobs", "2", "--backend", "loky")
    assert everything(tmp_path) == reference


def test_chunks_of_another_size_make_the_same_report(reference, tmp_path, monkeypatch):
    monkeypatch.setattr(analysis.play, "play_plan", functools.partial(run, chunk_seconds=0.0005))
    report(tmp_path, "--jobs", "2")
    assert everything(tmp_path) == reference


def test_a_killed_report_goes_on_to_the_same_report(reference, tmp_path):
    process = start(*REPORT, "--out", str(tmp_path), PYTHONHASHSEED="1", TZ="Asia/Kathmandu", LC_ALL="C")
    kill_when(process, lambda: (tmp_path / "games" / "part-00000.parquet").exists())
    assert not (tmp_path / "summary.json").exists()
    report(tmp_path)
    assert everything(tmp_path) == reference
    assert not list(tmp_path.rglob(".*"))


def test_a_finished_report_is_written_again_with_the_same_bytes(reference, tmp_path):
    report(tmp_path)
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    with pytest.raises(SystemExit) as ended:
        cli.main(["report", str(tmp_path), "-q"])
    assert ended.value.code == 0
    assert everything(tmp_path) == reference
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps


# --------------------------------------------------------------------------------------------- runs of several parts


def plan(games):
    return make_plan(NAME, games=games, seats=4, seed=12)


@pytest.fixture(scope="module")
def long_run(tmp_path_factory):
    """The tables of a run of several parts, played by one worker."""
    out = tmp_path_factory.mktemp("long")
    run(plan(LONG), out, jobs=1, progress=False)
    made = hashes(out, "*/*.parquet")
    assert len(made) == 6
    return made


def test_a_run_killed_half_way_is_resumed_with_the_same_bytes(long_run, tmp_path):
    process = start("run", NAME, "--games", str(LONG), "--seed", "12", "--out", str(tmp_path), "-q", PYTHONHASHSEED="2")
    kill_when(process, lambda: (tmp_path / "rounds" / "part-00000.parquet").exists())
    assert len(hashes(tmp_path, "*/*.parquet")) < len(long_run)
    assert json.loads((tmp_path / "manifest.json").read_text())["status"] == "running"
    again = run(plan(LONG), tmp_path, jobs=2, progress=False)
    assert hashes(tmp_path, "*/*.parquet") == long_run
    assert not again.sequential
    assert check_run(tmp_path) == []


def test_an_extended_run_keeps_its_full_parts(long_run, tmp_path):
    run(plan(LONG // 2), tmp_path, progress=False)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*.parquet")}
    assert len(before) == 4
    longer = run(plan(LONG), tmp_path, progress=False)
    assert longer.manifest["why_sequential"] == ["extended"]
    assert hashes(tmp_path, "*/*.parquet") == long_run
    kept = {path.name for path, stamp in before.items() if path.stat().st_mtime_ns == stamp}
    assert kept == {"part-00000.parquet"}


def test_the_manifest_of_the_reference_holds_the_sums_of_its_files(tmp_path):
    made = run(plan(400), tmp_path, jobs=2, progress=False)
    (part,) = made.manifest["parts"]
    assert {f"{table}/part-00000.parquet": value for table, value in part["sha256"].items()} == hashes(
        tmp_path, "*/*.parquet"
    )
