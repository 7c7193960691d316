"""Speeds and strengths of The Fox in the Forest: `python -m tests.benchmarks.bench_fox [ROUNDS]`.

Games per second are processor time of one core, the generic driver with rows written.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

from sim.engine import WHOLE
from sim.experiment import make_plan
from sim.facts import Tier
from sim.game import load
from sim.run import Chunk, Table

GAME = "fox-in-the-forest"
ROUNDS = 2_000_000
CHUNK = 50_000


@dataclass(frozen=True)
class Match:
    """Two players on the same deals, each in both seats with both hands.

    Parameters
    ----------
    game, game_error
        Share of games of the first, and its standard error by block.
    rounds, rounds_error
        Share of rounds (a tie is half).
    points
        Points per round that the first is ahead.
    games_per_second, decisions_per_second
        By processor time.
    """

    game: float
    game_error: float
    rounds: float
    rounds_error: float
    points: float
    games_per_second: float
    decisions_per_second: float


def timed(table: Table, plan, first: int, stop: int) -> tuple[Chunk, float]:
    """Return played games and the processor seconds they took."""
    began = time.process_time()
    chunk = table.play(plan, first, stop)
    return chunk, time.process_time() - began


LONG = ("target=99", "max_rounds=8")  # each round is played for its points, none for the end of a game


def match(first: str | Tier, second: str | Tier, games: int, seed: int = 1, settings: tuple[str, ...] = ()) -> Match:
    """Play mirrored deals between two tiers."""
    facts = load(GAME)
    tiers = [facts.tier(tier) if isinstance(tier, str) else tier for tier in (first, second)]
    plan = make_plan(GAME, games=games, policies=tiers, seed=seed, variant=facts.variant(None, settings))
    chunk, seconds = timed(Table(plan), plan, 0, plan.total_games)
    entrant = plan.expand(0, plan.total_games).seats["entrant"]
    share = chunk.game_rows["share"] / WHOLE
    block = np.where(entrant[:, 0] == 0, share[:, 0], share[:, 1]).reshape(-1, plan.superblock_games).mean(axis=1)
    points = chunk.round_rows["points"].astype(int)
    ahead = np.where(entrant[chunk.round_game, 0] == 0, points[:, 0] - points[:, 1], points[:, 1] - points[:, 0])
    won = (np.sign(ahead) + 1) / 2
    return Match(
        block.mean(), block.std(ddof=1) / len(block) ** 0.5, won.mean(), won.std(ddof=1) / len(won) ** 0.5,
        ahead.mean(), plan.total_games / seconds, chunk.decisions / seconds,
    )  # fmt: skip


def speed(tier: str, games: int) -> None:
    """Print games per second of a tier against itself, the best of three."""
    plan = make_plan(GAME, games=games, policies=tier, seed=1)
    table = Table(plan)
    best, chunk = 1e9, None
    for _ in range(3):
        chunk, seconds = timed(table, plan, 0, plan.total_games)
        best = min(best, seconds)
    assert chunk is not None
    each = best / plan.total_games
    print(
        f"  {tier:<10} {1 / each:>9,.0f} games/s   {1e9 * best / chunk.decisions:>7,.0f} ns a free decision, "
        f"{chunk.decisions / plan.total_games:.1f} of them in a game "
        f"of {len(chunk.round_rows) / plan.total_games:.2f} rounds"
    )


def ratio(values: np.ndarray, block: np.ndarray) -> tuple[float, float]:
    """Return the mean of round values and its standard error by block (ascending block of each round)."""
    first = np.flatnonzero(np.diff(block, prepend=-1))
    total = np.add.reduceat(values.astype(float), first)
    count = np.diff(np.append(first, len(values)))
    mean = total.sum() / count.sum()
    return mean, float(np.sqrt(((total - mean * count) ** 2).sum()) / count.sum())


def both(rows: np.ndarray, name: str, lead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a column for the leader and for the dealer of each round."""
    x = rows[name].astype(float)
    return np.where(lead, x[:, 0], x[:, 1]), np.where(lead, x[:, 1], x[:, 0])


