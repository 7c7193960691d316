"""What the games of a run show: pure functions from part sums or tables to estimates, intervals and verdicts.

``analysis.win_shares(run, by="side")``, ``analysis.first_player(run)``, ``analysis.abilities(run)``: each takes a run.
Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.drama import Drama, chances, drama_of
    from analysis.intervals import Interval, interval
    from analysis.play import Watch, compare_plan, open_study, play_study
    from analysis.runs import Spec, Study
    from analysis.skill import Rung, ladder, ladder_table
    from analysis.study import (
        Judge,
        abilities,
        ability_table,
        all_sides,
        changes,
        difference,
        first_player,
        game_mean,
        judge,
        pools,
        seats,
        side_by_side,
        sides,
        win_shares,
    )
    from analysis.sums import Tally, tally
    from analysis.verdicts import Joint, Verdict

_PLACES = {
    "drama": ("Drama", "chances", "drama_of"),
    "intervals": ("Interval", "interval"),
    "play": ("Watch", "compare_plan", "open_study", "play_study"),
    "runs": ("Spec", "Study"),
    "skill": ("Rung", "ladder", "ladder_table"),
    "study": (
        "Judge", "abilities", "ability_table", "all_sides", "changes", "difference", "first_player", "game_mean",
        "judge", "pools", "seats", "side_by_side", "sides", "win_shares",
    ),
    "sums": ("Tally", "tally"),
    "verdicts": ("Joint", "Verdict"),
}  # fmt: skip
_MODULE = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Drama", "Interval", "Joint", "Judge", "Rung", "Spec", "Study", "Tally", "Verdict", "Watch", "abilities",
    "ability_table", "all_sides", "chances", "changes", "compare_plan", "difference", "drama_of", "first_player",
    "game_mean", "interval", "judge", "ladder", "ladder_table", "open_study", "play_study", "pools", "seats",
    "side_by_side", "sides", "tally", "win_shares",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"analysis.{_MODULE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
