"""Games per second and the ladder of players: `python -m tests.benchmarks.bench_alakablast`.

Seconds are processor seconds of this thread inside the driver, rows included; the best of several goes counts, because
a busy machine only ever makes a go slower.
"""

from __future__ import annotations

import time

import numpy as np

from sim import engine
from sim.experiment import make_plan
from sim.game import load
from sim.run import Table

GAME = "alakablast"
GOES = 12
EXPERT, EXPERT_GAMES = "expert:300", 3000


def games_per_second(tier: str, seats: int, games: int) -> float:
    """Return the speed of `engine.play`."""
    plan = make_plan(GAME, games=games, seats=seats, policies=tier, seed=1)
    table = Table(plan)
    batch = plan.expand(0, games)
    rows = np.zeros((games, seats), table.engine.game_row)
    best = 0.0
    for _ in range(GOES):
        done, began = 0, time.thread_time()
        while done < games:
            done, _, _ = table.go_on(batch, done, rows)
        best = max(best, games / (time.thread_time() - began))
    return best


def share_of_one(tier: str, among: str, seats: int, games: int) -> tuple[float, float]:
    """Return the share of one seat of a tier among others, and its standard error by blocks of one deal."""
    plan = make_plan(GAME, games=games, seats=seats, policies=[tier, *[among] * (seats - 1)], seed=1)
    rows = Table(plan).play(plan, 0, plan.total_games).game_rows
    entrants = plan.expand(0, plan.total_games).seats["entrant"]
    share = rows["share"][entrants == 0].reshape(-1, plan.superblock_games).mean(axis=1) / engine.WHOLE
    return float(share.mean()), float(share.std(ddof=1) / np.sqrt(len(share)))


def print_share(tier: str, among: str, seats: int, games: int) -> None:
    """Print a share with its 95 % interval."""
    share, error = share_of_one(tier, among, seats, games)
    low, high = share - 1.96 * error, share + 1.96 * error
    print(
        f"{seats} players, one {tier} among {among}: {share:.4f} ({low:.4f} to {high:.4f}, null {1 / seats:.3f})",
        flush=True,
    )


def main() -> None:
    """Print the figures."""
    for seats in load(GAME).seats:
        for tier, games in (("random", 4000), ("novice", 2000), ("skilled", 400)):
            print(f"{seats} players, all {tier}: {games_per_second(tier, seats, games):,.0f} games/s", flush=True)
    for seats in load(GAME).seats:
        for tier, among in (("novice", "random"), ("skilled", "novice"), ("skilled", "random")):
            print_share(tier, among, seats, 20_000)
    print_share(EXPERT, "skilled", 3, EXPERT_GAMES)


if __name__ == "__main__":
    main()
