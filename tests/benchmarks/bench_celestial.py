"""Speed, size and skill of Celestial Ranks: `python -m tests.benchmarks.bench_celestial [--quick]`.

Games go through the driver that `evenhand run` uses, with their rows written to a folder.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from analysis.intervals import interval
from analysis.moments import Sample
from sim.experiment import Plan, make_plan
from sim.run import run
from sim.run import warm_up as take_code
from tests.benchmarks import bench_celestial_hands

ROOT = Path(__file__).parents[2]
NAME = "celestial-ranks"


@dataclass(frozen=True)
class Took:
    """What a run took: games, seconds on the clock, seconds of this process on a core, bytes of its tables."""

    games: int
    wall: float
    cpu: float
    size: int


def play(plan: Plan, jobs: int = 1) -> Took:
    """Play a plan into a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        run(plan, folder, jobs=jobs, progress=False)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        size = sum(path.stat().st_size for path in Path(folder).glob("*/*.parquet"))
    return Took(plan.total_games, wall, cpu, size)


def speeds(scale: float) -> None:
    """Print games per second of one core for every tier and number of players."""
    print("games/s of one core (process time; on the clock), rows written; bytes per game and seat")
    for tier, counts, games in (("skilled", (2, 3, 4, 5), 40_000), ("novice", (4,), 20_000), ("random", (4,), 200)):
        for seats in counts:
            plan = make_plan(NAME, games=max(20, int(games * scale)), seats=seats, policies=tier, seed=1)
            took = play(plan)
            print(
                f"  {tier:8s} {seats} players {took.games / took.cpu:10,.0f}  ({took.games / took.wall:10,.0f})  "
                f"{took.size / took.games / seats:6.1f} B  of {took.games:,} games"
            )


def two_jobs(scale: float, pairs: int = 5) -> None:
    """Print how much faster two jobs are than one, five times in turns."""
    plan = make_plan(NAME, games=int(60_000 * scale), seats=4, seed=2)
    play(plan, 2)
    ratios = []
    for _ in range(pairs):
        one, two = play(plan, 1), play(plan, 2)
        ratios.append(one.wall / two.wall)
    shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"two jobs against one: best {max(ratios):.2f}, median {statistics.median(ratios):.2f}  ({shown})")
    busy = os.getloadavg()[0]
    print(f"  on {os.cpu_count()} cores, load {busy:.1f} (above 2 something else runs too)")


def child(*arguments: str, **environment: str) -> tuple[str, float, float]:
    """Run Python in another process; return (stdout, wall seconds, CPU seconds)."""
    before = os.times()
    wall = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    wall = time.perf_counter() - wall
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return done.stdout, wall, cpu


COMPILE = """
from sim.experiment import make_plan
from sim.run import warm_up
import sys, time
plan = make_plan("celestial-ranks", games=20, seats=4)
began = time.perf_counter(), time.process_time()
warm_up(plan, lambda text: print(text, file=sys.stderr))
print(time.perf_counter() - began[0], time.process_time() - began[1])
"""


def compiling() -> None:
    """Print the time to compile the driver with an empty cache, and to take it from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("empty cache", "from the cache"):
            out, wall, _ = child("-c", COMPILE, EVENHAND_CACHE_DIR=folder)
            clock, cpu = map(float, out.split())
            print(f"compile, {name}: {cpu:.2f} s of one core, {clock:.2f} s on the clock ({wall:.2f} s with imports)")


MEMORY = """
import resource, sys, tempfile
from sim.experiment import make_plan
from sim.run import run
with tempfile.TemporaryDirectory() as folder:
    run(make_plan("celestial-ranks", games=int(sys.argv[1]), seats=4), folder, jobs=2, progress=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def memory(scale: float) -> None:
    """Print the largest resident size of runs of two sizes."""
    for games in (int(20_000 * scale), int(100_000 * scale)):
        out, _, _ = child("-c", MEMORY, str(games))
        print(f"memory of a run of {games:,} games: {int(out) / 1024:.0f} MB at most")


def help_time(times: int = 7) -> None:
    """Print how long `evenhand --help` takes."""
    walls, cpus = [], []
    for _ in range(times):
        _, wall, cpu = child("cli.py", "--help")
        walls.append(wall)
        cpus.append(cpu)
    print(f"--help: {min(walls):.3f} s on the clock at best, {min(cpus):.3f} s of one core")


def share_of_first(plan: Plan) -> tuple[Any, Any]:
    """Return the sample of entrant 0's share by super-block, and its interval."""
    values = []
    for part in run(plan, jobs=2, progress=False).parts():
        mine = part.games["share"][part.games["entrant"] == 0] / 27720
        values.append(mine.reshape(part.superblocks, -1).mean(axis=1))
    sample = Sample.of(np.concatenate(values), low=0.0, high=1.0)
    return sample, interval(sample)


def ladder(scale: float) -> None:
    """Print the share of one better player among worse ones, all seatings balanced."""
    for better, worse, games in (("skilled", "novice", 100_000), ("novice", "random", 1_600)):
        policies = (better, worse, worse, worse)
        plan = make_plan(NAME, games=max(80, int(games * scale)), seats=4, policies=policies, seed=3)
        sample, found = share_of_first(plan)
        print(
            f"one {better} among three {worse}s: share {sample.mean:.4f} ({found.low:.4f} to {found.high:.4f}), "
            f"null 0.25; {plan.total_games:,} games in {sample.n:,} super-blocks"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print everything."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bench_celestial", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the games")
    scale = 0.1 if parser.parse_args(arguments).quick else 1.0
    take_code(make_plan(NAME, games=20), lambda text: print(text, file=sys.stderr))
    speeds(scale)
    two_jobs(scale)
    compiling()
    memory(scale)
    help_time()
    ladder(scale)
    bench_celestial_hands.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
