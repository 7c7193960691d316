"""Balanced, unbalanced or undecided: what an interval and a margin show, for one contrast and for several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, isfinite, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals import Interval, excess_p, interval
from analysis.moments import Sample

Vector = NDArray[np.float64]
Word = Literal["balanced", "unbalanced", "undecided"]
Sign = Literal["same", "opposite", "not settled"]

POWER = 0.8
"""Power for which the numbers of games still needed, and of table games to notice a gap, are given."""

_FAR = 1e12


@dataclass(frozen=True)
class Verdict:
    """What is shown of one contrast.

    Parameters
    ----------
    name
        Of what.
    word
        `balanced` if both bounds lie within the margin around the null, `unbalanced` if both lie beyond it on one side.
    estimate
        The plain mean; None if nothing was played.
    interval
        Two-sided interval of the level: it is shown, and it decides. Either claim is wrong in at most (1 - level) / 2
        of runs (two one-sided tests: Schuirmann, Journal of Pharmacokinetics 15, 1987).
    null, margin
        The fair value, and how far from it still counts as fair.
    level
        Confidence level of the interval.
    smallest_margin
        The smallest margin within which these data show it to lie: the far end of the interval.
    p
        p value of "within the margin" (anytime-valid if sequential).
    blocks, games
        What was played.
    further_blocks, further_games
        Expected number still needed for a decision if the truth is near the estimate; 0 if decided, None if no number
        can be named.
    beyond
        Chance that the truth lies beyond the margin, given estimate and error; None before there are two blocks.
    table_games
        Games at a table after which somebody would notice a gap of this size (80 % power, 5 % level), if it is a share.
    method
        How the interval was made.
    sequential
        Whether it holds at every look, so that a run may be stopped or extended at will.
    note
        A sentence where there is no number, or where it needs one.
    """

    name: str
    word: Word
    estimate: float | None
    interval: Interval
    null: float
    margin: float
    level: float
    smallest_margin: float
    p: float
    blocks: int
    games: int
    further_blocks: int | None
    further_games: int | None
    table_games: int | None
    method: str
    sequential: bool
    note: str = ""
    beyond: float | None = None

    @property
    def borderline(self) -> bool:
        """Whether the margin keeps it undecided and not the games: the interval is no wider than the margin."""
        return self.word == "undecided" and self.blocks > 1 and self.interval.width <= self.margin

    @property
    def gap(self) -> float | None:
        """Estimate minus null."""
        return None if self.estimate is None else self.estimate - self.null

    def _repr_html_(self) -> str:
        """Return the verdict as a small table, for notebooks."""
        return _html([self])


@dataclass(frozen=True)
class Joint:
    """What is shown of several contrasts at once.

    Parameters
    ----------
    word
        `balanced` if every one is (an intersection-union test needs no correction), `unbalanced` if one is outside its
        margin at the level corrected by Holm.
    verdicts
        The single verdicts.
    adjusted
        Holm's p values of "within the margin", in the same order.
    outside
        Names of those outside at the corrected level.
    smallest_margin
        The smallest margin shown for all of them, None if there are none.
    further_blocks, further_games
        As in `Verdict`, for the one that takes longest.
    note
        A sentence where it needs one.
    """

    word: Word
    verdicts: tuple[Verdict, ...]
    adjusted: tuple[float, ...]
    outside: tuple[str, ...]
    smallest_margin: float | None
    further_blocks: int | None
    further_games: int | None
    note: str = ""

    def _repr_html_(self) -> str:
        """Return the verdicts as a small table, for notebooks."""
        return f"<p><b>{escape(self.word)}</b></p>{_html(self.verdicts)}"


def _html(verdicts: Sequence[Verdict]) -> str:
    heads = ("", "verdict", "share", "95 % interval", "fair", "margin", "shown within", "blocks")
    rows = ["<tr>" + "".join(f"<th>{escape(h)}</th>" for h in heads) + "</tr>"]
    for v in verdicts:
        points = "" if v.estimate is None else f"{100 * v.estimate:.2f} %"
        inside = f"{100 * v.interval.low:.2f} to {100 * v.interval.high:.2f} %"
        words = (v.word, points, inside, f"{100 * v.null:.4g} %", f"{100 * v.margin:.2f} points")
        cells = (*words, f"{100 * v.smallest_margin:.2f} points", f"{v.blocks:,}")
        rows.append(f"<tr><th>{escape(v.name)}</th>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>")
    return f"<table>{''.join(rows)}</table>"


def verdict(
    sample: Sample,
    *,
    null: float,
    margin: float,
    name: str = "",
    level: float = 0.95,
    games_per_block: int = 1,
    table_share: float | None = None,
) -> Verdict:
    """Verdict on one contrast from a number of blocks that was fixed beforehand.

    Parameters
    ----------
    sample
        The block values.
    null, margin
        Balanced means |mean - null| < margin. With margin 0 the answer is `unbalanced` or `undecided`.
    name
        Of what.
    level
        Confidence level of the interval.
    games_per_block
        To tell games from blocks.
    table_share
        What a seat is to win of a table game (1/n), for the gap in table terms.
    """
    return assemble(
        sample,
        interval(sample, level=level),
        p=_outside_p(sample, null=null, margin=margin),
        further=further_blocks(sample, null=null, margin=margin, level=level),
        null=null,
        margin=margin,
        name=name,
        level=level,
        games_per_block=games_per_block,
        table_share=table_share,
        sequential=False,
    )


def assemble(
    sample: Sample,
    shown: Interval,
    *,
    p: float,
    further: int | None,
    null: float,
    margin: float,
    name: str,
    level: float,
    games_per_block: int,
    table_share: float | None,
    sequential: bool,
) -> Verdict:
    """Verdict from an interval, however it was made, and the expected number of further blocks."""
    if margin < 0:
        raise ValueError(f"a margin is not negative, as {margin:g} is")
    word = _word(shown, null=null, margin=margin)
    estimate = sample.mean if sample.n else None
    left = 0 if word != "undecided" else further
    notes = [shown.note] if shown.note else []
    if left is None and sample.n >= 2:
        notes.append("the estimate lies on the margin: no number of games can be named that would decide")
    return Verdict(
        name=name,
        word=word,
        estimate=estimate,
        interval=shown,
        null=null,
        margin=margin,
        level=level,
        smallest_margin=max(abs(shown.low - null), abs(shown.high - null)),
        p=p,
        blocks=sample.n,
        games=sample.n * games_per_block,
        further_blocks=left,
        further_games=None if left is None else left * games_per_block,
        table_games=None
        if estimate is None or table_share is None
        else table_games(estimate - null, share=table_share),
        method=shown.method,
        sequential=sequential,
        note="; ".join(notes),
        beyond=chance_beyond(sample, null=null, margin=margin) if sample.bounded else None,
    )


def joint(verdicts: Sequence[Verdict], *, level: float = 0.95) -> Joint:
    """One word for several contrasts: sides, seats.

    `balanced`: all inside (Berger, Technometrics 24, 1982). `unbalanced`: one outside at the level corrected by Holm.
    Of two sides whose shares sum to 1, pass only one: the other says the same thing again.
    """
    if not verdicts:
        return Joint("undecided", (), (), (), None, None, None, "there is nothing to judge")
    adjusted = holm([v.p for v in verdicts])
    outside = tuple(v.name for v, p in zip(verdicts, adjusted) if p <= 1 - level and v.word == "unbalanced")
    word: Word = "undecided"
    if outside:
        word = "unbalanced"
    elif all(v.word == "balanced" for v in verdicts):
        word = "balanced"
    single = any(v.word == "unbalanced" for v in verdicts)
    note = next((v.note for v in verdicts if v.note), "")
    if word == "undecided" and single:
        note = "one is outside its margin by itself, but not when all are judged together"
    blocks = None if word == "undecided" and single else _longest([v.further_blocks for v in verdicts])
    games = None if word == "undecided" and single else _longest([v.further_games for v in verdicts])
    return Joint(
        word=word,
        verdicts=tuple(verdicts),
        adjusted=tuple(float(p) for p in adjusted),
        outside=outside,
        smallest_margin=max(v.smallest_margin for v in verdicts),
        further_blocks=blocks if word == "undecided" else 0,
        further_games=games if word == "undecided" else 0,
        note=note,
    )


def fixed_size(*, variance: float, margin: float, level: float = 0.95, power: float = 0.95) -> int:
    """Blocks after which balance is shown with this power if the truth is the null (normal theory).

    The interval can reach past the margin on two sides, so (z_(1 + level)/2 + z_(1 + power)/2)^2 variance / margin^2.
    """
    from scipy.special import ndtri

    return ceil((float(ndtri(0.5 + level / 2)) + float(ndtri(0.5 + power / 2))) ** 2 * variance / margin**2)


def detection_size(*, variance: float, gap: float, level: float = 0.95, power: float = POWER) -> int:
    """Blocks after which a gap of this size is told from 0 with the given power (normal theory)."""
    from scipy.special import ndtri

    return ceil((float(ndtri(0.5 + level / 2)) + float(ndtri(power))) ** 2 * variance / gap**2)


def further_blocks(
    sample: Sample, *, null: float, margin: float, level: float = 0.95, power: float = POWER
) -> int | None:
    """Blocks still needed to decide with the given power if the truth is the estimate; None if that is no number.

    The truth is not the estimate: `chance_decided` gives the curve over where it may lie.
    """
    from scipy.special import ndtri

    if sample.n < 2:  # nothing seen: the largest variance that the range allows
        largest = (sample.high - sample.low) ** 2 / 4
        return fixed_size(variance=largest, margin=margin, level=level) if margin and isfinite(largest) else None
    distance = abs(margin - abs(sample.mean - null))
    variance = max(sample.variance, least_variance(sample))
    z = float(ndtri(0.5 + level / 2)) + float(ndtri(0.5 + power / 2))
    if distance == 0 or z**2 * variance / distance**2 > _FAR:
        return None
    return max(ceil(z**2 * variance / distance**2) - sample.n, 1)


_GRID = (np.arange(200) + 0.5) / 200


def _truths(sample: Sample) -> Vector:
    """Return equally likely places of the truth, given the block values: normal around the estimate."""
    from scipy.special import ndtri

    error = sqrt(max(sample.variance, least_variance(sample)) / max(sample.n, 1))
    return np.asarray(sample.mean + error * ndtri(_GRID), np.float64)


def chance_beyond(sample: Sample, *, null: float, margin: float) -> float | None:
    """Return the chance that the truth lies beyond the margin, given the block values; None before there are two."""
    return float((np.abs(_truths(sample) - null) > margin).mean()) if sample.n >= 2 else None


def chance_decided(
    sample: Sample, more: ArrayLike, *, null: float, margin: float, level: float = 0.95, power: float = POWER
) -> Vector:
    """Return the chance that so many further blocks decide, elementwise: the curve of games against certainty."""
    from scipy.special import ndtri

    variance = max(sample.variance, least_variance(sample))
    z = float(ndtri(0.5 + level / 2)) + float(ndtri(0.5 + power / 2))
    distance = np.abs(margin - np.abs(_truths(sample) - null))
    needed = z**2 * variance / np.maximum(distance, 1e-300) ** 2 - sample.n
    return np.asarray((needed[:, None] <= np.atleast_1d(np.asarray(more, np.float64))).mean(axis=0))


def least_variance(sample: Sample) -> float:
    """Variance that equal blocks must be granted: that of one block in n at the far end of the range."""
    if sample.n == 0 or not sample.bounded:
        return 0.0
    return max(sample.high - sample.mean, sample.mean - sample.low) ** 2 / sample.n


def table_games(gap: float, *, share: float, level: float = 0.95, power: float = POWER) -> int | None:
    """Table games after which a gap in the share of wins is noticed: a test of one rate against its null.

    Fleiss, Levin and Paik (Statistical Methods for Rates and Proportions, 2003), section 2.4, without continuity
    correction. None if there is no gap to notice.
    """
    from scipy.special import ndtri

    other = min(max(share + gap, 0.0), 1.0)
    if gap == 0 or other == share:
        return None
    z = float(ndtri(0.5 + level / 2)) * sqrt(share * (1 - share)) + float(ndtri(power)) * sqrt(other * (1 - other))
    games = (z / (other - share)) ** 2
    return max(ceil(games), 1) if games < _FAR else None


def holm(p_values: ArrayLike) -> Vector:
    """Adjust p values as Holm does (Scandinavian Journal of Statistics 6, 1979), in the order given."""
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> Vector:
    """Adjust p values for screening a list (Benjamini and Hochberg, JRSS B 57, 1995), in the order given."""
    from scipy.stats import false_discovery_control

    p = np.asarray(p_values, np.float64)
    return np.asarray(false_discovery_control(p) if p.size else p, np.float64)


@dataclass(frozen=True)
class Shrunken:
    """Effects drawn towards their common mean, for ranking.

    Parameters
    ----------
    effects, errors
        Shrunken effects and their standard errors, shape (k,).
    centre
        What they are drawn to.
    spread
        Standard deviation of the true effects, estimated; 0 if noise explains all of the differences.
    """

    effects: Vector
    errors: Vector
    centre: float
    spread: float


def shrink(effects: ArrayLike, errors: ArrayLike) -> Shrunken:
    """Normal-normal empirical Bayes (Morris, JASA 78, 1983), spread by DerSimonian and Laird (1986).

    Effects without an error of their own (0) are known and stay where they are.
    """
    y, se = np.asarray(effects, np.float64), np.asarray(errors, np.float64)
    if y.size == 0:
        return Shrunken(y, se, 0.0, 0.0)
    known = se == 0
    weight = 1 / np.where(known, np.min(se[~known], initial=1.0), se) ** 2
    centre = float(weight @ y / weight.sum())
    noise = float(weight @ se**2 - weight**2 @ se**2 / weight.sum())  # k - 1 if every effect has an error
    excess = float(weight @ (y - centre) ** 2) - noise
    scale = float(weight.sum() - weight @ weight / weight.sum())
    spread2 = max(excess / scale, 0.0) if scale > 0 else 0.0
    centre = float((y / (se**2 + spread2 + 1e-300)).sum() / (1 / (se**2 + spread2 + 1e-300)).sum())
    keep = np.where(known, 1.0, spread2 / (spread2 + se**2 + 1e-300))
    return Shrunken(centre + keep * (y - centre), np.sqrt(keep) * se, centre, sqrt(spread2))


def settled_sign(first: Interval, second: Interval) -> Sign:
    """Whether two effects differ in sign beyond error: only when both intervals exclude 0, on opposite sides."""
    signs = [1 if i.low > 0 else -1 if i.high < 0 else 0 for i in (first, second)]
    if 0 in signs:
        return "not settled"
    return "same" if signs[0] == signs[1] else "opposite"


def _word(shown: Interval, *, null: float, margin: float) -> Word:
    if null - margin < shown.low and shown.high < null + margin:
        return "balanced"
    beyond = shown.low > null + margin or shown.high < null - margin
    return "unbalanced" if beyond else "undecided"


def _outside_p(sample: Sample, *, null: float, margin: float) -> float:
    """Test |mean - null| <= margin: the tails beyond the near and the far margin (Lehmann's two-sided problem)."""
    ends = null - margin, null + margin
    if sample.n < 2 or ends[0] <= sample.mean <= ends[1]:
        return 1.0
    return sum(excess_p(sample, low=end, high=end) for end in ends) / 2


def _longest(numbers: Sequence[int | None]) -> int | None:
    known = [n for n in numbers if n is not None and isfinite(n)]
    return max(known) if len(known) == len(numbers) else None
