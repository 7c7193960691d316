"""A run that was played, in a folder or in memory, and the checks of its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from sim import outcomes
from sim.errors import UsageError
from sim.experiment import Plan, rules_of_arms
from sim.game import load
from sim.identity import source_of
from sim.outcomes import TABLES, Part
from sim.run.folder import Folder
from sim.run.play import play_part


@dataclass
class Run:
    """A run, in a folder or in memory.

    Parameters
    ----------
    plan
        What was played; its number of super-blocks is what is there.
    out
        The run folder, or None.
    manifest
        What `manifest.json` holds.
    held
        The parts of a run in memory.
    seconds
        What playing took this time.
    """

    plan: Plan
    out: Path | None
    manifest: dict[str, Any]
    held: list[Part] = field(default_factory=list, repr=False)
    seconds: float = 0.0

    def parts(self, *, rounds: bool = True) -> Iterator[Part]:
        """Give the parts in deal order, one in memory at a time where there is a folder.

        Parameters
        ----------
        rounds
            Whether the rounds are read too; otherwise parts from a folder have none.
        """
        if self.out is None:
            yield from self.held
            return
        folder = Folder(self.out)
        for index in range(self.plan.n_parts):
            yield folder.load(self.plan, index, rounds=rounds)

    @cached_property
    def games(self) -> pd.DataFrame:
        """The table of games: a row per game and seat."""
        return self._frame("games")

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """The table of rounds: a row per game, round and seat."""
        return self._frame("rounds")

    def _frame(self, table: str) -> pd.DataFrame:
        names = outcomes.names_of(self.plan)
        if self.out is None:
            return outcomes.frame((outcomes.to_table(part.table(table), names) for part in self.held), names)
        folder = Folder(self.out)
        return outcomes.read_frame([folder.file(table, i) for i in range(self.plan.n_parts)], names)

    @property
    def games_per_arm(self) -> int:
        """Games of each arm."""
        return self.plan.games_per_arm

    @property
    def sequential(self) -> bool:
        """Whether only anytime-valid intervals may be shown for it."""
        return bool(self.manifest["sequential"]) or self.manifest["status"] in ("running", "interrupted")

    def _facts(self) -> list[tuple[str, str]]:
        plan = self.plan
        return [
            ("game", load(plan.place).title),
            ("variant", plan.variant.name),
            ("seats", str(plan.seats)),
            ("games per arm", f"{plan.games_per_arm:,}"),
            ("arms", ", ".join(plan.arm_names)),
            ("seed", str(plan.seed)),
            ("folder", "in memory" if self.out is None else str(self.out)),
        ]

    def __repr__(self) -> str:
        return "Run(" + ", ".join(f"{name}: {value}" for name, value in self._facts()) + ")"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in self._facts())
        return f"<table>{rows}</table>"


def open_run(out: str | Path) -> Run:
    """Return the run that lies in a folder."""
    folder = Folder(Path(out))
    if not folder.read():
        raise UsageError(f"{out} is not a run folder: it has no manifest.json.")
    plan = Plan.from_json(folder.manifest["plan"])
    played = max((p["first"] + p["superblocks"] for p in folder.manifest["parts"]), default=0)
    if played == 0:
        raise UsageError(f"No part of the run in {out} is finished yet; start it again with the same command.")
    return Run(plan.with_superblocks(min(played, plan.superblocks)), Path(out), folder.manifest)


def check_run(out: str | Path) -> list[str]:
    """Return a sentence for everything that is wrong with the files of a run folder."""
    folder = Folder(Path(out))
    if not folder.read():
        raise UsageError(f"{out} is not a run folder: it has no manifest.json.")
    found = [folder.damage(entry) for entry in folder.manifest["parts"]]
    wrong = [sentence for sentence in found if sentence is not None]
    expected = list(range(len(folder.manifest["parts"])))
    if [entry["part"] for entry in folder.manifest["parts"]] != expected:
        wrong.append(f"{folder.path / 'manifest.json'} does not list its parts one after the other.")
    return wrong


def replay_parts(out: str | Path, indices: list[int]) -> list[str]:
    """Play some parts of a finished run again; return a sentence for every table that comes out differently."""
    run_ = open_run(out)
    plan, wrong = run_.plan, []
    game = load(plan.place)
    if (now := dict(source_of(game))) != dict(plan.source):
        return [f"{out} was played by other kernels ({dict(plan.source)}) than are here ({now})."]
    if rules_of_arms(game, plan.arms, plan.seats) != plan.rules:
        return [f"{out} was played with other cards, decks or numbers of {game.title} than are here."]
    for index in indices:
        part = play_part(plan, index)
        entry = next(p for p in run_.manifest["parts"] if p["part"] == index)
        for table in TABLES:
            data = outcomes.to_bytes(part.table(table), outcomes.names_of(plan))
            if outcomes.digest(data) != entry["sha256"][table]:
                wrong.append(f"{Folder(Path(out)).file(table, index)} comes out differently when it is played again.")
    return wrong
