"""How many games and seconds a verdict takes, measured in a pilot run, and what playing in blocks saves."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import interval
from analysis.keys import ALONE, FIRST, Off, SideShare, Weights
from analysis.lists import fresh_seed
from analysis.luck import Contrast, LuckTally, headline_contrasts, members_of
from analysis.moments import Moments, Sample
from analysis.runs import side_names, without_of
from analysis.study import Judge
from analysis.sums import Tally
from analysis.verdicts import further_blocks
from sim.engine import WHOLE
from sim.experiment import Change, Plan, make_plan
from sim.game import Game, load
from sim.luck import has_worth
from sim.outcomes import Part
from sim.run import allowed_jobs
from sim.run import run as play

Array = NDArray[Any]
What = Literal["first_seat", "side", "ability"]
SCHEMA, SCHEMA_VERSION = "evenhand.plan", 1
LEAST, USUAL, MOST = 400, 1000, 4000
ARM_PART = 1 / 4
"""Games of an ability's arm in the pilot, as a part of the pilot's games."""

POWER = 0.95
"""With which a fair game is shown to be balanced by the numbers given."""


@dataclass(frozen=True)
class Need:
    """What a verdict takes.

    Parameters
    ----------
    name, what
        Going first, a class of sides, or an ability.
    null, margin
        The fair value and how far from it counts as fair.
    estimate, low, high
        What the pilot saw.
    block_variance
        Variance of one block (of an ability: of one block's difference between arms).
    games, seconds
        To a proof of balance with 95 % power if the game is fair, played in blocks; all arms counted.
    games_single, seconds_single
        The same from single games at random seatings, arms on deals of their own.
    saves
        Variance per game of single games over that of games in blocks: 2 means half the games; None where no block
        differed in the pilot.
    correlation
        Of the games of one block with one another; of an ability: of the two arms' blocks.
    games_as_seen
        Games until a decision if the truth is what the pilot saw; None if that is on the margin.
    luck_ratio, games_without_luck
        Variance that is left when the luck of the first deal is taken out too; None where the game has no worth.
    """

    name: str
    what: What
    null: float
    margin: float
    estimate: float
    low: float
    high: float
    block_variance: float
    games: int
    seconds: float
    games_single: int
    seconds_single: float
    saves: float | None
    correlation: float | None
    games_as_seen: int | None
    luck_ratio: float | None = None
    games_without_luck: int | None = None


@dataclass(frozen=True)
class Forecast:
    """What `evenhand plan` says.

    Parameters
    ----------
    game, title, variant, seats, tier, seed
        What was asked for.
    pilot_games
        Games of the pilot, per arm of its main run.
    games_per_second, jobs
        Speed of this machine, all that a run does included.
    needs
        A row for each question.
    luck
        {headline: whether taking the luck of the deal out helps, in words}; empty where the game has no worth.
    """

    game: str
    title: str
    variant: str
    seats: int
    tier: str
    seed: str
    pilot_games: int
    games_per_second: float
    jobs: int
    needs: tuple[Need, ...]
    luck: Mapping[str, str] = field(default_factory=dict)


def forecast(
    plan: Plan,
    *,
    margin: float | None = None,
    games: int | None = None,
    jobs: int | None = None,
    backend: str = "threading",
    luck_deals: int = 200_000,
) -> Forecast:
    """Play a pilot and say what verdicts take.

    Parameters
    ----------
    plan
        What is to be played; only its first arm counts.
    margin
        Difference of shares in place of the game's margins.
    games
        Games of the pilot.
    jobs, backend
        See `sim.run.run`; the seconds hold for these.
    luck_deals
        Deals for the expectations of the control variate.
    """
    pilot = _Pilot(plan, games, jobs, backend)
    own = {} if margin is None else {"first_seat": margin, "side": margin}
    needs = [_headline(pilot, own, contrast) for contrast in headline_contrasts(pilot.paired.plan)]
    needs += [_ability(pilot, own, key) for key in pilot.abilities]
    rates = pilot.luck(luck_deals)
    needs = [_with_luck(need, rates.get(need.name)) for need in needs]
    words = {name: text for name, (_, text) in rates.items()}
    base = plan.arms[0]
    return Forecast(
        plan.game, pilot.game.title, base.variant.name, plan.seats, base.tiers[0].name, str(plan.seed),
        pilot.paired.games_per_arm, pilot.speed, pilot.jobs, tuple(needs), words,
    )  # fmt: skip


class _Pilot:
    """The runs of a pilot, as sums: blocks and single games, each with and without arms."""

    def __init__(self, plan: Plan, games: int | None, jobs: int | None, backend: str) -> None:
        self.game: Game = load(plan.place)
        self.jobs, self.backend = jobs or allowed_jobs(), backend
        size = games or min(max(self.game.games // 10, USUAL), MOST)
        keys = [a.key for a in self.game.abilities_in(plan.variant)]
        arms = [Change(str(Off(key)), without=(key,), who="one") for key in keys]
        self.abilities = keys
        self.games_ = self.seconds = 0.0
        few = max(LEAST, round(size * ARM_PART))
        self.parts: list[Part] = []
        self._play(_again(plan, LEAST, "balanced", ()))  # compiles
        self.games_ = self.seconds = 0.0
        self.paired = self._play(_again(plan, size, "balanced", ()), keep=self.parts)
        self.single = self._play(_again(plan, size, "random", ()))
        self.paired_arms = self._play(_again(plan, few, "balanced", arms)) if arms else None
        self.single_arms = self._play(_again(plan, few, "random", arms)) if arms else None
        self.speed = self.games_ / max(self.seconds, 1e-9)

    def _play(self, plan: Plan, *, keep: list[Part] | None = None) -> Tally:
        tally = Tally(plan, self.game)

        def observe(part: Part) -> None:
            tally.add(part)
            if keep is not None:
                keep.append(part)

        began = time.perf_counter()
        play(plan, None, observe, self.jobs, self.backend, progress=False)
        self.seconds += time.perf_counter() - began
        self.games_ += plan.total_games
        return tally

    def correlation(self, parts: Weights) -> float | None:
        """Return how the games of a block that count in a contrast go together, their seatings' means taken off."""
        plan = self.paired.plan
        seats = plan.layout.seats
        there = np.zeros(seats.shape, bool)
        for name in parts:
            there |= members_of(plan, seats, name)
        sums = Moments.empty([0.0] * (int(there.sum()) + 1))
        for part in self.parts:
            share = part.games["share"].reshape(part.superblocks, *seats.shape).astype(np.float64) / WHOLE
            columns = share[:, there]
            sums = sums.add(np.column_stack([columns, columns.mean(axis=1)]))
        k = sums.k - 1
        each = float(np.trace(sums.cov[:k, :k])) / k
        if k < 2 or each == 0:
            return None
        return (k * float(sums.cov[k, k]) / each - 1) / (k - 1)

    def luck(self, deals: int) -> dict[str, tuple[float, str]]:
        """Return the variance ratio that taking the luck of the deal out leaves, and what to say of it."""
        if not has_worth(self.game):
            return {}
        made = LuckTally(self.paired.plan, headline_contrasts(self.paired.plan), deals=deals)
        for part in self.parts:
            made.add(part)
        return {lucky.name: (lucky.adjusted.variance_ratio, lucky.words) for lucky in made.adjusted()}


def _again(plan: Plan, games: int, draw: str, arms: list[Change] | tuple[()]) -> Plan:
    """Return the plan of a pilot run, on deals of its own."""
    base = plan.arms[0]
    return make_plan(
        plan.place, games=games, seats=plan.seats, variant=base.variant, sides=side_names(plan),
        policies=list(base.tiers), without=without_of(plan), arms=arms, draw=draw, seed=fresh_seed(plan.seed, "pilot"),
        part_games=2000,
    )  # fmt: skip


def _sample(tally: Tally, parts: Weights) -> Sample:
    low, high = tally.side_range if any(isinstance(key, SideShare) for key in parts) else (0.0, 1.0)
    return tally.shares[0].contrast(tally.weights(parts), low=low, high=high)


def _headline(pilot: _Pilot, own: Mapping[str, float], contrast: Contrast) -> Need:
    what: What = "first_seat" if FIRST in contrast.parts else "side"
    j = Judge(pilot.paired, margins=dict(own))
    paired, single = _sample(pilot.paired, contrast.parts), _sample(pilot.single, contrast.parts)
    seen = _Seen(paired, single.variance, 1, j.null, pilot.correlation(contrast.parts))
    return _need(pilot, contrast.name, what, j, seen)


def _ability(pilot: _Pilot, own: Mapping[str, float], key: str) -> Need:
    assert pilot.paired_arms is not None
    assert pilot.single_arms is not None
    paired, single = pilot.paired_arms, pilot.single_arms
    column, arm = paired.column(ALONE), paired.plan.arm_names.index(str(Off(key)))
    change = paired.changes[arm - 1].sample(column, low=-1.0, high=1.0)
    base, other = (paired.shares[a].sample(column).variance for a in (0, arm))
    together = (base + other - change.variance) / 2 / np.sqrt(base * other) if base * other > 0 else None
    alone = single.shares[0].sample(column).variance + single.shares[arm].sample(column).variance
    title = next(a.title for a in pilot.game.abilities if a.key == key)
    j = Judge(paired, margins=dict(own))
    return _need(
        pilot, title, "ability", j, _Seen(change, alone, 2, 0.0, None if together is None else float(together))
    )


@dataclass(frozen=True)
class _Seen:
    """What the pilot saw of a question: the paired sample, the variance of single games, the arms that it takes."""

    sample: Sample
    single: float
    arms: int
    null: float
    correlation: float | None


def _need(pilot: _Pilot, name: str, what: What, j: Judge, seen: _Seen) -> Need:
    sample, single, arms, null = seen.sample, seen.single, seen.arms, seen.null
    margin = j.margin("first_seat" if what == "first_seat" else "side")
    each = j.tally.games_per_block
    shown = j.interval(sample)
    blocks = blocks_needed(sample, null=null, margin=margin)
    games = arms * each * blocks
    alone = arms * blocks_needed(replace(sample, variance=single, nonzero=None), null=null, margin=margin)
    variance = sample.variance
    further = further_blocks(sample, null=null, margin=margin)
    return Need(
        name, what, null, margin, sample.mean, shown.low, shown.high, variance, games, games / pilot.speed, alone,
        alone / pilot.speed, single / (variance * each) if variance > 0 else None, seen.correlation,
        None if further is None else arms * each * (further + sample.n),
    )  # fmt: skip


def blocks_needed(sample: Sample, *, null: float, margin: float) -> int:
    """Blocks after which the verdict's own interval shows balance with the power of this module, were the game fair.

    For many blocks that is the normal theory of `fixed_size`; for few, or where nothing has differed yet, the bounds
    are wider than that.
    """

    def enough(n: int) -> bool:
        bounds = interval(replace(sample, n=n, mean=null, nonzero=None))
        half = max(bounds.high - null, null - bounds.low)
        return half + z * sqrt(sample.variance / n) < margin

    z = NormalDist().inv_cdf(0.5 + POWER / 2)
    late = 2
    while not enough(late):
        late *= 2
    early = late // 2
    while late - early > max(1, late // 1000):
        middle = (early + late) // 2
        early, late = (early, middle) if enough(middle) else (middle, late)
    return late


def _with_luck(need: Need, found: tuple[float, str] | None) -> Need:
    if found is None:
        return need
    return replace(need, luck_ratio=found[0], games_without_luck=ceil(need.games * found[0]))


def to_json(made: Forecast) -> dict[str, Any]:
    """Return the forecast as one JSON object: the field names of this module, after schema and version."""
    return {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **dataclasses.asdict(made)}


WIDTH = 80


def lines_of(made: Forecast) -> Iterator[str]:
    """Give the lines for a terminal, at most 80 columns of ASCII."""
    yield f"{made.title} ({made.variant}), {made.seats} players, {made.tier}: games to a proof of balance"
    yield f"with {100 * POWER:.0f} % power if the game is fair; margins in points"
    yield ""
    yield _line("", "margin", "games", "sec", "single", "sec", "saves", "corr")
    for n in made.needs:
        saves = "" if n.saves is None else f"x{n.saves:.2f}" if n.saves < 100 else ">x100"
        corr = "" if n.correlation is None else f"{n.correlation:.2f}"
        single = f"{n.games_single:,}", _seconds(n.seconds_single)
        yield _line(n.name, f"{100 * n.margin:g}", f"{n.games:,}", _seconds(n.seconds), *single, saves, corr)
    yield ""
    yield "single: single games at random seatings (arms on other deals) in place of"
    yield "blocks; saves: variance per game, single over blocks; corr: of the games of a"
    yield "block with one another, of an ability: of the blocks with and without it"
    speed = f"{made.games_per_second:,.0f} games a second with {made.jobs} jobs"
    yield from _wrapped(f"{speed}, measured in a pilot of {made.pilot_games:,} games, seed {made.seed}")
    for name, words in made.luck.items():
        yield from _wrapped(f"{name}: {words}")


def _seconds(x: float) -> str:
    return f"{x:.1f}" if x < 100 else f"{x:,.0f}"


def _line(name: str, *cells: str) -> str:
    widths = (6, 10, 6, 10, 6, 6, 5)
    room = WIDTH - sum(widths) - len(widths)
    return (f"{name[:room]:{room}s}" + "".join(f" {cell:>{w}s}" for cell, w in zip(cells, widths))).rstrip()


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")
