"""Games told in words: which ones, and the command that tells them again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from analysis.drama import Drama, Pick
from reports.model import Block, Section, Story, Text
from sim.experiment import Plan
from sim.game import Game, load
from sim.referee import DisagreementError, story
from sim.variant import Value, Variant


def replay_command(plan: Plan, deal: int, seating: int) -> str:
    """Return the command that tells a game of the plan's baseline."""
    facts, arm = load(plan.place), plan.arms[0]
    words = ["evenhand", "replay", plan.game, "--deal", str(deal), "--seating", str(seating), "--seats"]
    words.append(str(plan.seats))
    words += _side_words(plan)
    tiers = [t.name for t in arm.tiers]
    if set(tiers) != {"skilled"}:
        words += ["--policy", tiers[0] if len(set(tiers)) == 1 else ",".join(tiers)]
    words += _variant_words(facts, plan.variant)
    for key in _switched_off(facts, plan.variant, arm.off[0]):
        words += ["--without", key]
    return shlex.join([*words, "--seed", str(plan.seed)])


def _side_words(plan: Plan) -> list[str]:
    """Return the option that seats the same sides in the same order."""
    taking = list(dict.fromkeys(i for combo in plan.combos for i in combo))  # one side for all seats is named once
    if taking == list(range(len(plan.side_names))):
        return []
    return ["--sides", ",".join(plan.side_names[i] for i in taking)]


def _variant_words(facts: Game, variant: Variant) -> list[str]:
    """Return the options that give a variant: its shipped name, or every field that differs from the default."""
    for name in facts.variant_names:
        if facts.variant(name).values == variant.values:
            return [] if name == "default" else ["--variant", name]
    standard = facts.default.values
    changed = [f"{key}={_written(value)}" for key, value in variant.values.items() if value != standard.get(key)]
    return [word for setting in changed for word in ("--set", setting)]


def _switched_off(facts: Game, variant: Variant, off: Sequence[str]) -> list[str]:
    """Return the abilities that are off by themselves, not only with the one that contains them."""
    return [a.key for a in (*facts.abilities, *facts.cards_in(variant)) if a.key in off and a.parent not in off]


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return ",".join(str(v) for v in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def told(plan: Plan, pick: Pick, name: str, title: str, lead: str) -> Block:
    """Return a game as a block; a sentence where engine and rulebook do not agree on it."""
    command = replay_command(plan, pick.deal, pick.seating)
    try:
        lines = story(plan, pick.deal, pick.seating)
    except DisagreementError as error:
        return Text((f"This game could not be told: {error}", f"Command: {command}"), (), title, "warning")
    return Story(name, title, tuple(lines), lead, command)


def section_of(drama: Drama) -> Section | None:
    """Return the section with a typical game, the longest, and the greatest comeback."""
    plan = drama.plan
    blocks = []
    if (pick := drama.typical) is not None:
        lead = f"Of median length: {pick.turns} turns, {_rounds(pick)}."
        blocks.append(told(plan, pick, "typical", "A typical game", lead))
    if (pick := drama.comeback) is not None:
        lead = (
            f"Between two rounds its winner's chance was down to {100 * (pick.chance or 0.0):.1f} %; {pick.turns} "
            f"turns, {_rounds(pick)}."
        )
        blocks.append(told(plan, pick, "comeback", "The greatest comeback", lead))
    if (pick := drama.longest) is not None:
        lead = f"The longest of {drama.games:,} games: {pick.turns} turns, {_rounds(pick)}."
        blocks.append(told(plan, pick, "longest", "The longest game", lead))
    if not blocks:
        return None
    lead = "The rulebook tells what happened, move by move; seats are numbered from 0, and seat 0 begins."
    return Section("stories", "Games told in words", lead, tuple(blocks))


def _rounds(pick: Pick) -> str:
    return "one round" if pick.rounds == 1 else f"{pick.rounds} rounds"
