"""The words of effects, each with its number and with what reads its arguments: of steps, and of what is always true.

A new word costs a row here, a number in `opcodes`, a method ``_op_<word>`` of the rulebook and a kernel ``op_<word>``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.language import (
    RESTRICTIONS,
    RULES,
    STORES,
    UNTIL,
    Amount,
    Effect,
    EffectError,
    Number,
    Stats,
    Step,
    Subject,
    call,
    is_filter,
    number,
    parse_amount,
    parse_condition,
    parse_cost,
    parse_counter,
    parse_filter,
    parse_ref,
    parse_spirits,
    parse_stats,
    parse_subject,
    split_top,
    unknown,
)

Part = Callable[[dict[str, Any], str], None]
WHO: Mapping[str, Number] = {"own": oc.OWN, "opp": oc.OPP, "each": oc.EITHER}


@dataclass(frozen=True)
class StepWord:
    """A word of a step: its number, the parts that it needs in their order, marks of parts that may follow."""

    number: Number
    parts: tuple[Part, ...]
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class StaticWord:
    """A word of what is always true: its number, how many arguments it can have, what reads them."""

    number: Number
    counts: tuple[int, ...]
    read: Callable[[str, Sequence[str]], Effect]


def _put(key: str, read: Callable[[str], Any]) -> Part:
    def part(made: dict[str, Any], text: str) -> None:
        made[key] = read(text)

    return part


def _side(text: str) -> str:
    if text not in WHO:
        raise unknown(text, WHO, "player")
    return text


def _until(text: str) -> str:
    if text not in UNTIL:
        raise unknown(text, UNTIL, "duration")
    return text


def _position(text: str) -> str:
    text = text.removeprefix("pos=")
    if text not in ("A", "D"):
        raise EffectError(f"A position is A or D, not {text!r}.")
    return text


def _stores(text: str) -> tuple[str, ...]:
    stores = tuple(text.removeprefix("pay ").split("+"))
    for store in stores:
        if store not in STORES:
            raise unknown(store, STORES, "place that Spirits come from")
    return stores


def _restrictions(text: str) -> tuple[str, ...]:
    words = tuple(text.split("+"))
    for word in words:
        if word not in RESTRICTIONS:
            raise unknown(word, RESTRICTIONS, "restriction")
    return words


def _face(text: str) -> tuple[str, ...]:
    if not text.startswith("face:"):
        raise EffectError(f"{text!r} must be face:NAME.")
    return (text.removeprefix("face:"),)


def _whole(subject: Subject) -> Subject:
    if subject.split:
        raise EffectError("Spirits of one Nexus cannot come from several cards.")
    return subject


def _take(made: dict[str, Any], text: str) -> None:
    match = re.fullmatch(r"take(\*|<=[0-9]+| [0-9]+) (.+)", text)
    if match is None:
        raise EffectError(f"{text!r} must be such as take<=1 own:elst.")
    made["take_filter"] = parse_filter(match[2])
    made["high"] = -1 if match[1] == "*" else int(match[1].strip().removeprefix("<="))
    made["low"] = made["high"] if match[1].startswith(" ") else 0


def _pay(made: dict[str, Any], text: str) -> None:
    """``pay sd``, ``pay sd+uw``: the printed cost from there; ``pay 2L``: these Spirits from the Spirit Deck."""
    inside = text.removeprefix("pay ")
    if re.match(r"[0-9]", inside):
        made["spirits"], made["source"] = parse_spirits(inside), ("sd",)
    else:
        made["source"] = _stores(inside)


def _set_stat(text: str) -> Stats:
    match = re.fullmatch(r"([AD])=([0-9]+)", text)
    if match is None:
        raise EffectError(f"{text!r} must be such as A=0.")
    value = int(match[2])
    return Stats(value if match[1] == "A" else -1, value if match[1] == "D" else -1)


def _spread(text: str) -> Amount:
    if text != "x:0..hand":
        raise EffectError(f"{text!r} must be x:0..hand.")
    return Amount(0)


def _either(made: dict[str, Any], text: str) -> None:
    made["steps"] = tuple(parse_step(part) for part in split_top(text, "|"))
    if len(made["steps"]) != 2:
        raise EffectError(f"{text!r} must offer exactly two things, parted by |.")


def _delay(made: dict[str, Any], text: str) -> None:
    if text.startswith("?cost "):
        made["costs"] = (parse_cost(text.removeprefix("?cost ")),)
    elif text != "ph.end":
        made["steps"] = (*made.get("steps", ()), parse_step(text))


def _exactly(value: str) -> Part:
    def part(made: dict[str, Any], text: str) -> None:
        if text != value:
            raise EffectError(f"{text!r} must be {value!r}.")

    return part


def _lock(made: dict[str, Any], text: str) -> None:
    """``playlock(t,~S)`` locks cards that are there, ``playlock(opp:rune,~T)`` what a player may play."""
    if is_filter(text):
        made["filter"] = parse_filter(text)
    else:
        made["subject"] = parse_subject(text)


def _stat_test(text: str) -> tuple[str, ...]:
    if text not in ("D<=0", "A<=0"):
        raise EffectError(f"{text!r} must be D<=0 or A<=0.")
    return (text[0],)


def _negated(text: str) -> Subject:
    if text not in ("link", "attack"):
        raise unknown(text, ("link", "attack"), "thing to negate")
    return Subject("ref", text)


_SUBJECT = _put("subject", parse_subject)
_AMOUNT = _put("amount", parse_amount)
_SPIRITS = _put("spirits", parse_spirits)
_SEARCH = _put("subject", parse_subject)
_OPTIONAL: dict[str, Part] = {
    "~": _put("until", _until),
    "pos=": _put("pos", _position),
    "pay ": _pay,
    "from ": _put("give", lambda text: _whole(parse_subject(text.removeprefix("from ")))),
    "to ": _put("take", lambda text: parse_subject(text.removeprefix("to "))),
    "host=": _put("host", lambda text: parse_ref(text.removeprefix("host="))),
    "take": _take,
    "per:": _put("per", lambda text: parse_counter(text.removeprefix("per:"))),
}

STEPS: Mapping[str, StepWord] = {
    "destroy": StepWord(oc.O_DESTROY, (_SUBJECT,)),
    "bounce": StepWord(oc.O_BOUNCE, (_SUBJECT,)),
    "botdeck": StepWord(oc.O_BOTDECK, (_SUBJECT,)),
    "flip": StepWord(oc.O_FLIP, (_SUBJECT,)),
    "setpos": StepWord(oc.O_SETPOS, (_SUBJECT, _put("pos", _position))),
    "suppress": StepWord(oc.O_SUPPRESS, (_SUBJECT, _put("until", _until))),
    "mod": StepWord(oc.O_MOD, (_SUBJECT, _put("stats", parse_stats)), ("per:", "~")),
    "swapst": StepWord(oc.O_SWAPST, (_SUBJECT, _put("until", _until))),
    "setbase": StepWord(oc.O_SETBASE, (_SUBJECT, _put("stats", _set_stat), _put("until", _until))),
    "destroyif": StepWord(oc.O_DESTROYIF, (_SUBJECT, _put("words", _stat_test))),
    "restrict": StepWord(oc.O_RESTRICT, (_SUBJECT, _put("words", _restrictions), _put("until", _until))),
    "playlock": StepWord(oc.O_PLAYLOCK, (_lock, _put("until", _until))),
    "negate": StepWord(oc.O_NEGATE, (_put("subject", _negated),)),
    "negatefx": StepWord(oc.O_NEGATEFX, (_SUBJECT,)),
    "nodmg": StepWord(oc.O_NODMG, (_SUBJECT,)),
    "steal": StepWord(oc.O_STEAL, (_SUBJECT, _put("until", _until))),
    "stealrune": StepWord(oc.O_STEALRUNE, (_SUBJECT,)),
    "setfrom": StepWord(oc.O_SETFROM, (_SUBJECT,)),
    "draw": StepWord(oc.O_DRAW, (_AMOUNT,)),
    "drain": StepWord(oc.O_DRAIN, (_AMOUNT,)),
    "mill": StepWord(oc.O_MILL, (_put("who", _side), _AMOUNT)),
    "discard": StepWord(oc.O_DISCARD, (_put("who", _side), _AMOUNT)),
    "peekdisc": StepWord(oc.O_PEEKDISC, (_put("who", _side), _AMOUNT)),
    "putback": StepWord(oc.O_PUTBACK, (_AMOUNT,)),
    "reshuffle": StepWord(oc.O_RESHUFFLE, (_put("amount", _spread),)),
    "scrytake": StepWord(oc.O_SCRYTAKE, (_AMOUNT, _put("high", lambda text: number(text, "cards taken")))),
    "foretell": StepWord(oc.O_FORETELL, (_AMOUNT,), ("take",)),
    "tutor": StepWord(oc.O_TUTOR, (_SEARCH,)),
    "totop": StepWord(oc.O_TOTOP, (_SEARCH,)),
    "regrow": StepWord(oc.O_REGROW, (_SEARCH,)),
    "recover": StepWord(oc.O_RECOVER, (_SPIRITS,), ("who",)),
    "attach": StepWord(oc.O_ATTACH, (_SPIRITS, _put("source", _stores), _SUBJECT)),
    "nexus": StepWord(oc.O_NEXUS, (_SPIRITS,), ("from ", "to ")),
    "nexusall": StepWord(oc.O_NEXUSALL, (_exactly("own"),), ("to ",)),
    "spcast": StepWord(oc.O_SPCAST, (_SUBJECT,), ("pay ", "pos=")),
    "ncast": StepWord(oc.O_NCAST, (_SUBJECT,), ("pay ",)),
    "spasc": StepWord(oc.O_SPASC, (_SUBJECT, _put("take", parse_subject))),
    "castrune": StepWord(oc.O_CASTRUNE, (_SEARCH,), ("host=", "pay ")),
    "castas": StepWord(oc.O_CASTAS, (_SUBJECT, _put("words", _face)), ("host=",)),
    "choose": StepWord(oc.O_CHOOSE, (_either,)),
    "oppchoose": StepWord(oc.O_OPPCHOOSE, (_either,)),
    "delay": StepWord(oc.O_DELAY, (_exactly("ph.end"), _delay), ("delayed",)),
}


def parse_step(text: str) -> Step:
    """Read one step of an effect."""
    text = text.strip()
    made: dict[str, Any] = {}
    for mark, key in (("+", "if_done"), ("?", "optional")):
        if text.startswith(mark):
            made[key] = True
            text = text[1:]
    if text.count(") if ") == 1 and split_top(text, " if ")[1:]:
        text, condition = split_top(text, " if ")
        made["condition"] = parse_condition(condition)
    word, args = call(text)
    if word not in STEPS:
        raise unknown(word, STEPS, "effect word")
    parts, marks = STEPS[word].parts, STEPS[word].marks
    if len(args) < len(parts):
        raise EffectError(f"{text!r} needs {len(parts)} arguments.")
    for part, arg in zip(parts, args):
        part(made, arg)
    for arg in args[len(parts) :]:
        _optional_part(made, word, arg, marks)
    per = made.pop("per", None)
    if per is not None:
        made["stats"] = Stats(made["stats"].attack, made["stats"].defence, per)
    return Step(word, **made)


def _optional_part(made: dict[str, Any], word: str, arg: str, marks: tuple[str, ...]) -> None:
    if "who" in marks and arg in ("own", "opp"):
        made["who"] = arg
        return
    if "delayed" in marks:
        _delay(made, arg)
        return
    for mark in marks:
        if arg.startswith(mark):
            _OPTIONAL[mark](made, arg)
            return
    raise EffectError(f"{arg!r} is not a word that {word} can take.")


# ------------------------------------------------------------------------------------------------ statics


def _wrong(word: str, args: Sequence[str]) -> EffectError:
    return EffectError(f"{word}({','.join(args)}) has arguments that it cannot have.")


def _read_stat(word: str, args: Sequence[str]) -> Effect:
    per = parse_counter(args[2].removeprefix("per:")) if len(args) == 3 else None
    return Effect(word, _scope(args[0]), parse_stats(args[1], per))


def _read_scope(word: str, args: Sequence[str]) -> Effect:
    return Effect(word, _scope(args[0]))


def _read_against(word: str, args: Sequence[str]) -> Effect:
    return Effect(word, _scope(args[0]), against=parse_filter(args[1]))


def _read_lock(word: str, args: Sequence[str]) -> Effect:
    return Effect(word, Subject("all", filter=parse_filter(args[0])))


def _read_nodie(word: str, args: Sequence[str]) -> Effect:
    battle = args[1] == "battle"
    against = None if battle else parse_filter(args[1].removeprefix("fx:"))
    return Effect(word, _scope(args[0]), battle=battle, against=against)


def _read_rule(word: str, args: Sequence[str]) -> Effect:
    if args[1] not in RULES:
        raise unknown(args[1], RULES, "rule")
    return Effect(word, _scope(args[0]), words=(args[1],))


def _read_base(word: str, args: Sequence[str]) -> Effect:
    return Effect(word, _scope(args[0]), _set_stat(args[1]))


def _read_tax(word: str, args: Sequence[str]) -> Effect:
    if args[0] not in ("own", "opp"):
        raise _wrong(word, args)
    match = re.fullmatch(r"exp ([0-9]+)O", args[1])
    if match is None or not args[2].startswith("play:"):
        raise EffectError(f"'{word}({','.join(args)})' must be such as tax(opp,exp 1O,play:card).")
    taxed = parse_filter(f"{args[0]}:{args[2].removeprefix('play:')}")
    return Effect(word, Subject("all", filter=taxed), amount=int(match[1]))


def _read_foreplus(word: str, args: Sequence[str]) -> Effect:
    return Effect(word, Subject("all", filter=parse_filter(args[0])), amount=number(args[1], "cards"))


def _read_replace(word: str, args: Sequence[str]) -> Effect:
    if not args[1].startswith("by "):
        raise _wrong(word, args)
    ways = args[1].removeprefix("by ").split("|")
    fx = [w.removeprefix("fx:") for w in ways if w.startswith("fx:")]
    against = parse_filter(fx[0]) if fx else None
    return Effect(word, _scope(args[0]), battle="battle" in ways, against=against, steps=(parse_step(args[2]),))


STATICS: Mapping[str, StaticWord] = {
    "stat": StaticWord(oc.S_STAT, (2, 3), _read_stat),
    "swapst": StaticWord(oc.S_SWAP, (1,), _read_scope),
    "shroud": StaticWord(oc.S_SHROUD, (2,), _read_against),
    "unaff": StaticWord(oc.S_UNAFF, (2,), _read_against),
    "nobounce": StaticWord(oc.S_NOBOUNCE, (2,), _read_against),
    "nopos": StaticWord(oc.S_NOPOS, (2,), _read_against),
    "atklock": StaticWord(oc.S_ATKLOCK, (1,), _read_lock),
    "playlock": StaticWord(oc.S_PLAYLOCK, (1,), _read_lock),
    "nodie": StaticWord(oc.S_NODIE, (2,), _read_nodie),
    "rule": StaticWord(oc.S_RULE, (2,), _read_rule),
    "setbase": StaticWord(oc.S_BASE, (2,), _read_base),
    "tax": StaticWord(oc.S_TAX, (3,), _read_tax),
    "foreplus": StaticWord(oc.S_FOREPLUS, (2,), _read_foreplus),
    "replace": StaticWord(oc.S_REPLACE, (3,), _read_replace),
}


def parse_effect(text: str) -> Effect:
    """Read one effect that is always true."""
    word, args = call(text)
    if word not in STATICS:
        raise unknown(word, STATICS, "effect word")
    static = STATICS[word]
    if len(args) < 2 <= static.counts[0]:
        raise EffectError(f"{text!r} needs at least 2 arguments.")
    if len(args) not in static.counts:
        raise EffectError(f"{text!r} has arguments that it cannot have.")
    return static.read(word, args)


def _scope(text: str) -> Subject:
    if is_filter(text):
        return Subject("all", filter=parse_filter(text))
    if text not in ("self", "host"):
        raise unknown(text, ("self", "host"), "scope")
    return Subject("ref", text)
