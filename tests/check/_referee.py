"""The referee at full size, for any game: cases with weights, tasks, workers, the table of rules and their uses."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from sim.experiment import Change, make_plan
from sim.game import load
from sim.referee import DisagreementError, Report, RulebookMaker, check
from sim.trace import Trace, Tracer

LEAST = 20  # uses of every rule id in a run of full size
CHUNK = 25  # games of one task
STRIDE = 89  # from one game of a design with all pairs to the next: even few games meet most pairs
NOVICE, SKILLED, RANDOM = ("novice",), ("skilled",), ("random",)
MIXED = ("skilled", "novice", "skilled", "novice", "skilled")
ONE_RANDOM = ("skilled", "random", "novice", "skilled", "novice")


@dataclass(frozen=True)
class Case:
    """Games of one kind.

    Parameters
    ----------
    name
        For progress and complaints.
    weight
        Its part of all games, relative to the others.
    seats, tiers
        How many play, and who: one tier for all, or the first `seats` of a longer list.
    variant, settings
        The rules.
    without
        An ability that one entrant plays without in every second game.
    draw
        ``"random"``: every game another deal. ``"balanced"``: packets go round the seats.
    sides
        The sides that take part; () for all.
    pairs
        Every side meets every other and itself, in both orders; needs ``"balanced"``.
    """

    name: str
    weight: float
    seats: int
    tiers: tuple[str, ...]
    settings: tuple[str, ...] = ()
    variant: str | None = None
    without: str = ""
    draw: str = "random"
    sides: tuple[str, ...] = ()
    pairs: bool = False


def _nothing(trace: Trace) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class Check:
    """What a game's full-size referee run is made of.

    Parameters
    ----------
    game
        Its name.
    rules
        {rule id: sentence}.
    cases
        Makes the cases; called in every worker.
    games
        Full size.
    chunk
        Games of one task.
    lists
        {title: {word: what it stands for}}: further things to be used as often as the rules; only rare ones are shown.
    notes
        Words to count for a game, besides what its rulebook counts.
    """

    game: str
    rules: Mapping[str, str]
    cases: Callable[[], Sequence[Case]]
    games: int
    chunk: int = CHUNK
    lists: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: Callable[[Trace], Iterable[str]] = _nothing

    def play(self, case: Case, games: int, seed: int, rulebook: RulebookMaker | None = None, first: int = 0) -> Report:
        """Replay some games through a rulebook; a `DisagreementError` is raised where it differs from the engine."""
        game = load(self.game)
        tiers = case.tiers if len(case.tiers) == 1 else case.tiers[: case.seats]
        arms = [Change(f"one without {case.without}", without=(case.without,), who="one")] if case.without else []
        plan = make_plan(
            self.game, games=games, seats=case.seats, variant=game.variant(case.variant, case.settings), policies=tiers,
            arms=arms, seed=seed, draw=case.draw, sides=case.sides or None, mirrors=case.pairs,
        )  # fmt: skip
        tracer, report = Tracer(plan), Report()
        for number in range(first, first + games):
            trace = tracer.play(STRIDE * number if case.pairs else number)
            book = check(trace, game, rulebook or game.rulebook())
            report += Report(1, len(trace.steps), Counter(book.uses))
            report.uses.update(self.notes(trace))
        return report

    def tasks(self, games: int) -> list[tuple[int, int, int, int]]:
        """Return (case, games, seed, first) of tasks that are `games` or a few more together, every case among them.

        Tasks of a case have seeds of their own; those of a case with all pairs go on where the one before ended.
        """
        everything = self.cases()
        whole = sum(case.weight for case in everything)
        made = []
        for i, case in enumerate(everything):
            left = max(1, int(-(-games * case.weight // whole)))
            for number in range(-(-left // self.chunk)):
                seed, first = 1000 * (i + 1) + number, 0
                if case.pairs:
                    seed, first = 1000 * (i + 1), 7 * i + number * self.chunk
                made.append((i, min(left - number * self.chunk, self.chunk), seed, first))
        return made

    def work(self, task: tuple[int, int, int, int]) -> tuple[int, Report, float]:
        """Play one task in a worker."""
        i, games, seed, first = task
        began = time.thread_time()
        case = self.cases()[i]
        try:
            report = self.play(case, games, seed, first=first)
        except DisagreementError as error:
            raise DisagreementError(f"{case.name}: {error}") from error
        return i, report, time.thread_time() - began

    def referee(self, games: int, jobs: int = 2) -> tuple[Report, dict[int, tuple[int, float]]]:
        """Play all cases; return what the referee saw, and {case: (games, CPU seconds)}."""
        seen, spent, shown = Report(), {}, time.monotonic()
        todo = self.tasks(games)
        whole = sum(task[1] for task in todo)
        for seats in load(self.game).seats:  # compile once, not in every worker
            self.play(next(case for case in self.cases() if case.seats == seats), 1, 1)
        with ProcessPoolExecutor(jobs) as pool:
            for done in as_completed([pool.submit(self.work, task) for task in todo]):
                i, report, seconds = done.result()
                seen += report
                before = spent.get(i, (0, 0.0))
                spent[i] = (before[0] + report.games, before[1] + seconds)
                if time.monotonic() - shown > 10 or seen.games == whole:
                    shown = time.monotonic()
                    print(
                        f"{seen.games:,} of {whole:,} games, {seen.decisions:,} decisions", file=sys.stderr, flush=True
                    )
        return seen, spent

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Return 0 when engine and rulebook agree everywhere and no rule is rare."""
        word = self.game.partition("-")[0]
        parser = argparse.ArgumentParser(prog=f"python -m tests.check.{word}")
        parser.add_argument("games", nargs="?", type=int, default=self.games)
        parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
        parser.add_argument("--times", action="store_true", help="show the CPU seconds of every case")
        chosen = parser.parse_args(arguments)
        began = time.monotonic()
        try:
            seen, spent = self.referee(chosen.games, chosen.jobs)
        except DisagreementError as error:
            print(f"Disagreement: {error}")
            return 1
        if chosen.times:
            for i, (games, seconds) in sorted(spent.items(), key=lambda item: -item[1][1]):
                print(f"{self.cases()[i].name:40s} {games:6d} games {seconds:8.1f} s")
        return self._print(seen, LEAST if chosen.games >= self.games else 1, time.monotonic() - began)

    def _print(self, seen: Report, least: int, seconds: float) -> int:
        for rule, sentence in self.rules.items():
            print(f"{rule:8s} {seen.uses[rule]:10,d}  {sentence}")
        rare = seen.rare(list(self.rules), least)
        print(
            f"{load(self.game).title}: engine and rulebook agree in {seen.games:,} games, "
            f"{seen.decisions:,} decisions; "
            f"{len(self.rules)} rules, {len(rare)} used less than {least} times; {seconds:.0f} s."
        )
        for rule, uses in rare.items():
            print(f"rare: {rule} was used {uses} times.")
        return 1 if self._print_lists(seen, least) or rare else 0

    def _print_lists(self, seen: Report, least: int) -> int:
        """Print what is rare of the further lists; return how much."""
        many = 0
        for title, words in self.lists.items():
            rare = seen.rare(list(words), least)
            print(f"{len(words)} {title}, {len(rare)} used less than {least} times.")
            for word, uses in rare.items():
                print(f"rare: {word} was used {uses} times: {words[word]}")
            many += len(rare)
        return many
