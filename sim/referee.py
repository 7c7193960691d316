"""The referee: replays the engine's games through the rulebook and demands that both agree at every decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sim.experiment import Plan, make_plan
from sim.facts import Tier
from sim.game import Game, IllegalMoveError, Rulebook, load, load_engine, split
from sim.rng import Chance
from sim.trace import Trace, Tracer, number_of, trace_game
from sim.variant import Variant

RulebookMaker = Callable[..., Rulebook]


class DisagreementError(AssertionError):
    """Engine and rulebook differ: the sentence says in which game, at which decision, in what."""


@dataclass
class Report:
    """What a referee has seen.

    Parameters
    ----------
    games, decisions
        How many.
    uses
        {rule id: how often it decided something}.
    """

    games: int = 0
    decisions: int = 0
    uses: Counter[str] = field(default_factory=Counter)

    def rare(self, rules: Sequence[str], least: int = 20) -> dict[str, int]:
        """Return the rule ids that were used less than `least` times."""
        return {rule: self.uses[rule] for rule in rules if self.uses[rule] < least}

    def __add__(self, other: Report) -> Report:
        return Report(self.games + other.games, self.decisions + other.decisions, self.uses + other.uses)


def open_book(trace: Trace, maker: RulebookMaker) -> Rulebook:
    """Return a rulebook that stands at the start of a traced game."""
    return maker(trace.variant, trace.places, Chance(trace.key))


def check(trace: Trace, game: Game, maker: RulebookMaker | None = None) -> Rulebook:
    """Replay a trace in lockstep; return the rulebook at the end of the game.

    Raises
    ------
    DisagreementError
        Where options, what is visible, the outcome or the rounds differ.
    """
    judge = _Judge(trace, game)
    book = open_book(trace, maker or game.rulebook())
    for place, step in enumerate(trace.steps):
        judge.at(place)
        judge.equal("the rulebook says the game is over", False, bool(book.over))
        judge.same_visible(step.before, book)
        judge.equal("the seat that decides", step.seat, int(book.actor))
        judge.same_options(step.options, book.options())
        try:
            book.apply(step.code)
        except IllegalMoveError as error:
            judge.fail(f"the rulebook refuses {judge.words(step.code)}: {error}")
    judge.at(len(trace.steps))
    judge.equal("the game is over", True, bool(book.over))
    judge.same_visible(trace.final, book, over=True)
    judge.same_rows("the game row", [trace.game_row], [book.outcome()])
    rounds = getattr(book, "round_outcomes", None)
    if rounds is not None:
        judge.same_rows("the round row", list(trace.round_rows), rounds)
    return book


class _Judge:
    """Compares, and says in one sentence where two things differ."""

    def __init__(self, trace: Trace, game: Game) -> None:
        self.trace, self.game = trace, game
        self.fast = load_engine(game)
        self.place = 0

    def at(self, place: int) -> None:
        self.place = place

    def fail(self, text: str) -> None:
        t = self.trace
        before = f" after {self.words(t.steps[self.place - 1].code)}" if self.place > 0 else ""
        raise DisagreementError(
            f"{t.game}, seed {t.seed}, deal {t.deal}, game {t.number}, variant {t.variant.name!r}, "
            f"decision {self.place}{before}: {text}"
        )

    def words(self, code: int) -> str:
        kind, a, b = split(code)
        name = next((row.name for row in self.game.decisions if row.kind == kind), f"kind {kind}")
        return f"{name}({a}, {b})"

    def equal(self, what: str, mine: Any, book: Any) -> None:
        if mine != book:
            self.fail(f"{what}: engine {mine!r}, rulebook {book!r}")

    def same_options(self, mine: Sequence[int], book: Sequence[int]) -> None:
        if list(mine) == list(book):
            return
        only = [self.words(code) for code in mine if code not in set(book)]
        lacks = [self.words(code) for code in book if code not in set(mine)]
        if not only and not lacks:
            self.fail(
                f"the options are the same but not in the same order, or not once each: {list(mine)}, {list(book)}"
            )
        self.fail(f"options of the engine alone: {only}; of the rulebook alone: {lacks}")

    def same_visible(self, state: Any, book: Rulebook, over: bool = False) -> None:
        mine = self.fast.visible(state, self.trace.rules, len(self.trace.places))
        theirs = book.visible()
        self.equal("the keys of visible()", sorted(mine), sorted(theirs))
        for key, value in mine.items():
            if over and key == "actor":  # nobody acts any more
                continue
            if not _alike(value, theirs[key]):
                self.equal(f"visible {key!r}", plain(value), plain(theirs[key]))

    def same_rows(self, what: str, mine: Sequence[Any], books: Sequence[Mapping[str, Any]]) -> None:
        self.equal(f"the number of rows of {what}", len(mine), len(books))
        for i, (row, book) in enumerate(zip(mine, books, strict=True)):
            self.equal(f"the columns of {what}", sorted(row.dtype.names), sorted(book))
            for name in row.dtype.names:
                self.equal(f"{what} {i}, column {name!r}", plain(row[name]), plain(book[name]))


def _alike(mine: Any, theirs: Any) -> bool:
    """Say at little cost that two plain values are equal; False where `plain` has to look."""
    if type(mine) is not type(theirs) or type(mine) not in (int, list):
        return False
    try:
        return bool(mine == theirs)
    except ValueError:  # arrays inside
        return False


def plain(value: Any) -> Any:
    """Return nested sequences as lists, numpy numbers as Python numbers: what can be compared with `==`."""
    if type(value) is int or type(value) is str:  # most of what is compared
        return value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    return int(value) if isinstance(value, bool) else value


def referee(
    game: str | Game,
    variant: Variant | None = None,
    seats: int | None = None,
    tiers: Sequence[str | Tier] | str = "random",
    games: int = 100,
    seed: int = 1,
    *,
    sides: Sequence[str] | None = None,
    without: Sequence[str] = (),
    draw: str = "random",
    rulebook: RulebookMaker | None = None,
) -> Report:
    """Replay games through the rulebook.

    Parameters
    ----------
    game, variant, seats, tiers, seed, sides, without, draw
        What to play, as in `sim.simulate`.
    games
        How many.
    rulebook
        Another rulebook than the game's, a mutant for example.

    Returns
    -------
    Report
        If engine and rulebook agree in everything; otherwise `DisagreementError` is raised.
    """
    plan = make_plan(
        game, games=games, seats=seats, variant=variant, sides=sides, policies=tiers, without=without, seed=seed,
        draw=draw,
    )  # fmt: skip
    facts = load(plan.place)
    maker = rulebook or facts.rulebook()
    tracer, report = Tracer(plan), Report()
    for number in range(games):
        trace = tracer.play(number)
        book = check(trace, facts, maker)
        report.games += 1
        report.decisions += len(trace.steps)
        report.uses.update(book.uses)
    return report


def caught(rulebook: RulebookMaker, game: str | Game, **how: Any) -> str | None:
    """Return the complaint that a wrong rulebook earns, or None when it goes unnoticed."""
    try:
        referee(game, rulebook=rulebook, **how)
    except DisagreementError as error:
        return str(error)
    except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, AssertionError) as error:
        return f"the rulebook breaks: {type(error).__name__}: {error}"
    return None


def story(plan: Plan, deal: int, seating: int = 0, arm: int = 0) -> list[str]:
    """Return a game in words: the rulebook tells it while it follows the engine's moves."""
    trace = trace_game(plan, number_of(plan, deal, seating, arm))
    return list(check(trace, load(plan.place)).story)
