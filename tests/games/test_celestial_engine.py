"""The fast engine of Celestial Ranks: referee, mutants, positions, symmetries, abilities, conformance, caps."""

import dataclasses
import inspect
import types

import numpy as np
import pytest

from sim.conformance import check_game, check_signatures
from sim.engine import END_CAP
from sim.experiment import Change, make_plan
from sim.game import split
from sim.games.celestial_ranks import ABILITIES, GAME
from sim.games.celestial_ranks.numbers import (
    BLOCK_PLAY,
    COURTS,
    DISCARD,
    JOKER,
    LAY_AUTO,
    LAY_MELD,
    LAY_OFF,
    OVERRIDE_PLAY,
    SHIFT_PLAY,
    contract_number,
)
from sim.games.celestial_ranks.rulebook import RULES, CelestialRanks, MeldRules
from sim.referee import DisagreementError, Report
from sim.run import run
from sim.trace import Tracer
from tests.check._referee import MIXED, ONE_RANDOM, Case
from tests.check.celestial import CAPS, CHECK, DEEP, EIGHT, HOUSE, SHORT, cases, every_contract
from tests.games import test_celestial_rulebook as positions
from tests.games.shadow import Engine, Shadowed

NAME = GAME.name
TIERS = [tier.name for tier in GAME.tiers if tier.name in ("random", "novice", "skilled")]
SHORT_RANDOM = ["turn_cap=10", "round_cap=3"]  # a table of random players hardly ever ends a round


# ------------------------------------------------------------------------------------------------------- the referee

SLICE = [
    case
    for case in cases()
    if "random" not in case.tiers and case.seats != 5 and not case.without and "to the end" not in case.name
]


def test_engine_and_rulebook_agree_in_a_slice():
    seen = Report()
    for i, case in enumerate(SLICE):
        seen += CHECK.play(case, 1, 7 * i)
    assert seen.games == len(SLICE) > 60
    assert len(set(seen.uses)) > 0.85 * len(RULES)


def altered(**settings):
    """Return a rulebook that plays by another variant than it is told."""

    class Altered(CelestialRanks):
        def __init__(self, variant, seats, chance):
            super().__init__(variant.changed(**settings), seats, chance)

    return Altered


def meld_rules(**attributes):
    """Return a rulebook with other ideas of what a meld is."""

    class OtherMelds(CelestialRanks):
        def __init__(self, variant, seats, chance):
            super().__init__(variant, seats, chance)
            for name, value in attributes.items():
                setattr(self.rules, name, value)

    return OtherMelds


def never(kind, when=lambda book, a, b: True):
    """Return a rulebook that never offers some options."""

    class Never(CelestialRanks):
        def options(self):
            return [c for c in super().options() if not (split(c)[0] == kind and when(self, *split(c)[1:]))]

    return Never


class OwnMeldsTakeCards(CelestialRanks):
    def _may_not_lay_off(self, seat, owner, cards):
        return super()._may_not_lay_off(seat, (seat + 1) % self.n if owner == seat else owner, cards)


class BuriedInOrder(CelestialRanks):
    def _bury(self, seat, card):
        self._shuffled = lambda cards: list(cards)
        super()._bury(seat, card)
        del self._shuffled
        self.shuffles += 1


class BuriedOnTop(CelestialRanks):
    def _bury(self, seat, card):
        before = list(self.pile)
        super()._bury(seat, card)
        self.pile = self.pile[len(before) :] + before


class FlippedJokerBuries(CelestialRanks):
    def _deal(self):
        super()._deal()
        if self.is_trigger(self.discards[0]):
            self.pile.append(self.discards.pop())


class QuestionsDoNotRestart(CelestialRanks):
    def _clockwise_from_left_of(self, seat):
        fight = self.skirmish
        return list(fight.asked) if fight is not None and fight.jokers else super()._clockwise_from_left_of(seat)


