"""Answers known exactly come out right, through the public contract of a game; nothing comes of nothing."""

import numpy as np
import pytest

from analysis import lists, luck, study
from analysis.keys import ALONE, FIRST, Off, OffBoth, RunKey, SideShare
from analysis.runs import Spec
from analysis.sums import tally
from sim.experiment import Change, make_plan
from sim.referee import check
from sim.run import run
from sim.trace import trace_game
from tests.analysis import nulls
from tests.analysis.planted import GAME, KEYS, exact_two
from tests.analysis.smaller import smaller_plans
from tests.toy import GAME as HIGH_CARD


def play(plan, **how):
    return run(plan, jobs=1, progress=False, **how)


def sure(run_):
    """Judge at 99.9 %: an interval that misses here is wrong, not unlucky."""
    return study.Judge(tally(run_), level=0.999)


def variant(*settings):
    return GAME.variant(None, list(settings))


def test_first_player_of_high_card():
    """13/23: the second of two cards off 24 is higher in rank with chance 10/23."""
    rules = HIGH_CARD.variant(None, ["rounds=1", "hand=1"])
    made = play(make_plan(HIGH_CARD, games=40_000, seats=2, variant=rules, sides=["Sun"], without=["swap"]))
    found = study.first_player(study.judge(made))
    assert found.interval.contains(13 / 23)
    assert found.interval.width < 0.01
    assert found.word == "unbalanced"


def test_the_rulebook_of_lots_agrees_with_its_kernels():
    plan = make_plan(GAME, games=60, seats=3, variant=variant("strong=0.2", "spark=0.3"), without=["right"])
    for game in range(0, 60, 7):
        assert check(trace_game(plan, game), GAME).story


@pytest.fixture(scope="module")
def sided():
    rules = variant("first=0.1", "strong=0.12")
    return rules, play(make_plan(GAME, games=60_000, seats=2, variant=rules))


def test_the_planted_side_is_named_and_its_share_known(sided):
    rules, made = sided
    j = sure(made)
    for side, found in enumerate(study.sides(j)):
        others = [exact_two(rules, side=side, against=o) for o in range(3) if o != side]
        assert found.interval.contains(np.mean(others)), found.name
    joint = study.all_sides(j)
    assert joint.word == "unbalanced"
    assert "Strong" in joint.outside
    best = max(study.sides(j), key=lambda v: v.estimate)
    assert best.name == "Strong"


def test_the_planted_first_seat(sided):
    rules, made = sided
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    truth = np.mean([exact_two(rules, seat=0, side=a, against=b) for a, b in pairs])
    assert study.first_player(sure(made)).interval.contains(truth)


@pytest.fixture(scope="module")
def gifted():
    """Each ability off for one, and all twos of them."""
    rules = variant("spark=0.3", "hands=0.15")
    arms = [Change(str(Off(k)), without=(k,), who="one") for k in KEYS]
    twos = [("spark", "dust"), ("spark", "left"), ("left", "right"), ("dust", "right")]
    arms += [Change(str(OffBoth(a, b)), without=(a, b), who="one") for a, b in twos]
    made = play(make_plan(GAME, games=12_000, seats=2, variant=rules, sides=["Plain"], arms=arms, seed=3))
    return rules, study.judge(made)


def test_a_known_ability_value_and_a_dead_card(gifted):
    rules, j = gifted
    fair = exact_two(rules)
    truth = fair - exact_two(rules, mine=("left", "right"))
    ranked = {r.name: r for r in lists.screen(lists.strengths(j), judge=j)}
    assert next(iter(ranked)) == "spark"
    seen = study.Judge(j.tally, level=0.999).interval(lists.strengths(j)[0].sample)
    assert seen.contains(truth)
    assert seen.width < 0.02
    assert {name for name, r in ranked.items() if r.found} == {"spark"}
    for name in ("dust", "left", "right"):  # never mattered: a bound, not a zero
        assert ranked[name].value == 0.0
        assert 0 < ranked[name].bounds.high < 4 / j.tally.blocks
        assert ranked[name].q == 1.0


def test_two_that_stand_in_for_each_other_are_named(gifted):
    rules, j = gifted
    truth = exact_two(rules) - exact_two(rules, mine=("spark",))
    found = {(p.first, p.second): p for p in lists.interactions(j)}
    both = found["left", "right"]
    assert abs(both.value - truth) < 3.3 / 3.92 * both.bounds.width
    assert both.word == "together"
    assert [p.word for pair, p in found.items() if pair != ("left", "right")] == ["separate"] * 3
    assert lists.interactions(j, margin=0.9)[0].word == "separate"


