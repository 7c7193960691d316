"""What the runs of a game show: shares, first player, abilities, tables, as verdicts and tidy tables.

Every function takes a `Run` or its `Tally`. A run that was interrupted, extended or watched is judged by confidence
sequences over its parts, any other by intervals for its fixed size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis.estimands import arm_index, change_of, lost_alone, mean_per_game
from analysis.intervals import Interval, excess_p, interval
from analysis.keys import (
    FIRST,
    ArmKey,
    Asked,
    ClassShare,
    Column,
    Entrant,
    Off,
    OffForAll,
    Seat,
    SideShare,
    Weights,
    mean_of,
)
from analysis.matchups import Matchups
from analysis.moments import Moments, Sample
from analysis.sequences import HEAD_START, ConfidenceSequence, two_sided_p, two_sided_radius
from analysis.sums import Tally, tally
from analysis.verdicts import Joint, Verdict, assemble, further_blocks, joint, verdict
from sim.facts import Design, Measure, Question, TableSpec

if TYPE_CHECKING:
    from sim.run import Run

HORIZON = 2000
"""Blocks at which the sequences of a watched run's tables are tightest; fixed, so that it depends on no data."""


def _sequential(run: Run | Tally) -> bool:
    return run.sequential if hasattr(run, "sequential") else False


@dataclass(frozen=True)
class Judge:
    """How contrasts of a run are judged: at a fixed size, or as sequences over its parts.

    Parameters
    ----------
    tally
        The sums.
    sequential
        Whether only anytime-valid intervals may be shown.
    level
        Confidence level.
    margins
        {"first_seat": ..., "side": ...} in place of the game's own.
    """

    tally: Tally
    sequential: bool = False
    level: float = 0.95
    margins: dict[str, float] = field(default_factory=dict)

    @property
    def null(self) -> float:
        """The share of a fair seat."""
        return 1.0 / self.tally.plan.seats

    def margin(self, what: str) -> float:
        """Return the margin for `first_seat` or `side`, as a difference of shares."""
        own = self.tally.game.margins(self.tally.plan.seats)
        return self.margins.get(what, own[what])

    def shares(self, parts: Weights, *, null: float, margin: float, name: str, low: float = 0.0) -> Verdict:
        """Return the verdict on a contrast of the baseline's share columns."""
        t = self.tally
        weights = t.weights(parts)
        high = 1.0
        if t.rarity != 1.0 and any(isinstance(key, SideShare) for key in parts):
            low, high = (-t.rarity, t.rarity) if low < 0 else t.side_range
        if not self.sequential:
            moments = t.shares[0]
            sample = (
                moments.sample(t.column(next(iter(parts))), low=low, high=high)
                if _single(parts)
                else moments.contrast(weights, low=low, high=high)
            )
            return verdict(
                t.sized(sample),
                null=null,
                margin=margin,
                name=name,
                level=self.level,
                games_per_block=t.games_per_block,
                table_share=self.null,
            )
        sequence = ConfidenceSequence(
            weights,
            null=null,
            margin=margin,
            low=low,
            high=high,
            name=name,
            level=self.level,
            games_per_block=t.games_per_block,
            table_share=self.null,
        )
        for prefix in t.history:
            sequence.see(prefix)
        return sequence.kept

    def interval(self, sample: Sample) -> Interval:
        """Return an interval for anything else."""
        if not self.sequential:
            return interval(sample, level=self.level)
        if sample.n < 2:
            return interval(sample, level=self.level)
        half = float(
            two_sided_radius(
                np.array(sample.n),
                np.array(max(sample.variance, 1e-12)),
                head_start=HEAD_START * HORIZON,
                level=self.level,
            )
        )
        return Interval(
            max(sample.low, sample.mean - half), min(sample.high, sample.mean + half), self.level, "mixture"
        )

    def p_value(self, sample: Sample, *, null: float = 0.0, margin: float = 0.0) -> float:
        """Return the p value of "the mean lies within the margin"; of a watched run it holds at every look."""
        if not self.sequential or sample.n < 2:
            return excess_p(sample, low=null - margin, high=null + margin)
        excess = max(abs(sample.mean - null) - margin, 0.0)
        return float(two_sided_p(sample.n, excess, max(sample.variance, 1e-12), head_start=HEAD_START * HORIZON))

    def judged(self, sample: Sample, *, null: float, margin: float, name: str) -> Verdict:
        """Return the verdict on any block values; of a watched run by its anytime-valid interval."""
        if not self.sequential:
            return verdict(
                sample, null=null, margin=margin, name=name, level=self.level,
                games_per_block=self.tally.games_per_block,
            )  # fmt: skip
        shown = self.interval(sample)
        return assemble(
            sample, shown, p=self.p_value(sample, null=null, margin=margin),
            further=further_blocks(sample, null=null, margin=margin, level=self.level), null=null, margin=margin,
            name=name, level=self.level, games_per_block=self.tally.games_per_block, table_share=None, sequential=True,
        )  # fmt: skip


