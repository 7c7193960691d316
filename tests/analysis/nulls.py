"""Differences that are truly 0 though nothing makes them so: what a 5 % test rejects, at the end and on the way."""

import numpy as np

from analysis import luck
from analysis.control import adjust_moments
from analysis.intervals import difference_interval, interval
from analysis.keys import SideShare
from analysis.moments import Moments, Sample
from analysis.sequences import FEWEST, HEAD_START, steady_variance, two_sided_radius
from analysis.sums import Tally
from sim.experiment import make_plan
from sim.run import run
from tests.analysis.planted import GAME as LOTS
from tests.analysis.planted import exact_two
from tests.toy import GAME as HIGH_CARD

LOOKS = 20


class Blocks(Tally):
    """A tally that keeps the block values of the baseline's shares, shape (blocks, columns)."""

    def add(self, part):
        games = part.games[part.games["arm"][:, 0] == 0]
        block = games["game"][:, 0] // self.plan.superblock_games - part.first
        self.kept = [*getattr(self, "kept", []), self._share_values(games, block, part.superblocks)]

    @property
    def values(self):
        return np.concatenate(self.kept)


def blocks_of(plan):
    from sim.game import load

    kept = Blocks(plan, load(plan.place))
    run(plan, None, kept.add, jobs=1, progress=False)
    return kept


def equal_players(blocks, seed=1, game=HIGH_CARD, **how):
    """Block values of two equal players: columns seat 0, seat 1, entrant 0, entrant 1, then the side."""
    plan = make_plan(game, games=2 * blocks, seats=2, seed=seed, **how)
    assert plan.superblock_games == 2
    return blocks_of(plan).values


def twin_courts(games, seed=1):
    """Summer minus Spring, which have the same contracts, in single games at random seatings; and its range."""
    plan = make_plan("celestial-ranks", games=games, seats=4, policies="novice", draw="random", seed=seed)
    kept = blocks_of(plan)
    values = kept.values[:, kept.column(SideShare("Summer"))] - kept.values[:, kept.column(SideShare("Spring"))]
    return values, kept.rarity


def rejected(experiments, *, null, low, high, level=0.95):
    """Share of experiments, rows of blocks, whose interval at the end excludes the truth; and of paths that ever do."""
    ends = [interval(Sample.of(row, low=low, high=high), level=level) for row in experiments]
    wrong = np.mean([not i.contains(null) for i in ends])
    return float(wrong), watched(experiments, null=null, low=low, high=high, level=level)


def watched(experiments, *, null, low, high, level=0.95):
    """Share of paths on which the confidence sequence excludes the truth at one of the looks."""
    size = experiments.shape[1]
    n = np.unique(np.linspace(max(FEWEST, size // LOOKS), size, LOOKS).astype(int))
    mean = experiments.cumsum(1)[:, n - 1] / n
    squares = (experiments**2).cumsum(1)[:, n - 1]
    extra = (high - low) ** 2 * (1.0 if low < 0 < high else 0.25)
    variance = steady_variance(n, np.maximum(squares - n * mean**2, 0) / (n - 1), extra=extra)
    radius = two_sided_radius(n, variance, head_start=HEAD_START * size, level=level)
    return float((np.abs(mean - null) > radius).any(axis=1).mean())


def disjoint_deals(experiments, level=0.95):
    """Share of experiments in which two identical arms, played on deals of their own, seem to differ.

    Rows of blocks: the first half of a row is one arm, the second the other.
    """
    half = experiments.shape[1] // 2
    pairs = [(Sample.of(row[:half]), Sample.of(row[half:])) for row in experiments]
    return float(np.mean([not difference_interval(a, b, level=level).contains(0.0) for a, b in pairs]))


def random_labels(values, rng):
    """Shares of an entrant whose label is drawn anew in every block of two equal players."""
    return np.where(rng.random(values.shape) < 0.5, values, 1 - values)


def luck_bias(runs, size, *, game=LOTS, deals=400_000, seed=11):
    """Bias of the adjusted share of Odd over many experiments, and the error that these claim; in true errors."""
    rules = game.variant(None, ["first=0.1", "strong=0.12"])
    plan = make_plan(game, games=4 * runs * size, seats=2, variant=rules, sides=["Plain", "Odd"], seed=seed)
    values = luck_values(plan, luck.Contrast("Odd", {SideShare("Odd"): 1.0}), deals)
    empty = Moments.empty([0.0] * values.shape[1], unit=luck.PILOT_UNIT)
    found = []
    for i in range(runs):
        mine = values[i * size : (i + 1) * size]
        found.append(adjust_moments(empty.add(mine[::2]), empty.add(mine[1::2]), low=0.0, high=1.0))
    estimates = np.array([f.estimate for f in found])
    truth = exact_two(rules, side=2, against=0)
    claimed = np.mean([f.sample.error for f in found])
    ratio = np.mean([f.variance_ratio for f in found])
    return (estimates.mean() - truth) / estimates.std(), claimed / estimates.std(), ratio


class _Kept:
    """Takes the place of part sums, and keeps the block values."""

    def __init__(self):
        self.values = []

    def add(self, values):
        self.values.append(values)
        return self


def luck_values(plan, contrast, deals):
    """Block values of a contrast and its controls minus their expectation, shape (blocks, 1 + controls), in order."""
    made = luck.LuckTally(plan, [contrast], deals=deals)
    even, odd = _Kept(), _Kept()
    made.folds = [[even, odd]]
    run(plan, None, made.add, jobs=1, progress=False)
    pair = [np.concatenate(k.values) for k in (even, odd)]
    n = min(map(len, pair))
    return np.stack([p[:n] for p in pair], axis=1).reshape(2 * n, -1)