def test_the_best_and_the_worst_are_confirmed_on_fresh_deals(gifted):
    rules, j = gifted
    spec = Spec(make_plan(GAME, games=60_000, seats=2, variant=rules, sides=["Plain"], seed=3), "skilled")
    plans = smaller_plans(spec, {RunKey("abilities"): j})
    plan = plans["confirmed"]
    assert plan.seed != 3
    ranked = lists.screen(lists.strengths(j), judge=j)
    assert plan.arm_names[1:] == tuple(str(Off(r.name)) for r in lists.picks(ranked))
    assert not any({a, b} == {"spark"} for a, b in j.tally.crossed)

    def fresh(names):
        judged = study.judge(play(plan))
        return {e.name: e.sample for e in lists.strengths(judged)}

    best, worst = lists.confirm(ranked, fresh)
    assert (best.name, best.word) == ("spark", "confirmed")
    assert worst.word == "not confirmed"
    assert set(plans["pairs"].arm_names) >= {str(Off("spark")), "baseline"}


def test_winners_of_noise_are_not_confirmed():
    """Picked as the most extreme of 40 nothings, the estimate is far off; on fresh deals it is gone."""
    rng = np.random.default_rng(5)
    words, first, fresh = [], [], []
    for _ in range(60):
        effects = [lists.Effect(str(i), sample(rng)) for i in range(40)]
        ranked = lists.screen(effects)
        for c in lists.confirm(ranked, lambda names: {n: sample(rng) for n in names}):
            words.append(c.word)
            first.append(abs(c.first))
            fresh.append(abs(c.fresh))
    assert np.mean([w == "confirmed" for w in words]) <= 0.06
    assert np.mean(fresh) < 0.5 * np.mean(first)


def sample(rng, blocks=400):
    return lists.Sample.of(rng.choice([-0.5, 0, 0.5], size=blocks, p=[0.3, 0.4, 0.3]), low=-1, high=1)


# ---- the luck of the deal


CONTRAST = luck.Contrast("Odd", {SideShare("Odd"): 1.0})


@pytest.fixture(scope="module")
def lucky():
    """A run in which hands are worth something, and the exact share of Odd."""
    rules = variant("first=0.1", "strong=0.12")
    plan = make_plan(GAME, games=40_000, seats=2, variant=rules, sides=["Plain", "Odd"], seed=11)
    made = play(plan)
    truth = exact_two(rules, side=2, against=0)
    return plan, made, truth


def test_the_luck_of_the_deal_explains_what_it_should(lucky):
    _, made, truth = lucky
    (found,) = luck.without_luck(made, [CONTRAST], deals=200_000)
    assert found.adjusted.variance_ratio < 0.6
    assert f"explains about {100 * (1 - found.adjusted.variance_ratio):.0f} %" in found.words
    assert abs(found.adjusted.estimate - truth) < 3 * found.adjusted.sample.error


def test_it_does_not_help_where_pairing_has_taken_the_luck_out(lucky):
    _, made, _ = lucky
    (first,) = luck.without_luck(made, [luck.Contrast("going first", {FIRST: 1.0})], deals=20_000)
    assert first.adjusted.variance_ratio > luck.HELPS
    assert "nothing worth" in first.words


def test_a_true_difference_is_left_where_it_is():
    """Over 2,000 experiments of 30 blocks: the bias is below a tenth of the standard error of one of them."""
    bias, claimed, ratio = nulls.luck_bias(2000, 30)
    assert abs(bias) < 0.1
    assert claimed == pytest.approx(1, rel=0.1)
    assert ratio < 0.6


def test_luck_of_random_seatings_is_refused():
    plan = make_plan(GAME, games=100, draw="random")
    with pytest.raises(ValueError, match="balanced"):
        luck.LuckTally(plan, [CONTRAST], deals=100)


def test_expectations_are_those_of_the_entrant():
    """Odd is dealt 1 - u, Plain u: half each on average, with the variance of a uniform number."""
    plan = make_plan(GAME, games=100, seats=2, sides=["Plain", "Odd"])
    made = luck.expect(plan, np.arange(plan.superblock_games), deals=60_000)
    np.testing.assert_allclose(made.mean, 0.5, atol=0.012)
    np.testing.assert_allclose(made.cov[:, 0, 0], 1 / 12, atol=0.004)
    weights = np.zeros(made.mean.shape)
    weights[0, 0] = 1.0
    assert made.of(weights)[1] == pytest.approx(np.sqrt(1 / 12 / made.deals[0]), rel=0.05)


def test_an_arm_minus_the_baseline_has_its_luck_taken_out_too():
    rules = variant("spark=0.3")
    arms = [Change(str(Off("spark")), without=("spark",), who="one")]
    plan = make_plan(GAME, games=8000, seats=2, variant=rules, sides=["Plain"], arms=arms)
    contrast = luck.Contrast("spark", {ALONE: 1.0}, str(Off("spark")))
    (found,) = luck.without_luck(play(plan), [contrast], deals=20_000)
    truth = exact_two(rules) - exact_two(rules, mine=("left", "right"))
    assert abs(found.adjusted.estimate - truth) < 3 * found.adjusted.sample.error
    plain = tally(play(plan)).changes[0]
    assert found.adjusted.plain == pytest.approx(plain.mean[tally(play(plan)).column(ALONE)], abs=1e-6)