def _single(parts: Weights) -> bool:
    return len(parts) == 1 and next(iter(parts.values())) == 1.0


def judge(run: Run | Tally, *, margin: float | None = None, tabled: bool = True) -> Judge:
    """Return the judge of a run.

    Parameters
    ----------
    run
        A run or its sums.
    margin
        A difference of shares that replaces all margins of the game.
    tabled
        Whether the game's own tables are wanted.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> judge(run).null
    0.25
    """
    own = {} if margin is None else {"first_seat": margin, "side": margin}
    return Judge(run if isinstance(run, Tally) else tally(run, tabled=tabled), _sequential(run), margins=own)


# ---- verdicts


def seats(run: Run | Tally | Judge) -> list[Verdict]:
    """Return the verdict on each seat.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> [verdict.name for verdict in seats(run)]
    ['seat 0', 'seat 1', 'seat 2', 'seat 3']
    """
    j = run if isinstance(run, Judge) else judge(run)
    margin = j.margin("first_seat")
    return [j.shares({Seat(i): 1.0}, null=j.null, margin=margin, name=f"seat {i}") for i in range(j.tally.plan.seats)]


def first_player(run: Run | Tally | Judge) -> Verdict:
    """Return the verdict on acting first in round 1.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> verdict = first_player(run)
    >>> verdict.word, verdict.blocks
    ('undecided', 20)
    >>> verdict.interval.low < verdict.estimate < verdict.interval.high
    True
    """
    j = run if isinstance(run, Judge) else judge(run)
    return j.shares({FIRST: 1.0}, null=j.null, margin=j.margin("first_seat"), name="going first")


def sides(run: Run | Tally | Judge) -> list[Verdict]:
    """Return the verdict on each side that takes part.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> [verdict.name for verdict in sides(run)]
    ['Summer', 'Winter', 'Autumn', 'Spring', 'Human']
    """
    j = run if isinstance(run, Judge) else judge(run)
    names = [j.tally.plan.side_names[i] for i in j.tally.sides]
    return [j.shares({SideShare(n): 1.0}, null=j.null, margin=j.margin("side"), name=n) for n in names]


def pools_of(tally: Tally) -> dict[str, list[str]]:
    """Return the classes of sides with the same rules: {class: its sides}."""
    game, names = tally.game, tally.plan.side_names
    labels = game.classes_in(tally.plan.variant)
    made: dict[str, list[str]] = {}
    for i in tally.sides:
        made.setdefault(labels[i], []).append(names[i])
    return made


def pools(run: Run | Tally | Judge) -> list[Verdict]:
    """Return the verdict on each class of sides.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> [verdict.name for verdict in pools(run)]
    ['Summer / Spring', 'Winter / Autumn / Human']
    """
    j = run if isinstance(run, Judge) else judge(run)
    made = []
    for members in pools_of(j.tally).values():
        parts = mean_of(members)
        made.append(j.shares(parts, null=j.null, margin=j.margin("side"), name=" / ".join(members)))
    return made


def difference(run: Run | Tally | Judge, first: Sequence[str], second: Sequence[str], name: str) -> Verdict:
    """Return the verdict on the difference between two groups of sides (first minus second); the null is 0.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> verdict = difference(run, ["Summer", "Spring"], ["Human"], "Summer and Spring against Human")
    >>> -1 < verdict.interval.low < verdict.interval.high < 1
    True
    """
    j = run if isinstance(run, Judge) else judge(run)
    parts = mean_of(first)
    for column, weight in mean_of(second).items():
        parts[column] = parts.get(column, 0.0) - weight
    return j.shares(parts, null=0.0, margin=j.margin("side"), name=name, low=-1.0)


def all_sides(run: Run | Tally | Judge) -> Joint:
    """Return the joint verdict on all classes of sides.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> all_sides(run).word
    'undecided'
    """
    j = run if isinstance(run, Judge) else judge(run)
    verdicts = pools(j)
    complementary = len(verdicts) == 2 and len({len(m) for m in pools_of(j.tally).values()}) == 1
    return joint(verdicts[:1] if complementary else verdicts, level=j.level)


# ---- tables


