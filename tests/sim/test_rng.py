"""Streams of chance: published vectors, twins, independence of neighbouring keys."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from sim import rng
from sim.experiment import deal_keys
from sim.jit import entry

# First outputs of SplitMix64 for two seeds, as published with the algorithm's reference implementations.
VECTORS = {
    0: (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B),
    1234567: (
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ),
}
N = 20_000


@entry
def draws(keys, fields, n, words, below, order):
    # keys: deals. fields: deals, (round, purpose, who, index). words, below: deals. order: deals, places.
    for i in range(len(keys)):
        key = rng.stream(keys[i], fields[i, 0], fields[i, 1], fields[i, 2], fields[i, 3])
        words[i] = rng.word(key, 0)
        below[i] = rng.below(key, 1, n)
        rng.permutation(key, order.shape[1], order[i])


def drawn(keys, fields, n=52, places=8):
    words, below = np.zeros(len(keys), np.uint64), np.zeros(len(keys), np.int64)
    order = np.zeros((len(keys), places), np.int64)
    draws(keys, np.ascontiguousarray(fields, np.int64), n, words, below, order)
    return words, below, order


@pytest.mark.parametrize("seed", VECTORS)
def test_published_vectors(seed):
    assert tuple(rng.Stream(seed).word(i) for i in range(5)) == VECTORS[seed]


def test_the_kernel_and_its_python_twin_agree():
    fields = np.random.default_rng(1).integers(0, [30, 60, 7, 1000], (200, 4))
    keys = np.array([rng.Chance.of(5, "toy", deal).key for deal in range(200)], np.uint64)
    words, below, order = drawn(keys, fields)
    for i, (round_, purpose, who, index) in enumerate(fields.tolist()):
        stream = rng.Chance(int(keys[i])).stream(round_, purpose, who - 1 if who else None, index)
        assert stream.word(0) == int(words[i])
        assert stream.below(1, 52) == below[i]
        assert stream.permutation(8) == order[i].tolist()


def test_keys_of_many_deals_at_once_are_the_keys_of_each():
    root = rng.root_key(3, "toy")
    deals = np.array([0, 1, 2, 10**6, 10**12])
    assert deal_keys(root, deals).tolist() == [rng.Chance.of(3, "toy", int(d)).key for d in deals]
    assert deal_keys(root, deals).tolist() == [int(rng.deal_key(np.uint64(root), np.int64(d))) for d in deals]


NEIGHBOURS = {
    "deal": lambda i: (i, 0, 0, 0),
    "round": lambda i: (0, i % 65536, 0, 0),
    "index": lambda i: (0, 0, 0, i),
    "who and round": lambda i: (0, i // 200, i % 200, 0),
}


@pytest.mark.parametrize("what", NEIGHBOURS)
def test_neighbouring_streams_are_independent(what):
    table = np.array([NEIGHBOURS[what](i) for i in range(N)])
    keys = deal_keys(rng.root_key(1, "toy"), table[:, 0])
    fields = np.column_stack([table[:, 1], np.full(N, rng.DECK), table[:, 2], table[:, 3]])
    words, below, order = drawn(keys, fields)
    assert len(np.unique(words)) == N
    assert stats.chisquare(np.bincount(below, minlength=52)).pvalue > 1e-4
    assert stats.chisquare(np.bincount(order[:, 0], minlength=8)).pvalue > 1e-4
    pairs = np.bincount(below[:-1] // 4 * 13 + below[1:] // 4, minlength=169)
    assert stats.chisquare(pairs).pvalue > 1e-4
    floats = words / 2.0**64
    for lag in (1, 2, 200):
        assert abs(np.corrcoef(floats[:-lag], floats[lag:])[0, 1]) < 4.5 / np.sqrt(N)
    flipped = np.array([int(a ^ b).bit_count() for a, b in pairwise(words)])
    assert abs(flipped.mean() - 32) < 4.5 * 4 / np.sqrt(N)


def test_seeds_and_games_have_streams_of_their_own():
    keys = {rng.root_key(seed, game) for seed in (0, 1, 2, 10, 11, 2**64 - 1) for game in ("toy", "toy1", "oy")}
    assert len(keys) == 18


def test_rigged_chance_fixes_what_is_named_only():
    rigged = rng.RiggedChance(7, {(0, rng.DECK, None, 0): [2, 0, 1]})
    assert rigged.stream(0, rng.DECK).permutation(3) == [2, 0, 1]
    assert rigged.stream(1, rng.DECK).permutation(3) == rng.Chance(7).stream(1, rng.DECK).permutation(3)
    with pytest.raises(ValueError, match="3 where 4"):
        rigged.stream(0, rng.DECK).permutation(4)
