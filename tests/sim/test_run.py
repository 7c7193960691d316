"""Runs: the same bytes whatever happens on the way, and one sentence for whatever goes wrong."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import sim
from sim import outcomes
from sim.errors import Interrupted, RunError, UsageError
from sim.experiment import Change, make_plan
from sim.run import check_run, open_run, replay_parts, run
from tests.sim.driver import plan
from tests.toy import GAME

ROOT = Path(__file__).parents[2]
GAMES = 16_000  # of each of two arms: three full parts and a bit
LONG = 250_000  # for runs that are killed on the way


def hashes(folder):
    """Return {file: sha256} of the tables of a run folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path(folder).glob("*/*.parquet"))
    }


def start(out, games, *settings, start_new_session=False, **environment):
    command = [sys.executable, "-m", "tests.sim.driver", str(out), str(games), *settings]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.Popen(
        command, cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True, start_new_session=start_new_session
    )


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.002)


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """A run played undisturbed by one worker."""
    return run(plan(GAMES), tmp_path_factory.mktemp("reference"), jobs=1, progress=False)


@pytest.fixture(scope="session")
def long_hashes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    run(plan(LONG), folder, jobs=2, progress=False)
    return hashes(folder)


@pytest.mark.parametrize(
    "how",
    [
        {"jobs": 2},
        {"jobs": 1, "chunk_seconds": 0.0005},
        {"jobs": 3, "chunk_seconds": 0.002},
        {"jobs": 2, "backend": "loky", "chunk_seconds": 0.01},
    ],
    ids=str,
)
def test_jobs_backend_and_chunk_size_leave_no_trace(reference, tmp_path, how):
    run(plan(GAMES), tmp_path, progress=False, **how)
    assert len(hashes(tmp_path)) == 8
    assert hashes(tmp_path) == hashes(reference.out)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_another_process_with_other_surroundings_makes_the_same_bytes(reference, tmp_path, hash_seed):
    around = {"PYTHONHASHSEED": hash_seed, "LC_ALL": "C", "TZ": "Asia/Kathmandu"}
    assert start(tmp_path, GAMES, **around).wait(60) == 0
    assert hashes(tmp_path) == hashes(reference.out)


def test_a_killed_run_is_resumed_with_the_same_bytes(tmp_path, long_hashes):
    process = start(tmp_path, LONG)
    wait_for(lambda: len(list(tmp_path.glob("rounds/part-*.parquet"))) >= 12)
    process.kill()
    process.wait()
    there = len(list(tmp_path.glob("rounds/part-*.parquet")))
    assert 12 <= there < len(long_hashes) / 2
    assert json.loads((tmp_path / "manifest.json").read_text())["status"] == "running"
    resumed = run(plan(LONG), tmp_path, progress=False)
    assert hashes(tmp_path) == long_hashes
    assert resumed.manifest["status"] == "done"
    assert not resumed.sequential  # it reached the size it was planned for
    assert not list(tmp_path.glob("*/.*.tmp"))
    assert check_run(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
def test_an_interrupted_run_keeps_what_is_finished_and_goes_on(tmp_path, long_hashes, number):
    process = start(tmp_path, LONG)
    wait_for(lambda: len(list(tmp_path.glob("rounds/part-*.parquet"))) >= 3)
    process.send_signal(number)
    assert process.wait(10) == 130  # how much was played stands below
    said = process.stderr.read()
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["status"] == "interrupted"
    assert manifest["sequential"]
    assert 3 <= len(manifest["parts"]) < len(long_hashes) / 2
    assert check_run(tmp_path) == []
    run(plan(LONG), tmp_path, progress=False)
    assert hashes(tmp_path) == long_hashes


def test_an_interrupt_while_compiling_ends_after_the_compile(tmp_path):
    process = start(tmp_path / "out", 1000, "progress=yes", EVENHAND_CACHE_DIR=str(tmp_path / "cache"))
    said = ""
    while "compiling" not in said:
        line = process.stderr.readline()
        assert line, f"it ended without compiling: {said}"
        said += line
    process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=120)[1]
    assert process.returncode == 130
    assert "stopping after what is being played or compiled" in said
    assert "Traceback" not in said
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["parts"] == []
    with pytest.raises(UsageError, match="No part"):
        open_run(tmp_path / "out")