def win_shares(run: Run | Tally, by: str = "side") -> pd.DataFrame:
    """Return win shares as a tidy table.

    Parameters
    ----------
    run
        The run.
    by
        ``side``, ``class`` (sides with the same rules together), ``seat`` or ``entrant``.

    Returns
    -------
    DataFrame
        One row each: name, share, low, high, null, margin, verdict, smallest_margin, blocks, games.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> table = win_shares(run, by="seat")
    >>> round(float(table["share"].sum()), 9)
    1.0
    """
    j = judge(run)
    if by == "entrant":
        made = [
            j.shares({Entrant(i): 1.0}, null=j.null, margin=j.margin("side"), name=f"entrant {i}")
            for i in range(j.tally.plan.seats)
        ]
    else:
        made = {"side": sides, "class": pools, "seat": seats}[by](j)
    return pd.DataFrame([_row(v) for v in made])


def _row(v: Verdict) -> dict[str, object]:
    return {
        "name": v.name,
        "share": v.estimate,
        "low": v.interval.low,
        "high": v.interval.high,
        "null": v.null,
        "margin": v.margin,
        "verdict": v.word,
        "smallest_margin": v.smallest_margin,
        "blocks": v.blocks,
        "games": v.games,
    }


@dataclass(frozen=True)
class Strength:
    """What an ability is worth.

    Parameters
    ----------
    key, title, parent
        The ability.
    value, bounds
        What an entrant loses when it alone plays without it, as a difference of shares, with its interval.
    uses
        Uses per 1,000 games by that entrant in the baseline, with interval.
    used, held
        Observational: share of seats that used it, that held its card, minus the null; None where there was none.
    nonzero
        Blocks in which switching it off changed the entrant's share.
    all_first, all_rounds
        Change of the first seat's share and of rounds per game when it is off for everybody, with intervals.
    """

    key: str
    title: str
    parent: str | None
    value: float
    bounds: Interval
    uses: tuple[float, Interval]
    used: tuple[float, Interval] | None
    held: tuple[float, Interval] | None
    nonzero: int
    blocks: int
    all_first: tuple[float, Interval] | None = None
    all_rounds: tuple[float, Interval] | None = None


def questions(run: Run | Tally | Judge) -> list[tuple[Question, float, Interval]]:
    """Return what each way of playing costs the one player who plays so (baseline minus arm)."""
    j = run if isinstance(run, Judge) else judge(run)
    t = j.tally
    made = []
    for question in t.game.group(Design).questions:
        sample = lost_alone(t, Asked(question.key))
        if sample is not None:
            made.append((question, sample.mean, j.interval(sample)))
    return made


def abilities(run: Run | Tally | Judge) -> list[Strength]:
    """Return the strength of each ability whose arms the run has.

    Examples
    --------
    >>> import sim
    >>> from sim.experiment import Change
    >>> alone = Change("without shift", without=("shift",), who="one")
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, arms=[alone], progress=False)
    >>> [strength.key for strength in abilities(run)]
    ['shift']
    """
    j = run if isinstance(run, Judge) else judge(run)
    t = j.tally
    made = []
    for i, ability in enumerate(t.game.abilities):
        lost = lost_alone(t, Off(ability.key))
        if lost is None:
            continue
        uses = t.games[0].sample(t.game_columns.index(f"own_{ability.key}"), low=0.0, high=float("inf"))
        gained = interval(uses, level=j.level) if not j.sequential else j.interval(uses)
        made.append(
            Strength(
                ability.key,
                ability.title,
                ability.parent,
                lost.mean,
                j.interval(lost),
                (1000 * uses.mean, Interval(1000 * gained.low, 1000 * gained.high, gained.level, gained.method)),
                _observed(j, t.observed[i], 0),
                _observed(j, t.observed[i], 2),
                lost.nonzero or 0,
                t.blocks,
                *_everybody(j, ability.key),
            )
        )
    return made


def _observed(j: Judge, moments: Moments, first: int) -> tuple[float, Interval] | None:
    sample = moments.ratio(first, first + 1)
    if sample.n < 2:
        return None
    shown = j.interval(sample)
    return sample.mean - j.null, Interval(shown.low - j.null, shown.high - j.null, shown.level, shown.method)


def _everybody(j: Judge, key: str) -> tuple[tuple[float, Interval] | None, tuple[float, Interval] | None]:
    """Return the changes of the first seat's share and of rounds, arm minus baseline."""
    arm = arm_index(j.tally, OffForAll(key))
    if arm is None:
        return None, None
    seat, rounds = change_of(j.tally, arm, FIRST), change_of(j.tally, arm, "rounds")
    return (seat.mean, j.interval(seat)), (rounds.mean, j.interval(rounds))


