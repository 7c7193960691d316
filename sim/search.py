"""The look-ahead player, written once for all games: information-set tree search with one observer.

Each iteration draws a world that fits what the seat has seen (`redeal`), walks down one tree that all worlds share,
whose edges are the semantic codes of decisions, adds one node, plays on with a mixture of the game's own simple
players and random moves, and gives every seat what the playout was worth to it (max^n). The code most visited is
played.

Choices made at the same time come one after the other, and a game says by `unseen(s, rules)` that the next seat does
not see the one just made. Its edge is counted as any other, but the walk goes on below a *blind* edge that all its
codes share, so that the next seat cannot answer what it does not see; once that seat has chosen, an edge keyed by what
was hidden follows, so that later decisions depend on both. Such edges count nothing. A seat that has to choose unseen
plays in proportion to the visits: the most visited code every time could be foreseen.

In the tree all seats look for what is best for them. With `model_others` only the seat that thinks does; the others
are played as in the playouts, each by what it sees in the world drawn: better where the seat that thinks sees what
they do not, as their own cards. Whoever answers a model has nobody to hide from and plays the code most visited.

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
    unseen,
    use_search,
    value,
)
from sim.jit import kernel

if TYPE_CHECKING:
    from sim.facts import Tier
    from sim.game import Lookahead

Array = npt.NDArray[Any]

MAX_NODES = 1 << 15  # the tree stops growing there, the playouts go on
MAX_PATH = 512
MAX_PLAYERS = 8
OUT = -1  # a playout has left the tree
BLIND = -1  # code of the edge that all unseen choices share; what is revealed later has lower ones

# Places in the weight row of an expert.
W_BUDGET = 0  # iterations for each decision
W_OPEN = 1  # 1: the worlds are the true one, played to ends of rounds; for tests of how much hidden cards are worth

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
    ("trust", "f8"),  # standard errors by which a code must be better than the first player's; 0: that is not asked
    ("sight", "i8"),  # decisions of a playout after which `value` is asked at every further one
    ("depth", "i8"),  # decisions after which a playout is given up as a draw
    ("players", "i8"),
    ("model", "i8"),  # 1: the tree is of the thinking seat's decisions alone
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
    made = np.zeros(2, SETTINGS)
    made["c"], made["mix"], made["depth"] = settings.c, settings.mix, settings.depth
    made["players"], made["model"] = len(settings.policies), settings.model_others
    made["sight"], made["trust"] = settings.sight, settings.trust
    made["policies"][:, : len(settings.policies)] = settings.policies
    # A value weighs a hand by what its holder may know: who is told all cards sees more in playing the round out.
    made["sight"][1] = settings.depth
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
    nodes, worlds, opts, path, rewards, _, _, player_weights, ways = search
    settings = ways[np.int64(weights[W_OPEN])]
    world = worlds[0]
    used = np.int64(1)
    clear(nodes[0])
    for i in range(max(np.int64(1), np.int64(weights[W_BUDGET]))):
        worlds[0] = states[0]
        fresh = rng.word(key, i)
        if weights[W_OPEN] == 0.0:
            redeal(world, rules, seat, fresh)
        draws = rng.stream(fresh, 0, rng.SEARCH, 0, 0)
        used = play_through(search, used, world, rules, settings, seat, draws)
        for k in range(1, path[0]):
            node = nodes[path[k]]
            node.visits += 1
            node.total += rewards[node.seat]
    first = nodes[0].child
    if nodes[first].code == BLIND and not settings.model:
        return by_visits(nodes, pick_uniform(rng.word(key, np.int64(weights[W_BUDGET])), count_visits(nodes)))
    code = most_visited(nodes)
    if settings.trust > 0.0:
        n = options(states[0], rules, opts)
        mine = states[0].priv[seat]
        player = np.int64(settings.policies[0])
        usual = np.int64(choose(player, states[0].pub, mine, rules, player_weights[0], opts, n, rng.word(key, used)))
        if not surpasses(nodes, code, usual, settings.trust):
            return usual
    return code


use_search(look_ahead)


@kernel
def most_visited(nodes):
    """Return the code at the root that was tried most."""
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
def count_visits(nodes):
    """Return how often all codes at the root were tried together."""
    total = np.int64(0)
    child = np.int64(nodes[0].child)
    while child != 0:
        total += nodes[child].visits
        child = np.int64(nodes[child].next)
    return total


@kernel
def by_visits(nodes, nth):
    """Return the code at the root to which the nth visit (from 0, codes ascending) went."""
    child = np.int64(nodes[0].child)
    while nodes[child].visits <= nth:
        nth -= nodes[child].visits
        child = np.int64(nodes[child].next)
    return np.int64(nodes[child].code)


@kernel
def play_through(search, used, world, rules, settings, me, draws):
    """Walk down the tree until a node is added or the round ends, play on, and write what it was worth to each seat.

    Returns the number of nodes used. search: what `scratch` returns, of which path: its length, then the nodes of the
    walk that count; weights: players to draw from, numbers; players: seats -> which of them plays it. me: who thinks.
    """
    nodes, _, opts, path, rewards, players, logs, weights, _ = search
    seats = len(rewards)
    for seat in range(seats):
        players[seat] = pick_uniform(rng.word(draws, seat), settings.players)
    at = np.int64(0)
    hidden = np.int64(0)  # what was chosen unseen, as the code of an edge; 0 nothing
    beyond = np.int64(0)  # decisions since the tree was left
    path[0] = 1
    for step in range(settings.depth):
        status = advance(world, rules)
        if status == OVER:
            for seat in range(seats):
                rewards[seat] = np.float64(world.game_row[seat].share) / WHOLE
            return used
        if status == ROUND or (at == OUT and beyond >= settings.sight):
            if value(world, rules, rewards):
                return used
        beyond += at == OUT
        if status == ROUND:
            at = np.int64(OUT)
            continue
        n = options(world, rules, opts)
        code = np.int64(opts[0])
        if n == 1:  # a forced step is no edge
            apply(world, rules, code)
            continue
        actor = np.int64(world.pub.actor)
        fresh = rng.word(draws, seats + step)
        node = np.int64(0)
        added = False
        if at != OUT and (actor == me or not settings.model):
            before = used
            used, node = next_node(nodes, used, at, opts, n, actor, logs, settings.c, fresh)
            added = used > before
            if node == 0 or path[0] == len(path):  # the tree is full
                node = np.int64(0)
                at = np.int64(OUT)
        if node != 0:
            path[path[0]] = node
            path[0] += 1
            code = np.int64(nodes[node].code)
        else:
            player = players[actor]
            policy = np.int64(settings.policies[player])
            if policy == RANDOM or rng.uniform(fresh, 0) < settings.mix:
                code = np.int64(opts[pick_uniform(fresh, n)])
            else:
                mine = world.priv[actor]
                code = np.int64(choose(policy, world.pub, mine, rules, weights[player], opts, n, fresh))
        apply(world, rules, code)
        if added:
            at = np.int64(OUT)
        elif at != OUT:
            used, at, hidden = follow(nodes, used, at, node, code, actor, unseen(world, rules), hidden)
    rewards[:] = 1.0 / seats
    return used


@kernel
def next_node(nodes, used, at, opts, n, actor, logs, c, fresh):
    """Return (nodes used, the child to go to: a new one while there are codes without; 0 if the tree is full)."""
    missing, best = survey(nodes, at, opts, n, actor, logs, c)
    if missing == 0 or used == len(nodes):
        return used, best
    code = unmet(nodes, at, opts, n, actor, pick_uniform(fresh, missing))
    return used + 1, insert(nodes, at, used, code, actor)


@kernel
def follow(nodes, used, at, node, code, actor, blind, hidden):
    """Return (nodes used, where the walk goes on, what is hidden now) after a choice at `at`; `node` 0 is no child yet.

    blind: 1 if the seat that decides next does not see the choice.
    """
    if blind:
        used, below = pass_edge(nodes, used, at, np.int64(BLIND), np.int64(OUT))
        # Several hidden choices make one key; that two of many have the same hardly ever happens and does little harm.
        return used, below, BLIND - 1 - ((code - 31 * hidden) & 0x3FFFFFFF)
    below = node
    if node == 0:
        used, below = pass_edge(nodes, used, at, code, actor)
    if hidden != 0 and below != OUT:
        used, below = pass_edge(nodes, used, below, hidden, np.int64(OUT))
    return used, below, np.int64(0)


@kernel
def pass_edge(nodes, used, at, code, seat):
    """Return (nodes used, the child of this code and seat, made if need be; OUT if the tree is full): no choice."""
    child = np.int64(nodes[at].child)
    while child != 0 and nodes[child].code <= code:
        if nodes[child].code == code and nodes[child].seat == seat:
            return used, child
        child = np.int64(nodes[child].next)
    if used == len(nodes):
        return used, np.int64(OUT)
    return used + 1, insert(nodes, at, used, code, seat)


@kernel
def surpasses(nodes, code, usual, trust):
    """Say whether the walks found `code` better than the `usual` one by so many standard errors."""
    seen = np.zeros(2)
    means = np.zeros(2)
    child = np.int64(nodes[0].child)
    while child != 0:
        for i in range(2):
            if nodes[child].code == (code if i == 0 else usual):
                seen[i] = nodes[child].visits
                means[i] = nodes[child].total / max(1, nodes[child].visits)
        child = np.int64(nodes[child].next)
    if min(seen[0], seen[1]) < 2.0:
        return False
    # Rewards lie in [0, 1]: half of that is the most that one of them can spread.
    return means[0] - means[1] > trust * 0.5 * math.sqrt(1.0 / seen[0] + 1.0 / seen[1])


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
