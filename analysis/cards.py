"""What single cards are worth where every side brings cards of its own: screened side by side, then confirmed.

A card is blanked (it keeps its cost and numbers and loses its text) for the one player whose side it is, who meets
every other side in turn. What is picked as best or worst is played again on deals that had no part in the choice,
there also with the card replaced by a plain body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.intervals import Interval
from analysis.lists import Confirmation, Effect, Ranked, confirm, fresh_seed, picks, screen
from analysis.moments import Sample
from analysis.study import Judge
from analysis.sums import one_arm
from sim.experiment import Change, Plan
from sim.game import Game
from sim.variant import Variant

BEST = 10
"""How many of the strongest cards are confirmed, and as many of the weakest."""

SCREEN, CONFIRM = "cards-", "confirmed-"
"""Names of the runs, before the number of the side."""

MakePlan = Callable[..., Plan]


@dataclass(frozen=True)
class CardEffect:
    """A card of a side in a screened list.

    Parameters
    ----------
    side, key, title
        The side and the card.
    ranked
        What its text is worth: the share that the player loses who alone plays without it.
    again
        What fresh deals say of it, for those picked.
    plain
        The share lost with a plain body in its place, for those picked, with its interval.
    """

    side: str
    key: str
    title: str
    ranked: Ranked
    again: Confirmation | None = None
    plain: tuple[float, Interval] | None = None


def plain_arm(key: str) -> str:
    """Return the name of the arm in which a plain body stands for a card."""
    return f"plain {key}"


def keys_of(game: Game, variant: Variant, side: int) -> list[str]:
    """Return the keys of a side's cards that have a text."""
    if game.cards_of is None:
        return []
    known = {a.key for a in game.cards_in(variant)}
    return [key for key in game.cards_of(variant, side) if key in known]


def screen_plans(game: Game, plan: Plan, make: MakePlan) -> Iterator[tuple[str, Plan]]:
    """Give for each side the plan in which each of its cards is blanked for the one player who has it.

    Parameters
    ----------
    game, plan
        The game, and the main plan of its report.
    make
        Makes a plan like the main one; takes arguments of `sim.experiment.make_plan`.
    """
    for side in plan.sides:
        keys = keys_of(game, plan.variant, side)
        arms = [Change(one_arm(key), without=(key,), who="one") for key in keys]
        if arms:
            yield f"{SCREEN}{side}", make(arms=arms, **_against(plan, side))


def confirm_plans(game: Game, plan: Plan, screened: Mapping[str, Judge], make: MakePlan) -> Iterator[tuple[str, Plan]]:
    """Give the plans in which the best and the worst cards are played again, on fresh deals."""
    picked = picks(screened_cards(game, screened), BEST)
    for side in plan.sides:
        keys = [card.key for card in picked if card.side == plan.side_names[side]]
        if keys:
            arms = [Change(one_arm(key), without=(key,), who="one") for key in keys]
            variant, plain = _plain_arms(game, plan, side, keys)
            how = {"seed": fresh_seed(plan.seed), "variant": variant, **_against(plan, side)}
            yield f"{CONFIRM}{side}", make(arms=[*arms, *plain], **how)


def _against(plan: Plan, side: int) -> dict[str, Any]:
    """Return the arguments that let a side meet each other one, or itself where it is alone."""
    return {"focus": plan.side_names[side]} if len(plan.sides) > 1 else {}


def _plain_arms(game: Game, plan: Plan, side: int, keys: Sequence[str]) -> tuple[Variant, list[Change]]:
    """Return the arms with a plain body for each card, and the variant that has the sides they need."""
    variant = plan.variant
    arms: list[Change] = []
    if game.plain_side is None or len(plan.sides) < 2:
        return variant, arms
    for key in keys:
        made = game.plain_side(variant, side, key)
        if made is not None:
            variant, name, body = made
            arms.append(Change(plain_arm(key), sides={plan.side_names[side]: name}, without=(body,), who="one"))
    return variant, arms


# ---- what was found


def lost(j: Judge, arm: str) -> Sample:
    """Return what entrant 0 loses in an arm: baseline minus arm on the same deals."""
    t = j.tally
    return t.changes[t.plan.arm_names.index(arm) - 1].sample(t.column("entrant 0"), low=-1.0, high=1.0)


def side_of(j: Judge) -> str:
    """Return the side that a run is about: that of entrant position 0."""
    plan = j.tally.plan
    return plan.side_names[plan.combos[0][0]]


def screened_cards(game: Game, judges: Mapping[str, Judge]) -> list[CardEffect]:
    """Return the cards of all sides as one screened list, best first."""
    effects, whose = [], {}
    for j in judges.values():
        for key in keys_of(game, j.tally.plan.variant, j.tally.plan.combos[0][0]):
            name = f"{side_of(j)}|{key}"
            whose[name] = (side_of(j), key)
            effects.append(Effect(name, lost(j, one_arm(key))))
    first = next(iter(judges.values()), None)
    if first is None or not effects:
        return []
    titles = {a.key: a.title for a in game.cards_in(first.tally.plan.variant)}
    ranked = screen(effects, judge=first)
    return [CardEffect(*whose[r.name], titles[whose[r.name][1]], r) for r in ranked]


def with_fresh(cards: Sequence[CardEffect], fresh: Mapping[str, Judge]) -> tuple[CardEffect, ...]:
    """Return a screened list, its best and worst with what fresh deals say of them, where all of these were played."""
    played = {side_of(j): j for j in fresh.values()}
    chosen = picks(cards, BEST)
    there = {(side, arm) for side, j in played.items() for arm in j.tally.plan.arm_names}
    if not chosen or not {(c.side, one_arm(c.key)) for c in chosen} <= there:
        return tuple(cards)
    samples = {c.ranked.name: lost(played[c.side], one_arm(c.key)) for c in chosen}
    found = confirm([c.ranked for c in cards], lambda names: samples, each=BEST, judge=played[chosen[0].side])
    again = {c.name: c for c in found}
    return tuple(
        replace(c, again=again[c.ranked.name], plain=_plain(played[c.side], c.key)) if c.ranked.name in again else c
        for c in cards
    )


def _plain(j: Judge, key: str) -> tuple[float, Interval] | None:
    if plain_arm(key) not in j.tally.plan.arm_names:
        return None
    gone = lost(j, plain_arm(key))
    return gone.mean, j.interval(gone)


def of_run(judges: Mapping[str, Judge], prefix: str) -> dict[str, Judge]:
    """Return the judges of the runs whose names begin so, in the order of the sides."""
    found = [name for name in judges if name.startswith(prefix) and name[len(prefix) :].isdecimal()]
    return {name: judges[name] for name in sorted(found, key=lambda name: int(name[len(prefix) :]))}