def ability_table(run: Run | Tally) -> pd.DataFrame:
    """Return the strengths as a tidy table: ability, strength, low, high, uses_per_1000, used, held.

    Examples
    --------
    >>> import sim
    >>> from sim.experiment import Change
    >>> alone = Change("without shift", without=("shift",), who="one")
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, arms=[alone], progress=False)
    >>> list(ability_table(run)["ability"])
    ['Stardust Shift']
    """
    rows = []
    for s in abilities(run):
        rows.append(
            {
                "ability": s.title,
                "strength": s.value,
                "low": s.bounds.low,
                "high": s.bounds.high,
                "uses_per_1000": s.uses[0],
                "used": None if s.used is None else s.used[0],
                "held": None if s.held is None else s.held[0],
            }
        )
    return pd.DataFrame(rows)


def table_rows(
    run: Run | Tally | Judge, spec: TableSpec
) -> list[tuple[tuple[int, ...], list[tuple[Sample, Interval]]]]:
    """Return a game's own table: for each group its measures as (sample, interval)."""
    j = run if isinstance(run, Judge) else judge(run)
    made = []
    for key in sorted(j.tally.tables.get(spec.key, {})):
        cells = j.tally.tables[spec.key][key]
        made.append((key, [_measure(j, cells.moments, m, i, len(spec.measures)) for i, m in enumerate(spec.measures)]))
    return made


_RANGES = {
    "share": (0.0, 1.0),
    "points": (-1.0, 1.0),
    "number": (-float("inf"), float("inf")),
    "per_1000": (0.0, float("inf")),
}


def _measure(j: Judge, moments: Moments, measure: Measure, i: int, n: int) -> tuple[Sample, Interval]:
    low, top = _RANGES[measure.unit]
    sample = moments.ratio(i, n + i, low=low, high=top)
    shown = j.interval(sample)
    if measure.unit != "per_1000":
        return sample, shown
    scaled = Sample(sample.n, 1000 * sample.mean, 1e6 * sample.variance, 0.0, float("inf"))
    return scaled, Interval(1000 * shown.low, 1000 * shown.high, shown.level, shown.method)


def game_mean(run: Run | Tally | Judge, column: str, arm: int = 0) -> tuple[float, Interval]:
    """Return the mean of a game column (``rounds``, ``turns``, ``capped``, ...) per game, with interval.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> mean, interval = game_mean(run, "rounds")
    >>> interval.low < mean < interval.high
    True
    """
    j = run if isinstance(run, Judge) else judge(run)
    sample = mean_per_game(j.tally, column, arm)
    return sample.mean, j.interval(sample)


def length_column(j: Judge) -> str:
    """Return what the length of a game is counted in: ``rounds``, or ``turns`` where all games have as many rounds."""
    rounds = mean_per_game(j.tally, "rounds")
    return "rounds" if rounds.variance > 0 or rounds.n < 2 else "turns"


Moved = tuple[float, Interval]


def changes(run: Run | Tally | Judge, arm: ArmKey | str) -> dict[Column | ClassShare | str, Moved]:
    """Return what an arm changes, arm minus baseline on the same deals: shares, classes, rounds, turns, leads.

    Examples
    --------
    >>> import sim
    >>> from sim.experiment import Change
    >>> house = Change("house", variant=sim.load_variant("celestial-ranks", "house"))
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, arms=[house], progress=False)
    >>> "rounds" in changes(run, "house")
    True
    """
    j = run if isinstance(run, Judge) else judge(run)
    t = j.tally
    place = arm_index(t, arm)
    if not place:
        raise ValueError(f"the run has no arm {str(arm)!r} beside the baseline")
    samples: dict[Column | ClassShare | str, Sample] = {c: change_of(t, place, c) for c in t.share_columns}
    for label, members in pools_of(t).items():
        samples[ClassShare(label)] = change_of(t, place, ClassShare(label), tuple(members))
    samples |= {name: change_of(t, place, name) for name in ("rounds", "turns", "lead_changes")}
    return {key: (sample.mean, j.interval(sample)) for key, sample in samples.items()}


def side_by_side(run: Run | Tally | Judge) -> Matchups | None:
    """Return side against side: of the games that either won, how many did the row's side win; None with one side.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> side_by_side(run).sides
    ('Summer', 'Winter', 'Autumn', 'Spring', 'Human')
    """
    j = run if isinstance(run, Judge) else judge(run)
    if not j.tally.pairs:
        return None
    samples = {pair: m.ratio(0, 1) for pair, m in j.tally.pairs.items() if m.ratio(0, 1).n > 1}
    order = {side: i for i, side in enumerate(j.tally.sides)}
    renamed = {(order[a], order[b]): s for (a, b), s in samples.items()}
    names = [j.tally.plan.side_names[i] for i in j.tally.sides]
    return Matchups.from_samples(renamed, sides=names) if renamed else None
