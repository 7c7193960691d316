"""A report of a finished run, made anew: `python -m tests.benchmarks.bench_reports [--quick]`.

Seconds, memory and size of `evenhand report RUN_DIR` for a run of 1,000,000 games of the Fox at random, its smaller
runs included, each time in a process of its own; what is asked for is under 20 s and 1 GB.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

GAME = "fox-in-the-forest"


def evenhand(*arguments: str) -> tuple[float, float]:
    """Run a command quietly; return its seconds on the clock and on a core."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "cli", *arguments, "-q"], check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what the report of a finished run takes."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bench_reports", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="20,000 games")
    chosen = parser.parse_args(arguments)
    games = 20_000 if chosen.quick else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        for command, what in (("run", "the main run alone"), ("report", "with the smaller runs of a report")):
            out = Path(folder) / command
            played, _ = evenhand(command, GAME, "--policy", "random", "--games", str(games), "--out", str(out))
            print(f"{what}: {games:,} games; playing them took {played:.1f} s")
            for _ in range(3):
                wall, core = evenhand("report", str(out))
                print(f"  evenhand report RUN_DIR: {wall:.1f} s on the clock, {core:.1f} s on a core")
            size = (out / "report.html").stat().st_size
            print(f"  report.html has {size / 1e6:.2f} MB")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"largest process: {most:,.0f} MB (playing included)")
    print(f"on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} (above 2 something else runs too)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
