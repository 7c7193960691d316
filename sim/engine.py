"""The step machine: what a game implements, and the driver that is written once for all games.

A game's state is one record. Generic code touches only these of its fields:

* ``pub`` what all see, with ``pub.actor`` the seat that decides;
* ``priv[seat]`` what only that seat sees and has been told;
* ``hid`` what nobody sees yet: stock order, the chance key, choices made but not revealed;
* ``game_row[seat]`` and ``round_row[seat]`` the outcome, never shown to a policy.

The functions below are stubs. The compiler picks a game's implementation by the tag in the record type
(`numba.extending.overload`), so one driver serves every game and is cached once for each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sim import rng
from sim.jit import INLINED, JIT_OFF, OVERLOAD, entry, kernel

# What `advance` returns.
DECIDE = 0  # `pub.actor` has to decide
ROUND = 1  # a round is over and `round_row` is filled; call `advance` again
OVER = 2  # the game is over and `game_row` is filled

MAX_OPTIONS = 256
# Codes are int32; uncompiled they are wider, because numpy, unlike the compiler, shifts and adds in the narrow type.
OPTION: type[np.signedinteger[Any]] = np.int64 if JIT_OFF else np.int32
WHOLE = 27720  # shares are stored in 27,720ths: divisible by 2 to 12

# How a game ended, as stored in the column `end`.
ENDS = ("won", "tie", "all_win", "draw", "cap", "stopped")
END_WON, END_TIE, END_ALL_WIN, END_DRAW, END_CAP, END_STOPPED = range(6)

LOOK_SALT = np.uint64(0x5851F42D4C957F2D)  # the search's chance is not that of the other policies

# Policy numbers. Games implement 1 and 2 (and more of their own from 4) in `choose`.
RANDOM, NOVICE, SKILLED, EXPERT = 0, 1, 2, 3


class Record(np.record):  # type: ignore[misc]
    """A record that reads in Python as it does in compiled code.

    Fields win over numpy's methods (`pub.round` is the field), and small integers are widened to int64 when they are
    read, as the compiler widens them before it adds or shifts.
    """

    def __getattribute__(self, name: str) -> Any:
        if name in (np.void.__getattribute__(self, "dtype").fields or ()):
            value = np.void.__getitem__(self, name)
            return np.int64(value) if isinstance(value, np.integer) and value.itemsize < 8 else value
        return super().__getattribute__(name)


def record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    """Return a packed record type whose fields are attributes, compiled or not; put the widest fields first."""
    return np.dtype((Record, list(fields)))


SEAT = record(("off", "i8"), ("weights", "i4"), ("side", "i2"), ("entrant", "i2"), ("packet", "i2"), ("policy", "i2"))
GAME = record(("key", "u8"), ("arm", "i4"))

TAG_PREFIX = "tag_"
_IMPLEMENTATIONS: dict[str, dict[str, Callable[..., Any]]] = {}
_NAMES = ("start", "advance", "options", "apply", "redeal", "choose")


def _no_value(s, rules, out):
    return 0


def _all_seen(s, rules):
    return 0


_OPTIONAL: dict[str, Callable[..., Any]] = {"value": _no_value, "unseen": _all_seen}


def named(*kernels: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return kernels by their names, which are those of the stubs that they implement."""
    return {getattr(f, "py_func", f).__name__: f for f in kernels}


def register(tag: str, implementations: dict[str, Callable[..., Any]]) -> None:
    """Make a game's kernels known under the tag field of its record types.

    Parameters
    ----------
    tag
        Name of the tag field: ``tag_<game>_<hash of its kernel files>``.
    implementations
        The six functions `start`, `advance`, `options`, `apply`, `redeal`, `choose`, and `value` and `unseen` if the
        game offers them, with the argument names of the stubs below; a decorated kernel is registered by its plain
        function.
    """
    if not tag.startswith(TAG_PREFIX):
        raise ValueError(f"the tag {tag!r} must start with {TAG_PREFIX!r}")
    missing = [name for name in _NAMES if name not in implementations]
    if missing:
        raise ValueError(f"{tag}: no implementation of {', '.join(missing)}")
    plain = {name: getattr(f, "py_func", f) for name, f in implementations.items()}
    held = _IMPLEMENTATIONS.get(tag)
    if held is not None and [_where(f) for f in held.values()] != [_where(f) for f in plain.values()]:
        # The compiled code is found by the record type: two games of one tag would play each other's kernels.
        raise ValueError(f"the tag {tag!r} belongs to another game already: {_where(held['start'])}")
    _IMPLEMENTATIONS[tag] = plain


