"""Nanoseconds per call of the hand kernels: `python -m tests.benchmarks.bench_celestial_hands`."""

from __future__ import annotations

import time

import numpy as np

from sim.games.celestial_ranks import hands
from sim.jit import kernel

CONTRACTS = ("S3 R3", "S3 F3", "S3 S3", "S4 R4", "S4 F3", "S4 F4")
FEASIBLE, DISTANCE, OUTS, DISCARD, ARRANGE, OPTIONS = range(6)
NAMES = ("feasible", "distance", "distance + outs + weight", "best discard", "arrange*", "meld options*")


@kernel
def fill(cards, made):
    """Build hands; cards: hands, card types."""
    for i in range(len(cards)):
        hands.clear_hand(made[i])
        for x in cards[i]:
            hands.add_card(made[i], x)


@kernel
def mark_ready(t, made, contract, out):
    """Mark the hands that satisfy the contract."""
    for i in range(len(made)):
        out[i] = hands.feasible(t, made[i], contract, True)


def ready(t: np.record, made: np.recarray, contract: int) -> np.ndarray:
    """Return which hands satisfy the contract."""
    out = np.zeros(len(made), np.bool_)
    mark_ready(t, made, contract, out)
    return out


@kernel
def many(what, t, made, contract, n1, n2, jokers, scratch):
    """Call one kernel for every hand and return a checksum."""
    total = 0
    for i in range(len(made)):
        if what == FEASIBLE:
            total += hands.feasible(t, made[i], contract, True)
        elif what == DISTANCE:
            total += hands.distance(t, made[i], contract, True)
        elif what == OUTS:
            d, mask = hands.distance_and_outs(t, made[i], contract, True)
            total += d + hands.outs_weight(mask, n1[i], n2[i], jokers)
        elif what == DISCARD:
            total += hands.best_discard(t, made[i], contract, True, n1[i], n2[i], jokers, -1)[0]
        elif what == OPTIONS:
            total += hands.meld_options(t, made[i], contract, True, 0, -1, scratch)
        elif what == ARRANGE:
            total += hands.arrange(t, made[i], contract, True, scratch)[0]
    return total


def random_hands(n: int, size: int, seed: int = 1) -> np.ndarray:
    """Return random hands of a double deck with four jokers; axes: hands, cards."""
    deck = np.array([*range(52), *range(52), *[hands.JOKER] * 4])
    rng = np.random.default_rng(seed)
    return np.stack([rng.choice(deck, size, replace=False) for _ in range(n)])


def main() -> None:
    """Print the medians of five passes over 4,000 hands by contract, and the mean; * only hands that satisfy it."""
    t = hands.make_tables(CONTRACTS).view(np.recarray)[0]
    cards = random_hands(4000, 11)
    made = np.zeros(len(cards), hands.HAND).view(np.recarray)
    fill(cards, made)
    unseen = ~made["M"] & hands.NATURALS
    scratch = np.zeros(hands.MELD_SCRATCH, np.int32)
    print(f"{'ns per call, 11 cards':28}" + "".join(f"{c:>9}" for c in CONTRACTS) + f"{'mean':>9}")
    for what, name in enumerate(NAMES):
        row = []
        for contract in range(len(CONTRACTS)):
            chosen, times = made, []
            if what >= ARRANGE:
                chosen = np.resize(made[ready(t, made, contract)], len(made)).view(np.recarray)
            for _ in range(6):
                begin = time.thread_time_ns()
                many(what, t, chosen, contract, unseen, unseen & ~made["M"], 4, scratch)
                times.append((time.thread_time_ns() - begin) / len(chosen))
            row.append(float(np.median(times[1:])))
        print(f"{name:28}" + "".join(f"{ns:9.1f}" for ns in row) + f"{np.mean(row):9.1f}")


if __name__ == "__main__":
    main()
