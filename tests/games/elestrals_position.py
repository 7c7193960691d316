"""Positions of Elestrals for tests: a table laid out by hand, and a script of decisions in words.

`position(me={...}, you={...})` lays out a game in the Main Phase of seat 0 (turn 11, no card drawn). A side is a dict:

* ``bodies``: list of (name, Spirits) or (name, Spirits, "A" or "D"),
* ``runes``: list of (name, Spirits) or (name, Spirits, name of the host), ``stadium``: (name, Spirits),
* ``set``: names of Runes Set earlier, ``hand``, ``deck`` (top first), ``uw``: names,
* ``sd``: letters of the Spirit Deck (default ten of the eight elements), ``lost``: letters of the Underworld.
"""

from __future__ import annotations

from typing import Any

from sim.facts import SeatSetup
from sim.game import chance_of, code, split
from sim.games.elestrals import GAME, cards, codes
from sim.games.elestrals.language import ELEMENTS
from sim.games.elestrals.rulebook import Rulebook
from sim.games.elestrals.rulebook_effects import describe
from sim.games.elestrals.rulebook_table import Permanent

WINDOWS = ("EL-H2", "EL-P2", "EL-P4", "EL-B5")
QUIET = ("EL-M1", "EL-B1")
PAYING = ("EL-K1", "EL-K8", "EL-M2", "EL-C4")
FILLER = "Tectaurus"
ON_FIELD = (codes.ENCHANT, codes.CAST_SET, codes.USE, codes.TURN, codes.TARGET, codes.NEXUS_FROM, codes.NEXUS_TO)
WORDS = {
    "cast": codes.CAST,
    "ascend": codes.ASCEND,
    "enchant": codes.ENCHANT,
    "draw": codes.DRAW,
    "set": codes.SET,
    "rune": codes.RUNE,
    "counter": codes.CAST_SET,
    "flip": codes.CAST_SET,
    "use": codes.USE,
    "route": codes.ROUTE,
    "turn": codes.TURN,
    "next": codes.NEXT,
    "attack": codes.ATTACK,
    "position": codes.POSITION,
    "pay": codes.PAY,
    "donor": codes.DONOR,
    "target": codes.TARGET,
    "search": codes.SEARCH,
    "discard": codes.DISCARD,
    "back": codes.PUT_BACK,
    "take": codes.TAKE,
    "from": codes.NEXUS_FROM,
    "to": codes.NEXUS_TO,
    "answer": codes.ANSWER,
    "trigger": codes.TRIGGER,
    "yes": codes.YES,
    "choice": codes.CHOICE,
    "giveup": codes.GIVE_UP,
    "host": codes.HOST,
    "first": codes.FIRST,
    "mulligan": codes.MULLIGAN,
}


def counts(text: str) -> list[int]:
    return [text.count(letter) for letter in ELEMENTS]


def names_of(side: dict[str, Any]) -> list[str]:
    made = [entry[0] for key in ("bodies", "runes") for entry in side.get(key, [])]
    made += [name for key in ("set", "hand", "deck", "uw") for name in side.get(key, [])]
    return made + ([side["stadium"][0]] if "stadium" in side else [])


def off_bits(deck: cards.Deck, keys: list[str]) -> int:
    return sum(1 << i for i, key in enumerate(deck.keys) if key in keys)


def deck_with(names: list[str], name: str) -> cards.Deck:
    filled = names + [FILLER] * (cards.DECK_CARDS - len(names))
    return cards.Deck(name, tuple((n, filled.count(n)) for n in sorted(set(filled))), (3, 3, 3, 3, 2, 2, 2, 2))


