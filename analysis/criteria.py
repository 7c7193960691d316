"""What a designer demands of a game, ``[criteria]`` of a variant, judged: pass, fail or undecided.

A margin is judged as everywhere (shown inside, shown outside), several sides together. A range is passed when the
interval lies inside it, failed when it lies outside. Each criterion is judged at its own
level: that all pass needs no correction, and a game on the very edge of a criterion fails it in at most 5 % of runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Final, Literal

from analysis import study as estimates
from analysis.estimands import lost_alone
from analysis.intervals import Interval
from analysis.keys import Off
from analysis.moments import Sample
from analysis.runs import Study
from analysis.study import Judge
from analysis.verdicts import Joint, Verdict, further_blocks, joint
from sim.errors import UsageError, nearest
from sim.game import Game, load_engine

Word = Literal["pass", "fail", "undecided"]
Unit = Literal["points", "share", "number", "per_1000"]
Rule = Mapping[str, float]

PASS: Final = "pass"
FAIL: Final = "fail"
UNDECIDED: Final = "undecided"
CHECK_PASSED, CHECK_FAILED, CHECK_OPEN = 0, 3, 4
"""Exit codes of `evenhand report --check`."""

_WORDS: dict[str, Word] = {"balanced": PASS, "unbalanced": FAIL, "undecided": UNDECIDED}
_RATES = {"capped": "games that hit a cap", "tie": "shared wins", "draw": "draws", "all_win": "wins for all"}
_LENGTHS = {"rounds": "rounds per game", "turns": "turns per game", "lead_changes": "lead changes per game"}
_MINUTES = "minutes"


@dataclass(frozen=True)
class Outcome:
    """One criterion, judged.

    Parameters
    ----------
    key
        As it stands in the variant.
    title, target
        What is judged, and the demand in words.
    word
        `pass`, `fail` or `undecided`.
    value, bounds
        Estimate and interval (of a margin: the gap to the fair value), in the scale of `unit`.
    unit
        `points` and `share` are fractions of 1.
    null, margin
        Of a criterion with a margin; 0 and None otherwise.
    smallest_margin
        The smallest margin shown, where the criterion has one.
    further_games
        Expected number until it is decided; 0 if it is, None if no number can be named.
    note
        A sentence where it needs one.
    """

    key: str
    title: str
    target: str
    word: Word
    value: float | None
    bounds: Interval
    unit: Unit
    null: float = 0.0
    margin: float | None = None
    smallest_margin: float | None = None
    further_games: int | None = 0
    note: str = ""


def known_criteria(game: Game) -> dict[str, tuple[str, ...]]:
    """Return the criteria that a game can be held to: {name: the numbers that it takes}."""
    made: dict[str, tuple[str, ...]] = {"first_seat": ("margin",)}
    if len(game.sides) > 1:
        made |= {f"{game.side_word}_share": ("margin",), "side_share": ("margin",), "matchup": ("margin",)}
    for name in (*_RATES, *_LENGTHS, _MINUTES):
        made[name] = ("min", "max")
    for ability in game.abilities:
        made[f"ability.{ability.key}"] = ("min", "max")
        made[f"uses.{ability.key}"] = ("min", "max")
    return made


def check_criteria(game: Game, criteria: Mapping[str, Rule]) -> None:
    """Raise UsageError, one sentence with the nearest names, where a criterion cannot be judged."""
    known = known_criteria(game)
    for name, rule in criteria.items():
        if name not in known:
            raise UsageError(f"[criteria]: {nearest(name, known, f'criterion of {game.title}')}")
        for key, value in rule.items():
            if key not in known[name]:
                raise UsageError(f"[criteria] {name}: {nearest(key, known[name], 'number')}")
            if not isfinite(value) or (key == "margin" and not 0 < value < 1):
                raise UsageError(f"[criteria] {name}: {key} = {value:g} is not possible.")
        if rule.get("min", -inf) > rule.get("max", inf):
            raise UsageError(f"[criteria] {name}: min = {rule['min']:g} is above max = {rule['max']:g}.")


def evaluate(study: Study, criteria: Mapping[str, Rule] | None = None) -> tuple[Outcome, ...]:
    """Judge the criteria of a study's variant; without any, the game's own margins.

    Parameters
    ----------
    study
        The runs.
    criteria
        In place of the variant's own.
    """
    game = study.game
    rules = study.main.tally.plan.variant.criteria if criteria is None else criteria
    check_criteria(game, rules)
    return tuple(_judge(study, name, rule) for name, rule in (rules or default_criteria(study)).items())


def default_criteria(study: Study) -> dict[str, Rule]:
    """Return the margins of the game (or those asked for) as criteria."""
    j = study.main
    made: dict[str, Rule] = {"first_seat": {"margin": j.margin("first_seat")}}
    if len(j.tally.sides) > 1:
        made[f"{study.game.side_word}_share"] = {"margin": j.margin("side")}
    return made


def exit_code(outcomes: tuple[Outcome, ...]) -> int:
    """Return 0 if all pass, 3 if one failed, 4 if one is undecided."""
    words = [o.word for o in outcomes]
    return CHECK_FAILED if FAIL in words else CHECK_OPEN if UNDECIDED in words else CHECK_PASSED


def _judge(study: Study, name: str, rule: Rule) -> Outcome:
    j, game = study.main, study.game
    kind, _, key = name.partition(".")
    if name == "first_seat":
        return _with_margin(name, "going first", _held(j, rule, "first_seat"))
    if kind in (f"{game.side_word}_share", "side_share"):
        return _sides(j, name, rule)
    if kind == "matchup":
        return _matchups(j, name, rule)
    if kind == "ability":
        return _ability(study, name, key, rule)
    if kind == "uses":
        own = (study.abilities or j).tally
        sample = own.games[0].sample(own.game_columns.index(f"own_{key}"), low=0.0, high=inf)
        title = f"uses of {_title(game, key)} per 1,000 games"
        return _in_range(study.abilities or j, name, title, _scaled(sample, 1000), rule, "per_1000")
    high = 1.0 if kind in _RATES else float(load_engine(game).max_rounds) if kind == "rounds" else inf
    scale = game.seconds_per_turn / 60 if kind == _MINUTES else 1.0
    column = "turns" if kind == _MINUTES else kind
    sample = j.tally.games[0].sample(j.tally.game_columns.index(column), low=0.0, high=high)
    title = "minutes at the table" if kind == _MINUTES else {**_RATES, **_LENGTHS}[kind]
    return _in_range(j, name, title, _scaled(sample, scale), rule, "share" if kind in _RATES else "number")


def _held(j: Judge, rule: Rule, what: str) -> Verdict:
    other = Judge(j.tally, j.sequential, j.level, {**j.margins, what: rule["margin"]})
    return estimates.first_player(other)


def _with_margin(name: str, title: str, v: Verdict) -> Outcome:
    gap = Interval(v.interval.low - v.null, v.interval.high - v.null, v.level, v.method)
    target = f"within {100 * v.margin:g} points of {100 * v.null:.3g} %"
    return Outcome(
        name, title, target, _WORDS[v.word], v.gap, gap, "points", 0.0, v.margin, v.smallest_margin, v.further_games,
        v.note,
    )  # fmt: skip


def _sides(j: Judge, name: str, rule: Rule) -> Outcome:
    other = Judge(j.tally, j.sequential, j.level, {**j.margins, "side": rule["margin"]})
    if len(j.tally.sides) < 2:
        return _unplayed(name, "shares of the sides", f"within {100 * rule['margin']:g} points", "one side only played")
    return _together(name, estimates.all_sides(other), rule["margin"], f"every {j.tally.game.side_word}")


def _together(name: str, found: Joint, margin: float, what: str) -> Outcome:
    """Several verdicts as one outcome; shown is the one that stands farthest from fair."""
    worst = max(found.verdicts, key=lambda v: abs(v.gap or 0.0))
    gap = Interval(worst.interval.low - worst.null, worst.interval.high - worst.null, worst.level, worst.method)
    target = f"{what} within {100 * margin:g} points of {100 * worst.null:.3g} %"
    return Outcome(
        name, f"{worst.name} (the farthest of {len(found.verdicts)})", target, _WORDS[found.word], worst.gap, gap,
        "points", 0.0, margin, found.smallest_margin, found.further_games, found.note,
    )  # fmt: skip


def _matchups(j: Judge, name: str, rule: Rule) -> Outcome:
    found = estimates.side_by_side(j)
    if found is None:
        return _unplayed(name, "matchups", f"within {100 * rule['margin']:g} points", "one side only played")
    verdicts = [
        j.judged(s, null=0.5, margin=rule["margin"], name=f"{found.sides[a]} against {found.sides[b]}")
        for (a, b), s in zip(found.pairs, found.samples)
    ]
    return _together(name, joint(verdicts, level=j.level), rule["margin"], "every matchup")


def _title(game: Game, key: str) -> str:
    return next(a.title for a in game.abilities if a.key == key)


def _ability(study: Study, name: str, key: str, rule: Rule) -> Outcome:
    title = f"strength of {_title(study.game, key)}"
    j = study.abilities
    sample = None if j is None else lost_alone(j.tally, Off(key))
    if j is None or sample is None:
        return _unplayed(name, title, _range_words(rule, "points"), "its arm was not played")
    return _in_range(j, name, title, sample, rule, "points")


def _unplayed(name: str, title: str, target: str, why: str) -> Outcome:
    return Outcome(name, title, target, UNDECIDED, None, Interval(-1.0, 1.0, 0.95, "whole range"), "points", note=why,
                   further_games=None)  # fmt: skip


def _scaled(sample: Sample, scale: float) -> Sample:
    return Sample(sample.n, scale * sample.mean, scale**2 * sample.variance, scale * sample.low, scale * sample.high)


def _in_range(j: Judge, name: str, title: str, sample: Sample, rule: Rule, unit: Unit) -> Outcome:
    low, high = rule.get("min", -inf), rule.get("max", inf)
    bounds = j.interval(sample)
    word: Word = UNDECIDED
    if bounds.low > high or bounds.high < low:
        word = FAIL
    elif low <= bounds.low and bounds.high <= high:
        word = PASS
    more = 0 if word != UNDECIDED else _more(sample, low, high, j)
    value = sample.mean if sample.n else None
    return Outcome(
        name, title, _range_words(rule, unit), word, value, bounds, unit, further_games=more, note=bounds.note
    )


def _more(sample: Sample, low: float, high: float, j: Judge) -> int | None:
    """Games until the nearer end of the range is told from the truth, were it the estimate."""
    ends = [end for end in (low, high) if isfinite(end)]
    end = min(ends, key=lambda e: abs(e - sample.mean))
    blocks = further_blocks(sample, null=end, margin=0.0, level=j.level)
    return None if blocks is None else blocks * j.tally.games_per_block


def _range_words(rule: Rule, unit: Unit) -> str:
    scale, suffix = (100.0, " %" if unit == "share" else " points") if unit in ("share", "points") else (1.0, "")
    words = [f"{word} {scale * rule[key]:g}" for key, word in (("min", "at least"), ("max", "at most")) if key in rule]
    return " and ".join(words) + suffix
