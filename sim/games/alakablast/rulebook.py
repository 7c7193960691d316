"""Alakablast in plain, slow Python: specification, referee and narrator.

Written from the rules page. `RULES` lists the rule ids, and each of them stands in the docstring of one function, the
one that carries the rule out. The fast engine is checked against this file, so it shares no code with it: only the
facts of the game (fields, numbers of decisions, columns) are read from the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.game import IllegalMoveError, code, split
from sim.games.alakablast.numbers import (
    ABILITY_KEYS,
    ASK,
    CHAIN_MAX,
    CHALLENGE,
    CLUE_CARD,
    ELEMENT,
    ELEMENTS,
    FORGET,
    GAME_COLUMNS,
    INFORMANT,
    LATER,
    LEVEL,
    NAME,
    NOTHING,
    OFFSETS,
    PLACES,
    PLAY,
    ROUND_COLUMNS,
    SPECIAL,
    STEP_CLUE_CARD,
    STEP_CLUE_TELL,
    STEP_FIRST,
    STEP_INFORMANT,
    STEP_SECOND,
    STEP_TELL,
    STEP_TURN,
    STEP_TYPE,
    TELL,
    TYPE,
    deal_of,
    level_lists,
    slots_of,
)
from sim.rng import DECK, RESHUFFLE, Chance
from sim.variant import Variant

RULES: dict[str, str] = {
    "AL-01": "49 cards: 13 each of Water, Fire and Plant, 5 Light, 5 Shadow. Source: two public pages.",
    "AL-02": "Every card has a level; the printed ones are unknown, so they are a list. Source: our assumption.",
    "AL-03": "Light and Shadow have a level too. Source: the seed, first and third exception; a switch.",
    "AL-04": "A hand starts with two private and two public cards. Source: the seed and public pages.",
    "AL-05": "With two players ten cards, with three six are discarded face up at first. Source: a public page.",
    "AL-06": "Seat 0 takes the first turn, then the turn goes round to the left. Source: public pages.",
    "AL-07": "7, 6, 5 or 4 gems win with 2, 3, 4 or 5 players. Source: the seed.",
    "AL-08": "A turn is one ask or one challenge. Source: the seed.",
    "AL-09": "One may not ask where nothing can be told; a game without an end is capped. Source: our reading.",
    "AL-10": "One informant answers an ask for all the others. Source: the seed says 'the others'; our reading.",
    "AL-11": "Nothing known: the informant picks the feature; one known: the other one is told. Source: the seed.",
    "AL-12": "Known is what was told, not what could be worked out. Source: our reading.",
    "AL-13": "Of a special card only that it is special is ever told. Source: the seed, first exception.",
    "AL-14": "Other public cards that share what is told are pointed out. Source: the seed, third exception.",
    "AL-15": "A public card that is not pointed out does not have what was told. Source: follows from AL-14.",
    "AL-16": "A feature remembered wrongly may be mended or left at the informant's choice. Source: the seed.",
    "AL-17": "Any other player may be challenged. Source: the seed.",
    "AL-18": "Element or level is said first, then the clue is given. Source: a public page.",
    "AL-19": "The challenged player picks the card of the clue, the challenger the feature. Source: our reading.",
    "AL-20": "Nothing can be told to the challenged player: the duel goes on without a clue. Source: our reading.",
    "AL-21": "Both play any card of their hand at the same time. Source: the seed.",
    "AL-22": "Water beats Fire beats Plant beats Water; Light wins, Shadow loses; else a tie. Source: the seed.",
    "AL-23": "The higher level wins a level duel, equal levels tie. Source: the seed.",
    "AL-24": "After a tie both play again from what they have left, same feature. Source: the seed.",
    "AL-25": "Winning in round r of a duel is worth r gems. Source: the seed; a reading.",
    "AL-26": "Both tied with all their cards: the game ends, all share it. Source: the seed; a reading.",
    "AL-27": "Only one hand is empty after a tie: as AL-26. Source: our reading.",
    "AL-28": "Both draw up to four, the winner public, the loser private cards, winner first. Source: the seed.",
    "AL-29": "Cards that stay in hand stay as they are, with all that was told. Source: follows from the seed.",
    "AL-30": "An empty stock is made new from the discards. Source: our reading.",
    "AL-31": "Only the winner of a duel can come to the target. Source: follows from the seed.",
    "AL-32": "There are 20 gems, which always suffice. Source: public pages; checked by arithmetic.",
    "AL-33": "All see all public cards but their own, all discards and all that is told. Source: the seed.",
}
# AL-34 of the rules page (no table talk) decides nothing: there is no step at which one could talk.

LIGHT, SHADOW = 3, 4
OPEN, IS_SPECIAL, IS_BASIC = 0, 1, 2
WON, TIE, ALL_WIN, CAP = 0, 1, 2, 4
WHOLE = 27720  # a whole win; stated here too, so that the referee would notice another unit in the engine
FEATURE_WORDS = ("element", "level")
Flow = Generator[tuple[int, int, list[int]], int, None]


@dataclass
class Card:
    """A card in a hand, with what its holder remembers if it is public.

    Parameters
    ----------
    place, element, level
        Which card it is; level 0 is no level.
    public
        True: all but the holder see it.
    told_element, told_level, special
        Remembered: element or -1, level or 0, OPEN, IS_SPECIAL or IS_BASIC.
    not_elements, not_levels
        Ruled out by clues that passed the card over.
    """

    place: int
    element: int
    level: int
    public: bool = False
    told_element: int = -1
    told_level: int = 0
    special: int = OPEN
    not_elements: frozenset[int] = frozenset()
    not_levels: frozenset[int] = frozenset()

    @property
    def is_special(self) -> bool:
        """True for Light and Shadow."""
        return self.element in (LIGHT, SHADOW)

    @property
    def name(self) -> str:
        """The card in words."""
        return f"{ELEMENTS[self.element]} {self.level}" if self.level else ELEMENTS[self.element]

    def snapshot(self) -> tuple[int, int, int, int, int, int, int]:
        """Return the tuple of `visible`."""
        if not self.public:
            return self.place, 0, -1, 0, 0, 0, 0
        ruled_out = sum(1 << e for e in self.not_elements), sum(1 << v for v in self.not_levels)
        return self.place, 1, self.told_element, self.told_level, self.special, *ruled_out


@dataclass
class Duel:
    """A challenge under way."""

    challenger: int
    challenged: int
    feature: int
    clue: bool = False
    rounds: int = 0
    rank: int = 0


class Rulebook:
    """One game of Alakablast, step by step.

    Parameters
    ----------
    variant
        The switches and numbers.
    seats
        For each seat an object with `packet` and `off`, the bit mask of the abilities that this seat plays without.
    chance
        The chance of the deal.
    """

    def __init__(self, variant: Variant, seats: Sequence[Any], chance: Chance) -> None:
        self.variant = variant
        self.seats = list(seats)
        self.n = len(self.seats)
        self.chance = chance
        self.deck = self._list_deck()
        self.uses: Counter[str] = Counter()
        self.story: list[str] = []
        self.round_outcomes: list[dict[str, list[int]]] = []
        self._clear()
        self._deal()
        self._begin()

    def _clear(self) -> None:
        n = self.n
        self.over = False
        self.actor = 0
        self.step = STEP_TURN
        self.turn = 0
        self.end = WON
        self.gems = [0] * n
        self.share = [0] * n
        self.hands: list[list[Card | None]] = [[None] * slots_of(self.variant, n) for _ in range(n)]
        self.stock: list[int] = []
        self.discards: list[int] = []
        self.reshuffles = 0
        self.leader: int | None = None
        self.last_target: list[int | None] = [None] * n
        self.asks_since = [0] * n
        self.after = [0] * n
        self.last_played: dict[int, tuple[Card, int]] = {}
        self.counts: dict[str, list[int]] = {name: [0] * n for name, _ in GAME_COLUMNS}
        self.round_outcomes.clear()

    def _begin(self) -> None:
        self._flow = self._game()
        self._wait(next(self._flow, None))

    def _wait(self, step: tuple[int, int, list[int]] | None) -> None:
        if step is None:
            self._options: list[int] = []
        else:
            self.step, self.actor, self._options = step

    # --- what the referee calls -------------------------------------------------------------------------------------

    def options(self) -> list[int]:
        """Return the codes that the actor may choose, ascending."""
        return list(self._options)

    def apply(self, code: int) -> None:
        """Carry out one of them; raise IllegalMoveError with the rule id otherwise."""
        if code not in self._options:
            raise IllegalMoveError(self._complaint(code))
        try:
            self._wait(self._flow.send(code))
        except StopIteration:
            self._wait(None)

    def visible(self) -> dict[str, Any]:
        """Return what can be compared with the engine's state after this step."""
        empty = (-1, 0, -1, 0, 0, 0, 0)
        return {
            "turn": self.turn,
            "step": self.step,
            "actor": self.actor,
            "gems": list(self.gems),
            "stock": len(self.stock),
            "discards": sorted(self.discards),
            "hands": [[card.snapshot() if card else empty for card in hand] for hand in self.hands],
        }

    def outcome(self) -> dict[str, list[int]]:
        """Return the game rows: {column: [per seat]}."""
        rows = {name: list(values) for name, values in self.counts.items()}
        same = {
            "rounds": len(self.round_outcomes),
            "end": self.end,
            "all_tie": int(self.end == ALL_WIN),
            "capped": int(self.end == CAP),
            "reshuffles": self.reshuffles,
        }
        rows.update({name: [value] * self.n for name, value in same.items()})
        rows["share"] = list(self.share)
        rows["points"] = list(self.gems)
        rows["asked"] = [min(asks, 6) for asks in rows["asks"]]
        return rows

    def _complaint(self, move: int) -> str:
        """Return why a move is not allowed, the rule id first."""
        kind, a, b = split(move)
        right_kind = any(split(option)[0] == kind for option in self._options)
        who = f"player {self.actor + 1}"
        if self.over:
            return "AL-07: the game is over."
        if self.step == STEP_TURN:
            return self._turn_complaint(kind, a, b)
        if not right_kind:
            return f"AL-08: {who} has another step to take now than kind {kind}."
        if kind == TELL:
            card = self._in_question
            if card.is_special or a == SPECIAL:
                return f"AL-13: of {card.name} {who} can tell just whether it is special, not feature {a}."
            return f"AL-11: {who} cannot tell feature {a}, which is known already, or nothing while there is something."
        rule = {NAME: "AL-10", CLUE_CARD: "AL-19", TYPE: "AL-18", PLAY: "AL-21"}[kind]
        return f"{rule}: {who} cannot choose {a} here."

    def _turn_complaint(self, kind: int, a: int, b: int) -> str:
        who = f"player {self.actor + 1}"
        if kind == ASK:
            hand = self.hands[self.actor]
            card = hand[a] if a < len(hand) else None
            if card is None or not card.public or not self.variant["allow_ask"]:
                return f"AL-08: {who} can only ask about an own card that it does not see, not about slot {a}."
            if card.special == IS_SPECIAL:
                return f"AL-13: {who} was told that the card in slot {a} is special, and nothing more is ever told."
            return f"AL-09: everything that may be told {who} of the card in slot {a} is known."
        if kind == CHALLENGE:
            if not 1 <= a < self.n or code(CHALLENGE, a, b) not in self._all_challenges():
                return f"AL-18: a challenge says whom and whether element or level; {who} said {a} and {b}."
            return f"AL-17: {who} cannot challenge the player {a} to the left now."
        return f"AL-08: {who} has to ask or to challenge."

    # --- small words ------------------------------------------------------------------------------------------------

    def _use(self, rule: str) -> None:
        self.uses[rule] += 1

    def _say(self, sentence: str) -> None:
        self.story.append(sentence)

    def _count(self, column: str, seat: int, by: int = 1) -> None:
        self.counts[column][seat] += by

    def _has(self, seat: int, ability: str) -> bool:
        return not (self.seats[seat].off >> ABILITY_KEYS.index(ability)) & 1

    def _cards(self, seat: int) -> list[Card]:
        return [card for card in self.hands[seat] if card is not None]

    def _own_public(self, seat: int) -> list[Card]:
        return [card for card in self._cards(seat) if card.public]

    def _card(self, seat: int, slot: int) -> Card:
        card = self.hands[seat][slot]
        if card is None:
            raise LookupError(f"slot {slot} of seat {seat} is empty")
        return card

    def _leftwards(self, seat: int) -> list[int]:
        return [(seat + steps) % self.n for steps in range(1, self.n)]

    def _make(self, place: int) -> Card:
        element = next(e for e in range(5) if OFFSETS[e] <= place < OFFSETS[e + 1])
        level = self.deck[place]
        if element >= LIGHT and self.variant["special_level"] == "none":
            level = 0
        return Card(place, element, level)

    # --- setting up -------------------------------------------------------------------------------------------------

    def _list_deck(self) -> dict[int, int]:
        """AL-01, AL-02: the places in use with the levels of their cards."""
        lists = level_lists(self.variant)
        return {OFFSETS[e] + i: level for e, levels in enumerate(lists) for i, level in enumerate(levels)}

    def _deal(self) -> None:
        """AL-04, AL-05: hands by packet, cards laid out, the rest is the stock."""
        order = [place for place in self.chance.stream(0, DECK, None, 0).permutation(PLACES) if place in self.deck]
        private, public = deal_of(self.variant, self.n)
        for seat, who in enumerate(self.seats):
            for k in range(private + public):
                card = self._make(order[k * self.n + who.packet])
                card.public = k >= private
                self.hands[seat][k] = card
        dealt = (private + public) * self.n
        laid = self.variant["setup_discard"][self.n - 2]
        self.discards = order[dealt : dealt + laid]
        self.stock = order[dealt + laid :]
        for rule in ("AL-01", "AL-02", "AL-04"):
            self._use(rule)
        if laid:
            self._use("AL-05")
            self._say(f"{laid} cards are laid out: {', '.join(self._make(p).name for p in self.discards)}.")
        for seat in range(self.n):
            self._say(f"Player {seat + 1} has {self._hand_in_words(seat)}.")

    def _hand_in_words(self, seat: int) -> str:
        return ", ".join(f"{c.name} ({'seen by the others' if c.public else 'own'})" for c in self._cards(seat))

    def rig(
        self,
        hands: Sequence[str],
        *,
        gems: Sequence[int] | None = None,
        stock: str = "",
        discards: str = "",
        memory: Mapping[tuple[int, int], Mapping[str, Any]] | None = None,
    ) -> None:
        """Set up a position at the start of seat 0's turn 1, for tests.

        Parameters
        ----------
        hands
            One text per seat such as ``"W3 L2 | F9"``: private cards, then public ones, in slots from 0; letters W, F,
            P, L, S and the level.
        gems
            Gems of each seat.
        stock
            Cards on top of the stock; the rest of the deck follows in the order of places.
        discards
            The discard pile.
        memory
            {(seat, slot): {field of `Card`: value}}.
        """
        self._clear()
        left = dict(self.deck)

        def take(text: str) -> list[int]:
            return [self._take_named(name, left) for name in text.split()]

        for seat, text in enumerate(hands):
            private, _, public = text.partition("|")
            cards = [(place, False) for place in take(private)] + [(place, True) for place in take(public)]
            for slot, (place, shown) in enumerate(cards):
                self.hands[seat][slot] = self._make(place)
                self._card(seat, slot).public = shown
        for (seat, slot), fields in (memory or {}).items():
            for name, value in fields.items():
                setattr(self._card(seat, slot), name, value)
        self.discards = take(discards)
        named = take(stock)
        self.stock = named + sorted(left)
        self.gems = list(gems) if gems is not None else [0] * self.n
        self._begin()

    def _take_named(self, name: str, left: dict[int, int]) -> int:
        element, level = "WFPLS".index(name[0]), int(name[1:])
        for place in sorted(left):
            if OFFSETS[element] <= place < OFFSETS[element + 1] and left[place] == level:
                del left[place]
                return place
        raise ValueError(f"there is no {name} left in the deck")

    # --- the game ---------------------------------------------------------------------------------------------------

    def _game(self) -> Flow:
        """AL-06: seat 0 begins, the turn goes to the left."""
        seat = 0
        while True:
            self._use("AL-06")
            self.turn += 1
            self._count("turns", seat)
            self._forget(seat)
            choices = self._turn_options(seat)
            if not choices:
                self._end_by_gems(f"Player {seat + 1} can neither ask nor challenge.")
                return
            kind, a, b = split((yield STEP_TURN, seat, choices))
            if kind == ASK:
                yield from self._ask(seat, a)
            else:
                yield from self._challenge(seat, (seat + a) % self.n, b)
            if self.over or self._at_cap():
                return
            seat = (seat + 1) % self.n

    def _at_cap(self) -> bool:
        """Stop a game that has come to its last turn."""
        if self.turn < self.variant["max_turns"]:
            return False
        self._use("AL-09")
        self._finish(CAP, range(self.n), f"The game is stopped after {self.turn} turns.")
        return True

    def _turn_options(self, seat: int) -> list[int]:
        """AL-08: ask or challenge."""
        self._use("AL-08")
        asks = [code(ASK, slot) for slot in self._slots_to_ask(seat)]
        return asks + [c for c in self._all_challenges() if (seat + split(c)[1]) % self.n in self._targets(seat)]

    def _slots_to_ask(self, seat: int) -> list[int]:
        """AL-09: not about a card of which nothing can be told; or, as the variant says, on and on up to the cap."""
        if not self.variant["allow_ask"]:
            return []
        useful = self._askable(seat)
        public = [slot for slot, card in enumerate(self.hands[seat]) if card is not None and card.public]
        if useful != public:
            self._use("AL-09")
        return public if self.variant["allow_null_ask"] else useful

    def _all_challenges(self) -> list[int]:
        """Return all challenges there are: with the type, or without it if the clue comes first."""
        features = (LATER,) if self.variant["clue_before_type"] else (ELEMENT, LEVEL)
        return [code(CHALLENGE, steps, feature) for steps in range(1, self.n) for feature in features]

    def _targets(self, seat: int) -> list[int]:
        """AL-17: any other player (who has a card, as the challenger must); perhaps not the same one again."""
        self._use("AL-17")
        if not self._cards(seat):
            return []
        targets = [other for other in self._leftwards(seat) if self._cards(other)]
        if self.variant["no_repeat_target"]:
            fresh = [other for other in targets if other != self.last_target[seat]]
            return fresh or targets
        return targets

    # --- asking and telling -----------------------------------------------------------------------------------------

    def _ask(self, seat: int, slot: int) -> Flow:
        self._count("asks", seat)
        self.asks_since[seat] += 1
        knowledge = self._knowledge(self._card(seat, slot))
        self._say(f"Turn {self.turn}: player {seat + 1} asks about slot {slot}, {knowledge}.")
        informant = self._informant(seat)
        if informant is None:
            chosen = yield STEP_INFORMANT, seat, [code(NAME, steps) for steps in range(1, self.n)]
            informant = (seat + split(chosen)[1]) % self.n
        yield from self._answer(STEP_TELL, informant, seat, slot)

    def _knowledge(self, card: Card) -> str:
        known = []
        if card.told_element >= 0:
            known.append(ELEMENTS[card.told_element])
        if card.told_level:
            known.append(f"level {card.told_level}")
        if card.special == IS_SPECIAL:
            known.append("special")
        return f"believed to be {' and '.join(known)}" if known else "of which nothing is known"

    def _informant(self, asker: int) -> int | None:
        """AL-10: who answers; None if the asker has still to name one."""
        self._use("AL-10")
        others = self._leftwards(asker)
        way = self.variant["informant"]
        if way == "chosen":
            return None
        if way == "next":
            return others[0]
        if way == "random":
            return others[self.chance.stream(self.turn, INFORMANT, None, 0).below(0, len(others))]
        most = max(self.gems[other] for other in others)
        return next(other for other in others if self.gems[other] == most)

    def _answer(self, step: int, informant: int, holder: int, slot: int) -> Flow:
        self._in_question = self._card(holder, slot)
        choices = [code(TELL, feature) for feature in self._tellable(holder, self._in_question)]
        _, feature, _ = split((yield step, informant, choices))
        self._tell(holder, slot, feature)

    def _tellable(self, holder: int, card: Card) -> list[int]:
        """AL-11: any feature while nothing is known, then those that are unknown or wrong; nothing if there is none."""
        if card.is_special:
            return self._tellable_of_special(card)
        self._use("AL-11")
        believed = self._known(holder, card)
        if not believed:
            return [ELEMENT, LEVEL]
        unknown = {ELEMENT, LEVEL} - set(believed)
        return sorted(unknown | self._remembered_wrongly(card, believed)) or [NOTHING]

    def _tellable_of_special(self, card: Card) -> list[int]:
        """AL-13: only that it is special, and that only once."""
        self._use("AL-13")
        return [NOTHING] if card.special == IS_SPECIAL else [SPECIAL]

    def _remembered_wrongly(self, card: Card, believed: Mapping[int, int]) -> set[int]:
        """AL-16: the features that the informant may mend, or leave and tell another one."""
        truth = {ELEMENT: card.element, LEVEL: card.level}
        wrong = {feature for feature, value in believed.items() if value != truth[feature]}
        if wrong:
            self._use("AL-16")
        return wrong

    def _askable(self, holder: int) -> list[int]:
        """Return the slots of public cards of which something can be told, as the holder knows it."""
        slots = []
        for slot, card in enumerate(self.hands[holder]):
            if card is not None and card.public and not self._known_special(holder, card):
                if len(self._known(holder, card)) < 2:
                    slots.append(slot)
        return slots

    def _known(self, holder: int, card: Card) -> dict[int, int]:
        """AL-12: the features of an own public card that count as known, right or wrong."""
        known = {}
        if card.told_element >= 0:
            known[ELEMENT] = card.told_element
        if card.told_level:
            known[LEVEL] = card.told_level
        if known:
            self._use("AL-12")
        if self.variant["known"] == "deducible":
            for feature, value in self._deduced(holder, card).items():
                if feature != SPECIAL:
                    known.setdefault(feature, value)
        return known

    def _known_special(self, holder: int, card: Card) -> bool:
        """Return whether the holder was told that it is special, or can work it out where that counts."""
        if card.special == IS_SPECIAL:
            self._use("AL-13")
            return True
        return self.variant["known"] == "deducible" and SPECIAL in self._deduced(holder, card)

    def _deduced(self, holder: int, card: Card) -> dict[int, int]:
        """Return what all cards that this one can be have in common: known too where `known` is ``deducible``."""
        candidates = [self._make(place) for place in self.unseen(holder)]
        candidates = [c for c in candidates if self._fits(c, card)]
        if not candidates:
            return {}
        common = {}
        elements, levels = {c.element for c in candidates}, {c.level for c in candidates}
        if len(elements) == 1 and not candidates[0].is_special:
            common[ELEMENT] = candidates[0].element
        if len(levels) == 1 and candidates[0].level:
            common[LEVEL] = candidates[0].level
        if all(c.is_special for c in candidates):
            common[SPECIAL] = 1
        if common:
            self._use("AL-12")
        return common

    def _fits(self, candidate: Card, card: Card) -> bool:
        """Return whether `card` can be `candidate`, by what its holder remembers of it."""
        if card.told_element not in (-1, candidate.element) or card.told_level not in (0, candidate.level):
            return False
        if card.special == (IS_BASIC if candidate.is_special else IS_SPECIAL):
            return False
        if candidate.element in card.not_elements:
            return False
        passed_over = candidate.is_special and not self.variant["touch_specials"]
        return passed_over or candidate.level not in card.not_levels

    def unseen(self, seat: int) -> list[int]:
        """AL-33: the cards that a seat sees nowhere: the stock, the others' private cards, its own public ones."""
        self._use("AL-33")
        seen = set(self.discards)
        for other in range(self.n):
            seen |= {card.place for card in self._cards(other) if card.public != (other == seat)}
        return [place for place in self.deck if place not in seen]

    def _tell(self, holder: int, slot: int, feature: int) -> None:
        """Tell one feature of a card, point out the others that share it, rule it out of the rest."""
        card = self._card(holder, slot)
        if feature == NOTHING:
            self._say("There is nothing to tell.")
            return
        if feature == ELEMENT:
            self._count("mended", holder, card.told_element not in (-1, card.element))
            touched = self._tell_element(holder, card)
        elif feature == LEVEL:
            self._count("mended", holder, card.told_level not in (0, card.level))
            touched = self._tell_level(holder, card)
        else:
            self._count("specials_told", holder)
            touched = self._tell_special(holder, card)
        if touched:
            self._use("AL-14")
        self._count("pointed", holder, touched)
        word = (ELEMENTS[card.element], f"level {card.level}", "special")[feature]
        beside = f", and {touched} more card{'s' if touched > 1 else ''} pointed out" if touched else ""
        self._say(f"Player {holder + 1} is told of slot {slot} ({card.name}): {word}{beside}.")

    def _tell_element(self, holder: int, card: Card) -> int:
        """Tell an element; return how many more cards are pointed out."""
        touched = 0
        for other in self._own_public(holder):
            if self._shares(other, card, ELEMENT):
                other.told_element, other.special = card.element, IS_BASIC
                touched += other is not card
            else:
                self._pass_over(other, card, ELEMENT)
        return touched

    def _tell_level(self, holder: int, card: Card) -> int:
        """Tell a level; return how many more cards are pointed out."""
        touched = 0
        for other in self._own_public(holder):
            if self._shares(other, card, LEVEL):
                other.told_level = card.level
                touched += other is not card
                if other is card or not self.variant["touch_specials"]:
                    other.special = IS_BASIC
            else:
                self._pass_over(other, card, LEVEL)
        return touched

    def _tell_special(self, holder: int, card: Card) -> int:
        """Tell that a card is special; return how many more cards are pointed out."""
        self._use("AL-13")
        card.special = IS_SPECIAL
        touched = 0
        if self.variant["special_clue_touches"]:
            for other in self._own_public(holder):
                if other is card:
                    continue
                if self._shares(other, card, SPECIAL):
                    other.special = IS_SPECIAL
                    touched += 1
                else:
                    self._pass_over(other, card, SPECIAL)
        return touched

    def _shares(self, other: Card, card: Card, feature: int) -> bool:
        """AL-14: public cards that share what is told are pointed out, special ones by level if the variant says so."""
        if feature == ELEMENT:
            return other.element == card.element
        if feature == LEVEL:
            return other.level == card.level and (self.variant["touch_specials"] or not other.is_special)
        return other.is_special

    def _pass_over(self, other: Card, card: Card, feature: int) -> None:
        """AL-15: a card that is not pointed out does not have what was told, whatever its holder remembered."""
        self._use("AL-15")
        if feature == ELEMENT:
            other.not_elements |= {card.element}
            if other.told_element == card.element:
                other.told_element = -1
        elif feature == LEVEL:
            other.not_levels |= {card.level}
            if other.told_level == card.level:
                other.told_level = 0
        else:
            other.special = IS_BASIC

    def _forget(self, seat: int) -> None:
        """Let a seat misremember before its turn what it was told, as likely as the variant says."""
        chance = self.variant["forget_prob"]
        if chance <= 0:
            return
        coins = self.chance.stream(self.turn, FORGET, self.seats[seat].packet, 0)
        for slot, card in enumerate(self.hands[seat]):
            if card is None or not card.public or card.special == IS_SPECIAL:
                continue
            if card.told_element == card.element and coins.uniform(2 * slot) < chance:
                card.told_element = (card.element + 1 + coins.below(32 + 2 * slot, 2)) % 3
                self._forgot(seat, slot, card)
            if card.told_level and card.told_level == card.level and coins.uniform(2 * slot + 1) < chance:
                others = sorted({self._make(place).level for place in self.deck} - {0, card.level})
                if others:
                    card.told_level = others[coins.below(33 + 2 * slot, len(others))]
                    self._forgot(seat, slot, card)

    def _forgot(self, seat: int, slot: int, card: Card) -> None:
        self._use("AL-16")
        self._count("forgot", seat)
        self._say(f"Player {seat + 1} misremembers slot {slot} ({card.name}), now {self._knowledge(card)}.")

    # --- challenging ------------------------------------------------------------------------------------------------

    def _challenge(self, seat: int, target: int, feature: int) -> Flow:
        """AL-18: type, clue, cards; or clue, type, cards."""
        self._count("challenges", seat)
        self._count("challenged", target)
        self.last_target[seat] = target
        duel = Duel(seat, target, feature, rank=self._rank(seat, target))
        by = "" if feature == LATER else f" by {FEATURE_WORDS[feature]}"
        self._say(f"Turn {self.turn}: player {seat + 1} challenges player {target + 1}{by}.")
        yield from self._clue(duel)
        self._use("AL-18")
        if feature == LATER:
            chosen = yield STEP_TYPE, seat, [code(TYPE, ELEMENT), code(TYPE, LEVEL)]
            duel.feature = split(chosen)[1]
            self._say(f"Player {seat + 1} says: by {FEATURE_WORDS[duel.feature]}.")
        self._note_held(duel)
        yield from self._duel(duel)

    def _rank(self, challenger: int, challenged: int) -> int:
        gems = [self.gems[other] for other in self._leftwards(challenger)]
        mine = self.gems[challenged]
        if min(gems) == max(gems):
            return 4
        return 1 if mine == max(gems) else 3 if mine == min(gems) else 2

    def _clue(self, duel: Duel) -> Flow:
        """AL-19, AL-20: the challenged player is told something first, if anything can be told."""
        slots = self._askable(duel.challenged)
        if not slots:
            self._use("AL-20")
            return
        self._count("held_forced_clue", duel.challenged)
        if not self._has(duel.challenged, "forced_clue"):
            return
        self._use("AL-19")
        picker = duel.challenged if self.variant["clue_card_by"] == "challenged" else duel.challenger
        _, slot, _ = split((yield STEP_CLUE_CARD, picker, [code(CLUE_CARD, slot) for slot in slots]))
        yield from self._answer(STEP_CLUE_TELL, duel.challenger, duel.challenged, slot)
        self._count("n_forced_clue", duel.challenged)
        duel.clue = True

    def _note_held(self, duel: Duel) -> None:
        if duel.feature == ELEMENT:
            for seat in (duel.challenger, duel.challenged):
                held = {card.element for card in self._cards(seat)}
                self._count("held_light", seat, LIGHT in held)
                self._count("held_shadow", seat, SHADOW in held)

    def _duel(self, duel: Duel) -> Flow:
        """AL-24: rounds in the same feature until one wins or the cards run out."""
        while True:
            duel.rounds += 1
            winner = self._compare(duel, *(yield from self._both_play(duel)))
            if winner is not None:
                self._won(duel, winner)
                return
            self._use("AL-24")
            if self.variant["redraw_in_tie"]:
                for seat in (duel.challenger, duel.challenged):
                    self._draw_up(seat, "in_turn")
                    if self.over:
                        return
            if self._chain_over(duel):
                return

    def _both_play(self, duel: Duel) -> Generator[tuple[int, int, list[int]], int, tuple[Card, Card]]:
        """AL-21: both choose any card of the hand, seen or not, before either is shown; return the two cards."""
        first, second = duel.challenger, duel.challenged
        self._use("AL-21")
        _, mine, _ = split((yield STEP_FIRST, first, self._plays(first)))
        _, theirs, _ = split((yield STEP_SECOND, second, self._plays(second)))
        return self._play(duel, first, mine), self._play(duel, second, theirs)

    def _plays(self, seat: int) -> list[int]:
        return [code(PLAY, slot) for slot, card in enumerate(self.hands[seat]) if card is not None]

    def _play(self, duel: Duel, seat: int, slot: int) -> Card:
        card = self._card(seat, slot)
        self.hands[seat][slot] = None
        self.discards.append(card.place)
        told = card.told_element >= 0 if duel.feature == ELEMENT else card.told_level > 0
        held_as = 1 if not card.public else 2 if told or card.special == IS_SPECIAL else 3
        self.last_played[seat] = card, held_as
        self._say(f"Player {seat + 1} plays {card.name}{'' if held_as == 1 else ', hidden until now'}.")
        return card

    def _compare(self, duel: Duel, mine: Card, theirs: Card) -> int | None:
        """Return who wins the round, or None for a tie."""
        if duel.feature == ELEMENT:
            result = self._element_result(duel.challenger, mine, duel.challenged, theirs)
        else:
            result = self._level_result(mine, theirs)
        if result == 0:
            self._say("A tie.")
            return None
        winner, loser = (duel.challenger, duel.challenged) if result > 0 else (duel.challenged, duel.challenger)
        if duel.feature == ELEMENT:
            best, worst = (mine, theirs) if result > 0 else (theirs, mine)
            self._count("n_light", winner, best.element == LIGHT)
            self._count("n_shadow", loser, worst.element == SHADOW)
        return winner

    def _element_result(self, seat: int, mine: Card, other: int, theirs: Card) -> int:
        """AL-22: return 1 if the first card wins an element duel, -1 if the second, 0 for a tie."""
        self._use("AL-22")
        for who, card in ((seat, mine), (other, theirs)):
            if card.is_special and not self._has(who, "light" if card.element == LIGHT else "shadow"):
                return 0
        a, b = mine.element, theirs.element
        if a == b:
            return 0
        if {a, b} == {LIGHT, SHADOW}:
            sign = {"light": 1, "shadow": -1, "tie": 0}[self.variant["light_vs_shadow"]]
            return sign if a == LIGHT else -sign
        if LIGHT in (a, b):
            return 1 if a == LIGHT else -1
        if SHADOW in (a, b):
            return -1 if a == SHADOW else 1
        return 1 if (a, b) in {(0, 1), (1, 2), (2, 0)} else -1

    def _level_result(self, mine: Card, theirs: Card) -> int:
        """AL-23: the higher level wins."""
        self._use("AL-23")
        a, b = self._strength(mine), self._strength(theirs)
        return (a > b) - (a < b)

    def _strength(self, card: Card) -> int:
        """AL-03: the level, of special cards too; without one Light is above and Shadow below all others."""
        if card.is_special:
            self._use("AL-03")
            if self.variant["special_level"] == "none":
                return 16 if card.element == LIGHT else 0
        return card.level

    def _chain_over(self, duel: Duel) -> bool:
        """AL-26, AL-27: a hand is used up, or the chain has no end."""
        left = [len(self._cards(seat)) for seat in (duel.challenger, duel.challenged)]
        if min(left) > 0 and duel.rounds < CHAIN_MAX:
            return False
        if min(left) == 0 < max(left):
            self._use("AL-27")
            if self.variant["short_hand_tie"] == "no_gem":
                self._say("One hand is empty: nobody gets a gem.")
                self._close(duel, None, 0)
                self._draw_after(duel, None)
                return True
        self._use("AL-26")
        self._finish(ALL_WIN, range(self.n), "All hand cards are tied: the game ends for all.")
        self._close(duel, None, 0)
        return True

    def _won(self, duel: Duel, winner: int) -> None:
        """AL-07, AL-31: gems for the winner, who alone can come to the target."""
        stake = self._stake(duel, winner)
        self._take_gems(winner, stake)
        self._use("AL-31")
        gem = "gem" if stake == 1 else "gems"
        self._say(f"Player {winner + 1} wins {stake} {gem} and has {self.gems[winner]}.")
        self._follow_the_lead()
        target = self.variant["target"][self.n - 2]
        if self.gems[winner] >= target:
            self._use("AL-07")
            self._finish(WON, [winner], f"Player {winner + 1} has {target} gems or more and wins.")
        self._close(duel, winner, stake)
        if not self.over:
            self._draw_after(duel, winner)

    def _take_gems(self, winner: int, stake: int) -> None:
        """AL-32: the gems come from the supply, which suffices."""
        self.gems[winner] += stake
        if sum(self.gems) > self.variant["supply"]:
            raise AssertionError("AL-32: more gems on the table than there are")
        self._use("AL-32")

    def _stake(self, duel: Duel, winner: int) -> int:
        """AL-25: what this round is worth to its winner."""
        self._use("AL-25")
        stakes = self.variant["stakes"]
        grows = self._has(winner, "growing_stakes")
        if duel.rounds >= 2:
            self._count("n_growing_stakes", winner, grows)
            for seat in (duel.challenger, duel.challenged):
                self._count("held_growing_stakes", seat)
        return int(stakes[min(duel.rounds, len(stakes)) - 1] if grows else stakes[0])

    def _follow_the_lead(self) -> None:
        most = max(self.gems)
        if self.gems.count(most) == 1:
            now = self.gems.index(most)
            if self.leader not in (None, now):
                for seat in range(self.n):
                    self._count("lead_changes", seat)
            self.leader = now

    # --- drawing ----------------------------------------------------------------------------------------------------

    def _draw_after(self, duel: Duel, winner: int | None) -> None:
        """AL-28: both draw up; the winner's cards face the others, the loser's face the loser."""
        self._use("AL-28")
        if winner is None:
            order = [(duel.challenger, "in_turn"), (duel.challenged, "in_turn")]
        else:
            loser = duel.challenged if winner == duel.challenger else duel.challenger
            order = [(winner, self.variant["redraw_winner"]), (loser, self.variant["redraw_loser"])]
            if self.variant["draw_first"] == "loser":
                order.reverse()
        for seat, way in order:
            oriented = self._has(seat, "redraw_orientation")
            drawn = self._draw_up(seat, way if oriented else "in_turn")
            if winner is not None and drawn:
                self._count("held_redraw_orientation", seat)
                self._count("n_redraw_orientation", seat, oriented)
            if self.over:
                return

    def _draw_up(self, seat: int, way: str) -> int:
        """AL-29: fill the empty slots from the lowest one on; what stays is not touched."""
        if self._cards(seat):
            self._use("AL-29")
        drawn = 0
        while len(self._cards(seat)) < self.variant["hand_size"] and self._stock_ready():
            card = self._make(self.stock.pop(0))
            card.public = way == "public" or (way == "in_turn" and drawn % 2 == 1)
            self.hands[seat][self.hands[seat].index(None)] = card
            drawn += 1
            self._say(f"Player {seat + 1} draws {card.name}, seen by {'the others' if card.public else 'itself'}.")
        return drawn

    def _stock_ready(self) -> bool:
        """AL-30: whether there is a card to draw; an empty stock is dealt with as the variant says."""
        if self.stock:
            return True
        self._use("AL-30")
        way = self.variant["stock_out"]
        if way == "game_ends":
            self._end_by_gems("The stock is used up.")
        if way == "reshuffle" and self.discards:
            self.reshuffles += 1
            order = self.chance.stream(0, RESHUFFLE, None, self.reshuffles).permutation(PLACES)
            self.stock = [place for place in order if place in self.discards]
            self.discards = []
            self._say("The discards are shuffled and become the stock.")
        return bool(self.stock)

    # --- the end ----------------------------------------------------------------------------------------------------

    def _end_by_gems(self, why: str) -> None:
        """End the game without anybody at the target: the most gems win."""
        self._use("AL-30")
        most = max(self.gems)
        best = [seat for seat in range(self.n) if self.gems[seat] == most]
        self._finish(WON if len(best) == 1 else TIE, best, f"{why} The most gems win.")

    def _finish(self, end: int, winners: Sequence[int], sentence: str) -> None:
        self.over = True
        self.end = end
        for seat in winners:
            self.share[seat] = WHOLE // len(winners)
        self._say(sentence)

    def _close(self, duel: Duel, winner: int | None, stake: int) -> None:
        """Write the row of a duel and count for the game rows."""
        rows: dict[str, list[int]] = {name: [0] * self.n for name, _ in ROUND_COLUMNS}
        rows["starter"] = [duel.challenger] * self.n
        rows["turn"] = [self.turn] * self.n
        rows["feature"] = [duel.feature] * self.n
        rows["ended"] = [int(self.over)] * self.n
        for seat in (duel.challenger, duel.challenged):
            for name, value in self._contestant_row(duel, seat, winner, stake):
                rows[name][seat] = value
        first = not self.round_outcomes
        self.round_outcomes.append(rows)
        for seat in (duel.challenger, duel.challenged):
            self._count_duel(duel, seat, winner, stake, first)
            self.asks_since[seat] = 0
            self.after[seat] = 3 if winner is None else 1 if seat == winner else 2

    def _contestant_row(self, duel: Duel, seat: int, winner: int | None, stake: int) -> Iterator[tuple[str, int]]:
        card, held_as = self.last_played[seat]
        won = seat == winner
        yield "role", 1 if seat == duel.challenger else 2
        yield "challenger", int(seat == duel.challenger)
        yield "won", int(won)
        yield "gems", stake * won
        yield "chain", duel.rounds
        yield "clue", int(duel.clue and seat == duel.challenged)
        yield "held_as", held_as
        yield "element", card.element + 1
        yield "level", self._strength(card)
        yield "rank", duel.rank
        yield "asks_since", min(self.asks_since[seat], 5)
        yield "after", self.after[seat]
        yield "gems_before", self.gems[seat] - stake * won

    def _count_duel(self, duel: Duel, seat: int, winner: int | None, stake: int, first: bool) -> None:
        word = FEATURE_WORDS[duel.feature]
        self._count("duels", seat)
        self._count(f"duels_{word}", seat)
        if seat == winner:
            self._count("wins", seat)
            self._count("wins_challenger" if seat == duel.challenger else "wins_challenged", seat)
            self._count(f"gems_{word}", seat, stake)
            self._count("first_win", seat, first)
