"""Celestial Ranks in plain Python: the specification, the referee and the narrator.

Written from the rules alone, and nothing is taken from an engine. Every rule has an id: ``CR-05`` is row 5 of the table
of gaps in the game's rules page, ``CR-S3`` a plain rule of the seed's text. Rows that decide nothing while playing have
no entry here: the number of players (2), what is never asked (9, 38, 59, 60). `RULES` lists the ids, and each of them
stands in the docstring of one function, the one that carries the rule out. `CelestialRanks` plays one game.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sim.game import IllegalMoveError, code, split
from sim.games.celestial_ranks.numbers import (
    BLOCK,
    BLOCK_PLAY,
    BURY,
    COURT,
    COURT_NAMES,
    COURTS,
    DECLARE,
    DISCARD,
    DRAW,
    JOKER,
    LAY_AUTO,
    LAY_MELD,
    LAY_OFF,
    LAY_OFF_MANY,
    MELD_POINTS,
    OVERRIDE,
    OVERRIDE_PLAY,
    PICK,
    PLACES,
    RANK_NAMES,
    SHIFT,
    SHIFT_PLAY,
    SUIT_NAMES,
    WILD,
    card_name,
    contract_number,
    contract_text,
)
from sim.rng import DECK, RESHUFFLE, Chance
from sim.variant import Variant

_SEED = "seed text"
_PAGE = "the game's web page"
_RULING = "ruling where the text is silent"

RULES: dict[str, tuple[str, str]] = {
    "CR-S1": ("Every court has four contracts, one for each of its elements.", _SEED),
    "CR-S2": ("Before the deal every player names one element of the court that is still missing.", _SEED),
    "CR-S3": ("Each player is dealt the same number of cards, and one card more starts the discard pile.", _SEED),
    "CR-S4": ("The eldest starts the first round; turns go clockwise.", _SEED),
    "CR-S5": ("Whoever has collected the stated number of elements has finished.", _SEED),
    "CR-S6": ("A set is three or more cards of one rank.", _SEED),
    "CR-S7": ("A run is three or more cards in sequence; in a flush run they share a suit.", _SEED),
    "CR-S8": ("A turn begins with a card from the draw pile or the top of the discard pile.", _SEED),
    "CR-S9": ("Whoever holds the two melds of the declared contract may lay them down.", _SEED),
    "CR-S10": ("Whoever has laid down may add cards to melds on the table.", _SEED),
    "CR-S11": ("A turn ends with one card discarded.", _SEED),
    "CR-S12": ("The round ends when a player has no card left.", _SEED),
    "CR-S13": ("Whoever laid down keeps the element; the others have not earned theirs.", _SEED),
    "CR-S14": ("A two-eyed queen, played on one's turn, fetches a card of one's choice from the draw pile.", _SEED),
    "CR-S15": ("A Joker cancels a Shift; further Jokers beat one another and the last one wins.", _SEED),
    "CR-S16": ("A Joker stands for any card of a set or run.", _SEED),
    "CR-01": ("Two packs of 52 and four Jokers are shuffled together.", _PAGE),
    "CR-03": ("No two players draw the same court.", _RULING),
    "CR-04": ("Only the discard that ends a turn may leave a hand without a card.", _SEED),
    "CR-05": ("Cards are laid off on melds of opponents, not on one's own.", _SEED),
    "CR-06": ("A meld that is laid down may be longer than its contract asks.", _RULING),
    "CR-07": ("Laying off is allowed in the very turn of laying down.", _RULING),
    "CR-08": ("The two melds of a contract share no card and go down in one turn.", _RULING),
    "CR-10": ("Two sets of one contract may have the same rank.", _RULING),
    "CR-11": ("With two packs a set may hold a suit twice.", _RULING),
    "CR-12": ("A run that is not a flush run mixes suits freely.", _SEED),
    "CR-13": ("The Ace stands below the 2 or above the King.", _SEED),
    "CR-14": ("A run reaches at most from Ace to Ace; nothing is added beyond an Ace.", _RULING),
    "CR-15": ("A meld with natural cards holds fewer Jokers than naturals.", _SEED),
    "CR-16": ("The limit on Jokers holds after every lay-off too.", _RULING),
    "CR-17": ("A meld of Jokers only has at least three, and as many as its contract asks.", _SEED),
    "CR-18": (
        "Its owner says what a meld of Jokers only means; naturals that outnumber it may join.",
        _RULING,
    ),
    "CR-19": ("A Joker in a flush run takes the suit of the run.", _RULING),
    "CR-20": ("The place of a Joker in a run is settled when it is played.", _RULING),
    "CR-21": ("A Joker on the table is not exchanged for the card that it stands for.", _RULING),
    "CR-22": ("A Joker that lies in a meld blocks nothing.", _SEED),
    "CR-23": ("The queens of hearts and diamonds are two-eyed.", _SEED),
    "CR-24": ("In a meld a two-eyed queen is a queen like any other.", _RULING),
    "CR-25": ("A Shift is played after the draw and before the discard.", _RULING),
    "CR-26": ("Several Shifts may be played in one turn.", _RULING),
    "CR-27": ("Without a draw pile there is nothing to search and no Shift.", _RULING),
    "CR-28": ("An empty draw pile is made again from the discard pile, whose top card stays.", _SEED),
    "CR-29": ("If no card can be drawn the draw is skipped; a round may end with nobody out.", _RULING),
    "CR-30": ("The queen of a Shift that nobody blocked is shuffled into the draw pile.", _RULING),
    "CR-31": ("The searcher sees and chooses among the whole draw pile.", _RULING),
    "CR-32": ("A discarded Joker or two-eyed queen buries the discard pile, itself included.", _SEED),
    "CR-33": ("A discard that empties the hand ends the round and buries nothing.", _RULING),
    "CR-34": ("The card flipped at the deal buries nothing.", _RULING),
    "CR-35": ("Buried cards are shuffled and lie below all others of the draw pile.", _RULING),
    "CR-36": ("The last card of a hand has to be discarded.", _SEED),
    "CR-37": ("One may go out in the turn of laying down.", _RULING),
    "CR-39": ("The card just taken from the discard pile may be discarded again.", _RULING),
    "CR-40": ("Declarations are made together and are public.", _RULING),
    "CR-41": ("The missing elements are collected in any order.", _RULING),
    "CR-42": ("Whoever failed an element has to try it again.", _RULING),
    "CR-43": ("The start of the round moves on clockwise.", _RULING),
    "CR-44": ("The winner is found when the round is over.", _RULING),
    "CR-45": ("The only finisher wins, out or not.", _RULING),
    "CR-46": ("Of several finishers the one who went out wins; otherwise all of them lose that element.", _SEED),
    "CR-47": ("Blocks are offered clockwise, and again after each Joker, starting at its player's left.", _RULING),
    "CR-48": ("The Shifter may answer with a Joker; it wins replacements, the Shift stays cancelled.", _RULING),
    "CR-49": ("Nobody beats a Joker of his own.", _RULING),
    "CR-50": ("A blocked Shift is lost together with its queen.", _RULING),
    "CR-51": ("The last Joker's player draws one card for each card spent in the skirmish, and one more.", _SEED),
    "CR-52": ("The others get nothing for what they played and go on with fewer cards.", _SEED),
    "CR-53": ("A queen may override when all Jokers of the deck lie in the skirmish.", _SEED),
    "CR-54": ("Anybody but the last Joker's player may override, in the same order, once.", _RULING),
    "CR-55": ("Whoever overrides fetches two cards of the draw pile; the last Joker wins nothing then.", _SEED),
    "CR-56": ("A Joker or queen that is the last card of a hand cannot be played in a skirmish.", _RULING),
    "CR-57": ("Cards of a blocked Shift are out until the next round.", _SEED),
    "CR-58": ("Whoever has laid down may still shift and block.", _RULING),
    "CR-CAP": ("After the last round that is allowed the game ends undecided, in equal shares.", "our own limit"),
}

WHOLE = 27720  # a whole win; stated here too, so that the referee would notice another unit in the engine
END_WON, END_TIE, END_CAP = 0, 1, 4
SET, RUN, FLUSH = range(3)
KIND_LETTERS = "SRF"
SUIT_ORDER = (0, 3, 1, 2)  # which of several equal cards goes into a meld first: the red queens are worth keeping
MOST_MELDS = 200  # so many melds are offered at most in one step


def rank_of(card: int) -> int:
    """Return the rank of a natural card, Ace = 0."""
    return card % 13


def suit_of(card: int) -> int:
    """Return the suit of a natural card."""
    return card // 13


def rank_at(position: int) -> int:
    """Return the rank at a place of a run: 1 and 14 are the Ace (0 would be a King, 15 a 2)."""
    return (position - 1) % 13


def run_places(ace: str) -> tuple[int, int]:
    """CR-13: return the lowest and highest place of a run: the Ace is at 1, at 14 or at both, never in between."""
    return 2 if ace == "high" else 1, 13 if ace == "low" else 14


@dataclass
class Meld:
    """A meld on the table.

    Parameters
    ----------
    kind
        SET, RUN or FLUSH.
    start
        The rank of a set, the position of the lowest card of a run.
    cards
        In the order of the positions for a run.
    suit
        The suit of a flush run, otherwise -1.
    """

    kind: int
    start: int
    cards: list[int]
    suit: int = -1

    @property
    def jokers(self) -> int:
        """How many Jokers lie in it."""
        return self.cards.count(JOKER)

    @property
    def high(self) -> int:
        """The position of the highest card of a run."""
        return self.start + len(self.cards) - 1

    def place(self, end: int) -> int:
        """Return the position next to one end of a run."""
        return self.high + 1 if end else self.start - 1

    def wanted_rank(self, end: int) -> int:
        """Return the rank of the natural that fits next: the set's own, or the neighbour of a run."""
        return self.start if self.kind == SET else rank_at(self.place(end))

    def belongs(self, card: int, place: int) -> bool:
        """CR-19: whether a natural is the card of a place, in a flush run of its suit; a Joker there stands for it."""
        return card != JOKER and rank_of(card) == rank_at(place) and self.suit in (-1, suit_of(card))

    def words(self) -> str:
        """Return the meld as it is told."""
        return " ".join(card_name(card) for card in self.cards)


