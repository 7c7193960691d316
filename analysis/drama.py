"""Pace and drama of a run: how long games last, who leads, when they are decided, how much of it the cards decide.

Everything is part sums over blocks, so memory is flat at any number of games. How good a standing is, is learned from
the blocks with even numbers and applied to those with odd numbers: no game tells its own fortune.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval
from analysis.moments import Moments, Sample
from analysis.sums import COARSE
from sim.engine import WHOLE
from sim.experiment import Plan
from sim.facts import Standing
from sim.game import load
from sim.outcomes import Part

if TYPE_CHECKING:
    from analysis.study import Judge
    from sim.run import Run

Array = NDArray[Any]

QUANTILES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
GRID = 24
"""Points of the cumulative distribution between the quantiles above."""

MOST_GAMES = 100_000
MOST_ROUNDS = 24
DECIDED = 0.8
"""A game is decided when its winner's chance has risen to this for good."""

PRIOR = 20.0
"""Rows that a rarer standing borrows from the next coarser description of it."""

LEVELS = 3
_BIAS, _BITS = 1 << 15, 17

FATES = ("won", "decided_round", "decided_part", "early", "comeback", "half", "behind")
"""Per game with one winner: 1, round of the decision, that round over all rounds, decided before the last round, won
from below half a fair share, has a half-time, its winner stood behind at half-time."""


# ---- how good a standing is


def _codes(standing: Array, after: Array) -> list[Array]:
    """Return three descriptions of each seat's standing, coarse to fine: lead; own and best other; those and the round.

    Parameters
    ----------
    standing
        int64, shape (states, seats).
    after
        Rounds played, shape (states,).
    """
    own = np.clip(standing, -_BIAS, _BIAS)
    order = np.sort(own, axis=1)
    # The best of the others is the second best for the one who is best, ties included.
    best = np.where(own == order[:, -1:], order[:, -2:-1], order[:, -1:])
    both = ((own + _BIAS) << _BITS) | (best + _BIAS)
    return [own - best, both, (after[:, None].astype(np.int64) << (2 * _BITS)) | both]


@dataclass
class WinModel:
    """Expected share of each seat, given the standing between two rounds: observed frequencies, shrunk.

    Parameters
    ----------
    seats
        Number of seats.
    counts
        For each level {code: (rows, share won by them)}.
    """

    seats: int
    counts: list[dict[int, tuple[int, float]]] = field(default_factory=lambda: [{} for _ in range(LEVELS)])
    _tables: list[tuple[Array, Array]] = field(default_factory=list, repr=False)

    def learn(self, standing: Array, after: Array, share: Array) -> None:
        """Take in states, shape (states, seats), and what each seat won in the end."""
        for level, codes in enumerate(_codes(standing, after)):
            met, place = np.unique(codes, return_inverse=True)
            rows = np.bincount(place.ravel(), minlength=len(met))
            won = np.bincount(place.ravel(), share.ravel(), minlength=len(met))
            have = self.counts[level]
            for code, n, total in zip(met.tolist(), rows.tolist(), won.tolist()):
                old = have.get(code, (0, 0.0))
                have[code] = (old[0] + n, old[1] + total)
        self._tables = []

    def expected(self, standing: Array, after: Array) -> Array:
        """Return the expected shares, shape (states, seats); each row sums to 1."""
        if not self._tables:
            self._tables = self._made_tables()
        found = np.full(standing.shape, 1.0 / self.seats)
        for (codes, values), mine in zip(self._tables, _codes(standing, after)):
            if not len(codes):
                continue
            place = np.minimum(np.searchsorted(codes, mine), len(codes) - 1)
            found = np.where(codes[place] == mine, values[place], found)
        made: Array = found / found.sum(axis=1, keepdims=True)
        return made

    def _made_tables(self) -> list[tuple[Array, Array]]:
        made: list[tuple[Array, Array]] = []
        parents: dict[int, float] = {}
        for level in range(LEVELS):
            values: dict[int, float] = {}
            for code, (n, won) in self.counts[level].items():
                before = parents.get(_coarser(code, level), 1.0 / self.seats)
                values[code] = (won + PRIOR * before) / (n + PRIOR)
            codes = np.array(sorted(values), np.int64)
            made.append((codes, np.array([values[c] for c in codes.tolist()])))
            parents = values
        return made