class OwnJokerIsBeaten(CelestialRanks):
    def _clockwise_from_left_of(self, seat):
        return [*super()._clockwise_from_left_of(seat), seat]


class QueenIsLost(CelestialRanks):
    def _close_skirmish(self):
        fight = self.skirmish
        if not fight.jokers:
            self.pile.remove(fight.queen)
            self.limbo.append(fight.queen)
        super()._close_skirmish()


class PileIsNotShuffledAfterASearch(CelestialRanks):
    def apply(self, code):
        before = list(self.pile) if self.phase == "pick" else None
        super().apply(code)
        if before is not None and self.phase != "pick":
            order = {card: i for i, card in enumerate(before)}
            self.pile.sort(key=lambda card: order.get(card, 0))


class ReplacementsForTheLosers(CelestialRanks):
    def _replace(self, winner, skirmish):
        super()._replace(winner, skirmish)
        for seat in range(self.n):
            if seat != winner and skirmish.spent[seat] and self.pile:
                self._gain(seat, self.pile.pop(0))


class DealtBySeat(CelestialRanks):
    def __init__(self, variant, seats, chance):
        super().__init__(variant, seats, chance)
        self.packets = list(range(self.n))


class PileStaysEmpty(CelestialRanks):
    def _refill(self):
        return


class TriesAreNotCounted(CelestialRanks):
    def _start_row(self, seat, place):
        super()._start_row(seat, place)
        self.row["tries"][seat] = 1


class NoTurnIsIdle(CelestialRanks):
    def discards_only(self):
        return False


class NobodyTakesTheLead(CelestialRanks):
    def _note_leader(self):
        return


class NothingIsSpared(CelestialRanks):
    def __init__(self, variant, seats, chance):
        class Greedy(MeldRules):
            def spared(self, lay, hand):
                yield lay

        super().__init__(variant, seats, chance)
        self.rules = Greedy(variant)


class RedQueensAreDear(CelestialRanks):
    def __init__(self, variant, seats, chance):
        class CheapestFirst(MeldRules):
            def hand(self, cards, wild=True):
                made = super().hand(cards, wild)
                object.__setattr__(made, "of_rank", lambda rank: _by_suit(made, rank))
                return made

        super().__init__(variant, seats, chance)
        self.rules = CheapestFirst(variant)


def _by_suit(hand, rank):
    return [rank + 13 * suit for suit in range(4) for _ in range(hand.held[rank + 13 * suit])]


class PlainQueensBury(CelestialRanks):
    def _buries(self, seat, card):
        return self.is_trigger(card) and self.variant["bury"] != "off"


USUAL = Case("usual", 1, 4, MIXED)
AT_HOME = Case("house", 1, 4, MIXED, (HOUSE,))
PRIZES = Case("eight Jokers, prizes", 1, 4, ONE_RANDOM, (*EIGHT, *SHORT))
ALL_MELDED = Case("melds of Jokers", 1, 3, ONE_RANDOM, (*DEEP, HOUSE, *SHORT, *CAPS, *every_contract("S3 F3")))
RUNS = Case("two runs", 1, 3, MIXED, (*DEEP, *CAPS, *every_contract("R3 R4")))
SMALL = Case("small pile", 1, 5, MIXED, ("decks=1", "jokers=0", *CAPS))
QUEENS = Case("queens", 1, 4, ONE_RANDOM, ("shift_queens=all", *SHORT))
TWO = Case("two elements", 1, 5, MIXED, ("elements_to_win=2",))
MANY_RANDOM = Case("random", 1, 4, ("random",), (*EIGHT, "turn_cap=6", "round_cap=1"))
RESTORED = Case("restored", 1, 4, ("random",), (*MANY_RANDOM.settings, "shifter_retrump=restores_shift"))
UNBURIED = Case("one who does not bury", 1, 4, ("random", "skilled", "novice", "skilled"), SHORT, without="bury")
IN_TURN = Case("packets go round", 1, 4, MIXED, draw="balanced")

