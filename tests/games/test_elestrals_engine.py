"""The fast engine of Elestrals against its rulebook, and rulebooks that are wrong."""

import pytest

from sim.experiment import make_plan
from sim.game import split
from sim.games.elestrals import GAME, cards, codes
from sim.games.elestrals.engine import unpacked
from sim.games.elestrals.rulebook import Rulebook
from sim.games.elestrals.rulebook_effects import DEFENCE
from sim.referee import DisagreementError, caught, check, open_book, referee
from sim.trace import Tracer
from tests.check.elestrals import CHECK, SWITCHES, cases
from tests.games.elestrals_rigged import setting

NAMES = [side.name for side in GAME.sides]
RING = list(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))


@pytest.mark.parametrize(("first", "second"), RING, ids="-".join)
def test_engine_and_rulebook_agree(first, second):
    report = referee(GAME, seats=2, tiers="random", games=1, seed=21, sides=[first, second])
    assert report.games == 1
    assert report.decisions > 20


@pytest.mark.parametrize("switch", SWITCHES)
def test_engine_and_rulebook_agree_with_every_switch(switch):
    case = next(case for case in cases() if case.settings == (switch,))
    assert CHECK.play(case, 1, 3).games == 1


def test_rigged_decks_use_what_starter_decks_do_not():
    seen = referee(GAME, GAME.variant(None, [setting("Insects")]), tiers="skilled", games=6, seed=3, sides=["Insects"])
    assert seen.uses["el:aardbud:0"] > 0
    assert seen.uses["el:aardvarum:0"] > 0


def test_a_route_that_must_match_never_ends_without_options():
    """A game in which a route's cost took the Spirit that its Ascend needed: it was offered and led nowhere."""
    case = next(case for case in cases() if "misenchanted_cast=false" in case.settings and len(case.settings) > 1)
    assert CHECK.play(case, 1, 79_000, first=579).games == 1


def test_a_card_without_its_text_for_one_player():
    case = next(case for case in cases() if case.without == "majesea")
    assert CHECK.play(case, 8, 3).games == 8


# ---------------------------------------------------------------------------------------------- conservation


def counted(state, seat):
    """Return the own Spirits in all zones of an engine's state, and the mask of the own cards, each found once."""
    h = state["hid"]
    on_field = [h["perm"][p] for p in h["slot"].ravel() if p >= 0]
    zones = [int(h[zone][seat]) for zone in ("deckm", "hand", "uw")]
    zones += [1 << int(q["inst"]) % cards.DECK_CARDS for q in on_field if q["owner"] == seat]
    assert sum(zone.bit_count() for zone in zones) == cards.DECK_CARDS  # none is in two zones
    assert int(h["deckm"][seat]).bit_count() == h["deck_n"][seat]
    stores = [h["sp"][seat], h["lost"][seat], *(q[f"sp{seat}"] for q in on_field)]
    return sum(sum(unpacked(int(store))) for store in stores), sum(zones)


@pytest.mark.parametrize("settings", [(), (setting("Moon", "Wind"), "steal_home_full=stay")], ids=["starter", "rigged"])
def test_spirits_and_cards_are_conserved_at_every_step(settings):
    """Twenty Spirits and forty cards of each player; the rulebook knows which Spirits are just being paid."""
    variant = GAME.variant(None, settings)
    sides = ["Moon", "Wind"] if settings else None
    plan = make_plan(
        GAME, games=6, variant=variant, policies=["random", "skilled"], sides=sides, draw="random", seed=12
    )
    tracer = Tracer(plan)
    moving = 0
    for number in range(6):
        trace = tracer.play(number)
        check(trace, GAME)
        book = open_book(trace, Rulebook)
        for step in trace.steps:
            for seat in range(2):
                assert counted(step.before, seat) == (20 - book.purse[seat], 2**40 - 1)
            moving += sum(book.purse) > 0
            book.apply(step.code)
        for seat in range(2):
            assert counted(trace.final, seat) == (20 - book.purse[seat], 2**40 - 1)
    assert moving > 0


# ---------------------------------------------------------------------------------------------- mutants


class FirstPlayerDraws(Rulebook):
    """The first player draws in the first turn."""

    def __init__(self, variant, seats, chance):
        super().__init__(variant.changed(first_turn_draw=True), seats, chance)


class CheapMulligan(Rulebook):
    """A mulligan costs one Spirit."""

    def __init__(self, variant, seats, chance):
        super().__init__(variant.changed(mulligan_price=1), seats, chance)


class NoEnchant(Rulebook):
    """The Normal Action of Enchanting is never offered."""

    def main_options(self):
        return [value for value in super().main_options() if split(value)[0] != codes.ENCHANT]


class AlwaysInAttack(Rulebook):
    """A body may not arrive in Defence Position."""

    def ask(self, seat, rule, options):
        kept = [value for value in options if split(value)[:2] != (codes.POSITION, DEFENCE)]
        return super().ask(seat, rule, kept)


class TurnAtOnce(Rulebook):
    """A body may change its position in the turn in which it was cast."""

    def arrived(self, p, normal, special, old, cause):
        super().arrived(p, normal, special, old, cause)
        p.arrived -= 1


