"""Alakablast's fast engine: the rulebook as referee, positions, symmetry, what a seat may not see."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from sim import conformance, engine
from sim.conformance import FOLLOW, probe
from sim.engine import END_ALL_WIN, MAX_OPTIONS, WHOLE
from sim.experiment import Plan, make_plan
from sim.game import load_engine, split
from sim.games.alakablast import GAME
from sim.games.alakablast.engine import P_TURN, SEATS
from sim.games.alakablast.numbers import PLACES, PLAY, SLOT_MAX, STEP_TURN, TELL, slots_of
from sim.games.alakablast.rulebook import Rulebook
from sim.referee import caught, plain, referee
from sim.run import Table
from sim.trace import Trace, Tracer
from tests.games import test_alakablast_rulebook as positions

FAST = load_engine(GAME)
STATE = FAST.state(4)
NO_WEIGHTS, NOBODY = np.zeros((1, 1)), np.zeros(1, engine.SEAT)


# --- positions: every one of the rulebook's tests, with the engine walking along -------------------------------------


class Lockstep(Rulebook):
    """A rulebook that an engine follows: after each step both must show, offer and count the same."""

    table: Any = None  # the engine sits down before the first step: until then a test may change things by hand

    def place_engine(self) -> None:
        self.table = np.zeros(2, STATE)
        self.rules = FAST.make_rules(self.variant, self.n)
        fill(self.table[0], self)
        self.follow([])

    def follow(self, codes: list[int]) -> None:
        """Let the engine carry out codes and go on to the next decision."""
        out = np.zeros(MAX_OPTIONS, engine.OPTION)
        steps, status = probe(
            FOLLOW, self.table, self.rules, NO_WEIGHTS, NOBODY, 0, np.uint64(0), np.array(codes, np.int64), out, None
        )
        assert steps == len(codes)
        assert status in (1, -2), "an option of the rulebook is none of the engine's"
        self.table[0] = self.table[1]
        assert (status == 1) == self.over
        mine, theirs = FAST.visible(self.table[0], self.rules[0], self.n), self.visible()
        if self.over:
            del mine["actor"], theirs["actor"]
            self.same_rows("game_row", self.outcome())
        else:
            count = len(self.options())
            assert out[:count].tolist() == self.options()
            assert codes or count > 0
        assert plain(mine) == plain(theirs)

    def same_rows(self, which: str, rows) -> None:
        for name, column in rows.items():
            assert self.table[0][which][name][: self.n].tolist() == column, name

    def apply(self, code):
        if self.table is None:
            self.place_engine()
        rounds = len(self.round_outcomes)
        super().apply(code)
        self.follow([code])
        if len(self.round_outcomes) > rounds:
            self.same_rows("round_row", self.round_outcomes[-1])


def fill(s: Any, book: Rulebook) -> None:
    """Write the start of a turn of seat 0 as the rulebook stands into an engine's state."""
    n, view = book.n, book.visible()
    p, h = s["pub"], s["hid"]
    p["n"], p["step"], p["turn_seat"] = n, P_TURN, -1
    p["gems"][:n] = view["gems"]
    p["discards"] = sum(1 << place for place in view["discards"])
    p["stock_from"] = sum(1 << place for place in book.deck)
    p["stock_n"] = len(book.stock)
    p["leader"] = p["last_target"] = p["winner"] = -1
    h["key"], h["hand"], h["first"] = book.chance.key, -1, -1
    h["stock"][: len(book.stock)] = book.stock[::-1]
    p["told"]["element"] = -1
    for seat in range(n):
        p["off"][seat], h["packet"][seat] = book.seats[seat].off, book.seats[seat].packet
        for name in ("hand", "seen"):
            s["priv"][seat][name] = -1
        s["priv"][seat]["memory"]["element"] = -1
    for seat, hand in enumerate(view["hands"]):
        for slot, card in enumerate(hand):
            if card[0] >= 0:
                fill_card(s, n, seat, slot, card)


