"""Plans: balanced seatings, super-blocks, arms, numbers of games."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from sim import list_games, load_variant, rng
from sim.errors import UsageError
from sim.experiment import Change, Plan, combinations_of, make_plan, parse_seed, seatings
from sim.identity import differences
from tests.toy import GAME

TOY = "tests.toy:GAME"


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_every_entrant_meets_every_seat_and_packet_equally_often(n):
    table = seatings(n)
    pairs = {"entrant in seat": Counter(), "entrant with packet": Counter(), "packet in seat": Counter()}
    for entrants, packets in table:
        assert sorted(entrants) == sorted(packets) == list(range(n))
        for seat in range(n):
            pairs["entrant in seat"][entrants[seat], seat] += 1
            pairs["entrant with packet"][entrants[seat], packets[seat]] += 1
            pairs["packet in seat"][packets[seat], seat] += 1
    for counts in pairs.values():
        assert len(counts) == n * n
        assert len(set(counts.values())) == 1
    assert len(table) == (4 if n == 2 else n)
    assert len(set(table)) == len(table)


def test_identical_entrants_of_two_seats_need_two_games():
    table = seatings(2, same=True)
    assert [packets for _, packets in table] == [(0, 1), (1, 0)]
    assert make_plan(TOY, games=10, seats=2, sides=["Sun"]).superblock_games == 2
    one = Change("one", without=("swap",), who="one")
    assert make_plan(TOY, games=10, seats=2, sides=["Sun"], arms=[one]).superblock_games == 8
    everybody = Change("all", without=("swap",))
    assert make_plan(TOY, games=10, seats=2, sides=["Sun"], arms=[everybody]).superblock_games == 4


@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize(("k", "n"), [(5, 2), (5, 3), (5, 4), (5, 5), (4, 2), (6, 2), (6, 3), (6, 4), (7, 3), (3, 3)])
def test_every_set_of_sides_meets_equally_often(k, n, rotate):
    made = combinations_of(k, n, rotate)
    sets = Counter(tuple(sorted(combo)) for combo in made)
    assert set(sets) == set(combinations(range(k), n))
    assert len(set(sets.values())) == 1
    if rotate:
        first = Counter(combo[0] for combo in made)
        assert len(first) == k
        assert len(set(first.values())) == 1


def test_five_sides_need_no_more_deals_than_there_are_sets():
    assert [len(combinations_of(5, n, rotate=True)) for n in (2, 3, 4)] == [10, 10, 5]
    assert len(combinations_of(5, 2, rotate=True, mirrors=True)) == 15


@pytest.mark.parametrize("seats", [2, 3])
def test_a_whole_plan_is_balanced(seats):
    plan = make_plan(TOY, games=1, seats=seats, arms=[Change("one", without=("swap",), who="one")])
    batch = plan.expand(0, plan.total_games)
    for arm in (0, 1):
        rows = batch.seats[batch.games["arm"] == arm]
        for a, b in (("side", None), ("entrant", None), ("packet", None), ("side", "packet"), ("entrant", "packet")):
            place = rows[b] if b else np.broadcast_to(np.arange(seats), rows.shape)
            counts = Counter(zip(rows[a].ravel().tolist(), place.ravel().tolist(), strict=True))
            assert len(set(counts.values())) == 1, (a, b)
        handicapped = Counter(rows["side"][rows["entrant"] == 0].tolist())
        assert len(handicapped) == 3
        assert len(set(handicapped.values())) == 1
        assert (rows["off"] == (rows["entrant"] == 0) * arm).all()


def test_arms_share_their_deals_and_seatings():
    plan = make_plan(TOY, games=100, seats=2, arms=[Change("same"), Change("policy", policy="novice", who="one")])
    batch = plan.expand(0, plan.total_games)
    arms = [batch.games["arm"] == a for a in range(3)]
    for arm in arms[1:]:
        assert (batch.games["key"][arm] == batch.games["key"][arms[0]]).all()
        for name in ("side", "entrant", "packet"):
            assert (batch.seats[name][arm] == batch.seats[name][arms[0]]).all()
    changed = batch.seats[arms[2]]
    assert (changed["policy"] == np.where(changed["entrant"] == 0, 1, 2)).all()


def test_a_range_of_games_is_a_slice_of_the_whole():
    plan = make_plan(TOY, games=500, seats=3, seed=9)
    whole, some = plan.expand(0, plan.total_games), plan.expand(101, 203)
    assert (whole.games[101:203] == some.games).all()
    assert (whole.seats[101:203] == some.seats).all()
    assert (np.diff(whole.deal) >= 0).all()
    for i in (0, 50, 101):
        assert int(some.games["key"][i]) == rng.Chance.of(9, "toy", int(some.deal[i])).key


def test_games_are_rounded_up_to_whole_superblocks():
    for games, blocks in ((1, 1), (12, 1), (13, 2)):  # three pairs of sides in four seatings
        plan = make_plan(TOY, games=games, seats=2, arms=[Change("same")])
        assert (plan.superblocks, plan.games_per_arm) == (blocks, 12 * blocks)


def test_the_size_of_a_part_and_the_hash_do_not_depend_on_the_number_of_games():
    short, long = make_plan(TOY, games=10), make_plan(TOY, games=10**6)
    assert short.part_superblocks == long.part_superblocks
    assert short.hash == long.hash
    assert 9_000 < short.part_superblocks * short.superblock_games < 11_000
    assert long.expand(0, 1000).seats.tobytes() == long.expand(0, 1000).seats.tobytes()


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},
        {"seats": 3},
        {"policies": "novice"},
        {"without": ["swap"]},
        {"sides": ["Sun", "Moon"]},
        {"variant": GAME.variant(None, ["bonus=2"])},
        {"arms": [Change("same")]},
        {"mirrors": True},
        {"draw": "random"},
    ],
)
def test_the_hash_changes_with_everything_that_determines_bytes(other):
    plan, changed = make_plan(TOY, games=10), make_plan(TOY, games=10, **other)
    assert plan.hash != changed.hash
    assert differences(plan.identity, changed.identity)


def test_a_plan_survives_json():
    arms = [
        Change("one", without=("swap",), who="one", policy="novice"),
        Change("moon", sides={"Sun": "Moon"}, note="x"),
    ]
    plan = make_plan(TOY, games=100, seats=2, arms=arms, policies=("skilled", "random"), mirrors=True)
    back = Plan.from_json(json.loads(json.dumps(plan.to_json())))
    assert back.hash == plan.hash
    assert back.to_json() == plan.to_json()
    assert back.expand(5, 99).seats.tobytes() == plan.expand(5, 99).seats.tobytes()


@pytest.mark.parametrize("name", list_games())
def test_a_plan_keeps_the_order_of_the_fields(name):
    plan = make_plan(name, games=10)
    back = Plan.from_json(json.loads(json.dumps(plan.to_json(), sort_keys=True)))
    assert list(back.variant.values) == list(plan.variant.values)


def test_a_random_draw_is_one_seating_per_deal_and_fair():
    plan = make_plan(TOY, games=6000, seats=2, draw="random", policies=("skilled", "novice"))
    batch = plan.expand(0, plan.total_games)
    assert (batch.deal == np.arange(6000)).all()
    assert (batch.seats["packet"] == [0, 1]).all()
    assert (batch.seats["side"][:, 0] != batch.seats["side"][:, 1]).all()
    seen = Counter(
        map(tuple, np.stack([batch.seats["side"][:, 0], batch.seats["side"][:, 1], batch.seats["entrant"][:, 0]], 1))
    )
    assert len(seen) == 12
    assert sum((count - 500) ** 2 / 500 for count in seen.values()) < 31.3  # chi-square, 11 df, 1 in 1,000


@pytest.mark.parametrize("seed", [-1, 2**64, "007", "1e6", "1.0", "", "abc", "0x10", " 1", "-0", True, 1.0, "١"])
def test_seeds_that_are_refused(seed):
    with pytest.raises(UsageError, match="from 0 to 18446744073709551615"):
        parse_seed(seed)


@pytest.mark.parametrize("seed", [0, 1, 4294967296, 9007199254740993, 2**64 - 1])
def test_seeds_keep_all_their_digits(seed):
    plan = make_plan(TOY, games=1, seed=str(seed))
    assert plan.identity["seed"] == str(seed)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))).seed == seed


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"games": 0}, "from 1 to"),
        ({"games": -5}, "from 1 to"),
        ({"games": 2.5}, "from 1 to"),
        ({"seats": 9}, "2 to 5 players"),
        ({"sides": ["Sunn", "Moon"]}, "did you mean Sun"),
        ({"sides": ["Sun", "Sun"]}, "named twice"),
        ({"sides": ["Sun", "Moon"], "seats": 3}, "need at least 3"),
        ({"policies": "exprt"}, "policy"),
        ({"policies": ("random", "novice", "skilled")}, "3 policies"),
        ({"without": ["swop"]}, "did you mean swap"),
        ({"arms": [Change("a"), Change("a")]}, "Two arms"),
        ({"arms": [Change("baseline")]}, "Two arms"),
        ({"arms": [Change("a", who="both")]}, "who"),
        ({"mirrors": True, "seats": 3}, "two players only"),
        ({"draw": "ranom"}, "did you mean random"),
        ({"seats": 5}, "need at least 5"),
        ({"game": "tests.toy:GAMES"}, "cannot be loaded"),
        ({"game": "celestial-rank"}, "did you mean celestial-ranks"),
    ],
)
def test_wrong_wishes_get_one_sentence(wrong, words):
    with pytest.raises(UsageError, match=words) as caught:
        make_plan(**{"game": TOY, **wrong})
    assert "\n" not in str(caught.value)


COURTS = "court_assignment={}"


@pytest.mark.parametrize(
    ("assignment", "sides", "draw", "together"),
    [
        ("rotate", None, "balanced", 5),
        ("random_distinct", None, "random", 5),
        ("mirror", None, "balanced", 1),
        ("mirror", ["Human"], "balanced", 1),
    ],
)
def test_the_variant_says_how_the_sides_are_seated(assignment, sides, draw, together):
    rules = load_variant("celestial-ranks", None, COURTS.format(assignment))
    plan = make_plan("celestial-ranks", games=1, variant=rules, sides=sides)
    assert plan.draw == draw
    assert len({side for combo in plan.combos for side in combo}) == together
    assert all(len(set(combo)) == (1 if together == 1 else 4) for combo in plan.combos)


def test_one_side_for_all_is_one_side():
    rules = load_variant("celestial-ranks", None, COURTS.format("mirror"))
    with pytest.raises(UsageError, match="name one, not 2"):
        make_plan("celestial-ranks", variant=rules, sides=["Human", "Winter"], seats=2)


def test_an_arm_cannot_seat_the_sides_in_another_way():
    rules = load_variant("celestial-ranks", None, COURTS.format("random_distinct"))
    with pytest.raises(UsageError, match="another way"):
        make_plan("celestial-ranks", arms=[Change("drawn", variant=rules)])
