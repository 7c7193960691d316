"""The table of an Elestrals game for the rulebook: cards, zones, Spirits, and everything that can be asked of them.

Nothing here decides or changes the course of a game; `rulebook.py` does that and `rulebook_effects.py` carries out the
steps of effects. Rule ids stand where a question answers a rule.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sim.games.elestrals import cards, codes
from sim.games.elestrals.language import (
    ANY,
    ELEMENTS,
    Ability,
    Amount,
    Condition,
    Counter,
    Effect,
    Filter,
    Spirits,
    Subject,
    Test,
    cost_of,
    tags_of,
)
from sim.variant import Variant

DECK_SIZE = cards.DECK_CARDS
FOREVER = 1 << 20


@dataclass(eq=False)
class Change:
    """Something that holds for a time: a bonus, a base value, a swap, suppression, restrictions, a lock."""

    kind: str
    attack: int = 0
    defence: int = 0
    words: tuple[str, ...] = ()
    filter: Filter | None = None
    seat: int = -1
    until: int = FOREVER  # it holds in turns before this one
    source: Permanent | None = None  # and only while this card stays, if one is named


@dataclass(eq=False)
class Permanent:
    """A card in a slot of the field: a new object each time that a card arrives."""

    inst: int
    owner: int
    seat: int
    place: int
    card: cards.Card
    kind: str
    face: Ability | None = None
    down: bool = False
    limbo: bool = False
    gone: bool = False
    position: int = codes.ATTACK_POSITION
    spirits: list[list[int]] = field(default_factory=lambda: [[0] * 8, [0] * 8])
    arrived: int = 0
    set_on: int = 0
    turned: int = 0
    host: Permanent | None = None
    attacks: int = 0
    declared: int = 0
    kills: int = 0
    used: dict[int, int] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    home: int = -1  # the seat that a borrowed body goes back to
    paid: int = 0  # mask of the elements that its cast was paid with
    worked: bool = False  # as it left: was it working?
    no_damage: bool = False
    state_done: int = -1
    misenchanted: bool = False  # as it was last seen, for counting only

    @property
    def count(self) -> int:
        """How many Spirits lie underneath."""
        return sum(map(sum, self.spirits))

    def elements(self, mask: int = ANY) -> int:
        """Return how many of the Spirits underneath are of the elements of a mask."""
        return sum(n for row in self.spirits for e, n in enumerate(row) if mask >> e & 1)

    def of(self, element: int) -> int:
        """Return how many Spirits of one element lie underneath."""
        return self.spirits[0][element] + self.spirits[1][element]


@dataclass(eq=False)
class Player:
    """One player's zones; cards are instance numbers: 40 times the owner's seat plus the place in the deck list."""

    seat: int
    packet: int
    side: Any
    deck_list: cards.Deck
    off: int
    cards: list[cards.Card]  # the card of each instance
    deck: list[int] = field(default_factory=list)  # the top card is the first
    hand: list[int] = field(default_factory=list)
    underworld: list[int] = field(default_factory=list)
    spirits: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    slots: list[Permanent | None] = field(default_factory=lambda: [None] * codes.PLACES)
    normal_actions: int = 0
    foretold: int = 0
    shuffles: int = 0
    tally: Tally[str] = field(default_factory=Tally)

    @cached_property
    def blanks(self) -> frozenset[str]:
        """Names of the cards whose text is switched off: bit i of `off` is the i-th distinct card of the deck."""
        return frozenset(name for i, name in enumerate(self.deck_list.names) if self.off >> i & 1)

    @property
    def life(self) -> int:
        """Spirits left in the Spirit Deck."""
        return sum(self.spirits)


@dataclass(eq=False)
class Event:
    """Something that happened: what, to which card, by which card."""

    word: str
    subject: Permanent | None = None
    other: Permanent | None = None
    seat: int = -1
    elements: int = 0
    cause: Source | None = None
    moved: tuple[int, ...] = (0,) * 8


@dataclass(frozen=True)
class Source:
    """Where an effect comes from: for whom, and what kind of card."""

    seat: int
    kind: str
    card: cards.Card | None = None
    permanent: Permanent | None = None


@dataclass(eq=False)
class Context:
    """What an effect knows while it is prepared and resolved."""

    seat: int
    source: Permanent | None
    inst: int = -1
    card: cards.Card | None = None
    kind: str = ""
    event: Event | None = None
    targets: list[list[Permanent]] = field(default_factory=list)
    filters: list[Filter | None] = field(default_factory=list)
    cards: list[int] = field(default_factory=list)  # targets outside the field
    that: Permanent | None = None
    receiver: Permanent | None = None
    answers: Link | None = None  # the link that this one answers
    attack: Link | None = None
    over: Permanent | None = None
    it: Permanent | None = None
    shown: list[int] = field(default_factory=list)
    x: int = 0
    done: bool = True
    moved: list[int] = field(default_factory=lambda: [0] * 8)
    spirits_was: int = 0
    drawn: int = 0
    taken: int = 0

    @property
    def as_source(self) -> Source:
        """The source that shrouds and the like are asked about."""
        return Source(self.seat, self.kind, self.card, self.source)


@dataclass(eq=False)
class Link:
    """One link of a chain."""

    kind: str  # cast, ascend, rune, set, attack, ability
    seat: int
    permanent: Permanent | None = None
    ability: Ability | None = None
    context: Context | None = None
    negated: bool = False
    old: Permanent | None = None  # the body that an Ascend left behind
    special: bool = False
    normal: bool = False
    defender: Permanent | None = None
    answered: set[tuple[Permanent, int]] = field(default_factory=set)


@dataclass(eq=False)
class Waiting:
    """A conditional effect whose event has happened, waiting for the next chain."""

    seat: int
    source: Permanent | None
    inst: int
    card: cards.Card
    ability: Ability
    index: int
    event: Event | None
    stays: bool  # the source must still be there
    steps: tuple[Any, ...] = ()
    context: Context | None = None


def compare(left: int, word: str, right: int) -> bool:
    """Compare two numbers as a condition says."""
    return {
        "=": left == right,
        "!=": left != right,
        ">=": left >= right,
        "<=": left <= right,
        "<": left < right,
        ">": left > right,
    }[word]


def ability_key(card: cards.Card, index: int) -> str:
    """Return the word under which uses of a card's ability are counted; second faces come after the abilities."""
    return f"el:{card.key}:{index}"


