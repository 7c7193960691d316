"""Games per second and the ladder of players: `python -m tests.benchmarks.bench_elestrals [GAMES]`.

The ladder is played on mirrored decks, all eleven in turn: both players hold the same forty cards and Spirits, and a
deal is played in all four seatings of players and shuffles. Its unit is the deal. Seconds are processor seconds of this
thread inside the driver, rows included; the best of several goes counts, because a busy machine only makes a go slower.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from sim import engine
from sim.experiment import make_plan
from sim.facts import Tier
from sim.games.elestrals import GAME
from sim.games.elestrals.numbers import DECK_NAMES
from sim.run import Table

PAIR = ("Centaurbor", "Majesea")
GOES = 8
GAMES = 22_000


def games_per_second(tier: str, games: int) -> tuple[float, float]:
    """Return games and decisions per second of `engine.play`, a fixed pair of decks."""
    plan = make_plan(GAME, games=games, sides=PAIR, policies=tier, seed=1)
    table = Table(plan)
    batch = plan.expand(0, games)
    rows = np.zeros((games, 2), table.engine.game_row)
    best = decisions = 0.0
    for _ in range(GOES):
        done, made, began = 0, 0, time.thread_time()
        while done < games:
            done, _, more = table.go_on(batch, done, rows)
            made += more
        seconds = time.thread_time() - began
        if games / seconds > best:
            best, decisions = games / seconds, made / seconds
    return best, decisions


def shares(first: str | Tier, second: str | Tier, deck: str, games: int, seed: int = 1) -> tuple[np.ndarray, float]:
    """Return the share of the first player in each deal of a mirrored deck, and the turns of a game."""
    plan = make_plan(GAME, games=games, sides=[deck], policies=[first, second], seed=seed)
    rows = Table(plan).play(plan, 0, plan.total_games).game_rows
    entrants = plan.expand(0, plan.total_games).seats["entrant"]
    share = rows["share"][entrants == 0].reshape(-1, plan.superblock_games).mean(axis=1) / engine.WHOLE
    return share, float(rows["turns"].mean())


def ladder(first: str | Tier, second: str | Tier, games: int, seed: int = 1) -> float:
    """Print the share of the first player against the second, over all decks and for each; return it."""
    made, lines = [], []
    for deck in DECK_NAMES:
        share, turns = shares(first, second, deck, games // len(DECK_NAMES), seed)
        made.append(share)
        lines.append(
            f"{deck} {share.mean():.3f}+-{1.96 * share.std(ddof=1) / len(share) ** 0.5:.3f} ({turns:.0f} turns)"
        )
    each = np.array([share.mean() for share in made])
    error = np.sqrt(sum(share.var(ddof=1) / len(share) for share in made)) / len(made)
    names = [tier if isinstance(tier, str) else tier.name for tier in (first, second)]
    print(f"{names[0]} v {names[1]}: {each.mean():.4f} +- {1.96 * error:.4f} (95 %)", flush=True)
    print("  " + "; ".join(lines), flush=True)
    return float(each.mean())


def main() -> None:
    """Print the figures."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    for tier, n in (("random", 4000), ("novice", 4000), ("skilled", 2000)):
        speed, decisions = games_per_second(tier, n)
        print(f"{'-'.join(PAIR)}, both {tier}: {speed:,.0f} games/s, {1e9 / decisions:,.0f} ns a decision", flush=True)
    for first, second in (("novice", "random"), ("skilled", "novice"), ("skilled", "random")):
        ladder(first, second, games)


if __name__ == "__main__":
    main()
