"""What a run estimates: one function for each kind of number, from its sums to a sample; the judge puts intervals on.

A difference is always taken block by block on the same deals.
"""

from __future__ import annotations

from dataclasses import replace

from analysis.keys import ALONE, ArmKey, ClassShare, Column, SideShare, mean_of
from analysis.moments import Sample
from analysis.sums import Tally


def arm_index(tally: Tally, key: ArmKey | str) -> int | None:
    """Return the place of an arm in the plan, None where it was not played; 0 is the baseline."""
    name = str(key)
    return tally.plan.arm_names.index(name) if name in tally.plan.arm_names else None


def share_in(tally: Tally, column: Column, arm: int = 0) -> Sample:
    """Return a share in an arm: of a seat, an entrant, a side."""
    low, high = tally.side_range if isinstance(column, SideShare) else (0.0, 1.0)
    return tally.sized(tally.shares[arm].sample(tally.column(column), low=low, high=high))


def lost_alone(tally: Tally, key: ArmKey | str) -> Sample | None:
    """Return what entrant 0 loses in an arm, baseline minus arm; None where the arm was not played."""
    arm = arm_index(tally, key)
    if not arm:
        return None
    return tally.sized(tally.changes[arm - 1].sample(tally.column(ALONE), low=-1.0, high=1.0))


def change_of(tally: Tally, arm: int, column: Column | ClassShare | str, members: tuple[str, ...] = ()) -> Sample:
    """Return what an arm changes, arm minus baseline.

    Parameters
    ----------
    tally
        The sums.
    arm
        The place of the arm, from 1.
    column
        A share, a class of sides, or a column of the games (``rounds``, ``turns``, ...).
    members
        The sides of the class.
    """
    moments, reach = tally.changes[arm - 1], tally.rarity
    if isinstance(column, ClassShare):
        weights = [0.0] * moments.k
        for part, weight in mean_of(members).items():
            weights[tally.column(part)] = weight
        return turned(moments.contrast(weights, low=-reach, high=reach))
    if isinstance(column, str):
        place = len(tally.share_columns) + tally.game_columns.index(column)
        return turned(moments.sample(place, low=float("-inf"), high=float("inf")))
    reach = reach if isinstance(column, SideShare) else 1.0
    return turned(moments.sample(tally.column(column), low=-reach, high=reach))


def turned(sample: Sample) -> Sample:
    """Return the sample of the opposite difference."""
    return replace(sample, mean=-sample.mean, low=-sample.high, high=-sample.low)


def mean_per_game(tally: Tally, column: str, arm: int = 0) -> Sample:
    """Return the mean of a column of the games (``rounds``, ``turns``, ``capped``, ...) in an arm."""
    high = 1.0 if column in SHARES_OF_GAMES else float("inf")
    return tally.games[arm].sample(tally.game_columns.index(column), low=0.0, high=high)


SHARES_OF_GAMES = frozenset({"capped", "won", "tie", "all_win", "draw", "cap", "stopped"})
"""Columns that say of a game that something is so."""


def interaction(tally: Tally, pair: tuple[str, str]) -> Sample:
    """Return what entrant 0 loses without two abilities beyond what it loses without each."""
    return tally.crossed[pair].sample(0, low=-2.0, high=2.0)