def _where(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _find(names: Any, what: str) -> Callable[..., Any]:
    for name in names:
        if name.startswith(TAG_PREFIX) and name in _IMPLEMENTATIONS:
            found = _IMPLEMENTATIONS[name].get(what)
            return found if found is not None else _OPTIONAL[what]
    raise TypeError(f"no game is registered for a record with the fields {list(names)[:3]}...")


def start(s, rules, key, seats):
    """Set up a deal: `key` is the deal's key, `seats[seat]` is of dtype SEAT."""
    return _find(s.dtype.names, "start")(s, rules, key, seats)


def advance(s, rules):
    """Go on to the next decision, the end of a round or the end of the game."""
    return _find(s.dtype.names, "advance")(s, rules)


def options(s, rules, out):
    """Write the codes that `pub.actor` may choose, ascending, into `out`; return how many."""
    return _find(s.dtype.names, "options")(s, rules, out)


def apply(s, rules, code):
    """Carry out `code`, one of the codes that `options` gave."""
    _find(s.dtype.names, "apply")(s, rules, code)


def redeal(s, rules, seat, key):
    """Replace everything that `seat` cannot see by a draw from `key`, the chance key included."""
    _find(s.dtype.names, "redeal")(s, rules, seat, key)


def choose(policy, pub, mine, rules, weights, options, n, key):
    """Return one of options[:n]; `mine` is the actor's own view, `key` a fresh random word (uint64)."""
    return _find(pub.dtype.names, "choose")(policy, pub, mine, rules, weights, options, n, key)


def value(s, rules, out):
    """Write into `out` what the game is worth to each seat at the end of a round; return 1 to end a playout there."""
    return _find(s.dtype.names, "value")(s, rules, out)


def unseen(s, rules):
    """Return 1 if the choice just applied is not seen by the seat that decides next."""
    return _find(s.dtype.names, "unseen")(s, rules)


_PLAYERS: dict[str, Callable[..., Any]] = {}


def use_search(look_ahead: Callable[..., Any]) -> None:
    """Make the look-ahead player known, by the module that holds it: it stands above the step machine."""
    _PLAYERS["look_ahead"] = getattr(look_ahead, "py_func", look_ahead)


def think(search, states, rules, weights, seat, key):
    """Return the code that the look-ahead player chooses for `seat` in states[0]; `key` is a fresh random word."""
    return _PLAYERS["look_ahead"](search, states, rules, weights, seat, key)


if not JIT_OFF:
    from numba.extending import overload

    def _record_names(record_type: Any) -> list[str]:
        return [name for name, _ in record_type.members]

    @overload(start, jit_options=OVERLOAD)
    def _start(s, rules, key, seats):
        return _find(_record_names(s), "start")

    @overload(advance, jit_options=OVERLOAD)
    def _advance(s, rules):
        return _find(_record_names(s), "advance")

    # Inlined where it pays: `advance` and `choose` would make games a tenth faster and take up to four times as long to
    # compile.
    @overload(options, jit_options=INLINED)
    def _options(s, rules, out):
        return _find(_record_names(s), "options")

    @overload(apply, jit_options=INLINED)
    def _apply(s, rules, code):
        return _find(_record_names(s), "apply")

    @overload(redeal, jit_options=OVERLOAD)
    def _redeal(s, rules, seat, key):
        return _find(_record_names(s), "redeal")

    @overload(choose, jit_options=OVERLOAD)
    def _choose(policy, pub, mine, rules, weights, options, n, key):
        return _find(_record_names(pub), "choose")

    @overload(value, jit_options=OVERLOAD)
    def _value(s, rules, out):
        return _find(_record_names(s), "value")

    @overload(unseen, jit_options=OVERLOAD)
    def _unseen(s, rules):
        return _find(_record_names(s), "unseen")

    @overload(think, jit_options=OVERLOAD)
    def _think(search, states, rules, weights, seat, key):
        return _PLAYERS["look_ahead"]  # under the argument names of the stub, which numba compares


@kernel
def policy_stream(key, packet):
    """Return the stream of the policy that plays `packet`: a word for each free decision; never the deal's own."""
    return rng.stream(key, 0, rng.POLICY, packet + 1, 0)


@kernel
def pick_uniform(word, n):
    """Return an index in [0, n) from a random word."""
    return np.int64(((word >> rng.S32) * np.uint64(n)) >> rng.S32)


@kernel
def decide(search, states, rules, weights, policy, seat, opts, n, fresh):
    """Return the code that a policy other than `random` chooses among opts[:n] in states[0]."""
    s = states[0]
    if search is not None:  # settled when it is compiled: without experts no search is compiled
        if policy == EXPERT:
            return np.int64(think(search, states, rules, weights, seat, rng.mix(fresh ^ LOOK_SALT)))
    return np.int64(choose(np.int64(policy), s.pub, s.priv[seat], rules, weights, opts, n, fresh))


@entry
def play(states, rules, weights, games, seats, first, rows, max_rounds, tools):
    """Play games[first:] until the round buffer might overflow; return (next game, rounds written, decisions).

    Rounds written are -1 when a game does not keep to `max_rounds`.
    states: 1 game state. rules: arms. weights: weight rows, numbers. games: games (GAME). seats: games, seats (SEAT).
    rows: game rows (games, seats), round rows (rounds, seats), rounds -> game.
    tools: options (MAX_OPTIONS int32); None where nobody looks ahead, or what `sim.search.scratch` returns; None, or
    (heads, option log, snapshots) for `sim.trace`.
    """
    game_rows, round_rows, round_game = rows
    opts, search, trace = tools
    s = states[0]
    n_seats = seats.shape[1]
    filled = 0
    decisions = 0
    counts = np.zeros(n_seats, np.int64)
    flips = np.zeros(n_seats, np.uint64)
    g = first
    while g < len(games):
        if filled + max_rounds > len(round_rows):
            break
        r = rules[games[g].arm]
        key = games[g].key
        start(s, r, key, seats[g])
        counts[:] = 0
        for seat in range(n_seats):
            flips[seat] = policy_stream(key, seats[g, seat].packet)
        while True:
            status = advance(s, r)
            if status == DECIDE:
                n = options(s, r, opts)
                seat = np.int64(s.pub.actor)
                code = np.int64(opts[0])
                if n > 1:
                    me = seats[g, seat]
                    fresh = rng.word(flips[seat], counts[seat])
                    counts[seat] += 1
                    decisions += 1
                    if me.policy == RANDOM:
                        code = np.int64(opts[pick_uniform(fresh, n)])
                    else:
                        code = decide(search, states, r, weights[me.weights], me.policy, seat, opts, n, fresh)
                note(trace, states, seat, code, opts, n)
                apply(s, r, code)
            elif status == ROUND:
                if filled == len(round_rows):  # more than max_rounds: a fault of the game, but no wild write
                    return g, -1, decisions
                for seat in range(n_seats):
                    round_rows[filled, seat] = s.round_row[seat]
                round_game[filled] = g
                filled += 1
            else:
                for seat in range(n_seats):
                    game_rows[g, seat] = s.game_row[seat]
                break
        g += 1
    return g, filled, decisions


HEAD = record(("first", "i8"), ("n", "i4"), ("code", "i4"), ("seat", "i4"))


@kernel
def note(trace, states, seat, code, opts, n):
    """Write one decision into a trace, if one is kept: settled when it is compiled."""
    if trace is not None:
        _write(trace, states, seat, code, opts, n)


@kernel
def _write(trace, states, seat, code, opts, n):
    """Write one decision: heads[0] is the counter; a full buffer stops noting, the count goes on."""
    heads, option_log, snapshots = trace
    i = heads[0].first
    heads[0].first = i + 1
    at = heads[0].n
    if i + 1 < len(heads) and at + n <= len(option_log):
        heads[i + 1].seat = seat
        heads[i + 1].code = code
        heads[i + 1].first = at
        heads[i + 1].n = n
        for j in range(n):
            option_log[at + j] = opts[j]
        heads[0].n = at + n
        if i < len(snapshots):
            snapshots[i] = states[0]
