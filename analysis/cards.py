"""What single cards are worth where every side brings cards of its own: screened side by side, then confirmed.

A card is blanked (it keeps its cost and numbers and loses its text) for the one player whose side it is, who meets
every other side in turn. What is picked as best or worst is played again on deals that had no part in the choice,
there also with the card replaced by a plain body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.estimands import lost_alone
from analysis.intervals import Interval
from analysis.keys import Off, PlainBody, RunKey
from analysis.lists import Confirmation, Effect, Ranked, confirm, fresh_seed, picks, screen
from analysis.moments import Sample
from analysis.study import Judge
from sim.experiment import Change, Plan
from sim.facts import Cards, OwnSides
from sim.game import Game
from sim.variant import Variant

BEST = 10
"""How many of the strongest cards are confirmed, and as many of the weakest."""

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


def keys_of(game: Game, variant: Variant, side: int) -> list[str]:
    """Return the keys of a side's cards that have a text."""
    known = {a.key for a in game.cards_in(variant)}
    return [key for key in game.group(Cards).of(variant, side) if key in known]


def screen_plans(game: Game, plan: Plan, make: MakePlan) -> Iterator[tuple[RunKey, Plan]]:
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
        arms = [Change(str(Off(key)), without=(key,), who="one") for key in keys]
        if arms:
            yield RunKey("cards", (side,)), make(arms=arms, **_against(plan, side))


def confirm_plans(game: Game, plan: Plan, screened: Sequence[Judge], make: MakePlan) -> Iterator[tuple[RunKey, Plan]]:
    """Give the plans in which the best and the worst cards are played again, on fresh deals."""
    picked = picks(screened_cards(game, screened), BEST)
    for side in plan.sides:
        keys = [card.key for card in picked if card.side == plan.side_names[side]]
        if keys:
            arms = [Change(str(Off(key)), without=(key,), who="one") for key in keys]
            variant, plain = _plain_arms(game, plan, side, keys)
            how = {"seed": fresh_seed(plan.seed), "variant": variant, **_against(plan, side)}
            yield RunKey("cards-again", (side,)), make(arms=[*arms, *plain], **how)


def _against(plan: Plan, side: int) -> dict[str, Any]:
    """Return the arguments that let a side meet each other one, or itself where it is alone."""
    return {"focus": plan.side_names[side]} if len(plan.sides) > 1 else {}


def _plain_arms(game: Game, plan: Plan, side: int, keys: Sequence[str]) -> tuple[Variant, list[Change]]:
    """Return the arms with a plain body for each card, and the variant that has the sides they need."""
    variant = plan.variant
    arms: list[Change] = []
    plain = game.group(OwnSides).plain
    if plain is None or len(plan.sides) < 2:
        return variant, arms
    for key in keys:
        made = plain(variant, side, key)
        if made is not None:
            variant, name, body = made
            arms.append(Change(str(PlainBody(key)), sides={plan.side_names[side]: name}, without=(body,), who="one"))
    return variant, arms


# ---- what was found


def side_of(j: Judge) -> str:
    """Return the side that a run is about: that of entrant position 0."""
    plan = j.tally.plan
    return plan.side_names[plan.combos[0][0]]


def screened_cards(game: Game, judges: Sequence[Judge]) -> list[CardEffect]:
    """Return the cards of all sides as one screened list, best first."""
    effects, whose = [], {}
    for j in judges:
        for key in keys_of(game, j.tally.plan.variant, j.tally.plan.combos[0][0]):
            name = f"{side_of(j)}|{key}"
            whose[name] = (side_of(j), key)
            effects.append(Effect(name, _lost(j, Off(key))))
    first = next(iter(judges), None)
    if first is None or not effects:
        return []
    titles = {a.key: a.title for a in game.cards_in(first.tally.plan.variant)}
    ranked = screen(effects, judge=first)
    return [CardEffect(*whose[r.name], titles[whose[r.name][1]], r) for r in ranked]


def with_fresh(cards: Sequence[CardEffect], fresh: Sequence[Judge]) -> tuple[CardEffect, ...]:
    """Return a screened list, its best and worst with what fresh deals say of them, where all of these were played."""
    played = {side_of(j): j for j in fresh}
    chosen = picks(cards, BEST)
    there = {(side, arm) for side, j in played.items() for arm in j.tally.plan.arm_names}
    if not chosen or not {(c.side, str(Off(c.key))) for c in chosen} <= there:
        return tuple(cards)
    samples = {c.ranked.name: _lost(played[c.side], Off(c.key)) for c in chosen}
    found = confirm([c.ranked for c in cards], lambda names: samples, each=BEST, judge=played[chosen[0].side])
    again = {c.name: c for c in found}
    return tuple(
        replace(c, again=again[c.ranked.name], plain=_plain(played[c.side], c.key)) if c.ranked.name in again else c
        for c in cards
    )


def _plain(j: Judge, key: str) -> tuple[float, Interval] | None:
    gone = lost_alone(j.tally, PlainBody(key))
    return None if gone is None else (gone.mean, j.interval(gone))


def _lost(j: Judge, key: Off) -> Sample:
    sample = lost_alone(j.tally, key)
    if sample is None:
        raise ValueError(f"the run has no arm {str(key)!r}")
    return sample