def test_an_interrupt_reaches_worker_processes_and_the_run_goes_on(tmp_path, long_hashes):
    process = start(tmp_path, LONG, "backend=loky", "chunk=0.05", start_new_session=True)
    wait_for(lambda: len(list(tmp_path.glob("rounds/part-*.parquet"))) >= 3, seconds=60)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) == 130
    run(plan(LONG), tmp_path, progress=False)
    assert hashes(tmp_path) == long_hashes


def test_after_an_interrupt_the_same_process_can_go_on(tmp_path, reference):
    def interrupt(part):
        if part.index == 1:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(Interrupted, match="goes on from there"):
        run(plan(GAMES), tmp_path, observe=interrupt, jobs=1, progress=False)
    assert signal.getsignal(signal.SIGINT) is before
    again = run(plan(GAMES), tmp_path, progress=False)
    assert not again.sequential
    assert hashes(tmp_path) == hashes(reference.out)


def test_an_interrupt_at_the_very_end_is_not_swallowed(tmp_path, reference):
    def interrupt(part):
        if part.index == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted, match="is complete"):
        run(plan(GAMES), tmp_path, observe=interrupt, progress=False)
    assert not run(plan(GAMES), tmp_path, progress=False).sequential
    assert hashes(tmp_path) == hashes(reference.out)