class CounterAtOnce(Rulebook):
    """A Rune may be cast in the turn in which it was Set."""

    def _set(self, seat, inst):
        before = set(self.on_field(seat))
        yield from super()._set(seat, inst)
        for p in set(self.on_field(seat)) - before:
            p.set_on -= 1


class AnyElementWorks(Rulebook):
    """Spirits of the wrong kind are as good as those of a cost."""

    def covers(self, counts, cost):
        return sum(counts) >= sum(cost)


class UnderCostStays(Rulebook):
    """A card with fewer Spirits than it costs stays."""

    def _must_go(self, p):
        return p.count == 0


class NoDonors(Rulebook):
    """Nobody else's Spirits may be taken for an Ascend that has enough."""

    def ask(self, seat, rule, options):
        if codes.DONE in options and any(split(value)[0] == codes.DONOR for value in options):
            options = [codes.DONE]
        return super().ask(seat, rule, options)


class OldestLinkFirst(Rulebook):
    """A chain resolves from its base up."""

    def _resolve(self):
        self.links.reverse()
        yield from super()._resolve()


class PassOnce(Rulebook):
    """A chain is closed when one player passes."""

    def _respond(self, rule, opening, arrivals=()):
        flow, answer = super()._respond(rule, opening, arrivals), None
        try:
            while True:
                answer = yield flow.send(answer)
                if answer == codes.DONE:
                    return
        except StopIteration:
            return


class TieSparesTheDefender(Rulebook):
    """Of two equal attacks only the attacker is destroyed."""

    def _battle_losses(self, beaten, difference, full=False):
        yield from super()._battle_losses(beaten[:1], difference, full)


class DefenceMustBeMet(Rulebook):
    """An attack as large as the defence destroys."""

    def _against_defence(self, attacker, defender):
        if self._battle_value(attacker) == self.stats(defender)[1] > 0:
            yield from self._battle_losses([(defender, attacker)], difference=False)
        else:
            yield from super()._against_defence(attacker, defender)


class NoDifference(Rulebook):
    """Who loses a body in battle Expends nothing."""

    def _battle_losses(self, beaten, difference, full=False):
        yield from super()._battle_losses(beaten, False, full)


class AttackIsDamage(Rulebook):
    """A battle with the Spirit Deck costs as many Spirits as the attack."""

    def expend(self, seat, n, why):
        if why == "battle" and len(self.frozen) == 1:
            n = self.stats(self.frozen[0])[0]
        yield from super().expend(seat, n, why)


class AttackOverBodies(Rulebook):
    """The Spirit Deck may be attacked past bodies."""

    def _attacks(self):
        made = super()._attacks()
        return made + [value - split(value)[2] + codes.SPIRIT_DECK for value in made]


class ZeroIsLost(Rulebook):
    """Reaching zero Spirits is a loss at once."""

    def expend(self, seat, n, why):
        yield from super().expend(seat, n + (n == self.players[seat].life), why)


class NoShuffleAfterASearch(Rulebook):
    """A deck that was searched stays as it was."""

    def _fetch(self, step, context, to_top=False):
        order = list(self.players[context.seat].deck)
        yield from super()._fetch(step, context, to_top)
        deck = self.players[context.seat].deck
        if not to_top:
            deck.sort(key=order.index)


class StadiumsTogether(Rulebook):
    """A new Stadium leaves the other player's where it is."""

    def _replace_stadiums(self, new):
        return


class ArtifactsStay(Rulebook):
    """An Artifact stays when its Elestral leaves."""

    def _drop_artifacts(self, host):
        return


class NegationIsFree(Rulebook):
    """A negated attack may be declared again."""

    def _attack(self, place, target):
        attacker, before = self.at(self.active, place), self.uses["EL-B4"]
        yield from super()._attack(place, target)
        attacker.attacks -= self.uses["EL-B4"] - before


MUTANTS = (
    FirstPlayerDraws, CheapMulligan, NoEnchant, AlwaysInAttack, TurnAtOnce, CounterAtOnce, AnyElementWorks,
    UnderCostStays, NoDonors, OldestLinkFirst, PassOnce, TieSparesTheDefender, DefenceMustBeMet, NoDifference,
    AttackIsDamage, AttackOverBodies, ZeroIsLost, NoShuffleAfterASearch, StadiumsTogether, ArtifactsStay,
    NegationIsFree,
)  # fmt: skip
HOW = {"tiers": ("random", "skilled"), "games": 40, "seed": 8}
DECKS = {NegationIsFree: ["Pharogeist"]}  # some of its bodies negate attacks


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.__name__)
def test_a_mutant_is_caught(mutant):
    complaint = caught(mutant, GAME, **HOW, sides=DECKS.get(mutant))
    assert complaint is not None
    assert "the rulebook breaks" not in complaint


def test_the_rulebook_itself_is_not_caught():
    assert caught(Rulebook, GAME, **{**HOW, "games": 4}) is None
    with pytest.raises(DisagreementError, match=r"engine alone: \['normal enchant"):
        referee(GAME, rulebook=NoEnchant, **HOW)
