"""A plan, a run and a stopping rule put together: the runs behind a report, and a run that is watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from analysis.cards import CONFIRM, SCREEN, confirm_plans, of_run, screen_plans, screened_cards, with_fresh
from analysis.lists import fresh_seed, picks, screen, strengths
from analysis.sequences import ConfidenceSequence
from analysis.study import Judge, Study, all_arm, judge, pools_of, question_arm
from analysis.sums import Tally, one_arm, pair_arm
from sim.errors import UsageError
from sim.experiment import Change, Plan, make_plan
from sim.game import Game, Lever, load
from sim.outcomes import Part
from sim.run import STOP, Run, open_run, remove_run
from sim.run import run as play_plan
from sim.variant import Variant

ABILITY_PART, TIER_PART, SEATS_PART, READING_PART, PAIR_PART, LEVER_PART = 1 / 20, 1 / 5, 1 / 10, 1 / 10, 1 / 50, 1 / 10
REFERENCE_PART, BESIDE_PART, ASSUMED_PART, CARD_PART, CARD_AGAIN_PART = 1 / 5, 1 / 5, 1 / 2, 1 / 12, 1 / 10
"""Sizes of the smaller runs of a report, as parts of the main run's games per arm; of the variants beside it, each."""

PAIRED = 4
"""How many of the strongest abilities are switched off by twos."""

LEAST = 400
"""Games per arm that a smaller run has at least."""

MANY = 20
"""Deals of a super-block above which arms are compared on single games at random seatings: a run of a few super-blocks
proves next to nothing, and what arms have in common cancels game by game as well."""


@dataclass(frozen=True)
class Spec:
    """What a report is asked for: the main plan, and what else is to be played.

    Parameters
    ----------
    plan
        The main plan; its first arm is the baseline.
    tier
        The policy of its seats.
    counts
        Other player counts to play.
    readings, abilities
        Whether each reading is played the other way too, and each ability switched off.
    reference
        Rules that the report is compared with on the same deals; None, or the rules of the plan: no comparison.
    """

    plan: Plan
    tier: str
    counts: tuple[int, ...] = ()
    readings: bool = True
    abilities: bool = True
    reference: Variant | None = None


def side_names(plan: Plan) -> list[str]:
    """Return the names of the sides that take part, in their order."""
    return [plan.side_names[i] for i in plan.sides]


def without_of(plan: Plan) -> tuple[str, ...]:
    """Return the abilities that nobody has in the baseline of a plan."""
    first, *rest = plan.arms[0].off
    return tuple(key for key in first if all(key in off for off in rest))


def _smaller(spec: Spec, part: float, least: int = LEAST, **changes: Any) -> Plan:
    """Return a plan like the main one but for its size and some arguments of `make_plan`; it shares the deals."""
    plan = spec.plan
    how: dict[str, Any] = {
        "games": max(least, round(plan.games_per_arm * part)), "seats": plan.seats, "variant": plan.variant,
        "policies": spec.tier, "without": without_of(plan), "sides": side_names(plan), "draw": plan.draw,
        "seed": plan.seed,
    }  # fmt: skip
    return make_plan(plan.place, **{**how, **changes})


def _drawn(spec: Spec) -> dict[str, Any]:
    """Return the argument that seats sides at random where a super-block would take too many deals."""
    return {"draw": "random"} if spec.plan.superblock_deals > MANY else {}


def sub_plans(spec: Spec) -> Iterator[tuple[str, Plan]]:
    """Give the smaller plans of a report by the name of their folder; all share the deals of the main plan."""
    game = load(spec.plan.place)
    if (arms := reference_arms(spec)) and spec.reference is not None:
        yield "reference", _smaller(spec, REFERENCE_PART, variant=spec.reference, without=(), arms=arms)
    if spec.abilities and (arms := ability_arms(game, spec)):
        yield "abilities", _smaller(spec, ABILITY_PART, arms=arms, **_drawn(spec))
    weaker = _other_tiers(game, spec.tier)
    for tier in weaker:
        yield f"tier-{tier}", _smaller(spec, TIER_PART, policies=tier)
    for n in spec.counts:
        yield f"seats-{n}", _smaller(spec, SEATS_PART, seats=n)
    if spec.readings and (arms := list(reading_arms(game, spec.plan))):
        yield "readings", _smaller(spec, READING_PART, arms=arms, **_drawn(spec))
    if spec.readings and weaker and (arms := list(lever_arms(game, spec.plan))):
        mixed = [spec.tier, *weaker * (spec.plan.seats - 1)]
        yield "levers", _smaller(spec, LEVER_PART, policies=mixed, arms=arms, **_drawn(spec))
    if spec.readings and (arms := assumption_arms(game, spec.plan)):
        yield "assumptions", _smaller(spec, ASSUMED_PART, arms=arms)
    if spec.readings:
        yield from beside_plans(spec)
    if spec.abilities:
        yield from screen_plans(game, spec.plan, lambda **how: _smaller(spec, CARD_PART, 1, **how))


