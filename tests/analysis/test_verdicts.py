"""Verdicts: proofs within a margin, several at once, and words instead of NaN where there is nothing to say."""

import dataclasses
import json

import numpy as np
import pytest
from scipy.stats import chisquare, norm
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower

from analysis import verdicts
from analysis.intervals import Interval
from analysis.moments import Sample
from analysis.verdicts import joint, verdict

HOME_AWAY = [(102, 236), (102, 239), (115, 225), (116, 219), (122, 226), (125, 216)]
HOME_SHARES = [0.366, 0.363, 0.390, 0.397, 0.396, 0.409]
SEATS = [(333, 292, 198, 177), (326, 260, 228, 186), (309, 275, 219, 197)]
SEAT_CHI2 = [66.7, 41.8, 31.5]
PAIRS = [[144, 3, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 3], [379, 10170, 21828, 10640, 343]]


def pairs(counts):
    return Sample.of([0, 0.25, 0.5, 0.75, 1], counts=counts)


def strict(result):
    """As JSON that a strict reader takes: no NaN, no Infinity."""
    return json.dumps(dataclasses.asdict(result), allow_nan=False)


@pytest.mark.parametrize(("counts", "share"), list(zip(HOME_AWAY, HOME_SHARES)))
def test_identical_players_home_and_away(counts, share):
    home, away = counts
    sample = Sample.of([0, 0.5, 1], counts=[away, 500 - home - away, home])
    found = verdict(sample, null=0.5, margin=0.02, table_share=0.5)
    assert found.word == "unbalanced"
    assert found.estimate == pytest.approx(share, abs=5.1e-4)
    assert sample.error == pytest.approx(0.018, abs=1e-3)


@pytest.mark.parametrize(("counts", "chi2"), list(zip(SEATS, SEAT_CHI2)))
def test_four_equal_players_by_seat(counts, chi2):
    assert chisquare(counts).statistic == pytest.approx(chi2, abs=0.05)
    seats = [
        verdict(Sample.of([0, 1], counts=[1000 - won, won]), null=0.25, margin=0.025, name=f"seat {seat}")
        for seat, won in enumerate(counts)
    ]
    found = joint(seats)
    assert found.word == "unbalanced"
    assert "seat 0" in found.outside
    assert found.further_blocks == 0


def test_published_pair_counts():
    hopeless, one, three, long = (pairs(c) for c in PAIRS)
    assert (hopeless.mean, hopeless.error) == pytest.approx((0.008446, 0.004415), abs=2e-5)
    assert (long.mean, long.error) == pytest.approx((0.502295, 0.000888), abs=5e-7)
    assert (one.mean, three.mean) == (0.0, 1.0)
    for sample, elo, error in ((long, 3.05, 2.31), (hopeless, -2248.42, 39.58)):
        # Normalised Elo: gap in standard deviations of a game (a pair has half the variance), 800 / ln 10 to the unit.
        unit = 800 / np.log(10) / np.sqrt(2 * sample.variance * (sample.n - 1) / sample.n)
        assert (sample.mean - 0.5) * unit == pytest.approx(elo, abs=0.006)
        assert 1.96 * unit * sample.error == pytest.approx(error, rel=0.004)


def test_published_single_games():
    games = Sample.of([0, 0.5, 1], counts=[759, 1863, 880])
    assert (games.mean, games.error) == pytest.approx((0.517276, 0.00577), abs=1e-5)
    elo = 400 * np.log10(games.mean / (1 - games.mean))
    assert elo == pytest.approx(12.0, abs=0.05)


@pytest.mark.parametrize(
    ("counts", "word"),
    [(PAIRS[0], "unbalanced"), (PAIRS[1], "undecided"), (PAIRS[2], "undecided"), (PAIRS[3], "balanced")],
)
def test_hopeless_players_get_a_verdict(counts, word):
    found = verdict(pairs(counts), null=0.5, margin=0.02, games_per_block=2, table_share=0.5)
    assert found.word == word
    assert 0 <= found.interval.low < found.interval.high <= 1
    assert (found.further_blocks == 0) == (word != "undecided")
    assert found.games == 2 * sum(counts)
    strict(found)


