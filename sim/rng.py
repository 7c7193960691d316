"""Streams of chance: stateless, keyed, the same in every engine.

A stream is a 64-bit key made by a strong hash of (seed, game, deal, round, purpose, who, index); its draws are
SplitMix64 outputs, counted from 0. `who` is 0 for common chance (the stock, the decree) and packet + 1 for the private
chance of a packet. Keys are hashed, never added: neighbouring deals share nothing.

The kernels below are used by the fast engines; `Chance` is their twin in plain Python for the rulebooks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from sim.jit import kernel

GAMMA = np.uint64(0x9E3779B97F4A7C15)
M1 = np.uint64(0xBF58476D1CE4E5B9)
M2 = np.uint64(0x94D049BB133111EB)
DEAL_SALT = np.uint64(0xD1B54A32D192ED03)
STREAM_SALT = np.uint64(0x8CB92BA72F3D8DD7)
S27, S30, S31, S32, S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(11)
ONE = np.uint64(1)

# Purposes 0 to 31 are the same for all games; a game numbers its own from 32.
POLICY = 1  # coin flips of policies
SEARCH = 2  # re-deals and playouts of the look-ahead player
DECK = 3  # the shuffle of a round
RESHUFFLE = 4  # later shuffles of the same round, `index` counts them
SETUP = 5  # who starts, which sides are drawn
REDEAL = 6  # conformance: another world that fits what a seat has seen

_MASK = (1 << 64) - 1


def root_key(seed: int, game: str) -> int:
    """Return the 64-bit root of all streams of `game` under `seed`."""
    return int.from_bytes(hashlib.sha256(f"evenhand|{game}|{seed}".encode()).digest()[:8], "little")


@kernel
def mix(z):
    """Return the SplitMix64 finaliser of `z` (uint64)."""
    z = (z ^ (z >> S30)) * M1
    z = (z ^ (z >> S27)) * M2
    return z ^ (z >> S31)


@kernel
def deal_key(root, deal):
    """Return the key of deal number `deal` (int64 >= 0) under the root key."""
    return mix(root ^ mix(np.uint64(deal) * GAMMA + DEAL_SALT))


@kernel
def stream(key, round_, purpose, who, index):
    """Return the key of a stream inside a deal; fields of 16, 8, 8 and 32 bits."""
    packed = (
        (np.uint64(round_) << np.uint64(48))
        | (np.uint64(purpose) << np.uint64(40))
        | (np.uint64(who) << S32)
        | np.uint64(index)
    )
    return mix(key ^ mix(packed * GAMMA + STREAM_SALT))


@kernel
def word(key, i):
    """Return draw number `i` (from 0) of a stream as uint64."""
    return mix(key + (np.uint64(i) + ONE) * GAMMA)


@kernel
def below(key, i, n):
    """Return draw number `i` as an integer in [0, n); the bias is below n / 2**32."""
    return np.int64(((word(key, i) >> S32) * np.uint64(n)) >> S32)


@kernel
def uniform(key, i):
    """Return draw number `i` as a float in [0, 1)."""
    return np.float64(word(key, i) >> S11) * 1.1102230246251565e-16


@kernel
def permutation(key, n, out):
    """Fill out[:n] with a random order of 0..n-1; a shorter shuffle would be its prefix."""
    for i in range(n):
        out[i] = i
    for i in range(n - 1):
        j = i + below(key, i, n - i)
        held = out[i]
        out[i] = out[j]
        out[j] = held


def _mix_int(z: int) -> int:
    z = ((z ^ (z >> 30)) * int(M1)) & _MASK
    z = ((z ^ (z >> 27)) * int(M2)) & _MASK
    return z ^ (z >> 31)


class Stream:
    """One stream in plain Python integers, draw by draw."""

    def __init__(self, key: int) -> None:
        self.key = key

    def word(self, i: int) -> int:
        """Return draw number `i` as an integer below 2**64."""
        return _mix_int((self.key + (i + 1) * int(GAMMA)) & _MASK)

    def below(self, i: int, n: int) -> int:
        """Return draw number `i` as an integer in [0, n)."""
        return ((self.word(i) >> 32) * n) >> 32

    def uniform(self, i: int) -> float:
        """Return draw number `i` as a float in [0, 1)."""
        return (self.word(i) >> 11) * 1.1102230246251565e-16

    def permutation(self, n: int) -> list[int]:
        """Return a random order of 0..n-1."""
        order = list(range(n))
        for i in range(n - 1):
            j = i + self.below(i, n - i)
            order[i], order[j] = order[j], order[i]
        return order


class Chance:
    """All the chance of one deal, for a rulebook.

    Parameters
    ----------
    key
        The deal's key, as `deal_key` gives it.
    """

    def __init__(self, key: int) -> None:
        self.key = key

    @classmethod
    def of(cls, seed: int, game: str, deal: int) -> Chance:
        """Return the chance of deal number `deal` of `game` under `seed`."""
        inner = _mix_int((deal * int(GAMMA) + int(DEAL_SALT)) & _MASK)
        return cls(_mix_int(root_key(seed, game) ^ inner))

    def stream(self, round_: int = 0, purpose: int = 0, packet: int | None = None, index: int = 0) -> Stream:
        """Return one stream; `packet=None` is common chance."""
        who = 0 if packet is None else packet + 1
        packed = (round_ << 48) | (purpose << 40) | (who << 32) | index
        return Stream(_mix_int(self.key ^ _mix_int((packed * int(GAMMA) + int(STREAM_SALT)) & _MASK)))


class RiggedChance(Chance):
    """Chance with some permutations fixed beforehand, for positions in tests.

    Parameters
    ----------
    orders
        {(round, purpose, packet or None, index): order}; streams not named stay random.
    """

    def __init__(self, key: int, orders: dict[tuple[int, int, int | None, int], Sequence[int]]) -> None:
        super().__init__(key)
        self.orders = orders

    def stream(self, round_: int = 0, purpose: int = 0, packet: int | None = None, index: int = 0) -> Stream:
        """Return the rigged stream where one is named."""
        free = super().stream(round_, purpose, packet, index)
        fixed = self.orders.get((round_, purpose, packet, index))
        return free if fixed is None else _Fixed(free.key, list(fixed))


class _Fixed(Stream):
    def __init__(self, key: int, order: list[int]) -> None:
        super().__init__(key)
        self.order = order

    def permutation(self, n: int) -> list[int]:
        if sorted(self.order) != list(range(n)):
            raise ValueError(f"a rigged order of {len(self.order)} where {n} places are shuffled")
        return list(self.order)