def fill_card(s: Any, n: int, seat: int, slot: int, card: tuple[int, ...]) -> None:
    place, public, element, level, special, not_element, not_level = card
    p, at = s["pub"], SLOT_MAX * seat + slot
    s["hid"]["hand"][at] = place
    for name in ("held", "fresh"):
        p[name][seat] |= 1 << slot
    if public:
        p["open"][seat] |= 1 << slot
        for m in (p["told"][at], s["priv"][seat]["memory"][slot]):
            m["element"], m["level"], m["special"] = element, level, special
            m["not_element"], m["not_level"] = not_element, not_level
        for other in range(n):
            if other != seat:
                s["priv"][other]["seen"][at] = place
                s["priv"][other]["shown"] |= 1 << place
    else:
        s["priv"][seat]["hand"][slot] = place
        s["priv"][seat]["own"] |= 1 << place


LONG = ("test_al16_forgetting_comes_as_often_as_it_should",)  # thousands of deals


def cases() -> Iterator[Any]:
    for name, test in vars(positions).items():
        wanted = name.startswith(("test_g", "test_al", "test_rank", "test_counts")) or "_off_" in name
        if isinstance(test, FunctionType) and wanted and name not in LONG:
            marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
            if not marks:
                yield pytest.param(test, {}, id=name[5:])
            for mark in marks:
                names, rows = mark.args[0], mark.args[1]
                keys = [names] if isinstance(names, str) else list(names)
                for i, row in enumerate(rows):
                    values = [row] if len(keys) == 1 else row
                    yield pytest.param(test, dict(zip(keys, values)), id=f"{name[5:]}-{i}")


@pytest.mark.parametrize(("test", "arguments"), list(cases()))
def test_position(test, arguments, monkeypatch):
    monkeypatch.setattr(positions, "Rulebook", Lockstep)
    test(**arguments)


def test_the_engine_walks_along_and_differences_are_seen():
    made = positions.rigged("W3 W4 W5 W6", "F9 F4 F5 F6")
    made.__class__ = Lockstep
    made.place_engine()
    made.table[0]["pub"]["gems"][1] = 1
    with pytest.raises(AssertionError):
        made.apply(made.options()[0])


# --- the referee ----------------------------------------------------------------------------------------------------

SETTINGS = (
    ("default", ()),
    ("forgetful", ("forget_prob=0.3",)),
    ("levels-five", ("hand_size=3", "deal=3,1", "deal_two=0,3")),
    ("levels-nine", ("known=deducible", "informant=random")),
    ("many-specials", ("light_vs_shadow=tie", "clue_card_by=challenger", "known=deducible")),
    ("no-touch", ("forget_prob=0.2", "special_level=none", "known=deducible")),
    ("short-stock", ("short_hand_tie=no_gem",)),
    ("short-stock", ("stock_out=reshuffle", "redraw_in_tie=true")),
    ("short-stock", ("stock_out=game_ends", "draw_first=loser")),
    ("flat-stakes", ("informant=chosen", "clue_before_type=true", "no_repeat_target=true")),
    ("default", ("allow_null_ask=true", "max_turns=30", "informant=next", "redraw_winner=in_turn")),
)


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_referee(name, settings):
    variant = GAME.variant(name, settings)
    for seats in GAME.seats:
        off = GAME.abilities[(seats + len(settings)) % 5].key
        assert referee("alakablast", variant, seats, "random", 6, seed=seats).games == 6
        referee("alakablast", variant, seats, "skilled", 1, seed=seats, without=(off,))
        referee("alakablast", variant, seats, "novice", 1, seed=seats)


MUTANT_VARIANTS = (GAME.default, GAME.variant("forgetful"), GAME.variant("short-stock", ["stock_out=reshuffle"]))


