"""The rules of Elestrals in plain Python: specification, referee and narrator.

One method for one rule, with its id; `RULES` says where each id comes from. The course of a game is one generator that
yields an `Ask` wherever a player decides, so that the text below reads in the order in which a game is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim import rng
from sim.engine import ENDS
from sim.game import IllegalMoveError, code, split
from sim.games.elestrals import cards, codes
from sim.games.elestrals.language import ANY, Ability
from sim.games.elestrals.numbers import (
    EARLY,
    LOSS_REASONS,
    MAX_ACTIONS,
    MAX_DECISIONS,
    MAX_DECLARATIONS,
    MAX_LINKS,
    deck_of,
)
from sim.games.elestrals.rulebook_effects import ATTACK, DEFENCE, Ask, Effects, Flow, LostError, StoppedError, describe
from sim.games.elestrals.rulebook_table import Context, Event, Link, Permanent, Player, Token, Waiting, letters
from sim.variant import Variant

WHOLE = 27720  # shares are stored in 27,720ths

# Rule id -> (section of the How-to-Play text, what it says in our words).
RULES: dict[str, tuple[str, str]] = {
    "EL-D1": ("Beginning a Game", "A Main deck has exactly forty cards."),
    "EL-D2": ("Beginning a Game", "A Spirit deck has exactly twenty Spirits of any elements."),
    "EL-D3": ("Beginning a Game", "At most three copies of one card."),
    "EL-S1": ("Beginning a Game", "The Main deck is shuffled, and again after each Search; the Spirit deck never is."),
    "EL-S2": ("Beginning a Game", "A random player, or the loser of the game before, decides who starts."),
    "EL-S4": ("Beginning a Game", "Each player draws five cards."),
    "EL-S5": ("Beginning a Game", "A mulligan costs two Spirits; the hand is shuffled in and five cards are drawn."),
    "EL-S6": ("Beginning a Game", "The first turn of the game has no Draw Phase and no Battle Phase."),
    "EL-P1": ("Draw Phase", "The turn player draws a card."),
    "EL-P2": ("Draw Phase", "Then effects of the Draw Phase and Counters may be used until nobody wants to."),
    "EL-P3": ("End Phase", "What lasts until the next turn ends when that turn begins."),
    "EL-P4": ("End Phase", "Effects of the End Phase and Counters may be used until nobody wants to."),
    "EL-M1": ("Main Phase", "One Normal Action each turn: cast, Ascend, Enchant, or Expend to draw."),
    "EL-M2": ("Main Phase", "A Normal Cast: an Elestral of cost one from the hand with one Spirit."),
    "EL-M3": ("Main Phase", "Enchant one Spirit to an own Elestral."),
    "EL-M4": ("Main Phase", "Set Runes other than Stadiums, without Spirits."),
    "EL-M5": ("Main Phase", "Change a position, once for each Elestral that was not cast this turn."),
    "EL-M6": ("Main Phase", "Expend one Spirit to draw one card."),
    "EL-M7": ("Main Phase", "Use each ability that says so once on each own turn."),
    "EL-C1": ("Zones", "Four slots for Elestrals; with all full, only Ascending is possible."),
    "EL-C2": ("Main Phase", "A cast waits in Limbo for answers; negated, card and Spirits go to the Underworld."),
    "EL-C3": ("Main Phase", "A Special Cast: by an effect, with Spirits until the cost is met."),
    "EL-C4": ("Main Phase", "An Ascend: one new Spirit and any Spirits of own Elestrals go under the new body."),
    "EL-C5": ("Main Phase", "A Special Ascend is the same without the Normal Action."),
    "EL-C6": ("reading", "A Special Ascend counts as a Special Cast."),
    "EL-C7": ("Main Phase", "The body that is replaced goes to the Underworld; effects on Ascending follow."),
    "EL-C8": ("Elestrals", "Some cards name another way into play."),
    "EL-R1": ("Zones", "Four slots for Runes other than Stadiums."),
    "EL-R2": ("Main Phase", "Runes are cast from the hand, or after they were Set on an earlier turn."),
    "EL-R3": ("Main Phase", "The Normal Action Enchants Elestrals only: a Divine is not loaded again by it."),
    "EL-R4": ("Runes", "A Counter is Set for a turn first and may then be cast in either player's turn."),
    "EL-R5": ("Main Phase", "A Stadium sends the one that is there away before anybody answers."),
    "EL-R6": ("Zones", "With a full row an Invoke may take the place of an own Rune, whose Spirits may pay for it."),
    "EL-R7": ("Runes", "An Artifact goes when its Elestral leaves the field."),
    "EL-R8": ("Main Phase", "The caster of an Artifact chooses the Elestral that it Empowers."),
    "EL-K1": ("Main Phase", "A cost is paid exactly; Instants may be paid from the field."),
    "EL-K2": ("Elestrals", "A card works while its Spirits meet its cost."),
    "EL-K3": ("Elestrals", "A card with fewer Spirits than it costs goes to the Underworld."),
    "EL-K4": ("reading", "An Elestral may be Normal Cast or Ascend with Spirits that do not fit its cost."),
    "EL-K5": ("reading", "A Rune with enough Spirits of the wrong kind stays without effect."),
    "EL-K6": ("reading", "A cost for which there are too few Spirits cannot be chosen."),
    "EL-K7": ("Main Phase", "When a card leaves the field, its Spirits go to their owners' Underworlds."),
    "EL-K8": ("Beginning a Game", "The player chooses which Spirits to Expend."),
    "EL-K9": ("card", "A tax is Expended on top of a cost."),
    "EL-F1": ("Elestrals", "What is always true holds while its card works."),
    "EL-F2": ("reading", "A card that is named as in play is face up and correctly Enchanted, on either side."),
    "EL-F3": ("reading", "Attack and defence: base values, swaps, then bonuses; never below zero."),
    "EL-F4": ("Main Phase", "Targets are chosen on activation; what cannot be done any more is left out."),
    "EL-F5": ("reading", "What lasts while its source stays ends when the source leaves or is Misenchanted."),
    "EL-F6": ("Glossary, Enchant", "A card receives Spirits by Enchanting and by a Nexus, not by its own cast."),
    "EL-F7": (
        "reading",
        "An effect is offered when its costs can be paid, its targets exist and some step can work.",
    ),
    "EL-F8": ("Glossary, Search", "A Search shows the card to all and is followed by a shuffle."),
    "EL-F9": ("card", "A Foretell shows the top cards of the deck."),
    "EL-F10": ("card", "Control of a body is borrowed until the next turn begins."),
    "EL-F11": ("Nexus", "A Nexus moves Spirits between two different own cards at the same time."),
    "EL-F12": ("card", "A Suppressed card has no effects; its stats stay."),
    "EL-F13": ("card", "A card may be safe from the targets or the effects of other cards."),
    "EL-F14": ("card", "A card may be safe from being destroyed."),
    "EL-F15": ("card", "Something else may happen instead of being destroyed."),
    "EL-F16": ("Main Phase", "The steps of an effect happen in order."),
    "EL-F17": ("card", "Cards are discarded, put back or taken as an effect says."),
    "EL-F18": ("card", "Spirits are taken back or put under cards as an effect says."),
    "EL-F19": ("card", "Some Elestrals are cast from the Underworld as an Artifact."),
    "EL-B1": ("Battle Phase", "Each Elestral in Attack Position attacks once; bodies before the Spirit Deck."),
    "EL-B3": ("Battle Phase", "An attack that is no longer legal is taken back."),
    "EL-B4": ("Battle Phase", "A negated attack is used up."),
    "EL-B5": ("Battle Phase", "From entering battle on, the positions of the two are frozen."),
    "EL-B6": ("Battle Phase", "Against Attack Position the smaller attack is destroyed, equal ones both."),
    "EL-B7": ("Battle Phase", "A lone survivor battles the other side's Spirit Deck."),
    "EL-B8": ("Battle Phase", "Against Defence Position attack must beat defence; nobody Expends."),
    "EL-B9": ("card", "Piercing makes the destroyed defender's player Expend."),
    "EL-B10": ("card", "An attacker in Defence Position fights with its defence."),
    "EL-B11": ("reading", "A body that survives a lost battle costs no difference."),
    "EL-B12": ("Battle Phase", "A battle with the Spirit Deck costs as many Spirits as lie under the attacker."),
    "EL-B13": ("Battle Phase", "An attack of zero destroys nothing and takes nothing."),
    "EL-B14": ("Battle Phase", "Who loses a body with fewer Spirits than the other's Expends the difference."),
    "EL-H1": ("Chains", "Casts, Sets, attacks and activations are answered in a chain."),
    "EL-H2": ("Chains", "Players add links in turn, the turn player first, until both pass."),
    "EL-H3": ("Chains", "A Counter may start a chain."),
    "EL-H4": ("reading", "A Search inside an effect opens no chain of its own."),
    "EL-H5": ("Chains", "Conditional effects wait for the next chain."),
    "EL-H6": (
        "reading",
        "A conditional effect is lost when its card left or works no more; unless that is the event.",
    ),
    "EL-H7": ("reading", "A Counter that speaks of an arrival comes after the cast, before the next action."),
    "EL-H8": ("Chains", "A closed chain resolves newest link first."),
    "EL-H9": ("Chains", "A negated action is spent and does nothing."),
    "EL-X1": ("Beginning a Game", "Spirits that must be Expended are lost down to zero without losing."),
    "EL-X2": ("Beginning a Game", "Who must Expend with an empty Spirit Deck has lost."),
    "EL-X3": ("Beginning a Game", "Who must draw from an empty deck has lost."),
    "EL-X4": ("reading", "After a number of turns the game is a draw."),
}


class Rulebook(Effects):
    """One game, or one match of several, played decision by decision.

    Parameters
    ----------
    variant
        The switches and numbers.
    seats
        For each seat its `side` (number, name or a deck), `packet` and `off` mask: bit i stands for the i-th distinct
        card of the seat's own deck.
    chance
        All the chance of the deal.
    """

    def __init__(self, variant: Variant, seats: Sequence[Any], chance: Any) -> None:
        super().__init__(variant)
        self.seats, self.chance = seats, chance
        self.over = False
        self.actor = 0
        self.game = 0
        self.wins = [0, 0]
        self.end = ""
        self.reasons = [0, 0]
        self.turns = 0
        self.lead_changes = 0
        self.leader = 0
        self.ahead = 0
        self.early = False
        self.starter = 0
        self.decisions = 0
        self._question = Ask(0, "", [])
        self._flow = self._match()
        self._go(None)

    # -------------------------------------------------------------------------------------------- the protocol

    def options(self) -> list[int]:
        """Return the codes that the actor may choose, ascending."""
        return list(self._question.options)

    def apply(self, value: int) -> None:
        """Carry out one of them; raise IllegalMoveError with the rule id otherwise."""
        if self.over or value not in self._question.options:
            rule = self._question.rule or "EL-X1"
            raise IllegalMoveError(f"{rule}: {describe(value, self)} is not among the options.")
        self.decisions += 1
        self._go(value)

    def _go(self, value: int | None) -> None:
        try:
            self._question = next(self._flow) if value is None else self._flow.send(value)
            self.actor = self._question.seat
            if self.decisions >= MAX_DECISIONS:
                raise StoppedError
        except StopIteration:
            self._finish()
        except StoppedError:
            self.end = "stopped"
            self._finish()

    def _finish(self) -> None:
        self.over = True
        self._question = Ask(self.actor, "", [])

    @property
    def rule(self) -> str:
        """The rule that asks the next decision."""
        return self._question.rule

    # -------------------------------------------------------------------------------------------- a match

    def _match(self) -> Flow[None]:
        """EL-S2: games until somebody has won enough; the loser decides who starts the next one."""
        chooser = -1
        while True:
            self._lay_out()
            loser = yield from self._one_game(chooser)
            if loser < 0:
                return
            self.wins[1 - loser] += 1
            if max(self.wins) >= self.variant["match_wins"]:
                return
            chooser = loser
            self.game += 1

    def _lay_out(self) -> None:
        """EL-D1, EL-D2: forty cards and the Spirits of each deck."""
        tallies = [p.tally for p in self.players]
        self.players = []
        for seat, setup in enumerate(self.seats):
            deck = deck_of(setup.side, self.variant)
            known = [self.by_name[name] for name in deck.list]
            player = Player(seat, setup.packet, setup.side, deck, int(setup.off), known)
            player.deck = [seat * cards.DECK_CARDS + i for i in range(len(deck.list))]
            player.spirits = list(cards.spirits_of(deck, self.variant["starting_spirits"]))
            player.lost = [0] * 8
            if tallies:
                player.tally = tallies[seat]
            self.players.append(player)
        self.turn, self.phase = 0, "setup"
        self.links, self.locks, self.frozen = [], [], []
        self.waiting, self.delayed, self.arrivals = [], [], []
        self.use("EL-D1")
        self.use("EL-D2")
        self.use("EL-D3")

    def _one_game(self, chooser: int) -> Flow[int]:
        """Play one game and return the seat that lost it, -1 for a draw."""
        try:
            yield from self._setup(chooser)
            while self.turn < self.variant["turn_cap"]:
                yield from self._turn()
                self.active = 1 - self.active
            self.use("EL-X4")
            self.end = "cap"
            self.tell("The game is a draw: too many turns.")
            return -1
        except LostError as lost:
            self.end = "won"
            self.reasons[lost.seat] = LOSS_REASONS.index(lost.reason)
            self.tell(f"{self.name(lost.seat)} has lost: {lost.reason}.")
            return lost.seat
        finally:
            self.turns += self.turn
            self.early = self.early or (self.game == 0 and self.turn <= EARLY)

    # -------------------------------------------------------------------------------------------- setup

    def _setup(self, chooser: int) -> Flow[None]:
        self.active = 0
        self.active = yield from self._who_starts(chooser)
        if self.game == 0:
            self.starter = self.active
        order = (self.active, 1 - self.active)
        for seat in order:
            self.shuffle(seat)
        for seat in order:
            self.use("EL-S4")
            self.draw(seat, self.variant["opening_hand"])
        for seat in order:
            yield from self._mulligans(seat)

    def _who_starts(self, chooser: int) -> Flow[int]:
        """EL-S2: who decides who plays first, and what they decide."""
        way = self.variant["first"]
        draw = self.chance.stream(self.game, rng.SETUP).below(0, 2)
        if chooser < 0:
            if way != "chosen":
                self.use("EL-S2")
                return 0 if way == "seat" else draw
            chooser = draw
        answer = yield from self.ask(chooser, "EL-S2", [code(codes.FIRST, 0), code(codes.FIRST, 1)])
        return chooser if split(answer)[1] else 1 - chooser

    def _mulligans(self, seat: int) -> Flow[None]:
        """EL-S5: as many mulligans as a player wants and can pay."""
        me, price = self.players[seat], self.variant["mulligan_price"]
        for _ in range(self.variant["max_mulligans"]):
            if me.life < price + self.variant["mulligan_floor"] or not me.hand:
                return
            answer = yield from self.ask(seat, "EL-S5", [codes.DONE, code(codes.MULLIGAN)])
            if answer == codes.DONE:
                return
            paid = yield from self.pay(seat, [Token(ANY, (codes.PAY_DECK,))] * price, "EL-K8")
            self.bury(paid)
            me.tally["paid_mulligan"] += price
            me.tally["mulligans"] += 1
            me.deck += me.hand
            me.hand = []
            self.shuffle(seat)
            self.draw(seat, self.variant["opening_hand"])
            self.tell(f"{self.name(seat)} takes a mulligan: {me.life} Spirits left.")

    # -------------------------------------------------------------------------------------------- a turn

    def _turn(self) -> Flow[None]:
        self._begin_turn()
        opening = self.turn == 1
        if not opening or self.variant["first_turn_draw"]:
            yield from self._draw_phase()
        else:
            self.use("EL-S6")
        yield from self._main_phase()
        if not opening or self.variant["first_turn_battle"]:
            yield from self._battle_phase()
        yield from self._end_phase()
        self._count_lead()

    def _count_lead(self) -> None:
        gap = self.players[0].life - self.players[1].life
        leader = (gap > 0) - (gap < 0)
        if leader and self.leader and leader != self.leader:
            self.lead_changes += 1
        self.leader = leader or self.leader
        if self.turn == EARLY and self.game == 0:
            self.ahead = leader

    def _begin_turn(self) -> None:
        """EL-P3: a new turn begins: durations end, borrowed bodies go home, everything may be used again."""
        self.turn += 1
        self.actions = 0
        me = self.players[self.active]
        self.tell(f"Turn {self.turn}: {self.name(self.active)}, {me.life} Spirits, {len(me.hand)} cards in hand.")
        self.use("EL-P3")
        self.delayed = []
        self.locks = [c for c in self.locks if self.holds_on(c)]
        for player in self.players:
            player.foretold = 0
        me.normal_actions = self.variant["normal_actions"]
        for p in list(self.on_field()):
            p.changes = [c for c in p.changes if self.holds_on(c)]
            p.attacks = p.declared = p.kills = 0
            p.used.clear()
            p.no_damage = False
            p.state_done = -1
        for p in list(self.on_field()):
            if p.home >= 0:
                self._go_home(p)

    def _go_home(self, p: Permanent) -> None:
        """EL-F10: a borrowed body goes back, or to the Underworld if its row is full."""
        place = self.free_place(p.home, "elestral")
        self.use("EL-F10")
        if place >= 0:
            self.move(p, p.home, place)
            p.home = -1
        elif self.variant["steal_home_full"] == "underworld":
            self.leave(p)
            self.settle()

    def _draw_phase(self) -> Flow[None]:
        """EL-P1: draw, then the window of the Draw Phase."""
        self.phase = "draw"
        self.use("EL-P1")
        self.draw(self.active, self.variant["cards_per_draw_phase"])
        yield from self._window("EL-P2")

    def _end_phase(self) -> Flow[None]:
        """EL-P4: effects of the End Phase, then its window."""
        self.phase = "end"
        self.emit(Event("ph.end", seat=self.active))
        self.waiting += self.delayed
        self.delayed = []
        yield from self._follow()
        yield from self._window("EL-P4")

    def _window(self, rule: str) -> Flow[None]:
        """Both players may start chains until neither wants to."""
        while True:
            self.links = []
            yield from self._respond(rule, opening=True)
            if not self.links:
                return
            yield from self._resolve()
            yield from self._follow()

    # -------------------------------------------------------------------------------------------- Main Phase

    def _main_phase(self) -> Flow[None]:
        """Actions in any order, none of them with an open chain."""
        self.phase = "main"
        while True:
            yield from self._state_effects()
            if self.actions >= MAX_ACTIONS:
                raise StoppedError
            answer = yield from self.ask(self.active, "EL-M1", self.main_options())
            if answer == code(codes.NEXT):
                return
            self.actions += 1
            yield from self._main_action(answer)
            self.settle()
            yield from self._follow()

    def main_options(self) -> list[int]:
        """Return every action of the Main Phase."""
        seat = self.active
        options = [code(codes.NEXT)]
        if self.players[seat].normal_actions > 0:
            options += self._normal_actions(seat)
        options += self._sets(seat) + self._position_changes(seat)
        options += self._rune_options(seat) + self._uses(seat, "main") + self._routes(seat)
        return options

    def _normal_actions(self, seat: int) -> list[int]:
        """EL-M1: Normal Cast, Normal Ascend, Enchant, Expend to draw."""
        me = self.players[seat]
        options = []
        for inst in me.hand:
            card = self.card_of(inst)
            if not card.is_elestral:
                continue
            if self._can_normal_cast(seat, card):
                options.append(code(codes.CAST, card.number))
            for body in self.bodies(seat):
                if self.can_ascend(body, inst):
                    options.append(code(codes.ASCEND, card.number, body.place))
        if me.life >= 1:
            if any(p.kind == "divine" and not p.down for p in self.on_field(seat)):
                self.use("EL-R3")
            options += [code(codes.ENCHANT, p.place) for p in self.bodies(seat) if not self.restricted(p, "noench")]
            if me.deck:
                options.append(code(codes.DRAW))
        return options

    def _normal_cast_tokens(self, card: cards.Card) -> list[Token]:
        """EL-K4: the Spirits of a Normal Cast may be of the wrong kind, if the variant says so."""
        if self.variant["misenchanted_cast"]:
            return [Token(ANY, (codes.PAY_DECK,))] * card.total
        return self.cost_tokens(card.cost, (codes.PAY_DECK,))

    def _can_normal_cast(self, seat: int, card: cards.Card) -> bool:
        """EL-M2: cost one, an empty slot, a Spirit."""
        if card.total > self.variant["normal_cast_cost"]:
            return False
        if self.free_place(seat, "elestral") < 0:
            self.use("EL-C1")
            return False
        tax = [Token(ANY, (codes.PAY_DECK,))] * self.tax(seat, "elestral", card)
        return not self.locked(seat, "elestral", card) and self.payable(seat, [*tax, *self._normal_cast_tokens(card)])

    def _sets(self, seat: int) -> list[int]:
        """EL-M4: Runes that may be Set."""
        if self.free_place(seat, "rune") < 0:
            self.use("EL-R1")
            return []
        options = []
        for inst in self.players[seat].hand:
            card = self.card_of(inst)
            if card.kind in cards.RUNES and card.kind != "stadium":
                if self.variant["set_is_play"]:
                    tax = [Token(ANY, (codes.PAY_DECK,))] * self.tax(seat, card.kind, card)
                    if self.locked(seat, card.kind, card) or not self.payable(seat, tax):
                        continue
                options.append(code(codes.SET, card.number))
        return options

    def _position_changes(self, seat: int) -> list[int]:
        """EL-M5: bodies that may turn."""
        return [
            code(codes.TURN, p.place)
            for p in self.bodies(seat)
            if p.arrived < self.turn and p.turned < self.turn and not self.restricted(p, "nopos")
        ]

    def _rune_options(self, seat: int) -> list[int]:
        """EL-R2, EL-R4: Runes that may be cast in the own Main Phase."""
        options = []
        for inst in self.players[seat].hand:
            card = self.card_of(inst)
            if card.kind in cards.RUNES and card.kind != "counter" and self._rune_ready(seat, inst, None):
                options.append(code(codes.RUNE, card.number))
        for p in self.on_field(seat):
            if p.down and p.set_on < self.turn and p.kind != "counter" and self._rune_ready(seat, p.inst, p):
                options.append(code(codes.CAST_SET, p.place))
        return options + self._counters(seat)

    def _rune_places(self, seat: int, kind: str) -> tuple[int, ...]:
        """EL-K1: where the Spirits of a Rune may come from."""
        if kind in cards.INSTANTS:
            return (codes.PAY_DECK, *self.field_places(seat))
        return (codes.PAY_DECK,)

    def _play_ability(self, inst: int) -> Ability | None:
        """Return the text of an Instant; none if it is switched off."""
        if self.blank(inst):
            return None
        return next((a for a in self.card_of(inst).abilities if a.kind == "play"), None)

    def _rune_tokens(self, seat: int, card: cards.Card) -> tuple[list[Token], list[Token]]:
        tax = [Token(ANY, (codes.PAY_DECK,))] * self.tax(seat, card.kind, card)
        return tax, self.cost_tokens(card.cost, self._rune_places(seat, card.kind))

    def _rune_ready(self, seat: int, inst: int, p: Permanent | None, context: Context | None = None) -> bool:
        """Say whether a Rune may be cast now, from the hand (`p` None) or from Set."""
        card = self.card_of(inst)
        if self.locked(seat, card.kind, card, p):
            return False
        if p is None and self.free_place(seat, "stadium" if card.kind == "stadium" else "rune") < 0:
            if card.kind != "invoke" or not self._may_give_up(seat):
                return False
        if card.kind == "artifact" and not self.bodies(seat):
            return False
        tax, tokens = self._rune_tokens(seat, card)
        ability = self._play_ability(inst) if card.kind in cards.INSTANTS else None
        if ability is None:
            return self.payable(seat, [*tax, *tokens])
        if context is None:
            context = Context(seat, p, inst, card, card.kind)
        if not self.holds(ability.condition, context):
            return False
        return self.payable(seat, [*tax, *tokens]) and self.can_activate(ability, context, [*tax, *tokens])

    def _may_give_up(self, seat: int) -> list[Permanent]:
        """EL-R6: own Runes that may make room for an Invoke."""
        row = [p for p in self.on_field(seat) if codes.RUNES <= p.place < codes.STADIUM and not p.limbo]
        return [p for p in row if self.variant["give_up_face_down"] or not p.down]

    def _uses(self, seat: int, phase: str) -> list[int]:
        """EL-M7: abilities that may be used once a turn, in the Main Phase or in the phase that they name."""
        options = []
        for p in self.on_field(seat):
            if p.down or p.limbo or p.face is not None:
                continue
            for i, ability in enumerate(p.card.abilities):
                if ability.kind == "act" and self._act_in(ability, phase) and p.used.get(i, 0) < ability.limit:
                    context = Context(seat, p, p.inst, p.card, p.kind)
                    if self.working(p) and self.holds(ability.condition, context):
                        if self.can_activate(ability, context):
                            options.append(code(codes.USE, p.place, i))
        return options

    def _act_in(self, ability: Ability, phase: str) -> bool:
        if ability.at != "field":
            return False
        if ability.window is None:
            return phase == "main"
        return ability.window.word == "phase " + phase

    def _routes(self, seat: int) -> list[int]:
        """EL-C8: ways into play that a card in hand names."""
        options = []
        for inst in self.players[seat].hand:
            card = self.card_of(inst)
            for i, ability in enumerate(card.abilities):
                if ability.kind != "route" or (ability.normal and self.players[seat].normal_actions < 1):
                    continue
                if not self.blank(inst) and self._route_ready(seat, inst, ability):
                    options.append(code(codes.ROUTE, card.number, i))
        return options

    def _route_ready(self, seat: int, inst: int, ability: Ability) -> bool:
        context = Context(seat, None, inst, self.card_of(inst), "elestral")
        if not self.holds(ability.condition, context):
            return False
        step = ability.steps[0]
        tokens = [t for group in self.cost_groups(ability, context) for t in group]
        if ability.over is not None:
            return bool(self._route_bodies(seat, inst, ability, tokens))
        card = self.card_of(inst)
        tax = [Token(ANY, (codes.PAY_DECK,))] * self.tax(seat, "elestral", card)
        cast = self._cast_tokens(step, card, context)
        return self.can_special_cast(step, inst, context) and self.payable(seat, [*tax, *cast, *tokens])

    def _route_bodies(self, seat: int, inst: int, ability: Ability, tokens: Sequence[Token]) -> list[Permanent]:
        assert ability.over is not None
        return [
            p for p in self.bodies(seat) if self.matches(ability.over, p, seat) and self.can_ascend(p, inst, tokens)
        ]

    def _main_action(self, value: int) -> Flow[None]:
        """Carry out an action of the Main Phase."""
        kind, a, b = split(value)
        seat, me = self.active, self.players[self.active]
        if kind in (codes.CAST, codes.ASCEND, codes.ENCHANT, codes.DRAW):
            me.normal_actions -= 1
        if kind == codes.CAST:
            yield from self._normal_cast(seat, self.by_number(me.hand, a))
        elif kind == codes.ASCEND:
            yield from self._normal_ascend(seat, self.by_number(me.hand, a), b)
        elif kind == codes.ENCHANT:
            yield from self._enchant(seat, a)
        elif kind == codes.DRAW:
            yield from self._expend_to_draw(seat)
        elif kind == codes.SET:
            yield from self._set(seat, self.by_number(me.hand, a))
        elif kind == codes.TURN:
            self._change_position(seat, a)
        elif kind == codes.RUNE:
            yield from self._start_rune(seat, self.by_number(me.hand, a), None)
        elif kind == codes.CAST_SET:
            p = self.at(seat, a)
            assert p is not None
            yield from self._start_rune(seat, p.inst, p)
        elif kind == codes.USE:
            yield from self._start_use(seat, a, b)
        else:
            yield from self._route(seat, self.by_number(me.hand, a), b)

    def _normal_cast(self, seat: int, inst: int) -> Flow[None]:
        """EL-M2: a Normal Cast, up to its chain."""
        card = self.card_of(inst)
        self.use("EL-M2")
        tokens = self._normal_cast_tokens(card)
        tax = self.tax(seat, "elestral", card)
        if tax:
            yield from self.pay_tax(seat, tax, tokens)
        paid = yield from self.pay(seat, tokens, "EL-M2")
        self.players[seat].tally["paid_cast"] += len(paid)
        position = yield from self.position(seat)
        self.players[seat].hand.remove(inst)
        p = self.put_body(seat, inst, self.free_place(seat, "elestral"), position, paid, limbo=True)
        if not self.correct(p):
            self.use("EL-K4")
        self.tell(
            f"{self.name(seat)} casts {card.name} with {letters([p.of(e) for e in range(8)])}"
            f" in {'Attack' if position == ATTACK else 'Defence'} Position."
        )
        yield from self._chain(Link("cast", seat, p, normal=True))

    def _normal_ascend(self, seat: int, inst: int, place: int) -> Flow[None]:
        """EL-C4: a Normal Ascend, up to its chain."""
        body = self.at(seat, place)
        assert body is not None
        p = yield from self.ascend(body, inst, codes.HAND)
        self.settle_step()
        yield from self._chain(Link("ascend", seat, p, old=body, normal=True))

    def _enchant(self, seat: int, place: int) -> Flow[None]:
        """EL-M3: Enchant one Spirit."""
        p = self.at(seat, place)
        assert p is not None
        self.use("EL-M3")
        paid = yield from self.pay(seat, [Token(ANY, (codes.PAY_DECK,))], "EL-M3")
        self.players[seat].tally["paid_cast"] += 1
        self.put_under(p, paid)
        self.tell(f"{self.name(seat)} Enchants {p.card.name}: {letters([p.of(e) for e in range(8)])}.")
        self.receive(p, 1 << paid[0][1], None)

    def _expend_to_draw(self, seat: int) -> Flow[None]:
        """EL-M6: Expend one Spirit and draw a card."""
        self.use("EL-M6")
        paid = yield from self.pay(seat, [Token(ANY, (codes.PAY_DECK,))], "EL-M6")
        self.bury(paid)
        self.players[seat].tally["paid_cost"] += 1
        self.tell(f"{self.name(seat)} Expends a Spirit to draw a card.")
        self.draw(seat, 1)

    def _set(self, seat: int, inst: int) -> Flow[None]:
        """EL-M4: Set a Rune; it waits a turn."""
        card = self.card_of(inst)
        self.use("EL-M4")
        if self.variant["set_is_play"]:
            tax = self.tax(seat, card.kind, card)
            if tax:
                yield from self.pay_tax(seat, tax, ())
        self.players[seat].hand.remove(inst)
        p = self.put_rune(seat, inst, self.free_place(seat, "rune"), card.kind, limbo=False)
        p.down, p.set_on = True, self.turn
        self.tell(f"{self.name(seat)} Sets a Rune.")
        yield from self._chain(Link("set", seat, p))

    def _change_position(self, seat: int, place: int) -> None:
        """EL-M5: turn a body."""
        p = self.at(seat, place)
        assert p is not None
        self.use("EL-M5")
        p.position = 1 - p.position
        p.turned = self.turn
        self.tell(
            f"{self.name(seat)} turns {p.card.name} to {'Attack' if p.position == ATTACK else 'Defence'} Position."
        )

    def _route(self, seat: int, inst: int, index: int) -> Flow[None]:
        """EL-C8: a card comes into play by the way that it names."""
        card = self.card_of(inst)
        ability = card.abilities[index]
        self.use("EL-C8")
        self.used_card(card, ability)
        context = Context(seat, None, inst, card, "elestral")
        if ability.over is not None:
            tokens = [t for group in self.cost_groups(ability, context) for t in group]
            bodies = self._route_bodies(seat, inst, ability, tokens)
            answer = yield from self.ask(seat, "EL-C8", [code(codes.TARGET, p.place) for p in bodies])
            body = self.at(seat, split(answer)[1])
            assert body is not None
            later = [Token(ANY, (codes.PAY_DECK,))] * self.tax(seat, "elestral", card)
            later.append(self.new_spirit(seat, card, tokens))
            yield from self.pay_costs(ability, context, rest=later)
            p = yield from self.ascend(body, inst, codes.HAND)
            self.settle_step()
            yield from self._chain(Link("ascend", seat, p, old=body, special=True))
            return
        step = ability.steps[0]
        tokens = self._cast_tokens(step, card, context)
        tax = self.tax(seat, "elestral", card)
        if tax:
            costs = [t for group in self.cost_groups(ability, context) for t in group]
            yield from self.pay_tax(seat, tax, [*tokens, *costs])
        paid = yield from self.pay_costs(ability, context, tokens)
        self.players[seat].tally["paid_cast"] += len(paid)
        position = (ATTACK if step.pos == "A" else DEFENCE) if step.pos else (yield from self.position(seat))
        self.players[seat].hand.remove(inst)
        p = self.put_body(seat, inst, self.free_place(seat, "elestral"), position, paid, limbo=True)
        self.settle_step()
        self.tell(f"{self.name(seat)} {'Normal' if ability.normal else 'Special'} Casts {card.name} by its own way.")
        if ability.normal:
            self.players[seat].normal_actions -= 1
        yield from self._chain(Link("cast", seat, p, normal=ability.normal, special=not ability.normal))

    def _start_rune(self, seat: int, inst: int, p: Permanent | None) -> Flow[None]:
        """Cast a Rune as the base of a chain."""
        self.links = []
        link = yield from self._cast_rune(seat, inst, p, None)
        yield from self._chain(link)

    def _start_use(self, seat: int, place: int, index: int) -> Flow[None]:
        """Use an ability as the base of a chain."""
        self.links = []
        link = yield from self._use(seat, place, index)
        yield from self._chain(link)

    def _use(self, seat: int, place: int, index: int) -> Flow[Link]:
        """EL-M7: pay for an ability, choose its targets and put it onto the chain."""
        p = self.at(seat, place)
        assert p is not None
        ability = p.card.abilities[index]
        self.use("EL-M7")
        p.used[index] = p.used.get(index, 0) + 1
        self.tell(f"{self.name(seat)} uses {p.card.name}.")
        context = Context(seat, p, p.inst, p.card, p.kind)
        yield from self.pay_costs(ability, context)
        yield from self.choose_targets(ability, context)
        self.settle_step()
        return Link("ability", seat, p, ability, context)

    def _cast_rune(self, seat: int, inst: int, p: Permanent | None, context: Context | None) -> Flow[Link]:
        """EL-R2: pay for a Rune, put it into its slot, choose host and targets, put it onto the chain."""
        card = self.card_of(inst)
        self.use("EL-R4" if card.kind == "counter" else "EL-R2")
        if card.kind == "counter" and not self.links:
            self.use("EL-H3")
        ability = self._play_ability(inst) if card.kind in cards.INSTANTS else None
        if context is None:
            context = Context(seat, p, inst, card, card.kind)
        given = None
        if p is None and card.kind != "stadium" and self.free_place(seat, "rune") < 0:
            given = yield from self._give_up(seat)
        tax, tokens = self._rune_tokens(seat, card)
        if tax:
            costs = [] if ability is None else [t for group in self.cost_groups(ability, context) for t in group]
            yield from self.pay_tax(seat, len(tax), [*tokens, *costs])
        if ability is None:
            paid = yield from self.pay(seat, tokens, "EL-K1")
        else:
            paid = yield from self.pay_costs(ability, context, tokens)
        self.players[seat].tally["paid_cast"] += sum(place == codes.PAY_DECK for place, _, _ in paid)
        if given is not None:
            self.leave(given)
        p = self._place_rune(seat, inst, p)
        p.paid = sum({1 << e for _, e, _ in paid})
        self.put_under(p, paid)
        self.tell(f"{self.name(seat)} casts {card.name} with {letters([p.of(e) for e in range(8)])}.")
        context.source = p
        if card.kind == "artifact":
            p.host = yield from self.choose_host(seat, self.bodies(seat))
        if card.kind == "stadium":
            self._replace_stadiums(p)
        if ability is not None:
            yield from self.choose_targets(ability, context)
        self.settle_step()
        return Link("rune", seat, p, ability, context)

    def _give_up(self, seat: int) -> Flow[Permanent]:
        """EL-R6: choose the own Rune that makes room."""
        options = [code(codes.GIVE_UP, p.place) for p in self._may_give_up(seat)]
        answer = yield from self.ask(seat, "EL-R6", options)
        given = self.at(seat, split(answer)[1])
        assert given is not None
        return given

    def _place_rune(self, seat: int, inst: int, p: Permanent | None) -> Permanent:
        card = self.card_of(inst)
        if p is not None:
            p.down, p.limbo, p.arrived = False, True, self.turn
            return p
        self.players[seat].hand.remove(inst)
        if card.kind == "stadium":
            old = self.players[seat].slots[codes.STADIUM]
            if old is not None:
                self._replace_stadiums(None)
            return self.put_rune(seat, inst, codes.STADIUM, card.kind, limbo=True)
        return self.put_rune(seat, inst, self.free_place(seat, "rune"), card.kind, limbo=True)

    def _replace_stadiums(self, new: Permanent | None) -> None:
        """EL-R5: every Stadium that is there leaves, before anybody can answer."""
        for player in self.players:
            old = player.slots[codes.STADIUM]
            if old is not None and old is not new:
                self.use("EL-R5")
                if self.variant["rune_leaves"] == "destroyed":
                    self.emit(Event("die", old))
                self.tell(f"  {old.card.name} leaves.")
                self.leave(old)

    def _state_effects(self) -> Flow[None]:
        """Effects of a state are looked at whenever no chain is open; each once between two actions."""
        for p in list(self.on_field()):
            for i, ability in enumerate(p.card.abilities):
                if ability.kind == "on" and ability.event == "state" and p.state_done != self.actions:
                    context = Context(p.seat, p, p.inst, p.card, p.kind)
                    if p.face is None and self.working(p) and self.holds(ability.condition, context):
                        p.state_done = self.actions
                        self._wait(Waiting(p.seat, p, p.inst, p.card, ability, i, None, stays=True))
        yield from self._follow()

    # -------------------------------------------------------------------------------------------- chains

    def _chain(self, base: Link) -> Flow[None]:
        """EL-H1: an action, the answers to it, and all that follows."""
        self.use("EL-H1")
        self.links = [base]
        yield from self._respond("EL-H2", opening=False)
        yield from self._resolve()
        yield from self._follow()

    def _respond(self, rule: str, opening: bool, arrivals: Sequence[Event] = ()) -> Flow[None]:
        """EL-H2: players add links in turn, the turn player first, until both pass one after the other.

        Where passing is all that a player could do, there is no decision. `opening`: a chain may be started by any
        Counter that is free to be used; otherwise only by one that speaks of an arrival just seen.
        """
        passes, seat = 0, self.active
        while passes < 2 and len(self.links) < MAX_LINKS:
            options = self._answers(seat, opening, arrivals)
            answer = codes.DONE
            if options:
                answer = yield from self.ask(seat, rule, [codes.DONE, *options])
            if answer == codes.DONE:
                passes += 1
            else:
                passes = 0
                yield from self._add_link(seat, answer, arrivals)
            seat = 1 - seat

    def _answers(self, seat: int, opening: bool, arrivals: Sequence[Event]) -> list[int]:
        """Return the links that a player may add now."""
        options = []
        if self.links or opening or arrivals:
            options += self._counters(seat, bool(self.links) or opening, arrivals)
        if self.links:
            options += [code(codes.ANSWER, p.place, i) for p, i, _, _ in self._conditional_answers(seat)]
        elif opening and self.phase in ("draw", "end") and seat == self.active:
            options += self._uses(seat, self.phase)
        return options

    def _counters(self, seat: int, free: bool = True, arrivals: Sequence[Event] = ()) -> list[int]:
        """EL-R4: Counters that were Set on an earlier turn and may be cast now."""
        options = []
        for p in self.on_field(seat):
            if p.kind == "counter" and p.down and p.set_on < self.turn:
                context = self._counter_context(seat, p, free, arrivals)
                if context is not None and self._rune_ready(seat, p.inst, p, context):
                    options.append(code(codes.CAST_SET, p.place))
        return options

    def _counter_context(self, seat: int, p: Permanent, free: bool, arrivals: Sequence[Event]) -> Context | None:
        """Return what a Counter would know if it were cast now; None if its window is shut."""
        context = Context(seat, p, p.inst, p.card, p.kind)
        newest = self.links[-1] if self.links else None
        base = self.links[0] if self.links else None
        if base is not None and base.kind == "attack":
            context.attack = base
        context.answers = newest
        ability = self._play_ability(p.inst)
        window = ability.window if ability is not None else None
        if window is None:
            return context if free else None
        if window.word == "link":
            assert window.filter is not None
            fits = newest is not None and not newest.negated and self.link_fits(window.filter, newest, seat)
            return context if fits else None
        if window.word == "after atk":
            fits = base is not None and base.kind == "attack" and not base.negated
            mine = base is not None and base.seat == seat
            return context if fits and (window.side == "any" or mine == (window.side == "own")) else None
        if window.word == "after play":
            return self._arrival_context(seat, context, window, arrivals)
        fits = self.phase == window.word.removeprefix("phase ") and free
        mine = self.active == seat
        return context if fits and (window.side == "any" or mine == (window.side == "own")) else None

    def _arrival_context(self, seat: int, context: Context, window: Any, arrivals: Sequence[Event]) -> Context | None:
        """EL-H7: the newest arrival that a Counter may speak of."""
        if self.variant["arrow_window"] == "link":
            base = self.links[0] if self.links else None
            if base is None or base.kind not in ("cast", "ascend") or base.permanent is None or base.negated:
                return None
            if not self.link_fits(window.filter, base, seat):
                return None
            context.that = base.permanent
            self.use("EL-H7")
            return context
        for event in reversed(arrivals):
            subject = event.subject
            if subject is not None and not subject.gone and self.matches(window.filter, subject, seat, context.source):
                context.event = event
                context.that = subject
                self.use("EL-H7")
                return context
        return None

    def _conditional_answers(self, seat: int) -> list[tuple[Permanent, int, Ability, Context]]:
        """Conditional effects that answer in the same chain: to a link, or to the attack that was declared."""
        found = []
        newest, base = self.links[-1], self.links[0]
        for p in self.on_field(seat):
            if p.down or p.limbo or p.face is not None:
                continue
            for i, ability in enumerate(p.card.abilities):
                if ability.kind != "on" or ability.event not in ("link", "atk") or not self.working(p):
                    continue
                link = newest if ability.event == "link" else base
                if link.negated or (p, i) in link.answered or not self._answer_fits(ability, link, p):
                    continue
                context = Context(seat, p, p.inst, p.card, p.kind, answers=newest)
                context.attack = base if base.kind == "attack" else None
                if self.holds(ability.condition, context) and self.can_activate(ability, context):
                    found.append((p, i, ability, context))
        return found

    def _answer_fits(self, ability: Ability, link: Link, p: Permanent) -> bool:
        of = ability.of
        if ability.event == "link":
            return of is not None and of.filter is not None and self.link_fits(of.filter, link, p.seat)
        if link.kind != "attack" or link.permanent is None or link.permanent.gone or of is None:
            return False
        if of.filter is not None:
            return self.matches(of.filter, link.permanent, p.seat, p)
        return link.permanent is (p if of.ref == "self" else p.host)

    def _add_link(self, seat: int, value: int, arrivals: Sequence[Event]) -> Flow[None]:
        """Put a Counter, a conditional effect or, as a base, an ability of the phase onto the chain."""
        kind, place, index = split(value)
        p = self.at(seat, place)
        assert p is not None
        if kind == codes.CAST_SET:
            context = self._counter_context(seat, p, True, arrivals)
            link = yield from self._cast_rune(seat, p.inst, p, context)
        elif kind == codes.USE:
            link = yield from self._use(seat, place, index)
        else:
            _, _, ability, context = next(x for x in self._conditional_answers(seat) if x[0] is p and x[1] == index)
            about = self.links[-1] if ability.event == "link" else self.links[0]
            about.answered.add((p, index))
            self.tell(f"{self.name(seat)} answers with {p.card.name}.")
            yield from self.pay_costs(ability, context)
            yield from self.choose_targets(ability, context)
            self.settle_step()
            link = Link("ability", seat, p, ability, context)
        self.links.append(link)

    def _resolve(self) -> Flow[None]:
        """EL-H8: the newest link first; costs are checked after each."""
        if len(self.links) >= MAX_LINKS:
            raise StoppedError
        while self.links:
            link = self.links.pop()
            self.use("EL-H8")
            if link.kind in ("cast", "ascend"):
                self._resolve_cast(link)
            elif link.kind == "rune":
                yield from self._resolve_rune(link)
            elif link.kind == "ability":
                yield from self._resolve_ability(link)
            self.settle()

    def _resolve_cast(self, link: Link) -> None:
        """EL-C2: the body arrives, or goes with its Spirits to the Underworld."""
        p = link.permanent
        assert p is not None
        if p.gone:
            return
        if link.negated:
            self.use("EL-C2")
            self.tell(f"  {p.card.name} is negated.")
            self.leave(p)
            return
        self.arrived(p, link.normal, link.special, link.old, None)

    def _resolve_rune(self, link: Link) -> Flow[None]:
        """EL-R2: an Instant does what it says and goes; another Rune stays."""
        p = link.permanent
        assert p is not None
        if p.gone:
            return
        if link.negated:
            self.leave(p)
            return
        if p.kind not in cards.INSTANTS:
            self.arrived(p, normal=False, special=False, old=None, cause=None)
            return
        p.limbo = False
        self.players[p.seat].tally["runes"] += 1
        if link.ability is not None and link.context is not None:
            self.tell(f"  {p.card.name} resolves.")
            yield from self.carry_out(link.ability, link.context)
        if not p.gone:
            self.played(p)
            self.leave(p)

    def _resolve_ability(self, link: Link) -> Flow[None]:
        """EL-F16: an effect happens, unless it was negated."""
        assert link.ability is not None
        assert link.context is not None
        if link.negated:
            self.use("EL-H9")
            return
        yield from self.carry_out(link.ability, link.context)

    def _follow(self) -> Flow[None]:
        """EL-H5: conditional effects whose events happened make the next chain, and so on."""
        while self.waiting or self.arrivals:
            batch, self.waiting = self.waiting, []
            arrivals, self.arrivals = self.arrivals, []
            self.links = []
            order = [self.active, 1 - self.active]
            if self.variant["trigger_order"] == "other":
                order.reverse()
            for seat in order:
                yield from self._put_waiting(seat, [w for w in batch if w.seat == seat])
            yield from self._respond("EL-H2", opening=False, arrivals=arrivals)
            yield from self._resolve()

    def _put_waiting(self, seat: int, batch: list[Waiting]) -> Flow[None]:
        """EL-H5: a player's conditional effects go onto the chain in the order that the player likes."""
        while len(self.links) < MAX_LINKS:
            options: dict[int, tuple[Waiting, Context]] = {}
            must = False
            twins: dict[tuple[int, int], int] = {}
            for w in batch:
                key = (w.card.number, w.index)
                twins[key] = twins.get(key, -1) + 1
                context = self._can_trigger(w)
                if context is not None:
                    options[code(codes.TRIGGER, w.card.number, w.index + 4 * twins[key])] = (w, context)
                    must = must or w.ability.must
            if not options:
                return
            answer = yield from self.ask(seat, "EL-H5", [*options] if must else [codes.DONE, *options])
            if answer == codes.DONE:
                return
            w, context = options[answer]
            batch.remove(w)
            yield from self._trigger(w, context)

    def _can_trigger(self, w: Waiting) -> Context | None:
        """EL-H6: return what a waiting effect knows, or None if it cannot go onto the chain."""
        if w.context is not None:
            return w.context if self.can_activate(w.ability, w.context) else None
        self.use("EL-H6")
        if w.stays and (w.source is None or w.source.gone or not self.working(w.source)):
            return None
        owner = self.players[w.inst // cards.DECK_CARDS]
        if w.ability.at == "uw" and w.inst not in owner.underworld:
            return None
        if w.ability.at == "hand" and w.inst not in owner.hand:
            return None
        if w.ability.limit and w.source is not None and w.source.used.get(w.index, 0) >= w.ability.limit:
            return None
        context = self._context_of(w.seat, w.source, w.inst, w.card, w.event)
        if w.source is None and not self.holds(w.ability.condition, context):
            return None
        return context if self.can_activate(w.ability, context) else None

    def _trigger(self, w: Waiting, context: Context) -> Flow[None]:
        if w.source is not None:
            w.source.used[w.index] = w.source.used.get(w.index, 0) + 1
        self.tell(f"{self.name(w.seat)}: {w.card.name} triggers.")
        yield from self.pay_costs(w.ability, context)
        yield from self.choose_targets(w.ability, context)
        self.settle_step()
        self.links.append(Link("ability", w.seat, w.source, w.ability, context))

    # -------------------------------------------------------------------------------------------- battle

    def _battle_phase(self) -> Flow[None]:
        """EL-B1: attacks one after the other, as long as the turn player wants."""
        self.phase = "battle"
        while True:
            options = [codes.DONE, *self._attacks(), *self._counters(self.active), *self._uses(self.active, "battle")]
            answer = yield from self.ask(self.active, "EL-B1", options)
            if answer == codes.DONE:
                return
            self.actions += 1
            if self.actions >= MAX_ACTIONS:
                raise StoppedError
            kind, a, b = split(answer)
            if kind == codes.ATTACK:
                yield from self._attack(a, b)
            elif kind == codes.USE:
                yield from self._start_use(self.active, a, b)
            else:
                p = self.at(self.active, a)
                assert p is not None
                yield from self._start_rune(self.active, p.inst, p)
            self.settle()
            yield from self._follow()

    def _attacks(self) -> list[int]:
        """EL-B1: who may attack whom."""
        seat = self.active
        enemies = self.bodies(1 - seat)
        options = []
        for p in self.bodies(seat):
            if self._may_attack(p) and (p.attacks < 1 or (p.attacks < 2 and self.has_rule(p, "double"))):
                if p.declared < MAX_DECLARATIONS:
                    options += [code(codes.ATTACK, p.place, self.place_code(seat, q)) for q in enemies]
                    if not enemies or self.has_rule(p, "direct"):
                        options.append(code(codes.ATTACK, p.place, codes.SPIRIT_DECK))
        return options

    def _may_attack(self, p: Permanent) -> bool:
        """Say whether a body is able to attack at all."""
        if p.gone or p.limbo or p.seat != self.active or self.restricted(p, "noatk"):
            return False
        if p.position == DEFENCE and not self.has_rule(p, "defatk"):
            return False
        for q, effect in self.statics("atklock"):
            if self.reaches(effect.scope, q, p):
                self.used_card(q.card, effect)
                return False
        return True

    def _attack(self, place: int, target: int) -> Flow[None]:
        """EL-B1 to EL-B4: declare an attack, let it be answered, and see whether it still stands."""
        seat = self.active
        attacker = self.at(seat, place)
        defender = None if target == codes.SPIRIT_DECK else self.at(seat, target)
        assert attacker is not None
        self.use("EL-B1")
        attacker.attacks += 1
        attacker.declared += 1
        whom = "the Spirit Deck" if defender is None else defender.card.name
        self.tell(f"{self.name(seat)} attacks {whom} with {attacker.card.name}.")
        link = Link("attack", seat, attacker, defender=defender)
        yield from self._chain(link)
        if link.negated:
            self.use("EL-B4")
            if not self.variant["negated_attack_counts"]:
                attacker.attacks -= 1
                attacker.declared = MAX_DECLARATIONS
            return
        if not self._attack_stands(attacker, defender, target):
            self.use("EL-B3")
            attacker.attacks -= 1
            self.tell("  the attack is taken back.")
            return
        yield from self._battle(attacker, defender)

    def _attack_stands(self, attacker: Permanent, defender: Permanent | None, target: int) -> bool:
        """EL-B3: say whether a declared attack is still legal."""
        if not self._may_attack(attacker):
            return False
        if target == codes.SPIRIT_DECK:
            return not self.bodies(1 - self.active) or self.has_rule(attacker, "direct")
        return defender is not None and not defender.gone and defender.seat != self.active

    def _battle(self, attacker: Permanent, defender: Permanent | None) -> Flow[None]:
        """EL-B5: the two enter battle; their positions are frozen until it is over."""
        self.frozen = [attacker] if defender is None else [attacker, defender]
        for p in self.frozen:
            p.no_damage = False
        try:
            if defender is not None:
                self.emit(Event("enter", attacker, defender))
                self.emit(Event("enter", defender, attacker))
            if self.waiting:
                yield from self._follow()
            yield from self._window("EL-B5")
            yield from self._compare(attacker, defender)
        finally:
            self.frozen = []
        yield from self._follow()

    def _compare(self, attacker: Permanent, defender: Permanent | None) -> Flow[None]:
        """EL-B6 to EL-B14: the result of a battle."""
        for p in self.frozen:
            if not p.gone:
                self.note_bonuses(p)
        if defender is None:
            if not attacker.gone:
                yield from self._hit(attacker)
        elif attacker.gone and defender.gone:
            self.use("EL-B7")
        elif attacker.gone or defender.gone:
            self.use("EL-B7")
            yield from self._hit(defender if attacker.gone else attacker)
        elif defender.position == DEFENCE:
            yield from self._against_defence(attacker, defender)
        else:
            yield from self._against_attack(attacker, defender)

    def _hit(self, p: Permanent) -> Flow[None]:
        """EL-B7, EL-B12, EL-B13: a body battles the other player's Spirit Deck."""
        attack = self._battle_value(p)
        if p.no_damage or (p.position == DEFENCE and p is not self.frozen[0]):
            return
        if attack == 0:
            self.use("EL-B13")
            return
        self.use("EL-B12")
        yield from self.expend(1 - p.seat, p.count, "battle")

    def _battle_value(self, p: Permanent) -> int:
        """EL-B10: what a body fights with: its attack, or its defence where it attacks from Defence Position."""
        attack, defence = self.stats(p)
        if p is self.frozen[0] and p.position == DEFENCE and self.has_rule(p, "defatk"):
            self.use("EL-B10")
            return defence
        return attack

    def _against_attack(self, attacker: Permanent, defender: Permanent) -> Flow[None]:
        """EL-B6: the smaller attack is destroyed; equal ones destroy each other; zero destroys nothing."""
        a, b = self._battle_value(attacker), self._battle_value(defender)
        self.use("EL-B6")
        beaten = []
        if a <= b and b > 0 and not self._safe_in_defence(attacker):
            beaten.append((attacker, defender))
        if a >= b and a > 0:
            beaten.append((defender, attacker))
        if 0 in (a, b):
            self.use("EL-B13")
        yield from self._battle_losses(beaten, difference=True)

    def _safe_in_defence(self, attacker: Permanent) -> bool:
        return attacker.position == DEFENCE and self.variant["defatk_result"] == "defence"

    def _against_defence(self, attacker: Permanent, defender: Permanent) -> Flow[None]:
        """EL-B8: attack beats defence or nothing happens; EL-B9: Piercing."""
        self.use("EL-B8")
        if self._battle_value(attacker) <= self.stats(defender)[1]:
            return
        pierce = self.has_rule(attacker, "pierce")
        if pierce:
            self.use("EL-B9")
        full = pierce and self.variant["piercing"] == "full"
        yield from self._battle_losses([(defender, attacker)], difference=pierce, full=full)

    def _battle_losses(
        self, beaten: Sequence[tuple[Permanent, Permanent]], difference: bool, full: bool = False
    ) -> Flow[None]:
        """EL-B14: bodies are destroyed; who had fewer Spirits underneath Expends the difference."""
        counts = {id(p): p.count for pair in beaten for p in pair}
        blocked = {id(p) for pair in beaten for p in pair if p.no_damage}
        dying = yield from self.destroy([p for p, _ in beaten], None, battle=True)
        owed = []
        for p, killer in beaten:
            if p not in dying:
                self.use("EL-B11")
            if p in dying or self.variant["nodie_loser_expends"]:
                gap = counts[id(killer)] if full else counts[id(killer)] - counts[id(p)]
                if difference and gap > 0 and id(killer) not in blocked:
                    owed.append((p.seat, gap))
        for p, killer in beaten:
            if p in dying:
                killer.kills += 1
                self.emit(Event("b.kill", p, killer))
                self.emit(Event("b.die", p, killer))
                self.emit(Event("ally.b.die", p, killer))
        self.bury_destroyed(dying)
        for seat, gap in owed:
            self.use("EL-B14")
            yield from self.expend(seat, gap, "battle")
        self.settle()

    # -------------------------------------------------------------------------------------------- what can be seen

    def visible(self) -> dict[str, Any]:
        """Return the whole table as plain values, to be compared with an engine's."""
        return {
            "game": self.game,
            "turn": self.turn,
            "phase": self.phase,
            "active": self.active,
            "players": [self._visible_player(p) for p in self.players],
            "cards": [self._cards_of(p) for p in self.players],
        }

    def _cards_of(self, player: Player) -> list[int]:
        """Return all cards that a player owns, wherever they are: always the same forty."""
        there = [p.inst for p in self.on_field() if p.owner == player.seat]
        return sorted(self.card_of(i).number for i in (*player.deck, *player.hand, *player.underworld, *there))

    def _visible_player(self, player: Player) -> dict[str, Any]:
        return {
            "spirits": list(player.spirits),
            "lost": list(player.lost),
            "deck": [self.card_of(i).number for i in player.deck],
            "hand": sorted(self.card_of(i).number for i in player.hand),
            "underworld": sorted(self.card_of(i).number for i in player.underworld),
            "field": [None if p is None else self._visible_card(p) for p in player.slots],
        }

    def _visible_card(self, p: Permanent) -> dict[str, Any]:
        attack, defence = self.stats(p) if p.kind == "elestral" else (0, 0)
        return {
            "card": p.card.number,
            "owner": p.owner,
            "down": p.down,
            "limbo": p.limbo,
            "position": p.position,
            "spirits": [list(row) for row in p.spirits],
            "attack": attack,
            "defence": defence,
            "works": self.working(p),
            "host": -1 if p.host is None else self.place_code(p.seat, p.host),
        }

    def outcome(self) -> dict[str, Any]:
        """Return the game rows: {column: [per seat]}."""
        best = max(self.wins)
        winners = [i for i in (0, 1) if self.wins[i] == best]
        share = [WHOLE // 2] * 2 if self.end != "won" or len(winners) == 2 else [0, 0]
        if self.end == "won" and len(winners) == 1:
            share[winners[0]] = WHOLE
        rows: dict[str, Any] = {
            "share": share,
            "points": [p.life for p in self.players],
            "rounds": [self.game + 1] * 2,
            "turns": [self.turns] * 2,
            "end": [ENDS.index(self.end)] * 2,
            "lead_changes": [self.lead_changes] * 2,
            "starter": [int(i == self.starter) for i in (0, 1)],
            "order": [1 if i == self.starter else -1 for i in (0, 1)],
            "cast2": [int(p.tally["first_cost2"] > 0) for p in self.players],
            "cast3": [int(p.tally["first_cost3"] > 0) for p in self.players],
            "over4": [int(self.early)] * 2,
            "ahead4": [int(self.ahead == sign) for sign in (1, -1)],
            "lost_by": list(self.reasons),
            "deck_left": [len(p.deck) for p in self.players],
            "hand_left": [len(p.hand) for p in self.players],
            "field_spirits": [sum(q.count for q in self.on_field(i)) for i in (0, 1)],
        }
        for key in TALLIES:
            rows[key] = [p.tally[key] for p in self.players]
        return rows


TALLIES = (
    "mulligans",
    "first_cost2",
    "first_cost3",
    "cast",
    "ascended",
    "runes",
    "drawn",
    "paid_cast",
    "paid_cost",
    "paid_mulligan",
    "lost_battle",
    "lost_effect",
    "recovered",
)
