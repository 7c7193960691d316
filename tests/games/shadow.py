"""A rulebook that asks the engine at every step: the positions of the rulebook's tests become the engine's too."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.conformance import FOLLOW, _Bench
from sim.experiment import make_plan
from sim.game import IllegalMoveError, load_engine
from sim.games.celestial_ranks import GAME
from sim.games.celestial_ranks import engine as fast
from sim.games.celestial_ranks.numbers import JOKER
from sim.games.celestial_ranks.rulebook import FLUSH, RUN, SET, CelestialRanks, Meld
from sim.referee import plain

PHASES = {
    "court": fast.P_COURT,
    "declare": fast.P_DECLARE,
    "draw": fast.P_DRAW,
    "action": fast.P_ACT,
    "second": fast.P_MELD2,
    "block": fast.P_BLOCK,
    "override": fast.P_OVERRIDE,
    "pick": fast.P_PICK,
}
KINDS = {SET: fast.hands.SET, RUN: fast.hands.RUN, FLUSH: fast.hands.FLUSH}
GOES_ON, OVER = -2, 1  # what `probe` answers when the moves are used up, and at the end of the game


def put_hand(hand: Any, cards: list[int]) -> None:
    """Fill a hand record."""
    lanes = [0, 0]
    for rank in range(13):
        count = sum(card != JOKER and card % 13 == rank for card in cards)
        for i in range(min(count, 8)):
            lanes[i // 4] |= 1 << (13 * (i % 4) + rank)
    hand["M"] = sum(1 << card for card in set(cards) if card != JOKER)
    hand["D"] = sum(1 << card for card in set(cards) if card != JOKER and cards.count(card) > 1)
    hand["L"], hand["H"] = lanes
    hand["J"] = cards.count(JOKER)
    hand["n"] = len(cards)


def put_meld(rules: Any, record: Any, meld: Meld) -> None:
    """Fill a meld record."""
    record["kind"] = KINDS[meld.kind]
    record["low"], record["length"], record["jokers"] = meld.start, len(meld.cards), meld.jokers
    record["suit"] = meld.suit
    record["suits"] = sum(1 << suit for suit in {card // 13 for card in meld.cards if card != JOKER})
    fast.refresh(rules, record)


def to_state(book: CelestialRanks, rules: Any) -> Any:
    """Return the engine's state of a position."""
    state = np.zeros(1, fast.STATE)[0]
    p, hidden = state["pub"], state["hid"]
    p["meld"]["kind"] = -1
    for field in ("failed", "leader", "out", "shifter", "queen", "top", "asked", "picker", "first_rank"):
        p[field] = -1
    for seat in range(book.n):
        put_seat(book, rules, state, seat)
    p["n"], p["rounds"], p["starter"] = book.n, len(book.round_outcomes), book.starter
    p["actor"], p["phase"], p["turn_seat"] = book.actor, PHASES[book.phase], book.turn_seat
    p["leader"] = -1 if book.leader is None else book.leader
    p["lead_changes"] = book.totals["lead_changes"][0]
    for name, cards in (("disc", book.discards), ("limbo", book.limbo + book._lost())):
        p[name][: len(cards)] = cards
        p[f"{name}_n"] = len(cards)
    p["stock_n"] = len(book.pile)
    hidden["stock"][: len(book.pile)] = book.pile
    hidden["key"], hidden["shuffles"] = book.chance.key, book.shuffles
    hidden["declared"][: len(book.declared)] = book.declared
    if book.turn_seat >= 0:
        p["drawn"], p["shifts"], p["skips"] = book.drawn, book.turn_shifts, book.skipped
    if book.phase == "second":
        first = book.melds[book.actor][0]
        p["first_rank"] = first.start if first.kind == SET and first.jokers < len(first.cards) else -1
    if book.skirmish is not None:
        put_skirmish(book, p)
    if book.phase == "pick":
        for card in book.pile:
            state["priv"][book.actor]["peek"][card] += 1
    return state


