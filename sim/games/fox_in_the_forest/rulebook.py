"""The Fox in the Forest in plain, slow Python: specification, referee, narrator.

Each rule id stands in the docstring of one function, the one that carries the rule out. Ids: ``FF-B`` base game,
``FF-R`` rulings, ``FF-D`` special cards (2025 Deluxe Edition), ``FF-P`` Poison, ``FF-O`` abilities switched off.
`RULES` lists them all, with a sentence and the source of each.
The game is written as generators: a rule that needs a decision *asks* and goes on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from sim.game import IllegalMoveError, code, split
from sim.games.fox_in_the_forest.numbers import (
    ABILITY_KEYS,
    BASE,
    BOTTOM,
    CARDS,
    CROWN,
    CROWN_ADD,
    CROWN_PASS,
    FAIRY_GIVE,
    FAIRY_KEEP,
    FAIRY_PICK,
    FAIRY_TAKE,
    FOX_KEEP,
    FOX_SWAP,
    HAMMER_SUIT,
    KIND_NAMES,
    MIRROR,
    PLAY,
    POTION_BOTTOM,
    POTION_PLAY,
    RANKS,
    SHOVEL_KEEP,
    SHOVEL_PICK,
    SHOVEL_TAKE,
    SPECIAL_RANKS,
    SPECIALS,
    SUITS,
    TREE_PICK,
    specials_of,
)
from sim.rng import DECK, SETUP, Chance
from sim.variant import Variant

SEED, RB17, FAQ, DLX = "the user's rules text", "2017 rulebook", "2017 appendix", "Deluxe 2025 rules, one transcription"
OURS, DERIVED = "our reading", "follows from the other rules"

RULES: dict[str, tuple[str, str]] = {
    "FF-B1": ("The deck has three suits with the ranks 1 to 11, 33 cards.", RB17),
    "FF-B2": ("All cards are shuffled each round, 13 go to each player, the others are the draw deck.", SEED),
    "FF-B3": ("The dealer changes every round; who did not deal leads the first trick.", SEED),
    "FF-B4": ("The top card of the deck is turned up as the decree; its suit is trump.", SEED),
    "FF-B5": ("The leader of a trick plays any card of the hand.", SEED),
    "FF-B6": ("The follower plays a card of the lead suit, of any rank, if there is one.", SEED),
    "FF-B7": ("A follower without the lead suit plays any card and need not trump.", SEED),
    "FF-B8": ("The winner of a trick leads the next one.", SEED),
    "FF-B9": ("Cards of odd rank have an ability, cards of even rank have none.", SEED),
    "FF-B10": ("The highest trump wins the trick.", SEED),
    "FF-B11": ("Without a trump the highest card of the lead suit wins; a card of another suit cannot.", SEED),
    "FF-B12": ("The winner takes the trick face down: only the number of tricks stays public.", SEED),
    "FF-B13": ("A round is played to its end even when somebody reaches the target in it.", RB17),
    "FF-B14": ("Treasure: the winner of a trick gets a point for each 7 in it, also when greedy.", RB17),
    "FF-B15": ("Most points at the end win the game.", RB17),
    "FF-B16": ("At the end of a round the number of tricks is worth points by the table of bands.", RB17),
    "FF-B17": ("The game ends with the round after which somebody has reached the target.", RB17),
    "FF-B18": ("With equal totals the points of the last round decide.", RB17),
    "FF-B19": ("With equal totals and equal last rounds the game is a draw.", OURS),
    "FF-B20": ("A game that reaches the limit of rounds is broken off as a draw.", OURS),
    "FF-B21": ("Swan: who played it and lost the trick leads the next one.", RB17),
    "FF-B22": ("Fox: on play its player may exchange the decree card for a hand card.", RB17),
    "FF-B23": ("Woodcutter: on play its player draws a card, then puts a hand card under the deck.", RB17),
    "FF-B24": ("Witch: the only 9 of a trick counts as a trump of rank 9; two 9s count as nothing special.", RB17),
    "FF-B25": ("Monarch: when led, the follower answers with the suit's 1 or the highest card held of it.", RB17),
    "FF-R1": ("The exchange by the Fox may be declined.", RB17),
    "FF-R2": ("The Woodcutter's draw and discard are not optional.", RB17),
    "FF-R3": ("Any hand card may go under the deck, the drawn one too, unseen by the opponent.", RB17),
    "FF-R4": ("In the base game a card put under the deck does not come back in the round.", DERIVED),
    "FF-R5": ("A new decree is trump for the trick in which the Fox was played.", FAQ),
    "FF-R6": ("A led Fox is followed in its printed suit, whatever the new decree.", RB17),
    "FF-R7": ("The last card: a Fox exchanges nothing, a Woodcutter puts away what it draws.", DERIVED),
    "FF-R8": ("Whether a card may be played is judged when it is chosen, not after abilities.", FAQ),
    "FF-R9": ("For following, a Witch has its printed suit only.", FAQ),
    "FF-R10": ("Monarch: a single card of the suit is due, a void hand is free; followed with, it is idle.", RB17),
    "FF-R11": ("The highest card due to a Monarch is due also when it has an ability, which then works.", RB17),
    "FF-R12": ("Swan: none when it wins; with two the loser leads; none in the last trick.", FAQ),
    "FF-R13": ("7s in the deck or as decree score nothing; the decree has no ability of its own.", DERIVED),
    "FF-R14": ("The Fox may exchange for a card of the same suit; trump stays.", RB17),
    "FF-R15": ("After an exchange both know that the old decree card is in that player's hand.", DERIVED),
    "FF-R16": ("Treasure and Poison in one trick: points are gained before they are lost.", OURS),
    "FF-D1": ("Some of the nine special cards are shuffled into the deck for the whole game, two at random.", DLX),
    "FF-D2": ("With a special card as decree there is no trump; a lone 9 still acts as one.", SEED),
    "FF-D3": ("An unsuited card is legal on any lead and never forced; when led it may be followed by any card.", OURS),
    "FF-D4": ("An unsuited card has the suit of the other card of the trick, a trump's too; ranks are compared.", DLX),
    "FF-D5": ("Of two unsuited cards the higher printed rank wins.", OURS),
    "FF-D6": ("Of two cards that are the same through an ability the leader's wins.", DLX),
    "FF-D7": ("Bow: beats any trump and any special card, loses to everything else.", DLX),
    "FF-D8": ("The Bow beats a lone Witch, which is a trump at that moment.", OURS),
    "FF-D9": ("The Mirror in hand is a card of the decree's suit and rank for following.", OURS),
    "FF-D10": ("The Mirror has the decree card's ability too, on play with the decree of that moment.", DLX),
    "FF-D11": ("With a special card as decree the Mirror is a copy of it.", OURS),
    "FF-D12": ("The Fox may make a special card the decree, and may pick one up.", OURS),
    "FF-D13": ("Hammer: the follower names a suit; the leader bottoms the card led, draws, plays again.", DLX),
    "FF-D14": ("Potion: it and a hand card are bottomed; of two drawn cards one is kept, one played freely.", DLX),
    "FF-D15": ("Shovel: a random card of the last trick its player won may be played in its place.", DLX),
    "FF-D16": ("Axe: following a Woodcutter, it works as one and wins the trick; otherwise it is an unsuited 8.", DLX),
    "FF-D17": ("Tree: when led, the opponent plays a random card of the hand.", DLX),
    "FF-D18": ("Fairy: its player sees up to two random cards of the opponent and may exchange one.", DLX),
    "FF-D19": ("Crown: added to an ordinary card, that is its suit's Monarch without ability; draw 1.", DLX),
    "FF-D20": ("Hammer: beats any odd card, loses to any other.", DLX),
    "FF-D21": ("Mirror: always the same as the current decree card in rank and suit.", DLX),
    "FF-D22": ("A Shovel that is not replaced loses the trick.", DLX),
    "FF-D23": ("A special card, in an ability, is only a card of that module.", DLX),
    "FF-P1": ("Poison: the winner of a trick loses a point for each Poison 8 in it.", DLX),
    "FF-P2": ("Poison takes nobody below 0.", DLX),
    "FF-O1": ("An ability that is off: the card keeps rank and suit and loses its text.", "the project's definition"),
}

# Settings under which random play reaches every rule id (abilities off aside, for FF-O1).
STRESS: tuple[tuple[str, ...], ...] = (
    (),
    ("specials=all", "poison=true"),
    ("specials=all", "mirror_special=blank", "poison=true", "unsuited_follow=match", "poison_order=lose_first"),
    ("specials=bow,mirror,hammer,axe,crown", "unsuited_follow=void", "mirror_ability=false", "two_unsuited=leader"),
    ("specials=all", "hand_size=5", "unsuited_vs_trump=loses", "mirror_in_hand=false", "fox_special=false"),
    ("bands=6,6,6,6,6,6,6,6,6,6,6,6,6,6", "treasure=0", "target=6"),
    ("bands=6,6,6,6,6,6,6,6,6,6,6,6,6,6", "treasure=0", "target=6", "still_tied=another_round", "max_rounds=3"),
    ("bands=3,3,3,3,3,3,3,3,3,3,3,3,3,3", "target=8"),
)

ABILITY_BIT = {key: 1 << i for i, key in enumerate(ABILITY_KEYS)}
TEXT_OF_RANK = {1: "swan", 3: "fox", 5: "woodcutter", 7: "treasure", 9: "witch", 11: "monarch"}
CARD_NAMES = {1: "Swan", 3: "Fox", 5: "Woodcutter", 7: "Treasure", 9: "Witch", 11: "Monarch"}
NO_SUIT = -1
WHOLE = 27720  # a whole win; stated here too, so that the referee would notice another unit in the engine
END_WON, END_DRAW, END_CAP = 0, 3, 4
RESULTS = ("humble", "defeated", "victorious", "greedy")

Steps = Generator[None, int, None]
Question = Generator[None, int, int]


def suit_of(face: int) -> int:
    """Return the printed suit of a card, NO_SUIT for a special card."""
    return face // RANKS if face < BASE else NO_SUIT


def rank_of(face: int) -> int:
    """Return the printed rank of a card, 0 for a special card without one."""
    return face % RANKS + 1 if face < BASE else SPECIAL_RANKS[face - BASE]


def card_of(word: str) -> int:
    """Return the card of a short name: ``K4`` is the 4 of Keys, ``bow`` the Bow."""
    if word.casefold() in SPECIALS:
        return BASE + SPECIALS.index(word.casefold())
    return "BKM".index(word[0]) * RANKS + int(word[1:]) - 1


def describe(card: int) -> str:
    """Return the name of a card as one says it at the table."""
    if card >= BASE:
        return f"the {SPECIALS[card - BASE].title()}"
    rank = rank_of(card)
    name = f" ({CARD_NAMES[rank]})" if rank in CARD_NAMES else ""
    return f"the {rank} of {SUITS[suit_of(card)]}{name}"


@dataclass
class Played:
    """A card on the table, who played it, and the Crown that was added to it (or -1)."""

    seat: int
    card: int
    crown: int = -1


@dataclass(frozen=True)
class SoFar:
    """What has come before a trick.

    Parameters
    ----------
    leader
        Who leads the trick (and, for the row of the round, has led the first one).
    scores, tricks, treasures, last
        Totals now, what each seat has won in this round, and the cards of its last trick.
    round
        The number of the round, from 0.
    """

    leader: int = 0
    scores: Sequence[int] = (0, 0)
    tricks: Sequence[int] = (0, 0)
    treasures: Sequence[int] = (0, 0)
    last: Sequence[Sequence[int]] = ((), ())
    round: int = 0


class Rulebook:
    """One game of The Fox in the Forest.

    Parameters
    ----------
    variant
        The switches and numbers.
    seats
        Two objects with `packet` and `off` (bit mask over `ABILITY_KEYS`).
    chance
        All the chance of the deal.

    Attributes
    ----------
    actor, over
        Who decides now; whether the game has ended.
    uses
        {rule id: how often it decided something}.
    story
        The game in sentences.
    tricks_log
        Per finished trick: {round, leader, winner, next_leader, cards, points}.
    round_outcomes
        Per finished round: {column: [per seat]}.
    """

    over: bool
    actor: int
    _options: list[int]

    def __init__(self, variant: Variant, seats: Sequence[Any], chance: Chance) -> None:
        self._set_up(variant, seats, chance)
        self._start(self._game())

    @classmethod
    def from_position(
        cls,
        variant: Variant,
        hands: Sequence[Sequence[int]],
        decree: int,
        deck: Sequence[int] = (),
        so_far: SoFar | None = None,
        seats: Sequence[Any] | None = None,
        chance: Chance | None = None,
    ) -> Rulebook:
        """Return a game that stands before a trick of a round.

        Parameters
        ----------
        variant, seats, chance
            As for a whole game; by default two seats with all abilities and some fixed chance.
        hands
            Per seat its cards, equally many.
        decree, deck
            The decree card; the draw deck, top first.
        so_far
            What has come before; by default nothing.
        """
        made = cls.__new__(cls)
        made._set_up(variant, seats or default_seats(), chance or Chance(0))
        made._clear_round()
        then = so_far or SoFar()
        made.round = then.round
        made.hands = [sorted(hand) for hand in hands]
        made.decree, made.deck = decree, list(deck)
        made.leader = made.starter = then.leader
        made.scores, made.tricks = list(then.scores), list(then.tricks)
        made.treasures = list(then.treasures)
        made.treasure_points = [variant["treasure"] * n for n in then.treasures]
        made.scores_before = [score - n for score, n in zip(then.scores, made.treasure_points)]
        made.last = [list(cards) for cards in then.last]
        made._start(made._game(from_here=True))
        return made

    # ------------------------------------------------------------------ what the referee asks for

    def options(self) -> list[int]:
        """Return the codes that the actor may choose, ascending."""
        return list(self._options)

    def apply(self, code: int) -> None:
        """Carry out one of them.

        Raises
        ------
        IllegalMoveError
            Where the rules do not allow it; the sentence starts with the rule id.
        """
        if self.over or code not in self._options:
            raise IllegalMoveError(self._complaint(code))
        self._options = []
        try:
            self._steps.send(code)
        except StopIteration:
            self.over = True

    def visible(self) -> dict[str, Any]:
        """Return the position as both engines can state it; see the page of facts."""
        return {
            "round": self.round,
            "actor": self.actor,
            "leader": self.leader,
            "decree": self.decree,
            "trump": self.trump,
            "tricks": list(self.tricks),
            "scores": list(self.scores),
            "treasures": list(self.treasures),
            "deck": list(self.deck),
            "hands": [sorted(hand) for hand in self.hands],
            "table": [-1 if p is None else p.card for p in self.table],
            "crowns": [-1 if p is None else p.crown for p in self.table],
            "seen": sorted(self.seen),
            "last": [sorted(cards) for cards in self.last],
        }

    def outcome(self) -> dict[str, Any]:
        """Return the game rows: {column: [per seat]}."""
        made: dict[str, list[int]] = {
            "share": list(self.shares),
            "points": list(self.scores),
            "rounds": [len(self.round_outcomes)] * 2,
            "turns": [len(self.tricks_log)] * 2,
            "end": [self.end] * 2,
            "lead_changes": [self.lead_changes] * 2,
            "tiebreak": [int(self.tiebreak)] * 2,
        }
        sums = {"tricks": "tricks", "band_points": "band", "treasure_points": "treasure_points"}
        sums |= {"poison_points": "poison_points"} | {result: result for result in RESULTS}
        for column, source in sums.items():
            made[column] = [sum(row[source][seat] for row in self.round_outcomes) for seat in (0, 1)]
        made["last_points"] = list(self.round_outcomes[-1]["points"]) if self.round_outcomes else [0, 0]
        for key in ABILITY_KEYS:
            made[f"n_{key}"] = [self.counts[seat][key] for seat in (0, 1)]
            made[f"held_{key}"] = [self.held[seat][key] for seat in (0, 1)]
        return made

    # ------------------------------------------------------------------ bookkeeping

    def _set_up(self, variant: Variant, seats: Sequence[Any], chance: Chance) -> None:
        if len(seats) != 2:
            raise ValueError(f"The Fox in the Forest is played by 2, not by {len(seats)}")
        self.variant, self.seats, self.chance = variant, list(seats), chance
        self.uses: Counter[str] = Counter()
        self.story: list[str] = []
        self.tricks_log: list[dict[str, Any]] = []
        self.round_outcomes: list[dict[str, Any]] = []
        self.over, self.actor, self.round = False, 0, 0
        self.scores = [0, 0]
        self.counts: list[Counter[str]] = [Counter(), Counter()]
        self.held: list[Counter[str]] = [Counter(), Counter()]
        self.shares, self.end, self.tiebreak = [0, 0], END_WON, False
        self.ahead: int | None = None  # the last seat that was strictly ahead after a round
        self.lead_changes = 0
        self.specials: list[int] = []
        self._options = []
        self._rule = "FF-B5"

    def _clear_round(self) -> None:
        self.hands: list[list[int]] = [[], []]
        self.deck: list[int] = []
        self.bottomed: list[int] = []  # cards put under the deck by a Woodcutter
        self.picked_up: list[list[int]] = [[], []]  # decree cards taken, known to both (FF-R15)
        self.tricks, self.treasures = [0, 0], [0, 0]
        self.treasure_points, self.poison_points, self.swaps = [0, 0], [0, 0], [0, 0]
        self.first_trick, self.early_tricks = [0, 0], [0, 0]
        self.last: list[list[int]] = [[], []]
        self.pile: list[list[int]] = [[], []]  # cards of tricks won before the last one
        self.picks: Counter[tuple[int, int]] = Counter()
        self.scores_before = list(self.scores)
        self.decree, self.leader, self.starter = 0, 0, 0
        self._clear_table()

    def _clear_table(self) -> None:
        self.table: list[Played | None] = [None, None]
        self.seen: list[int] = []
        self.must_win: list[bool] = [False, False]
        self.must_lose: list[bool] = [False, False]
        self.potion_worked: list[bool] = [False, False]
        self.fox_changed_trump = [False, False]

    def _start(self, steps: Steps) -> None:
        self._steps = steps
        try:
            next(steps)
        except StopIteration:
            self.over = True

    def _ask(self, seat: int, codes: Iterable[int], rule: str) -> Question:
        """Wait for the choice of `seat` among `codes`; `rule` is the one to name if another code comes."""
        self.actor, self._options, self._rule = seat, sorted(codes), rule
        chosen = yield
        return chosen

    def _use(self, *rules: str) -> None:
        for rule in rules:
            if rule not in RULES:
                raise KeyError(rule)
            self.uses[rule] += 1

    def _tell(self, sentence: str, *rules: str) -> None:
        named = f" ({', '.join(rules)})" if rules else ""
        self.story.append(f"{sentence[0].upper()}{sentence[1:]}{named}.")
        self._use(*rules)

    def _complaint(self, value: int) -> str:
        kind, a, _ = split(value)
        if self.over:
            return "FF-B17: the game is over, nothing can be chosen any more."
        name = KIND_NAMES.get(kind, f"kind {kind}")
        card = f" {describe(a)}" if kind not in (HAMMER_SUIT, FOX_KEEP, SHOVEL_KEEP, SHOVEL_TAKE) and a < CARDS else ""
        if kind == PLAY and self._options and split(self._options[0])[0] == PLAY and a not in self.hands[self.actor]:
            return f"FF-B5: seat {self.actor} does not hold{card}."
        return f"{self._rule}: seat {self.actor} cannot choose '{name}'{card} here: {RULES[self._rule][0]}"

    # ------------------------------------------------------------------ the game and its rounds

    def _game(self, from_here: bool = False) -> Steps:
        if not from_here:
            self._choose_specials()
        while True:
            if not from_here:
                self._deal_round()
            from_here = False
            yield from self._play_round()
            self._score_round()
            if self._is_game_over():
                return
            self.round += 1

    def _play_round(self) -> Steps:
        """FF-B13: trick after trick to the last card, whoever reaches the target on the way."""
        while self.hands[0]:
            yield from self._trick()
        if self.variant["target"] <= max(self.scores):
            self._use("FF-B13")

    def _choose_specials(self) -> None:
        """FF-D1: the special cards of the whole game, chosen by name or drawn unseen."""
        drawn, chosen = specials_of(self.variant["specials"])
        self.specials = list(chosen)
        if drawn:
            order = self.chance.stream(0, SETUP).permutation(len(SPECIALS))
            self.specials = sorted(BASE + place for place in order[:drawn])
        if self.specials:
            self._tell(f"special cards of this game: {', '.join(describe(c) for c in self.specials)}", "FF-D1")

    def _present(self) -> set[int]:
        """FF-B1: the cards of the game."""
        return set(range(RANKS * self.variant["suits"])) | set(self.specials)

    def _deal_round(self) -> None:
        """FF-B2: shuffle all, deal in turn to the two packets, the next card is the decree, the others the deck."""
        self._clear_round()
        present = self._present()
        order = [c for c in self.chance.stream(self.round, DECK).permutation(CARDS) if c in present]
        dealt = 2 * self.variant["hand_size"]
        for seat in (0, 1):
            self.hands[seat] = sorted(order[self.seats[seat].packet : dealt : 2])
            self._count_held(seat)
        self.deck = order[dealt + 1 :]
        self._use("FF-B1", "FF-B2")
        self._first_leader()
        self._turn_up(order[dealt])

    def _count_held(self, seat: int) -> None:
        for card in self.hands[seat]:
            key = SPECIALS[card - BASE] if card >= BASE else self._key(card)
            if key:
                self.held[seat][key] += 1

    def _first_leader(self) -> None:
        """FF-B3: the dealer alternates, seat 1 deals round 1; the other one leads."""
        self.leader = self.round % 2 if self.variant["dealer"] == "alternates" else 0
        self.starter = self.leader
        self._tell(f"round {self.round + 1}: seat {1 - self.leader} deals, seat {self.leader} leads", "FF-B3")

    def _turn_up(self, card: int) -> None:
        """FF-B4: the card that is turned up is the decree, its suit is trump."""
        self.decree = card
        if self.trump == NO_SUIT:
            self._tell(f"{describe(card)} is the decree: there is no trump", "FF-D2")
        else:
            self._tell(f"{describe(card)} is the decree: {SUITS[self.trump]} are trump", "FF-B4")

    @property
    def trump(self) -> int:
        """FF-D2: the suit of the decree card; with a special card as decree there is no trump, NO_SUIT."""
        return suit_of(self.decree)

    def _score_round(self) -> None:
        """FF-B16: points for the number of tricks."""
        self._note_unused_cards()
        bands = self.variant["bands"]
        band = [bands[min(n, len(bands) - 1)] for n in self.tricks]
        for seat in (0, 1):
            self.scores[seat] += band[seat]
        points = [band[s] + self.treasure_points[s] - self.poison_points[s] for s in (0, 1)]
        self.round_outcomes.append(self._round_row(band, points))
        self._tell(
            f"round {self.round + 1} ends {self.tricks[0]}-{self.tricks[1]} in tricks; "
            f"points {points[0]}-{points[1]}, score {self.scores[0]}-{self.scores[1]}",
            "FF-B16",
        )
        self._note_lead_change()

    def _round_row(self, band: list[int], points: list[int]) -> dict[str, Any]:
        result = [self._result(n) for n in self.tricks]
        course = [int(n <= 3) for n in self.early_tricks]
        before = self.scores_before
        row: dict[str, Any] = {
            "starter": [int(seat == self.starter) for seat in (0, 1)],
            "tricks": list(self.tricks),
            "points": points,
            "band": band,
            "treasures": list(self.treasures),
            "treasure_points": list(self.treasure_points),
            "poison_points": list(self.poison_points),
            "result": result,
            "first_trick": list(self.first_trick),
            "swaps": list(self.swaps),
            "course": course,
            "course_missed": [int(course[s] and self.tricks[s] > 3) for s in (0, 1)],
            "score": list(self.scores),
            "ahead": [int(before[s] > before[1 - s]) for s in (0, 1)],
        }
        return row | {name: [int(r == i) for r in result] for i, name in enumerate(RESULTS)}

    @staticmethod
    def _result(tricks: int) -> int:
        """Return the place in RESULTS: humble up to 3, defeated up to 6, victorious up to 9, greedy above."""
        return 0 if tricks <= 3 else 1 if tricks <= 6 else 2 if tricks <= 9 else 3

    def _note_unused_cards(self) -> None:
        """FF-R13, FF-R4: what lies in the deck or as decree has scored nothing and has not come back."""
        if any(c < BASE and rank_of(c) == 7 for c in [*self.deck, self.decree]):
            self._use("FF-R13")
        if self.bottomed and set(self.bottomed) <= set(self.deck):
            self._use("FF-R4")

    def _note_lead_change(self) -> None:
        if self.scores[0] == self.scores[1]:
            return
        now = int(self.scores[1] > self.scores[0])
        self.lead_changes += int(self.ahead is not None and now != self.ahead)
        self.ahead = now

    def _is_game_over(self) -> bool:
        """FF-B17: the game ends with a complete round in which or before which the target was reached."""
        if max(self.scores) >= self.variant["target"]:
            self._use("FF-B17")
            if self._decide_game():
                return True
        return self._is_broken_off()

    def _is_broken_off(self) -> bool:
        """FF-B20: the limit of rounds."""
        if self.round + 1 < self.variant["max_rounds"]:
            return False
        self._end(END_CAP, None, "FF-B20")
        return True

    def _decide_game(self) -> bool:
        """FF-B15: most points win; equal totals go on to the tie-break."""
        if self.scores[0] != self.scores[1]:
            self._end(END_WON, int(self.scores[1] > self.scores[0]), "FF-B15")
            return True
        return self._break_tie()

    def _break_tie(self) -> bool:
        """FF-B18: more points in the last round, Treasures included."""
        way = self.variant["tie_break"]
        last = self.round_outcomes[-1]["points"]
        if way == "last_round" and last[0] != last[1]:
            self.tiebreak = True
            self._end(END_WON, int(last[1] > last[0]), "FF-B18")
            return True
        return self._still_tied(self.variant["still_tied"] if way == "last_round" else way)

    def _still_tied(self, way: str) -> bool:
        """FF-B19: a draw, or another round."""
        if way == "another_round":
            self._tell("all is equal: another round is played", "FF-B19")
            return False
        self._end(END_DRAW, None, "FF-B19")
        return True

    def _end(self, end: int, winner: int | None, rule: str) -> None:
        self.end = end
        self.shares = [WHOLE // 2] * 2 if winner is None else [WHOLE * int(seat == winner) for seat in (0, 1)]
        what = "the game is a draw" if winner is None else f"seat {winner} wins the game"
        self._tell(f"{what} with {self.scores[0]}-{self.scores[1]}", rule)

    # ------------------------------------------------------------------ what a card is

    def is_on(self, key: str, seat: int) -> bool:
        """FF-O1: whether `seat` plays with an ability."""
        return not self.seats[seat].off & ABILITY_BIT[key]

    def face(self, card: int, seat: int) -> int:
        """FF-D21, FF-D11: the Mirror is the decree card, of a special decree too; every other card is itself."""
        if card != MIRROR or not self.is_on("mirror", seat):
            return card
        if self.decree >= BASE and self.variant["mirror_special"] == "blank":
            return MIRROR
        return self.decree

    def _key(self, face: int) -> str | None:
        """FF-B9: the ability printed on a face, if any; of the even ranks only a Poison 8 has one."""
        if face >= BASE:
            return None if face == MIRROR else SPECIALS[face - BASE]
        if rank_of(face) == 8 and self.variant["poison"]:
            return "poison"
        return TEXT_OF_RANK.get(rank_of(face))

    def _works(self, card: int, seat: int) -> str | None:
        """FF-D10: the ability with which `seat` plays `card`, if it works; a Mirror has the decree card's."""
        if card == MIRROR and not (self.is_on("mirror", seat) and self.variant["mirror_ability"]):
            return None
        key = self._key(self.face(card, seat))
        return key if key is not None and self.is_on(key, seat) else None

    def text(self, played: Played) -> str | None:
        """Return the ability of a card on the table; none under a Crown."""
        return None if played.crown >= 0 else self._works(played.card, played.seat)

    def rank(self, played: Played) -> int:
        """Return the rank of a card on the table; 11 with a Crown."""
        return RANKS if played.crown >= 0 else rank_of(self.face(played.card, played.seat))

    def suit(self, played: Played) -> int:
        """Return the suit of a card on the table, NO_SUIT if it has none."""
        return suit_of(self.face(played.card, played.seat))

    @staticmethod
    def is_special(card: int) -> bool:
        """FF-D23: whether an ability that speaks of special cards means this one; no base card, whatever its rank."""
        return card >= BASE

    def suit_in_hand(self, card: int, seat: int) -> int:
        """FF-D9: the suit of a hand card for following; the Mirror's is the decree's, or none."""
        if card == MIRROR and not self.variant["mirror_in_hand"]:
            return NO_SUIT
        return suit_of(self.face(card, seat))

    # ------------------------------------------------------------------ one trick

    def _trick(self) -> Steps:
        self._clear_table()
        leader, follower = self.leader, 1 - self.leader
        yield from self._lead(leader)
        yield from self._follow(follower)
        self._finish_trick()

    def _lead(self, seat: int) -> Steps:
        """FF-B5: the leader plays any card."""
        chosen = yield from self._ask(seat, self._codes(PLAY, self.hands[seat]), "FF-B5")
        self._use("FF-B5")
        yield from self._play_from_hand(seat, split(chosen)[1], "leads")

    def _follow(self, seat: int) -> Steps:
        """FF-R8: the follower's card is one that is legal now, before its ability; under a Tree it is drawn."""
        lead = self._lead_card()
        if self.text(lead) == "tree":
            yield from self._tree(lead)
            return
        cards, rule = self._legal_follows(seat, lead)
        chosen = yield from self._ask(seat, self._codes(PLAY, cards), rule)
        yield from self._play_from_hand(seat, split(chosen)[1], "follows with")

    def _legal_follows(self, seat: int, lead: Played) -> tuple[list[int], str]:
        """Return the legal cards and the rule: any on an unsuited lead, else by the lead suit and a working Monarch."""
        hand = self.hands[seat]
        suit = self.suit(lead)
        if suit == NO_SUIT:
            self._use("FF-D3")
            return hand, "FF-D3"
        self._note_rulings_of_lead(hand, seat, lead)
        plain, rule = self._of_suit(hand, seat, suit)
        if self.text(lead) != "monarch":
            self._use(rule)
            return plain, rule
        cards = self._monarch_answers(plain, seat, suit)
        self._use("FF-B25")
        if len(cards) < len(plain):
            self.counts[lead.seat]["monarch"] += 1
        return cards, "FF-B25"

    def _of_suit(self, hand: list[int], seat: int, suit: int) -> tuple[list[int], str]:
        """FF-B6, FF-B7: cards of the suit if there are any, else all; unsuited ones beside them."""
        suited = [c for c in hand if self.suit_in_hand(c, seat) == suit]
        unsuited = self._unsuited_beside(suited, hand, seat)
        if MIRROR in suited:
            self._use("FF-D9")
        if suited:
            return suited + unsuited, "FF-B6"
        return (unsuited, "FF-D3") if unsuited else (hand, "FF-B7")

    def _unsuited_beside(self, suited: list[int], hand: list[int], seat: int) -> list[int]:
        """FF-D3: unsuited cards are legal on any lead and never forced; or only when void, or due then, by variant."""
        unsuited = [c for c in hand if self.suit_in_hand(c, seat) == NO_SUIT]
        way = self.variant["unsuited_follow"]
        return unsuited if (way != "void" if suited else way == "match") else []

    def _monarch_answers(self, legal: list[int], seat: int, suit: int) -> list[int]:
        """FF-B25, FF-R10: of the suit only the 1 and the highest, if there is any; unsuited cards are not touched."""
        suited = [c for c in legal if self.suit_in_hand(c, seat) == suit]
        if not suited:
            self._use("FF-R10")
            return legal
        highest = self._highest_due(suited, seat)
        answers = {c for c in suited if rank_of(self.face(c, seat)) == 1} | {highest}
        if len(answers) == 1:
            self._use("FF-R10")
        return [c for c in legal if c in answers or c not in suited]

    def _highest_due(self, suited: list[int], seat: int) -> int:
        """FF-R11: the highest card of the suit, with an ability or without."""
        highest = max(suited, key=lambda c: rank_of(self.face(c, seat)))
        if rank_of(self.face(highest, seat)) in (3, 5, 9) and len(suited) > 1:
            self._use("FF-R11")
        return highest

    def _note_rulings_of_lead(self, hand: list[int], seat: int, lead: Played) -> None:
        """FF-R6, FF-R9: the lead suit is the printed one, of a Fox after its exchange and of a Witch too."""
        if self.fox_changed_trump[lead.seat]:
            self._use("FF-R6")
        nines = [c for c in hand if c < BASE and rank_of(c) == 9]
        trump_led = self.suit(lead) == self.trump
        if self.text(lead) == "witch" or (trump_led and any(suit_of(c) != self.trump for c in nines)):
            self._use("FF-R9")

    @staticmethod
    def _codes(kind: int, cards: Iterable[int]) -> list[int]:
        return [code(kind, card) for card in cards]

    def _lead_card(self) -> Played:
        lead = self.table[self.leader]
        if lead is None:
            raise RuntimeError("no card has been led")
        return lead

    # ------------------------------------------------------------------ playing a card

    def _play_from_hand(self, seat: int, card: int, verb: str) -> Steps:
        self.hands[seat].remove(card)
        played = self._put_on_table(seat, card)
        self._tell(f"seat {seat} {verb} {describe(card)}{self._mirror_note(played)}")
        yield from self._crown_step(played)
        yield from self._on_play(played)

    def _put_on_table(self, seat: int, card: int) -> Played:
        played = Played(seat, card)
        self.table[seat] = played
        if card == MIRROR and self.is_on("mirror", seat):
            self.counts[seat]["mirror"] += 1
            self._use("FF-D21")
        return played

    def _mirror_note(self, played: Played) -> str:
        shown = self.face(played.card, played.seat)
        return f", now {describe(shown)}" if shown != played.card else ""

    def _on_play(self, played: Played) -> Steps:
        """Carry out the ability of a card just played, if it works at once."""
        self._note_text(played)
        steps: dict[str, Callable[[Played], Steps]] = {
            "fox": self._fox,
            "woodcutter": self._woodcutter,
            "potion": self._potion,
            "shovel": self._shovel,
            "fairy": self._fairy,
            "hammer": self._hammer,
            "axe": self._axe,
        }
        text = self.text(played)
        if text in steps:
            yield from steps[text](played)

    def _note_text(self, played: Played) -> None:
        face = self.face(played.card, played.seat)
        if self.text(played) is None:
            self._note_no_text(played)
            return
        if face < BASE:
            self._use("FF-B9")
        if played.card == MIRROR:
            self._use("FF-D11" if face >= BASE else "FF-D10")
        if self.text(played) == "monarch" and played.seat != self.leader:
            self._use("FF-R10")

    def _note_no_text(self, played: Played) -> None:
        """Note why a card has no ability: it is off, or the Mirror shows none."""
        key = self._key(self.face(played.card, played.seat))
        mirror_off = played.card == MIRROR and not self.is_on("mirror", played.seat)
        if played.crown >= 0:
            return
        if mirror_off or (key is not None and not self.is_on(key, played.seat)):
            self._use("FF-O1")
        elif key is not None:
            self._use("FF-D10")

    def _is_follower(self, played: Played) -> bool:
        """Whether a card follows: not the leader's, and not the leader's second one after a Hammer."""
        return played.seat != self.leader

    def _draw(self, seat: int) -> int:
        card = self.deck.pop(0)
        self.hands[seat].append(card)
        return card

    # ------------------------------------------------------------------ abilities of the base cards

    def _fox(self, played: Played) -> Steps:
        """FF-B22, FF-R1: exchange the decree for a hand card, or not."""
        seat = played.seat
        allowed = [c for c in self.hands[seat] if not self.is_special(c) or self.variant["fox_special"]]
        self._note_last_card(seat, drawn=0)
        chosen = yield from self._ask(seat, [code(FOX_KEEP), *self._codes(FOX_SWAP, allowed)], "FF-B22")
        kind, card, _ = split(chosen)
        if kind == FOX_KEEP:
            self._tell(f"seat {seat} keeps {describe(self.decree)} as the decree", "FF-R1")
            return
        self._exchange(seat, card)

    def _exchange(self, seat: int, card: int) -> None:
        """FF-R5, FF-R14, FF-R15, FF-D12: the new decree is trump at once; both know where the old one went."""
        old, old_trump = self.decree, self.trump
        self.hands[seat].remove(card)
        self.hands[seat].append(old)
        self.decree = card
        self.picked_up[seat].append(old)
        self.swaps[seat] += 1
        self.counts[seat]["fox"] += 1
        trump = "there is no trump" if self.trump == NO_SUIT else f"{SUITS[self.trump]} are trump"
        changed = self.trump != old_trump
        special = self.is_special(old) or self.is_special(card)
        rules = ["FF-B22", "FF-R15", "FF-R5" if changed else "FF-R14", *(["FF-D12"] if special else [])]
        self._tell(f"seat {seat} takes {describe(old)} and puts down {describe(card)}: {trump}", *rules)
        if seat != self.leader:
            self._use("FF-R8")  # the follower's card stays legal whatever is trump now
        self.fox_changed_trump[seat] = changed

    def _woodcutter(self, played: Played) -> Steps:
        """FF-B23: draw, then put a card under the deck."""
        if self.deck:
            self.counts[played.seat]["woodcutter"] += 1
        yield from self._draw_and_bottom(played.seat, "FF-B23")

    def _draw_and_bottom(self, seat: int, rule: str) -> Steps:
        """FF-R2, FF-R3: not optional, any hand card, the drawn one too."""
        if not self.deck:
            self._tell("the deck is empty: nothing is drawn", rule)
            return
        drawn = self._draw(seat)
        self._use(rule, "FF-R2")
        self._note_last_card(seat, drawn=1)
        chosen = yield from self._ask(seat, self._codes(BOTTOM, self.hands[seat]), "FF-R3")
        card = split(chosen)[1]
        self.hands[seat].remove(card)
        self.deck.append(card)
        self.bottomed.append(card)
        self._tell(f"seat {seat} draws {describe(drawn)} and puts {describe(card)} under the deck", "FF-R3")

    def _note_last_card(self, seat: int, drawn: int) -> None:
        """FF-R7: after the last card a Fox finds nothing to exchange, and a Woodcutter puts away what it has drawn."""
        if len(self.hands[seat]) == drawn:
            self._use("FF-R7")

    # ------------------------------------------------------------------ abilities of the special cards

    def _potion(self, played: Played) -> Steps:
        """FF-D14: Potion and a hand card go under the deck; of two drawn cards one is played, one kept."""
        seat = played.seat
        if self.potion_worked[seat]:
            return
        self.potion_worked[seat] = True
        self.counts[seat]["potion"] += 1
        away = [played.card]
        if self.hands[seat]:
            chosen = yield from self._ask(seat, self._codes(POTION_BOTTOM, self.hands[seat]), "FF-D14")
            away.append(split(chosen)[1])
            self.hands[seat].remove(away[1])
        self.table[seat] = None
        self.deck.extend(away)
        aside = [self.deck.pop(0) for _ in away]
        self.seen = list(aside)
        chosen = yield from self._ask(seat, self._codes(POTION_PLAY, aside), "FF-D14")
        card = split(chosen)[1]
        aside.remove(card)
        self.hands[seat].extend(aside)
        self.seen = []
        after = self._put_on_table(seat, card)
        self._tell(f"the Potion: seat {seat} plays {describe(card)}{self._mirror_note(after)}", "FF-D14")
        yield from self._on_play(after)

    def _shovel(self, played: Played) -> Steps:
        """FF-D15: change places with a random card of the last trick won, or not."""
        seat = played.seat
        codes = [code(SHOVEL_KEEP), *([code(SHOVEL_TAKE)] if self.last[seat] else [])]
        chosen = yield from self._ask(seat, codes, "FF-D15")
        if split(chosen)[0] == SHOVEL_KEEP:
            self._keep_shovel(played)
            return
        card = self._random_card(SHOVEL_PICK, seat, self.last[seat])
        self.last[seat].remove(card)
        self.last[seat].append(played.card)
        self.counts[seat]["shovel"] += 1
        after = self._put_on_table(seat, card)
        self._tell(f"seat {seat} digs up {describe(card)}{self._mirror_note(after)}", "FF-D15")
        yield from self._on_play(after)

    def _keep_shovel(self, played: Played) -> None:
        """FF-D22: a Shovel that is not replaced loses the trick."""
        self.must_lose[played.seat] = True
        self._tell(f"seat {played.seat} does not replace {describe(played.card)} and will lose the trick", "FF-D15")

    def _random_card(self, purpose: int, seat: int, cards: Sequence[int]) -> int:
        """Return a card drawn from `cards` of `seat` by that seat's own chance."""
        packet = self.seats[seat].packet
        stream = self.chance.stream(self.round, purpose, packet, self.picks[purpose, seat])
        self.picks[purpose, seat] += 1
        return sorted(cards)[stream.below(0, len(cards))]

    def _fairy(self, played: Played) -> Steps:
        """FF-D18: see up to two random cards of the opponent, take one and give one, or not."""
        seat, other = played.seat, 1 - played.seat
        self.seen = self._shown_by_fairy(other)
        chosen = yield from self._ask(seat, [code(FAIRY_KEEP), *self._codes(FAIRY_TAKE, self.seen)], "FF-D18")
        self.seen = []
        kind, taken, _ = split(chosen)
        if kind == FAIRY_KEEP:
            self._tell(f"the Fairy of seat {seat} takes nothing", "FF-D18")
            return
        self.hands[other].remove(taken)
        self.hands[seat].append(taken)
        self.counts[seat]["fairy"] += 1
        chosen = yield from self._ask(seat, self._codes(FAIRY_GIVE, self.hands[seat]), "FF-D18")
        given = split(chosen)[1]
        self.hands[seat].remove(given)
        self.hands[other].append(given)
        self._tell(f"the Fairy of seat {seat} takes {describe(taken)} and gives {describe(given)}", "FF-D18")

    def _shown_by_fairy(self, other: int) -> list[int]:
        """Return the random cards of the opponent's hand, by the opponent's own chance."""
        hand = sorted(self.hands[other])
        stream = self.chance.stream(self.round, FAIRY_PICK, self.seats[other].packet, self.picks[FAIRY_PICK, other])
        self.picks[FAIRY_PICK, other] += 1
        return [hand[place] for place in stream.permutation(len(hand))[:2]]

    def _hammer(self, played: Played) -> Steps:
        """FF-D13: the follower names a suit; the leader bottoms the card led, draws and plays again."""
        if not self._is_follower(played):
            return
        seat, leader = played.seat, self.leader
        chosen = yield from self._ask(seat, self._codes(HAMMER_SUIT, range(self.variant["suits"])), "FF-D13")
        suit = split(chosen)[1]
        self.counts[seat]["hammer"] += 1
        gone = self._lead_card()
        self._tell(f"the Hammer: seat {seat} names {SUITS[suit]}; {describe(gone.card)} goes under the deck", "FF-D13")
        self.deck.extend(c for c in (gone.card, gone.crown) if c >= 0)
        self.table[leader] = None
        self.must_win[leader] = self.must_lose[leader] = False
        self._draw(leader)
        cards, rule = self._of_suit(self.hands[leader], leader, suit)
        self._use(rule)
        chosen = yield from self._ask(leader, self._codes(PLAY, cards), "FF-D13" if rule == "FF-B6" else rule)
        yield from self._play_from_hand(leader, split(chosen)[1], "plays again:")

    def _axe(self, played: Played) -> Steps:
        """FF-D16: after a Woodcutter draw, put a card under the deck, and win the trick."""
        if not self._is_follower(played):
            return
        lead = self._lead_card()
        face = self.face(lead.card, lead.seat)
        if lead.crown >= 0 or face >= BASE or rank_of(face) != 5:
            return
        self.must_win[played.seat] = True
        self.counts[played.seat]["axe"] += 1
        yield from self._draw_and_bottom(played.seat, "FF-D16")

    def _tree(self, lead: Played) -> Steps:
        """FF-D17: the follower's card is drawn at random."""
        follower = 1 - lead.seat
        card = self._random_card(TREE_PICK, follower, self.hands[follower])
        self.counts[lead.seat]["tree"] += 1
        self.hands[follower].remove(card)
        played = self._put_on_table(follower, card)
        self._tell(f"the Tree makes seat {follower} play {describe(card)}{self._mirror_note(played)}", "FF-D17")
        yield from self._on_play(played)

    def _crown_step(self, played: Played) -> Steps:
        """FF-D19: a Crown may be added to a card that is not special, then its player draws 1."""
        seat = played.seat
        crowns = [c for c in self.hands[seat] if self.face(c, seat) == CROWN and self._works(c, seat) == "crown"]
        if self.is_special(played.card) or not crowns or not self.deck:
            return
        chosen = yield from self._ask(seat, [code(CROWN_PASS), *self._codes(CROWN_ADD, crowns)], "FF-D19")
        kind, crown, _ = split(chosen)
        if kind == CROWN_PASS:
            return
        self.hands[seat].remove(crown)
        played.crown = crown
        self.counts[seat]["crown"] += 1
        self._draw(seat)
        self._tell(f"seat {seat} adds {describe(crown)}: the card counts as a Monarch of its suit", "FF-D19")

    # ------------------------------------------------------------------ who wins the trick

    def _finish_trick(self) -> None:
        lead, follow = self._lead_card(), self.table[1 - self.leader]
        if follow is None:
            raise RuntimeError("no card has followed")
        self._note_witches(lead, follow)
        winner = self._winner(lead, follow)
        self._take_trick(winner, (lead, follow))
        before = list(self.scores)
        self._score_trick(winner, (lead, follow))
        leader = self.leader
        self.leader = self._next_leader(winner, (lead, follow))
        self.tricks_log.append(
            {
                "round": self.round,
                "leader": leader,
                "winner": winner,
                "next_leader": self.leader,
                "cards": (lead.card, follow.card),
                "points": [now - then for now, then in zip(self.scores, before)],
            }
        )
        self._clear_table()

    def _take_trick(self, winner: int, cards: Sequence[Played]) -> None:
        """FF-B12: the winner lays the cards on a pile face down; how many tricks it has stays public."""
        self._use("FF-B12")
        self.pile[winner] += self.last[winner]
        self.last[winner] = [c for p in cards for c in (p.card, p.crown) if c >= 0]
        self.tricks[winner] += 1
        played = sum(self.tricks)
        if played == 1:
            self.first_trick[winner] = 1
        if played <= self.variant["hand_size"] - 4:
            self.early_tricks[winner] += 1

    def _winner(self, lead: Played, follow: Played) -> int:
        """Return the winner's seat: the first rule that has an answer decides."""
        self._decided_by = ""
        for rule in (self._by_mark, self._by_bow, self._by_hammer, self._both_unsuited, self._one_unsuited):
            winner = rule(lead, follow)
            if winner is not None:
                break
        else:
            winner = self._both_suited(lead, follow)
        self._tell(f"seat {winner} wins the trick", self._decided_by)
        return winner

    def _by_mark(self, lead: Played, follow: Played) -> int | None:
        """Return who wins by a mark: an Axe after a Woodcutter wins, a Shovel that was kept loses."""
        for played, other in ((lead, follow), (follow, lead)):
            if self.must_win[played.seat]:
                self._decided_by = "FF-D16"
                return played.seat
            if self.must_lose[played.seat]:
                self._decided_by = "FF-D22"
                return other.seat
        return None

    def _by_bow(self, lead: Played, follow: Played) -> int | None:
        """FF-D7, FF-D8: the Bow beats trumps, special cards and a lone Witch, loses to everything else."""
        for bow, other in ((lead, follow), (follow, lead)):
            if self.text(bow) != "bow":
                continue
            self._decided_by = "FF-D7"
            wins = self.is_special(other.card) or self._is_of_trump_suit(other)
            if self.is_special(other.card):
                self._use("FF-D23")
            if not wins and self.text(other) == "witch":
                self._use("FF-D8")
                wins = self.variant["bow_beats_witch"]
            if wins:
                self.counts[bow.seat]["bow"] += 1
            return bow.seat if wins else other.seat
        return None

    def _by_hammer(self, lead: Played, follow: Played) -> int | None:
        """FF-D20: the Hammer beats odd ranks only."""
        for hammer, other in ((lead, follow), (follow, lead)):
            if self.text(hammer) == "hammer":
                self._decided_by = "FF-D20"
                return hammer.seat if self.rank(other) % 2 else other.seat
        return None

    def _both_unsuited(self, lead: Played, follow: Played) -> int | None:
        """FF-D5: of two unsuited cards the higher printed rank."""
        if self.suit(lead) != NO_SUIT or self.suit(follow) != NO_SUIT:
            return None
        self._decided_by = "FF-D5"
        if self.variant["two_unsuited"] == "leader":
            return lead.seat
        return self._higher(lead, follow)

    def _one_unsuited(self, lead: Played, follow: Played) -> int | None:
        """FF-D4: an unsuited card has the other's suit."""
        for unsuited, other in ((lead, follow), (follow, lead)):
            if self.suit(unsuited) == NO_SUIT:
                self._decided_by = "FF-D4"
                if self.variant["unsuited_vs_trump"] == "loses" and self._is_trump(other, lead, follow):
                    return other.seat
                return self._higher(lead, follow)
        return None

    def _higher(self, lead: Played, follow: Played) -> int:
        """FF-D6: the higher rank, the leader's if the cards are the same."""
        if self.rank(lead) == self.rank(follow):
            self._use("FF-D6")
        return follow.seat if self.rank(follow) > self.rank(lead) else lead.seat

    def _both_suited(self, lead: Played, follow: Played) -> int:
        """FF-B10, FF-B11: the highest trump, else the highest card of the lead suit."""
        lead_trump, follow_trump = self._is_trump(lead, lead, follow), self._is_trump(follow, lead, follow)
        if self.trump == NO_SUIT:
            self._use("FF-D2")
        if lead_trump or follow_trump:
            self._decided_by = "FF-B10"
            if lead_trump and follow_trump:
                return self._higher(lead, follow)
            return lead.seat if lead_trump else follow.seat
        self._decided_by = "FF-B11"
        if self.suit(follow) != self.suit(lead):
            return lead.seat
        return self._higher(lead, follow)

    def _is_of_trump_suit(self, played: Played) -> bool:
        return self.trump != NO_SUIT and self.suit(played) == self.trump

    def _is_trump(self, played: Played, lead: Played, follow: Played) -> bool:
        """Return whether a card is of the trump suit, or the only Witch of the trick."""
        return self._is_of_trump_suit(played) or played is self._lone_witch(lead, follow)

    def _lone_witch(self, lead: Played, follow: Played) -> Played | None:
        """FF-B24: the only Witch of the trick; a 9 without its text is none."""
        witches = [p for p in (lead, follow) if self.text(p) == "witch"]
        return witches[0] if len(witches) == 1 else None

    def _note_witches(self, lead: Played, follow: Played) -> None:
        witches = [p for p in (lead, follow) if self.text(p) == "witch"]
        if witches:
            self._use("FF-B24")
        if len(witches) == 1 and not self._is_of_trump_suit(witches[0]):
            self.counts[witches[0].seat]["witch"] += 1
            self._tell(f"the lone Witch of seat {witches[0].seat} counts as trump")

    # ------------------------------------------------------------------ after the trick

    def _score_trick(self, winner: int, cards: Sequence[Played]) -> None:
        """FF-R16: Treasures and Poison, in the order that the variant says."""
        sevens = sum(self.text(p) == "treasure" for p in cards)
        eights = sum(self.text(p) == "poison" for p in cards)
        if sevens and eights:
            self._use("FF-R16")
        if self.variant["poison_order"] == "gain_first":
            self._gain(winner, sevens)
            self._lose(winner, eights)
        else:
            self._lose(winner, eights)
            self._gain(winner, sevens)

    def _gain(self, winner: int, sevens: int) -> None:
        """FF-B14: points for Treasures."""
        if not sevens:
            return
        points = self.variant["treasure"] * sevens
        self.scores[winner] += points
        self.treasures[winner] += sevens
        self.treasure_points[winner] += points
        self.counts[winner]["treasure"] += sevens
        self._tell(f"seat {winner} gets {points} for {sevens} Treasure{'s' * (sevens > 1)}", "FF-B14")

    def _lose(self, winner: int, eights: int) -> None:
        """FF-P1, FF-P2: points lost to Poison, never below 0."""
        if not eights:
            return
        asked = self.variant["poison_points"] * eights
        lost = min(asked, self.scores[winner])
        self.scores[winner] -= lost
        self.poison_points[winner] += lost
        self.counts[winner]["poison"] += eights
        self._tell(f"seat {winner} loses {lost} to Poison", "FF-P1", *(["FF-P2"] if lost < asked else []))

    def _next_leader(self, winner: int, cards: Sequence[Played]) -> int:
        """FF-B8, FF-B21, FF-R12: the winner, or who lost with a Swan; in the last trick the Swan does nothing."""
        swans = [p.seat for p in cards if self.text(p) == "swan"]
        loser = 1 - winner
        if len(swans) == 2 or (swans and (winner in swans or not self.hands[0])):
            self._use("FF-R12")
        if loser in swans and self.hands[0]:
            self.counts[loser]["swan"] += 1
            self._tell(f"seat {loser} lost with the Swan and leads next", "FF-B21")
            return loser
        self._use("FF-B8")
        return winner


def default_seats() -> list[Any]:
    """Return two seats with their own packets and all abilities on."""
    return [SimpleNamespace(side=0, packet=packet, off=0) for packet in (0, 1)]
