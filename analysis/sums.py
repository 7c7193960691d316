"""From the parts of a run to part sums: everything that the analysis needs of a run, flat at any number of games.

The unit is the super-block (called block here; a deal where a design has no super-blocks). Every number below is a
mean over the games or rows of a block, so that the mean over blocks is the estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.keys import ALONE, Column, Entrant, Off, OffBoth, Seat, SideShare, Weights
from analysis.moments import Moments, Sample, add_each
from sim.engine import END_CAP, END_STOPPED, ENDS, WHOLE
from sim.experiment import Plan
from sim.facts import Seating, TableSpec
from sim.game import Game, load
from sim.outcomes import Part

if TYPE_CHECKING:
    from sim.run import Run

Array = NDArray[Any]
COARSE = 2.0**-20
"""Grid of values that are no shares: turns, rounds, counts."""

GAME_COLUMNS = ("rounds", "turns", "lead_changes", "capped", *ENDS)
"""What is kept of the length and the end of games, besides uses of abilities."""


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
        Of the baseline: for each ability, (share won, rows) of seats that used it, then of seats that held its card;
        counted for the abilities that entrant 0 lacks in an arm (`keys.Off`).
    tables
        {key of a TableSpec: {group: Cells}} of the baseline.
    absent
        {key of a TableSpec: sums for a group that never occurs}.
    tabled
        Whether the game's own tables are kept.
    history
        Sums of the baseline's shares after each part, for sequences.
    crossed
        {(ability, ability): one column}: what entrant 0 loses without both, minus what it loses without each; for the
        pairs whose arm (`keys.OffBoth`) the plan has.
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
    absent: dict[str, Moments] = field(default_factory=dict)
    tabled: bool = True

    def __post_init__(self) -> None:
        null = 1.0 / self.plan.seats
        columns = len(self.share_columns)
        centre = [null] * columns
        wide = [0.0] * len(self.game_columns)
        self.shares = [Moments.empty(centre) for _ in self.plan.arms]
        self.games = [Moments.empty(wide, unit=COARSE, crossed=0) for _ in self.plan.arms]
        both = [0.0] * (columns + len(wide))
        self.changes = [Moments.empty(both, unit=COARSE * 2.0**-8, crossed=columns) for _ in self.plan.arms[1:]]
        self.observed = [Moments.empty([0.0] * 4) for _ in self.game.abilities]
        self.crossed = {pair: Moments.empty([0.0], unit=COARSE * 2.0**-8) for pair in self._pairs_played}
        there = [s for s in self.game.tables if self.tabled and (s.when is None or s.when(self.plan.variant))]
        self.tables = {spec.key: {} for spec in there}
        self.absent = {spec.key: Moments.empty([0.0] * 2 * len(spec.measures), unit=COARSE) for spec in there}

    @property
    def sources(self) -> set[str]:
        """The tables of a run, `games` or `rounds`, that the game's own tables are made of."""
        return {spec.source for spec in self.game.tables if spec.key in self.tables}

    # ---- names of the columns

    @property
    def sides(self) -> tuple[int, ...]:
        """The sides that take part, ascending; none where the players choose them."""
        if self.game.group(Seating).chosen(self.plan.variant):
            return ()
        return self.plan.sides

    @property
    def share_columns(self) -> tuple[Column, ...]:
        """Every seat, every entrant, every side (mean share per appearance)."""
        n = range(self.plan.seats)
        names = [self.plan.side_names[i] for i in self.sides]
        return (*map(Seat, n), *map(Entrant, n), *map(SideShare, names))

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

    def column(self, column: Column) -> int:
        """Return the place of a share column."""
        return self.share_columns.index(column)

    def weights(self, parts: Weights) -> list[float]:
        """Return the weights of a contrast of share columns."""
        made = [0.0] * len(self.share_columns)
        for column, weight in parts.items():
            made[self.column(column)] += weight
        return made

    def sized(self, sample: Sample) -> Sample:
        """Return a sample of block values that knows how many deals a block has."""
        return replace(sample, deals=self.plan.superblock_deals)

    # ---- adding

    def add(self, part: Part, sizes: Sequence[int] = ()) -> None:
        """Take in the next part in the order of deals.

        Parameters
        ----------
        part
            The part, or several that follow one another as one.
        sizes
            Blocks of each of these; the history has an entry for each.
        """
        games, arms, blocks = part.games, len(self.plan.arms), part.superblocks
        place = self._block(games["game"][:, 0], part) * arms + games["arm"][:, 0]
        shape = (blocks, arms, -1)
        shares = self._share_values(games, place, arms * blocks).reshape(shape).swapaxes(0, 1)
        lengths = self._game_values(games, place, arms * blocks).reshape(shape).swapaxes(0, 1)
        self._add_history(shares[0], sizes or (blocks,))
        self.shares[1:] = add_each(self.shares[1:], shares[1:])
        self.games = add_each(self.games, lengths)
        values = np.concatenate([shares, lengths], axis=2)
        self.changes = add_each(self.changes, values[:1] - values[1:])
        self._add_crossed(shares[:, :, self.column(ALONE)])
        base = self._baseline(games, games["arm"][:, 0])
        block = self._block(base["game"][:, 0], part)
        self._add_pairs(base, block, blocks)
        self._add_observed(base, block, blocks)
        for source in sorted(self.sources):
            rows = base if source == "games" else self._baseline(part.rounds, part.rounds["arm"][:, 0])
            rows = rows.reshape(-1)
            for spec in self.game.tables:
                if spec.key in self.tables and spec.source == source:
                    self._add_table(spec, rows, self._block(rows["game"], part), blocks)
        self.blocks += blocks

    def _baseline(self, rows: Array, arm: Array) -> Array:
        """Return the records of the baseline; all of them, not copied, where there is nothing else."""
        return rows if len(self.plan.arms) == 1 else rows[arm == 0]

    def _block(self, game: Array, part: Part) -> Array:
        """Return the place in a part of the blocks that games are of."""
        made: Array = game // self.plan.superblock_games - part.first
        return made

    def _add_history(self, shares: Array, sizes: Sequence[int]) -> None:
        """Take in the baseline's shares, a prefix of the run for each size."""
        start = 0
        for size in sizes:
            self.shares[0] = self.shares[0].add(shares[start : start + size])
            self.history.append(self.shares[0])
            start += size

    @property
    def _pairs_played(self) -> list[tuple[str, str]]:
        keys, names = [a.key for a in self.game.abilities], self.plan.arm_names
        return [
            (a, b)
            for a, b in combinations(keys, 2)
            if {str(arm) for arm in (OffBoth(a, b), Off(a), Off(b))} <= set(names)
        ]

    def _add_crossed(self, shares: Array) -> None:
        """Take in the shares of entrant 0, shape (arms, blocks)."""
        place = {name: i for i, name in enumerate(self.plan.arm_names)}
        for a, b in self.crossed:
            both, one, other = (shares[place[str(arm)]] for arm in (OffBoth(a, b), Off(a), Off(b)))
            self.crossed[a, b] = self.crossed[a, b].add(one + other - both - shares[0])

    def _share_values(self, games: Array, block: Array, blocks: int) -> Array:
        share = games["share"].astype(np.float64) / WHOLE
        seats = self.plan.seats
        rows, flat = np.repeat(block, seats), share.ravel()
        columns = [
            _per_row(rows, flat, np.broadcast_to(np.arange(seats), share.shape).ravel(), seats, blocks),
            _per_row(rows, flat, games["entrant"].ravel(), seats, blocks),
        ]
        side = games["side"].ravel()
        if self.plan.draw == "random":
            columns += [self._drawn(rows, flat, side == i, blocks)[:, None] for i in self.sides]
        elif self.sides:
            columns.append(_per_row(rows, flat, side, len(self.plan.side_names), blocks)[:, list(self.sides)])
        return np.concatenate(columns, axis=1)

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
        end = games["end"][:, 0]
        first = games["entrant"] == 0
        counts = [games[f"n_{a.key}"] for a in self.game.abilities]
        columns = [
            games["rounds"][:, 0],
            _over_seats(games["turns"]),
            games["lead_changes"][:, 0],
            (end == END_CAP) | (end == END_STOPPED),
            *(end == i for i in range(len(ENDS))),
            *map(_over_seats, counts),
            *(_over_seats(count * first) for count in counts),
        ]
        values = np.empty((len(games), len(columns)))
        for i, column in enumerate(columns):
            values[:, i] = column
        if (block[1:] < block[:-1]).any():  # sums of whole numbers: any order gives the same
            order = np.argsort(block, kind="stable")
            values, block = values[order], block[order]
        start = np.flatnonzero(np.diff(block, prepend=-1))
        made = np.zeros((blocks, len(columns)))
        if len(start):
            made[block[start]] = np.add.reduceat(values, start, axis=0) / np.diff(start, append=len(block))[:, None]
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
        share = games["share"].ravel() / WHOLE
        scale = self.games_per_block * self.plan.seats
        for i, ability in enumerate(self.game.abilities):
            if str(Off(ability.key)) not in self.plan.arm_names:
                continue
            columns = []
            for name in (f"n_{ability.key}", f"held_{ability.key}"):
                there = games[name].ravel() > 0
                columns.append(np.bincount(rows, share * there, minlength=blocks) / scale)
                columns.append(np.bincount(rows, there, minlength=blocks) / scale)
            self.observed[i] = self.observed[i].add(np.stack(columns, axis=1))

    def _add_table(self, spec: TableSpec, rows: Array, block: Array, blocks: int) -> None:
        """Take in the baseline's rows; block: rows -> block of the part."""
        if spec.where:
            keep = _values(rows, spec.where) != 0
            rows, block = rows[keep], block[keep]
        whole = np.bincount(block, minlength=blocks)
        groups, code = _groups(rows, spec.by)
        scale = self.games_per_block * self.plan.seats
        place = block * len(groups) + code
        values = [m.value for m in spec.measures] + [m.over for m in spec.measures]
        # What a group holds that did not occur: nothing, but per game and of all rows it counts like the others.
        absent = np.zeros((blocks, len(values)))
        for i, what in enumerate(values):
            if what in ("game", "all"):
                absent[:, i] = 1.0 if what == "game" else whole / scale
        sums = np.repeat(absent[:, None], len(groups), axis=1)
        for i, what in enumerate(values):
            if what not in ("game", "all"):
                summed = np.bincount(place, _values(rows, what), minlength=blocks * len(groups))
                sums[:, :, i] = summed.reshape(blocks, -1) / scale
        have = self.tables[spec.key]
        for key in groups:
            if key not in have:
                have[key] = Cells(key, self.absent[spec.key])
        self.absent[spec.key] = self.absent[spec.key].add(absent)
        places = {key: i for i, key in enumerate(groups)}
        every = np.stack([sums[:, places[key]] if key in places else absent for key in have])
        for cells, moments in zip(have.values(), add_each([cells.moments for cells in have.values()], every)):
            cells.moments = moments


