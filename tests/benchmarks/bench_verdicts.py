"""Seconds to a verdict on every game: `python -m tests.benchmarks.bench_verdicts [--quick] [GAME ...]`.

For the game's own margins with skilled players and all allowed cores: in blocks, as single games at random seatings,
and with the luck of the first deal taken out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from analysis.plan import Forecast, forecast, lines_of
from sim.experiment import make_plan
from sim.game import games


def luck_of(made: Forecast) -> str:
    """Return one line on the control variate."""
    rows = [n for n in made.needs if n.luck_ratio is not None]
    if not rows:
        return "control variate: the game does not say what a deal is worth"
    each = [f"{n.name} {n.games_without_luck / made.games_per_second:.1f} s (x{n.luck_ratio:.2f})" for n in rows]
    return "with the luck of the first deal taken out: " + ", ".join(each)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what a verdict takes on each game."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bench_verdicts", description=__doc__)
    parser.add_argument("games", nargs="*", help="which games; all that there are by default")
    parser.add_argument("--quick", action="store_true", help="a small pilot")
    chosen = parser.parse_args(arguments)
    for name in chosen.games or games():
        began = time.perf_counter()
        plan = make_plan(name, games=1)
        made = forecast(plan, games=400 if chosen.quick else None, luck_deals=20_000 if chosen.quick else 1_000_000)
        for line in lines_of(made):
            print(f"  {line}".rstrip())
        print(f"  {luck_of(made)}")
        print(f"  (the pilot took {time.perf_counter() - began:.0f} s, compiling included)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