def test_an_extended_run_keeps_its_full_parts(reference, tmp_path):
    short = run(plan(GAMES // 2), tmp_path, progress=False)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*.parquet")}
    assert not short.sequential
    long = run(plan(GAMES), tmp_path, progress=False)
    assert long.manifest["why_sequential"] == ["extended"]
    assert hashes(tmp_path) == hashes(reference.out)
    kept = [path for path, stamp in before.items() if path.stat().st_mtime_ns == stamp]
    assert len(kept) == len(before) - 2  # the unfinished last part of both tables is played again
    same = run(plan(GAMES // 2), tmp_path, progress=False)
    assert same.games_per_arm == long.games_per_arm


def test_finished_runs_are_not_played_again(reference):
    stamps = {path: path.stat().st_mtime_ns for path in reference.out.glob("*/*.parquet")}
    again = run(plan(GAMES), reference.out, progress=False)
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps
    assert not again.sequential


class Words:
    """A progress display that keeps what it is told."""

    def __init__(self):
        self.said, self.done = [], []

    def start(self, title, total, done):
        self.total = total

    def update(self, done, headline):
        self.done.append(done)

    def message(self, text):
        self.said.append(text)

    def close(self, done):
        self.last = done


@pytest.mark.parametrize("damage", ["missing", "cut", "flipped"])
def test_a_damaged_part_is_named_and_only_that_part_is_played_again(tmp_path, reference, damage):
    run(plan(GAMES), tmp_path, progress=False)
    victim = tmp_path / "games" / "part-00001.parquet"
    data = bytearray(victim.read_bytes())
    if damage == "missing":
        victim.unlink()
    else:
        data[len(data) // 2] ^= 1
        victim.write_bytes(bytes(data) if damage == "flipped" else bytes(data[: len(data) // 2]))
    assert [str(victim) in sentence for sentence in check_run(tmp_path)] == [True]
    others = {path: path.stat().st_mtime_ns for path in tmp_path.glob("games/*.parquet") if path != victim}
    words = Words()
    run(plan(GAMES), tmp_path, progress=words)
    assert [str(victim) in sentence and "played again" in sentence for sentence in words.said] == [True]
    assert {path: path.stat().st_mtime_ns for path in others} == others
    assert hashes(tmp_path) == hashes(reference.out)
    assert check_run(tmp_path) == []


def test_progress_counts_every_game(tmp_path):
    words = Words()
    made = run(plan(GAMES), tmp_path, progress=words)
    assert words.done == sorted(words.done)
    assert words.last == words.total == words.done[-1] == made.plan.total_games


def test_another_plan_in_the_folder_is_refused_by_the_fields_that_differ(reference):
    manifest = (reference.out / "manifest.json").read_bytes()
    with pytest.raises(UsageError, match=r"differs in seed\. Choose another folder"):
        run(plan(GAMES, seed=6), reference.out, progress=False)
    bonus = make_plan("tests.toy:GAME", games=10, seats=2, seed=5, variant=GAME.variant(None, ["bonus=3"]))
    with pytest.raises(UsageError, match=r"arms\.baseline\.variant\.bonus"):
        run(bonus, reference.out, progress=False)
    assert (reference.out / "manifest.json").read_bytes() == manifest


def test_folders_that_are_none(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunError, match="file"):
        run(plan(10), tmp_path / "file", progress=False)
    with pytest.raises(RunError, match="file"):
        run(plan(10), tmp_path / "file" / "below", progress=False)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(UsageError, match="not the manifest of a run"):
        run(plan(10), tmp_path, progress=False)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(RunError, match="damaged"):
        run(plan(10), tmp_path, progress=False)
    with pytest.raises(UsageError, match="not a run folder"):
        open_run(tmp_path / "nothing")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "manifest.json"]


def test_a_file_that_may_not_grow_leaves_no_half_written_part(tmp_path, reference):
    limited = f"ulimit -f 16; exec {sys.executable} -m tests.sim.driver {tmp_path} {GAMES}"  # 16 blocks: 8 or 16 kB
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", limited], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(str(tmp_path))
    assert "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*/.*")), "a temporary file is left"
    assert len(hashes(tmp_path)) < 8
    assert check_run(tmp_path) == []
    run(plan(GAMES), tmp_path, progress=False)
    assert hashes(tmp_path) == hashes(reference.out)


def test_the_observer_sees_every_part_once_in_deal_order(tmp_path, reference):
    seen = []
    run(plan(GAMES // 2), tmp_path, progress=False)
    run(plan(GAMES), tmp_path, observe=lambda part: seen.append(part), jobs=2, chunk_seconds=0.001, progress=False)
    assert [part.index for part in seen] == [0, 1, 2, 3]
    for part, other in zip(seen, reference.parts(), strict=True):
        assert (part.first, part.superblocks) == (other.first, other.superblocks)
        assert part.games.dtype == other.games.dtype
        assert (part.games == other.games).all()
        assert (part.rounds == other.rounds).all()


def test_an_observer_that_says_stop_ends_the_run_there(tmp_path, reference):
    def stop(part):
        return "stop" if part.index == 1 else None

    for _ in range(2):  # played, and then read back
        stopped = run(plan(GAMES), tmp_path, observe=stop, progress=False)
        assert stopped.manifest["status"] == "stopped"
        assert stopped.sequential
        assert stopped.plan.n_parts == 2
        assert len(stopped.games) == 2 * stopped.plan.total_games
        first = {name: digest for name, digest in hashes(reference.out).items() if name[-9] in "01"}
        assert hashes(tmp_path) == first
    in_memory = run(plan(GAMES), observe=stop, progress=False)
    assert in_memory.games.equals(stopped.games)
    assert in_memory.manifest["why_sequential"] == ["stopped"]


def test_a_fault_of_the_observer_is_not_hidden_and_harms_nothing(tmp_path, reference):
    def fail(part):
        raise ZeroDivisionError(f"part {part.index}")

    with pytest.raises(ZeroDivisionError, match="part 0"):
        run(plan(GAMES), tmp_path, observe=fail, progress=False)
    run(plan(GAMES), tmp_path, progress=False)
    assert hashes(tmp_path) == hashes(reference.out)


def test_a_run_in_memory_holds_the_same_tables(reference):
    made = run(plan(GAMES), progress=False)
    assert made.games.equals(reference.games)
    assert made.rounds.equals(reference.rounds)
    assert made.out is None
    opened = sim.load_run(reference.out)
    assert opened.games.equals(reference.games)
    assert opened.plan.to_json() == reference.plan.to_json()


def test_a_part_played_again_has_the_recorded_sum(reference, tmp_path):
    assert replay_parts(reference.out, [0, 3]) == []
    copy = run(plan(GAMES // 2), tmp_path, progress=False)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["parts"][1]["sha256"]["rounds"] = "0" * 64
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (sentence,) = replay_parts(copy.out, [0, 1])
    assert "rounds/part-00001.parquet comes out differently" in sentence


@pytest.mark.parametrize("jobs", [0, -1, True, 1.5, "2"])
def test_jobs_that_are_none(jobs):
    with pytest.raises(UsageError, match="whole number from 1"):
        run(plan(10), jobs=jobs, progress=False)


def test_a_thousand_jobs_are_no_more_than_there_is_work_for():
    assert run(plan(10), jobs=1000, progress=False).games_per_arm == 12


def test_backends_that_are_not_there():
    with pytest.raises(UsageError, match="did you mean threading"):
        run(plan(10), backend="thread", progress=False)
    with pytest.raises(UsageError, match=r"needs a running distributed\.Client|needs the package distributed"):
        run(plan(10), backend="dask", progress=False)


def test_a_run_can_be_started_from_another_thread(reference):
    made = []
    thread = threading.Thread(target=lambda: made.append(run(plan(GAMES), jobs=2, progress=False)))
    thread.start()
    thread.join()
    assert made[0].games.equals(reference.games)


def test_the_first_compile_is_announced_once(tmp_path):
    cache = {"EVENHAND_CACHE_DIR": str(tmp_path / "cache")}
    said = []
    for name in ("a", "b"):
        process = start(tmp_path / name, 100, "progress=yes", **cache)
        said.append(process.communicate(timeout=120)[1])
        assert process.returncode == 0
    assert "compiling High Card for 2 players (first run only) ..." in said[0]
    assert "compiling" not in said[1]


def test_the_manifest_is_complete_and_the_log_holds_the_times(reference):
    manifest = json.loads((reference.out / "manifest.json").read_text())
    assert manifest["seed"] == manifest["plan"]["seed"] == "5"
    assert manifest["plan"]["arms"]["baseline"]["variant"] == {"bonus": 1, "hand": 2, "rounds": 2, "tie": "first"}
    assert set(manifest["plan"]["source"]) == {"game", "kernels"}
    assert {"python", "numpy", "numba", "pyarrow"} <= set(manifest["versions"])
    assert sum(part["games"] for part in manifest["parts"]) == reference.plan.total_games
    lines = (reference.out / "run.log").read_text().splitlines()
    assert "start" in lines[0]
    assert "end: done" in lines[1]


def test_a_run_shows_itself_with_names_escaped():
    made = run(make_plan("tests.toy:GAME", games=10, seats=2, arms=[Change("<b>&")]), progress=False)
    assert "High Card" in repr(made)
    assert "&lt;b&gt;&amp;" in made._repr_html_()
    assert "<b>&" not in made._repr_html_()


def test_simulate_takes_what_a_designer_has():
    made = sim.simulate("tests.toy:GAME", 100, seats=2, seed=3, settings=["bonus=0"], progress=False)
    assert made.plan.variant.name == "bonus=0"
    assert made.games_per_arm == 108
    assert set(made.games["side"].unique()) == {"Sun", "Moon", "Star"}
    assert set(made.games.groupby(["arm", "game"], observed=True)["share"].sum()) == {outcomes.WHOLE}
    assert "celestial-ranks" in sim.list_games()
