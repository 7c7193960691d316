"""The ladder of tiers."""

import pytest

from analysis.skill import ladder, lines_of, pairs_of, skill_plan
from sim.errors import UsageError
from sim.game import load
from tests.toy import GAME


def test_every_pair_once_the_stronger_first():
    assert pairs_of(GAME, ["random", "novice", "skilled"]) == [
        ("novice", "random"), ("skilled", "random"), ("skilled", "novice"),
    ]  # fmt: skip
    assert all(name != "expert" for pair in pairs_of(load("fox-in-the-forest")) for name in pair)


def test_one_stronger_player_meets_every_seat_and_packet():
    plan = skill_plan("celestial-ranks", "skilled", "novice", games=20, sides=["Human"])
    seats = plan.expand(0, plan.superblock_games).seats
    assert [tier.name for tier in plan.arms[0].tiers] == ["skilled", "novice", "novice", "novice"]
    where = [(list(game["entrant"]).index(0), int(game["packet"][list(game["entrant"]).index(0)])) for game in seats]
    assert sorted(seat for seat, _ in where) == sorted(packet for _, packet in where) == [0, 1, 2, 3]


def test_who_is_better_is_said_whichever_is_named_first():
    better, worse, last = ladder("fox-in-the-forest", ["random", "skilled", "novice"], games=400, progress=False)
    assert (better.tier, better.among, better.word) == ("skilled", "random", "better")
    assert better.low <= better.share <= better.high
    assert (worse.tier, worse.among, worse.word) == ("novice", "random", "better")
    assert (last.tier, last.among, last.word) == ("novice", "skilled", "worse")
    assert max(map(len, lines_of("The Fox in the Forest", (better, worse, last)))) <= 80


@pytest.mark.parametrize(
    ("tiers", "words"),
    [(["skilled"], "at least two"), (["novice", "novice"], "named twice"), (["novice", "skiled"], "did you mean")],
)
def test_ladders_that_cannot_be(tiers, words):
    with pytest.raises(UsageError, match=words):
        pairs_of(load("celestial-ranks"), tiers)
