"""From the parts of a run to part sums: everything that the analysis needs of a run, flat at any number of games.

The unit is the super-block (called block here; a deal where a design has no super-blocks). Every number below is a
mean over the games or rows of a block, so that the mean over blocks is the estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.moments import Moments
from sim.engine import END_CAP, END_STOPPED, ENDS, WHOLE
from sim.experiment import Plan
from sim.game import Game, TableSpec, load
from sim.outcomes import Part

if TYPE_CHECKING:
    from sim.run import Run

Array = NDArray[Any]
COARSE = 2.0**-20
"""Grid of values that are no shares: turns, rounds, counts."""

GAME_COLUMNS = ("rounds", "turns", "lead_changes", "capped", *ENDS)
"""What is kept of the length and the end of games, besides uses of abilities."""


def one_arm(key: str) -> str:
    """Return the name of the arm in which entrant 0 alone plays without an ability."""
    return f"without {key}"


def pair_arm(first: str, second: str) -> str:
    """Return the name of the arm in which entrant 0 alone plays without two abilities."""
    return f"without {first} and {second}"


@dataclass
class Cells:
    """Sums for one row of a game's own table: numerators, then denominators, in the order of its measures."""

    key: tuple[int, ...]
    moments: Moments


@dataclass
class Tally:
    """Sums of one run.

    Parameters
    ----------
    plan, game
        The plan and the facts of its game.
    shares
        Per arm: columns of `share_columns`.
    games
        Per arm: columns of `game_columns`.
    changes
        Per arm after the first, baseline minus arm on the same deals: columns of `share_columns`, then `game_columns`.
    pairs
        Of the baseline: for each pair of sides, what the first won and what both won of the games that both played.
    observed
        Of the baseline: for each ability, (share won, rows) of seats that used it, then of seats that held its card.
    tables
        {key of a TableSpec: {group: Cells}} of the baseline.
    history
        Sums of the baseline's shares after each part, for sequences.
    crossed
        {(ability, ability): one column}: what entrant 0 loses without both, minus what it loses without each; for the
        pairs whose arm (`pair_arm`) the plan has.
    """

    plan: Plan
    game: Game
    blocks: int = 0
    shares: list[Moments] = field(default_factory=list)
    games: list[Moments] = field(default_factory=list)
    changes: list[Moments] = field(default_factory=list)
    pairs: dict[tuple[int, int], Moments] = field(default_factory=dict)
    observed: list[Moments] = field(default_factory=list)
    tables: dict[str, dict[tuple[int, ...], Cells]] = field(default_factory=dict)
    history: list[Moments] = field(default_factory=list)
    crossed: dict[tuple[str, str], Moments] = field(default_factory=dict)

    def __post_init__(self) -> None:
        null = 1.0 / self.plan.seats
        columns = len(self.share_columns)
        centre = [null] * columns
        wide = [0.0] * len(self.game_columns)
        self.shares = [Moments.empty(centre) for _ in self.plan.arms]
        self.games = [Moments.empty(wide, unit=COARSE) for _ in self.plan.arms]
        both = [0.0] * (columns + len(wide))
        self.changes = [Moments.empty(both, unit=COARSE * 2.0**-8) for _ in self.plan.arms[1:]]
        self.observed = [Moments.empty([0.0] * 4) for _ in self.game.abilities]
        self.crossed = {pair: Moments.empty([0.0], unit=COARSE * 2.0**-8) for pair in self._pairs_played}
        there = [s for s in self.game.tables if s.when is None or s.when(self.plan.variant)]
        self.tables = {spec.key: {} for spec in there}

    # ---- names of the columns

    @property
    def sides(self) -> tuple[int, ...]:
        """The sides that take part, ascending; none where the players choose them."""
        if self.game.sides_chosen is not None and self.game.sides_chosen(self.plan.variant):
            return ()
        return tuple(sorted({side for combo in self.plan.combos for side in combo}))

    @property
    def share_columns(self) -> tuple[str, ...]:
        """``seat 0``.., ``entrant 0``.., ``side NAME``.. (mean share per appearance)."""
        n = range(self.plan.seats)
        names = [self.plan.side_names[i] for i in self.sides]
        return (*(f"seat {i}" for i in n), *(f"entrant {i}" for i in n), *(f"side {name}" for name in names))

    @property
    def game_columns(self) -> tuple[str, ...]:
        """GAME_COLUMNS, then uses of each ability per game by all seats, then by entrant 0."""
        keys = [a.key for a in self.game.abilities]
        return (*GAME_COLUMNS, *(f"n_{k}" for k in keys), *(f"own_{k}" for k in keys))

    @property
    def games_per_block(self) -> int:
        """Games of one arm in a block."""
        return self.plan.superblock_games // len(self.plan.arms)

    @property
    def games_per_arm(self) -> int:
        """Games of one arm in all blocks."""
        return self.blocks * self.games_per_block

    def column(self, name: str) -> int:
        """Return the place of a share column."""
        return self.share_columns.index(name)

    def weights(self, parts: dict[str, float]) -> list[float]:
        """Return the weights of a contrast of share columns."""
        made = [0.0] * len(self.share_columns)
        for name, weight in parts.items():
            made[self.column(name)] += weight
        return made

    # ---- adding

    def add(self, part: Part) -> None:
        """Take in the next part in the order of deals."""
        games = part.games
        block = games["game"][:, 0] // self.plan.superblock_games - part.first
        arm = games["arm"][:, 0]
        values = []
        for a in range(len(self.plan.arms)):
            mine = arm == a
            shares = self._share_values(games[mine], block[mine], part.superblocks)
            lengths = self._game_values(games[mine], block[mine], part.superblocks)
            self.shares[a] = self.shares[a].add(shares)
            self.games[a] = self.games[a].add(lengths)
            values.append(np.concatenate([shares, lengths], axis=1))
        for a in range(1, len(values)):
            self.changes[a - 1] = self.changes[a - 1].add(values[0] - values[a])
        self._add_crossed([v[:, self.column("entrant 0")] for v in values])
        base = arm == 0
        self._add_pairs(games[base], block[base], part.superblocks)
        self._add_observed(games[base], block[base], part.superblocks)
        for spec in self.game.tables:
            if spec.key in self.tables:
                self._add_table(spec, part)
        self.blocks += part.superblocks
        self.history.append(self.shares[0])

    @property
    def _pairs_played(self) -> list[tuple[str, str]]:
        keys, names = [a.key for a in self.game.abilities], self.plan.arm_names
        return [(a, b) for a, b in combinations(keys, 2) if {pair_arm(a, b), one_arm(a), one_arm(b)} <= set(names)]

    def _add_crossed(self, shares: list[Array]) -> None:
        """Take in the shares of entrant 0 in each arm."""
        place = {name: i for i, name in enumerate(self.plan.arm_names)}
        for a, b in self.crossed:
            both, one, other = (shares[place[name]] for name in (pair_arm(a, b), one_arm(a), one_arm(b)))
            self.crossed[a, b] = self.crossed[a, b].add(one + other - both - shares[0])

    def _share_values(self, games: Array, block: Array, blocks: int) -> Array:
        share = games["share"].astype(np.float64) / WHOLE
        rows = np.repeat(block, self.plan.seats)
        flat = share.ravel()
        columns = []
        for name in ("seat", "entrant"):
            which = games[name].ravel()
            columns += [_per_row(rows, flat, which == i, blocks) for i in range(self.plan.seats)]
        side = games["side"].ravel()
        if self.plan.draw == "random":
            columns += [self._drawn(rows, flat, side == i, blocks) for i in self.sides]
        else:
            columns += [_per_row(rows, flat, side == i, blocks) for i in self.sides]
        return np.stack(columns, axis=1)

    @property
    def rarity(self) -> float:
        """1 / chance that a side takes part in a block: 1, but for randomly drawn sides."""
        return len(self.sides) / self.plan.seats if self.plan.draw == "random" and len(self.sides) > 1 else 1.0

    @property
    def side_range(self) -> tuple[float, float]:
        """The possible values of a side's column in one block; beyond 0 to 1 for randomly drawn sides."""
        null = 1.0 / self.plan.seats
        return null - null * self.rarity, null + (1 - null) * self.rarity

    def _drawn(self, rows: Array, values: Array, mask: Array, blocks: int) -> Array:
        """Return block values of a side that is drawn at random: its gap to a fair share, over its expected seats."""
        null = 1.0 / self.plan.seats
        expected = self.games_per_block * self.plan.seats / len(self.sides)
        made: Array = null + np.bincount(rows[mask], values[mask] - null, minlength=blocks) / expected
        return made

    def _game_values(self, games: Array, block: Array, blocks: int) -> Array:
        per_game = np.bincount(block, minlength=blocks)
        end = games["end"][:, 0]
        columns = [
            games["rounds"][:, 0].astype(np.float64),
            games["turns"].sum(axis=1, dtype=np.float64),
            games["lead_changes"][:, 0].astype(np.float64),
            ((end == END_CAP) | (end == END_STOPPED)).astype(np.float64),
            *((end == i).astype(np.float64) for i in range(len(ENDS))),
        ]
        first = games["entrant"] == 0
        counts = [games[f"n_{a.key}"].astype(np.float64) for a in self.game.abilities]
        columns += [c.sum(axis=1) for c in counts] + [(c * first).sum(axis=1) for c in counts]
        sums = [np.bincount(block, column, minlength=blocks) for column in columns]
        made: Array = np.stack(sums, axis=1) / np.maximum(per_game, 1)[:, None]
        return made

    def _add_pairs(self, games: Array, block: Array, blocks: int) -> None:
        side, share = games["side"], games["share"].astype(np.float64) / WHOLE
        if len(self.sides) < 2 or self.plan.seats < 2:
            return
        won = {i: np.where(side == i, share, 0.0).sum(axis=1) for i in self.sides}
        there = {i: (side == i).any(axis=1) for i in self.sides}
        for i, j in combinations(self.sides, 2):
            both = there[i] & there[j]
            first = np.bincount(block[both], won[i][both], minlength=blocks) / self.games_per_block
            second = np.bincount(block[both], won[j][both], minlength=blocks) / self.games_per_block
            before = self.pairs.get((i, j), Moments.empty([0.0, 0.0]))
            self.pairs[i, j] = before.add(np.stack([first, first + second], axis=1))

    def _add_observed(self, games: Array, block: Array, blocks: int) -> None:
        rows = np.repeat(block, self.plan.seats)
        share = games["share"].astype(np.float64).ravel() / WHOLE
        scale = self.games_per_block * self.plan.seats
        for i, ability in enumerate(self.game.abilities):
            columns = []
            for name in (f"n_{ability.key}", f"held_{ability.key}"):
                there = games[name].ravel() > 0
                columns.append(np.bincount(rows[there], share[there], minlength=blocks) / scale)
                columns.append(np.bincount(rows[there], minlength=blocks) / scale)
            self.observed[i] = self.observed[i].add(np.stack(columns, axis=1))

    def _add_table(self, spec: TableSpec, part: Part) -> None:
        rows = part.table(spec.source).reshape(-1)
        keep = rows["arm"] == 0
        if spec.where:
            keep &= rows[spec.where] != 0
        rows = rows[keep]
        block = rows["game"] // self.plan.superblock_games - part.first
        groups, code = _groups(rows, spec.by)
        scale = self.games_per_block * self.plan.seats
        size = part.superblocks * len(groups)
        place = block * len(groups) + code
        columns = []
        for what in [m.value for m in spec.measures] + [m.over for m in spec.measures]:
            if what in ("game", "all"):  # whatever the group: per seat and game, or of all rows
                whole = np.bincount(block, minlength=part.superblocks)[:, None] / scale
                columns.append(np.broadcast_to(whole if what == "all" else 1.0, (part.superblocks, len(groups))))
                continue
            summed = np.bincount(place, _values(rows, what), minlength=size)
            columns.append(summed.reshape(part.superblocks, -1) / scale)
        sums = np.stack(columns, axis=2)
        have = self.tables[spec.key]
        for key in groups:
            if key not in have:
                empty = Moments.empty([0.0] * len(columns), unit=COARSE)
                have[key] = Cells(key, empty.add(np.zeros((self.blocks, len(columns)))) if self.blocks else empty)
        for key, cells in have.items():
            mine = sums[:, groups.index(key)] if key in groups else np.zeros((part.superblocks, len(columns)))
            cells.moments = cells.moments.add(mine)