def random_rounds(rounds: int) -> None:
    """Print what random play does: standard errors by deal, z of what symmetry says is zero."""
    plan = make_plan(GAME, games=rounds // 3, policies="random", seed=2)
    table = Table(plan)
    pieces, blocks, firsts, seen, first = [], [], [], 0, 0
    step = CHUNK // plan.superblock_games * plan.superblock_games
    while seen < rounds:
        chunk = table.play(plan, first, first + step)
        pieces.append(chunk.round_rows)
        blocks.append((first + chunk.round_game) // plan.superblock_games)
        # Alone the packet tells the two players apart: by symmetry it is worth nothing.
        packet = plan.expand(first, first + step).seats["packet"][chunk.round_game, 0]
        firsts.append(packet == 0)
        seen += len(chunk.round_rows)
        first += step
    rows, block, holds = (np.concatenate(x) for x in (pieces, blocks, firsts))
    lead = rows["starter"][:, 0] == 1
    print(f"\nrandom against random, {len(rows):,} rounds: leader and dealer of the round (standard error by deal)")
    for name in ("tricks", "points", "band", "treasures", "humble", "defeated", "victorious", "greedy", "first_trick"):
        x, y = both(rows, name, lead)
        means = [ratio(v, block) for v in (x, y, x - y)]
        words = "   ".join(f"{mean:8.4f} ({error:.4f})" for mean, error in means[:2])
        print(f"  {name:<12} {words}   leader ahead: z {means[2][0] / means[2][1]:+.1f}")
    points = rows["points"].astype(int)
    won = (np.sign(points[:, 0] - points[:, 1]) + 1) / 2
    for name, who in (("leader", lead), ("packet 0", holds)):
        mean, error = ratio(np.where(who, won, 1 - won), block)
        print(
            f"  round share of the {name:<9} {mean:.4f} ({error:.4f}), z of no difference {(mean - 0.5) / error:+.1f}"
        )
    assert (rows["tricks"].sum(axis=1) == 13).all()
    print("  tricks of a player: part of all rounds (standard error by deal)")
    for taken in range(14):
        mean, error = ratio((rows["tricks"] == taken).mean(axis=1), block)
        print(f"  {taken:>4} {100 * mean:8.3f} % ({100 * error:.3f})")


LADDER = (
    ("novice", "random", 20_000),
    ("skilled", "random", 20_000),
    ("skilled", "novice", 20_000),
    ("expert:300", "random", 800),
    ("expert:300", "novice", 800),
    ("expert:300", "skilled", 800),
    ("expert:1000", "expert:300", 200),
)


def main() -> None:
    """Print everything."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    print("speed")
    speed("random", 100_000)
    speed("novice", 50_000)
    speed("skilled", 20_000)
    made = match("expert:300", "expert:300", 60, seed=3)
    print(f"  expert:300 {made.decisions_per_second:>9,.0f} free decisions/s")
    random_rounds(rounds)
    print(
        "\nladder: first against second, mirrored deals (standard error); rounds: of games to 99, of 8 rounds at most"
    )
    for first, second, games in LADDER:
        made = match(first, second, games)
        long = match(first, second, max(4, games * 2 // 5), seed=5, settings=LONG)
        print(
            f"  {first:<11} v {second:<11} games {made.game:.3f} ({made.game_error:.3f})   rounds {long.rounds:.3f} "
            f"({long.rounds_error:.3f})   points per round {long.points:+.2f}",
            flush=True,
        )
    facts = load(GAME)
    base = facts.tier("expert:300")
    made = match(Tier("open", base.policy, "", (300.0, 1.0)), base, 100, settings=LONG)
    print(f"  expert:300 handed the hidden cards v honest: rounds {made.rounds:.3f} ({made.rounds_error:.3f})")


if __name__ == "__main__":
    main()
