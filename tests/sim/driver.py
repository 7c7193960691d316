"""Plays the toy game in a process of its own, for tests that kill or starve it: OUT GAMES [KEY=VALUE ...]."""

import sys

from sim.errors import Interrupted, RunError
from sim.experiment import Change, make_plan
from sim.run import run


def plan(games, seed=5):
    return make_plan(
        "tests.toy:GAME", games=games, seats=2, seed=seed, arms=[Change("one", without=("swap",), who="one")]
    )


def main(out, games, *settings):
    how = dict(setting.split("=") for setting in settings)
    run(
        plan(int(games)),
        out,
        jobs=int(how.get("jobs", 2)),
        backend=how.get("backend", "threading"),
        chunk_seconds=float(how.get("chunk", 0.5)),
        progress=how.get("progress") == "yes",
    )


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except RunError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except Interrupted as error:
        print(error, file=sys.stderr)
        sys.exit(130)