def put_seat(book: CelestialRanks, rules: Any, state: Any, seat: int) -> None:
    """Fill what belongs to one seat."""
    p = state["pub"]
    p["off"][seat] = book.off[seat]
    p["side"][seat] = book.sides[seat] if seat < len(book.sides) else -1
    p["got"][seat], p["had"][seat] = sum(1 << place for place in book.got[seat]), len(book.got[seat])
    failed = book.failed[seat]
    p["failed"][seat] = -1 if failed is None else failed
    p["tries"][seat] = book.tries[seat]
    p["contract"][seat] = book.contracts[seat]
    p["table"][seat] = rules["place"][book.contracts[seat]] if book.contracts[seat] >= 0 else 0
    p["element"][seat] = book.declared[seat] if seat < len(book.declared) else -1
    p["turns"][seat], p["laid_turn"][seat] = book.row["turns"][seat], book.row["laid_turn"][seat]
    p["laid"][seat], p["hand_n"][seat] = book.laid[seat], len(book.hands[seat])
    state["hid"]["packet"][seat] = book.packets[seat]
    state["priv"][seat]["drawn"] = -1
    put_hand(state["priv"][seat]["hand"], book.hands[seat])
    for place, meld in enumerate(book.melds[seat]):
        put_meld(rules, p["meld"][2 * seat + place], meld)


def put_skirmish(book: CelestialRanks, p: Any) -> None:
    """Fill what belongs to a skirmish."""
    fight = book._fight()
    p["shifter"], p["queen"] = fight.shifter, fight.queen
    p["top"] = fight.jokers[-1] if fight.jokers else fight.shifter
    p["asked"] = book.actor
    p["sk_jokers"], p["sk_cards"] = len(fight.jokers), len(fight.cards)
    p["sk_spent"][: book.n] = fight.spent
    if book.phase == "pick":
        p["picker"], p["picks"] = book.actor, min(book.picks, len(book.pile))
        p["queen_back"] = not fight.jokers


class Engine:
    """The engine, asked about single positions."""

    _made: Engine | None = None

    def __init__(self) -> None:
        self.bench = _Bench(make_plan(GAME.name, games=1, seats=4))
        self.rules: dict[str, Any] = {}
        self.steps = 0

    @classmethod
    def one(cls) -> Engine:
        """Return the only one: it holds compiled code."""
        if cls._made is None:
            cls._made = cls()
        return cls._made

    def rules_of(self, book: CelestialRanks) -> Any:
        """Return the rules record (array of one) of a rulebook's variant."""
        key = repr((sorted(book.variant.values.items()), book.n))
        if key not in self.rules:
            self.rules[key] = load_engine(GAME).make_rules(book.variant, book.n)
        return self.rules[key]

    def follow(self, book: CelestialRanks, state: Any, codes: list[int]) -> tuple[int, Any, list[int]]:
        """Carry out codes from a state; return (status, state, options there)."""
        self.bench.rules = self.rules_of(book)
        _, status = self.bench.probe(FOLLOW, state, codes=codes)
        there = self.bench.states[1].copy()
        if status != GOES_ON:
            return status, there, []
        n, _ = self.bench.probe(0, there)
        return status, there, [int(code) for code in self.bench.opts[:n]]


class Shadowed(CelestialRanks):
    """The rulebook; every step of it is taken by the engine too, from the same position, and compared."""

    def apply(self, code: int) -> None:
        engine = Engine.one()
        before = to_state(self, engine.rules_of(self)[0])
        status, _, offered = engine.follow(self, before, [])
        assert status == GOES_ON
        assert offered == self.options()
        try:
            super().apply(code)
        except IllegalMoveError:
            assert code not in offered
            raise
        engine.steps += 1
        status, after, offered = engine.follow(self, before, [code])
        assert status == (OVER if self.over else GOES_ON)
        assert offered == self.options()
        mine, theirs = fast.visible(after, None, self.n), self.visible()
        if self.over:
            del mine["actor"], theirs["actor"]
            rows = after["game_row"][: self.n]
            assert [rows["share"].tolist(), rows["end"].tolist()] == [self.totals["share"], self.totals["end"]]
        assert plain(mine) == plain(theirs)
