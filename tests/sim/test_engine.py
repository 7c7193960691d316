"""The step machine: records, the driver with and without the compiler."""

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

from sim.engine import Record, pick_uniform, record
from sim.run import play_part
from tests.sim.driver import plan

ROOT = Path(__file__).parents[2]


def digest():
    part = play_part(plan(20), 0)
    return hashlib.sha256(part.games.tobytes() + part.rounds.tobytes()).hexdigest()


def test_fields_win_over_the_methods_of_numpy():
    inner = record(("round", "i4"), ("size", "i2"), ("all", "i2"))
    whole = record(("pub", inner), ("priv", inner, (2,)))
    states = np.zeros(2, whole)
    s = states[1]
    s.pub.round, s.priv[1].size, s.pub.all = 5, 7, 9
    assert (s.pub.round, s.priv[1].size, s.pub.all) == (5, 7, 9)
    assert states["pub"]["round"].tolist() == [0, 5]
    assert s.copy().pub.round == 5
    assert s.pub.all << 40 == 9 << 40
    assert s.priv[1].size << 40 == 7 << 40
    back = pickle.loads(pickle.dumps(states))
    assert back.dtype.type is Record
    assert back[1].priv[1].size == 7


def test_uncompiled_kernels_play_the_same_games():
    env = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "ignore", "-c", "from tests.sim.test_engine import digest; print(digest())"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest()


def test_uniform_picks_cover_all_options_and_no_more():
    words = np.random.default_rng(1).integers(0, 2**64, 2000, dtype=np.uint64)
    picked = [int(pick_uniform(word, 7)) for word in (*words, np.uint64(0), np.uint64(2**64 - 1))]
    assert set(picked) == set(range(7))
    assert picked[-2:] == [0, 6]
