"""A generating model of block values: entrant, seat and packet effects plus noise, played in balanced seatings."""

from functools import cache

import numpy as np

FIELD_OF_FOUR = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]


def seatings(seats):
    """(entrant of each seat, packet of each seat) for each game of a block."""
    if seats == 2:
        return [([(s + r) % 2 for s in range(2)], [(s + r // 2) % 2 for s in range(2)]) for r in range(4)]
    if seats == 4:
        times = [0, 2, 3, 1]
        return [
            ([FIELD_OF_FOUR[s][r] for s in range(4)], [FIELD_OF_FOUR[s][times[r]] for s in range(4)]) for r in range(4)
        ]
    return [
        ([(s + r) % seats for s in range(seats)], [(s + 2 * r) % seats for s in range(seats)]) for r in range(seats)
    ]


def shares(seats, strength, split, rng, blocks, packet_sd=1.0, seat_sd=0.3):
    """Shares of the first entrant and of the first seat, each of shape (blocks, games of a block)."""
    advantage = np.linspace(seat_sd, -seat_sd, seats)
    packets = rng.normal(0, packet_sd, (blocks, seats))
    by_entrant, by_seat = [], []
    for entrants, packet in seatings(seats):
        level = np.where(np.array(entrants) == 0, strength, 0.0) + advantage + packets[:, packet]
        level = level + rng.normal(0, 1, level.shape)
        won = (level >= level.max(1, keepdims=True) - (0.4 if split else 0.0)).astype(float)
        won /= won.sum(1, keepdims=True)
        by_entrant.append(won[:, entrants.index(0)])
        by_seat.append(won[:, 0])
    return np.stack(by_entrant, 1), np.stack(by_seat, 1)


@cache
def population(seats, share, split, blocks=300_000):
    """All block values of a population whose first entrant wins about `share`: values and their exact probabilities."""
    low, high = -8.0, 8.0
    for _ in range(16):
        strength = (low + high) / 2
        found = shares(seats, strength, split, np.random.default_rng(1), 10_000)[0].mean()
        low, high = (strength, high) if found < share else (low, strength)
    entrant = shares(seats, strength, split, np.random.default_rng(2), blocks)[0].mean(1)
    steps, counts = np.unique(np.rint(entrant * 27720 * 20).astype(np.int64), return_counts=True)
    return steps / (27720 * 20), counts / blocks


def experiments(values, probabilities, n, size, rng):
    """Mean and unbiased variance of `size` experiments of `n` blocks, and how many blocks were not 0, each (size,)."""
    counts = rng.multinomial(n, probabilities, size=size)
    mean = counts @ values / n
    variance = np.maximum(counts @ values**2 - n * mean**2, 0) / (n - 1)
    return mean, variance, counts[:, values != 0].sum(1)