def _coarser(code: int, level: int) -> int:
    """Return the code of the same standing one level coarser."""
    if level == 1:
        return (code >> _BITS) - (code & ((1 << _BITS) - 1))
    return code & ((1 << (2 * _BITS)) - 1) if level == 2 else -1


@dataclass(frozen=True)
class States:
    """The standings of some games after each of their rounds.

    Parameters
    ----------
    game
        Place of the game in its part, shape (states,), rising.
    after
        Rounds played.
    standing
        Sum of the game's standing column so far, shape (states, seats).
    share
        What each seat won in the end, shape (states, seats).
    last
        Whether the game ended with this round.
    """

    game: Array
    after: Array
    standing: Array
    share: Array
    last: Array


def states_of(part: Part, column: str) -> States:
    """Return the standings of a part's baseline games."""
    rounds = part.rounds[part.rounds["arm"][:, 0] == 0]
    number = rounds["game"][:, 0]
    place = np.searchsorted(part.games["game"][:, 0], number)
    new = np.ones(len(number), bool)
    new[1:] = number[1:] != number[:-1]
    total = np.cumsum(rounds[column].astype(np.int64), axis=0)
    first = np.flatnonzero(new)
    before = np.vstack([np.zeros((1, rounds.shape[1]), np.int64), total])[first]
    standing = total - np.repeat(before, np.diff(np.append(first, len(number))), axis=0)
    share = part.games["share"][place].astype(np.float64) / WHOLE
    return States(place, rounds["round"][:, 0].astype(np.int64), standing, share, np.append(new[1:], True)[: len(new)])


# ---- sums


@dataclass(frozen=True)
class Pick:
    """A game worth telling.

    Parameters
    ----------
    deal, seating
        Which one.
    turns, rounds
        Its length.
    chance
        The lowest chance that its winner ever had between rounds; None where no standing is known.
    """

    deal: int
    seating: int
    turns: int
    rounds: int
    chance: float | None = None


@dataclass
class Drama:
    """What `drama_of` found.

    Parameters
    ----------
    plan
        What was played.
    games
        Games of the baseline that were looked at.
    turns, rounds
        How many games had this many turns (of all seats together) and rounds, by number.
    points
        Turns at which the cumulative distribution was measured.
    below
        Per block, share of games with at most so many turns; a column per point.
    deal
        Per block: covariance of the shares of one packet in two seatings, and variance of a share; None where a packet
        is played once only.
    model
        How good a standing is; None for a game that names none.
    path
        Per odd block, for each round k: games still on after it, leader's expected share, share that the leader won.
    fate
        Per odd block, `FATES` per game.
    score
        Per odd block: squared error of the model, squared error of knowing nothing, states.
    typical, longest, comeback
        Games worth telling.
    """

    plan: Plan
    games: int = 0
    turns: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    rounds: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    points: tuple[int, ...] = ()
    below: Moments = field(default_factory=lambda: Moments.empty([0.0]))
    deal: Moments | None = None
    model: WinModel | None = None
    path: Moments = field(default_factory=lambda: Moments.empty([0.0] * 3, unit=COARSE))
    fate: Moments = field(default_factory=lambda: Moments.empty([0.0] * len(FATES), unit=COARSE))
    score: Moments = field(default_factory=lambda: Moments.empty([0.0] * 3, unit=COARSE))
    typical: Pick | None = None
    longest: Pick | None = None
    comeback: Pick | None = None

    @property
    def path_rounds(self) -> int:
        """After how many rounds the leader's chance was measured."""
        return self.path.k // 3

    def quantile(self, q: float, judge: Judge) -> tuple[int, Interval]:
        """Return the number of turns that a share `q` of games does not exceed, with its interval.

        The interval of the distribution at that point, turned into turns (Woodruff, JASA 47, 1952): games of a block
        are not independent, so counting alone would be too sure.
        """
        share = np.cumsum(self.turns) / max(1, int(self.turns.sum()))
        at = _reach(share, q)
        sample = self.below.sample(self.points.index(at))
        found = judge.interval(sample)
        low = _reach(share, q - (sample.mean - found.low))
        high = _reach(share, q + (found.high - sample.mean))
        return at, Interval(float(low), float(high), found.level, "woodruff")

    def deal_share(self) -> Sample | None:
        """Return how much of the variance of a share lies in the packet of cards that was dealt."""
        return None if self.deal is None else self.deal.ratio(0, 1, low=-1.0, high=1.0)

    def leader(self, k: int) -> tuple[Sample, Sample, Sample]:
        """Return after round k: share of games still on, the leader's expected share, and what the leader won."""
        i = 3 * (k - 1)
        return self.path.sample(i), self.path.ratio(i + 1, i), self.path.ratio(i + 2, i)

    def fate_of(self, name: str) -> Sample:
        """Return a mean of `FATES` over games with one winner; of `behind` over those that have a half-time."""
        high = math.inf if name == "decided_round" else 1.0
        over = FATES.index("half" if name == "behind" else "won")
        return self.fate.ratio(FATES.index(name), over, high=high)


