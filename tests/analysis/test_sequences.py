"""Watching is safe: the error of all looks together, and what it costs against a fixed design."""

import dataclasses
import json

import numpy as np
import pytest

from analysis import sequences
from analysis.moments import Moments, Sample
from analysis.sequences import ConfidenceSequence, joint_verdict
from analysis.verdicts import fixed_size

VALUES = np.array([0, 0.25, 0.5, 0.75, 1])
CHANCES = np.array([0.1, 0.2, 0.4, 0.2, 0.1])  # of the block values of a fair game
VARIANCE = float(CHANCES @ (VALUES - 0.5) ** 2)


def paths(chances, parts, size, runs, rng):
    """Blocks (parts,), running means and variances (runs, parts) of `runs` runs, looked at after each part."""
    counts = rng.multinomial(size, chances, size=(runs, parts)).astype(np.float64)
    n = size * np.arange(1, parts + 1)
    mean = (counts @ VALUES).cumsum(1) / n
    variance = ((counts @ VALUES**2).cumsum(1) - n * mean**2) / (n - 1)
    return n, mean, variance


def tilted(gap):
    """Chances of the block values with a mean of .5 + gap."""
    return CHANCES * (1 + gap * (VALUES - 0.5) / VARIANCE)


def missed_somewhere(truth, n, mean, radius):
    return float((np.abs(mean - truth) > radius).any(axis=1).mean())


def watch_coverage(runs, rng):
    """Naive misses, and ours, of runs that are looked at 120 times."""
    n, mean, variance = paths(CHANCES, 120, 50, runs, rng)
    naive = missed_somewhere(0.5, n, mean, 1.96 * np.sqrt(variance / n))
    steady = sequences.steady_variance(n, variance, extra=0.25)
    ours = missed_somewhere(0.5, n, mean, sequences.two_sided_radius(n, steady, head_start=6000 / 8))
    return naive, ours


def equivalence(gap, margin, times, runs, rng):
    """First look at which balance is proved, in fixed sizes (infinite if never); one contrast, 100 looks a size."""
    size = fixed_size(variance=VARIANCE, margin=margin)
    part = round(size / 100)
    n, mean, variance = paths(tilted(gap), 100 * times, part, runs, rng)
    steady = sequences.steady_variance(n, variance, extra=0.25)
    # As `ConfidenceSequence` does: the horizon is set at the first look and kept.
    horizon = (1.960 + 1.960) ** 2 * steady[:, :1] / margin**2
    radius = sequences.two_sided_radius(n, steady, head_start=sequences.HEAD_START * horizon)
    proved = np.abs(mean - 0.5) + radius < margin
    return np.where(proved.any(1), n[proved.argmax(1)] / size, np.inf)


def test_naive_watching_fails_and_ours_does_not():
    naive, ours = watch_coverage(1500, np.random.default_rng(1))
    assert naive > 0.30
    assert ours <= 0.05


def test_sequential_equivalence_costs_little():
    first = equivalence(0.0, 0.02, 4, 400, np.random.default_rng(2))
    assert np.isfinite(first).mean() >= 0.95
    assert np.median(first) <= 1.1
    assert first[np.isfinite(first)].mean() <= 1.3


def test_balance_on_the_margin_is_rarely_proved():
    first = equivalence(0.02, 0.02, 10, 500, np.random.default_rng(3))
    assert np.isfinite(first).mean() <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 500)


@pytest.mark.parametrize("rate", [0.0002, 0.001, 0.02])
def test_rare_differences_are_covered_at_every_look(rate):
    rng = np.random.default_rng(6)
    values = np.array([0.25, -0.25, 1.0])
    chances = np.append(rate * np.array([0.6, 0.3, 0.1]), 1 - rate)
    counts = rng.multinomial(100, chances, size=(800, 100))[..., :3].cumsum(1)
    n = 100 * np.arange(1, 101)
    mean = counts @ values / n
    squares = counts @ values**2 - n * mean**2
    truth = float(values @ chances[:3])
    upper = sequences.bounded_bound(n, mean, squares, low=-1, high=1, level=0.975)
    lower = -sequences.bounded_bound(n, -mean, squares, low=-1, high=1, level=0.975)
    assert ((lower > truth) | (upper < truth)).any(1).mean() <= 0.05
    assert np.all(lower < upper)