@dataclass(frozen=True)
class Lay:
    """A meld that can be laid down: its two code arguments, its cards, what it will be on the table."""

    a: int
    b: int
    cards: tuple[int, ...]
    kind: int
    start: int
    suit: int

    @property
    def number(self) -> int:
        """Its place in the order of the options."""
        return self.a * 1024 + self.b

    @property
    def jokers(self) -> int:
        """How many Jokers it takes."""
        return self.cards.count(JOKER)

    @property
    def set_rank(self) -> int | None:
        """The rank of a set with naturals, otherwise None."""
        return self.start if self.kind == SET and self.jokers < len(self.cards) else None


@dataclass(frozen=True)
class Hand:
    """The cards that are there for a lay-down: naturals by type, Jokers, and how many may go."""

    held: tuple[int, ...]
    jokers: int
    room: int

    def without(self, cards: Iterable[int]) -> Hand:
        """Return what is left when some cards have gone."""
        held, jokers, room = list(self.held), self.jokers, self.room
        for card in cards:
            room -= 1
            if card == JOKER:
                jokers -= 1
            else:
                held[card] -= 1
        return Hand(tuple(held), jokers, room)

    def of_rank(self, rank: int) -> list[int]:
        """Return the naturals of a rank in the order in which they go, copies side by side."""
        return [rank + 13 * suit for suit in SUIT_ORDER for _ in range(self.held[rank + 13 * suit])]