def _over_seats(values: Array) -> Array:
    """Return sums over seats; numpy takes its time over so short an axis."""
    made: Array = values[:, 0].astype(np.int64)
    for seat in range(1, values.shape[1]):
        made += values[:, seat]
    return made


def _per_row(rows: Array, values: Array, group: Array, groups: int, blocks: int) -> Array:
    """Return the mean of the values of each group's rows in each block, 0 where there is none: (blocks, groups)."""
    place = rows * groups + group
    total = np.bincount(place, values, minlength=blocks * groups)
    count = np.bincount(place, minlength=blocks * groups)
    made: Array = (total / np.maximum(count, 1)).reshape(blocks, groups)
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


TOGETHER = 100_000
"""Rows up to which parts are taken in as one: the sums are exact, so this leaves no trace in them."""


def tally(run: Run, *, tabled: bool = True) -> Tally:
    """Return the sums of a run's parts.

    Parameters
    ----------
    run
        A finished run.
    tabled
        Whether the game's own tables are wanted; without them a run is read in half the time.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> tally(run).blocks
    20
    """
    made = Tally(run.plan, load(run.plan.place), tabled=tabled)
    for part, sizes in _joined(_ahead(run.parts(rounds="rounds" in made.sources))):
        made.add(part, sizes)
    return made


def _joined(parts: Iterable[Part]) -> Iterator[tuple[Part, list[int]]]:
    """Give parts that follow one another as one, with the blocks of each."""
    held: list[Part] = []
    rows = 0
    for part in parts:
        size = part.games.size + part.rounds.size
        if held and rows + size > TOGETHER:
            yield _one(held)
            held, rows = [], 0
        held.append(part)
        rows += size
    if held:
        yield _one(held)


def _one(parts: list[Part]) -> tuple[Part, list[int]]:
    sizes = [part.superblocks for part in parts]
    if len(parts) == 1:
        return parts[0], sizes
    tables = (np.concatenate([part.table(name) for part in parts]) for name in ("games", "rounds"))
    return Part(parts[0].index, parts[0].first, sum(sizes), *tables), sizes


def _ahead(parts: Iterator[Part]) -> Iterator[Part]:
    """Give parts while the next one is being read."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = reader.submit(next, parts, None)
            yield part