def test_never_mattered_is_bounded_at_every_look():
    n = np.array([100, 1000, 100_000])
    upper = sequences.bounded_bound(n, 0 * n, 0 * n, low=-1, high=1, level=0.975)
    assert np.all(n * upper > np.log(40))  # no bet can do better
    assert np.all(n * upper < 5.5)


def test_bounded_sequence_becomes_narrow_when_differences_are_small():
    """With a thousand blocks that matter a little, the width is of the order of their standard error."""
    n, rate = 100_000, 0.01
    mean, squares = 0.2 * rate, n * rate * 0.2**2
    upper = sequences.bounded_bound(n, mean, squares, low=-1, high=1, level=0.975)
    assert (upper - mean) < 2.5 * 1.96 * np.sqrt(squares) / n


def test_p_values_solve_their_radius():
    n, variance, head_start = np.array([100, 4000]), 0.06, 500
    for level in (0.9, 0.95, 0.999):
        radius = sequences.two_sided_radius(n, variance, head_start=head_start, level=level)
        p = sequences.two_sided_p(n, radius, variance, head_start=head_start)
        np.testing.assert_allclose(p, 1 - level, rtol=1e-9)
    assert sequences.two_sided_p(10, 0.0, 0.06, head_start=10) == 1
    assert sequences.two_sided_p(10**6, 0.5, 0.06, head_start=10) == 0


def one_column(blocks):
    return Moments.empty([0.5]).add(np.asarray(blocks, float))


def share_sequence(**kwargs):
    return ConfidenceSequence([1], null=0.5, margin=kwargs.pop("margin", 0.02), low=0, high=1, **kwargs)


def test_the_object_says_what_the_formulas_say():
    rng = np.random.default_rng(7)
    watched, blocks = share_sequence(), []
    for _ in range(20):
        part = rng.choice(VALUES, p=CHANCES, size=200)
        blocks.append(part)
        found = watched.add(one_column(part))
        seen = np.concatenate(blocks)
        if len(blocks) == 1:
            first = float(sequences.steady_variance(200, part.var(ddof=1), extra=0.25))
            head_start = sequences.HEAD_START * fixed_size(variance=first, margin=0.02)
        steady = sequences.steady_variance(seen.size, seen.var(ddof=1), extra=0.25)
        radius = sequences.two_sided_radius(seen.size, steady, head_start=head_start)
        assert found.interval.high == pytest.approx(seen.mean() + float(radius), abs=1e-8)
        assert found.interval.low == pytest.approx(seen.mean() - float(radius), abs=1e-8)
        assert found.sequential
        assert found.estimate == pytest.approx(seen.mean())  # the plain tally, not that of a stopping model


def test_a_prefix_decides_whatever_comes_later():
    rng = np.random.default_rng(8)
    parts = [one_column(rng.choice(VALUES, p=CHANCES, size=500)) for _ in range(30)]
    short, long = share_sequence(), share_sequence()
    said = [short.add(p) for p in parts[:10]]
    assert [long.add(p) for p in parts][:10] == said
    prefix, shared = Moments.empty([0.5]), share_sequence()
    for part, word in zip(parts, said):
        prefix = prefix.merge(part)
        assert shared.see(prefix) == word
    assert long.decided is not None
    assert long.decided.word == "balanced"


def test_hopeless_and_thin_data_have_words():
    watched = share_sequence(games_per_block=2)
    assert watched.verdict.word == "undecided"
    found = watched.add(one_column([0.0]))
    assert found.word == "undecided"
    assert "too few" in found.note
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    for _ in range(10):
        found = watched.add(one_column(np.zeros(20)))
        json.dumps(dataclasses.asdict(found), allow_nan=False)
        assert 0 <= found.interval.low < found.interval.high <= 1
    assert found.word == "unbalanced"
    assert found.further_blocks == 0


