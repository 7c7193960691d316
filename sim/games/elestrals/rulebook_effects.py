"""What happens on the table of an Elestrals game: Spirits move, cards come and go, effects run step by step.

Every method that may have to ask a player is a generator: it yields an `Ask` and is sent the code that was chosen.
The word of each step of the effect language has one method, `_op_<word>`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sim import rng
from sim.game import code, split
from sim.games.elestrals import cards, codes
from sim.games.elestrals.language import ANY, ELEMENT_NAMES, Ability, Cost, Filter, Step, Subject, Target
from sim.games.elestrals.numbers import MAX_WAITING
from sim.games.elestrals.rulebook_table import (
    DECK_SIZE,
    FOREVER,
    Change,
    Context,
    Event,
    Permanent,
    Source,
    Table,
    Token,
    Waiting,
    can_pay,
    letters,
)

T = TypeVar("T")
ATTACK, DEFENCE = codes.ATTACK_POSITION, codes.DEFENCE_POSITION
ZONES = {"hand": codes.HAND, "deck": codes.DECK, "uw": codes.UNDERWORLD, "foretold": codes.SHOWN}
# Events about a card that may have left by the time its effect goes onto a chain.
LEAVING = ("b.die", "die", "fx.die", "b.kill", "asc.from")


@dataclass
class Ask:
    """A decision: whose, by which rule, among which codes."""

    seat: int
    rule: str
    options: list[int]


Flow = Generator[Ask, int, T]


class LostError(Exception):
    """A player has lost: which seat, and why."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(f"seat {seat} lost: {reason}")
        self.seat, self.reason = seat, reason


class StoppedError(Exception):
    """A cap was hit that no real game meets."""


