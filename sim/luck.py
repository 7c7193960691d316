"""What the first deal of a game is worth to a seat, dealt and not played: for control variates.

A game may say so by the two kernels that its group `Standing` loads. The driver that plays games does not call them.

* ``first_deal(s, rules)`` deals a started game, no decision taken; without it the game is advanced to its first one.
* ``worth(s, rules, seat)`` returns a number that rises with the seat's chances, from its side, what it may do and what
  was dealt to it. Any number will do: how much it matters is estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import engine
from sim.engine import TAG_PREFIX, record, start
from sim.experiment import Batch, Plan
from sim.facts import Standing
from sim.game import Game, load, load_engine, tag_of
from sim.jit import JIT_OFF, entry
from sim.run import rules_of

Array = npt.NDArray[Any]
CHUNK = 20_000  # games dealt at once
_HOOKS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}


def _hook(names: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    for name in names:
        if name.startswith(TAG_PREFIX) and name in _HOOKS:
            return _HOOKS[name]
    raise TypeError("no worth of a deal is registered for this record")


def first_deal(mark, s, rules):
    """Deal a started game: the implementation is found by the type of `mark`."""
    return _hook(mark.dtype.names)[0](s, rules)


def worth(mark, s, rules, seat):
    """Return what was dealt to a seat is worth, a float."""
    return _hook(mark.dtype.names)[1](s, rules, seat)


if not JIT_OFF:
    from numba.extending import overload, register_jitable

    @overload(first_deal)
    def _first_deal(mark, s, rules):
        found = register_jitable(_hook([name for name, _ in mark.members])[0])
        return lambda mark, s, rules: found(s, rules)

    @overload(worth)
    def _worth(mark, s, rules, seat):
        found = register_jitable(_hook([name for name, _ in mark.members])[1])
        return lambda mark, s, rules, seat: found(s, rules, seat)


def _to_first_decision(s, rules):
    engine.advance(s, rules)


@entry
def deal_many(mark, states, rules, games, seats, out):
    """Deal games without playing them; out[game, seat] becomes the worth of what the seat was dealt.

    mark: 1. states: 1 game state. rules: arms. games: games (GAME). seats, out: games, seats.
    """
    s = states[0]
    for g in range(len(games)):
        r = rules[games[g].arm]
        start(s, r, games[g].key, seats[g])
        first_deal(mark[0], s, r)
        for seat in range(seats.shape[1]):
            out[g, seat] = worth(mark[0], s, r, seat)


def _find(game: Game) -> tuple[Callable[..., Any], Callable[..., Any]] | None:
    load_kernels = game.group(Standing).worth
    if load_kernels is None:
        return None
    first, worth_of = load_kernels()
    return first or _to_first_decision, worth_of


def has_worth(game: Game) -> bool:
    """Tell whether a game says what a deal is worth."""
    return game.group(Standing).worth is not None


class Dealer:
    """Deals the games of a plan without playing them.

    Parameters
    ----------
    plan
        Its game must have a worth (`has_worth`).
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        fast = load_engine(load(plan.place))
        found = _find(load(plan.place))
        if found is None:
            raise ValueError(f"{plan.game} does not say what a deal is worth")
        plain = [getattr(f, "py_func", f) for f in found]
        # The mark's type carries a hash of the code behind it: a changed worth is never taken from a stale cache.
        tag = tag_of(f"worth_{plan.game}", plain[1].__module__)
        _HOOKS[tag] = (plain[0], plain[1])
        self.mark = np.zeros(1, record((tag, "i1")))
        self.states = np.zeros(1, fast.state(plan.seats))
        self.rules = rules_of(plan, fast)

    def deal(self, batch: Batch) -> Array:
        """Return the worth of what each seat of each game is dealt, float64 of shape (games, seats)."""
        out = np.zeros(batch.seats.shape)
        deal_many(self.mark, self.states, self.rules, batch.games, batch.seats, out)
        return out

    def chunks(self, deals: int, rows: Array) -> Iterator[tuple[Array, Array]]:
        """Deal so many deals, one game of each: the rows of the layout (see `Layout`) in turn.

        Yields
        ------
        tuple of ndarray
            The place in `rows`, int64 of shape (games,); the worth, (games, seats).
        """
        for first in range(0, deals, CHUNK):
            block = np.arange(first, min(first + CHUNK, deals), dtype=np.int64)
            place = block % len(rows)
            yield place, self.deal(self.plan.batch(block * self.plan.superblock_games + rows[place]))