def test_further_blocks_are_about_right():
    rng = np.random.default_rng(9)
    guesses, needed = [], []
    for _ in range(60):
        watched = share_sequence()
        watched.add(one_column(rng.choice(VALUES, p=CHANCES, size=1000)))
        if (guess := watched.verdict.further_blocks) is None:
            continue
        guesses.append(guess)
        while watched.decided is None:
            watched.add(one_column(rng.choice(VALUES, p=CHANCES, size=100)))
        needed.append(watched.moments.n - 1000)
    assert 0.5 < np.median(needed) / np.median(guesses) < 2


def test_rare_differences_choose_the_bounded_kind():
    rng = np.random.default_rng(10)
    watched = ConfidenceSequence([1], null=0.0, margin=0.01, low=-1, high=1)
    for _ in range(12):
        part = np.where(rng.random(500) < 0.002, 0.5, 0.0)
        found = watched.add(Moments.empty([0.0]).add(part))
    assert watched.kind == "bounded"
    assert "exact" in found.method
    assert watched.decided.word == "balanced"
    strong = ConfidenceSequence([1], null=0.0, margin=0.001, low=-1, high=1, kind="bounded")
    for _ in range(12):
        found = strong.add(Moments.empty([0.0]).add(np.where(rng.random(500) < 0.04, 0.5, 0.0)))
    assert found.word == "unbalanced"
    assert found.p <= 0.05
    assert share_sequence(kind="bounded").add(one_column(np.full(50, 0.5))).word == "undecided"


def test_stopping_when_precise_keeps_the_level():
    rng = np.random.default_rng(11)
    covered, stopped = [], []
    chances = tilted(0.04)
    for _ in range(200):
        watched = share_sequence(precision=0.03)
        while not watched.precise:
            watched.add(one_column(rng.choice(VALUES, p=chances, size=50)))
        look = watched.look
        covered.append(look.interval.contains(0.54))
        stopped.append(look.sample.n)
        assert look.interval.width <= 0.06
    assert np.mean(covered) >= 0.95
    assert min(stopped) > sequences.FEWEST
    assert not share_sequence().precise


def test_joint_verdict_of_five_sides():
    rng = np.random.default_rng(12)
    words = []
    for chances in ([0.2, 0.2, 0.2, 0.2, 0.2], [0.25, 0.2, 0.2, 0.2, 0.15]):
        watched = [
            ConfidenceSequence(weights, null=0.2, margin=0.02, low=0, high=1, name=str(side))
            for side, weights in enumerate(np.eye(5))
        ]
        for _ in range(40):
            part = Moments.empty([0.2] * 5).add(rng.multinomial(5, chances, size=200) / 5)
            for side in watched:
                side.add(part)
        found = joint_verdict(watched)
        words.append((found.word, found.outside))
        assert found.further_blocks == 0
    assert words[0] == ("balanced", ())
    assert words[1][0] == "unbalanced"
    assert set(words[1][1]) == {"0", "4"}


def test_contrasts_of_columns_and_wrong_use():
    rng = np.random.default_rng(13)
    watched = ConfidenceSequence([1, -1], null=0.0, margin=0.05, low=-1, high=1)
    values = rng.random((400, 2))
    watched.add(Moments.empty([0.5, 0.5]).add(values))
    assert watched.verdict.estimate == pytest.approx((values[:, 0] - values[:, 1]).mean())
    assert watched.kind == "normal"
    with pytest.raises(ValueError, match="finite range"):
        ConfidenceSequence([1], null=0, margin=1, low=0, high=np.inf, kind="bounded")
    assert Sample.of([]).n == ConfidenceSequence([1], null=0, margin=1, low=0, high=1).sample.n