class Effects(Table):
    """The table with everything that can happen on it."""

    chance: Any
    game: int

    def __init__(self, variant: Any) -> None:
        super().__init__(variant)
        self.story: list[str] = []
        self.waiting: list[Waiting] = []
        self.delayed: list[Waiting] = []
        self.arrivals: list[Event] = []
        self.actions = 0
        self.purse = [0, 0]  # Spirits of each owner that were taken and not yet put anywhere

    # -------------------------------------------------------------------------------------------- asking and telling

    def tell(self, text: str) -> None:
        """Add a line to the story."""
        self.story.append(text)

    def ask(self, seat: int, rule: str, options: Sequence[int]) -> Flow[int]:
        """Ask a player to choose one of some codes; a step with one code is a step all the same."""
        self.use(rule)
        answer = yield Ask(seat, rule, sorted(set(options)))
        return answer

    def name(self, seat: int) -> str:
        """Return what a player is called in the story."""
        return f"{self.players[seat].deck_list.name} (seat {seat})"

    # -------------------------------------------------------------------------------------------- Spirits

    def take_spirit(self, seat: int, place: int, element: int) -> int:
        """Take one Spirit away from a place and return its owner; a player's own go first."""
        me = self.players[seat]
        if place in (codes.PAY_DECK, codes.PAY_UNDERWORLD):
            (me.spirits if place == codes.PAY_DECK else me.lost)[element] -= 1
            self.purse[seat] += 1
            return seat
        p = self.at(seat, place - codes.PAY_FIELD)
        assert p is not None
        owner = seat if p.spirits[seat][element] else 1 - seat
        p.spirits[owner][element] -= 1
        self.purse[owner] += 1
        return owner

    def pay(
        self, seat: int, tokens: Sequence[Token], rule: str, rest: Sequence[Token] = ()
    ) -> Flow[list[tuple[int, int, int]]]:
        """EL-K8: choose Spirits one by one; return (place, element, owner) of each.

        What is still to be paid, `rest` included, stays payable with every choice that is offered.
        """
        paid = []
        for i, token in enumerate(tokens):
            spots = self._spots(seat, token, [*tokens[i + 1 :], *rest])
            if self.variant["payment"] == "helper":
                place, element = helper_choice(spots)
            else:
                chosen = yield from self.ask(seat, rule, [code(codes.PAY, place, e) for place, e in spots])
                _, place, element = split(chosen)
            paid.append((place, element, self.take_spirit(seat, place, element)))
        return paid

    def _spots(self, seat: int, token: Token, rest: Sequence[Token]) -> dict[tuple[int, int], int]:
        """Return the Spirits that may be taken for a token now, with how many of the kind there are."""
        left: dict[tuple[int, int], int] = {}
        for place in {place for t in (token, *rest) for place in t.places}:
            for e, n in enumerate(self.store(seat, place)):
                if n:
                    left[place, e] = n
        spots = {}
        for spot in sorted(left):
            if spot[0] in token.places and token.mask >> spot[1] & 1:
                left[spot] -= 1
                if not rest or can_pay(rest, left):
                    spots[spot] = left[spot] + 1
                left[spot] += 1
        return spots

    def bury(self, paid: Sequence[tuple[int, int, int]]) -> None:
        """EL-K7: put Spirits into their owners' Underworlds."""
        for _, element, owner in paid:
            self.players[owner].lost[element] += 1
            self.purse[owner] -= 1

    def expend_all(self, seat: int) -> None:
        """Put the whole Spirit Deck into the Underworld."""
        me = self.players[seat]
        me.lost = [a + b for a, b in zip(me.lost, me.spirits)]
        me.spirits = [0] * 8

    def put_under(self, p: Permanent, paid: Sequence[tuple[int, int, int]]) -> None:
        """Enchant a card with Spirits that were taken."""
        for _, element, owner in paid:
            p.spirits[owner][element] += 1
            self.purse[owner] -= 1

    def expend(self, seat: int, n: int, why: str) -> Flow[None]:
        """EL-X2: Expend Spirits that one must; too few is the loss of the game after those that are left."""
        if n <= 0:
            return
        me = self.players[seat]
        count = min(n, me.life)
        self.use("EL-X1")
        if count == me.life:
            self.expend_all(seat)
        else:
            paid = yield from self.pay(seat, [Token(ANY, (codes.PAY_DECK,))] * count, "EL-K8")
            self.bury(paid)
        me.tally["lost_" + why] += count
        self.tell(f"  {self.name(seat)} Expends {count}: {me.life} left.")
        if n > count:
            self.use("EL-X2")
            raise LostError(seat, "spirits")

    # -------------------------------------------------------------------------------------------- cards that move

    def shuffle(self, seat: int) -> None:
        """EL-S1: order the deck by keys of its cards, from the packet's own stream number `shuffles`.

        A card's key depends on its number and copy only: a card that is missing leaves the order of the others.
        """
        me = self.players[seat]
        stream = self.chance.stream(self.game, rng.DECK, me.packet, me.shuffles)
        me.shuffles += 1
        names = me.deck_list.list

        def key(inst: int) -> tuple[int, int]:
            place = inst % DECK_SIZE
            number = me.cards[place].number
            copy = place - names.index(names[place])
            return stream.word(4 * number + copy), inst

        me.deck.sort(key=key)
        self.use("EL-S1")

    def draw(self, seat: int, n: int) -> int:
        """EL-X3: draw cards; who must draw from an empty deck loses."""
        me = self.players[seat]
        for _ in range(n):
            if not me.deck:
                self.use("EL-X3")
                raise LostError(seat, "deck")
            me.hand.append(me.deck.pop(0))
            me.tally["drawn"] += 1
        return n

    def leave(self, p: Permanent, to: str = "underworld") -> None:
        """Take a card from the field; its Spirits go to their owners' Underworlds (EL-K7)."""
        p.worked = self.working(p)
        p.gone = True
        if p.count:
            self.use("EL-K7")
        self.players[p.seat].slots[p.place] = None
        for owner in (0, 1):
            for e, n in enumerate(p.spirits[owner]):
                self.players[owner].lost[e] += n
        home = self.players[p.owner]
        if to == "hand":
            home.hand.append(p.inst)
        elif to == "bottom":
            home.deck.append(p.inst)
        else:
            home.underworld.append(p.inst)
        self._drop_artifacts(p)

    def _drop_artifacts(self, host: Permanent) -> None:
        """EL-R7: an Artifact goes when its Elestral leaves the field for any reason."""
        for q in list(self.on_field()):
            if q.host is host and not q.gone:
                self.use("EL-R7")
                if self.variant["rune_leaves"] == "destroyed" and not q.limbo:
                    self.emit(Event("die", q, cause=None))
                self.leave(q)

    def settle(self) -> None:
        """EL-K3: cards with fewer Spirits than they cost go to the Underworld; they are sent, not destroyed."""
        while True:
            there = [p for p in self.on_field() if not (p.down or p.limbo)]
            under = [p for p in there if self._must_go(p)]
            wrong = [p for p in there if p not in under and not self.correct(p)]
            self._note_misenchanted(there, [*wrong, *(p for p in under if p.count >= p.card.total)])
            if not under:
                return
            for p in under:
                if not p.gone:
                    self.use("EL-K3")
                    self.tell(f"  {p.card.name} has too few Spirits and goes to the Underworld.")
                    self.leave(p)

    def _note_misenchanted(self, there: Sequence[Permanent], wrong: Sequence[Permanent]) -> None:
        """Count cards that have just become Misenchanted: EL-K2, and EL-K5 for Runes."""
        for p in there:
            if p in wrong and not p.misenchanted:
                self.use("EL-K2" if p.kind == "elestral" else "EL-K5")
            p.misenchanted = p in wrong

    def _must_go(self, p: Permanent) -> bool:
        if p.count < p.card.total:
            return True
        return p.kind != "elestral" and self.variant["misenchanted_rune"] == "leaves" and not self.correct(p)

    def settle_step(self) -> None:
        """Check costs after a step, if the variant checks that often."""
        if self.variant["cost_check"] == "step":
            self.settle()

    def remove(self, seat: int, inst: int, zone: int) -> None:
        """Take a card out of a zone outside the field."""
        me = self.players[seat]
        pile = {codes.HAND: me.hand, codes.UNDERWORLD: me.underworld}.get(zone, me.deck)
        pile.remove(inst)

    def discard(self, seat: int, inst: int) -> None:
        """Put a card from the hand into the Underworld."""
        self.players[seat].hand.remove(inst)
        self.players[inst // DECK_SIZE].underworld.append(inst)
        self.tell(f"  {self.name(seat)} discards {self.card_of(inst).name}.")

    def by_number(self, pile: Sequence[int], number: int) -> int:
        """Return the copy of a card that a code means: the lowest instance number."""
        return min(inst for inst in pile if self.card_of(inst).number == number)

    # -------------------------------------------------------------------------------------------- events

    def emit(self, event: Event) -> None:
        """Let every card hear an event; what it triggers waits for the next chain (EL-H6)."""
        for p in list(self.on_field()):
            self._listen(p, event)
        if event.subject is not None and event.subject.gone:
            self._listen(event.subject, event)
        for player in self.players:
            for inst in player.hand:
                card = self.card_of(inst)
                for i, ability in enumerate(card.abilities):
                    if ability.kind == "on" and ability.at == "hand" and not self.blank(inst):
                        if self._hears(ability, None, player.seat, event):
                            self._wait(Waiting(player.seat, None, inst, card, ability, i, event, stays=False))

    def _listen(self, p: Permanent, event: Event) -> None:
        if p.down or p.limbo or p.face is not None:
            return
        for i, ability in enumerate(p.card.abilities):
            if ability.kind != "on" or ability.at == "hand" or not self._hears(ability, p, p.seat, event):
                continue
            if not (p.worked if p.gone else self.working(p)):
                continue
            context = self._context_of(p.seat, p, p.inst, p.card, event)
            if self.holds(ability.condition, context):
                stays = event.word not in LEAVING
                self._wait(Waiting(p.seat, p, p.inst, p.card, ability, i, event, stays))

    def _wait(self, waiting: Waiting) -> None:
        if len(self.waiting) >= MAX_WAITING:
            raise StoppedError
        self.waiting.append(waiting)

    def _context_of(self, seat: int, p: Permanent | None, inst: int, card: cards.Card, event: Event | None) -> Context:
        context = Context(seat, p, inst, card, card.kind, event)
        if event is not None:
            context.moved = list(event.moved)
            if event.word == "asc.from":
                context.that = event.other
            if event.word == "b.die" and event.subject is not None:
                context.spirits_was = event.subject.count
        return context

    def _hears(self, ability: Ability, p: Permanent | None, seat: int, event: Event) -> bool:
        word, _, side = ability.event.partition("(")
        if word != event.word:
            return False
        if side:
            who = side.rstrip(")")
            return who == "any" or (event.seat == seat) == (who == "own")
        about = event.other if word == "b.kill" else event.subject
        of = ability.of
        if of is not None and of.filter is not None:
            if about is None or not self.matches(of.filter, about, seat, p):
                return False
            if word == "ally.b.die" and (about is p or about.seat != seat):
                return False
        elif of is not None and of.ref == "host":
            if p is None or about is None or p.host is not about:
                return False
        elif word not in ("supp", "play", "ally.b.die"):
            if about is None or about is not p:
                return False
            if of is not None and not all(self._passes(t, about, p) for t in of.tests):
                return False
        return self._hears_rest(ability, p, seat, event)

    def _hears_rest(self, ability: Ability, p: Permanent | None, seat: int, event: Event) -> bool:
        if ability.event.startswith("recv") and not event.elements & ability.elements:
            return False
        if ability.vs is not None:
            other = event.subject if event.word == "b.kill" else event.other
            if other is None or not self.matches(ability.vs, other, seat, p):
                return False
        if ability.by is not None:
            if event.word == "b.die":
                return event.other is not None and self.matches(ability.by, event.other, seat, p)
            return event.cause is not None and self.source_fits(ability.by, event.cause, seat)
        return True

    # -------------------------------------------------------------------------------------------- destroying

    def destroy(
        self, victims: Sequence[Permanent], source: Source | None, battle: bool = False
    ) -> Flow[list[Permanent]]:
        """EL-F14: destroy cards by an effect (or in battle, `source` None); return those that were destroyed."""
        dying = []
        for p in victims:
            if p.gone or p in dying or (source is not None and self.against("unaff", p, source)):
                continue
            if self._cannot_die(p, source, battle):
                self.use("EL-F14")
                continue
            saved = yield from self._replaced(p, source, battle)
            if not saved:
                dying.append(p)
        for p in dying:
            self.emit(Event("die", p, cause=source))
            if source is not None:
                self.emit(Event("fx.die", p, cause=source))
        if not battle:
            self.bury_destroyed(dying)
        return dying

    def bury_destroyed(self, dying: Sequence[Permanent]) -> None:
        """Send destroyed cards to the Underworld."""
        for p in dying:
            if not p.gone:
                self.tell(f"  {p.card.name} is destroyed.")
                self.leave(p)

    def _cannot_die(self, p: Permanent, source: Source | None, battle: bool) -> bool:
        for q, effect in self.statics("nodie"):
            if self.reaches(effect.scope, q, p):
                if battle and effect.battle:
                    self.used_card(q.card, effect)
                    return True
                if not battle and effect.against is not None and source is not None:
                    if self.source_fits(effect.against, source, q.seat):
                        self.used_card(q.card, effect)
                        return True
        return False

    def _replaced(self, p: Permanent, source: Source | None, battle: bool) -> Flow[bool]:
        """EL-F15: a card that would be destroyed may be saved by something else that happens instead."""
        for q, effect in list(self.statics("replace")):
            if not self.reaches(effect.scope, q, p) or q.gone:
                continue
            meant = effect.battle if battle else False
            if not battle and effect.against is not None and source is not None:
                meant = self.source_fits(effect.against, source, q.seat)
            if not meant:
                continue
            answer = yield from self.ask(q.seat, "EL-F15", [codes.DONE, code(codes.YES)])
            if answer != codes.DONE:
                self.tell(f"  {q.card.name} is destroyed instead of {p.card.name}.")
                self.used_card(q.card, effect)
                self.emit(Event("die", q, cause=q_source(q)))
                self.leave(q)
                return True
        return False

    # -------------------------------------------------------------------------------------------- arriving

    def put_body(
        self, seat: int, inst: int, place: int, position: int, paid: Sequence[tuple[int, int, int]], limbo: bool
    ) -> Permanent:
        """Put an Elestral with its Spirits into a slot."""
        card = self.card_of(inst)
        p = Permanent(inst, inst // DECK_SIZE, seat, place, card, "elestral", position=position, limbo=limbo)
        p.arrived = self.turn
        self.put_under(p, paid)
        p.paid = sum({1 << e for _, e, _ in paid})
        self.players[seat].slots[place] = p
        return p

    def put_rune(self, seat: int, inst: int, place: int, kind: str, limbo: bool) -> Permanent:
        """Put a Rune into a slot."""
        p = Permanent(inst, inst // DECK_SIZE, seat, place, self.card_of(inst), kind, limbo=limbo)
        p.arrived = self.turn
        self.players[seat].slots[place] = p
        return p

    def arrived(self, p: Permanent, normal: bool, special: bool, old: Permanent | None, cause: Source | None) -> None:
        """EL-C2: a card has been cast: it is there now, and what listens for that hears it."""
        p.limbo = False
        me = self.players[p.seat].tally
        if p.kind == "elestral":
            me["cast"] += 1
            me["ascended"] += old is not None
            for size in (2, 3):
                if p.card.total >= size and not me[f"first_cost{size}"]:
                    me[f"first_cost{size}"] = self.turn
        else:
            me["runes"] += 1
        self.emit(Event("cast", p, cause=cause))
        if normal and old is None:
            self.emit(Event("cast.n", p, cause=cause))
        if special and old is not None:
            self.use("EL-C6")
        if special and (old is None or self.variant["special_ascend_is_special_cast"]):
            self.emit(Event("cast.s", p, cause=cause))
        if self.variant["receive_on_cast"] and p.count:
            self.emit(Event("recv", p, elements=p.paid, cause=cause))
        if old is not None:
            self._ascended(p, old, special, cause)
        self.played(p)

    def _ascended(self, p: Permanent, old: Permanent, special: bool, cause: Source | None) -> None:
        self.emit(Event("asc.into", p, cause=cause))
        if special:
            self.emit(Event("asc.into.s", p, cause=cause))
        if self.variant["ascend_this"] == "body_left":
            self.emit(Event("asc.from", old, p, cause=cause))
        else:
            self.emit(Event("asc.from", p, p, cause=cause))
        self.use("EL-C7")

    def played(self, p: Permanent) -> None:
        """Let the table hear that a card was played."""
        event = Event("play", p, seat=p.seat)
        self.emit(event)
        self.arrivals.append(event)

    def receive(self, p: Permanent, elements: int, cause: Source | None, nexus: bool = False) -> None:
        """EL-F6: a card has received Spirits, whatever number at once."""
        if elements:
            self.use("EL-F6")
            self.emit(Event("recv", p, elements=elements, cause=cause))
            if nexus:
                self.emit(Event("recv.nexus", p, elements=elements, cause=cause))

    # -------------------------------------------------------------------------------------------- Ascending

    def can_ascend(self, body: Permanent, inst: int, tokens: Sequence[Token] = ()) -> bool:
        """EL-C4: one new Spirit, and with the Spirits of all own Elestrals enough for the new cost.

        `tokens` are costs that are paid before; those that come from the field count as taken from Elestrals.
        """
        seat = body.seat
        if body.gone or body.limbo or body.kind != "elestral" or self.restricted(body, "noasc"):
            return False
        card = self.card_of(inst)
        spent = sum(codes.PAY_DECK not in t.places for t in tokens)
        if sum(p.count for p in self.bodies(seat)) + 1 - spent < card.total or self.locked(seat, "elestral", card):
            return False
        new = self.new_spirit(seat, card, tokens)
        tax = [Token(ANY, (codes.PAY_DECK,))] * self.tax(seat, "elestral", card)
        return bool(new.mask) and self.payable(seat, [new, *tax, *tokens])

    def ascend(self, body: Permanent, inst: int, zone: int) -> Flow[Permanent]:
        """EL-C4: the steps of an Ascend up to Limbo; the old body's object stays reachable as `body`."""
        seat, card = body.seat, self.card_of(inst)
        tax = self.tax(seat, "elestral", card)
        if tax:
            yield from self.pay_tax(seat, tax, [self.new_spirit(seat, card)])
        paid = yield from self.pay(seat, [self.new_spirit(seat, card)], "EL-C4")
        self.players[seat].tally["paid_cast"] += 1
        donors = yield from self._donors(body, card, paid)
        position = yield from self.position(seat)
        self.remove(seat, inst, zone)
        if zone == codes.DECK:
            self.shuffle(seat)
        kept = [(0, e, owner) for owner in (0, 1) for e, n in enumerate(body.spirits[owner]) for _ in range(n)]
        for _, _, owner in kept:
            self.purse[owner] += 1
        body.spirits = [[0] * 8, [0] * 8]
        place = body.place
        body.worked = self.working_with(body, kept)
        worked = body.worked
        self.leave(body)
        body.worked = worked
        p = self.put_body(seat, inst, place, position, [*kept, *paid, *donors], limbo=True)
        if not self.correct(p):
            self.use("EL-K4")
        p.paid = sum({1 << e for _, e, _ in [*paid, *donors]})
        self.tell(f"  {body.card.name} Ascends to {card.name} with {letters([p.of(e) for e in range(8)])}.")
        return p

    def working_with(self, p: Permanent, kept: Sequence[tuple[int, int, int]]) -> bool:
        """Say whether a card worked with the Spirits that were just taken from under it."""
        counts = [sum(e == k for _, e, _ in kept) for k in range(8)]
        return not self.blank(p.inst) and self.covers(counts, p.card.cost) and not self.suppressed(p)

    def new_spirit(self, seat: int, card: cards.Card, tokens: Sequence[Token] = ()) -> Token:
        """EL-K4: the new Spirit of an Ascend: where it must match, of the element that is lacking, of none if several.

        `tokens` are costs that are paid before; those that come from the field count as taken from Elestrals.
        """
        mask = ANY
        if not self.variant["misenchanted_cast"]:
            counts = [sum(p.of(e) for p in self.bodies(seat)) for e in range(8)]
            for token in tokens:
                if codes.PAY_DECK not in token.places:
                    counts = [n - (n > 0 and token.mask >> e & 1) for e, n in enumerate(counts)]
            lacking = [1 << e for e in range(8) for _ in range(card.cost[e] - counts[e])]
            mask = 0 if len(lacking) > 1 else lacking[0] if lacking else ANY
        return Token(mask, (codes.PAY_DECK,))

    def _donors(
        self, body: Permanent, card: cards.Card, paid: Sequence[tuple[int, int, int]]
    ) -> Flow[list[tuple[int, int, int]]]:
        """Choose Spirits of other own Elestrals, as many as one wants."""
        seat = body.seat
        taken: list[tuple[int, int, int]] = []
        while True:
            counts = [body.of(e) + sum(k == e for _, k, _ in [*paid, *taken]) for e in range(8)]
            enough = sum(counts) >= card.total
            if not self.variant["misenchanted_cast"]:
                enough = self.covers(counts, card.cost)
            options = [codes.DONE] if enough else []
            short = [e for e in range(8) if card.cost[e] > counts[e]]
            for p in self.bodies(seat):
                if p is not body:
                    for e in range(8):
                        if p.of(e) and (enough or self.variant["misenchanted_cast"] or not short or e in short):
                            options.append(code(codes.DONOR, p.place, e))
            if options == [codes.DONE]:
                return taken
            answer = yield from self.ask(seat, "EL-C4", options)
            if answer == codes.DONE:
                return taken
            _, place, element = split(answer)
            taken.append((place, element, self.take_spirit(seat, place + codes.PAY_FIELD, element)))

    def pay_tax(self, seat: int, n: int, rest: Sequence[Token]) -> Flow[None]:
        """EL-K9: Expend what a tax asks, so that the card itself stays payable."""
        self.use("EL-K9")
        paid = yield from self.pay(seat, [Token(ANY, (codes.PAY_DECK,))] * n, "EL-K9", rest)
        self.bury(paid)
        self.players[seat].tally["paid_cost"] += n

    def position(self, seat: int) -> Flow[int]:
        """Choose Attack or Defence Position on arrival."""
        answer = yield from self.ask(seat, "EL-C2", [code(codes.POSITION, ATTACK), code(codes.POSITION, DEFENCE)])
        return split(answer)[1]

    # -------------------------------------------------------------------------------------------- costs and targets

    def cost_groups(self, ability: Ability, context: Context) -> list[list[Token]]:
        """Return the Spirits that an ability's costs ask for, cost by cost."""
        groups = []
        for cost in ability.costs:
            if cost.word == "exp" and cost.spirits is not None and not cost.spirits.everything:
                groups.append(self.spirit_tokens(cost.spirits, context, (codes.PAY_DECK,)))
            elif cost.word == "dis" and cost.spirits is not None:
                groups.append(self.spirit_tokens(cost.spirits, context, self._dis_places(cost, context)))
        return groups

    def _dis_places(self, cost: Cost, context: Context) -> tuple[int, ...]:
        seat = context.seat
        assert cost.subject is not None
        if cost.subject.how == "ref":
            source = context.source
            return () if source is None or source.gone else (source.place + codes.PAY_FIELD,)
        f = cost.subject.filter
        assert f is not None
        return tuple(
            p.place + codes.PAY_FIELD
            for p in self.on_field(seat)
            if not p.down and p.count and self.matches(f, p, seat, context.source)
        )

    def can_activate(self, ability: Ability, context: Context, before: Sequence[Token] = ()) -> bool:
        """EL-F7: the costs can be paid, the targets exist, the first step can do something."""
        self.use("EL-F7")
        tokens = [*before, *(t for group in self.cost_groups(ability, context) for t in group)]
        if tokens and not self.payable(context.seat, tokens):
            return False
        me = self.players[context.seat]
        for cost in ability.costs:
            if cost.spirits is not None and cost.spirits.everything and me.life - len(before) < 1:
                return False
            if cost.word == "reveal" and cost.spirits is not None:
                if not self.payable(context.seat, self.spirit_tokens(cost.spirits, context, (codes.PAY_DECK,))):
                    return False
            if cost.word == "disc" and len(self._discardable(cost, context)) < max(1, cost.amount):
                return False
        if not all(self.candidates(target, context) for target in ability.targets):
            return False
        if any(t.filter is not None and len(self.candidates(t, context)) < t.low for t in ability.targets):
            return False
        return self._useful(ability, context)

    def _useful(self, ability: Ability, context: Context) -> bool:
        """EL-F7: say whether any step can do something that does not wait for another one.

        Spirits that the costs send to the Underworld may be what a step takes from there.
        """
        spends = any(cost.word in ("exp", "dis") for cost in ability.costs)
        for step in ability.steps:
            if step.if_done or not self.holds(step.condition, context):
                continue
            if spends and (step.op == "recover" or "uw" in step.source):
                return True
            if self.could(step, context, bool(ability.targets)):
                return True
        return not ability.steps

    def _discardable(self, cost: Cost, context: Context) -> list[int]:
        hand = [inst for inst in self.players[context.seat].hand if inst != context.inst]
        if cost.amount < 0:
            return hand
        if cost.subject is None or cost.subject.filter is None:
            return [inst for inst in self.players[context.seat].hand if inst == context.inst]
        f = cost.subject.filter
        return [inst for inst in hand if self.fits(f, inst, context.seat)]

    def candidates(self, target: Target, context: Context) -> list[Any]:
        """Return what may become a target: cards on the field, or instances in an Underworld."""
        if target.filter is None:
            return [p for p in self.ref(target.ref, context) if not p.gone and self.targetable(p, context)]
        found: list[Any] = []
        for zone in target.filter.zones:
            if zone == "field":
                found += [
                    p
                    for p in self.on_field()
                    if self.matches(target.filter, p, context.seat, context.source) and self.targetable(p, context)
                ]
            else:
                pile = self.pile(context, zone)
                found += [
                    inst for inst in pile if self.fits(target.filter, inst, context.seat) and inst != context.inst
                ]
        return found

    def targetable(self, p: Permanent, context: Context) -> bool:
        """EL-F13: say whether nothing forbids that an effect targets a card."""
        if p is context.source and context.kind in cards.INSTANTS:
            return False
        return not self.against("shroud", p, context.as_source)

    def pay_costs(
        self, ability: Ability, context: Context, before: Sequence[Token] = (), rest: Sequence[Token] = ()
    ) -> Flow[list[tuple[int, int, int]]]:
        """EL-K1: pay, in this order: the card's own cost (`before`), the ability's Spirits, its other costs.

        Return the Spirits of `before`, which go under the card; `rest` must stay payable afterwards.
        """
        groups = self.cost_groups(ability, context)
        tokens = [*before, *(t for group in groups for t in group)]
        paid = yield from self.pay(context.seat, tokens, "EL-K1", rest)
        own, spent = paid[: len(before)], paid[len(before) :]
        self.bury(spent)
        me = self.players[context.seat]
        me.tally["paid_cost"] += sum(place == codes.PAY_DECK for place, _, _ in spent)
        for cost in ability.costs:
            if cost.spirits is not None and cost.spirits.everything:
                me.tally["paid_cost"] += me.life
                self.expend_all(context.seat)
            elif cost.word == "disc":
                yield from self._pay_discards(cost, context)
        return own

    def _pay_discards(self, cost: Cost, context: Context) -> Flow[None]:
        seat = context.seat
        if cost.amount < 0:
            for inst in sorted(self._discardable(cost, context)):
                self.discard(seat, inst)
            return
        for _ in range(cost.amount):
            hand = self._discardable(cost, context)
            options = [code(codes.DISCARD, self.card_of(inst).number) for inst in hand]
            answer = yield from self.ask(seat, "EL-K1", options)
            self.discard(seat, self.by_number(hand, split(answer)[1]))

    def choose_targets(self, ability: Ability, context: Context) -> Flow[None]:
        """EL-F4: choose the targets on activation, one by one; 'up to' means at least one."""
        for target in ability.targets:
            context.filters.append(target.filter)
            found = self.candidates(target, context)
            if target.filter is None:
                context.targets.append(found)
                continue
            if "field" not in target.filter.zones:
                context.targets.append([])
                yield from self._target_cards(target, found, context)
                continue
            chosen: list[Permanent] = []
            while len(chosen) < target.high and len(chosen) < len(found):
                options = [code(codes.TARGET, self.place_code(context.seat, p)) for p in found if p not in chosen]
                if chosen and len(chosen) >= target.low:
                    options.append(codes.DONE)
                answer = yield from self.ask(context.seat, "EL-F4", options)
                if answer == codes.DONE:
                    break
                p = self.at(context.seat, split(answer)[1])
                assert p is not None
                chosen.append(p)
            context.targets.append(chosen)
            if chosen:
                self.tell("  target: " + ", ".join(hidden_name(p) for p in chosen))

    def _target_cards(self, target: Target, found: list[int], context: Context) -> Flow[None]:
        for _ in range(min(target.high, len(found))):
            left = [inst for inst in found if inst not in context.cards]
            options = [code(codes.SEARCH, self.card_of(inst).number, codes.UNDERWORLD) for inst in left]
            answer = yield from self.ask(context.seat, "EL-F4", options)
            context.cards.append(self.by_number(left, split(answer)[1]))

    # -------------------------------------------------------------------------------------------- could a step work?

    def pile(self, context: Context, zone: str) -> list[int]:
        """Return a zone of the controller outside the field."""
        me = self.players[context.seat]
        if zone == "foretold":
            return [inst for inst in context.shown if inst in me.deck]
        return {"hand": me.hand, "deck": me.deck, "uw": me.underworld}[zone]

    def found(
        self, f: Filter, context: Context, suits: Callable[[int], bool] = lambda inst: True
    ) -> list[tuple[int, int]]:
        """Return (instance, zone code) of the controller's cards outside the field that pass a filter."""
        made = []
        for zone in f.zones:
            if zone == "field":
                continue
            for inst in self.pile(context, zone):
                other = not any(t.word == "other" for t in f.tests) or inst != context.inst
                if other and self.fits(f, inst, context.seat) and suits(inst):
                    made.append((inst, ZONES[zone]))
        return made

    def could(self, step: Step, context: Context, targeted: bool = False) -> bool:
        """Say whether a step can do something now; steps on targets always can when they are activated."""
        subject = step.subject
        if targeted and subject is not None and subject.how == "ref" and subject.ref in ("t", "t1", "t2"):
            return True
        if step.steps and step.op != "delay":
            return any(self.could(inner, context, targeted) for inner in step.steps)
        test = getattr(self, "_could_" + step.op, None)
        if test is not None:
            return bool(test(step, context))
        if subject is None:
            return True
        return bool(self.on_subject(subject, context))

    def on_subject(self, subject: Subject, context: Context) -> list[Permanent]:
        """Return the cards on the field that a subject may mean."""
        if subject.how == "ref":
            found = [p for p in self.ref(subject.ref, context) if not p.gone]
            if subject.ref in ("t", "t1", "t2") and self.variant["target_recheck"]:
                found = [p for p in found if self._still(p, context)]
            return found
        assert subject.filter is not None
        f = subject.filter
        made = [p for p in self.on_field() if self.matches(f, p, context.seat, context.source)]
        if context.kind in cards.INSTANTS:
            made = [p for p in made if p is not context.source]
        return made

    def _still(self, p: Permanent, context: Context) -> bool:
        """EL-F4: does a target still fit its description? Its being the least of all is not asked again."""
        for group, f in zip(context.targets, context.filters):
            if p in group and f is not None:
                plain = replace(f, tests=tuple(t for t in f.tests if t.word != "minsp"))
                if not self.matches(plain, p, context.seat, context.source):
                    self.use("EL-F4")
                    return False
        return True

    def _could_tutor(self, step: Step, context: Context) -> bool:
        assert step.subject is not None
        assert step.subject.filter is not None
        return bool(self.found(step.subject.filter, context))

    _could_totop = _could_regrow = _could_tutor

    def _could_setfrom(self, step: Step, context: Context) -> bool:
        return self._could_tutor(step, context) and self.free_place(context.seat, "rune") >= 0

    def _could_recover(self, step: Step, context: Context) -> bool:
        whose = self.players[context.seat if step.who == "own" else 1 - context.seat]
        return any(n and self._mask(step) >> e & 1 for e, n in enumerate(whose.lost))

    def _mask(self, step: Step) -> int:
        assert step.spirits is not None
        mask = 0
        for _, part in step.spirits.parts:
            mask |= part
        return ANY if step.spirits.everything else mask

    def _could_attach(self, step: Step, context: Context) -> bool:
        me = self.players[context.seat]
        assert step.subject is not None
        stores = [me.spirits if s == "sd" else me.lost for s in step.source]
        some = any(n and self._mask(step) >> e & 1 for store in stores for e, n in enumerate(store))
        return some and bool(self._receivers(self.on_subject(step.subject, context)))

    def _receivers(self, found: Sequence[Permanent]) -> list[Permanent]:
        return [p for p in found if not p.down and not self.restricted(p, "noench")]

    def _nexus_ends(self, step: Step, context: Context) -> list[tuple[Permanent, list[Permanent]]]:
        """EL-F11: the cards that can give Spirits, each with those that can receive them."""
        own = [p for p in self.on_field(context.seat) if not (p.down or p.limbo or self.restricted(p, "nonexus"))]
        own = [p for p in own if p.kind not in cards.INSTANTS]
        givers = own if step.give is None else [p for p in self.on_subject(step.give, context) if p in own]
        takers = own if step.take is None else [p for p in self.on_subject(step.take, context) if p in own]
        takers = self._receivers(takers)
        mask = self._mask(step)
        return [
            (p, [q for q in takers if q is not p])
            for p in givers
            if p.elements(mask) and any(q is not p for q in takers)
        ]

    def _could_nexus(self, step: Step, context: Context) -> bool:
        return bool(self._nexus_ends(step, context))

    def _could_nexusall(self, step: Step, context: Context) -> bool:
        return context.source is not None and not context.source.gone

    def _cast_tokens(self, step: Step, card: cards.Card, context: Context) -> list[Token]:
        places = [codes.PAY_DECK] + ([codes.PAY_UNDERWORLD] if "uw" in step.source else [])
        if step.spirits is not None:
            return self.spirit_tokens(step.spirits, context, places)
        return self.cost_tokens(card.cost, places)

    def can_special_cast(self, step: Step, inst: int, context: Context) -> bool:
        """EL-C3: a free slot, and Spirits that meet the cost."""
        card, seat = self.card_of(inst), context.seat
        tax = [Token(ANY, (codes.PAY_DECK,))] * self.tax(seat, "elestral", card)
        if self.free_place(seat, "elestral") < 0 or self.locked(seat, "elestral", card):
            return False
        return card.is_elestral and self.payable(seat, [*tax, *self._cast_tokens(step, card, context)])

    def _casts(self, step: Step, context: Context) -> list[tuple[int, int]]:
        """Return the cards that a Special Cast step may bring."""
        assert step.subject is not None
        if step.subject.how == "ref":
            if step.subject.ref != "self":
                insts = [inst for inst in context.cards if inst in self.players[context.seat].underworld]
                return [(i, codes.UNDERWORLD) for i in insts if self.can_special_cast(step, i, context)]
            return self._self_outside(context, lambda inst: self.can_special_cast(step, inst, context))
        assert step.subject.filter is not None
        return self.found(step.subject.filter, context, lambda inst: self.can_special_cast(step, inst, context))

    def _self_outside(self, context: Context, suits: Callable[[int], bool]) -> list[tuple[int, int]]:
        me, inst = self.players[context.seat], context.inst
        for pile, zone in ((me.hand, codes.HAND), (me.underworld, codes.UNDERWORLD)):
            if inst in pile and suits(inst):
                return [(inst, zone)]
        return []

    def _could_spcast(self, step: Step, context: Context) -> bool:
        return bool(self._casts(step, context))

    def _ascending(self, step: Step, context: Context) -> list[Permanent]:
        """Return the bodies that a Special Ascend step may replace."""
        assert step.subject is not None
        found = [p for p in self.on_subject(step.subject, context) if p.seat == context.seat]
        return [p for p in found if self._ascensions(step, context, p)]

    def _ascensions(self, step: Step, context: Context, body: Permanent) -> list[tuple[int, int]]:
        """Return the cards that a Special Ascend step may bring over a body."""
        assert step.take is not None

        def suits(inst: int) -> bool:
            return self.card_of(inst).is_elestral and self.can_ascend(body, inst)

        if step.take.how == "ref":
            return self._self_outside(context, suits)
        assert step.take.filter is not None
        return self.found(step.take.filter, context, suits)

    def _could_spasc(self, step: Step, context: Context) -> bool:
        return bool(self._ascending(step, context))

    def _rune_hosts(self, step: Step, context: Context) -> list[Permanent]:
        if step.host:
            return [p for p in self.ref(step.host, context) if not p.gone and p.kind == "elestral"]
        return self.bodies(context.seat)

    def _rune_casts(self, step: Step, context: Context) -> list[tuple[int, int]]:
        assert step.subject is not None
        assert step.subject.filter is not None
        if self.free_place(context.seat, "rune") < 0 or not self._rune_hosts(step, context):
            return []

        def suits(inst: int) -> bool:
            return self._rune_payable(step, inst, context, self.card_of(inst).kind)

        return self.found(step.subject.filter, context, suits)

    def _rune_payable(self, step: Step, inst: int, context: Context, kind: str) -> bool:
        card = self.card_of(inst)
        tax = [Token(ANY, (codes.PAY_DECK,))] * self.tax(context.seat, kind, card)
        if self.locked(context.seat, kind, card):
            return False
        return self.payable(context.seat, [*tax, *self._cast_tokens(step, card, context)])

    def _could_castrune(self, step: Step, context: Context) -> bool:
        return bool(self._rune_casts(step, context))

    def _could_castas(self, step: Step, context: Context) -> bool:
        me = self.players[context.seat]
        if context.inst not in me.underworld or self.free_place(context.seat, "rune") < 0:
            return False
        return bool(self._rune_hosts(step, context)) and self._rune_payable(step, context.inst, context, "artifact")

    def _could_discard(self, step: Step, context: Context) -> bool:
        whose = self.players[context.seat if step.who == "own" else 1 - context.seat]
        return bool(whose.hand)

    _could_peekdisc = _could_discard

    def _could_steal(self, step: Step, context: Context) -> bool:
        assert step.subject is not None
        return bool(self.on_subject(step.subject, context)) and self.free_place(context.seat, "elestral") >= 0

    def _could_stealrune(self, step: Step, context: Context) -> bool:
        assert step.subject is not None
        return bool(self.on_subject(step.subject, context)) and self.free_place(context.seat, "rune") >= 0

    def _could_putback(self, step: Step, context: Context) -> bool:
        return bool(self.players[context.seat].hand)

    def _could_foretell(self, step: Step, context: Context) -> bool:
        return bool(self.players[context.seat].deck)

    _could_scrytake = _could_foretell

    def _could_negate(self, step: Step, context: Context) -> bool:
        assert step.subject is not None
        link = context.answers if step.subject.ref == "link" else context.attack
        return link is not None and not link.negated

    def _could_mod(self, step: Step, context: Context) -> bool:
        assert step.subject is not None
        return step.subject.how == "all" or bool(self.on_subject(step.subject, context))

    _could_suppress = _could_setpos = _could_mod

    # -------------------------------------------------------------------------------------------- running an effect

    def carry_out(self, ability: Ability, context: Context) -> Flow[None]:
        """Carry out an ability, and count it if any of its steps did something."""
        did = yield from self.run(ability.steps, context)
        if did:
            self.used_card(context.card, ability)

    def run(self, steps: Sequence[Step], context: Context) -> Flow[bool]:
        """EL-F16: carry out the steps in order; what cannot be done is left out. Say whether any did something."""
        did = False
        for step in steps:
            if step.if_done and not context.done:
                continue
            if step.condition and not self.holds(step.condition, context):
                context.done = False
                continue
            if step.optional:
                if not self.could(step, context):
                    context.done = False
                    continue
                answer = yield from self.ask(context.seat, "EL-F16", [codes.DONE, code(codes.YES)])
                if answer == codes.DONE:
                    context.done = False
                    continue
            context.done = True
            yield from getattr(self, "_op_" + step.op)(step, context)
            did = did or context.done
            self.settle_step()
        return did

    def subjects(self, subject: Subject, context: Context) -> Flow[list[Permanent]]:
        """Return the cards that a step works on; picks are made now, by the controller, and pass by shrouds."""
        found = self.on_subject(subject, context)
        if subject.how == "pick":
            chosen: list[Permanent] = []
            high = len(found) if subject.high < 0 else min(subject.high, len(found))
            while len(chosen) < high:
                options = [code(codes.TARGET, self.place_code(context.seat, p)) for p in found if p not in chosen]
                if len(chosen) >= subject.low:
                    options.append(codes.DONE)
                answer = yield from self.ask(context.seat, "EL-F4", options)
                if answer == codes.DONE:
                    break
                p = self.at(context.seat, split(answer)[1])
                assert p is not None
                chosen.append(p)
            found = chosen
        return [p for p in found if not self.against("unaff", p, context.as_source)]

    def until(self, word: str, context: Context) -> tuple[int, Permanent | None]:
        """EL-P3: return the turn before which a duration holds, and the card that it is bound to."""
        mine = self.active == context.seat
        turns = {"~T": 1, "~Y": 2 if mine else 1, "~OE": 2 if mine else 3}
        if word in turns:
            return self.turn + turns[word], None
        return FOREVER, context.source if word == "~S" else None

    def change(self, p: Permanent, kind: str, word: str, context: Context, **facts: Any) -> None:
        """Put a change on a card for a duration."""
        turn, source = self.until(word, context)
        p.changes.append(Change(kind, until=turn, source=source, **facts))

    # steps on cards of the field

    def _op_destroy(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        victims = yield from self.subjects(step.subject, context)
        context.spirits_was = sum(p.count for p in victims)
        gone = yield from self.destroy(victims, context.as_source)
        context.done = bool(gone)

    def _op_destroyif(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        victims = yield from self.subjects(step.subject, context)
        which = 0 if step.words[0] == "A" else 1
        dying = [p for p in victims if self.stats(p)[which] == 0 and context.x > 0]
        yield from self.destroy(dying, context.as_source)

    def _op_bounce(self, step: Step, context: Context) -> Flow[None]:
        yield from self._send(step, context, "hand")

    def _op_botdeck(self, step: Step, context: Context) -> Flow[None]:
        yield from self._send(step, context, "bottom")

    def _send(self, step: Step, context: Context, to: str) -> Flow[None]:
        assert step.subject is not None
        moved = yield from self.subjects(step.subject, context)
        moved = [p for p in moved if to != "hand" or not self.against("nobounce", p, context.as_source)]
        context.done = bool(moved)
        for p in moved:
            if not p.gone:
                self.tell(f"  {hidden_name(p)} goes to {'the hand' if to == 'hand' else 'the bottom of the deck'}.")
                self.leave(p, to)

    def _op_flip(self, step: Step, context: Context) -> Flow[None]:
        yield from self._reposition(step, context, None)

    def _op_setpos(self, step: Step, context: Context) -> Flow[None]:
        yield from self._reposition(step, context, ATTACK if step.pos == "A" else DEFENCE)

    def _reposition(self, step: Step, context: Context, to: int | None) -> Flow[None]:
        """EL-B5: change positions by an effect; the bodies of a running battle keep theirs."""
        assert step.subject is not None
        turned = yield from self.subjects(step.subject, context)
        for p in turned:
            if p in self.frozen or self.against("nopos", p, context.as_source):
                self.use("EL-B5")
                continue
            p.position = 1 - p.position if to is None else to

    def _op_suppress(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        found = yield from self.subjects(step.subject, context)
        for p in found:
            self.use("EL-F12")
            self.change(p, "suppress", step.until, context)
            self.emit(Event("supp", p, cause=context.as_source))
        context.done = bool(found)

    def _op_mod(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        assert step.stats is not None
        found = yield from self.subjects(step.subject, context)
        for p in found:
            context.it = p
            times = 1 if step.stats.per is None else self.counted(step.stats.per, context)
            context.x = self.stats(p)[1] if step.stats.defence < 0 else self.stats(p)[0]
            attack, defence = times * step.stats.attack, times * step.stats.defence
            self.change(p, "stat", step.until, context, attack=attack, defence=defence)
        context.done = bool(found)

    def _op_swapst(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        found = yield from self.subjects(step.subject, context)
        for p in found:
            self.change(p, "swap", step.until, context)

    def _op_setbase(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        assert step.stats is not None
        found = yield from self.subjects(step.subject, context)
        for p in found:
            self.change(p, "base", step.until, context, attack=step.stats.attack, defence=step.stats.defence)

    def _op_restrict(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        found = yield from self.subjects(step.subject, context)
        for p in found:
            self.change(p, "restrict", step.until, context, words=step.words)

    def _op_playlock(self, step: Step, context: Context) -> Flow[None]:
        if step.filter is not None:
            turn, source = self.until(step.until, context)
            self.locks.append(Change("lock", filter=step.filter, seat=context.seat, until=turn, source=source))
            return
        assert step.subject is not None
        found = yield from self.subjects(step.subject, context)
        for p in found:
            self.change(p, "lock", step.until, context)

    def _op_nodmg(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        found = yield from self.subjects(step.subject, context)
        for p in found:
            p.no_damage = True

    def _op_negate(self, step: Step, context: Context) -> Flow[None]:
        """EL-H9: a negated action is spent and nothing happens."""
        assert step.subject is not None
        link = context.answers if step.subject.ref == "link" else context.attack
        context.done = link is not None and not link.negated
        if link is not None:
            link.negated = True
            self.use("EL-H9")
            self.tell("  the attack is negated." if link.kind == "attack" else "  a link is negated.")
        return
        yield

    def _op_negatefx(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        found = yield from self.subjects(step.subject, context)
        for link in self.links:
            if link.kind == "ability" and link.permanent in found:
                link.negated = True
                self.use("EL-H9")

    # steps on cards outside the field

    def _op_draw(self, step: Step, context: Context) -> Flow[None]:
        context.drawn = self.draw(context.seat, self.amount(step.amount, context))
        self.tell(f"  {self.name(context.seat)} draws {context.drawn}.")
        return
        yield

    def _op_drain(self, step: Step, context: Context) -> Flow[None]:
        yield from self.expend(1 - context.seat, self.amount(step.amount, context), "effect")

    def _op_mill(self, step: Step, context: Context) -> Flow[None]:
        n = self.amount(step.amount, context)
        seats = {"own": [context.seat], "opp": [1 - context.seat]}.get(step.who, [self.active, 1 - self.active])
        for seat in seats:
            for _ in range(min(n, len(self.players[seat].deck))):
                self.players[seat].underworld.append(self.players[seat].deck.pop(0))
        return
        yield

    def _op_discard(self, step: Step, context: Context) -> Flow[None]:
        seat = context.seat if step.who == "own" else 1 - context.seat
        hand = self.players[seat].hand
        for _ in range(min(self.amount(step.amount, context), len(hand))):
            answer = yield from self.ask(
                seat, "EL-F17", [code(codes.DISCARD, self.card_of(inst).number) for inst in hand]
            )
            self.discard(seat, self.by_number(hand, split(answer)[1]))

    def _op_peekdisc(self, step: Step, context: Context) -> Flow[None]:
        seat = 1 - context.seat
        hand = self.players[seat].hand
        self.tell(f"  the hand of {self.name(seat)} is shown: " + ", ".join(sorted(self.card_of(i).name for i in hand)))
        for _ in range(min(self.amount(step.amount, context), len(hand))):
            options = [code(codes.DISCARD, self.card_of(inst).number) for inst in hand]
            answer = yield from self.ask(context.seat, "EL-F17", options)
            self.discard(seat, self.by_number(hand, split(answer)[1]))

    def _op_putback(self, step: Step, context: Context) -> Flow[None]:
        me = self.players[context.seat]
        for _ in range(min(self.amount(step.amount, context), len(me.hand))):
            options = [code(codes.PUT_BACK, self.card_of(inst).number) for inst in me.hand]
            answer = yield from self.ask(context.seat, "EL-F17", options)
            inst = self.by_number(me.hand, split(answer)[1])
            me.hand.remove(inst)
            me.deck.insert(0, inst)

    def _op_reshuffle(self, step: Step, context: Context) -> Flow[None]:
        """Show any number of hand cards and shuffle them into the deck."""
        me = self.players[context.seat]
        context.x = 0
        while me.hand:
            options = [codes.DONE, *(code(codes.PUT_BACK, self.card_of(inst).number) for inst in me.hand)]
            answer = yield from self.ask(context.seat, "EL-F17", options)
            if answer == codes.DONE:
                break
            inst = self.by_number(me.hand, split(answer)[1])
            me.hand.remove(inst)
            me.deck.append(inst)
            context.x += 1
        self.shuffle(context.seat)

    def _op_tutor(self, step: Step, context: Context) -> Flow[None]:
        yield from self._fetch(step, context)

    def _op_regrow(self, step: Step, context: Context) -> Flow[None]:
        yield from self._fetch(step, context)

    def _op_totop(self, step: Step, context: Context) -> Flow[None]:
        yield from self._fetch(step, context, to_top=True)

    def _fetch(self, step: Step, context: Context, to_top: bool = False) -> Flow[None]:
        """EL-F8: bring cards from deck or Underworld to the hand (or on top); a deck that was searched is shuffled."""
        assert step.subject is not None
        f, me = step.subject.filter, self.players[context.seat]
        assert f is not None
        taken: list[int] = []
        high = 99 if step.subject.high < 0 else step.subject.high
        while len(taken) < high:
            found = [(inst, zone) for inst, zone in self.found(f, context) if inst not in taken]
            options = [code(codes.SEARCH, self.card_of(inst).number, zone) for inst, zone in found]
            if not options:
                break
            if len(taken) >= step.subject.low:
                options.append(codes.DONE)
            answer = yield from self.ask(context.seat, "EL-F8", options)
            if answer == codes.DONE:
                break
            inst, zone = self.pick_found(found, answer)
            self.remove(context.seat, inst, zone)
            taken.append(inst)
            me.hand.append(inst)
            self.tell(f"  {self.name(context.seat)} takes {self.card_of(inst).name}.")
        if "deck" in f.zones:
            self.use("EL-H4")
            self.shuffle(context.seat)
        if to_top:
            for inst in taken:
                me.hand.remove(inst)
                me.deck.insert(0, inst)
        context.done = bool(taken)
        context.taken = len(taken)

    def pick_found(self, found: Sequence[tuple[int, int]], answer: int) -> tuple[int, int]:
        """Return the instance and the zone that a `search` code means."""
        _, number, zone = split(answer)
        return self.by_number([inst for inst, z in found if z == zone], number), zone

    def _op_scrytake(self, step: Step, context: Context) -> Flow[None]:
        """Look at the top cards, take some, shuffle the rest in."""
        me = self.players[context.seat]
        looked = me.deck[: self.amount(step.amount, context)]
        for _ in range(min(step.high, len(looked))):
            options = [code(codes.TAKE, self.card_of(inst).number) for inst in looked]
            answer = yield from self.ask(context.seat, "EL-F17", options)
            inst = self.by_number(looked, split(answer)[1])
            looked.remove(inst)
            me.deck.remove(inst)
            me.hand.append(inst)
        self.shuffle(context.seat)

    def _op_foretell(self, step: Step, context: Context) -> Flow[None]:
        """EL-F9: reveal the top cards, let others act on them, take what may be taken, put the rest back."""
        me = self.players[context.seat]
        n = self.amount(step.amount, context)
        for q, effect in self.statics("foreplus"):
            f = effect.scope.filter
            if f is not None and context.source is not None and q.seat == context.seat:
                if self.matches(f, context.source, q.seat, q):
                    n += effect.amount
                    self.used_card(q.card, effect)
        context.shown = me.deck[:n]
        me.foretold += 1
        self.use("EL-F9")
        self.tell("  foretold: " + ", ".join(self.card_of(inst).name for inst in context.shown))
        yield from self._foretell_window(context)
        context.taken = 0
        if step.take_filter is not None:
            yield from self._take_foretold(step, context)
        yield from self._foretold_rest(context)

    def _foretell_window(self, context: Context) -> Flow[None]:
        """Cards that act inside a Foretell, one after the other, without a chain of their own."""
        done: list[Permanent] = []
        while True:
            options: dict[int, tuple[Permanent, Ability, Context]] = {}
            for p in self.on_field(context.seat):
                for i, ability in enumerate(p.card.abilities):
                    if ability.kind == "on" and ability.event == "foretell" and p not in done and self.working(p):
                        inner = Context(p.seat, p, p.inst, p.card, p.kind, shown=context.shown)
                        if self.can_activate(ability, inner):
                            options.setdefault(code(codes.USE, p.place, i), (p, ability, inner))
            if not options:
                return
            answer = yield from self.ask(context.seat, "EL-F9", [codes.DONE, *options])
            if answer == codes.DONE:
                return
            p, ability, inner = options[answer]
            done.append(p)
            yield from self.pay_costs(ability, inner)
            yield from self.carry_out(ability, inner)

    def _take_foretold(self, step: Step, context: Context) -> Flow[None]:
        me, f = self.players[context.seat], step.take_filter
        assert f is not None
        while step.high < 0 or context.taken < step.high:
            found = [i for i in context.shown if i in me.deck and self.fits(f, i, context.seat)]
            if not found:
                return
            options = [code(codes.TAKE, self.card_of(inst).number) for inst in found]
            if context.taken >= step.low:
                options.append(codes.DONE)
            answer = yield from self.ask(context.seat, "EL-F9", options)
            if answer == codes.DONE:
                return
            inst = self.by_number(found, split(answer)[1])
            me.deck.remove(inst)
            me.hand.append(inst)
            context.taken += 1
            self.tell(f"  {self.name(context.seat)} takes {self.card_of(inst).name}.")

    def _foretold_rest(self, context: Context) -> Flow[None]:
        me, way = self.players[context.seat], self.variant["foretell_rest"]
        rest = [inst for inst in context.shown if inst in me.deck]
        if way == "shuffle":
            self.shuffle(context.seat)
        elif way == "bottom":
            me.deck = [inst for inst in me.deck if inst not in rest] + rest
        elif way == "reorder":
            order: list[int] = []
            while len(order) < len(rest):
                left = [inst for inst in rest if inst not in order]
                options = [code(codes.PUT_BACK, self.card_of(inst).number) for inst in left]
                answer = yield from self.ask(context.seat, "EL-F9", options)
                order.append(self.by_number(left, split(answer)[1]))
            me.deck = order + [inst for inst in me.deck if inst not in rest]

    # steps on Spirits

    def _op_recover(self, step: Step, context: Context) -> Flow[None]:
        """Spirits from the Underworld back into the Spirit Deck, chosen by the player who gets them."""
        assert step.spirits is not None
        seat = context.seat if step.who == "own" else 1 - context.seat
        me, n = self.players[seat], 0
        for amount, mask in step.spirits.parts:
            for _ in range(self.amount(amount, context)):
                options = [code(codes.PAY, codes.PAY_UNDERWORLD, e) for e in range(8) if me.lost[e] and mask >> e & 1]
                if not options:
                    break
                if step.spirits.up_to:
                    options.append(codes.DONE)
                answer = yield from self.ask(seat, "EL-F18", options)
                if answer == codes.DONE:
                    break
                element = split(answer)[2]
                me.lost[element] -= 1
                me.spirits[element] += 1
                n += 1
        me.tally["recovered"] += n
        context.done = n > 0
        self.tell(f"  {self.name(seat)} takes back {n}: {me.life} left.")

    def _op_attach(self, step: Step, context: Context) -> Flow[None]:
        """Spirits from the Spirit Deck or the Underworld under a card."""
        assert step.spirits is not None
        assert step.subject is not None
        got: dict[int, tuple[Permanent, int]] = {}
        receiver = None if step.subject.split else (yield from self._receiver(step.subject, context))
        places = [codes.PAY_DECK if s == "sd" else codes.PAY_UNDERWORLD for s in step.source]
        n = 0
        for amount, mask in step.spirits.parts:
            for _ in range(self.amount(amount, context)):
                found = [(x, e) for x in places for e in range(8) if self.store(context.seat, x)[e] and mask >> e & 1]
                options = [code(codes.PAY, place, e) for place, e in found]
                if not options or (receiver is None and not step.subject.split):
                    break
                if step.spirits.up_to:
                    options.append(codes.DONE)
                answer = yield from self.ask(context.seat, "EL-F18", options)
                if answer == codes.DONE:
                    break
                _, place, element = split(answer)
                p = receiver if receiver is not None else (yield from self._receiver(step.subject, context))
                if p is None:
                    break
                self.put_under(p, [(place, element, self.take_spirit(context.seat, place, element))])
                got[id(p)] = (p, got.get(id(p), (p, 0))[1] | 1 << element)
                n += 1
        context.done = n > 0
        for p, elements in got.values():
            context.receiver = p
            self.tell(f"  {p.card.name} now has {letters([p.of(e) for e in range(8)])}.")
            self.receive(p, elements, context.as_source)

    def _receiver(self, subject: Subject, context: Context) -> Flow[Permanent | None]:
        found = self._receivers(self.on_subject(subject, context))
        if subject.how == "ref" or not found:
            return found[0] if found else None
        options = [code(codes.TARGET, self.place_code(context.seat, p)) for p in found]
        answer = yield from self.ask(context.seat, "EL-F18", options)
        return self.at(context.seat, split(answer)[1])

    def _op_nexus(self, step: Step, context: Context) -> Flow[None]:
        """EL-F11: Spirits from one own card to another at the same time."""
        ends = self._nexus_ends(step, context)
        context.done = False
        if not ends:
            return
        assert step.spirits is not None
        seat, mask = context.seat, self._mask(step)
        options = [code(codes.NEXUS_FROM, p.place) for p, _ in ends]
        if step.spirits.up_to:
            options.append(codes.DONE)
        answer = yield from self.ask(seat, "EL-F11", options)
        if answer == codes.DONE:
            return
        giver, takers = next((p, q) for p, q in ends if p.place == split(answer)[1])
        paid = yield from self._nexus_spirits(step, context, giver, mask)
        answer = yield from self.ask(seat, "EL-F11", [code(codes.NEXUS_TO, q.place) for q in takers])
        taker = self.at(seat, split(answer)[1])
        assert taker is not None
        self.put_under(taker, paid)
        for _, e, _ in paid:
            context.moved[e] += 1
        context.done = bool(paid)
        context.receiver = taker
        moved = letters([sum(e == k for _, e, _ in paid) for k in range(8)])
        self.tell(f"  Nexus of {moved} from {giver.card.name} to {taker.card.name}.")
        self._nexus_events(context, taker, paid)

    def _nexus_spirits(
        self, step: Step, context: Context, giver: Permanent, mask: int
    ) -> Flow[list[tuple[int, int, int]]]:
        assert step.spirits is not None
        place = giver.place + codes.PAY_FIELD
        n = giver.elements(mask)
        if not step.spirits.everything:
            n = min(n, sum(self.amount(amount, context) for amount, _ in step.spirits.parts))
        paid: list[tuple[int, int, int]] = []
        while len(paid) < n:
            options = [code(codes.PAY, place, e) for e in range(8) if giver.of(e) and mask >> e & 1]
            if step.spirits.up_to and paid:
                options.append(codes.DONE)
            answer = yield from self.ask(context.seat, "EL-F11", options)
            if answer == codes.DONE:
                break
            element = split(answer)[2]
            paid.append((place, element, self.take_spirit(context.seat, place, element)))
        return paid

    def _nexus_events(self, context: Context, taker: Permanent, paid: Sequence[tuple[int, int, int]]) -> None:
        self.settle_step()
        elements = sum({1 << e for _, e, _ in paid})
        if not taker.gone:
            self.receive(taker, elements, context.as_source, nexus=True)
        if paid and context.source is not None and not context.source.gone:
            moved = tuple(sum(e == k for _, e, _ in paid) for k in range(8))
            self.emit(Event("nexus.done", context.source, cause=context.as_source, moved=moved))

    def _op_nexusall(self, step: Step, context: Context) -> Flow[None]:
        """All Spirits of the own field go to one card, in one step."""
        taker = context.source
        if taker is None or taker.gone:
            context.done = False
            return
        elements = 0
        for p in self.on_field(context.seat):
            if p is taker or p.down or p.limbo or self.restricted(p, "nonexus"):
                continue
            for owner in (0, 1):
                for e, n in enumerate(p.spirits[owner]):
                    elements |= (1 << e) * bool(n)
                    context.moved[e] += n
                    taker.spirits[owner][e] += n
                    p.spirits[owner][e] = 0
        self.settle_step()
        context.done = elements > 0
        self.receive(taker, elements, context.as_source, nexus=True)
        return
        yield

    # steps that bring cards into play

    def _op_spcast(self, step: Step, context: Context) -> Flow[None]:
        """EL-C3: Special Cast, once or any number of times."""
        assert step.subject is not None
        n, high = 0, step.subject.high
        while high < 0 or n < high:
            found = self._casts(step, context)
            if not found:
                break
            options = [code(codes.SEARCH, self.card_of(inst).number, zone) for inst, zone in found]
            if n >= step.subject.low and step.subject.how == "pick":
                options.append(codes.DONE)
            answer = yield from self.ask(context.seat, "EL-C3", options)
            if answer == codes.DONE:
                break
            inst, zone = self.pick_found(found, answer)
            yield from self._special_cast(step, inst, zone, context)
            n += 1
        f = step.subject.filter
        if f is not None and "deck" in f.zones and n == 0:
            self.shuffle(context.seat)
        context.done = n > 0

    def _special_cast(self, step: Step, inst: int, zone: int, context: Context) -> Flow[None]:
        seat, card = context.seat, self.card_of(inst)
        tokens = self._cast_tokens(step, card, context)
        tax = self.tax(seat, "elestral", card)
        if tax:
            yield from self.pay_tax(seat, tax, tokens)
        paid = yield from self.pay(seat, tokens, "EL-C3")
        self.players[seat].tally["paid_cast"] += sum(place == codes.PAY_DECK for place, _, _ in paid)
        position = (ATTACK if step.pos == "A" else DEFENCE) if step.pos else (yield from self.position(seat))
        self.remove(seat, inst, zone)
        if zone == codes.DECK:
            self.shuffle(seat)
        p = self.put_body(seat, inst, self.free_place(seat, "elestral"), position, paid, limbo=False)
        self.tell(f"  {card.name} is Special Cast with {letters([p.of(e) for e in range(8)])}.")
        self.arrived(p, normal=False, special=True, old=None, cause=context.as_source)

    _op_ncast = _op_spcast  # only routes have this word, and they are carried out by the rulebook itself

    def _op_spasc(self, step: Step, context: Context) -> Flow[None]:
        """EL-C5: Special Ascend."""
        assert step.subject is not None
        bodies = self._ascending(step, context)
        context.done = bool(bodies)
        if not bodies:
            if step.take is not None and step.take.filter is not None and "deck" in step.take.filter.zones:
                self.shuffle(context.seat)
            return
        body = bodies[0]
        if step.subject.how == "pick":
            answer = yield from self.ask(context.seat, "EL-C5", [code(codes.TARGET, p.place) for p in bodies])
            body = next(p for p in bodies if p.place == split(answer)[1])
        found = self._ascensions(step, context, body)
        options = [code(codes.SEARCH, self.card_of(inst).number, zone) for inst, zone in found]
        answer = yield from self.ask(context.seat, "EL-C5", options)
        inst, zone = self.pick_found(found, answer)
        p = yield from self.ascend(body, inst, zone)
        self.settle_step()
        self.arrived(p, normal=False, special=True, old=body, cause=context.as_source)

    def _op_castrune(self, step: Step, context: Context) -> Flow[None]:
        """Cast a Rune by an effect."""
        found = self._rune_casts(step, context)
        context.done = bool(found)
        assert step.subject is not None
        assert step.subject.filter is not None
        if found:
            options = [code(codes.SEARCH, self.card_of(inst).number, zone) for inst, zone in found]
            answer = yield from self.ask(context.seat, "EL-F8", options)
            inst, zone = self.pick_found(found, answer)
            yield from self._cast_artifact(step, inst, zone, context, None)
        elif "deck" in step.subject.filter.zones:
            self.shuffle(context.seat)

    def _op_castas(self, step: Step, context: Context) -> Flow[None]:
        """EL-F19: cast an Elestral from the Underworld as its second face."""
        context.done = self._could_castas(step, context)
        if context.done:
            self.use("EL-F19")
            face = next(f for f in self.card_of(context.inst).faces if f.name == step.words[0])
            yield from self._cast_artifact(step, context.inst, codes.UNDERWORLD, context, face)

    def _cast_artifact(self, step: Step, inst: int, zone: int, context: Context, face: Ability | None) -> Flow[None]:
        seat, card = context.seat, self.card_of(inst)
        hosts = self._rune_hosts(step, context)
        kind = "artifact" if face is not None else card.kind
        host = hosts[0] if step.host else (yield from self.choose_host(seat, hosts))
        tokens = self._cast_tokens(step, card, context)
        tax = self.tax(seat, kind, card)
        if tax:
            yield from self.pay_tax(seat, tax, tokens)
        paid = yield from self.pay(seat, tokens, "EL-K1")
        self.players[seat].tally["paid_cast"] += sum(place == codes.PAY_DECK for place, _, _ in paid)
        self.remove(seat, inst, zone)
        if zone == codes.DECK:
            self.shuffle(seat)
        p = self.put_rune(seat, inst, self.free_place(seat, "rune"), kind, limbo=False)
        p.face, p.host = face, host
        self.put_under(p, paid)
        p.paid = sum({1 << e for _, e, _ in paid})
        self.tell(f"  {card.name} is cast as an Artifact on {host.card.name}.")
        self.arrived(p, normal=False, special=False, old=None, cause=context.as_source)

    def choose_host(self, seat: int, hosts: Sequence[Permanent]) -> Flow[Permanent]:
        """EL-R8: choose the Elestral that an Artifact Empowers."""
        answer = yield from self.ask(seat, "EL-R8", [code(codes.HOST, self.place_code(seat, p)) for p in hosts])
        p = self.at(seat, split(answer)[1])
        assert p is not None
        return p

    def _op_setfrom(self, step: Step, context: Context) -> Flow[None]:
        """Set a Counter from the Underworld; it counts as Set this turn."""
        assert step.subject is not None
        assert step.subject.filter is not None
        found = self.found(step.subject.filter, context)
        place = self.free_place(context.seat, "rune")
        context.done = bool(found) and place >= 0
        if context.done:
            options = [code(codes.SEARCH, self.card_of(inst).number, zone) for inst, zone in found]
            answer = yield from self.ask(context.seat, "EL-F8", options)
            inst, zone = self.pick_found(found, answer)
            self.remove(context.seat, inst, zone)
            p = self.put_rune(context.seat, inst, place, self.card_of(inst).kind, limbo=False)
            p.down, p.set_on = True, self.turn

    def _op_steal(self, step: Step, context: Context) -> Flow[None]:
        """EL-F10: control of a body for a time."""
        assert step.subject is not None
        found = yield from self.subjects(step.subject, context)
        context.done = False
        for p in found:
            place = self.free_place(context.seat, "elestral")
            if place < 0 or p.seat == context.seat:
                continue
            if p.home < 0:
                p.home = p.seat
            self.move(p, context.seat, place)
            context.done = True
            self.tell(f"  {self.name(context.seat)} takes control of {p.card.name}.")

    def move(self, p: Permanent, seat: int, place: int) -> None:
        """Move a card to a slot of another player."""
        self.players[p.seat].slots[p.place] = None
        p.seat, p.place = seat, place
        self.players[seat].slots[place] = p

    def _op_stealrune(self, step: Step, context: Context) -> Flow[None]:
        assert step.subject is not None
        found = yield from self.subjects(step.subject, context)
        for p in found:
            place = self.free_place(context.seat, "rune")
            if place >= 0:
                self.move(p, context.seat, place)

    # steps that hold other steps

    def _op_choose(self, step: Step, context: Context) -> Flow[None]:
        yield from self._either(step, context, context.seat)

    def _op_oppchoose(self, step: Step, context: Context) -> Flow[None]:
        yield from self._either(step, context, 1 - context.seat)

    def _either(self, step: Step, context: Context, seat: int) -> Flow[None]:
        able = [i for i, s in enumerate(step.steps) if self.could(s, context)]
        context.done = bool(able)
        if able:
            answer = yield from self.ask(seat, "EL-F16", [code(codes.CHOICE, i) for i in able])
            inner = step.steps[split(answer)[1]]
            yield from getattr(self, "_op_" + inner.op)(inner, context)

    def _op_delay(self, step: Step, context: Context) -> Flow[None]:
        """Do something in this turn's End Phase, for a cost if there is one."""
        assert context.card is not None
        ability = Ability("on", "ph.end(any)", costs=step.costs, steps=step.steps, must=not step.costs, text="delayed")
        self.delayed.append(
            Waiting(context.seat, None, context.inst, context.card, ability, 0, None, stays=False, context=context)
        )
        return
        yield


def helper_choice(spots: dict[tuple[int, int], int]) -> tuple[int, int]:
    """EL-K8: the payment helper: from the Spirit Deck if possible, of the most plentiful element."""
    place = min(p for p, _ in spots)
    here = {e: n for (p, e), n in spots.items() if p == place}
    return place, min(here, key=lambda e: (-here[e], e))


def hidden_name(p: Permanent) -> str:
    """Return a card's name for the story; a Set Rune stays unnamed."""
    return "a Set Rune" if p.down else p.card.name


def q_source(p: Permanent) -> Source:
    """Return a card as the source of its own effect."""
    return Source(p.seat, p.kind, p.card, p)


def describe(value: int, table: Any) -> str:
    """Return a decision code in words."""
    kind, a, b = split(value)
    names = {d.kind: d.name for d in codes.DECISIONS}
    if kind in (
        codes.CAST,
        codes.SET,
        codes.RUNE,
        codes.SEARCH,
        codes.DISCARD,
        codes.PUT_BACK,
        codes.TAKE,
        codes.ROUTE,
    ):
        return f"{names[kind]} {table.cards[a].name}"
    if kind in (codes.TRIGGER, codes.ASCEND):
        return f"{names[kind]} {table.cards[a].name} {b}"
    if kind in (codes.PAY, codes.DONOR):
        return f"{names[kind]} {ELEMENT_NAMES[b]} from {a}"
    return f"{names[kind]} {a} {b}".strip()