def test_nothing_played_and_one_block():
    for sample in (Sample.of([]), Sample.of([1.0])):
        found = verdict(sample, null=0.5, margin=0.02)
        assert found.word == "undecided"
        assert found.note
        assert found.further_blocks > 1000
        strict(found)
    assert verdict(Sample.of([]), null=0.5, margin=0.02).estimate is None
    assert joint([]).note
    strict(joint([]))
    strict(joint([verdict(Sample.of([]), null=0.25, margin=0.02)] * 4))


def test_words_follow_the_interval_and_the_smallest_margin():
    rng = np.random.default_rng(1)
    sample = Sample.of([0, 0.25, 0.5, 0.75, 1], counts=rng.multinomial(4000, [0.1, 0.2, 0.4, 0.2, 0.1]))
    proved = verdict(sample, null=0.5, margin=0.02).smallest_margin
    assert verdict(sample, null=0.5, margin=proved + 1e-9).word == "balanced"
    assert verdict(sample, null=0.5, margin=proved - 1e-9).word == "undecided"
    shown = verdict(sample, null=0.5, margin=0.02).interval
    assert proved == max(0.5 - shown.low, shown.high - 0.5)  # the interval that is shown decides
    far = verdict(sample, null=0.4, margin=0.02)
    assert far.word == "unbalanced"
    assert far.p <= 0.05
    on_it = verdict(dataclasses.replace(sample, mean=0.5625), null=0.5, margin=0.0625)
    assert on_it.word == "undecided"
    assert on_it.further_blocks is None
    assert "on the margin" in on_it.note


def test_without_a_margin_the_error_is_that_of_a_two_sided_test():
    rng = np.random.default_rng(8)
    words = [
        verdict(Sample.of([0, 0.5, 1], counts=c), null=0.5, margin=0).word
        for c in rng.multinomial(500, [0.25, 0.5, 0.25], size=800)
    ]
    assert "balanced" not in words
    assert np.mean([w == "unbalanced" for w in words]) == pytest.approx(0.05, abs=0.025)


def test_fixed_sizes_have_their_power():
    rng = np.random.default_rng(2)
    values, chances = np.array([0, 0.25, 0.5, 0.75, 1]), np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    variance = float(chances @ (values - 0.5) ** 2)
    n = verdicts.fixed_size(variance=variance, margin=0.03)
    assert n == pytest.approx((1.960 + 1.960) ** 2 * variance / 0.03**2, rel=2e-3)
    words = [
        verdict(Sample.of(values, counts=c), null=0.5, margin=0.03).word for c in rng.multinomial(n, chances, size=1000)
    ]
    assert np.mean([w == "balanced" for w in words]) == pytest.approx(0.95, abs=0.02)


def test_balance_on_the_margin_is_rarely_proved():
    rng = np.random.default_rng(3)
    values, chances = np.array([0.0, 0.5, 1.0]), np.array([0.23, 0.5, 0.27])
    words = [
        verdict(Sample.of(values, counts=c), null=0.5, margin=0.02).word
        for c in rng.multinomial(20_000, chances, size=1500)
    ]
    assert np.mean([w == "balanced" for w in words]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1500)
    assert np.mean([w == "unbalanced" for w in words]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1500)


def test_further_blocks_are_about_right():
    rng = np.random.default_rng(4)
    values, chances = np.array([0.0, 0.5, 1.0]), np.array([0.25, 0.5, 0.25])
    first = Sample.of(values, counts=[75, 150, 75])
    more = verdict(first, null=0.5, margin=0.02).further_blocks
    counts = rng.multinomial(300 + more, chances, size=300)
    words = [verdict(Sample.of(values, counts=c), null=0.5, margin=0.02).word for c in counts]
    assert np.mean([w == "balanced" for w in words]) == pytest.approx(0.8, abs=0.07)