class Table:
    """Cards, zones and questions."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.uses: Tally[str] = Tally()
        self.cards = {card.number: self._as_varied(card) for card in cards.cards_of(variant).values()}
        self.by_name = {card.name: card for card in self.cards.values()}
        self.players: list[Player] = []
        self.turn = 0
        self.active = 0
        self.phase = ""
        self.links: list[Link] = []
        self.locks: list[Change] = []
        self.frozen: list[Permanent] = []  # the bodies of the battle that goes on

    def _as_varied(self, card: cards.Card) -> cards.Card:
        stem = f"card.{cards.field_name(card.name)}."
        values = self.variant.values
        facts = {"cost": card.letters, "attack": card.attack, "defence": card.defence}
        if all(values.get(stem + key, fact) == fact for key, fact in facts.items()):
            return card
        return replace(
            card,
            cost=cost_of(str(values[stem + "cost"])),
            attack=int(str(values.get(stem + "attack", card.attack))),
            defence=int(str(values.get(stem + "defence", card.defence))),
        )

    def use(self, rule: str) -> None:
        """Count that a rule decided something."""
        self.uses[rule] += 1

    def used_card(self, card: cards.Card | None, part: Ability | Effect) -> None:
        """Count that a card's text decided something: the card, and which of its abilities (`ability_key`)."""
        if card is None:
            return
        if isinstance(part, Effect):
            self.use("EL-F1")
        self.uses["el:" + card.key] += 1
        for i, ability in enumerate((*card.abilities, *card.faces)):
            if ability is part or any(e is part for e in (*ability.effects, *ability.on_chain)):
                self.uses[ability_key(card, i)] += 1

    # -------------------------------------------------------------------------------------------- places and cards

    def card_of(self, inst: int) -> cards.Card:
        """Return the card of an instance."""
        return self.players[inst // DECK_SIZE].cards[inst % DECK_SIZE]

    def blank(self, inst: int) -> bool:
        """Say whether the text of an instance is switched off."""
        owner = self.players[inst // DECK_SIZE]
        return owner.off != 0 and self.card_of(inst).name in owner.blanks

    def place_code(self, seat: int, p: Permanent) -> int:
        """Return the place of a card as `seat` sees it."""
        return p.place + (0 if p.seat == seat else codes.PLACES)

    def at(self, seat: int, place: int) -> Permanent | None:
        """Return the card at a place as `seat` sees it."""
        whose = seat if place < codes.PLACES else 1 - seat
        return self.players[whose].slots[place % codes.PLACES]

    def on_field(self, seat: int | None = None) -> Iterator[Permanent]:
        """Yield the cards on the field, those of the turn player first, in the order of places."""
        seats = (self.active, 1 - self.active) if seat is None else (seat,)
        for who in seats:
            for p in self.players[who].slots:
                if p is not None:
                    yield p

    def bodies(self, seat: int) -> list[Permanent]:
        """Return the Elestrals of a player that have arrived."""
        return [p for p in self.on_field(seat) if p.kind == "elestral" and not p.limbo]

    def free_place(self, seat: int, kind: str) -> int:
        """Return the first free slot for a kind of card, or -1."""
        if kind == "stadium":
            return codes.STADIUM
        places = self._elestral_row() if kind == "elestral" else self._rune_row()
        return next((place for place in places if self.players[seat].slots[place] is None), -1)

    def _elestral_row(self) -> range:
        """EL-C1: there are four slots for Elestrals."""
        return range(codes.ROW, codes.ROW + self.variant["elestral_slots"])

    def _rune_row(self) -> range:
        """EL-R1: there are four slots for Runes other than Stadiums."""
        return range(codes.RUNES, codes.RUNES + self.variant["rune_slots"])

    # -------------------------------------------------------------------------------------------- does it work?

    def holds_on(self, change: Change) -> bool:
        """Say whether a change still holds."""
        return self.turn < change.until and (change.source is None or self._source_holds(change.source))

    def _source_holds(self, source: Permanent) -> bool:
        """EL-F5: what lasts while its source stays ends when the source leaves or is Misenchanted."""
        if source.gone or not self.correct(source):
            self.use("EL-F5")
        return not source.gone and (self.correct(source) or not self.variant["lock_ends_when_misenchanted"])

    def changes(self, p: Permanent, kind: str) -> list[Change]:
        """Return the changes of a kind that hold for a card."""
        return [c for c in p.changes if c.kind == kind and self.holds_on(c)]

    def covers(self, counts: Sequence[int], cost: Sequence[int]) -> bool:
        """EL-K2: a card works while its Spirits meet its cost: enough, and of each element what the cost names."""
        return sum(counts) >= sum(cost) and all(n >= c for n, c in zip(counts, cost[:8]))

    def correct(self, p: Permanent) -> bool:
        """Say whether a card has the Spirits that its cost asks for."""
        return self.covers([p.of(e) for e in range(8)], p.card.cost)

    def suppressed(self, p: Permanent) -> bool:
        """EL-F12: a Suppressed card keeps its stats and has no effects."""
        return bool(self.changes(p, "suppress"))

    def working(self, p: Permanent) -> bool:
        """Say whether a card's text works: face up, arrived, correctly Enchanted, not Suppressed, not switched off."""
        return not (p.down or p.limbo or p.gone or self.blank(p.inst)) and self.correct(p) and not self.suppressed(p)

    def abilities(self, p: Permanent) -> Sequence[Ability]:
        """Return the abilities of the face that a card shows."""
        return (p.face,) if p.face is not None else p.card.abilities

    # -------------------------------------------------------------------------------------------- filters

    def matches(self, f: Filter, p: Permanent, seat: int, source: Permanent | None = None) -> bool:
        """Say whether a card on the field passes a filter, seen by `seat`."""
        if p.limbo or p.gone or not self._whose(f, p.seat, seat) or not self._type(f, p.kind, p.down):
            return False
        rest = [t for t in f.tests if t.word != "minsp"]
        if not all(self._passes(t, p, source) for t in rest):
            return False
        if len(rest) < len(f.tests):
            plain = replace(f, tests=tuple(rest))
            return p.count == min(q.count for q in self.on_field() if self.matches(plain, q, seat, source))
        return True

    def _whose(self, f: Filter, owner: int, seat: int) -> bool:
        return f.side == "any" or (owner == seat) == (f.side == "own")

    def _type(self, f: Filter, kind: str, down: bool = False) -> bool:
        for wanted in f.types:
            if wanted == "card" or (wanted == "elst" and kind == "elestral"):
                return True
            if wanted == "rune" and kind != "elestral":
                return True
            if wanted == kind and not down:
                return True
        return False

    def _passes(self, test: Test, p: Permanent, source: Permanent | None) -> bool:
        word, value = test.word, test.value
        equal = test.compare != "!="
        if word == "ench":
            return (p.elements(value) > 0) == equal
        if word == "set":
            return p.down
        if word == "up":
            return not p.down
        if word == "fresh":
            return p.arrived == self.turn
        if word == "supp":
            return self.suppressed(p)
        if word == "emp":
            return any(q.host is p for q in self.on_field())
        if word == "other":
            return p is not source
        if word == "onself":
            return source is not None and p.host is source
        if word == "attacking":
            return bool(self.frozen) and self.frozen[0] is p
        if word == "pos":
            return (p.position == (codes.ATTACK_POSITION if value == "A" else codes.DEFENCE_POSITION)) == equal
        if word == "atk":
            return compare(self.stats(p)[0], test.compare, value)
        if word == "sp":
            return source is not None and compare(p.count, test.compare, source.count)
        if word == "paid":
            return bool(p.paid & value) == equal
        return not p.down and self.card_passes(test, p.card)

    def card_passes(self, test: Test, card: cards.Card) -> bool:
        """Say whether a card's facts pass a test."""
        word, value, equal = test.word, test.value, test.compare != "!="
        if word == "name":
            return (card.base in value) == equal
        if word == "el":
            return bool(card.elements & value) == equal
        if word == "cost":
            return compare(card.total, test.compare, value)
        if word == "pay":
            return (card.cost in value) == equal
        if word == "sub":
            return any(s in value for s in card.subs) == equal
        if word == "title":
            return any(card.title == v or card.title.endswith(" " + v) for v in value) == equal
        return False

    def fits(self, f: Filter, inst: int, seat: int, owner: int | None = None) -> bool:
        """Say whether a card outside the field passes a filter."""
        card = self.card_of(inst)
        if not self._whose(f, inst // DECK_SIZE if owner is None else owner, seat) or not self._type(f, card.kind):
            return False
        return all(self.card_passes(t, card) for t in f.tests if t.word != "other")

    def source_fits(self, f: Filter, source: Source, seat: int) -> bool:
        """Say whether the source of an effect passes the filter of a protection that `seat` owns."""
        if not self._whose(f, source.seat, seat) or not self._type(f, source.kind):
            return False
        return source.card is None or all(self.card_passes(t, source.card) for t in f.tests)

    def link_fits(self, f: Filter, link: Link, seat: int) -> bool:
        """Say whether a link passes a filter, seen by `seat`."""
        if not self._whose(f, link.seat, seat):
            return False
        if "link" not in f.types and (link.kind not in ("rune", "cast", "ascend") or link.permanent is None):
            return False
        if "link" not in f.types and link.permanent is not None and not self._type(f, link.permanent.kind):
            return False
        for test in f.tests:
            if test.word == "tag":
                if not any(tag in self.tags(link) for tag in test.value):
                    return False
            elif link.permanent is None or not self.card_passes(test, link.permanent.card):
                return False
        return True

    def tags(self, link: Link) -> frozenset[str]:
        """Return what a link is going to do."""
        if link.ability is None:
            return frozenset()
        return tags_of(link.ability.steps, self.variant["hand_or_deck_is_search"])

    # -------------------------------------------------------------------------------------------- statics

    def statics(self, word: str) -> Iterator[tuple[Permanent, Effect]]:
        """EL-F1: what is always true holds while its card works: yield the effects of a word."""
        for p in list(self.on_field()):
            if word in p.card.static_words and self.working(p):
                for ability in self.abilities(p):
                    if ability.kind in ("static", "face"):
                        context = Context(p.seat, p, p.inst, p.card, p.kind)
                        if any(e.word == word for e in ability.effects) and self.holds(ability.condition, context):
                            yield from ((p, e) for e in ability.effects if e.word == word)

    def reaches(self, scope: Subject, source: Permanent, p: Permanent) -> bool:
        """Say whether a static of `source` is about `p`."""
        if scope.how == "ref":
            return (p is source) if scope.ref == "self" else (source.host is p)
        assert scope.filter is not None
        return self.matches(scope.filter, p, source.seat, source)

    def has_rule(self, p: Permanent, rule: str) -> bool:
        """Say whether a special rule (double attack, Piercing, ...) holds for a card."""
        for q, effect in self.statics("rule"):
            if effect.words == (rule,) and self.reaches(effect.scope, q, p):
                self.used_card(q.card, effect)
                return True
        return False

    def against(self, word: str, p: Permanent, source: Source) -> bool:
        """EL-F13: say whether a protection of a word shields `p` from a source."""
        for q, effect in self.statics(word):
            if effect.against is not None and self.reaches(effect.scope, q, p):
                if self.source_fits(effect.against, source, q.seat):
                    self.use("EL-F13")
                    self.used_card(q.card, effect)
                    return True
        return False

    def note_bonuses(self, p: Permanent) -> None:
        """Count the cards whose texts give a body in battle its attack and defence."""
        if self.stats(p) != (p.card.attack, p.card.defence):
            self.use("EL-F3")
        for word in ("stat", "swapst", "setbase"):
            for q, effect in self.statics(word):
                if self.reaches(effect.scope, q, p):
                    per = effect.stats.per if effect.stats is not None else None
                    if per is None or self.counted(per, Context(q.seat, q, q.inst, q.card, q.kind, it=p)):
                        self.used_card(q.card, effect)

    def stats(self, p: Permanent) -> tuple[int, int]:
        """EL-F3: attack and defence: base, swap, changes that pass, what is always true; never below zero."""
        attack, defence = p.card.attack, p.card.defence
        bases = [(c.attack, c.defence) for c in self.changes(p, "base")]
        for q, effect in self.statics("setbase"):
            if self.reaches(effect.scope, q, p) and effect.stats is not None:
                bases.append((effect.stats.attack, effect.stats.defence))
        for a, d in bases:
            attack, defence = (attack if a < 0 else a), (defence if d < 0 else d)
        swaps = len(self.changes(p, "swap"))
        swaps += sum(self.reaches(e.scope, q, p) for q, e in self.statics("swapst"))
        last = self.variant["stat_swap_layer"] == "final"
        if swaps % 2 and not last:
            attack, defence = defence, attack
        for change in self.changes(p, "stat"):
            attack, defence = attack + change.attack, defence + change.defence
        for q, effect in self.statics("stat"):
            if self.reaches(effect.scope, q, p) and effect.stats is not None:
                times = 1
                if effect.stats.per is not None:
                    times = self.counted(effect.stats.per, Context(q.seat, q, q.inst, q.card, q.kind, it=p))
                attack, defence = attack + times * effect.stats.attack, defence + times * effect.stats.defence
        if swaps % 2 and last:
            attack, defence = defence, attack
        return max(0, attack), max(0, defence)

    def locked(self, seat: int, kind: str, card: cards.Card, p: Permanent | None = None) -> bool:
        """Say whether a player may not play a card now."""
        if p is not None and self.changes(p, "lock"):
            return True
        source = Source(seat, kind, card, p)
        for q, effect in self.statics("playlock"):
            if effect.scope.filter is not None and self.source_fits(effect.scope.filter, source, q.seat):
                self.used_card(q.card, effect)
                return True
        for change in self.locks:
            if (
                self.holds_on(change)
                and change.filter is not None
                and self.source_fits(change.filter, source, change.seat)
            ):
                return True
        for link in self.links:
            if link.ability is not None and not link.negated:
                for effect in link.ability.on_chain:
                    assert effect.scope.filter is not None
                    if self.source_fits(effect.scope.filter, source, link.seat):
                        self.used_card(link.context.card if link.context is not None else None, effect)
                        return True
        return False

    def tax(self, seat: int, kind: str, card: cards.Card) -> int:
        """Return the Spirits that a player has to Expend on top in order to play a card."""
        source, total = Source(seat, kind, card), 0
        for q, effect in self.statics("tax"):
            if effect.scope.filter is not None and self.source_fits(effect.scope.filter, source, q.seat):
                self.used_card(q.card, effect)
                total += effect.amount
        return total

    def restricted(self, p: Permanent, word: str) -> bool:
        """Say whether a restriction such as `noatk` holds for a card."""
        return any(word in c.words for c in self.changes(p, "restrict"))

    # -------------------------------------------------------------------------------------------- counting

    def ref(self, name: str, context: Context) -> list[Permanent]:
        """Return the cards that a reference names; cards that are gone are left out by those who use it."""
        if name in ("t1", "t2", "t"):
            if name == "t":
                return [p for group in context.targets for p in group]
            place = int(name[1]) - 1
            return list(context.targets[place]) if place < len(context.targets) else []
        event = context.event
        found: Permanent | None = None
        if name == "self":
            found = context.source
        elif name == "host":
            found = context.source.host if context.source is not None else None
        elif name == "that":
            found = context.that if context.that is not None else (event.subject if event is not None else None)
        elif name in ("killer", "other"):
            found = event.other if event is not None else None
        elif name == "atk":
            found = context.attack.permanent if context.attack is not None else None
        elif name == "over":
            found = context.over
        elif name == "receiver":
            found = context.receiver
        elif name == "it":
            found = context.it
        return [] if found is None else [found]

    def _scope(self, scope: Any, context: Context) -> Iterator[Permanent]:
        if isinstance(scope, Filter):
            yield from (p for p in self.on_field() if self.matches(scope, p, context.seat, context.source))
        elif scope in ("own", "opp", "any"):
            for p in self.on_field():
                if not p.limbo and (scope == "any" or (p.seat == context.seat) == (scope == "own")):
                    yield p
        else:
            yield from self.ref(scope, context)

    def counted(self, counter: Counter, context: Context) -> int:
        """Count what a counter of the language counts."""
        word, scope = counter.word, counter.scope
        me = self.players[context.seat]
        if word == "att":
            return sum(p.elements(counter.elements) for p in self._scope(scope, context))
        if word in ("cnt", "have"):
            return self.count_cards(scope, context)
        if word == "cost":
            return sum(p.card.total for p in self.ref(scope, context)[:1])
        if word == "sp":
            whose = me if scope == "own" else self.players[1 - context.seat]
            store = whose.spirits if counter.text == "sd" else whose.lost
            return sum(n for e, n in enumerate(store) if counter.elements >> e & 1)
        if word == "spf":
            whose_seat = context.seat if scope == "own" else 1 - context.seat
            return sum(p.count for p in self.on_field(whose_seat))
        if word == "sd":
            return self.players[context.seat if scope == "own" else 1 - context.seat].life
        if word == "moved":
            return sum(n for e, n in enumerate(context.moved) if counter.elements >> e & 1)
        if word == "inplay":
            return self.in_play(counter.text, context.seat, scope == "own")
        if word == "empby":
            f = scope
            return sum(
                q.host is context.source and self.matches(f, q, context.seat, context.source) for q in self.on_field()
            )
        if word == "phase":
            return int(self.active == context.seat and self.phase == "main")
        simple = {
            "foretold": me.foretold,
            "spwas": context.spirits_was,
            "x": context.x,
            "drawn": context.drawn,
            "taken": context.taken,
        }
        if word in simple:
            return simple[word]
        return self._of_ref(word, counter, self.ref(scope, context))

    def _of_ref(self, word: str, counter: Counter, found: list[Permanent]) -> int:
        if not found:
            return 0
        p = found[0]
        if word == "st":
            return self.stats(p)[0 if counter.text == "A" else 1]
        if word == "attacked":
            return int(p.attacks > 0)
        if word == "bpkills":
            return p.kills
        assert word == "pos"
        return p.position

    def count_cards(self, f: Filter, context: Context) -> int:
        """Return how many cards pass a filter in its zones."""
        total = 0
        for zone in f.zones:
            if zone == "field":
                total += sum(self.matches(f, p, context.seat, context.source) for p in self.on_field())
                continue
            for player in self.players:
                pile = {"hand": player.hand, "deck": player.deck, "uw": player.underworld}.get(zone, context.shown)
                total += sum(self.fits(f, inst, context.seat, player.seat) for inst in pile)
        return total

    def in_play(self, name: str, seat: int, own: bool) -> int:
        """EL-F2: how many working or at least correct cards of a name are face up on the field."""
        if self.variant["named_in_play"] == "own":
            own = True
        found = sum(
            p.card.base == name and not (p.down or p.limbo) and self.correct(p) and (not own or p.seat == seat)
            for p in self.on_field()
        )
        if found:
            self.use("EL-F2")
        return found

    def holds(self, condition: Condition, context: Context) -> bool:
        """Say whether all clauses of a condition hold."""
        return all(compare(self.counted(c.left, context), c.compare, self.amount(c.right, context)) for c in condition)

    def amount(self, amount: Amount | None, context: Context) -> int:
        """Return an amount as a number."""
        if amount is None:
            return 0
        if amount.other is not None and self.holds(amount.unless, context):
            return amount.other
        extra = 0 if amount.counter is None else self.counted(amount.counter, context)
        return amount.base + extra

    # -------------------------------------------------------------------------------------------- Spirits

    def store(self, seat: int, place: int) -> list[int]:
        """Return how many Spirits of each element lie at a place that `pay` codes name."""
        me = self.players[seat]
        if place == codes.PAY_DECK:
            return me.spirits
        if place == codes.PAY_UNDERWORLD:
            return me.lost
        p = self.at(seat, place - codes.PAY_FIELD)
        return [0] * 8 if p is None else [p.of(e) for e in range(8)]

    def payable(self, seat: int, tokens: Sequence[Token]) -> bool:
        """EL-K6: a cost for which there are too few Spirits cannot be chosen: match its tokens with Spirits."""
        left: dict[tuple[int, int], int] = {}
        for token in tokens:
            for place in token.places:
                for e, n in enumerate(self.store(seat, place)):
                    left[place, e] = n
        able = can_pay(tokens, left)
        if not able:
            self.use("EL-K6")
        return able

    def cost_tokens(self, cost: Sequence[int], places: Sequence[int]) -> list[Token]:
        """Return a printed cost as tokens: its elements in their order, then the rainbow."""
        masks = [1 << e for e in range(8) for _ in range(cost[e])] + [ANY] * cost[8]
        return [Token(mask, tuple(places)) for mask in masks]

    def spirit_tokens(self, spirits: Spirits, context: Context, places: Sequence[int]) -> list[Token]:
        """Return Spirits of an effect as tokens: narrow ones first."""
        masks = [mask for amount, mask in spirits.parts for _ in range(self.amount(amount, context))]
        masks.sort(key=lambda m: (m.bit_count(), m))
        return [Token(mask, tuple(places)) for mask in masks]

    def field_places(self, seat: int) -> list[int]:
        """Return the `pay` places of the own cards that have Spirits."""
        return [p.place + codes.PAY_FIELD for p in self.on_field(seat) if p.count and not p.limbo and not p.down]


@dataclass(frozen=True)
class Token:
    """One Spirit to be paid: of which elements, from which places."""

    mask: int
    places: tuple[int, ...]


def can_pay(tokens: Sequence[Token], left: dict[tuple[int, int], int]) -> bool:
    """Match tokens with Spirits by augmenting paths."""
    holders: dict[tuple[int, int], list[int]] = {spot: [] for spot in left}

    def place_token(i: int, seen: set[tuple[int, int]]) -> bool:
        token = tokens[i]
        for spot, n in left.items():
            place, e = spot
            if spot in seen or n == 0 or place not in token.places or not token.mask >> e & 1:
                continue
            seen.add(spot)
            if len(holders[spot]) < n:
                holders[spot].append(i)
                return True
            for other in holders[spot]:
                if place_token(other, seen):
                    holders[spot].remove(other)
                    holders[spot].append(i)
                    return True
        return False

    return all(place_token(i, set()) for i in range(len(tokens)))


def letters(counts: Sequence[int]) -> str:
    """Return Spirits as letters: ``EEW``."""
    return "".join(letter * n for letter, n in zip(ELEMENTS, counts))
