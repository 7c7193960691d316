"""What scores between rounds are worth: the chance to win the game, for who plays the match and not the round.

A round gives both players points by their tricks and for Treasures. `TRICKS` says how often good players take each
number of tricks; the three Treasures go to whoever takes the tricks in which they fall. From that the chance to win
follows backwards, from scores near the target to those farther away.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.games.fox_in_the_forest.weights import TRICKS

NEED = 64  # points that may be missing; more count as 63
PLAYED = 26 / 33  # of the cards are dealt, and played sooner or later


def outcomes(bands: tuple[int, ...], hand_size: int, treasure: int) -> dict[tuple[int, int], float]:
    """Return how likely a round gives (points of one player, points of the other)."""
    made: dict[tuple[int, int], float] = {}
    for taken, part in enumerate(TRICKS):
        mine = round(taken * hand_size / (len(TRICKS) - 1))
        for own, others in product(range(4), repeat=2):
            left = 3 - own - others
            if left < 0:
                continue
            first = PLAYED * mine / hand_size
            second = PLAYED - first
            ways = comb(3, own) * comb(3 - own, others)
            chance = part * ways * first**own * second**others * (1 - PLAYED) ** left
            points = bands[mine] + own * treasure, bands[hand_size - mine] + others * treasure
            made[points] = made.get(points, 0.0) + chance
    return made


@lru_cache(maxsize=256)
def win_chances(bands: tuple[int, ...], hand_size: int, treasure: int) -> npt.NDArray[Any]:
    """Return the chance to win: points that the one player still needs, points that the other needs (NEED, NEED).

    Row and column 0 are not used: who needs nothing has ended the game.
    """
    rounds = outcomes(bands, hand_size, treasure)
    moves = [(x, y, p) for (x, y), p in rounds.items() if x or y]
    win = np.full((NEED, NEED), 0.5, np.float32)
    if not moves:
        return win
    x, y = (np.array([move[i] for move in moves]) for i in (0, 1))
    p = np.array([move[2] for move in moves])
    p /= p.sum()
    for mine, theirs in product(range(1, NEED), repeat=2):
        if theirs < mine:
            win[mine, theirs] = 1.0 - win[theirs, mine]
        elif theirs > mine:
            a, b = mine - x, theirs - y
            ended = (np.sign(b - a) + 1) / 2  # more points, so less missing
            going = win[np.maximum(a, 0), np.maximum(b, 0)]
            win[mine, theirs] = p @ np.where((a <= 0) | (b <= 0), ended, going)
    return win