def _reach(share: Array, q: float) -> int:
    """Return the smallest number whose cumulative share reaches q."""
    return min(int(np.searchsorted(share, q - 1e-12)), len(share) - 1)


def _parts(run: Run, most: int) -> Iterator[Part]:
    """Give the first parts of a run, at least one, until so many games of the baseline have been seen."""
    per_part = run.plan.part_superblocks * run.plan.superblock_games // len(run.plan.arms)
    yield from islice(run.parts(), max(1, most // max(1, per_part)))


def drama_of(run: Run, *, most: int = MOST_GAMES) -> Drama:
    """Return pace and drama of a run's baseline.

    Parameters
    ----------
    run
        A finished run; its parts are read twice, one in memory at a time.
    most
        Games to look at: the first so many.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> drama_of(run).model.seats
    4
    """
    made = Drama(run.plan)
    column = load(run.plan.place).group(Standing).column
    if column:
        made.model = WinModel(run.plan.seats)
    for part in _parts(run, most):
        _count_lengths(made, part)
        if made.model is not None:
            states = states_of(part, column)
            even = _block(made.plan, part, states.game) % 2 == 0
            keep = even & ~states.last
            made.model.learn(states.standing[keep], states.after[keep], states.share[keep])
    _prepare(made)
    for part in _parts(run, most):
        _add_part(made, part)
        if column:
            _add_fates(made, part, states_of(part, column))
    return made


def _block(plan: Plan, part: Part, place: Array) -> Array:
    made: Array = part.games["game"][place, 0] // plan.superblock_games
    return made


def _more(have: Array, values: Array) -> Array:
    size = max(len(have), int(values.max()) + 1 if len(values) else 1)
    made = np.bincount(values, minlength=size)
    made[: len(have)] += have
    return made


def _base(part: Part) -> Array:
    return np.flatnonzero(part.games["arm"][:, 0] == 0)


def _turns(part: Part, place: Array) -> Array:
    made: Array = part.games["turns"][place].sum(axis=1, dtype=np.int64)
    return made


def _count_lengths(made: Drama, part: Part) -> None:
    place = _base(part)
    made.games += len(place)
    made.turns = _more(made.turns, _turns(part, place))
    made.rounds = _more(made.rounds, part.games["rounds"][place, 0].astype(np.int64))


def _prepare(made: Drama) -> None:
    """Fix what the second reading measures, from the lengths that the first one counted."""
    share = np.cumsum(made.turns) / max(1, int(made.turns.sum()))
    wanted = {_reach(share, q) for q in (*QUANTILES, *np.linspace(0.001, 0.999, GRID + 1).tolist())}
    made.points = tuple(sorted(wanted))
    made.below = Moments.empty([0.0] * len(made.points), unit=COARSE)
    rounds = np.cumsum(made.rounds) / max(1, int(made.rounds.sum()))
    made.path = Moments.empty([0.0] * 3 * min(MOST_ROUNDS, max(1, _reach(rounds, 0.99) - 1)), unit=COARSE)


def _add_part(made: Drama, part: Part) -> None:
    plan = made.plan
    place = _base(part)
    block = _block(plan, part, place) - part.first
    turns = _turns(part, place)
    size = np.maximum(np.bincount(block, minlength=part.superblocks), 1)
    columns = [np.bincount(block, turns <= x, minlength=part.superblocks) / size for x in made.points]
    made.below = made.below.add(np.stack(columns, axis=1))
    _add_deals(made, part, place)
    _pick(made, part, place, turns)


def _add_deals(made: Drama, part: Part, place: Array) -> None:
    """Add what the packets explain: a packet's luck is what its shares in two seatings have in common."""
    plan = made.plan
    games = part.games[place]
    first = part.first * plan.superblock_deals
    deal = games["deal"][:, 0] - first
    deals = part.superblocks * plan.superblock_deals
    repeats = np.bincount(deal, minlength=deals)
    if plan.draw == "random" or bool((repeats < 2).any()):
        return
    code = (deal[:, None] * plan.seats + games["packet"]).ravel()
    gap = games["share"].astype(np.float64).ravel() / WHOLE - 1.0 / plan.seats
    total = np.bincount(code, gap, minlength=deals * plan.seats)
    square = np.bincount(code, gap * gap, minlength=deals * plan.seats)
    each = np.repeat(repeats, plan.seats)
    common = (total**2 - square) / (each * (each - 1))
    values = np.stack([common, square / each], axis=1)
    made.deal = (made.deal or Moments.empty([0.0, 0.0], unit=COARSE * 2.0**-8)).add(
        values.reshape(part.superblocks, -1, 2).mean(axis=1)
    )


def _pick(made: Drama, part: Part, place: Array, turns: Array) -> None:
    """Keep the game nearest to the medians, and the longest; of equals the first."""
    games = part.games[place]
    rounds = games["rounds"][:, 0].astype(np.int64)
    middle = [_reach(np.cumsum(h) / max(1, int(h.sum())), 0.5) for h in (made.turns, made.rounds)]
    far = np.abs(turns - middle[0]) + 1000 * np.abs(rounds - middle[1])

    def found(i: int) -> Pick:
        return Pick(int(games["deal"][i, 0]), int(games["seating"][i, 0]), int(turns[i]), int(rounds[i]))

    near, long = found(int(far.argmin())), found(int(turns.argmax()))
    old = made.typical
    if old is None or int(far.min()) < abs(old.turns - middle[0]) + 1000 * abs(old.rounds - middle[1]):
        made.typical = near
    if made.longest is None or long.turns > made.longest.turns:
        made.longest = long


def _add_fates(made: Drama, part: Part, states: States) -> None:
    assert made.model is not None
    plan = made.plan
    odd = _block(plan, part, states.game) % 2 == 1
    if not odd.any():
        return
    s = States(states.game[odd], states.after[odd], states.standing[odd], states.share[odd], states.last[odd])
    expected = made.model.expected(s.standing, s.after)
    blocks = part.superblocks
    number = _block(plan, part, s.game) - part.first
    rows = np.flatnonzero((np.arange(blocks) + part.first) % 2 == 1)
    scale = plan.superblock_games / len(plan.arms)
    path = _path_sums(s, expected, number, blocks, made.path_rounds)
    made.path = made.path.add(path[rows] / scale)
    on = ~s.last
    errors = [
        ((expected - s.share) ** 2).sum(axis=1),
        ((1.0 / plan.seats - s.share) ** 2).sum(axis=1),
        np.ones(len(on)),
    ]
    score = [np.bincount(number[on], e[on], minlength=blocks) for e in errors]
    made.score = made.score.add(np.stack(score, axis=1)[rows] / scale)
    fate, lowest, place = _fates(s, expected)
    where = _block(plan, part, place) - part.first
    sums = [np.bincount(where, column, minlength=blocks) for column in fate.T]
    made.fate = made.fate.add(np.stack(sums, axis=1)[rows] / scale)
    _pick_comeback(made, part, place, lowest)


def _path_sums(s: States, expected: Array, number: Array, blocks: int, most: int) -> Array:
    """Return per block and round: games on, leader's expected share, share the leader won; shape (blocks, 3 * most)."""
    leads = s.standing == s.standing.max(axis=1, keepdims=True)
    share = [(x * leads).sum(axis=1) / leads.sum(axis=1) for x in (expected, s.share)]
    keep = ~s.last & (s.after <= most)
    code = number[keep] * most + s.after[keep] - 1
    made = [np.bincount(code, x[keep], minlength=blocks * most) for x in (np.ones(len(keep)), *share)]
    return np.stack(made, axis=1).reshape(blocks, 3 * most)


def _fates(s: States, expected: Array) -> tuple[Array, Array, Array]:
    """Return per game with one winner: `FATES`, the lowest chance of its winner, the game's place in the part."""
    first = np.flatnonzero(np.append(True, s.game[1:] != s.game[:-1]))
    length = np.diff(np.append(first, len(s.game)))
    share = s.share[first]
    top = share.max(axis=1)
    one = (share == top[:, None]).sum(axis=1) == 1
    winner = np.repeat(share.argmax(axis=1), length)
    each = np.arange(len(winner))
    chance = np.where(s.last, 1.0, expected[each, winner])
    decided = 1 + np.maximum.reduceat(np.where(chance < DECIDED, s.after, 0), first)
    lowest = np.minimum.reduceat(chance, first)
    half = first + (length + 1) // 2 - 1
    others = s.standing[half].copy()
    mine = others[np.arange(len(half)), winner[half]]
    behind = others.max(axis=1) > mine
    there = (length > 1).astype(np.float64)
    columns = [
        np.ones(len(first)), decided, decided / length, decided < length, lowest < 0.5 / share.shape[1], there,
        behind * there,
    ]  # fmt: skip
    fate = np.stack([np.asarray(c, np.float64) for c in columns], axis=1)
    return fate[one], lowest[one], s.game[first][one]


def _pick_comeback(made: Drama, part: Part, place: Array, lowest: Array) -> None:
    if not len(lowest):
        return
    i = int(lowest.argmin())
    if made.comeback is not None and lowest[i] >= (made.comeback.chance or 0.0):
        return
    game = part.games[place[i]]
    made.comeback = Pick(
        int(game["deal"][0]), int(game["seating"][0]), int(game["turns"].sum()), int(game["rounds"][0]),
        float(lowest[i]),
    )  # fmt: skip


# ---- one game


def chances(model: WinModel, round_rows: Iterable[Sequence[int]]) -> list[list[float]]:
    """Return each seat's expected share before the first round and after every round but the last.

    Parameters
    ----------
    model
        From `Drama.model`.
    round_rows
        The standing column of the game, a row per round and in it a number per seat.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> after = chances(drama_of(run).model, [(0, 3, 1, 0), (2, 0, 0, 4), (0, 0, 0, 0)])
    >>> [len(after), after[0]]
    [3, [0.25, 0.25, 0.25, 0.25]]
    """
    standing = np.cumsum(np.asarray(list(round_rows), np.int64), axis=0)[:-1]
    start = [[1.0 / model.seats] * model.seats]
    if not len(standing):
        return start
    return start + model.expected(standing, np.arange(1, len(standing) + 1)).tolist()  # type: ignore[no-any-return]
