"""How the weights of `skilled` were found: ``python -m sim.games.fox_in_the_forest.tuning`` writes `weights.py`.

Rounds are played between players of several strengths with some random moves. At the start of each trick both seats'
hands are noted, and at the end of the round what came of them. The worth of a card is a linear fit of the tricks won on
the places of the cards; the chance of each number of tricks still to win is a fit for each number of tricks left and
won. What they are worth follows from the bands and the scores. Then rounds are played with the new weights, and so on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import rng
from sim.engine import (
    DECIDE,
    MAX_OPTIONS,
    OPTION,
    RANDOM,
    ROUND,
    SEAT,
    SKILLED,
    advance,
    apply,
    choose,
    options,
    pick_uniform,
    start,
)
from sim.game import load, load_engine
from sim.games.fox_in_the_forest.engine import D_LEAD, PLAN_HIGH, PLAN_LOW
from sim.games.fox_in_the_forest.policies import (
    CELL,
    N_WEIGHTS,
    START,
    W_PLAIN,
    W_WITCH,
    cell_of,
    hand_worth,
    unseen_by,
)
from sim.jit import entry

Array = npt.NDArray[Any]
SUMS = W_WITCH + 1
_CELL_OF: Any = getattr(cell_of, "py_func", cell_of)
ROUNDS, PASSES = 400_000, 5
# One row for each seat and trick: tricks left, won, 1 for the lead, tricks won later, points ahead, sums over the hand.
COLUMNS = 5 + SUMS


@entry
def sample(states, rules, seats, weights, units, players, noise, seed, rounds, out):
    """Play the first round of many deals and note every trick of both seats; return the rows written.

    players: numbers of policies, drawn for each seat. noise: part of random moves. units: unit weight vectors.
    """
    s = states[0]
    r = rules[0]
    n = 0
    who = np.zeros(2, np.int64)
    opts = np.zeros(MAX_OPTIONS, OPTION)
    for deal in range(rounds):
        key = rng.deal_key(seed, deal)
        draws = rng.stream(key, 0, rng.POLICY, 0, 7)
        start(s, r, key, seats)
        for seat in range(2):
            who[seat] = players[pick_uniform(rng.word(draws, seat), len(players))]
        first = n
        at = 2
        while True:
            status = advance(s, r)
            if status == ROUND:
                break
            if status != DECIDE:
                break
            p = s.pub
            if p.phase == D_LEAD:
                for seat in range(2):
                    mine = s.priv[seat]
                    unseen = unseen_by(p, mine)
                    out[n, 0] = r.hand_size - p.trick
                    out[n, 1] = p.tricks[seat]
                    out[n, 2] = seat == p.leader
                    for j in range(len(units)):
                        out[n, 5 + j] = hand_worth(p, r, units[j], mine.hand, unseen, np.int64(p.trump), seat)
                    n += 1
            count = options(s, r, opts)
            code = np.int64(opts[0])
            if count > 1:
                fresh = rng.word(draws, at)
                at += 1
                seat = np.int64(p.actor)
                if who[seat] == RANDOM or rng.uniform(fresh, 1) < noise:
                    code = np.int64(opts[pick_uniform(fresh, count)])
                else:
                    code = np.int64(choose(who[seat], p, s.priv[seat], r, weights, opts, count, fresh))
            apply(s, r, code)
        for i in range(first, n):
            seat = (i - first) & 1
            won, lost = np.int64(s.pub.tricks[seat]), np.int64(s.pub.tricks[1 - seat])
            out[i, 3] = won - out[i, 1]
            out[i, 4] = np.float64(r.bands[won]) - np.float64(r.bands[lost])
    return n


def played(weights: Array, players: list[int], noise: float, seed: int, rounds: int = ROUNDS) -> Array:
    """Return the rows of `sample` for many rounds of the base game."""
    game = load("fox-in-the-forest")
    fast = load_engine(game)
    seats = np.zeros(2, SEAT)
    seats["packet"] = (0, 1)
    hand_size = int(game.default["hand_size"])
    out = np.zeros((rounds * hand_size * 2, COLUMNS), np.float32)
    n = sample(
        np.zeros(1, fast.state(2)), fast.make_rules(game.default, 2), seats, weights, np.eye(SUMS, N_WEIGHTS),
        np.array(players), noise, np.uint64(seed), rounds, out,
    )  # fmt: skip
    return out[:n]


def fit_cards(rows: Array) -> Array:
    """Return the worth of cards: least squares of the tricks won later on the sums over the hand."""
    sums, later = rows[:, 5:].astype(float), rows[:, 3].astype(float)
    made: Array = np.linalg.solve(sums.T @ sums + np.eye(SUMS), sums.T @ later)
    return made


def fit_cells(weights: Array, rows: Array, ridge: float = 20.0) -> None:
    """Fit how likely each number of tricks still to win is, a cell for each (tricks left, tricks won)."""
    left, won, lead, later = (rows[:, i].astype(int) for i in range(4))
    x = np.clip(rows[:, 5:].astype(float) @ weights[W_PLAIN : W_PLAIN + SUMS] / left, 0.0, 1.0)
    design = np.stack([np.ones_like(x), x, x * x, x**3, lead, lead * x], axis=1)
    order = np.argsort(left * 16 + won, kind="stable")
    cell = (left * 16 + won)[order]
    for part in np.split(order, np.flatnonzero(np.diff(cell)) + 1):
        k, m = int(left[part[0]]), int(won[part[0]])
        a, y = design[part], np.eye(k + 1)[later[part]]
        centre = y.mean(axis=0)
        solved = np.linalg.solve(a.T @ a + ridge * np.diag([1e-9, 1, 1, 1, 1, 1]), a.T @ (y - centre))
        solved[0] += centre
        at = _CELL_OF(k, m)
        weights[at : at + CELL * (k + 1)] = solved.T.ravel()


def tricks_taken(weights: Array) -> Array:
    """Return how often `skilled` takes each number of tricks against itself."""
    rows = played(weights, [SKILLED], 0.0, 99)
    taken = rows[rows[:, 0] == rows[:, 0].max(), 3].astype(int)
    return np.bincount(taken, minlength=14) / len(taken)


def main() -> None:
    """Find the weights and write them."""
    weights = np.zeros(N_WEIGHTS)
    weights[: len(START)] = START
    rows = played(weights, [RANDOM, PLAN_LOW, PLAN_HIGH], 0.3, 1)
    weights[W_PLAIN : W_PLAIN + SUMS] = fit_cards(rows)
    fit_cells(weights, rows)
    for i in range(PASSES):
        rows = played(weights, [SKILLED, SKILLED, SKILLED, PLAN_LOW, PLAN_HIGH], 0.08, 2 + i)
        fit_cells(weights, rows)
        print(f"pass {i + 1}: {len(rows)} positions", flush=True)
    write(weights, tricks_taken(weights))


def write(weights: Array, tricks: Array) -> None:
    """Write `weights.py`."""
    Path(__file__).with_name("weights.py").write_text(
        '"""The weights of `skilled`, written by `tuning`; their places are named in `policies`."""\n\n'
        "# How often a good player takes 0, 1, 2, ... 13 tricks from another one.\n"
        f"# fmt: off\nTRICKS = (\n{lines_of(tricks)}\n)\n"
        f"SKILLED_WEIGHTS = (\n{lines_of(weights)}\n)\n",
        encoding="utf-8",
    )


def lines_of(numbers: Array) -> str:
    """Return numbers as lines of Python."""
    lines, line = [], "   "
    for number in numbers:
        word = f" {number:.4f}".rstrip("0") if abs(number) >= 5e-5 else " 0."
        word = f"{word}0," if word.endswith(".") else f"{word},"
        if len(line) + len(word) > 118:
            lines.append(line)
            line = "   "
        line += word
    return "\n".join([*lines, line])


if __name__ == "__main__":
    main()
