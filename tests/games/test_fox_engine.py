"""The fast engine of The Fox in the Forest against the rulebook, its symmetries, its players and the look-ahead."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from sim import engine as machine
from sim import rng
from sim.bits import popcount
from sim.conformance import check_game
from sim.engine import DECIDE, MAX_OPTIONS, OPTION, ROUND, SEAT, WHOLE, advance, apply, options, pick_uniform, start
from sim.experiment import make_plan
from sim.game import load_engine, split
from sim.games.fox_in_the_forest import GAME
from sim.games.fox_in_the_forest import engine as fox
from sim.games.fox_in_the_forest.numbers import (
    BASE,
    BOTTOM,
    CARDS,
    FAIRY_GIVE,
    FAIRY_KEEP,
    FOX_KEEP,
    FOX_SWAP,
    MIRROR,
    PLAY,
    RANKS,
    SPECIALS,
)
from sim.games.fox_in_the_forest.rulebook import STRESS, Rulebook, card_of
from sim.jit import JIT_OFF, entry
from sim.referee import DisagreementError, caught, plain, referee
from sim.run import Table
from tests.games.test_fox_rulebook import LEGAL, TRICKS, cards, code

FAST = load_engine(GAME)
DELUXE = GAME.variant(None, ["specials=all"])
GAMES = 2 if JIT_OFF else 40


@entry
def follow(states, rules, key, codes, n, to_end, opts):
    """Go on from states[0]: codes[:n] first, then, if `to_end`, random moves to the end of the round.

    The codes taken are written into `codes`; returns how many, or -1 where one was not among the options.
    """
    s = states[0]
    r = rules[0]
    i = 0
    while i < len(codes):
        status = advance(s, r)
        if status == ROUND:
            return i
        if status == DECIDE:
            if i >= n and not to_end:
                return i
            count = options(s, r, opts)
            if i >= n:
                codes[i] = opts[pick_uniform(rng.word(key, i), count)]
            found = False
            for j in range(count):
                found |= opts[j] == codes[i]
            if not found:
                return -1
            apply(s, r, codes[i])
            i += 1
    return -2


@entry
def ask(states, rules, opts):
    """Go on to the next decision of states[0]; return the number of its options."""
    if advance(states[0], rules[0]) != DECIDE:
        return 0
    return options(states[0], rules[0], opts)


@entry
def deal(states, rules, key, seats):
    """Stand before the first trick of a deal."""
    start(states[0], rules[0], key, seats)
    return advance(states[0], rules[0])


@entry
def another(states, rules, seat, key):
    """Re-deal states[0] for a seat."""
    machine.redeal(states[0], rules[0], seat, key)


class Table2:
    """A table in Python's hands: state, rules and buffers."""

    def __init__(self, variant, key=1):
        self.states = np.zeros(1, fox.STATE)
        self.rules = fox.make_rules(variant, 2)
        self.opts = np.zeros(MAX_OPTIONS, OPTION)
        seats = np.zeros(2, SEAT)
        seats["packet"] = (0, 1)
        deal(self.states, self.rules, np.uint64(key), seats)

    @classmethod
    def at(cls, variant, hands, decree, deck=(), leader=0):
        made = cls(variant)
        p, h = made.states["pub"], made.states["hid"]
        for seat, hand in enumerate(hands):
            made.states["priv"]["hand"][0, seat] = sum(1 << c for c in hand)
        p["decree"], p["trump"] = decree, made.rules["suit"][0, decree]
        p["trick"] = made.rules["hand_size"] - len(hands[0])
        p["tricks"] = 1
        p["head"], p["deck_n"], p["leader"], p["actor"] = 0, len(deck), leader, leader
        h["deck"][0, : len(deck)] = deck
        held = sum(1 << c for c in {*hands[0], *hands[1], *deck, decree})
        p["pile"] = p["present"] & ~held
        return made

    def options(self):
        n = ask(self.states, self.rules, self.opts)
        return [int(c) for c in self.opts[:n]]

    def play(self, codes, to_end=False, key=7):
        taken = np.zeros(256, np.int64)
        taken[: len(codes)] = codes
        n = follow(self.states, self.rules, np.uint64(key), taken, len(codes), to_end, self.opts)
        assert n >= len(codes)
        return [int(c) for c in taken[:n]]

    @property
    def visible(self):
        return fox.visible(self.states[0], self.rules[0], 2)


def words(codes):
    return {split(c)[1] for c in codes if split(c)[0] == PLAY}