MUTANTS = {
    "aces are low": (meld_rules(last_place=13), AT_HOME),
    "Jokers without limit": (meld_rules(limit="none"), AT_HOME),
    "one Joker a meld": (meld_rules(limit="one_per_meld"), Case("many Jokers", 1, 4, MIXED, ("jokers=8", HOUSE))),
    "no card is kept": (meld_rules(keep=0), AT_HOME),
    "no suit twice": (meld_rules(distinct_suits=True), USUAL),
    "no longer melds": (meld_rules(exact=True), USUAL),
    "two ranks": (meld_rules(distinct_ranks=True), Case("S3 S3", 1, 3, MIXED, every_contract("S3 S3"))),
    "own melds take cards": (OwnMeldsTakeCards, USUAL),
    "a lay-off waits": (altered(layoff_same_turn=False), USUAL),
    "failed, yet free": (altered(retry="redeclare"), USUAL),
    "the eldest starts": (altered(next_starter="eldest_always"), USUAL),
    "who is out starts": (altered(next_starter="out_player"), USUAL),
    "the winner must be out": (altered(must_go_out_to_win=True), TWO),
    "ties are shared": (altered(tie="share"), TWO),
    "black queens too": (altered(shift_queens="all"), USUAL),
    "one Shift a turn": (altered(max_shifts_per_turn=1), QUEENS),
    "the trigger stays": (altered(bury="all_but_trigger"), USUAL),
    "buried in order": (BuriedInOrder, USUAL),
    "buried on top": (BuriedOnTop, USUAL),
    "a flipped Joker buries": (FlippedJokerBuries, USUAL),
    "plain queens bury": (PlainQueensBury, UNBURIED),
    "questions do not restart": (QuestionsDoNotRestart, PRIZES),
    "one's own Joker is beaten": (OwnJokerIsBeaten, PRIZES),
    "the Shifter's Joker wins a prize": (altered(shifter_retrump="prize_only"), RESTORED),
    "overrides with Jokers left": (altered(override_needs="all_others_passed"),
                                   Case("many", 1, 4, ONE_RANDOM, ("jokers=8", *SHORT))),
    "all spent are replaced": (altered(replacement="all_spent+1"), PRIZES),
    "losers are replaced": (ReplacementsForTheLosers, PRIZES),
    "the queen is lost": (QueenIsLost, USUAL),
    "no shuffle after a search": (PileIsNotShuffledAfterASearch, USUAL),
    "dealt by seat": (DealtBySeat, IN_TURN),
    "the pile stays empty": (PileStaysEmpty, SMALL),
    "tries are not counted": (TriesAreNotCounted, USUAL),
    "no turn is idle": (NoTurnIsIdle, USUAL),
    "nobody takes the lead": (NobodyTakesTheLead, USUAL),
    "nothing is spared": (NothingIsSpared, RUNS),
    "red queens are dear": (RedQueensAreDear, USUAL),
    "never LAY_AUTO": (never(LAY_AUTO), USUAL),
    "no other melds than the arranged": (never(LAY_MELD), USUAL),
    "no Joker is laid off": (never(LAY_OFF, lambda book, a, b: a == JOKER), AT_HOME),
    "the low end is closed": (never(LAY_OFF, lambda book, a, b: b % 2 == 0 and book.melds[b // 4][b // 2 % 2].kind),
                              AT_HOME),
    "no Shift after laying down": (never(SHIFT_PLAY, lambda book, a, b: book.laid[book.actor]), USUAL),
    "no Joker is discarded": (never(DISCARD, lambda book, a, b: a == JOKER), USUAL),
    "the Shifter has no second queen": (never(OVERRIDE_PLAY, lambda book, a, b: a and book.actor == book.turn_seat),
                                        MANY_RANDOM),
    "no second Joker": (never(BLOCK_PLAY, lambda book, a, b: a and len(book.skirmish.jokers) > 1), PRIZES),
}  # fmt: skip


def complaint(mutant, case):
    """Return what the referee says to a wrong rulebook, or None if nothing is wrong with it in 160 games."""
    for seed in range(1, 41):
        try:
            CHECK.play(case, 4, seed, mutant)
        except DisagreementError as error:
            return str(error)
    return None


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name):
    assert "celestial-ranks, seed" in complaint(*MUTANTS[name])


# --------------------------------------------------------------------------------------------------------- positions


def _cases_of(function):
    """Return the argument lists of a test function."""
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    if not marks:
        return [()]
    (mark,) = marks
    one = isinstance(mark.args[0], str) and "," not in mark.args[0]
    return [(value,) if one else tuple(value) for value in mark.args[1]]


WORDS = (
    "A3", "A4", "A5", "ace_at_both", "switch_", "joker", "shifter", "override", "replacements", "questions", "skirmish",
    "finishers", "cap_round", "pile", "nothing_to_draw", "lap", "several_naturals", "shift_", "last_discard", "lay_",
    "second", "wild_off", "two_hundred", "combination", "black_cards", "idle", "refuse",
)  # fmt: skip
ELSEWHERE = {"test_contract_feasible", "test_every_switch_plays"}  # no position, and whole games
POSITIONS = [
    name
    for name, value in vars(positions).items()
    if isinstance(value, types.FunctionType) and name.startswith("test_") and any(word in name for word in WORDS)
    and name not in ELSEWHERE and not hasattr(value, "hypothesis")
    and "chance=" not in inspect.getsource(value)  # the engine's chance cannot be rigged
]  # fmt: skip


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_of_the_rulebook_are_the_engines_too(name, monkeypatch):
    function = getattr(positions, name)
    monkeypatch.setattr(positions, "CelestialRanks", Shadowed)
    for arguments in _cases_of(function):
        function(*arguments)


def test_all_positions_of_play_are_there(monkeypatch):
    ids = {name[5:8] for name in POSITIONS if name.startswith("test_A")}
    assert ids >= {f"A{i}" for i in (30, 31, 33, 34, 35, 36, 38, 39, 41, 42, 44, 45, 47, 48, 50, 51, 52, 53)}
    monkeypatch.setattr(positions, "CelestialRanks", Shadowed)
    before = Engine.one().steps
    positions.test_A42_block()
    assert Engine.one().steps > before + 3


def test_the_first_of_two_runs_spares_what_the_second_needs(monkeypatch):
    """4 5 6 of spades leave no second run; with a Joker for the 5 it runs on with the 7."""
    monkeypatch.setattr(positions, "CelestialRanks", Shadowed)
    hands = ["4S 5S 6S 7H * * TD TC KD KC", "2S 3S"]
    how = {"contracts": {0: "F3 R3"}, "contracts__human__levitation": "F3 R3"}
    book = positions.table(hands, **how)
    window = [split(c)[1:] for c in book.options() if split(c)[0] == LAY_MELD and split(c)[1] == 4]
    assert (4, 3 * 16 + 1) in window
    assert (4, 3 * 16) not in window
    book.apply(positions.code(LAY_MELD, 4, 3 * 16 + 1))
    assert book.melds[0][0].cards == positions.cards("4S * 6S")
    book.apply(positions.code(LAY_MELD, 512 + 4 * 16 + 5, 3 * 16 + 1))
    assert book.melds[0][1].cards == positions.cards("5S * 7H")
    book = positions.table(hands, joker_limit="one_per_meld", **how)
    book.apply(positions.code(LAY_AUTO))
    assert sum(m.jokers for m in book.melds[0]) == 2


# ------------------------------------------------------------------------------------------- symmetries and equal arms

MIRRORED = {"Summer": "Spring", "Spring": "Summer"}
TURNED = {"Winter": "Autumn", "Autumn": "Human", "Human": "Winter"}
LABELS = ("arm", "game", "side", "court", "element")


def arms(settings=(), **what):
    """Return [(games, rounds) of each arm] of a small run."""
    what["variant"] = GAME.variant(None, settings)
    parts = list(run(make_plan(NAME, **what), jobs=1, progress=False).parts())
    tables = [np.concatenate([part.table(name) for part in parts]) for name in ("games", "rounds")]
    return [[t[t["arm"][:, 0] == arm] for t in tables] for arm in range(1 + len(what["arms"]))]


def same(one, other, but=()):
    """Say in which columns two tables differ."""
    assert one.shape == other.shape
    return [name for name in one.dtype.names if name not in but and (one[name] != other[name]).any()]


@pytest.mark.parametrize("tier", [*TIERS, "mixed"])
@pytest.mark.parametrize("seats", [2, 4])
def test_courts_of_one_class_are_one_court(tier, seats):
    policies = tier if tier != "mixed" else MIXED[:seats]
    changes = [Change("mirrored", sides=MIRRORED), Change("turned", sides=TURNED)]
    settings = SHORT_RANDOM if tier == "random" else []
    base, *others = arms(settings, games=100, seats=seats, policies=policies, arms=changes, seed=5)
    for other, swap in zip(others, (MIRRORED, TURNED), strict=True):
        for mine, theirs in zip(base, other, strict=True):
            assert same(mine, theirs, LABELS) == []
            names = [side.name for side in GAME.sides]
            swapped = np.array([names.index(swap.get(name, name)) for name in names])
            assert (swapped[mine["side"]] == theirs["side"]).all()
        assert (other[0]["court"] == other[0]["side"]).all()
        numbers = np.array([[contract_number(text) for text in elements.values()] for elements in COURTS.values()])
        assert (numbers[other[1]["side"], other[1]["element"]] == other[1]["contract"]).all()


@pytest.mark.parametrize("tier", TIERS)
def test_winter_with_the_contracts_of_summer_plays_its_games(tier):
    settings = SHORT_RANDOM if tier == "random" else []
    theirs = dict(zip(COURTS["winter"], COURTS["summer"].values(), strict=True))
    rules = GAME.variant(None, settings).changed(**{f"contracts.winter.{key}": text for key, text in theirs.items()})
    change = Change("as Winter", variant=rules, sides={"Summer": "Winter"})
    sides = ["Summer", "Autumn", "Spring", "Human"]
    base, other = arms(settings, games=100, seats=4, sides=sides, policies=tier, arms=[change], seed=6)
    for mine, as_winter in zip(base, other, strict=True):
        assert same(mine, as_winter, ("arm", "game", "side", "court")) == []
        assert set(mine["side"].flat) == {0, 2, 3, 4}
        assert set(as_winter["side"].flat) == {1, 2, 3, 4}


@pytest.mark.parametrize("seats", GAME.seats)
def test_two_identical_arms_differ_by_nothing(seats):
    base, other = arms(games=200, seats=seats, policies=MIXED[:seats], arms=[Change("same")], seed=7)
    for mine, theirs in zip(base, other, strict=True):
        assert same(mine, theirs, ("arm", "game")) == []
        assert len(mine) >= 200


# ----------------------------------------------------------------------------------------------------------- abilities


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("ability", [a.key for a in ABILITIES])
def test_an_ability_off_for_one_seat_is_used_by_the_others_only(tier, ability):
    settings = ["jokers=8", "override_needs=all_others_passed", *(SHORT_RANDOM if tier == "random" else [])]
    change = Change("off", without=(ability,), who="one")
    base, other = arms(settings, games=300, seats=4, policies=tier, arms=[change], seed=8)
    column = f"n_{ability}"
    assert other[0][column][other[0]["entrant"] == 0].sum() == 0
    assert other[0][column][other[0]["entrant"] != 0].sum() > 0
    assert base[0][column][base[0]["entrant"] == 0].sum() > 0


def first_difference(one, other):
    """Return the place of the first decision in which two traces differ, or None."""
    for place, (mine, theirs) in enumerate(zip(one.steps, other.steps, strict=False)):
        if (mine.seat, mine.options, mine.code) != (theirs.seat, theirs.options, theirs.code):
            return place
    return None


@pytest.mark.parametrize("ability", [a.key for a in ABILITIES])
def test_games_are_the_same_until_the_ability_would_be_used(ability):
    """Random players choose by place among the options, so that a game turns at the first option that is missing."""
    settings = [*EIGHT, "shift_queens=all", "turn_cap=12", "round_cap=1", HOUSE, *every_contract("S3 R3")]
    change = Change("off", without=(ability,), who="one")
    plan = make_plan(
        NAME, games=150, seats=3, policies="random", variant=GAME.variant(None, settings), arms=[change], seed=9,
        draw="random",
    )  # fmt: skip
    tracer, turned = Tracer(plan), 0
    for deal in range(150):
        base, off = tracer.play(2 * deal), tracer.play(2 * deal + 1)
        assert (base.deal, base.key) == (off.deal, off.key)
        seat = next(i for i, place in enumerate(off.places) if place.off)
        place = first_difference(base, off)
        if place is None:
            assert len(base.steps) == len(off.steps)
            assert base.game_row.tobytes() == off.game_row.tobytes()
            continue
        turned += 1
        assert uses(ability, base, place, seat)
    assert turned > 3


def uses(ability, base, place, seat):
    """Say whether the baseline's game has an option of the ability there, or has used it in the step before."""
    step = base.steps[place]
    here = [split(code) for code in step.options if step.seat == seat]
    if ability == "wild":
        return any(k in (LAY_AUTO, LAY_MELD) or (k == LAY_OFF and a == JOKER) for k, a, _ in here)
    if ability == "bury":
        before = next(s for s in reversed(base.steps[:place]) if split(s.code)[0] == DISCARD and s.seat == seat)
        card = split(before.code)[1]
        return card == JOKER or card % 13 == 11
    kinds = {"shift": (SHIFT_PLAY, BLOCK_PLAY, OVERRIDE_PLAY), "block": (BLOCK_PLAY, OVERRIDE_PLAY)}
    return any(kind in kinds.get(ability, (OVERRIDE_PLAY,)) for kind, _, _ in here)


# ------------------------------------------------------------------------------------------------- conformance and caps


QUICK_CAPS = {"turn_cap": 12, "round_cap": 3}
QUICK_GAME = dataclasses.replace(
    GAME,
    name="celestial-ranks-quick",  # the checks finish many games at random, and such games have no end
    fields=tuple(dataclasses.replace(f, default=QUICK_CAPS.get(f.key, f.default)) for f in GAME.fields),
)


@pytest.mark.parametrize("seats", GAME.seats)
def test_conformance(seats):
    seen = check_game(QUICK_GAME, seats=[seats], tiers=TIERS, games=2, seed=3)
    assert seen.games == 2 * len(TIERS)
    assert seen.decisions > 500


def test_conformance_of_the_game_as_it_is():
    assert check_game(NAME, seats=[4], tiers=["skilled"], games=1, seed=3).decisions > 100


def test_one_driver_serves_every_variant_and_number_of_players():
    for seats in (2, 5):
        arms(["jokers=8"], games=20, seats=seats, policies="novice", arms=[], seed=1)
        arms(games=20, seats=seats, arms=[], seed=1)
        check_signatures(NAME, seats)


@pytest.mark.parametrize("variant", ["default", "house"])
@pytest.mark.parametrize("seats", GAME.seats)
@pytest.mark.parametrize("tiers", ["novice", "skilled", "mixed"])
def test_nobody_passes_a_card_round_for_ever(seats, tiers, variant):
    policies = tiers if tiers != "mixed" else MIXED[:seats]
    [[games, rounds]] = arms(
        [HOUSE] if variant == "house" else [], games=1000, seats=seats, policies=policies, arms=[], seed=10
    )
    assert (games["end"] != END_CAP).all()
    assert rounds["capped"].sum() == 0
    assert rounds["turns"].max() < 100