@pytest.mark.parametrize("mutant", positions.MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_mutant_is_caught(mutant):
    tries = ((variant, seats, seed) for seed in range(12) for variant in MUTANT_VARIANTS for seats in (2, 4))
    assert any(
        caught(mutant, "alakablast", variant=variant, seats=seats, games=4, seed=seed) for variant, seats, seed in tries
    )


# --- what holds in every game ---------------------------------------------------------------------------------------


def plan_of(tier: str, seats: int, name: str = "default", games: int = 8, seed: int = 1, *settings: str) -> Plan:
    return make_plan(
        "alakablast", games=games, seats=seats, variant=GAME.variant(name, settings), policies=tier, seed=seed
    )


@cache
def traces(tier: str, seats: int, name: str = "default", games: int = 8) -> tuple[Trace, ...]:
    tracer = Tracer(plan_of(tier, seats, name, games))
    return tuple(tracer.play(number) for number in range(games))


def cards_of(s: Any, seats: int) -> list[int]:
    """Return the places of all cards of a state, sorted."""
    p, h = s["pub"], s["hid"]
    hands = [place for place in h["hand"][: SLOT_MAX * seats].tolist() if place >= 0]
    stock = h["stock"][: int(p["stock_n"])].tolist()
    return sorted(hands + stock + [place for place in range(PLACES) if int(p["discards"]) >> place & 1])


@pytest.mark.parametrize("seats", GAME.seats)
@pytest.mark.parametrize("tier", ["random", "skilled"])
def test_cards_gems_and_hands(tier, seats):
    deck = [place for place in range(PLACES) if int(FAST.make_rules(GAME.default, seats)[0]["deck"]) >> place & 1]
    assert len(deck) == 49
    for trace in traces(tier, seats):
        for state in [*(step.before for step in trace.steps), trace.final]:
            assert cards_of(state, seats) == deck
            assert int(state["pub"]["gems"][:seats].sum()) <= 20
            if state["pub"]["step"] == STEP_TURN:
                assert [int(held).bit_count() for held in state["pub"]["held"][:seats]] == [4] * seats


def test_many_games_end_well():
    for seats in GAME.seats:
        plan = plan_of("random", seats, games=4000)
        rows = Table(plan).play(plan, 0, 4000).game_rows
        assert (rows["share"].astype(int).sum(axis=1) == WHOLE).all()
        assert (rows["points"].sum(axis=1) <= 20).all()
        assert (rows["capped"] == 0).all()
        tied = rows["end"][:, 0] == END_ALL_WIN
        assert 0 < tied.mean() < 0.05
        assert (rows["share"][tied] == WHOLE // seats).all()
        target = (7, 6, 5, 4)[seats - 2]
        assert ((rows["points"].max(axis=1) >= target) == ~tied).all()
        assert (rows["asks"] + rows["challenges"] == rows["turns"]).all()


# --- Water, Fire and Plant renamed ----------------------------------------------------------------------------------


def rename(place: int) -> int:
    return (place + 15) % 45 if 0 <= place < 45 else place


def rename_mask(mask: int) -> int:
    return sum(1 << rename(place) for place in range(PLACES) if mask >> place & 1)


def renamed(state: Any) -> Any:
    """Return a state with Water called Fire, Fire Plant and Plant Water."""
    made = np.array([state.copy()], STATE)
    s = made[0]
    p, h = s["pub"], s["hid"]
    for name in ("discards", "stock_from"):
        p[name] = rename_mask(int(p[name]))
    rename_memory(p["told"])
    if p["said_element"] >= 0:
        p["said_element"] = (p["said_element"] + 1) % 3
    for name in ("hand", "stock"):
        h[name] = [rename(int(place)) for place in h[name]]
    for at in range(1, 3 * SEATS, 3):  # element + 1 of the card played last
        h["last"][at] = h["last"][at] % 3 + 1 if 1 <= h["last"][at] <= 3 else h["last"][at]
    for mine in s["priv"]:
        for name in ("own", "shown"):
            mine[name] = rename_mask(int(mine[name]))
        for name in ("hand", "seen"):
            mine[name] = [rename(int(place)) for place in mine[name]]
        rename_memory(mine["memory"])
    for row in s["round_row"]:
        row["element"] = row["element"] % 3 + 1 if 1 <= row["element"] <= 3 else row["element"]
    h["perm"] = 0  # scratch
    return made[0]


def rename_memory(memory: Any) -> None:
    known = memory["element"] >= 0
    memory["element"][known] = (memory["element"][known] + 1) % 3
    memory["not_element"] = ((memory["not_element"] << 1) | (memory["not_element"] >> 2)) & 7


@pytest.mark.parametrize("seats", GAME.seats)
@pytest.mark.parametrize(("tier", "name"), [("skilled", "default"), ("skilled", "levels-five"), ("novice", "default")])
def test_renaming_elements_changes_neither_decisions_nor_outcome(tier, name, seats):
    bench = conformance._Bench(plan_of(tier, seats, name))
    looked = 0
    for trace in traces(tier, seats, name):
        if trace.game_row["reshuffles"][0]:
            continue  # the shuffle of the discards is not renamed
        for step in trace.steps:
            word = bench.word()
            assert bench.asked(renamed(step.before), step, trace, word) == bench.asked(step.before, step, trace, word)
            looked += 1
        codes = [step.code for step in trace.steps]
        steps, status = bench.probe(FOLLOW, renamed(trace.steps[0].before), codes=codes)
        assert (steps, status) == (len(codes), 1)
        bench.states[1]["hid"]["perm"] = 0
        assert bench.states[1].tobytes() == renamed(trace.final).tobytes()
    assert looked > 50


# --- what a seat may not see ----------------------------------------------------------------------------------------


def test_conformance():
    conformance.check_game("alakablast", games=1)


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_hidden_bytes_and_other_worlds_in_every_variant(name, settings):
    """Random bytes in all that a seat may not see, and worlds that fit, change neither options nor decision."""
    for seats, tier in ((2, "skilled"), (3, "novice"), (5, "random"), (4, "expert:8")):
        bench = conformance._Bench(plan_of(tier, seats, name, 1, 11, *settings))
        trace = bench.tracer.play(0)
        conformance.check_options(bench, trace)
        conformance.check_blind(bench, trace)
        conformance.check_clone(bench, trace)
        assert conformance.check_redeal(bench, trace) > 0


@pytest.mark.parametrize("tier", ["novice", "skilled"])
def test_a_forgetful_player_does_not_hear_again_what_it_was_told(tier):
    """What was said aloud of own cards is in the public record; only the memory may be used."""
    bench = conformance._Bench(plan_of(tier, 4, "forgetful"))
    for trace in traces(tier, 4, "forgetful"):
        for step in trace.steps:
            other = step.before.copy()
            mine = slice(SLOT_MAX * step.seat, SLOT_MAX * step.seat + SLOT_MAX)
            told = other["pub"]["told"]
            for name, low, high in (("element", -1, 3), ("level", 0, 16), ("special", 0, 3), ("not_element", 0, 8)):
                told[name][mine] = bench.random.integers(low, high, SLOT_MAX)
            word = bench.word()
            assert bench.asked(other, step, trace, word) == bench.asked(step.before, step, trace, word)


def test_own_public_cards_are_in_no_view_of_the_seat():
    for trace in traces("skilled", 3):
        for step in trace.steps:
            for seat in range(3):
                mine, opened = step.before["priv"][seat], int(step.before["pub"]["open"][seat])
                hand = step.before["hid"]["hand"][SLOT_MAX * seat : SLOT_MAX * seat + SLOT_MAX].tolist()
                own = {hand[slot] for slot in range(SLOT_MAX) if opened >> slot & 1}
                views = int(mine["own"]) | int(mine["shown"])
                assert not any(views >> place & 1 for place in own)
                assert not own & set(mine["hand"].tolist()) & set(range(PLACES))


@pytest.mark.parametrize(("name", "settings"), [("default", ()), ("many-specials", ("known=deducible",))])
def test_a_redeal_fits_what_the_seat_was_told(name, settings):
    plan = plan_of("random", 3, name, 6, 5, *settings)
    bench, tracer = conformance._Bench(plan), Tracer(plan)
    changed = 0
    for number in range(6):
        trace = tracer.play(number)
        for step in trace.steps:
            bench.probe(conformance.REDEAL, step.before, seat=step.seat, key=bench.word())
            world = bench.states[1].copy()
            assert cards_of(world, 3) == cards_of(step.before, 3)
            mine = step.before["priv"][step.seat]
            for slot in range(SLOT_MAX):
                at = SLOT_MAX * step.seat + slot
                place = int(world["hid"]["hand"][at])
                if int(step.before["pub"]["open"][step.seat]) >> slot & 1:
                    assert place_fits(trace.rules, mine["memory"][slot], place)
                    changed += place != int(step.before["hid"]["hand"][at])
                    assert all(int(world["priv"][o]["seen"][at]) == place for o in range(3) if o != step.seat)
    assert changed > 100


def place_fits(rules: Any, memory: Any, place: int) -> bool:
    element, level = int(rules["element"][place]), int(rules["level"][place])
    basic = element < 3
    return all(
        (
            memory["special"] == 0 or (memory["special"] == 2) == basic,
            memory["element"] < 0 or memory["element"] == element,
            memory["level"] == 0 or memory["level"] == level,
            not int(memory["not_element"]) >> element & 1,
            not int(memory["not_level"]) >> level & 1 or not (basic or rules["touch_specials"]),
        )
    )


def test_a_reshuffle_tells_old_cards_from_new_ones():
    """After a reshuffle a hidden card drawn before it is none of those that were shuffled."""
    plan = plan_of("random", 4, "short-stock", 12, 3, "stock_out=reshuffle")
    bench, tracer = conformance._Bench(plan), Tracer(plan)
    looked = 0
    for number in range(12):
        trace = tracer.play(number)
        for step in trace.steps:
            p = step.before["pub"]
            if trace.game_row["reshuffles"][0] == 0 or step.before["hid"]["reshuffles"] == 0:
                continue
            bench.probe(conformance.REDEAL, step.before, seat=step.seat, key=bench.word())
            for state in (step.before, bench.states[1]):
                for at, place in enumerate(state["hid"]["hand"][: 4 * SLOT_MAX].tolist()):
                    if place >= 0:
                        fresh = int(p["fresh"][at // SLOT_MAX]) >> at % SLOT_MAX & 1
                        assert int(p["stock_from"]) >> place & 1 == fresh
                        looked += 1
    assert looked > 100


WITHOUT_JIT = """
from sim.game import load
from sim.jit import JIT_OFF
from sim.referee import referee
assert JIT_OFF
for name, tier in (("default", "random"), ("forgetful", "novice"), ("short-stock", "skilled")):
    for seats in (2, 4):
        referee("alakablast", load("alakablast").variant(name), seats, tier, 1, 7)
"""


def test_plain_python_plays_the_same_game():
    """Without the compiler the kernels agree with the rulebook too."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::RuntimeWarning", "-c", WITHOUT_JIT],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# --- the players ----------------------------------------------------------------------------------------------------


def share_of_one(tier: str, among: str, games: int, seats: int = 4) -> float:
    """Return the share of one seat of a tier among others, over balanced seatings."""
    plan = make_plan("alakablast", games=games, seats=seats, policies=[tier, *[among] * (seats - 1)], seed=3)
    rows = Table(plan).play(plan, 0, plan.total_games).game_rows
    mine = plan.expand(0, plan.total_games).seats["entrant"] == 0
    return float(rows["share"][mine].mean()) / WHOLE


def test_ladder():
    """Each step of the ladder is far above a quarter; 4,000 games have a standard error of 0.8 points."""
    assert share_of_one("novice", "random", 4000) > 0.35
    assert share_of_one("skilled", "novice", 4000) > 0.40


def test_skilled_steps_are_among_the_options_in_every_variant():
    for name, settings in SETTINGS:
        for seats in (2, 5):
            plan = plan_of("skilled", seats, name, 4, 9, *settings)
            tracer = Tracer(plan)
            for number in range(4):
                trace = tracer.play(number)
                assert all(step.code in step.options for step in trace.steps)
                assert len({split(step.code)[0] for step in trace.steps} & {TELL, PLAY}) >= 1
                assert slots_of(trace.variant, seats) <= SLOT_MAX