def beside_plans(spec: Spec) -> Iterator[tuple[str, Plan]]:
    """Give a plan for each variant that the game wants to see beside the main one, with each number of players."""
    plan = spec.plan
    game = load(plan.place)
    for i, lever in enumerate(game.beside):
        changed = turned(plan.variant, lever)
        if changed.values == plan.variant.values:
            continue
        for n in (plan.seats, *spec.counts):
            if playable(game, changed, n):
                yield beside_name(i, n), _smaller(spec, BESIDE_PART, seats=n, variant=changed)


def beside_name(place: int, seats: int) -> str:
    """Return the folder of a variant of `Game.beside` with a number of players."""
    return f"beside-{place}-{seats}"


def turned(variant: Variant, lever: Lever) -> Variant:
    """Return a variant with a lever turned."""
    return replace(variant, values={**variant.values, **lever.settings}, name=lever.title)


def playable(game: Game, variant: Variant, seats: int) -> bool:
    """Tell whether so many can play a variant."""
    try:
        game.check_variant(variant, seats)
    except UsageError:
        return False
    return True


def reference_arms(spec: Spec) -> list[Change]:
    """Return the rules of the report as an arm beside those of reference; nothing where they are the same."""
    plan, off = spec.plan, without_of(spec.plan)
    if spec.reference is None or (spec.reference.values == plan.variant.values and not off):
        return []
    changed = [plan.variant.name] if plan.variant.name != spec.reference.name else []
    name = " ".join([*changed, *(["without " + ", ".join(off)] if off else [])]) or "changed"
    return [Change(name, variant=plan.variant, without=off)]


def ability_arms(game: Game, spec: Spec) -> list[Change]:
    """Return an arm for each ability off for one and off for all, and one for each question asked of the tier."""
    off = game.abilities_in(spec.plan.variant)
    arms = [Change(one_arm(a.key), without=(a.key,), who="one", note=a.off) for a in off]
    arms += [Change(all_arm(a.key), without=(a.key,), who="all", note=a.off) for a in off]
    asked = [q for q in game.questions if q.of == spec.tier] if off or not game.abilities else []
    return arms + [Change(question_arm(q.key), policy=q.tier, who="one", note=q.note) for q in asked]


def assumption_arms(game: Game, plan: Plan) -> list[Change]:
    """Return an arm for each other way to fill in what nobody has published, where sides are compared."""
    changed = [turned(plan.variant, lever) for lever in game.assumptions if len(plan.sides) > 1]
    return [Change(v.name, variant=v) for v in changed if v.values != plan.variant.values]


def lever_arms(game: Game, plan: Plan) -> Iterator[Change]:
    """Give an arm for each lever that can be turned for so many players."""
    for lever in game.levers:
        changed = turned(plan.variant, lever)
        if changed.values != plan.variant.values and playable(game, changed, plan.seats):
            yield Change(lever.title, variant=changed)


def later_plans(spec: Spec, judges: Mapping[str, Judge]) -> Iterator[tuple[str, Plan]]:
    """Give the plans that follow from others: the strongest by twos, the best and the worst on fresh deals."""
    game = load(spec.plan.place)
    screened = of_run(judges, SCREEN)
    yield from confirm_plans(game, spec.plan, screened, lambda **how: _smaller(spec, CARD_AGAIN_PART, 1, **how))
    yield from _after_abilities(spec, game, judges.get("abilities"))


