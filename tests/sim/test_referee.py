"""Trace, referee, story: engine and rulebook side by side, and rulebooks that are wrong."""

import pytest

import sim
from sim.errors import UsageError
from sim.experiment import Change, make_plan
from sim.referee import DisagreementError, caught, check, open_book, referee
from sim.trace import Tracer, number_of, trace_game
from tests.toy import GAME, SWAP, HighCard

TOY = "tests.toy:GAME"
RULES = ("TOY-1", "TOY-2", "TOY-3", "TOY-4", "TOY-5")


@pytest.mark.parametrize("seats", [2, 3])
def test_engine_and_rulebook_agree(seats):
    seen = referee(TOY, seats=seats, tiers="random", games=100, seed=2)
    seen += referee(TOY, seats=seats, tiers=("skilled", "novice", "random")[:seats], games=50, seed=3, draw="balanced")
    seen += referee(TOY, GAME.variant(None, ["tie=last", "hand=3", "rounds=3"]), seats, games=20)
    assert seen.games == 170
    assert seen.decisions > 170 * 2 * seats
    assert seen.rare(RULES) == {}


def test_abilities_off_for_one_entrant_are_off_in_the_rulebook_too():
    plan = make_plan(TOY, games=24, seats=2, policies="random", arms=[Change("one", without=("swap",), who="one")])
    tracer = Tracer(plan)
    for number in range(plan.total_games):
        trace = tracer.play(number)
        check(trace, GAME)
        swaps = {step.seat for step in trace.steps if step.code >> 20 == SWAP}
        handicapped = {seat for seat, place in enumerate(trace.places) if place.off}
        assert not swaps & handicapped


class NoBonus(HighCard):
    def strength(self, seat):
        return self.played[seat] % 6


class LastWinsTies(HighCard):
    def winner(self):
        strengths = {seat: self.strength(seat) for seat in self.order}
        return [seat for seat in self.order if strengths[seat] == max(strengths.values())][-1]


class NoSwapForTheStarter(HighCard):
    def may_swap(self):
        return super().may_swap() and self.actor != self.order[0]


class SwapTwice(HighCard):
    def may_swap(self):
        return bool(self.stock)


class SwapFromBelow(HighCard):
    def apply(self, value):
        if value >> 20 == SWAP:
            self.stock = self.stock[-1:] + self.stock[:-1]
        super().apply(value)


class PacketsAreSeats(HighCard):
    def __init__(self, variant, seats, chance):
        super().__init__(variant, seats, chance)
        self.packets = list(range(len(seats)))
        self.deal()


class OneRoundMore(HighCard):
    def end_round(self):
        super().end_round()
        if self.over and self.round == self.variant["rounds"]:
            self.over = False
            self.deal()


class OneRoundLess(HighCard):
    def end_round(self):
        super().end_round()
        self.over = self.round == self.variant["rounds"] - 1 or self.over


class LeadsAreNotCounted(HighCard):
    def outcome(self):
        return {**super().outcome(), "lead_changes": [0] * len(self.sides)}


class ForgottenColumn(HighCard):
    def outcome(self):
        return {name: value for name, value in super().outcome().items() if name != "held_swap"}


class WrongRoundRow(HighCard):
    def end_round(self):
        super().end_round()
        self.round_outcomes[-1]["swapped"] = [0] * len(self.sides)


class SharedTieGoesToOne(HighCard):
    def outcome(self):
        made = super().outcome()
        best = self.points.index(max(self.points))
        return {**made, "share": [27720 if seat == best else 0 for seat in range(len(self.sides))]}


MUTANTS = {
    NoBonus: "points",
    LastWinsTies: "points",
    NoSwapForTheStarter: r"options of the engine alone: \['swap",
    SwapTwice: r"of the rulebook alone: \['swap",
    SwapFromBelow: "hands",
    PacketsAreSeats: "hands",
    OneRoundMore: "the game is over",
    OneRoundLess: "the rulebook says the game is over",
    LeadsAreNotCounted: "lead_changes",
    ForgottenColumn: "the columns of the game row",
    WrongRoundRow: "round row",
    SharedTieGoesToOne: "share",
}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.__name__)
def test_every_mutant_is_caught_and_named(mutant):
    how = {"seats": 2, "games": 60, "variant": GAME.variant(None, ["rounds=4"]), "draw": "balanced"}
    assert caught(HighCard, TOY, **how) is None
    complaint = caught(mutant, TOY, **how)
    assert complaint is not None
    with pytest.raises(DisagreementError, match=MUTANTS[mutant]) as error:
        referee(TOY, rulebook=mutant, **how)
    assert "toy, seed 1, deal" in str(error.value)
    assert "decision" in str(error.value)


def test_a_broken_rulebook_is_reported_not_passed():
    class Broken(HighCard):
        def visible(self):
            raise KeyError("hands")

    assert "KeyError" in caught(Broken, TOY, seats=2, games=1)


def test_a_trace_grows_with_the_game():
    plan = make_plan(TOY, games=1, seats=2, variant=GAME.variant(None, ["rounds=9", "hand=3"]))
    small, large = Tracer(plan), Tracer(plan)
    small._grow(2, 300)
    a, b = small.play(3), large.play(3)
    assert len(a.steps) == len(b.steps) >= 18
    assert [(s.seat, s.code, s.options, s.before.tobytes()) for s in a.steps] == [
        (s.seat, s.code, s.options, s.before.tobytes()) for s in b.steps
    ]
    assert len(small.snapshots) >= len(a.steps)


def test_games_are_found_by_deal_and_seating():
    plan = make_plan(TOY, games=1000, seats=2, arms=[Change("same")], seed=4)
    number = number_of(plan, deal=17, seating=2, arm=1)
    trace = trace_game(plan, number)
    batch = plan.expand(number, number + 1)
    assert (trace.deal, int(batch.seating[0]), int(batch.games["arm"][0])) == (17, 2, 1)
    assert trace.key == int(batch.games["key"][0])
    with pytest.raises(UsageError, match="numbered 0 to 3"):
        number_of(plan, deal=17, seating=4)
    with pytest.raises(UsageError, match="no seating"):
        number_of(plan, deal=-1)


def test_a_replay_tells_the_game_of_the_deal():
    story = sim.replay(TOY, deal=17, seed=7, seats=2)
    assert story == sim.replay(TOY, deal=17, seed="7", seats=2)
    assert story != sim.replay(TOY, deal=18, seed=7, seats=2)
    assert story != sim.replay(TOY, deal=17, seed=7, seats=2, seating=1)
    assert any("(TOY-2)" in line for line in story)
    assert sum("takes the round" in line for line in story) == 2
    assert not any("TOY-2" in line for line in sim.replay(TOY, deal=17, seed=7, seats=2, without=["swap"]))


def test_a_rulebook_gets_plain_numbers():
    trace = trace_game(make_plan(TOY, games=1, seats=3), 0)
    for place in trace.places:
        assert {type(value) for value in vars(place).values()} == {int}
    assert open_book(trace, HighCard).actor == 0