class Position:
    """A game that can be scripted in words."""

    def __init__(self, me: dict[str, Any], you: dict[str, Any], off: str = "", **fields: Any) -> None:
        settings = {
            "cards_per_draw_phase": 0,
            "max_mulligans": 1,
            "opening_hand": 1,
            "first_turn_battle": True,
            **fields,
        }
        variant = GAME.default.changed(**settings)
        decks = [deck_with(names_of(side), name) for side, name in ((me, "Mine"), (you, "Yours"))]
        mask = off_bits(decks[0], [off]) if off else 0
        setups = [SeatSetup(decks[0], 0, mask), SeatSetup(decks[1], 1)]  # type: ignore[arg-type]
        self.rules = Rulebook(variant, setups, chance_of(1, "elestrals", 0))
        self.rules.apply(codes.DONE)
        self.rules.turn = 10
        for seat, side in ((0, me), (1, you)):
            self._lay(seat, side)
        self.rules.apply(codes.DONE)
        while self.rules.rule == "EL-P2":
            self.rules.apply(codes.DONE)

    def _lay(self, seat: int, side: dict[str, Any]) -> None:
        r, player = self.rules, self.rules.players[seat]
        player.deck = sorted(player.deck + player.hand)
        player.hand = []
        player.spirits = counts(side.get("sd", ELEMENTS + "EF"))
        player.lost = counts(side.get("lost", ""))

        def pull(name: str) -> int:
            inst = next(i for i in player.deck if r.card_of(i).name == name)
            player.deck.remove(inst)
            return inst

        for name, spirits, *rest in side.get("bodies", []):
            place = r.free_place(seat, "elestral")
            p = r.put_body(seat, pull(name), place, 1 if rest == ["D"] else 0, [], limbo=False)
            p.spirits[seat], p.arrived = counts(spirits), 1
        for name in side.get("set", []):
            inst = pull(name)
            p = r.put_rune(seat, inst, r.free_place(seat, "rune"), r.card_of(inst).kind, limbo=False)
            p.down, p.set_on = True, 1
        for name, spirits, *rest in side.get("runes", []):
            inst = pull(name)
            p = r.put_rune(seat, inst, r.free_place(seat, "rune"), r.card_of(inst).kind, limbo=False)
            p.spirits[seat], p.arrived = counts(spirits), 1
            if rest:
                p.host = self.find(rest[0])
        if "stadium" in side:
            name, spirits = side["stadium"]
            p = r.put_rune(seat, pull(name), codes.STADIUM, "stadium", limbo=False)
            p.spirits[seat], p.arrived = counts(spirits), 1
        player.hand = [pull(name) for name in side.get("hand", [])]
        player.underworld = [pull(name) for name in side.get("uw", [])]
        if "deck" in side:
            player.deck = [pull(name) for name in side["deck"]]

    # ---------------------------------------------------------------- looking

    def find(self, name: str) -> Permanent:
        """The card of a name on the field; `you NAME` is the other player's."""
        seats = (1,) if name.startswith("you ") else (0, 1)
        name = name.removeprefix("you ")
        found = [p for seat in seats for p in self.rules.on_field(seat) if p.card.name == name]
        assert found, f"{name} is not on the field"
        return found[0]

    def there(self, name: str) -> bool:
        seats = (1,) if name.startswith("you ") else (0, 1)
        name = name.removeprefix("you ")
        return any(p.card.name == name for seat in seats for p in self.rules.on_field(seat))

    def stats(self, name: str) -> tuple[int, int]:
        return self.rules.stats(self.find(name))

    def under(self, name: str) -> str:
        p = self.find(name)
        return "".join(letter * p.of(e) for e, letter in enumerate(ELEMENTS))

    def life(self, seat: int) -> int:
        return self.rules.players[seat].life

    def pile(self, seat: int, zone: str) -> list[str]:
        player = self.rules.players[seat]
        insts = {"hand": player.hand, "deck": player.deck, "uw": player.underworld}[zone]
        made = [self.rules.card_of(i).name for i in insts]
        return made if zone == "deck" else sorted(made)

    @property
    def loser(self) -> int:
        assert self.rules.over
        return next(i for i in (0, 1) if self.rules.reasons[i])

    # ---------------------------------------------------------------- doing

    def match(self, text: str) -> list[int]:
        """The options that a text means."""
        word, _, rest = text.partition(" ")
        options = self.rules.options()
        if word in ("pass", "done", "no"):
            return [codes.DONE] if codes.DONE in options else []
        kind = WORDS[word]
        return [value for value in options if split(value)[0] == kind and (not rest or self._means(value, rest))]

    def _means(self, value: int, rest: str) -> bool:
        kind, a, b = split(value)
        r, seat = self.rules, self.rules.actor
        if kind == codes.PAY:
            where, _, letter = rest.rpartition(" ")
            right = ELEMENTS[b] == letter
            if where == "sd":
                return right and a == codes.PAY_DECK
            if where == "uw":
                return right and a == codes.PAY_UNDERWORLD
            return right and (not where or (0 < a < codes.PAY_UNDERWORLD and self._named(seat, a - 1, where)))
        if kind == codes.DONOR:
            where, _, letter = rest.rpartition(" ")
            return ELEMENTS[b] == letter and (not where or self._named(seat, a, where))
        if kind == codes.POSITION:
            return "AD"[a] == rest
        if kind in (codes.CHOICE, codes.FIRST):
            return str(a) == rest
        if kind == codes.ATTACK:
            attacker, _, whom = rest.partition(" > ")
            if not whom:
                return self._named(seat, a, attacker)
            if whom == "deck":
                return b == codes.SPIRIT_DECK and self._named(seat, a, attacker)
            return b != codes.SPIRIT_DECK and self._named(seat, a, attacker) and self._named(seat, b, whom)
        if kind == codes.ASCEND:
            new, _, body = rest.partition(" over ")
            return r.cards[a].name == new and (not body or self._named(seat, b, body))
        if kind in (codes.USE, codes.ANSWER, *ON_FIELD, codes.GIVE_UP, codes.HOST):
            return self._named(seat, a, rest)
        return r.cards[a].name == rest

    def _named(self, seat: int, place: int, name: str) -> bool:
        p = self.rules.at(seat, place)
        if p is None:
            return False
        if name.startswith("you "):
            return p.seat == 1 and p.card.name == name[4:]
        if name.startswith("me "):
            return p.seat == 0 and p.card.name == name[3:]
        return p.card.name == name

    def can(self, text: str) -> bool:
        """Say whether an option is offered now."""
        return bool(self.match(text))

    def run(self, *script: str) -> Position:
        """Choose what the script says; forced steps and windows are passed on the way."""
        for text in script:
            while not (found := self.match(text)):
                options = self.rules.options()
                if len(options) == 1 and self.rules.rule not in QUIET:
                    self.rules.apply(options[0])
                elif self.rules.rule in WINDOWS and codes.DONE in options:
                    self.rules.apply(codes.DONE)
                elif self.rules.rule in PAYING:
                    self.rules.apply(options[0])
                else:
                    shown = ", ".join(describe(v, self.rules) for v in options)
                    raise AssertionError(f"{text!r} is not offered by {self.rules.rule}: {shown}")
            self.rules.apply(found[0])
        self.go_on()
        return self

    def go_on(self) -> None:
        """Pass forced steps until somebody has to decide something."""
        while not self.rules.over:
            options = self.rules.options()
            if len(options) == 1 and self.rules.rule not in QUIET:
                self.rules.apply(options[0])
            else:
                return

    def quiet(self) -> Position:
        """Pass all windows, and pay with the first Spirits there are, until the turn player is asked for an action."""
        while not self.rules.over and self.rules.rule not in QUIET:
            options = self.rules.options()
            assert codes.DONE in options or len(options) == 1 or self.rules.rule in PAYING, self.rules.rule
            self.rules.apply(options[0])
        return self

    def next_turn(self) -> Position:
        """Go on to the Main Phase of the other player's turn."""
        turn = self.rules.turn
        while not self.rules.over and (self.rules.turn == turn or self.rules.rule != "EL-M1"):
            options = self.rules.options()
            on = code(codes.NEXT) if code(codes.NEXT) in options else options[0]
            assert on in (codes.DONE, code(codes.NEXT)) or len(options) == 1, self.rules.rule
            self.rules.apply(on)
        return self


def position(me: dict[str, Any] | None = None, you: dict[str, Any] | None = None, **fields: Any) -> Position:
    """Lay out a position; see the head of this file."""
    return Position(me or {}, you or {}, **fields)
