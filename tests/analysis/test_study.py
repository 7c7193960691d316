"""Sums of a run's parts against plain pandas, and what the study says of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sim
from analysis.keys import Off, Seat, SideShare
from analysis.moments import Sample
from analysis.sequences import ConfidenceSequence
from analysis.study import Judge, abilities, family_of, first_player, judge, pools_of, seats, win_shares
from analysis.sums import Tally, tally
from analysis.verdicts import verdict
from sim.engine import WHOLE
from sim.experiment import Change, make_plan
from sim.facts import Measure, TableSpec
from sim.run import run as play
from tests.toy import GAME as HIGH_CARD


@pytest.fixture(scope="module")
def run():
    keys = [a.key for a in HIGH_CARD.abilities]
    arms = [Change("same"), *(Change(str(Off(k)), without=(k,), who="one") for k in keys)]
    return sim.simulate(HIGH_CARD, games=6000, seed=5, arms=arms, progress=False, jobs=1)


def base(run) -> pd.DataFrame:
    frame = run.games[run.games["arm"] == "baseline"].copy()
    frame["value"] = frame["share"] / WHOLE
    return frame


def test_shares_are_the_plain_means(run):
    found, plain = tally(run), base(run)
    means = dict(zip(found.share_columns, found.shares[0].mean, strict=True))
    for seat, value in plain.groupby("seat")["value"].mean().items():
        assert means[Seat(seat)] == pytest.approx(value, abs=1e-6)
    for side, value in plain.groupby("side", observed=True)["value"].mean().items():
        assert means[SideShare(side)] == pytest.approx(value, abs=1e-6)
    lengths = dict(zip(found.game_columns, found.games[0].mean, strict=True))
    assert lengths["turns"] == pytest.approx(plain.groupby("game")["turns"].sum().mean(), abs=1e-4)
    assert lengths["rounds"] == pytest.approx(plain.groupby("game")["rounds"].first().mean(), abs=1e-4)


def test_an_identical_arm_differs_by_exactly_nothing(run):
    found = tally(run)
    same = found.changes[0]
    assert same.nonzero == (0,) * same.k
    assert not np.any(same.mean)


def test_own_tables_are_ratios_of_sums(run):
    found = tally(run)
    for spec in HIGH_CARD.tables:
        rows = run.rounds if spec.source == "rounds" else run.games
        rows = rows[rows["arm"] == "baseline"]
        for key, cells in found.tables[spec.key].items():
            mine = rows
            for name, value in zip(spec.by, key, strict=True):
                codes = mine[name].cat.codes if hasattr(mine[name], "cat") else mine[name]
                mine = mine[codes == value]
            for i, m in enumerate(spec.measures):
                if m.over != "game" and "*" not in m.value and m.value != "share":
                    top = len(mine) if m.value == "1" else mine[m.value].sum()
                    under = len(mine) if m.over == "1" else mine[m.over].sum()
                    ratio = cells.moments.ratio(i, len(spec.measures) + i, low=-1e9, high=1e9)
                    assert ratio.mean == pytest.approx(top / under, rel=1e-4, abs=1e-4)


def test_the_table_and_the_verdict_say_the_same(run):
    table = win_shares(run, "seat")
    first = first_player(run)
    assert table["share"].iloc[0] == first.estimate
    assert table["verdict"].iloc[0] == first.word
    assert ((table["low"] < table["share"]) & (table["share"] < table["high"])).all()


def test_strengths_have_an_interval_for_every_ability(run):
    found = abilities(run)
    assert [s.key for s in found] == [a.key for a in HIGH_CARD.abilities]
    assert all(s.bounds.low < s.value < s.bounds.high for s in found)


def test_a_watched_run_is_judged_by_wider_intervals(run):
    fixed = judge(run)
    watched = type(fixed)(fixed.tally, sequential=True)
    a, b = first_player(fixed), first_player(watched)
    assert not a.sequential
    assert b.sequential
    assert b.interval.width > a.interval.width


def test_classes_hold_every_side_once(run):
    found = tally(run)
    members = [name for names in pools_of(found).values() for name in names]
    assert sorted(members) == sorted(found.plan.side_names[i] for i in found.sides)


def test_parts_taken_in_together_leave_no_trace(run):
    together = tally(run)
    assert len(together.history) == run.plan.n_parts
    alone = Tally(run.plan, HIGH_CARD)
    for part in run.parts():
        alone.add(part)
    assert alone == together


def test_a_group_that_most_parts_lack_is_counted_per_game_of_all_parts():
    plan = make_plan(HIGH_CARD, games=400, seed=3, part_games=100)
    few = play(plan, None, jobs=1, progress=False)
    measures = (Measure("per", "per game", "1", over="game"), Measure("of", "of all", "1", over="all"))
    spec = TableSpec("rare", "Rare", "", "games", ("game",), measures)
    found = Tally(plan, replace(HIGH_CARD, tables=(spec,)))
    for part in few.parts():
        found.add(part)
    assert plan.n_parts > 2
    games = plan.games_per_arm
    for cells in found.tables["rare"].values():  # each game is a group of its own, seen in one part
        assert cells.moments.ratio(0, 2, high=1e9).mean == pytest.approx(1 / games, rel=1e-4)
        assert cells.moments.ratio(1, 3, high=1e9).mean == pytest.approx(1 / games, rel=1e-4)
    assert len(found.tables["rare"]) == games


def sequential(run_, size):
    """Return the judge of a run whose parts were looked at one after the other."""
    found = Tally(run_.plan, HIGH_CARD)
    parts = list(run_.parts())
    for part in parts:
        found.add(part)
    assert len(found.history) == len(parts) >= size
    return replace(judge(found), sequential=True)


def test_a_late_look_keeps_the_word_and_shows_its_own_numbers():
    """A sequence that decided early is not the end of the run: estimate, interval and n are those of the last look."""
    plan = make_plan(HIGH_CARD, games=24_000, seats=3, seed=3, policies="random", part_games=2400)
    run_ = play(plan, jobs=1, progress=False)
    j = sequential(run_, 8)
    seen = seats(j)
    assert sum(v.estimate for v in seen) == pytest.approx(1.0, abs=1e-9)
    assert [v.blocks for v in seen] == [j.tally.blocks] * 3
    plain = judge(run_)
    assert [v.estimate for v in seen] == [v.estimate for v in seats(plain)]
    early = ConfidenceSequence(
        j.tally.weights({Seat(0): 1.0}), null=1 / 3, margin=j.margin("first_seat"), low=0.0, high=1.0
    )
    words = [early.see(prefix).word for prefix in j.tally.history]
    assert early.decided is not None
    assert words.index(early.decided.word) < len(words) - 1, "it must have decided before the last look"
    assert seen[0].word == early.decided.word
    assert seen[0].interval.contains(plain.tally.shares[0].mean[0])


def test_the_verdicts_of_a_page_hold_together():
    """Eight verdicts with the truth on the edge of every margin: some word is wrong in at most 5 % of pages."""
    rng = np.random.default_rng(3)
    values, margin, rows = np.array([0.0, 0.25, 0.5, 0.75, 1.0]), 0.02, 8
    chances = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    variance = float(chances @ (values - 0.5) ** 2)
    edge = chances * (1 + margin * (values - 0.5) / variance)
    level = Judge(judge(sim.simulate(HIGH_CARD, games=100, progress=False, jobs=1)).tally, family=rows).verdict_level
    assert level == pytest.approx(1 - 0.05 / rows)
    pages = 600
    words = np.array(
        [
            [
                verdict(Sample.of(values, counts=counts), null=0.5, margin=margin, level=level).word != "undecided"
                for counts in rng.multinomial(3000, edge, size=rows)
            ]
            for _ in range(pages)
        ]
    )
    wrong = float(words.any(axis=1).mean())
    assert 0.005 < wrong <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / pages)
    single = np.array(
        [
            verdict(Sample.of(values, counts=counts), null=0.5, margin=margin).word != "undecided"
            for counts in rng.multinomial(3000, edge, size=rows * pages)
        ]
    ).reshape(pages, rows)
    assert single.any(axis=1).mean() > 0.15  # without the family


def test_a_study_counts_the_verdicts_of_its_page():
    j = judge(sim.simulate(HIGH_CARD, games=300, seats=2, progress=False, jobs=1))
    assert family_of(j) == 1 + 3  # the first seat and three skies that are classes of their own
    assert family_of(j, 2) == 6
