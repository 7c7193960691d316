"""The look-ahead player, written once for all games: information-set tree search with one observer.

Each iteration draws a world that fits what the seat has seen (`redeal`), walks down one tree that all worlds share,
whose edges are the semantic codes of decisions, adds one node, plays on with a mixture of the game's own simple
players and random moves, and gives every seat what the playout was worth to it (max^n). The code most visited is
played.

A game may offer `value(s, rules, out)`, called at the end of a round: it writes what the game is worth to each seat, in
[0, 1], and returns 1 to end the playout there; without it playouts go on to the end of the game. With `sight` it is
asked at decisions too, so many after the tree was left, and may say what the position is likely to be worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sim import rng
from sim.engine import (
    DECIDE,
    MAX_OPTIONS,
    OPTION,
    OVER,
    RANDOM,
    ROUND,
    SKILLED,
    WHOLE,
    advance,
    apply,
    choose,
    options,
    pick_uniform,
    record,
    redeal,
    value,
)
from sim.jit import kernel

if TYPE_CHECKING:
    from sim.game import Lookahead, Tier

Array = npt.NDArray[Any]

MAX_NODES = 1 << 15  # the tree stops growing there, the playouts go on
MAX_PATH = 512
MAX_PLAYERS = 8
ASK = -1  # `advance` is to be called

# Places in the weight row of an expert.
W_BUDGET = 0  # iterations for each decision
W_OPEN = 1  # 1: the worlds are the true one; for tests of how much hidden cards are worth

NODE = record(
    ("total", "f8"),  # reward, summed, of the seat that chose the edge into this node
    ("code", "i4"),
    ("child", "i4"),  # the child of the lowest code, 0 none
    ("next", "i4"),  # the next child of the same parent, codes ascending, 0 none
    ("visits", "i4"),
    ("chances", "i4"),  # how often the edge could have been chosen
    ("seat", "i4"),
)
SETTINGS = record(
    ("c", "f8"),  # weight of the exploration term
    ("mix", "f8"),  # part of a playout's moves that are random
    ("sight", "i8"),  # decisions of a playout after which `value` is asked at every further one
    ("depth", "i8"),  # decisions after which a playout is given up as a draw
    ("players", "i8"),
    ("policies", "i8", (MAX_PLAYERS,)),  # each seat of a playout is one of these
)


def scratch(state: np.dtype[Any], seats: int, settings: Lookahead, tiers: Sequence[Tier]) -> tuple[Array, ...]:
    """Return the arrays that a search works in, for one thread.

    Parameters
    ----------
    state
        The game's record type.
    seats
        Number of players.
    settings
        How the game wants to be played on.
    tiers
        The game's tiers: a player of the playouts has the weights of its own tier, else those of `skilled`.
    """
    own = {tier.policy: tier.weights for tier in tiers}
    rows = [own.get(policy, own.get(SKILLED, ())) for policy in settings.policies]
    weights = np.zeros((len(rows), max(1, *map(len, rows), 1)))
    for row, numbers in zip(weights, rows, strict=True):
        row[: len(numbers)] = numbers
    made = np.zeros(1, SETTINGS)
    made["c"], made["mix"], made["depth"] = settings.c, settings.mix, settings.depth
    made["players"], made["sight"] = len(settings.policies), settings.sight
    made["policies"][0, : len(settings.policies)] = settings.policies
    logs = np.log(np.maximum(1, np.arange(MAX_NODES + 1, dtype=np.float64)))
    return (
        np.zeros(MAX_NODES, NODE),
        np.zeros(1, state),
        np.zeros(MAX_OPTIONS, OPTION),
        np.zeros(MAX_PATH, np.int64),
        np.zeros(seats, np.float64),
        np.zeros(seats, np.int64),
        logs,
        weights,
        made,
    )


@kernel
def look_ahead(search, states, rules, weights, seat, key):
    """Return the code that an expert plays in states[0]; `key` (uint64) is the key of all its chance."""
    nodes, worlds, opts, path, rewards, players, logs, player_weights, settings = search
    world = worlds[0]
    used = np.int64(1)
    clear(nodes[0])
    for i in range(max(np.int64(1), np.int64(weights[W_BUDGET]))):
        worlds[0] = states[0]
        fresh = rng.word(key, i)
        if weights[W_OPEN] == 0.0:
            redeal(world, rules, seat, fresh)
        draws = rng.stream(fresh, 0, rng.SEARCH, 0, 0)
        used, status = descend(nodes, used, world, rules, opts, path, logs, settings[0].c, draws)
        play_out(world, rules, player_weights, opts, players, settings[0], draws, status, rewards)
        for k in range(1, path[0]):
            node = nodes[path[k]]
            node.visits += 1
            node.total += rewards[node.seat]
    best = np.int64(-1)
    code = np.int64(0)
    child = np.int64(nodes[0].child)
    while child != 0:
        if nodes[child].visits > best:
            best = np.int64(nodes[child].visits)
            code = np.int64(nodes[child].code)
        child = np.int64(nodes[child].next)
    return code


@kernel
def clear(node):
    """Make a node new."""
    node.total = 0.0
    node.code = 0
    node.child = 0
    node.next = 0
    node.visits = 0
    node.chances = 0
    node.seat = 0


@kernel
def descend(nodes, used, world, rules, opts, path, logs, c, draws):
    """Walk down until a node is added or the round ends; return (nodes used, what `advance` said, -1 not asked yet).

    path: its length, then the nodes of the walk.
    """
    at = np.int64(0)
    steps = np.int64(1)
    path[0] = 1
    while steps < len(path):
        status = advance(world, rules)
        if status != DECIDE:
            return used, status
        n = options(world, rules, opts)
        if n == 1:  # a forced step is no edge
            apply(world, rules, opts[0])
            continue
        actor = np.int64(world.pub.actor)
        fresh, best = survey(nodes, at, opts, n, actor, logs, c)
        added = fresh > 0 and used < len(nodes)
        if added:
            code = unmet(nodes, at, opts, n, actor, pick_uniform(rng.word(draws, steps), fresh))
            best = insert(nodes, at, used, code, actor)
            used += 1
        elif best == 0:
            return used, status
        path[steps] = best
        steps += 1
        path[0] = steps
        apply(world, rules, nodes[best].code)
        if added:
            return used, np.int64(ASK)
        at = best
    return used, np.int64(ASK)


@kernel
def survey(nodes, at, opts, n, actor, logs, c):
    """Return (how many codes have no child yet, the child with the highest bound); note the chance of each child."""
    child = np.int64(nodes[at].child)
    met = np.int64(0)
    best = np.int64(0)
    most = -1.0
    i = np.int64(0)
    while child != 0 and i < n:
        node = nodes[child]
        code = np.int64(opts[i])
        if node.code < code or (node.code == code and node.seat != actor):
            child = np.int64(node.next)
        elif node.code > code:
            i += 1
        else:
            met += 1
            i += 1
            node.chances += 1
            visits = np.float64(node.visits)
            bound = node.total / visits + c * math.sqrt(logs[min(node.chances, len(logs) - 1)] / visits)
            if bound > most:
                most = bound
                best = child
            child = np.int64(node.next)
    return n - met, best


@kernel
def unmet(nodes, at, opts, n, actor, nth):
    """Return the nth code (from 0) that has no child yet."""
    child = np.int64(nodes[at].child)
    for i in range(n):
        code = np.int64(opts[i])
        while child != 0 and (nodes[child].code < code or (nodes[child].code == code and nodes[child].seat != actor)):
            child = np.int64(nodes[child].next)
        if child != 0 and nodes[child].code == code:
            continue
        if nth == 0:
            return code
        nth -= 1
    return np.int64(opts[0])


@kernel
def insert(nodes, at, used, code, actor):
    """Add a child in its place; return its number."""
    clear(nodes[used])
    nodes[used].code = code
    nodes[used].seat = actor
    nodes[used].chances = 1
    before = np.int64(0)
    child = np.int64(nodes[at].child)
    while child != 0 and nodes[child].code < code:
        before = child
        child = np.int64(nodes[child].next)
    nodes[used].next = child
    if before == 0:
        nodes[at].child = used
    else:
        nodes[before].next = used
    return used


@kernel
def play_out(world, rules, weights, opts, players, settings, draws, status, rewards):
    """Play on from a leaf, at which `advance` said `status`, and write what it was worth to each seat.

    weights: players to draw from, numbers. players: seats -> which of them plays it.
    """
    seats = len(rewards)
    at = np.int64(MAX_PATH)  # draws below are those of the walk
    for seat in range(seats):
        players[seat] = pick_uniform(rng.word(draws, at), settings.players)
        at += 1
    for step in range(settings.depth):
        if status == ASK:
            status = advance(world, rules)
        if status == OVER:
            for seat in range(seats):
                rewards[seat] = np.float64(world.game_row[seat].share) / WHOLE
            return
        if (status == ROUND or step >= settings.sight) and value(world, rules, rewards):
            return
        if status == DECIDE:
            n = options(world, rules, opts)
            code = np.int64(opts[0])
            if n > 1:
                fresh = rng.word(draws, at)
                at += 1
                actor = np.int64(world.pub.actor)
                player = players[actor]
                policy = np.int64(settings.policies[player])
                if policy == RANDOM or rng.uniform(fresh, 0) < settings.mix:
                    code = np.int64(opts[pick_uniform(fresh, n)])
                else:
                    mine = world.priv[actor]
                    code = np.int64(choose(policy, world.pub, mine, rules, weights[player], opts, n, fresh))
            apply(world, rules, code)
        status = np.int64(ASK)
    rewards[:] = 1.0 / seats