def _after_abilities(spec: Spec, game: Game, abilities: Judge | None) -> Iterator[tuple[str, Plan]]:
    if abilities is None or len(effects := strengths(abilities)) < 2:
        return
    ranked = screen(effects, judge=abilities)
    strongest = sorted(sorted(ranked, key=lambda r: -abs(r.shrunken))[:PAIRED], key=lambda r: r.name)
    if pairs := [p for p in combinations([r.name for r in strongest], 2) if not _nested(game, *p)]:
        order = [a.key for a in game.abilities]
        ordered = [tuple(sorted(pair, key=order.index)) for pair in pairs]
        singles = [key for key in order if any(key in pair for pair in ordered)]
        arms = [Change(one_arm(key), without=(key,), who="one") for key in singles]
        arms += [Change(pair_arm(*pair), without=pair, who="one") for pair in ordered]
        yield "pairs", _smaller(spec, PAIR_PART, arms=arms)
    chosen = [Change(one_arm(r.name), without=(r.name,), who="one") for r in picks(ranked)]
    yield "confirmed", _smaller(spec, ABILITY_PART, seed=fresh_seed(spec.plan.seed), arms=chosen)


def _nested(game: Game, first: str, second: str) -> bool:
    """Tell whether one of two abilities contains the other."""
    one, other = game.ability_mask([first]), game.ability_mask([second])
    return one & other in (one, other)


def _other_tiers(game: Game, tier: str) -> list[str]:
    names = [t.name for t in game.tiers]
    return ["novice"] if "novice" in names and tier != "novice" else []


def reading_name(rule: str, words: str) -> str:
    """Return the name of the arm in which a reading is taken another way."""
    return f"{rule}: {words}"


def reading_arms(game: Game, plan: Plan) -> Iterator[Change]:
    """Give an arm for each other way of each reading that can be played by so many."""
    for reading in game.readings:
        for words, settings in reading.others:
            changed = replace(plan.variant, values={**plan.variant.values, **settings}, name=words)
            if changed.values != plan.variant.values and playable(game, changed, plan.seats):
                yield Change(reading_name(reading.rule, words), variant=changed, note=reading.question)


class Watch:
    """An observer that shows the live headline, and ends a run once it is precise or decided.

    Parameters
    ----------
    plan
        What is played.
    precision
        Half-width at which first seat and classes are precise enough, as a difference of shares; None: never stop.
    decide
        Stop when every verdict has fallen.
    margin
        Replaces the game's margins.
    """

    def __init__(
        self, plan: Plan, *, precision: float | None = None, decide: bool = False, margin: float | None = None
    ) -> None:
        self.tally = Tally(plan, load(plan.place))
        self.precision, self.decide = precision, decide
        self.may_stop = decide or precision is not None
        self.headline = ""
        j = judge(self.tally, margin=margin)
        self.sequences = [self._sequence({"seat 0": 1.0}, j.margin("first_seat"), "going first")]
        for label, members in pools_of(self.tally).items():
            if len(self.tally.sides) > 1:
                parts = {f"side {m}": 1.0 / len(members) for m in members}
                self.sequences.append(self._sequence(parts, j.margin("side"), label))

    def _sequence(self, parts: dict[str, float], margin: float, name: str) -> ConfidenceSequence:
        null = 1.0 / self.tally.plan.seats
        return ConfidenceSequence(
            self.tally.weights(parts), null=null, margin=margin, low=0.0, high=1.0, name=name, precision=self.precision,
            games_per_block=self.tally.games_per_block, table_share=null,
        )  # fmt: skip

    def __call__(self, part: Part) -> str | None:
        """Take in the next part; return "stop" when enough is known."""
        self.tally.add(part)
        for sequence in self.sequences:
            sequence.see(self.tally.shares[0])
        first = self.sequences[0].look
        half = (first.interval.high - first.interval.low) / 2
        self.headline = f"first seat {100 * first.sample.mean:.1f} % +/- {100 * half:.1f}"
        precise = self.precision is not None and all(s.precise for s in self.sequences)
        decided = self.decide and all(s.decided is not None for s in self.sequences)
        return STOP if precise or decided else None


