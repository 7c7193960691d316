"""Abilities of cards: inline tables of a card file, read to the tree of the effect language and checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sim.games.elestrals.language import (
    ANY,
    EVENTS,
    KINDS,
    PLACES,
    SIDES,
    WINDOWS,
    Ability,
    EffectError,
    Window,
    mask_of,
    parse_condition,
    parse_cost,
    parse_filter,
    parse_target,
    parse_who,
    tags_of,
    unknown,
    walk,
)
from sim.games.elestrals.words import parse_effect, parse_step


def _event(text: str) -> tuple[str, int]:
    match = re.fullmatch(r"([a-z.]+)(?:\(([A-Za-z]+)\))?", text)
    if match is None or match[1] not in EVENTS:
        raise unknown(match[1] if match else text, EVENTS, "event")
    if match[1].startswith("recv"):
        if not match[2]:
            raise EffectError(f"{text!r} must name elements, such as recv(W).")
        return match[1], mask_of(match[2])
    if match[2] is None:
        return match[1], ANY
    if match[2] not in SIDES:
        raise unknown(match[2], SIDES, "side")
    return f"{match[1]}({match[2]})", ANY


def parse_window(text: str) -> Window:
    """Read a window such as ``after atk(opp)`` or ``link(opp:invoke)``."""
    match = re.fullmatch(r"([a-z ]+)\((.+)\)", text)
    if match is None or match[1] not in WINDOWS:
        raise unknown(match[1] if match else text, WINDOWS, "window")
    word, inside = match[1], match[2]
    if word in ("link", "after play"):
        return Window(word, filter=parse_filter(inside))
    if inside not in SIDES:
        raise unknown(inside, SIDES, "side")
    return Window(word, inside)


KEYS = {
    "on": ("ev", "of", "vs", "by", "at", "if", "cost", "tgt", "do", "must", "lim"),
    "act": ("win", "if", "cost", "tgt", "do", "lim", "onchain"),
    "static": ("if", "fx"),
    "play": ("rune", "win", "if", "cost", "tgt", "do", "onchain"),
    "route": ("from", "over", "normal", "if", "cost", "do"),
    "face": ("name", "type", "fx"),
}


def parse_ability(table: Any) -> Ability:
    """Read one ability, an inline table of a card file."""
    if not isinstance(table, dict):
        raise EffectError(f'{table!r} is not a table such as {{k = "act", do = [...]}}.')
    kind = str(table.get("k"))
    if kind not in KINDS:
        raise unknown(kind, KINDS, "kind of ability")
    for key in table:
        if key != "k" and key not in KEYS[kind]:
            raise unknown(key, KEYS[kind], f"key of a {kind!r} ability")
    made: dict[str, Any] = {"kind": kind}
    if kind == "on":
        made["event"], made["elements"] = _event(_text(table, "ev"))
    readers: dict[str, tuple[str, Callable[[str], Any]]] = {
        "of": ("of", parse_who),
        "vs": ("vs", parse_filter),
        "by": ("by", parse_filter),
        "if": ("condition", parse_condition),
        "win": ("window", parse_window),
        "over": ("over", parse_filter),
        "at": ("at", lambda text: _one_of(text, tuple(PLACES), "zone")),
        "from": ("source", lambda text: _one_of(text, ("hand",), "zone")),
        "name": ("name", str),
        "type": ("type", lambda text: _one_of(text, ("artifact",), "type of a face")),
    }
    for key, (name, read) in readers.items():
        if key in table:
            made[name] = read(_text(table, key))
    lists: dict[str, tuple[str, Callable[[str], Any]]] = {
        "cost": ("costs", parse_cost),
        "tgt": ("targets", parse_target),
        "do": ("steps", parse_step),
        "fx": ("effects", parse_effect),
        "onchain": ("on_chain", parse_effect),
    }
    for key, (name, read) in lists.items():
        if key in table:
            made[name] = tuple(read(text) for text in _texts(table, key))
    made["must"] = _flag(table, "must")
    made["normal"] = _flag(table, "normal")
    made["limit"] = _limit(table)
    ability = Ability(**made)
    _check_route(ability)
    _check_targets(ability)
    return Ability(**{**made, "tags": tags_of(ability.steps), "text": _as_text(table)})


def _check_route(ability: Ability) -> None:
    """Refuse a way into play that is not one single cast or Ascend."""
    ops = [step.op for step in ability.steps]
    wanted = "spasc" if ability.over is not None else "ncast" if ability.normal else "spcast"
    if ability.kind == "route" and ops != [wanted]:
        raise EffectError(f"a route of this form must have the one step {wanted!r}, not {ops}.")
    if ability.kind != "route" and "ncast" in ops:
        raise EffectError("'ncast' can only stand in a route.")


def _as_text(table: dict[str, Any]) -> str:
    """Return an ability on one line, for reports and stories."""
    parts = []
    for key, value in table.items():
        shown = ", ".join(value) if isinstance(value, list) else str(value)
        parts.append(shown if key == "k" else f"{key} {shown}")
    return " | ".join(parts)


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise EffectError(f"{key!r} must be a text.")
    return value


def _texts(table: dict[str, Any], key: str) -> list[str]:
    value = table[key]
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value) or not 1 <= len(value) <= 6:
        raise EffectError(f"{key!r} must be a list of one to six texts.")
    return value


def _flag(table: dict[str, Any], key: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise EffectError(f"{key!r} must be true or false.")
    return value


def _limit(table: dict[str, Any]) -> int:
    value = table.get("lim", 1 if table["k"] == "act" else 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 9:
        raise EffectError(f"'lim' must be a whole number from 0 to 9, not {value!r}.")
    return value


def _one_of(text: str, known: tuple[str, ...], what: str) -> str:
    if text not in known:
        raise unknown(text, known, what)
    return text


def _check_targets(ability: Ability) -> None:
    """Refuse a step that uses a target which was not declared."""
    for step in walk(ability.steps):
        for subject in (step.subject, step.give, step.take):
            if subject is None or subject.how != "ref" or not re.fullmatch(r"t[12]?", subject.ref):
                continue
            if len(ability.targets) < (2 if subject.ref == "t2" else 1):
                raise EffectError(
                    f"the step {step.op!r} uses the target {subject.ref!r}, which is not declared in 'tgt'."
                )