# ---------------------------------------------------------------------------------------------- positions


@pytest.mark.parametrize(("name", "decree", "lead", "hand", "legal", "rule"), LEGAL, ids=[row[0] for row in LEGAL])
def test_legal_follows(name, decree, lead, hand, legal, rule):
    held = cards(hand)
    others = [c for c in range(BASE) if c not in {*held, card_of(decree), card_of(lead)}]
    table = Table2.at(DELUXE, [[card_of(lead), *others[: len(held) - 1]], held], card_of(decree), others[-6:])
    table.play([code(PLAY, card_of(lead))])
    assert words(table.options()) == set(cards(legal))


@pytest.mark.parametrize(
    ("name", "decree", "lead", "follow_", "winner", "leads", "points", "void"), TRICKS, ids=[row[0] for row in TRICKS]
)
def test_tricks(name, decree, lead, follow_, winner, leads, points, void):
    used = cards(f"{decree} {lead} {follow_}")
    deck = [c for c in cards("K2 B2 M2 K4 B4 M4 K6 B6 M6 K8 B8 M8 K10 B10 M10") if c not in used]
    free = [c for c in deck if void is None or c // RANKS != card_of(lead) // RANKS]
    table = Table2.at(
        DELUXE,
        [[card_of(lead), free[0]], [card_of(follow_), free[1]]],
        card_of(decree),
        [c for c in deck if c not in free[:2]],
    )
    table.play([code(PLAY, card_of(lead)), code(PLAY, card_of(follow_))])
    table.options()
    seen = table.visible
    assert seen["tricks"] == [1 + (winner == 0), 1 + (winner == 1)]
    assert seen["leader"] == leads
    assert seen["treasures"] == [points if winner == 0 else 0, points if winner == 1 else 0]


def test_a_fox_as_the_last_card_keeps_and_a_woodcutter_draws():
    table = Table2.at(GAME.default, [cards("K3"), cards("B2")], card_of("B4"), cards("M8"))
    table.play([code(PLAY, card_of("K3"))])
    assert table.options() == [code(FOX_KEEP)]
    table = Table2.at(GAME.default, [cards("K5"), cards("B2")], card_of("B4"), cards("M8 M2"))
    table.play([code(PLAY, card_of("K5"))])
    assert table.options() == [code(BOTTOM, card_of("M8"))]


@pytest.mark.parametrize(("answer", "winner"), [(code(FOX_SWAP, card_of("B7")), 1), (code(FOX_KEEP), 0)])
def test_a_fox_of_the_follower_changes_trump_for_its_own_trick(answer, winner):
    table = Table2.at(GAME.default, [cards("K10 K2"), cards("B3 B7")], card_of("M5"), cards("M2 M4"))
    table.play([code(PLAY, card_of("K10")), code(PLAY, card_of("B3")), answer])
    table.options()
    assert table.visible["tricks"][winner] == 2


# ---------------------------------------------------------------------------------------------- symmetries

NO_CHANCE = ["specials=bow,mirror,axe,crown,hammer,potion", "poison=true"]


def turned(mask, order):
    """Return a mask with its suits in another order."""
    made = int(mask) & fox.SPECIAL_MASK
    for suit in range(3):
        made |= ((int(mask) >> RANKS * suit) & fox.SUIT) << RANKS * order[suit]
    return made


def turned_card(card, order):
    return card if card >= BASE or card < 0 else order[card // RANKS] * RANKS + card % RANKS


@pytest.mark.parametrize("settings", [[], NO_CHANCE], ids=["base", "specials"])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:])
def test_suits_may_be_relabelled(settings, order):
    variant = GAME.variant(None, settings)
    for key in range(1, 1 + GAMES // 4 + 1):
        table, other = Table2(variant, key), Table2(variant, key)
        s = other.states
        s["priv"]["hand"] = [[turned(m, order) for m in s["priv"]["hand"][0]]]
        s["hid"]["deck"] = [[turned_card(int(c), order) for c in s["hid"]["deck"][0]]]
        s["pub"]["decree"] = turned_card(int(s["pub"]["decree"][0]), order)
        s["pub"]["trump"] = s["pub"]["trump"][0] if s["pub"]["trump"][0] < 0 else order[s["pub"]["trump"][0]]
        codes = table.play([], to_end=True, key=key + 100)
        assert len(codes) >= 26
        relabelled = []
        for c in codes:
            kind, a, _ = split(c)
            is_suit = kind == 5
            relabelled.append(code(kind, order[a] if is_suit else turned_card(a, order) if has_card(kind) else a))
        assert other.play(relabelled, to_end=True) == relabelled
        assert other.states["round_row"].tobytes() == table.states["round_row"].tobytes()
        assert other.states["game_row"].tobytes() == table.states["game_row"].tobytes()
        assert other.visible["scores"] == table.visible["scores"]


def has_card(kind):
    return kind in (PLAY, FOX_SWAP, BOTTOM, 6, 7, 11, FAIRY_GIVE, 14)


@pytest.mark.parametrize("settings", [[], NO_CHANCE], ids=["base", "specials"])
def test_seats_may_be_swapped(settings):
    variant = GAME.variant(None, settings)
    for key in range(1, 1 + GAMES // 2 + 1):
        table, other = Table2(variant, key), Table2(variant, key)
        s = other.states
        s["priv"] = s["priv"][:, ::-1].copy()
        s["round_row"] = s["round_row"][:, ::-1].copy()
        s["game_row"] = s["game_row"][:, ::-1].copy()
        for name in ("leader", "starter", "actor"):
            s["pub"][name] = 1 - s["pub"][name]
        codes = table.play([], to_end=True, key=key + 100)
        assert other.play(codes, to_end=True) == codes
        assert other.states["round_row"][:, ::-1].tobytes() == table.states["round_row"].tobytes()
        assert other.states["game_row"][:, ::-1].tobytes() == table.states["game_row"].tobytes()


def test_thirteen_tricks_are_shared_and_one_player_takes_the_six():
    plan = make_plan(GAME, games=GAMES * 10, policies="random", seed=3)
    rounds = Table(plan).play(plan, 0, plan.total_games).round_rows
    assert len(rounds) > GAMES * 10
    assert (rounds["tricks"].sum(axis=1) == 13).all()
    assert ((rounds["band"] == 6).sum(axis=1) == 1).all()
    assert (rounds["points"] == rounds["band"] + rounds["treasures"].astype(int)).all()
    assert (rounds["treasures"].sum(axis=1) <= 3).all()
    assert (rounds["starter"].sum(axis=1) == 1).all()


@pytest.mark.skipif(JIT_OFF, reason="needs thousands of games")
def test_random_against_random_is_fair():
    plan = make_plan(GAME, games=20_000, policies="random", seed=4)
    chunk = Table(plan).play(plan, 0, plan.total_games)
    share = chunk.game_rows["share"][:, 0].reshape(-1, 2).mean(axis=1) / WHOLE
    # The same entrants with the packets swapped: only the order of the seats is left.
    assert abs(share.mean() - 0.5) < 4 * share.std() / len(share) ** 0.5
    tricks = chunk.round_rows["tricks"][:, 0].astype(float)
    assert abs(tricks.mean() - 6.5) < 0.1


# ---------------------------------------------------------------------------------------------- referee

SETTINGS = [
    [],
    ["specials=all", "poison=true"],
    ["specials=random2"],
    *([f"specials={name}"] for name in SPECIALS),
    *([list(settings) for settings in STRESS[2:]]),
    ["specials=all", "suits=2", "hand_size=11"],
    ["specials=all", "hand_size=1", "max_rounds=9"],
    ["tie_break=draw", "target=5", "dealer=fixed"],
    ["tie_break=another_round", "target=4"],
    ["specials=all", "bow_beats_witch=false", "poison=true", "poison_points=3", "treasure=2"],
]


@pytest.mark.parametrize("settings", SETTINGS, ids=[" ".join(s) or "base" for s in SETTINGS])
def test_the_rulebook_agrees(settings):
    report = referee(GAME, GAME.variant(None, settings), games=max(2, GAMES // 3), seed=11)
    assert report.decisions > 10


@pytest.mark.parametrize("key", [ability.key for ability in GAME.abilities])
def test_the_rulebook_agrees_without_an_ability(key):
    variant = GAME.variant(None, ["specials=all", "poison=true"])
    assert referee(GAME, variant, games=max(2, GAMES // 8), seed=12, without=(key,)).games


@pytest.mark.parametrize("tier", ["novice", "skilled"])
def test_the_rulebook_agrees_with_other_players(tier):
    assert referee(GAME, DELUXE, games=max(2, GAMES // 2), seed=13, tiers=tier).games


class SwanAlways(Rulebook):
    """A losing Swan does not lead."""

    def _next_leader(self, winner, cards):
        super()._next_leader(winner, cards)
        return winner


class NoVoid(Rulebook):
    """A follower may always play anything."""

    def _legal_follows(self, seat, lead):
        return sorted(self.hands[seat]), "FF-B6"


class MonarchKeepsAll(Rulebook):
    """A Monarch does not restrict."""

    def _monarch_answers(self, legal, seat, suit):
        return legal


class WitchIsPlain(Rulebook):
    """A lone 9 is no trump."""

    def _lone_witch(self, lead, follow):
        return None


class LeaderIsFixed(Rulebook):
    """Seat 0 leads every round."""

    def _first_leader(self):
        super()._first_leader()
        self.leader = 0


class TreasureTwice(Rulebook):
    """Each 7 counts twice."""

    def _gain(self, winner, sevens):
        super()._gain(winner, 2 * sevens)


class FoxMustSwap(Rulebook):
    """The Fox's player may not keep the decree with cards in hand."""

    def _ask(self, seat, codes, rule):
        listed = list(codes)
        if listed and split(listed[0])[0] == FOX_KEEP and len(listed) > 1:
            listed = listed[1:]
        return super()._ask(seat, listed, rule)


class FairyMustKeep(Rulebook):
    """The Fairy's player may take nothing."""

    def _ask(self, seat, codes, rule):
        listed = list(codes)
        if listed and split(listed[0])[0] == FAIRY_KEEP:
            listed = listed[:1]
        return super()._ask(seat, listed, rule)


class NoDraw(Rulebook):
    """The Woodcutter and the Axe do nothing."""

    def _draw_and_bottom(self, seat, rule):
        return
        yield


class BowIsWeak(Rulebook):
    """The Bow has no text in the trick."""

    def _by_bow(self, lead, follow):
        return None


class HammerIsWeak(Rulebook):
    """The Hammer has no text in the trick."""

    def _by_hammer(self, lead, follow):
        return None


class MirrorIsBlank(Rulebook):
    """The Mirror is never the decree card."""

    def face(self, card, seat):
        return card


class MarksForgotten(Rulebook):
    """Axe and Shovel mark nobody."""

    def _by_mark(self, lead, follow):
        return None


class PoisonIsSweet(Rulebook):
    """A Poison 8 costs nothing."""

    def _lose(self, winner, eights):
        return


class LowUnsuited(Rulebook):
    """Of two unsuited cards the leader's always wins."""

    def _both_unsuited(self, lead, follow):
        return lead.seat if super()._both_unsuited(lead, follow) is not None else None


class TieIsADraw(Rulebook):
    """The last round does not decide."""

    def _break_tie(self):
        return self._still_tied("draw")


MUTANTS = (
    SwanAlways, NoVoid, MonarchKeepsAll, WitchIsPlain, LeaderIsFixed, TreasureTwice, FoxMustSwap, FairyMustKeep, NoDraw,
    BowIsWeak, HammerIsWeak, MirrorIsBlank, MarksForgotten, PoisonIsSweet, LowUnsuited, TieIsADraw,
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=[m.__name__ for m in MUTANTS])
def test_a_mutant_is_caught(mutant):
    settings = ["specials=all", "poison=true"]
    if mutant is TieIsADraw:
        settings = ["bands=3,3,3,3,3,3,3,3,3,3,3,3,3,3", "target=8"]
    assert caught(mutant, GAME, variant=GAME.variant(None, settings), games=60, seed=14) is not None


def test_the_rulebook_itself_is_not_caught():
    assert caught(Rulebook, GAME, variant=DELUXE, games=3, seed=14) is None
    with pytest.raises(DisagreementError):
        referee(GAME, DELUXE, games=60, seed=14, rulebook=NoVoid)


# ---------------------------------------------------------------------------------------------- what a seat knows


def test_a_redeal_keeps_what_was_shown():
    """The follower showed a void, later picked up the decree: every new world has both."""
    table = Table2.at(
        GAME.default,
        [cards("K4 K6 K3 B2"), cards("B7 B3 M9 M8")],
        card_of("M5"),
        cards("K2 K8 K10 M2 M4 B8"),
    )
    steps = ("K4", "B3")
    table.play([code(PLAY, card_of(w)) for w in steps])
    table.play([code(FOX_SWAP, card_of("B7"))])
    table.options()
    before = table.visible
    hands = set()
    for key in range(200):
        world = Table2(GAME.default)
        world.states[0] = table.states[0]
        another(world.states, world.rules, 0, np.uint64(key))
        seen = world.visible
        assert seen["hands"][0] == before["hands"][0]
        assert card_of("M5") in seen["hands"][1]
        assert not any(c // RANKS == 1 for c in seen["hands"][1])
        assert len(seen["hands"][1]) == len(before["hands"][1]) == 3
        hands.add(tuple(seen["hands"][1]))
    assert len(hands) == 10


def test_a_monarchs_answer_bounds_the_suit():
    table = Table2.at(GAME.default, [cards("K11 B2 B4"), cards("K6 B8 M2")], card_of("M6"), cards("K8 K10 M8"))
    table.play([code(PLAY, card_of("K11")), code(PLAY, card_of("K6"))])
    table.options()
    for key in range(200):
        world = Table2(GAME.default)
        world.states[0] = table.states[0]
        another(world.states, world.rules, 0, np.uint64(key))
        assert not {*cards("K8 K10")} & set(world.visible["hands"][1])


def test_an_own_bottomed_card_stays_where_it_is():
    table = Table2.at(GAME.default, [cards("K5 B2 B4"), cards("K6 B8 M2")], card_of("M6"), cards("K8 K10 M8"))
    table.play([code(PLAY, card_of("K5")), code(BOTTOM, card_of("K8"))])
    table.options()
    places = {0: set(), 1: set()}
    for seat in (0, 1):
        for key in range(100):
            world = Table2(GAME.default)
            world.states[0] = table.states[0]
            another(world.states, world.rules, seat, np.uint64(key))
            assert len(world.visible["deck"]) == 3
            places[seat].add(world.visible["deck"][-1])
            hands = world.visible["hands"]
            everything = [*world.visible["deck"], *hands[0], *hands[1], card_of("M6"), card_of("K5")]
            assert len(set(everything)) == len(everything)
    assert places[0] == {card_of("K8")}
    assert len(places[1]) == 5


def test_conformance():
    # A search thinks at every decision that is looked at: a small one is as strict.
    tiers = ["random", "novice", "skilled", "expert:12"]
    assert check_game(GAME, tiers=tiers[:2] if JIT_OFF else tiers, games=1 if JIT_OFF else 2).decisions > 100


# ---------------------------------------------------------------------------------------------- players


def rounds_won(first, second, games, seed=21):
    """Return the part of rounds that the first player wins (a tie is half) and its standard error by block."""
    tiers = [tier if not isinstance(tier, str) else GAME.tier(tier) for tier in (first, second)]
    plan = make_plan(GAME, games=games, policies=tiers, seed=seed)
    chunk = Table(plan).play(plan, 0, plan.total_games)
    entrant = plan.expand(0, plan.total_games).seats["entrant"][chunk.round_game]
    points = chunk.round_rows["points"].astype(int)
    ahead = np.where(entrant[:, 0] == 0, points[:, 0] - points[:, 1], points[:, 1] - points[:, 0])
    won = (np.sign(ahead) + 1) / 2
    return won.mean(), won.std() / len(won) ** 0.5


@pytest.mark.skipif(JIT_OFF, reason="needs hundreds of games")
@pytest.mark.parametrize(
    ("first", "second", "games"),
    [("novice", "random", 1000), ("skilled", "novice", 1000), ("expert:60", "random", 60)],
)
def test_a_better_tier_wins_more_rounds(first, second, games):
    won, error = rounds_won(first, second, games)
    assert won - 4 * error > 0.5


@pytest.mark.skipif(JIT_OFF, reason="needs hundreds of games")
def test_a_search_that_is_handed_the_hidden_cards_wins_by_far():
    tier = GAME.tier("expert:150")
    open_cards = replace(tier, name="open", weights=(150.0, 1.0))
    won, error = rounds_won(open_cards, tier, 160)
    assert won - 3 * error > 0.7


@pytest.mark.skipif(JIT_OFF, reason="a search takes seconds")
def test_a_search_is_deterministic_and_its_budget_is_part_of_it():
    def rows(name, seed):
        plan = make_plan(GAME, games=4, policies=[name, "random"], seed=seed)
        return Table(plan).play(plan, 0, plan.total_games).game_rows.tobytes()

    assert rows("expert:40", 5) == rows("expert:40", 5)
    assert rows("expert:40", 5) != rows("expert:41", 5)


def test_helpers():
    assert popcount(fox.SEVENS) == 3
    assert BASE + len(SPECIALS) == CARDS
    assert fox.MIRROR_BIT == 1 << MIRROR
    assert plain(np.array([1, 2])) == [1, 2]