def _per_row(rows: Array, values: Array, mask: Array, blocks: int) -> Array:
    """Return the mean of the values of masked rows in each block, 0 where there is none."""
    total = np.bincount(rows[mask], values[mask], minlength=blocks)
    count = np.bincount(rows[mask], minlength=blocks)
    made: Array = total / np.maximum(count, 1)
    return made


def _groups(rows: Array, by: Sequence[str]) -> tuple[list[tuple[int, ...]], Array]:
    """Return the groups met, ascending, and the place of each row's group."""
    code = np.zeros(len(rows), np.int64)
    if not by:
        return [()], code
    stride = 1
    lows, sizes = [], []
    for name in reversed(by):
        values = rows[name].astype(np.int64)
        low = int(values.min()) if len(values) else 0
        size = int(values.max()) - low + 1 if len(values) else 1
        code += (values - low) * stride
        stride *= size
        lows.append(low)
        sizes.append(size)
    met, place = np.unique(code, return_inverse=True)
    groups = []
    for value in met.tolist():
        key = []
        for low, size in zip(lows, sizes):
            value, rest = divmod(value, size)
            key.append(rest + low)
        groups.append(tuple(reversed(key)))
    return groups, place.reshape(-1)


def _values(rows: Array, what: str) -> Array:
    """Return a column as floats: "1", a name, "a*b" or "a+b"."""
    if "+" in what:
        return np.sum([_values(rows, part) for part in what.split("+")], axis=0)  # type: ignore[no-any-return]
    made = np.ones(len(rows))
    for name in what.split("*"):
        name = name.strip()
        if name == "1":
            continue
        column = rows[name].astype(np.float64)
        made = made * (column / WHOLE if name == "share" else column)
    return made


def tally(run: Run, *, watch: Callable[[Tally], None] | None = None) -> Tally:
    """Return the sums of a run's parts.

    Parameters
    ----------
    run
        A finished run.
    watch
        Called after each part.
    """
    return tally_parts(run.plan, run.parts(), watch=watch)


def tally_parts(plan: Plan, parts: Iterable[Part], *, watch: Callable[[Tally], None] | None = None) -> Tally:
    """Return the sums of some parts, in their order."""
    made = Tally(plan, load(plan.place))
    for part in parts:
        made.add(part)
        if watch is not None:
            watch(made)
    return made