def requirements(contract: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two melds of a contract as (kind, length): sets, then flush runs, then runs."""
    parts = sorted(contract_text(contract).split(), key=lambda part: "SFR".index(part[0]))
    first, second = ((KIND_LETTERS.index(part[0]), int(part[1])) for part in parts)
    return first, second


class MeldRules:
    """What is a meld, as the variant has it."""

    def __init__(self, variant: Variant) -> None:
        self.exact = variant["laydown_extra"] == "exact"
        self.short_jokers = variant["alljoker_any_requirement"]
        self.limit = variant["joker_limit"]
        self.distinct_suits = variant["set_distinct_suits"]
        self.distinct_ranks = variant["distinct_ranks_for_two_sets"]
        self.first_place, self.last_place = run_places(variant["ace"])
        self.keep = 0 if variant["goout"] == "meld_all_ok" else 1

    def room(self, cards: int) -> int:
        """CR-04: how many of so many cards may be melded: one is kept for the discard."""
        return cards - self.keep

    def within_limit(self, naturals: int, jokers: int) -> bool:
        """CR-15: naturals outnumber Jokers in a mixed meld; a meld of Jokers only has no limit."""
        if naturals == 0 or self.limit == "none":
            return True
        return jokers <= 1 if self.limit == "one_per_meld" else naturals > jokers

    def long_enough(self, needed: int, naturals: int, jokers: int) -> bool:
        """CR-06, CR-17: the length reaches what is asked, and three; three Jokers may be enough by themselves."""
        length = naturals + jokers
        if self.exact and length > needed:
            return False
        if naturals == 0:
            return length >= 3 and (length >= needed or self.short_jokers)
        return length >= needed

    def is_meld(self, needed: int, naturals: int, jokers: int) -> bool:
        """Say whether numbers of naturals and Jokers make a meld of the contract."""
        return self.long_enough(needed, naturals, jokers) and self.within_limit(naturals, jokers)

    def sets_fit(self, cards: Sequence[int], jokers: int) -> bool:
        """CR-11: with `set_distinct_suits` no suit twice, and a Joker takes one of the four suits."""
        if not self.distinct_suits:
            return True
        return len({suit_of(card) for card in cards}) == len(cards) and len(cards) + jokers <= 4

    def sets(self, req: int, needed: int, hand: Hand) -> Iterator[Lay]:
        """CR-S6: sets with naturals; every choice of the cards of a rank, to be told apart by their numbers."""
        for rank in range(13):
            have = hand.of_rank(rank)
            for naturals in range(1, len(have) + 1):
                for jokers in range(hand.jokers + 1):
                    if naturals + jokers > hand.room or not self.is_meld(needed, naturals, jokers):
                        continue
                    for cards in dict.fromkeys(itertools.combinations(have, naturals)):
                        if self.sets_fit(cards, jokers):
                            together = cards + (JOKER,) * jokers
                            yield Lay(req * 512 + 128 + rank, naturals * 16 + jokers, together, SET, rank, -1)

    def natural_at(self, position: int, suit: int, hand: Hand, taken: Sequence[int]) -> int:
        """CR-12: return the natural that goes to a place, of any suit but in a flush run; a Joker if none is left."""
        rank = rank_at(position)
        for choice in SUIT_ORDER if suit < 0 else (suit,):
            card = rank + 13 * choice
            if hand.held[card] > (taken.count(card) if position == 14 else 0):
                return card
        return JOKER

    def spared(self, lay: Lay, hand: Hand) -> Iterator[Lay]:
        """Return a run, then the same places with more and more Jokers where naturals lay.

        Only the first of two runs needs it: the second one may want these naturals.
        """
        yield lay
        naturals = [i for i, card in enumerate(lay.cards) if card != JOKER]
        for more in range(1, len(naturals)):
            jokers = lay.jokers + more
            if jokers > hand.jokers or not self.within_limit(len(naturals) - more, jokers):
                return
            for places in itertools.combinations(naturals, more):
                cards: list[int] = []
                for i in range(len(lay.cards)):
                    cards.append(JOKER if i in places else self.natural_at(lay.start + i, lay.suit, hand, cards))
                yield Lay(lay.a, lay.b + more, tuple(cards), lay.kind, lay.start, lay.suit)

    def runs(self, req: int, kind: int, needed: int, hand: Hand) -> Iterator[Lay]:
        """CR-S7: runs in every window; a Joker stands where the hand has no natural."""
        for suit in range(4) if kind == FLUSH else (-1,):
            for low in range(self.first_place, self.last_place + 1):
                cards: list[int] = []
                jokers = 0
                for position in range(low, min(self.last_place, low + hand.room - 1) + 1):
                    card = self.natural_at(position, suit, hand, cards)
                    cards.append(card)
                    jokers += card == JOKER
                    if jokers > hand.jokers:
                        break
                    naturals = len(cards) - jokers
                    if naturals and self.is_meld(needed, naturals, jokers):
                        a = req * 512 + (4 if suit < 0 else suit) * 16 + low
                        yield Lay(a, len(cards) * 16 + jokers, tuple(cards), kind, low, suit)

    def joker_melds(self, req: int, kind: int, needed: int, hand: Hand) -> Iterator[Lay]:
        """CR-18: melds of Jokers only, with every meaning that their owner can declare."""
        for length in range(3, min(hand.jokers, hand.room) + 1):
            if not self.is_meld(needed, 0, length):
                continue
            cards, b = (JOKER,) * length, length * 17
            if kind == SET:
                if self.sets_fit((), length):
                    yield from (Lay(req * 512 + 384 + rank, b, cards, SET, rank, -1) for rank in range(13))
                continue
            for suit in range(4) if kind == FLUSH else (-1,):
                for low in range(self.first_place, self.last_place - length + 2):
                    a = req * 512 + 256 + (4 if suit < 0 else suit) * 16 + low
                    yield Lay(a, b, cards, kind, low, suit)

    def melds(self, req: int, requirement: tuple[int, int], hand: Hand) -> Iterator[Lay]:
        """Return all melds of a requirement, several choices of cards under one number included."""
        kind, needed = requirement
        if kind == SET:
            yield from self.sets(req, needed, hand)
        else:
            yield from self.runs(req, kind, needed, hand)
        yield from self.joker_melds(req, kind, needed, hand)

    def ranks_differ(self, first: int | None, second: Lay) -> bool:
        """CR-10: with `distinct_ranks_for_two_sets` the second set has another rank."""
        return not self.distinct_ranks or first is None or second.set_rank != first

    def second_melds(self, requirement: tuple[int, int], hand: Hand, first: int | None) -> list[Lay]:
        """Return the melds for requirement 1, one for each number, ascending; `first` is the rank of the other set."""
        found: dict[int, Lay] = {}
        for lay in self.melds(1, requirement, hand):
            if self.ranks_differ(first, lay):
                found.setdefault(lay.number, lay)
        return [found[number] for number in sorted(found)]

    def first_melds(self, contract: int, hand: Hand) -> list[Lay]:
        """CR-08: return the melds for requirement 0 that leave a meld for requirement 1, ascending."""
        first, second = requirements(contract)
        found: dict[int, Lay] = {}
        known: dict[tuple[Hand, int | None], bool] = {}

        def leaves_a_second(lay: Lay) -> bool:
            rest = (hand.without(lay.cards), lay.set_rank if self.distinct_ranks else None)
            if rest not in known:
                known[rest] = any(self.ranks_differ(rest[1], other) for other in self.melds(1, second, rest[0]))
            return known[rest]

        for lay in self.melds(0, first, hand):
            if lay.number in found:
                continue
            mixed_run = lay.kind != SET and lay.jokers < len(lay.cards)
            for choice in self.spared(lay, hand) if mixed_run else (lay,):
                if leaves_a_second(choice):
                    found[choice.number] = choice
                    break
        return [found[number] for number in sorted(found)]

    def arranged(self, contract: int, hand: Hand) -> tuple[Lay, Lay]:
        """Return the arrangement of LAY_AUTO: fewest Jokers, most cards, lowest numbers."""
        second = requirements(contract)[1]
        best: tuple[tuple[int, int, int, int], Lay, Lay] | None = None
        for lay in sorted(self.first_melds(contract, hand), key=lambda lay: lay.jokers):
            if best is not None and lay.jokers > best[0][0]:
                break
            for other in self.second_melds(second, hand.without(lay.cards), lay.set_rank):
                jokers, cards = lay.jokers + other.jokers, len(lay.cards) + len(other.cards)
                value = (jokers, -cards, lay.number, other.number)
                if best is None or value < best[0]:
                    best = (value, lay, other)
        if best is None:
            raise ValueError("there is nothing to arrange")
        return best[1], best[2]

    def hand(self, cards: Sequence[int], wild: bool = True) -> Hand:
        """CR-S16: return what a hand has for a lay-down; Jokers stand for any card if they are wild."""
        held = [0] * 52
        for card in cards:
            if card != JOKER:
                held[card] += 1
        return Hand(tuple(held), cards.count(JOKER) if wild else 0, self.room(len(cards)))

    def refuses(self, meld: Meld, card: int, end: int) -> str | None:
        """CR-16: return why a meld does not take a card, the limit on Jokers among the reasons, or None."""
        if meld.kind == SET:
            wrong = self._set_refuses(meld, card, end)
        else:
            wrong = self._run_refuses(meld, card, end)
        if wrong is not None:
            return wrong
        jokers = meld.jokers + (card == JOKER)
        if not self.within_limit(len(meld.cards) + 1 - jokers, jokers):
            return f"CR-16: {meld.words()} and {card_name(card)} would hold too many Jokers"
        return None

    def _set_refuses(self, meld: Meld, card: int, end: int) -> str | None:
        if end != 0 or (card != JOKER and rank_of(card) != meld.start):
            return f"CR-S6: {card_name(card)} has not the rank of the set {meld.words()}"
        naturals = [c for c in (*meld.cards, card) if c != JOKER]
        if not self.sets_fit(naturals, len(meld.cards) + 1 - len(naturals)):
            return f"CR-11: no suit is left for {card_name(card)} in {meld.words()}"
        return None

    def _run_refuses(self, meld: Meld, card: int, end: int) -> str | None:
        """CR-14: return why a run does not take a card at an end; beyond an Ace there is no place."""
        place = meld.place(end)
        if card != JOKER:
            if rank_of(card) != rank_at(place):
                return f"CR-S7: {card_name(card)} does not continue {meld.words()}"
            if meld.kind == FLUSH and suit_of(card) != meld.suit:
                return f"CR-S7: {card_name(card)} has not the suit of {meld.words()}"
        if not self.first_place <= place <= self.last_place:
            rule = "CR-13" if place in (1, 14) else "CR-14"
            return f"{rule}: the run {meld.words()} has no place left at that end"
        return None

    def several(self, meld: Meld, cards: Sequence[int], low: int, high: int) -> list[int] | None:
        """Return the naturals that go to a meld of Jokers only together, in the order of placing, or None."""
        jokers = len(meld.cards)
        if self.limit != "strict" or meld.jokers != jokers or not low + high > jokers:
            return None
        if meld.kind == SET:
            same = sorted(c for c in cards if c != JOKER and rank_of(c) == meld.start)[:low]
            fits = high == 0 and len(same) == low and self.sets_fit(same, jokers)
            return same if fits else None
        if meld.start - low < self.first_place or meld.high + high > self.last_place:
            return None
        left, taken = sorted(cards), []
        for place in (*(meld.start - 1 - i for i in range(low)), *(meld.high + 1 + i for i in range(high))):
            right = [c for c in left if meld.belongs(c, place)]
            if not right:
                return None
            left.remove(right[0])
            taken.append(right[0])
        return taken


def can_lay(cards: Sequence[int], contract: int | str, variant: Variant, wild: bool = True) -> bool:
    """Say whether a hand after the draw can lay down a contract.

    Parameters
    ----------
    cards
        Card types, Jokers included.
    contract
        Its number or its text ("S3 R3").
    variant
        The rules.
    wild
        Whether the player's Jokers are wild.
    """
    rules = MeldRules(variant)
    number = contract_number(contract) if isinstance(contract, str) else contract
    return bool(rules.first_melds(number, rules.hand(list(cards), wild)))


@dataclass
class Skirmish:
    """A Shift and what answers it.

    Parameters
    ----------
    shifter, queen
        Who plays the Shift, and with which card.
    spent
        How many cards each seat has put in.
    jokers
        The seats that played a Joker, in order.
    asked
        The seats that are still to be asked.
    cards
        The queens and Jokers on the table.
    """

    shifter: int
    queen: int
    spent: list[int]
    jokers: list[int]
    asked: list[int]
    cards: list[int]


ROUND_COLUMNS = (
    "starter",
    "distance",
    "contract",
    "element",
    "had",
    "laid",
    "laid_turn",
    "turns",
    "left",
    "out",
    "collected",
    "tries",
    "last",
    "idle",
    "capped",
    "shifts",
    "shifts_met",
    "retrumped",
    "all_rows",
)
GAME_COLUMNS = (
    "court",
    "share",
    "points",
    "rounds",
    "turns",
    "end",
    "lead_changes",
    "n_shift",
    "n_block",
    "n_override",
    "n_wild",
    "n_bury",
    "held_shift",
    "held_block",
    "held_override",
    "held_wild",
    "held_bury",
)


class CelestialRanks:
    """One game of Celestial Ranks.

    Parameters
    ----------
    variant
        A resolved variant of the game.
    seats
        For each seat something with `side` (place in COURT_NAMES), `packet` and `off` (bit mask of abilities).
    chance
        The chance of the deal.

    Attributes
    ----------
    hands, melds
        Per seat: sorted card types; the melds on the table.
    round
        Rounds count from 0, also as part of the names of the streams of chance.
    pile, discards, limbo
        The draw pile (top first), the discard pile (top last), the cards that are out until the next round.
    """

    def __init__(self, variant: Variant, seats: Sequence[Any], chance: Chance) -> None:
        self.variant = variant
        self.chance = chance
        self.n = len(seats)
        self.rules = MeldRules(variant)
        self.sides = [int(seat.side) for seat in seats]
        self.packets = [int(seat.packet) for seat in seats]
        self.off = [_closed(int(seat.off)) for seat in seats]
        self.uses: Counter[str] = Counter()
        self.story: list[str] = []
        self.over = False
        self.actor = 0
        self.round = 0
        self.starter = 0
        self.got: list[list[int]] = [[] for _ in range(self.n)]
        self.failed: list[int | None] = [None] * self.n
        self.before: list[int] = [-1] * self.n
        self.tries = [0] * self.n
        self.leader: int | None = None
        self.totals = {column: [0] * self.n for column in GAME_COLUMNS}
        self.round_outcomes: list[dict[str, list[int]]] = []
        self._offered: list[int] | None = None
        self._clear_table()
        if variant["court_assignment"] == "choose":
            self.sides = []
            self.phase = "court"
        else:
            self._use("CR-03", "CR-S1")
            self._begin_round()

    # ----------------------------------------------------------------------------------------------- the interface

    def options(self) -> list[int]:
        """Return the codes that the actor may choose, ascending."""
        if self.over:
            return []
        if self._offered is None:
            self._offered = sorted(getattr(self, f"_{self.phase}_options")())
        return list(self._offered)

    def apply(self, code: int) -> None:
        """Carry out one code; raise IllegalMoveError with the rule id otherwise."""
        kind, a, b = split(code)
        if self.over:
            raise IllegalMoveError("CR-44: the game is over")
        if code not in self.options():
            raise IllegalMoveError(self._why_not(kind, a, b))
        if self.phase == "action" and not self.discards_only():
            self.idle = False
        self._offered = None
        _DO[kind](self, a, b)

    def discards_only(self) -> bool:
        """Say whether the actor can do nothing but discard."""
        return all(split(c)[0] == DISCARD for c in self.options())

    def visible(self) -> dict[str, Any]:
        """Return what can be compared with the engine's state."""
        return {
            "actor": self.actor,
            "round": len(self.round_outcomes),
            "turn_seat": self.turn_seat,
            "hands": [sorted(hand) for hand in self.hands],
            "stock": len(self.pile),
            "discard": list(self.discards),
            "out_of_play": sorted(self.limbo + self._lost()),
            "melds": [[[m.kind, m.start, len(m.cards), m.jokers, m.suit] for m in melds] for melds in self.melds],
            "laid": [int(laid) for laid in self.laid],
            "contracts": list(self.contracts),
            "got": [sorted(places) for places in self.got],
        }

    def _lost(self) -> list[int]:
        """Return the cards of a running skirmish that will not come back: all of them from the first Joker on."""
        return self.skirmish.cards if self.skirmish is not None and self.skirmish.jokers else []

    def outcome(self) -> dict[str, list[int]]:
        """Return the game rows: {column: [per seat]}."""
        return {column: list(values) for column, values in self.totals.items()}

    def _use(self, *rules: str) -> None:
        for rule in rules:
            if rule not in RULES:
                raise KeyError(rule)
            self.uses[rule] += 1

    def _tell(self, sentence: str) -> None:
        self.story.append(sentence)

    def name(self, seat: int) -> str:
        """Return what a seat is called in the story."""
        court = f" ({COURT_NAMES[self.sides[seat]]})" if seat < len(self.sides) else ""
        return f"Seat {seat}{court}"

    def _off(self, seat: int, ability: int) -> bool:
        return bool(self.off[seat] >> ability & 1)

    def _clockwise_from_left_of(self, seat: int) -> list[int]:
        """Return all others, clockwise, starting at the left of a seat."""
        return [(seat + i) % self.n for i in range(1, self.n)]

    # ------------------------------------------------------------------------------------- courts and declarations

    def _court_options(self) -> list[int]:
        """CR-03: a court that nobody has taken."""
        return [code(COURT, court) for court in range(len(COURT_NAMES)) if court not in self.sides]

    def _do_court(self, court: int, _: int) -> None:
        self._use("CR-03", "CR-S1")
        self.sides.append(court)
        self._tell(f"Seat {self.actor} takes the court {COURT_NAMES[court]} (CR-03).")
        if len(self.sides) < self.n:
            self.actor += 1
        else:
            self._begin_round()

    def elements(self, seat: int) -> list[tuple[str, int]]:
        """CR-S1: return the elements of a seat's court in printed order, with the numbers of their contracts."""
        court = list(COURTS)[self.sides[seat]]
        return [(element, contract_number(self.variant[f"contracts.{court}.{element}"])) for element in COURTS[court]]

    def _clear_table(self) -> None:
        self.hands: list[list[int]] = [[] for _ in range(self.n)]
        self.melds: list[list[Meld]] = [[] for _ in range(self.n)]
        self.pile: list[int] = []
        self.discards: list[int] = []
        self.limbo: list[int] = []
        self.skirmish: Skirmish | None = None
        self.picks = 0
        self.laid = [False] * self.n
        self.contracts = [-1] * self.n
        self.declared: list[int] = []
        self.row = {column: [0] * self.n for column in ROUND_COLUMNS}
        self.met = {"shift": [False] * self.n, "joker": [False] * self.n}
        self.turn_seat = -1
        self.shuffles = 0
        self.skipped = 0
        self.fetched = -1

    def _begin_round(self) -> None:
        self.round = len(self.round_outcomes)
        if self.limbo:
            self._use("CR-57")
        self._clear_table()
        self._tell(f"Round {self.round + 1}.")
        self.phase, self.actor = "declare", 0

    def declarable(self, seat: int) -> list[int]:
        """CR-S2, CR-41, CR-42: return the places of the elements that a seat may name."""
        failed = self.failed[seat]
        if self.variant["retry"] == "locked" and failed is not None:
            return [failed]
        missing = [place for place in range(4) if place not in self.got[seat]]
        order = self.variant["element_order"]
        if order == "free":
            return missing
        if order == "listed":
            return missing[:1]
        sign = 1 if order == "easiest_first" else -1

        def difficulty(place: int) -> tuple[int, int, int]:
            contract = self.elements(seat)[place][1]
            return sign * sum(MELD_POINTS[part] for part in contract_text(contract).split()), contract, place

        return [min(missing, key=difficulty)]

    def _declare_options(self) -> list[int]:
        elements = self.elements(self.actor)
        return [code(DECLARE, elements[place][1], place) for place in self.declarable(self.actor)]

    def _do_declare(self, contract: int, place: int) -> None:
        seat = self.actor
        locked = self.failed[seat] is not None and self.variant["retry"] == "locked"
        self._use("CR-S2", "CR-42" if self.failed[seat] is not None else "CR-41")
        self.declared.append(place)
        again = " again (CR-42)" if locked else ""
        self._tell(f"{self.name(seat)} declares {self.elements(seat)[place][0]}, {contract_text(contract)}{again}.")
        if len(self.declared) < self.n:
            self.actor += 1
            return
        self._reveal()
        self._deal()
        self._begin_turn(self.starter)

    def _reveal(self) -> None:
        """CR-40: all declarations take effect together, and everybody knows them."""
        self._use("CR-40")
        for who, declared in enumerate(self.declared):
            self._start_row(who, declared)

    def _start_row(self, seat: int, place: int) -> None:
        self.contracts[seat] = self.elements(seat)[place][1]
        self.tries[seat] = self.tries[seat] + 1 if self.before[seat] == place else 1
        self.before[seat] = place
        had = len(self.got[seat])
        values = {
            "starter": self.starter,
            "distance": (seat - self.starter) % self.n,
            "contract": self.contracts[seat],
            "element": place,
            "had": had,
            "tries": self.tries[seat],
            "last": int(had == self.variant["elements_to_win"] - 1),
            "all_rows": 1,
        }
        for column, value in values.items():
            self.row[column][seat] = value

    # -------------------------------------------------------------------------------------------- deal and shuffles

    def _deal(self) -> None:
        """CR-01, CR-S3, CR-34: the pack in the order of the deal's shuffle, dealt card by card to the packets."""
        self._use("CR-01", "CR-S3")
        decks, jokers = self.variant["decks"], self.variant["jokers"]
        order = self.chance.stream(self.round, DECK, None, 0).permutation(PLACES)
        there = [place for place in order if (place < 52 * decks if place < 104 else place < 104 + jokers)]
        pack = [JOKER if place >= 104 else place % 52 for place in there]
        dealt = self.variant["cards_dealt"] * self.n
        for seat, packet in enumerate(self.packets):
            for card in pack[packet : dealt : self.n]:
                self._gain(seat, card)
        self.discards = [pack[dealt]]
        self.pile = pack[dealt + 1 :]
        self._tell(f"{self.variant['cards_dealt']} cards each are dealt, {card_name(pack[dealt])} is flipped.")
        if self.is_trigger(pack[dealt]):
            self._use("CR-34")
            self._tell("It was flipped, not discarded: nothing is buried (CR-34).")

    def _gain(self, seat: int, card: int) -> None:
        """Put a card into a hand."""
        self.hands[seat].append(card)
        self.hands[seat].sort()
        if card == JOKER:
            self.met["joker"][seat] = True
        elif self.is_shift_queen(card):
            self.met["shift"][seat] = True

    def _shuffled(self, cards: Sequence[int]) -> list[int]:
        """Return cards in the order of the round's next shuffle; none at all are not shuffled."""
        if not cards:
            return []
        order = self.chance.stream(self.round, RESHUFFLE, None, self.shuffles).permutation(PLACES)
        self.shuffles += 1
        copies = Counter(cards)
        made = []
        for place in order:
            card, copy = (JOKER, place - 104) if place >= 104 else (place % 52, place // 52)
            if copy < copies[card]:
                made.append(card)
        return made

    def _refill(self) -> None:
        """CR-28: an empty draw pile is made again at once from the discard pile without its top card."""
        if self.pile or len(self.discards) < 2:
            return
        self._use("CR-28")
        self.pile = self._shuffled(self.discards[:-1])
        self.discards = self.discards[-1:]
        self._tell("The draw pile is empty: the discard pile is shuffled, its top card stays (CR-28).")

    # -------------------------------------------------------------------------------------------------------- turns

    def _begin_turn(self, seat: int) -> None:
        """CR-S4: the next turn, clockwise, unless nothing goes on any more."""
        if self._is_stuck(seat):
            self._end_round(None)
            return
        self._use("CR-S4")
        self.row["turns"][seat] += 1
        self.turn_seat = self.actor = seat
        self.phase = "draw"
        self.drawn = False
        self.idle = True
        self.turn_shifts = 0
        self.fetched = -1

    def _is_stuck(self, seat: int) -> bool:
        """CR-29: draws are skipped where no card is; after a lap of that, or at the cap, the round ends, nobody out."""
        if self.row["turns"][seat] < self.variant["turn_cap"] and self.skipped < self.n:
            return False
        self._use("CR-29")
        self._tell("Nothing goes on any more: the round ends with nobody out (CR-29).")
        return True

    def _draw_options(self) -> list[int]:
        """CR-S8, CR-25: draw pile, discard pile, or nothing; a Shift if it may be played at any time."""
        found = [code(DRAW, 0)] if self.pile else [code(DRAW, 2)]
        if self.discards:
            found.append(code(DRAW, 1))
        shifts = self._shift_options(self.actor)
        if shifts:
            self._use("CR-25")
        return found + (shifts if self.variant["shift_timing"] == "any_time_on_turn" else [])

    def _do_draw(self, source: int, _: int) -> None:
        seat = self.actor
        self.drawn, self.phase = True, "action"
        if source == 2:
            self._use("CR-29")
            self.skipped += 1
            self._tell(f"{self.name(seat)} can draw nothing (CR-29).")
            return
        self._use("CR-S8")
        self.skipped = 0
        card = self.pile.pop(0) if source == 0 else self.discards.pop()
        self.fetched = card if source == 1 else -1
        self._gain(seat, card)
        self._tell(f"{self.name(seat)} draws {card_name(card)} from the {('draw', 'discard')[source]} pile.")
        self._refill()

    def _action_options(self) -> list[int]:
        """Return everything that may be done between draw and discard, the discards included."""
        seat = self.actor
        found = self._lay_off_options(seat) if self.laid[seat] else self._lay_down_options(seat)
        return found + self._shift_options(seat) + self._discard_options(seat)

    def _discard_options(self, seat: int) -> list[int]:
        """CR-39: any card of the hand, the one just taken from the discard pile too."""
        return [code(DISCARD, card) for card in dict.fromkeys(self.hands[seat])]

    def _resume_turn(self) -> None:
        self.actor = self.turn_seat
        self.phase = "action" if self.drawn else "draw"

    def _do_discard(self, card: int, _: int) -> None:
        """CR-S11: one card discarded ends the turn."""
        seat = self.actor
        self._use("CR-S11")
        if card == self.fetched:
            self._use("CR-39")
        if self.laid[seat] and self._swap_refused(card):
            self._use("CR-21")
        self.hands[seat].remove(card)
        self.discards.append(card)
        self._tell(f"{self.name(seat)} discards {card_name(card)}.")
        if self.idle:
            self.row["idle"][seat] += 1
        if not self.hands[seat]:
            self._discarded_last(seat, card)
            return
        self._bury(seat, card)
        self._refill()
        self._begin_turn((seat + 1) % self.n)

    def _discarded_last(self, seat: int, card: int) -> None:
        """CR-33, CR-36: the last card of a hand, which has to be discarded, ends the round and buries nothing."""
        self._use("CR-36")
        if self._buries(seat, card):
            self._use("CR-33")
            self._tell("The round is over before anything could be buried (CR-33).")
        self._go_out(seat)

    def _swap_refused(self, card: int) -> bool:
        """CR-21: say whether a Joker of a run on the table stands for a card that its holder has to discard."""
        for meld in (m for melds in self.melds for m in melds if m.kind != SET):
            for place, lying in enumerate(meld.cards, meld.start):
                if lying == JOKER and meld.belongs(card, place):
                    return True
        return False

    # --------------------------------------------------------------------------------------------------------- bury

    def is_shift_queen(self, card: int) -> bool:
        """CR-23: the queens of hearts and diamonds, or all queens."""
        if card == JOKER or rank_of(card) != 11:
            return False
        return self.variant["shift_queens"] == "all" or suit_of(card) in (1, 2)

    def is_trigger(self, card: int) -> bool:
        """Return whether it buries when it is discarded: a Joker or a two-eyed queen."""
        return card == JOKER or self.is_shift_queen(card)

    def _buries(self, seat: int, card: int) -> bool:
        plain = card != JOKER and self._off(seat, SHIFT)
        return self.is_trigger(card) and not plain and self.variant["bury"] != "off" and not self._off(seat, BURY)

    def _bury(self, seat: int, card: int) -> None:
        """CR-32, CR-35: the discard pile goes below the draw pile."""
        if card != JOKER and rank_of(card) == 11:
            self._use("CR-23")
        if not self._buries(seat, card):
            if self.is_trigger(card):
                self._use("CR-32")
            return
        self._use("CR-32")
        stays = 1 if self.variant["bury"] == "all_but_trigger" else 0
        buried = self.discards[: len(self.discards) - stays]
        self.discards = self.discards[len(buried) :]
        if not buried:
            return
        self._use("CR-35")
        self.totals["n_bury"][seat] += 1
        self.pile += self._shuffled(buried)
        self._tell(f"{len(buried)} cards of the discard pile go below the draw pile (CR-32).")

    # ----------------------------------------------------------------------------------------------------- lay down

    def _hand_for_melds(self, seat: int) -> Hand:
        return self.rules.hand(self.hands[seat], wild=not self._off(seat, WILD))

    def _lay_down_options(self, seat: int) -> list[int]:
        """CR-S9: the melds that may be laid down first, and the automatic arrangement."""
        melds = self.rules.first_melds(self.contracts[seat], self._hand_for_melds(seat))
        self._first = {lay.number: lay for lay in melds}
        if not melds:
            return []
        return [code(LAY_AUTO)] + [code(LAY_MELD, lay.a, lay.b) for lay in melds[:MOST_MELDS]]

    def _second_options(self) -> list[int]:
        """Return the melds that complete the lay-down."""
        seat = self.actor
        first = self.melds[seat][0]
        rank = first.start if first.kind == SET and first.jokers < len(first.cards) else None
        requirement = requirements(self.contracts[seat])[1]
        melds = self.rules.second_melds(requirement, self._hand_for_melds(seat), rank)
        self._second = {lay.number: lay for lay in melds}
        return [code(LAY_MELD, lay.a, lay.b) for lay in melds[:MOST_MELDS]]

    def _do_lay_meld(self, a: int, b: int) -> None:
        if self.phase == "second":
            self._put_down(self._second[a * 1024 + b])
            self._laid_down()
            return
        self._put_down(self._first[a * 1024 + b])
        self.phase = "second"

    def _do_lay_auto(self, _a: int, _b: int) -> None:
        seat = self.actor
        for lay in self.rules.arranged(self.contracts[seat], self._hand_for_melds(seat)):
            self._put_down(lay)
        self._laid_down()

    def _put_down(self, lay: Lay) -> None:
        """Lay one meld of the contract on the table and note which rules it touches."""
        seat = self.actor
        meld = Meld(lay.kind, lay.start, list(lay.cards), lay.suit)
        for card in lay.cards:
            self.hands[seat].remove(card)
        kind, needed = requirements(self.contracts[seat])[len(self.melds[seat])]
        self.melds[seat].append(meld)
        self.totals["n_wild"][seat] += meld.jokers
        if len(meld.cards) != needed or self.rules.exact:
            self._use("CR-06")
        self._note_kind(meld)
        self._note_jokers(meld)
        what = f"{KIND_LETTERS[kind]}{needed}"
        declared = f", declared as {self._meaning(meld)} (CR-18)" if meld.jokers == len(meld.cards) else ""
        self._tell(f"{self.name(seat)} lays down {meld.words()} for {what}{declared}.")

    def _meaning(self, meld: Meld) -> str:
        if meld.kind == SET:
            return f"a set of rank {RANK_NAMES[meld.start]}"
        suit = f" of suit {SUIT_NAMES[meld.suit]}" if meld.kind == FLUSH else ""
        return f"a run from {RANK_NAMES[rank_at(meld.start)]} to {RANK_NAMES[rank_at(meld.high)]}{suit}"

    def _note_kind(self, meld: Meld) -> None:
        naturals = [card for card in meld.cards if card != JOKER]
        suits = [suit_of(card) for card in naturals]
        if meld.kind == SET:
            self._use("CR-S6")
            if len(set(suits)) < len(suits) or self.rules.distinct_suits:
                self._use("CR-11")
        else:
            self._use("CR-S7")
            if meld.kind == RUN and len(set(suits)) > 1:
                self._use("CR-12")
            if meld.start == 1 or meld.high == 14:
                self._use("CR-13")
        self._note_queens(naturals)

    def _note_queens(self, cards: Sequence[int]) -> None:
        """CR-24: two-eyed queens that go to a meld are queens like any others."""
        if any(self.is_shift_queen(card) for card in cards):
            self._use("CR-24")

    def _note_jokers(self, meld: Meld) -> None:
        if not meld.jokers:
            return
        self._use("CR-S16")
        if meld.jokers == len(meld.cards):
            self._use("CR-17", "CR-18")
            return
        self._use("CR-15")
        if meld.kind == FLUSH:
            self._use("CR-19")
        if meld.kind != SET and JOKER in (meld.cards[0], meld.cards[-1]):
            self._use("CR-20")

    def _laid_down(self) -> None:
        seat = self.actor
        self._use("CR-S9", "CR-08")
        first, second = self.melds[seat]
        if first.kind == second.kind == SET and (first.start == second.start or self.rules.distinct_ranks):
            self._use("CR-10")
        self.laid[seat] = True
        self.row["laid"][seat] = 1
        self.row["laid_turn"][seat] = self.row["turns"][seat]
        self._tell(f"{self.name(seat)} has fulfilled {contract_text(self.contracts[seat])}.")
        self._out_by_melding(seat)

    def _out_by_melding(self, seat: int) -> None:
        """Go out if a hand was melded to the last card, as `meld_all_ok` allows; otherwise the turn goes on."""
        self.phase = "action"
        if not self.hands[seat]:
            self._use("CR-36")
            self._tell(f"{self.name(seat)} has melded the last card (CR-36).")
            self._go_out(seat)

    # ------------------------------------------------------------------------------------------------------ lay off

    def _may_not_lay_off(self, seat: int, owner: int, cards: int) -> str | None:
        """CR-S10, CR-05, CR-07: return why a seat may not lay so many cards off on a player's melds."""
        if not self.laid[seat]:
            return "CR-S10: only who has laid down may lay off"
        if owner == seat and self.variant["layoff_targets"] == "opponents":
            return "CR-05: cards are laid off on melds of opponents only"
        if not self.variant["layoff_same_turn"] and self.row["laid_turn"][seat] == self.row["turns"][seat]:
            return "CR-07: laying off has to wait for the turn after laying down"
        if cards > self.rules.room(len(self.hands[seat])):
            return "CR-04: one card has to be kept for the discard"
        return None

    def why_no_lay_off(self, seat: int, card: int, owner: int, place: int, end: int) -> str | None:
        """Return why a seat may not lay a card off on one end of a meld, or None."""
        if owner >= self.n or place >= len(self.melds[owner]):
            return "CR-S10: there is no such meld"
        if card not in self.hands[seat]:
            return f"CR-S10: {self.name(seat)} does not hold {card_name(card)}"
        wrong = self.rules.refuses(self.melds[owner][place], card, end)
        if wrong is not None:
            return wrong
        if card == JOKER and self._off(seat, WILD):
            return "CR-S16: the Jokers of this seat are not wild"
        return self._may_not_lay_off(seat, owner, 1)

    def _lay_off_options(self, seat: int) -> list[int]:
        """Return every card of the hand that a meld takes, by the end at which it goes."""
        found = []
        hand = list(dict.fromkeys(self.hands[seat]))
        for owner, place, meld in self._melds_on_table():
            for end in (0,) if meld.kind == SET else (0, 1):
                rank = meld.wanted_rank(end)
                for card in hand:
                    if card != JOKER and rank_of(card) != rank:
                        continue
                    wrong = self.why_no_lay_off(seat, card, owner, place, end)
                    if wrong is None:
                        found.append(code(LAY_OFF, card, owner * 4 + place * 2 + end))
                    else:
                        self._use(wrong.partition(":")[0])
        return found + self._lay_off_many_options(seat)

    def _melds_on_table(self) -> list[tuple[int, int, Meld]]:
        return [(owner, place, meld) for owner in range(self.n) for place, meld in enumerate(self.melds[owner])]

    def _lay_off_many_options(self, seat: int) -> list[int]:
        """Return how many naturals together may join a meld of Jokers only, which they have to outnumber."""
        found = []
        for owner, place, meld in self._melds_on_table():
            if meld.jokers < len(meld.cards) or self.rules.limit != "strict":
                continue
            for low, high in itertools.product(range(len(self.hands[seat]) + 1), repeat=2):
                if low + high <= meld.jokers or self._may_not_lay_off(seat, owner, low + high) is not None:
                    continue
                if self.rules.several(meld, self.hands[seat], low, high) is not None:
                    found.append(code(LAY_OFF_MANY, low * 16 + high, owner * 4 + place * 2))
        return found

    def _add(self, meld: Meld, card: int, end: int) -> None:
        """CR-20: put a card of the actor at one end of a meld; the place that a Joker takes there is settled."""
        seat = self.actor
        self.hands[seat].remove(card)
        if meld.kind == SET or end == 1:
            meld.cards.append(card)
        else:
            meld.cards.insert(0, card)
            meld.start -= 1
        if card == JOKER:
            self.totals["n_wild"][seat] += 1

    def _note_lay_off(self, meld: Meld, owner: int, card: int) -> None:
        seat = self.actor
        self._use("CR-S10")
        if owner == seat:
            self._use("CR-05")
        if self.row["laid_turn"][seat] == self.row["turns"][seat]:
            self._use("CR-07")
        if card == JOKER:
            self._use("CR-S16")
            if meld.kind != SET:
                self._use("CR-20")
            if meld.kind == FLUSH:
                self._use("CR-19")
        self._note_queens([card])
        if meld.kind != SET and (card == JOKER or rank_of(card) == 0) and (meld.start == 1 or meld.high == 14):
            self._use("CR-13")

    def _do_lay_off(self, card: int, target: int) -> None:
        owner, place, end = target // 4, target // 2 % 2, target % 2
        meld = self.melds[owner][place]
        self._tell(f"{self.name(self.actor)} lays {card_name(card)} off on {meld.words()} of seat {owner}.")
        self._add(meld, card, end)
        self._note_lay_off(meld, owner, card)
        self._out_by_melding(self.actor)

    def _do_lay_off_many(self, counts: int, target: int) -> None:
        owner, place = target // 4, target // 2 % 2
        low, high = divmod(counts, 16)
        meld = self.melds[owner][place]
        cards = self.rules.several(meld, self.hands[self.actor], low, high) or []
        words = " ".join(card_name(card) for card in cards)
        self._tell(f"{self.name(self.actor)} lays {words} off together on the Jokers of seat {owner} (CR-18).")
        for i, card in enumerate(cards):
            self._add(meld, card, end=int(i >= low))
            self._note_lay_off(meld, owner, card)
        self._use("CR-18")
        self._out_by_melding(self.actor)

    # ------------------------------------------------------------------------------------------- Shift and skirmish

    def why_no_shift(self, seat: int) -> str | None:
        """CR-26, CR-27: return why a seat may not play a two-eyed queen now, or None."""
        if self._off(seat, SHIFT):
            return "CR-S14: the queens of this seat are plain queens"
        if not self.pile:
            return "CR-27: there is no draw pile to search"
        if self.turn_shifts >= self.variant["max_shifts_per_turn"]:
            return "CR-26: no further Shift is allowed in this turn"
        if self._has_one_card(seat):
            return "CR-56: the last card of a hand cannot be a Shift"
        return None

    def _has_one_card(self, seat: int) -> bool:
        """CR-56: whether a Joker or queen would be the last card of the hand, which cannot be played in a skirmish."""
        return len(self.hands[seat]) < 2

    def _note_laid_down(self, seat: int) -> None:
        """CR-58: whoever has laid down may shift, block and override like anybody else."""
        if self.laid[seat]:
            self._use("CR-58")

    def _shift_options(self, seat: int) -> list[int]:
        """CR-S14: the two-eyed queens of the hand."""
        queens = [card for card in dict.fromkeys(self.hands[seat]) if self.is_shift_queen(card)]
        if not queens:
            return []
        wrong = self.why_no_shift(seat)
        if wrong is not None:
            self._use(wrong.partition(":")[0])
            return []
        return [code(SHIFT_PLAY, queen) for queen in queens]

    def _do_shift(self, queen: int, _: int) -> None:
        seat = self.actor
        self._use("CR-S14", "CR-23")
        if self.turn_shifts:
            self._use("CR-26")
        self._note_laid_down(seat)
        if not self.drawn:
            self._use("CR-25")
        self.turn_shifts += 1
        self.row["shifts"][seat] += 1
        self.totals["n_shift"][seat] += 1
        self.hands[seat].remove(queen)
        spent = [int(other == seat) for other in range(self.n)]
        self.skirmish = Skirmish(seat, queen, spent, [], self._clockwise_from_left_of(seat), [queen])
        self._tell(f"{self.name(seat)} plays {card_name(queen)} as a Stardust Shift.")
        self._ask_blocks()

    def _may_block(self, seat: int, skirmish: Skirmish) -> bool:
        """CR-22, CR-48: say whether a seat is asked for a Joker: one in its hand, the Shifter's as the variant says."""
        if JOKER not in self.hands[seat]:
            if any(meld.jokers for meld in self.melds[seat]):
                self._use("CR-22")
            return False
        if self._off(seat, BLOCK):
            return False
        if seat == skirmish.shifter and self.variant["shifter_retrump"] == "forbidden":
            self._use("CR-48")
            return False
        if self._has_one_card(seat):
            self._use("CR-56")
            return False
        return True

    def _ask_blocks(self) -> None:
        """CR-47: go on clockwise to the next seat that may block; all Jokers down or nobody left ends the questions."""
        skirmish = self._fight()
        while skirmish.asked and len(skirmish.jokers) < self.variant["jokers"]:
            seat = skirmish.asked.pop(0)
            if self._may_block(seat, skirmish):
                self._use("CR-47")
                self.phase, self.actor = "block", seat
                return
        self._open_override()

    def _fight(self) -> Skirmish:
        if self.skirmish is None:
            raise RuntimeError("there is no skirmish")
        return self.skirmish

    def _block_options(self) -> list[int]:
        return [code(BLOCK_PLAY, 0), code(BLOCK_PLAY, 1)]

    def _do_block(self, play: int, _: int) -> None:
        """CR-S15, CR-49: a Joker cancels the Shift or beats the one before; all others are asked after it."""
        skirmish, seat = self._fight(), self.actor
        if play:
            self._use("CR-S15")
            if seat == skirmish.shifter:
                self._use("CR-48")
            self._note_laid_down(seat)
            self._spend(seat, JOKER)
            skirmish.jokers.append(seat)
            self.totals["n_block"][seat] += 1
            skirmish.asked = self._clockwise_from_left_of(seat)
            if JOKER in self.hands[seat]:
                self._use("CR-49")
            self._tell(f"{self.name(seat)} plays a Joker (CR-47).")
        else:
            self._tell(f"{self.name(seat)} passes.")
        self._ask_blocks()

    def _spend(self, seat: int, card: int) -> None:
        skirmish = self._fight()
        self.hands[seat].remove(card)
        skirmish.spent[seat] += 1
        skirmish.cards.append(card)

    def _open_override(self) -> None:
        """CR-53: after the last Joker the queens are asked, if all Jokers lie here or everybody has passed on it."""
        skirmish = self._fight()
        if not skirmish.jokers:
            self._end_skirmish()
            return
        row = self.row
        row["shifts_met"][skirmish.shifter] += 1
        row["retrumped"][skirmish.shifter] += int(len(skirmish.jokers) >= 2)
        skirmish.asked = self._clockwise_from_left_of(skirmish.jokers[-1])
        if self.variant["override_needs"] == "all_deck_jokers" and len(skirmish.jokers) < self.variant["jokers"]:
            if any(self._may_override(seat) for seat in skirmish.asked):
                self._use("CR-53")
            skirmish.asked = []
        self._ask_overrides()

    def _may_override(self, seat: int) -> bool:
        """CR-54: say whether a seat, any but that of the last Joker, has a two-eyed queen and may override with it."""
        if self._off(seat, OVERRIDE) or not any(self.is_shift_queen(card) for card in self.hands[seat]):
            return False
        if self._has_one_card(seat):
            self._use("CR-56")
            return False
        return True

    def _ask_overrides(self) -> None:
        skirmish = self._fight()
        while skirmish.asked:
            seat = skirmish.asked.pop(0)
            if self._may_override(seat):
                self._use("CR-53")
                self.phase, self.actor = "override", seat
                return
        self._end_skirmish()

    def _override_options(self) -> list[int]:
        """Return a pass, and the two-eyed queens of the hand."""
        queens = [card for card in dict.fromkeys(self.hands[self.actor]) if self.is_shift_queen(card)]
        return [code(OVERRIDE_PLAY, 0)] + [code(OVERRIDE_PLAY, queen + 1) for queen in queens]

    def _do_override(self, play: int, _: int) -> None:
        seat = self.actor
        if not play:
            self._tell(f"{self.name(seat)} passes.")
            self._ask_overrides()
            return
        self._use("CR-54")
        self._note_laid_down(seat)
        self._spend(seat, play - 1)
        self.totals["n_override"][seat] += 1
        self._tell(f"{self.name(seat)} overrides all Jokers with {card_name(play - 1)} (CR-53, CR-54).")
        self._use("CR-55", "CR-50", "CR-52")
        self._ask_picks(seat, 2)

    def _end_skirmish(self) -> None:
        """CR-50, CR-52: without a Joker the Shift works; otherwise the last Joker's player wins."""
        skirmish = self._fight()
        if not skirmish.jokers:
            self._ask_picks(skirmish.shifter, 1)
            return
        winner = skirmish.jokers[-1]
        if winner == skirmish.shifter and self.variant["shifter_retrump"] == "restores_shift":
            self._use("CR-48")
            self._tell(f"{self.name(winner)} has the last Joker and the Shift works after all (CR-48).")
            self._ask_picks(winner, 1)
            return
        self._use("CR-50")
        if any(spent and seat != winner for seat, spent in enumerate(skirmish.spent)):
            self._use("CR-52")
        self._tell(f"The Shift is cancelled; {self.name(winner)} wins the skirmish (CR-50).")
        self._replace(winner, skirmish)
        self._close_skirmish()

    def _replace(self, winner: int, skirmish: Skirmish) -> None:
        """CR-51: the winner draws a card for each card spent, and one more, as long as there are cards."""
        self._use("CR-51")
        own = self.variant["replacement"] == "own_spent+1"
        number = (skirmish.spent[winner] if own else sum(skirmish.spent)) + 1
        drawn = 0
        while drawn < number and self.pile:
            self._gain(winner, self.pile.pop(0))
            drawn += 1
            self._refill()
        self._tell(f"{self.name(winner)} draws {drawn} replacements (CR-51).")

    def _close_skirmish(self) -> None:
        """CR-57: queens and Jokers of a skirmish with a Joker are out until the next round."""
        skirmish = self._fight()
        self.limbo += skirmish.cards
        self.skirmish = None
        self._resume_turn()

    def _ask_picks(self, seat: int, number: int) -> None:
        self.phase, self.actor, self.picks = "pick", seat, number

    def _pick_options(self) -> list[int]:
        """CR-31: any card of the draw pile."""
        return [code(PICK, card) for card in sorted(set(self.pile))]

    def _do_pick(self, card: int, _: int) -> None:
        """CR-30, CR-55: take a card of the draw pile; after the last one the pile is shuffled, the queen in it."""
        skirmish, seat = self._fight(), self.actor
        self._use("CR-31")
        self.pile.remove(card)
        self._gain(seat, card)
        self.picks -= 1
        self._tell(f"{self.name(seat)} takes {card_name(card)} out of the draw pile (CR-31).")
        if self.picks:
            self._refill()
            if self.pile:
                return
        if not skirmish.jokers:
            self._use("CR-30")
            self.pile.append(skirmish.queen)
            skirmish.cards = []
            self._tell(f"{card_name(skirmish.queen)} is shuffled into the draw pile (CR-30).")
        self.pile = self._shuffled(self.pile)
        self._close_skirmish()
        self._refill()

    # ----------------------------------------------------------------------------------- end of round, end of game

    def _go_out(self, seat: int) -> None:
        """CR-S12, CR-37: a hand without a card ends the round."""
        self._use("CR-S12")
        if self.laid[seat] and self.row["laid_turn"][seat] == self.row["turns"][seat]:
            self._use("CR-37")
        self._tell(f"{self.name(seat)} goes out (CR-S12).")
        self._end_round(seat)

    def _end_round(self, out: int | None) -> None:
        """End the round: elements are kept, winners found, then comes the next round or the end of the game."""
        finishers = [seat for seat in self._collect() if self._has_finished(seat)]
        shares, end = self._judge(finishers, out)
        self._close_round(out)
        if shares is None and self._is_last_round():
            shares, end = dict.fromkeys(range(self.n), WHOLE // self.n), END_CAP
        if shares is None:
            self._next_starter(out)
            self._begin_round()
        else:
            self._end_game(shares, end)

    def _collect(self) -> list[int]:
        """CR-S13: whoever laid down keeps the element; return their seats."""
        earned = [seat for seat in range(self.n) if self.laid[seat]]
        for seat in earned:
            self.got[seat].append(self.declared[seat])
            self._use("CR-S13")
        return earned

    def _has_finished(self, seat: int) -> bool:
        """CR-S5: say whether a seat has collected as many elements as win."""
        finished: bool = len(self.got[seat]) >= self.variant["elements_to_win"]
        if finished:
            self._use("CR-S5")
        return finished

    def _is_last_round(self) -> bool:
        """CR-CAP: say whether this was the last round that is allowed; the game is undecided then, in equal shares."""
        if self.round + 1 < self.variant["round_cap"]:
            return False
        self._use("CR-CAP")
        self._tell("The last round is over and nobody has won: equal shares (CR-CAP).")
        return True

    def _lose_last(self, seat: int) -> None:
        self.got[seat].remove(self.declared[seat])
        self._tell(f"{self.name(seat)} loses this element and plays for it again (CR-45, CR-46).")

    def _judge(self, finishers: list[int], out: int | None) -> tuple[dict[int, int] | None, int]:
        """CR-44, CR-45: return the shares of the winners at the end of a round, or None if the game goes on."""
        if not finishers:
            return None, END_WON
        if out is not None and out in finishers:
            if len(finishers) > 1:
                self._use("CR-46")
            return {out: WHOLE}, END_WON
        if self.variant["must_go_out_to_win"]:
            self._use("CR-45")
            for seat in finishers:
                self._lose_last(seat)
            return None, END_WON
        if len(finishers) == 1:
            self._use("CR-45")
            return {finishers[0]: WHOLE}, END_WON
        return self._tied(finishers)

    def _tied(self, finishers: list[int]) -> tuple[dict[int, int] | None, int]:
        """CR-46: of several finishers none went out, who would win: all replay, or as the variant says."""
        self._use("CR-46")
        if self.variant["tie"] == "replay":
            for seat in finishers:
                self._lose_last(seat)
            return None, END_WON
        best = finishers
        if self.variant["tie"] == "fewest_cards":
            fewest = min(len(self.hands[seat]) for seat in finishers)
            best = [seat for seat in finishers if len(self.hands[seat]) == fewest]
        return {seat: WHOLE // len(best) for seat in best}, END_TIE if len(best) > 1 else END_WON

    def _close_round(self, out: int | None) -> None:
        """Write down the round, and who leads after it."""
        for seat in range(self.n):
            kept = self.declared[seat] in self.got[seat]
            self.failed[seat] = None if kept else self.declared[seat]
            self.row["collected"][seat] = int(kept)
            self.row["left"][seat] = len(self.hands[seat])
            self.row["out"][seat] = int(seat == out)
            self.row["capped"][seat] = int(out is None)
            self.totals["points"][seat] = len(self.got[seat])
            self.totals["rounds"][seat] = self.round + 1
            self.totals["turns"][seat] += self.row["turns"][seat]
            shift, joker = self.met["shift"][seat], self.met["joker"][seat]
            held = {"shift": shift, "override": shift, "block": joker, "wild": joker, "bury": shift or joker}
            for ability, there in held.items():
                self.totals[f"held_{ability}"][seat] += int(there)
            if kept:
                self._tell(f"{self.name(seat)} keeps {self.elements(seat)[self.declared[seat]][0]} (CR-S13).")
        self.round_outcomes.append({column: list(values) for column, values in self.row.items()})
        self._note_leader()

    def _note_leader(self) -> None:
        most = max(self.totals["points"])
        leaders = [seat for seat in range(self.n) if self.totals["points"][seat] == most]
        if len(leaders) != 1:
            return
        if self.leader is not None and self.leader != leaders[0]:
            self.totals["lead_changes"] = [changes + 1 for changes in self.totals["lead_changes"]]
        self.leader = leaders[0]

    def _next_starter(self, out: int | None) -> None:
        """CR-43: who starts the next round; with nobody out the start moves on."""
        self._use("CR-43")
        rule = self.variant["next_starter"]
        if rule == "eldest_always":
            self.starter = 0
        elif rule == "rotate" or out is None:
            self.starter = (self.starter + 1) % self.n
        elif rule == "out_player":
            self.starter = out
        else:
            self.starter = (out + 1) % self.n

    def _end_game(self, shares: dict[int, int], end: int) -> None:
        self._use("CR-44")
        for seat in range(self.n):
            self.totals["court"][seat] = self.sides[seat]
            self.totals["share"][seat] = shares.get(seat, 0)
            self.totals["end"][seat] = end
        self.over = True
        self.actor = -1
        if end != END_CAP:
            winners = " and ".join(self.name(seat) for seat in sorted(shares))
            self._tell(f"{winners}: the game is won (CR-44).")

    # ---------------------------------------------------------------------------------------------- refused moves

    def _why_not(self, kind: int, a: int, b: int) -> str:
        """Return the sentence, rule id first, on why a code is refused."""
        wanted = _PHASES.get(kind, ())
        if self.phase not in wanted:
            rule = {SHIFT_PLAY: "CR-25", BLOCK_PLAY: "CR-47", OVERRIDE_PLAY: "CR-53", LAY_MELD: "CR-S9"}.get(kind)
            return f"{rule or 'CR-S8'}: that cannot be done in this step ({self.phase})"
        if kind == LAY_OFF:
            return str(self.why_no_lay_off(self.actor, a, b // 4, b // 2 % 2, b % 2))
        if kind == SHIFT_PLAY:
            return self._why_not_shift(a)
        if kind == DECLARE:
            return self._why_not_declare()
        rule, sentence = _REFUSED[kind]
        return f"{rule}: {sentence}"

    def _why_not_declare(self) -> str:
        if self.failed[self.actor] is not None and self.variant["retry"] == "locked":
            return "CR-42: whoever failed an element declares it again"
        if self.variant["element_order"] != "free":
            return "CR-41: the elements of this court come in a fixed order"
        return "CR-S2: that is no missing element of this court"

    def _why_not_shift(self, queen: int) -> str:
        if not self.is_shift_queen(queen):
            return "CR-23: only a two-eyed queen shifts"
        if queen not in self.hands[self.actor]:
            return "CR-S14: that queen is not in the hand"
        if (wrong := self.why_no_shift(self.actor)) is not None:
            return wrong
        return "CR-25: a Shift waits for the draw"


def _closed(off: int) -> int:
    """Return the abilities that are off, with those that they contain."""
    if off >> SHIFT & 1:
        off |= 1 << BLOCK
    if off >> BLOCK & 1:
        off |= 1 << OVERRIDE
    return off


_DO = {
    COURT: CelestialRanks._do_court,
    DECLARE: CelestialRanks._do_declare,
    DRAW: CelestialRanks._do_draw,
    LAY_AUTO: CelestialRanks._do_lay_auto,
    LAY_MELD: CelestialRanks._do_lay_meld,
    LAY_OFF: CelestialRanks._do_lay_off,
    LAY_OFF_MANY: CelestialRanks._do_lay_off_many,
    SHIFT_PLAY: CelestialRanks._do_shift,
    BLOCK_PLAY: CelestialRanks._do_block,
    OVERRIDE_PLAY: CelestialRanks._do_override,
    PICK: CelestialRanks._do_pick,
    DISCARD: CelestialRanks._do_discard,
}
_PHASES = {
    COURT: ("court",),
    DECLARE: ("declare",),
    DRAW: ("draw",),
    LAY_AUTO: ("action",),
    LAY_MELD: ("action", "second"),
    LAY_OFF: ("action",),
    LAY_OFF_MANY: ("action",),
    SHIFT_PLAY: ("draw", "action"),
    BLOCK_PLAY: ("block",),
    OVERRIDE_PLAY: ("override",),
    PICK: ("pick",),
    DISCARD: ("action",),
}
_REFUSED = {
    COURT: ("CR-03", "that court is taken"),
    DRAW: ("CR-S8", "no card can be drawn there"),
    LAY_AUTO: ("CR-S9", "the hand does not meet the declared contract"),
    LAY_MELD: ("CR-S9", "these cards do not meet the declared contract"),
    LAY_OFF_MANY: ("CR-18", "these cards cannot join a meld of Jokers together"),
    BLOCK_PLAY: ("CR-S15", "a block is a Joker or a pass"),
    OVERRIDE_PLAY: ("CR-54", "an override is a two-eyed queen of the hand or a pass"),
    PICK: ("CR-31", "that card is not in the draw pile"),
    DISCARD: ("CR-S11", "that card is not in the hand"),
}