def test_detection_size_and_table_games():
    n = verdicts.detection_size(variance=0.25, gap=0.02)
    assert n == pytest.approx(NormalIndPower(ddof=0).solve_power(0.04, alpha=0.05, power=0.8, ratio=0), abs=1)
    games = verdicts.table_games(0.014, share=0.25)
    assert games == pytest.approx(7600, rel=0.03)
    # The power of that very test, from the normal distribution.
    spread = np.sqrt(0.25 * 0.75 / games), np.sqrt(0.264 * 0.736 / games)
    assert norm.sf((1.95996 * spread[0] - 0.014) / spread[1]) == pytest.approx(0.8, abs=1e-3)
    assert verdicts.table_games(0.0, share=0.25) is None
    assert verdicts.table_games(-0.25, share=0.25) >= 1


def test_corrections_agree_with_statsmodels():
    p = np.array([0.001, 0.04, 0.03, 0.2, 0.9, 0.03, 1.0])
    np.testing.assert_allclose(verdicts.holm(p), multipletests(p, method="holm")[1])
    np.testing.assert_allclose(verdicts.benjamini_hochberg(p), multipletests(p, method="fdr_bh")[1])
    assert verdicts.holm([]).size == 0
    assert verdicts.benjamini_hochberg([]).size == 0


def test_family_error_of_joint_verdicts():
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(250):
        sides = [
            verdict(Sample.of([0, 0.5, 1], counts=c), null=0.48, margin=0.02, name=str(i))
            for i, c in enumerate(rng.multinomial(900, [0.25, 0.5, 0.25], size=5))
        ]
        wrong += joint(sides).word == "unbalanced"
    assert wrong / 250 <= 0.05


def test_one_outside_by_itself_only_is_undecided():
    sides = [verdict(Sample.of([0, 1], counts=[470, 530]), null=0.5, margin=0.02, name=str(i)) for i in range(3)]
    odd = verdict(Sample.of([0, 1], counts=[448, 552]), null=0.5, margin=0.02, name="odd")
    assert odd.word == "unbalanced"
    found = joint([*sides, odd])
    assert found.word == "undecided"
    assert "by itself" in found.note


def test_shrinkage_agrees_with_dersimonian_and_laird():
    effects, errors = np.array([0.05, -0.01, 0.02, 0.09, -0.06]), np.array([0.02, 0.03, 0.015, 0.04, 0.02])
    found = verdicts.shrink(effects, errors)
    theirs = combine_effects(effects, errors**2, method_re="dl")
    assert found.spread**2 == pytest.approx(theirs.tau2)
    assert found.centre == pytest.approx(theirs.mean_effect_re)
    assert np.all(np.abs(found.effects - found.centre) <= np.abs(effects - found.centre))


def test_shrinkage_picks_better_than_the_raw_list():
    rng = np.random.default_rng(6)
    raw, shrunken = [], []
    for _ in range(200):
        truth = rng.normal(0, 0.02, 30)
        errors = rng.uniform(0.005, 0.05, 30)
        seen = rng.normal(truth, errors)
        raw.append(((seen - truth) ** 2).mean())
        shrunken.append(((verdicts.shrink(seen, errors).effects - truth) ** 2).mean())
    assert np.mean(shrunken) < 0.5 * np.mean(raw)
    assert verdicts.shrink([], []).effects.size == 0
    known = verdicts.shrink([0.1, 0.2], [0.0, 0.0])
    np.testing.assert_allclose(known.effects, [0.1, 0.2])
    assert known.spread**2 == pytest.approx(np.var([0.1, 0.2], ddof=1))
    np.testing.assert_allclose(verdicts.shrink([0.3], [0.1]).effects, [0.3])


def test_settled_sign():
    def between(low, high):
        return Interval(low, high, 0.95, "score")

    assert verdicts.settled_sign(between(0.01, 0.02), between(-0.2, -0.1)) == "opposite"
    assert verdicts.settled_sign(between(0.01, 0.02), between(0.2, 0.3)) == "same"
    assert verdicts.settled_sign(between(0.01, 0.02), between(-0.2, 0.0)) == "not settled"
