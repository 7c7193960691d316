"""The runs of a report: one table that says of each what it is for, how large it is and what reads it.

The plans of all runs are made here, and the study that holds what they found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from analysis.cards import CardEffect, confirm_plans, screen_plans, screened_cards, with_fresh
from analysis.keys import Asked, Off, OffBoth, OffForAll, OtherReading, RunKey
from analysis.lists import fresh_seed, picks, screen, strengths
from analysis.study import Judge, family_of
from sim.errors import UsageError
from sim.experiment import Change, Plan, make_plan
from sim.facts import Design, Lever
from sim.game import Game, load
from sim.variant import Variant

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


def _smaller(spec: Spec, kind: Kind, **changes: Any) -> Plan:
    """Return a plan like the main one but for its size and some arguments of `make_plan`; it shares the deals."""
    plan = spec.plan
    how: dict[str, Any] = {
        "games": max(kind.least, round(plan.games_per_arm * kind.part)), "seats": plan.seats, "variant": plan.variant,
        "policies": spec.tier, "without": without_of(plan), "sides": side_names(plan), "draw": plan.draw,
        "seed": plan.seed,
    }  # fmt: skip
    return make_plan(plan.place, **{**how, **changes})


def _drawn(spec: Spec) -> dict[str, Any]:
    """Return the argument that seats sides at random where a super-block would take too many deals."""
    return {"draw": "random"} if spec.plan.superblock_deals > MANY else {}


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
    arms = [Change(str(Off(a.key)), without=(a.key,), who="one", note=a.off) for a in off]
    arms += [Change(str(OffForAll(a.key)), without=(a.key,), who="all", note=a.off) for a in off]
    asked = [q for q in game.group(Design).questions if q.of == spec.tier] if off or not game.abilities else []
    return arms + [Change(str(Asked(q.key)), policy=q.tier, who="one", note=q.note) for q in asked]


def assumption_arms(game: Game, plan: Plan) -> list[Change]:
    """Return an arm for each other way to fill in what nobody has published, where sides are compared."""
    changed = [turned(plan.variant, lever) for lever in game.group(Design).assumptions if len(plan.sides) > 1]
    return [Change(v.name, variant=v) for v in changed if v.values != plan.variant.values]


def lever_arms(game: Game, plan: Plan) -> Iterator[Change]:
    """Give an arm for each lever that can be turned for so many players."""
    for lever in game.group(Design).levers:
        changed = turned(plan.variant, lever)
        if changed.values != plan.variant.values and playable(game, changed, plan.seats):
            yield Change(lever.title, variant=changed)


def _nested(game: Game, first: str, second: str) -> bool:
    """Tell whether one of two abilities contains the other."""
    one, other = game.ability_mask([first]), game.ability_mask([second])
    return one & other in (one, other)


def _other_tiers(game: Game, tier: str) -> list[str]:
    names = [t.name for t in game.tiers]
    return ["novice"] if "novice" in names and tier != "novice" else []


def reading_arms(game: Game, plan: Plan) -> Iterator[Change]:
    """Give an arm for each other way of each reading that can be played by so many."""
    for reading in game.readings:
        for words, settings in reading.others:
            changed = replace(plan.variant, values={**plan.variant.values, **settings}, name=words)
            if changed.values != plan.variant.values and playable(game, changed, plan.seats):
                yield Change(str(OtherReading(reading.rule, words)), variant=changed, note=reading.question)


# ---- the table

Found = Mapping[RunKey, Judge]
Plans = Iterator[tuple[RunKey, Plan]]


@dataclass(frozen=True)
class Kind:
    """One kind of smaller run.

    Parameters
    ----------
    name
        The kind of its keys; the folder is the key's name.
    part
        Its games per arm, as a part of the main run's.
    plans
        Gives the keys and plans for what is asked, from what runs before it found.
    reads
        The field of `Study` that holds what it found.
    least
        Games per arm that it has at least.
    tabled
        Whether the game's own tables are kept.
    follows
        Whether its plan depends on what other runs found, so that a longer report may need another one.
    """

    name: str
    part: float
    plans: Callable[[Spec, Kind, Found], Plans]
    reads: str
    least: int = LEAST
    tabled: bool = False
    follows: bool = False


def _reference(spec: Spec, kind: Kind, found: Found) -> Plans:
    if (arms := reference_arms(spec)) and spec.reference is not None:
        yield RunKey(kind.name), _smaller(spec, kind, variant=spec.reference, without=(), arms=arms)


def _abilities(spec: Spec, kind: Kind, found: Found) -> Plans:
    if spec.abilities and (arms := ability_arms(load(spec.plan.place), spec)):
        yield RunKey(kind.name), _smaller(spec, kind, arms=arms, **_drawn(spec))


def _tiers(spec: Spec, kind: Kind, found: Found) -> Plans:
    for tier in _other_tiers(load(spec.plan.place), spec.tier):
        yield RunKey(kind.name, (tier,)), _smaller(spec, kind, policies=tier)


def _counts(spec: Spec, kind: Kind, found: Found) -> Plans:
    for n in spec.counts:
        yield RunKey(kind.name, (n,)), _smaller(spec, kind, seats=n)


def _readings(spec: Spec, kind: Kind, found: Found) -> Plans:
    if spec.readings and (arms := list(reading_arms(load(spec.plan.place), spec.plan))):
        yield RunKey(kind.name), _smaller(spec, kind, arms=arms, **_drawn(spec))


def _levers(spec: Spec, kind: Kind, found: Found) -> Plans:
    game = load(spec.plan.place)
    weaker = _other_tiers(game, spec.tier)
    if spec.readings and weaker and (arms := list(lever_arms(game, spec.plan))):
        mixed = [spec.tier, *weaker * (spec.plan.seats - 1)]
        yield RunKey(kind.name), _smaller(spec, kind, policies=mixed, arms=arms, **_drawn(spec))


def _assumptions(spec: Spec, kind: Kind, found: Found) -> Plans:
    if spec.readings and (arms := assumption_arms(load(spec.plan.place), spec.plan)):
        yield RunKey(kind.name), _smaller(spec, kind, arms=arms)


def _beside(spec: Spec, kind: Kind, found: Found) -> Plans:
    plan, game = spec.plan, load(spec.plan.place)
    for i, lever in enumerate(game.group(Design).beside if spec.readings else ()):
        changed = turned(plan.variant, lever)
        for n in (plan.seats, *spec.counts) if changed.values != plan.variant.values else ():
            if playable(game, changed, n):
                yield RunKey(kind.name, (i, n)), _smaller(spec, kind, seats=n, variant=changed)


def _cards(spec: Spec, kind: Kind, found: Found) -> Plans:
    if spec.abilities:
        yield from screen_plans(load(spec.plan.place), spec.plan, lambda **how: _smaller(spec, kind, **how))


def _cards_again(spec: Spec, kind: Kind, found: Found) -> Plans:
    screened = [j for key, j in sorted_of(found, "cards")]
    yield from confirm_plans(load(spec.plan.place), spec.plan, screened, lambda **how: _smaller(spec, kind, **how))


def _pairs(spec: Spec, kind: Kind, found: Found) -> Plans:
    """Give the run in which the strongest abilities are off by twos."""
    game, abilities = load(spec.plan.place), found.get(RunKey("abilities"))
    if abilities is None or len(effects := strengths(abilities)) < 2:
        return
    ranked = screen(effects, judge=abilities)
    strongest = sorted(sorted(ranked, key=lambda r: -abs(r.shrunken))[:PAIRED], key=lambda r: r.name)
    if pairs := [p for p in combinations([r.name for r in strongest], 2) if not _nested(game, *p)]:
        order = [a.key for a in game.abilities]
        ordered = [tuple(sorted(pair, key=order.index)) for pair in pairs]
        singles = [key for key in order if any(key in pair for pair in ordered)]
        arms = [Change(str(Off(key)), without=(key,), who="one") for key in singles]
        arms += [Change(str(OffBoth(*pair)), without=pair, who="one") for pair in ordered]
        yield RunKey(kind.name), _smaller(spec, kind, arms=arms)


def _confirmed(spec: Spec, kind: Kind, found: Found) -> Plans:
    """Give the run that plays the best and the worst ability again, on fresh deals."""
    abilities = found.get(RunKey("abilities"))
    if abilities is None or len(effects := strengths(abilities)) < 2:
        return
    chosen = [Change(str(Off(r.name)), without=(r.name,), who="one") for r in picks(screen(effects, judge=abilities))]
    yield RunKey(kind.name), _smaller(spec, kind, seed=fresh_seed(spec.plan.seed), arms=chosen)


RUNS = (
    Kind("reference", 1 / 5, _reference, "reference"),
    Kind("abilities", 1 / 20, _abilities, "abilities"),
    Kind("tier", 1 / 5, _tiers, "tiers"),
    Kind("seats", 1 / 10, _counts, "seats", tabled=True),
    Kind("readings", 1 / 10, _readings, "readings"),
    Kind("levers", 1 / 10, _levers, "levers"),
    Kind("assumptions", 1 / 2, _assumptions, "assumptions"),
    Kind("beside", 1 / 5, _beside, "beside", tabled=True),
    Kind("cards", 1 / 12, _cards, "cards", least=1),
    Kind("cards-again", 1 / 10, _cards_again, "cards", least=1, follows=True),
    Kind("pairs", 1 / 50, _pairs, "pairs", follows=True),
    Kind("confirmed", 1 / 20, _confirmed, "confirmed", follows=True),
)
"""The smaller runs of a report in the order in which they are played."""

KINDS = {kind.name: kind for kind in RUNS}


def plans_of(spec: Spec, found: Found) -> Plans:
    """Give the plans of all smaller runs, in order; `found` is filled by the caller between one and the next."""
    for kind in RUNS:
        yield from kind.plans(spec, kind, found)


def sorted_of(found: Found, kind: str) -> list[tuple[tuple[str | int, ...], Judge]]:
    """Return what the runs of a kind found, by what they are about, in order."""
    return sorted(((key.about, j) for key, j in found.items() if key.kind == kind), key=lambda pair: pair[0])


@dataclass(frozen=True)
class Study:
    """The runs behind a report, as sums.

    Parameters
    ----------
    main
        The judge of the main run.
    abilities, readings
        Judges of the runs with their arms, where they were played.
    levers
        Judge of the run in which one player of the tier meets weaker ones, with an arm for each lever of the game.
    reference
        Judge of the run that plays the rules of reference and those of the main run on the same deals.
    tiers
        {tier: judge} of the same seating at other tiers.
    seats
        {number of players: judge} for the other player counts.
    beside
        {(place in `Design.beside`, number of players): judge} of the variants beside the main one.
    pairs
        Judge of the run in which abilities are off by twos.
    confirmed
        Judge of the run that plays the best and the worst ability on fresh deals.
    assumptions
        Judge of the run with an arm for each other way to fill in what nobody has published.
    cards
        The cards of all sides as a screened list, the best and the worst with what fresh deals say of them.
    command
        The exact command that reproduces it.
    warnings
        Sentences that a reader must see.
    """

    main: Judge
    abilities: Judge | None = None
    readings: Judge | None = None
    levers: Judge | None = None
    reference: Judge | None = None
    tiers: dict[str, Judge] = field(default_factory=dict)
    seats: dict[int, Judge] = field(default_factory=dict)
    beside: dict[tuple[int, int], Judge] = field(default_factory=dict)
    pairs: Judge | None = None
    confirmed: Judge | None = None
    assumptions: Judge | None = None
    cards: tuple[CardEffect, ...] = ()
    command: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def game(self) -> Game:
        """The facts of the game."""
        return load(self.main.tally.plan.place)


def study_of(main: Judge, found: Found, *, command: str = "", warnings: tuple[str, ...] = ()) -> Study:
    """Return the study of a main run and of what the smaller runs found."""
    counts = [j for _, j in sorted_of(found, "seats")]
    main = replace(main, family=family_of(main, len(counts)))
    found = {key: replace(j, family=main.family) for key, j in found.items()}
    single = {KINDS[key.kind].reads: j for key, j in found.items() if not key.about}
    game = load(main.tally.plan.place)
    screened = screened_cards(game, [j for _, j in sorted_of(found, "cards")])
    return Study(
        main=main,
        tiers={str(tier): j for (tier,), j in _in_order(found, "tier")},
        seats={int(n): j for (n,), j in sorted_of(found, "seats")},
        beside={(int(i), int(n)): j for (i, n), j in sorted_of(found, "beside")},
        cards=with_fresh(screened, [j for _, j in sorted_of(found, "cards-again")]),
        command=command,
        warnings=warnings,
        **single,
    )


def _in_order(found: Found, kind: str) -> Iterator[tuple[tuple[str | int, ...], Judge]]:
    return ((key.about, j) for key, j in found.items() if key.kind == kind)
