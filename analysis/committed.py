"""Strengths of abilities that cost too much to measure in every report: played once, kept beside the game.

`python -m analysis.committed GAME --tier expert:100 --games N --seed S` plays one player of the tier without each
ability in turn against the same tier, on common deals, and writes ``expert.toml`` into the game's folder; the report
shows it (`sim.game.Committed`). The same call writes the same numbers.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.intervals import Interval, interval
from analysis.keys import Off
from analysis.moments import Sample
from sim.committed import COMMITTED
from sim.engine import WHOLE
from sim.errors import UsageError
from sim.experiment import Change, Plan, make_plan
from sim.game import Game, load
from sim.identity import rules_digest
from sim.run import run

Array = npt.NDArray[Any]


def ability_plan(game: Game, tier: str, games: int, seed: int) -> Plan:
    """Return the plan: the default variant, an arm for each ability that it has."""
    arms = [Change(str(Off(a.key)), without=(a.key,), who="one") for a in game.abilities_in(game.default)]
    return make_plan(game.name, games=games, policies=tier, arms=arms, seed=seed, draw="balanced")


def block_values(rows: Array, block: Array) -> tuple[Array, Array]:
    """Return, for each block, entrant 0's share, and its points per round ahead of the mean of the others.

    rows: games, seats. block: games -> its block, ascending.
    """
    mine = rows["entrant"] == 0
    first = np.flatnonzero(np.diff(block, prepend=-1))
    count = np.add.reduceat(mine.sum(axis=1), first)
    share = np.add.reduceat((rows["share"] * mine).sum(axis=1), first) / (WHOLE * count)
    points = rows["points"].astype(float)
    ahead = (points * mine).sum(axis=1) / mine.sum(axis=1) - (points * ~mine).sum(axis=1) / (~mine).sum(axis=1)
    rounds = np.add.reduceat(rows["rounds"][:, 0].astype(float), first)
    return share, np.add.reduceat(ahead, first) / rounds


def lost(whole: Array, without: Array, reach: float) -> tuple[float, Interval]:
    """Return the mean of what blocks lose, with its interval; `reach` is the most that a block can."""
    change = whole - without
    sample = Sample(
        len(change), float(change.mean()), float(change.var(ddof=1)), -reach, reach, int((change != 0).sum())
    )
    return sample.mean, interval(sample)


def measure(game: Game, tier: str, games: int, seed: int, jobs: int | None = 1) -> dict[str, tuple[float, ...]]:
    """Return {ability: (share lost, low, high, points per round lost, low, high)}."""
    plan = ability_plan(game, tier, games, seed)
    rows = np.concatenate([part.games for part in run(plan, jobs=jobs).parts()])
    arm, block = rows["arm"][:, 0], rows["deal"][:, 0] // plan.superblock_deals
    base = block_values(rows[arm == 0], block[arm == 0])
    made: dict[str, tuple[float, ...]] = {}
    for i, key in enumerate((a.key for a in game.abilities_in(game.default)), 1):
        own = block_values(rows[arm == i], block[arm == i])
        share, bounds = lost(base[0], own[0], 1.0)
        points, reach = lost(base[1], own[1], float("inf"))
        made[key] = (share, bounds.low, bounds.high, points, reach.low, reach.high)
    return made


def to_toml(game: Game, tier: str, games: int, seed: int, date: str, found: dict[str, tuple[float, ...]]) -> str:
    """Return the table as it is kept."""
    lines = [
        f"# What one {tier} player loses that alone plays without an ability, all others {tier} too, default variant.",
        "# Share and points per round, each with its 95 % interval, by blocks. Made by",
        f"# python -m analysis.committed {game.name} --tier {tier} --games {games} --seed {seed}",
        f'tier = "{tier}"', f"games = {games}", f"seed = {seed}", f'date = "{date}"',
        f'rules = "{rules_digest(game, game.default, game.default_seats)}"', "",
        "[abilities]  # share, low, high, points per round, low, high",
    ]  # fmt: skip
    lines += [f"{key} = [{', '.join(f'{number:.4f}' for number in row)}]" for key, row in found.items()]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and write; return 0."""
    parser = argparse.ArgumentParser(prog="python -m analysis.committed", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--tier", default="expert:100")
    parser.add_argument("--games", type=int, default=1200, help="per arm")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d"))
    chosen = parser.parse_args(arguments)
    try:
        game = load(chosen.game)
        plan = ability_plan(game, chosen.tier, chosen.games, chosen.seed)
        found = measure(game, chosen.tier, chosen.games, chosen.seed)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    text = to_toml(game, chosen.tier, plan.games_per_arm, chosen.seed, chosen.date, found)
    (game.folder / COMMITTED).write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