def play_study(
    spec: Spec,
    out: Path | None,
    *,
    jobs: int | None = None,
    backend: str = "threading",
    progress: bool | None = None,
    precision: float | None = None,
    margin: float | None = None,
    command: str = "",
    say: Callable[[str], None] = lambda text: None,
) -> tuple[Study, Run]:
    """Play all runs of a report, or what is missing of them, and return their sums.

    Parameters
    ----------
    spec
        What is asked for.
    out
        Folder of the main run; the smaller runs lie in ``more/`` below it. None keeps all in memory.
    jobs, backend, progress
        See `sim.run.run`.
    precision, margin
        Differences of shares; see `Watch`.
    command
        What reproduces the report.
    say
        Told what is played next.
    """
    watch = Watch(spec.plan, precision=precision, margin=margin)
    run = play_plan(spec.plan, out, watch, jobs, backend, progress=progress)
    judges: dict[str, Judge] = {}

    def play(name: str, plan: Plan, *, follows: bool = False) -> None:
        say(name)
        folder = None if out is None else out / "more" / name
        if follows and folder is not None:
            _clear_other(folder, plan)
        made = play_plan(plan, folder, None, jobs, backend, progress=progress)
        judges[name] = judge(made, margin=margin, tabled=_tabled(name))

    for name, plan in sub_plans(spec):
        play(name, plan)
    for name, plan in later_plans(spec, judges):
        play(name, plan, follows=True)
    main = replace(judge(watch.tally, margin=margin), sequential=run.sequential)
    return _study(main, judges, command, _warnings(run)), run


def _clear_other(folder: Path, plan: Plan) -> None:
    """Remove a run that follows from data which a longer run has changed; what is asked for is never removed."""
    if (folder / "manifest.json").exists() and open_run(folder).plan.hash != plan.hash:
        remove_run(folder)


def open_study(out: Path, *, margin: float | None = None, command: str = "") -> tuple[Study, Run]:
    """Return the study whose runs lie in a folder."""
    run = open_run(out)
    folders = [folder for folder in sorted((out / "more").glob("*")) if (folder / "manifest.json").exists()]

    def judged(folder: Path | None) -> Judge:
        if folder is None:
            return judge(run, margin=margin)
        return judge(open_run(folder), margin=margin, tabled=_tabled(folder.name))

    # numpy counts outside the interpreter's lock: the main run and the smaller ones share two cores.
    with ThreadPoolExecutor(2) as pool:
        main, *others = pool.map(judged, [None, *folders])
    return _study(main, {folder.name: j for folder, j in zip(folders, others)}, command, _warnings(run)), run


def _tabled(name: str) -> bool:
    """Tell whether a report shows the game's own tables of a smaller run."""
    return name.startswith(("seats-", "beside-"))


def _warnings(run: Run) -> tuple[str, ...]:
    plan = run.plan
    made = []
    if (sentence := load(plan.place).warn(plan.variant, plan.seats)) is not None:
        made.append(sentence)
    if run.sequential:
        made.append("The run was watched, extended or interrupted: its intervals hold at every look, and are wider.")
    if any(t.name == "random" for t in plan.arms[0].tiers):
        made.append("Seats play at random: good for tests, never for a verdict.")
    return tuple(made)


def _study(main: Judge, judges: dict[str, Judge], command: str, warnings: tuple[str, ...]) -> Study:
    return Study(
        main=main,
        abilities=judges.get("abilities"),
        readings=judges.get("readings"),
        levers=judges.get("levers"),
        reference=judges.get("reference"),
        tiers={name[5:]: j for name, j in judges.items() if name.startswith("tier-")},
        pairs=judges.get("pairs"),
        confirmed=judges.get("confirmed"),
        assumptions=judges.get("assumptions"),
        cards=with_fresh(screened_cards(load(main.tally.plan.place), of_run(judges, SCREEN)), of_run(judges, CONFIRM)),
        seats={int(name[6:]): j for name, j in sorted(judges.items()) if name.startswith("seats-")},
        beside={name: j for name, j in judges.items() if name.startswith("beside-")},
        command=command,
        warnings=warnings,
    )


def compare_plan(
    game: str,
    changed: Variant,
    *,
    games: int | None = None,
    seats: int | None = None,
    sides: list[str] | None = None,
    policies: list[str] | str = "skilled",
    without: Sequence[str] = (),
    seed: int | str = 1,
) -> Plan:
    """Return the plan of a comparison: the game as it is, and changed for everybody, on the same deals."""
    facts = load(game)
    size = facts.games // 4 if games is None else games
    name = changed.name if changed.name != "default" else "without " + ", ".join(without)
    change = Change(name, variant=changed, without=tuple(without), who="all")
    return make_plan(
        game, games=size, seats=seats, variant=facts.default, sides=sides, policies=policies, arms=[change], seed=seed
    )
