"""The effect language: what a card does, as short lines of text in TOML, parsed to a typed tree.

The rulebook interprets the tree, the fast engine compiles it to integer tables; neither reads the text again.
A line that uses a word that is not in the tables below or in `words` is refused with that word (`EffectError`), so that
"this card is playable" means "every word of its effects has a rule".

Words of the language, by example::

    own:elst[cost=1,el=W]@deck      a filter: whose, what, tests, where (the field if not said)
    <=2W   1S+1W   3RT   3O         Spirits: up to two Water, one of each, any mix of two elements, any three
    n:att(self,O)+1                 an amount that is counted when it is needed
    destroy(t1)  +?flip(pick any:elst)   steps: + only if the step before did something, ? only if one wants to
    mod(t1,+3A-1D,~T)               until the next turn begins
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim.errors import nearest
from sim.games.elestrals import opcodes as oc

ELEMENTS = "EFWITRLS"
ELEMENT_NAMES = ("earth", "fire", "water", "wind", "thunder", "frost", "lunar", "solar")
ANY = 0xFF  # the mask of all eight elements

TYPES = ("card", "elst", "rune", "invoke", "counter", "artifact", "divine", "stadium", "link")
# Every word stands in one table, with its number in the tables of the fast engine.
Number = np.int64
SIDES: Mapping[str, Number] = {
    "own": oc.OWN,
    "opp": oc.OPP,
    "any": oc.EITHER,
}
ZONES: Mapping[str, Number] = {
    "field": oc.Z_FIELD,
    "hand": oc.Z_HAND,
    "deck": oc.Z_DECK,
    "uw": oc.Z_UW,
    "foretold": oc.Z_SHOWN,
}
FLAGS: Mapping[str, Number] = {
    "set": oc.T_SET,
    "up": oc.T_UP,
    "fresh": oc.T_FRESH,
    "supp": oc.T_SUPP,
    "emp": oc.T_EMP,
    "other": oc.T_OTHER,
    "minsp": oc.T_MINSP,
    "attacking": oc.T_ATTACKING,
    "onself": oc.T_ONSELF,
}
TESTS = ("cost", "pay", "el", "ench", "name", "title", "sub", "pos", "atk", "sp", "tag", "paid")
COMPARISONS: Mapping[str, Number] = {
    "=": oc.LIKE,
    "!=": oc.UNLIKE,
    ">=": oc.AT_LEAST,
    "<=": oc.AT_MOST,
    "<": oc.BELOW,
    ">": oc.ABOVE,
}
REFS: Mapping[str, Number] = {
    "self": oc.R_SELF,
    "host": oc.R_HOST,
    "t": oc.R_T,
    "t1": oc.R_T1,
    "t2": oc.R_T2,
    "that": oc.R_THAT,
    "other": oc.R_OTHER,
    "killer": oc.R_KILLER,
    "atk": oc.R_ATK,
    "link": oc.R_LINK,
    "attack": oc.R_ATTACK,
    "over": oc.R_OVER,
    "receiver": oc.R_RECEIVER,
    "it": oc.R_IT,
}
UNTIL: Mapping[str, Number] = {
    "~T": oc.U_TURN,
    "~Y": oc.U_YOURS,
    "~OE": oc.U_OTHERS_END,
    "~S": oc.U_SOURCE,
    "~inf": oc.U_EVER,
}
TAGS: Mapping[str, Number] = {
    "search": oc.TAG_SEARCH,
    "castdeck": oc.TAG_CASTDECK,
    "draw": oc.TAG_DRAW,
    "drain": oc.TAG_DRAIN,
    "recover": oc.TAG_RECOVER,
    "discardopp": oc.TAG_DISCARDOPP,
}
KINDS: Mapping[str, Number] = {
    "on": oc.KIND_ON,
    "act": oc.KIND_ACT,
    "static": oc.KIND_STATIC,
    "play": oc.KIND_PLAY,
    "route": oc.KIND_ROUTE,
    "face": oc.KIND_FACE,
}
PLACES: Mapping[str, Number] = {
    "field": oc.AT_FIELD,
    "uw": oc.AT_UNDERWORLD,
    "hand": oc.AT_HAND,
}
EVENTS: Mapping[str, Number] = {
    "cast": oc.E_CAST,
    "cast.n": oc.E_CAST_N,
    "cast.s": oc.E_CAST_S,
    "recv": oc.E_RECV,
    "recv.nexus": oc.E_RECV_NEXUS,
    "b.kill": oc.E_KILL,
    "b.die": oc.E_DIE_B,
    "nexus.done": oc.E_NEXUS,
    "play": oc.E_PLAY,
    "enter": oc.E_ENTER,
    "atk": oc.E_ATK,
    "ph.end": oc.E_END,
    "asc.from": oc.E_ASC_FROM,
    "asc.into": oc.E_ASC_INTO,
    "asc.into.s": oc.E_ASC_INTO_S,
    "ally.b.die": oc.E_ALLY,
    "fx.die": oc.E_FX_DIE,
    "link": oc.E_LINK,
    "die": oc.E_DIE,
    "foretell": oc.E_FORETELL,
    "state": oc.E_STATE,
    "supp": oc.E_SUPP,
}
# And what stands between its brackets.
COUNTERS: Mapping[str, tuple[Number, str]] = {
    "att": (oc.C_ATT, "scope,elements"),
    "cnt": (oc.C_CNT, "filter"),
    "cost": (oc.C_COST, "ref"),
    "sp": (oc.C_SP, "store,elements"),
    "spwas": (oc.C_SPWAS, ""),
    "moved": (oc.C_MOVED, "elements"),
    "foretold": (oc.C_FORETOLD, ""),
    "x": (oc.C_X, ""),
    "drawn": (oc.C_DRAWN, ""),
    "taken": (oc.C_TAKEN, ""),
    "spf": (oc.C_SPF, "side"),
    "sd": (oc.C_SD, "side"),
    "st": (oc.C_ST, "ref,stat"),
    "attacked": (oc.C_ATTACKED, "ref"),
    "bpkills": (oc.C_BPKILLS, "ref"),
    "have": (oc.C_HAVE, "filter"),
    "inplay": (oc.C_INPLAY, "name"),
    "empby": (oc.C_EMPBY, "ref,name or filter"),
    "phase": (oc.C_PHASE, "phase"),
    "pos": (oc.C_POS, "ref"),
}
WINDOWS: Mapping[str, Number] = {
    "link": oc.W_LINK,
    "after atk": oc.W_ATK,
    "after play": oc.W_PLAY,
    "phase draw": oc.W_DRAW,
    "phase battle": oc.W_BATTLE,
}
HOW: Mapping[str, Number] = {
    "ref": oc.H_REF,
    "pick": oc.H_PICK,
    "all": oc.H_ALL,
}
COSTS: Mapping[str, Number] = {
    "exp": oc.X_EXP,
    "dis": oc.X_DIS,
    "disc": oc.X_DISC,
    "reveal": oc.X_REVEAL,
}
STORES: Mapping[str, Number] = {
    "sd": oc.FROM_DECK,
    "uw": oc.FROM_UNDERWORLD,
}
RULES: Mapping[str, Number] = {
    "double": oc.RULE_DOUBLE,
    "pierce": oc.RULE_PIERCE,
    "direct": oc.RULE_DIRECT,
    "defatk": oc.RULE_DEFATK,
}
RESTRICTIONS: Mapping[str, Number] = {
    "noench": oc.NO_ENCHANT,
    "noatk": oc.NO_ATTACK,
    "nonexus": oc.NO_NEXUS,
    "noasc": oc.NO_ASCEND,
    "nopos": oc.NO_POSITION,
}


class EffectError(ValueError):
    """A line of the effect language that cannot be read: the sentence names the word."""


def unknown(word: str, known: Any, what: str) -> EffectError:
    """Return the error for a word that is not in a table, with the nearest ones."""
    return EffectError(nearest(word, known, what))


# ------------------------------------------------------------------------------------------------ the tree


@dataclass(frozen=True)
class Test:
    """One test of a filter, such as ``cost>=2``; `value` is a number, an element mask, a text or a list of texts."""

    word: str
    compare: str
    value: Any

    __test__ = False  # not a test case


@dataclass(frozen=True)
class Filter:
    """Which cards: whose, of which types, with which tests, in which zones."""

    side: str
    types: tuple[str, ...]
    tests: tuple[Test, ...] = ()
    zones: tuple[str, ...] = ("field",)


@dataclass(frozen=True)
class Counter:
    """Something that is counted when it is needed."""

    word: str
    scope: Any = None  # a reference, a side or a Filter
    elements: int = ANY
    text: str = ""


@dataclass(frozen=True)
class Clause:
    """A comparison; a condition is a list of clauses that must all hold."""

    left: Counter
    compare: str
    right: Amount


Condition = tuple[Clause, ...]


@dataclass(frozen=True)
class Amount:
    """`base` plus a counter (once); `other` instead when `unless` holds."""

    base: int
    counter: Counter | None = None
    other: int | None = None
    unless: Condition = ()


@dataclass(frozen=True)
class Spirits:
    """How many Spirits of which elements: parts of (amount, element mask)."""

    parts: tuple[tuple[Amount, int], ...]
    up_to: bool = False
    everything: bool = False  # all there are, at least one


@dataclass(frozen=True)
class Subject:
    """The cards that a step works on.

    `how` is ``ref`` (a name for a card that is known), ``pick`` (chosen now, by the controller) or ``all``.
    """

    how: str
    ref: str = ""
    filter: Filter | None = None
    low: int = 1
    high: int = 1  # -1: any number
    split: bool = False


@dataclass(frozen=True)
class Stats:
    """A change of attack and defence, multiplied by a counter if there is one."""

    attack: int
    defence: int
    per: Counter | None = None


@dataclass(frozen=True)
class Cost:
    """One cost: ``exp``, ``dis``, ``disc`` or ``reveal``."""

    word: str
    spirits: Spirits | None = None
    subject: Subject | None = None
    amount: int = 0


@dataclass(frozen=True)
class Target:
    """One target: a card known from the event, or chosen through a filter."""

    ref: str = ""
    filter: Filter | None = None
    low: int = 1
    high: int = 1


@dataclass(frozen=True)
class Step:
    """One step of an effect: the word of what is done, with everything that any such word can need."""

    op: str
    optional: bool = False
    if_done: bool = False
    subject: Subject | None = None
    filter: Filter | None = None
    spirits: Spirits | None = None
    amount: Amount | None = None
    who: str = "own"
    stats: Stats | None = None
    until: str = ""
    pos: str = ""
    source: tuple[str, ...] = ()
    host: str = ""
    give: Subject | None = None
    take: Subject | None = None
    take_filter: Filter | None = None
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()
    costs: tuple[Cost, ...] = ()
    steps: tuple[Step, ...] = ()
    condition: Condition = ()


@dataclass(frozen=True)
class Effect:
    """One thing that is always true while its card works."""

    word: str
    scope: Subject
    stats: Stats | None = None
    against: Filter | None = None
    battle: bool = False
    amount: int = 0
    words: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Who:
    """Which card an event is about: this card, its host, or one that passes a filter."""

    ref: str = ""
    filter: Filter | None = None
    tests: tuple[Test, ...] = ()


@dataclass(frozen=True)
class Window:
    """When a Counter or an ability may be used."""

    word: str
    side: str = "any"
    filter: Filter | None = None


@dataclass(frozen=True)
class Ability:
    """One ability of a card, with everything that any kind of ability can need."""

    kind: str
    event: str = ""
    elements: int = ANY
    of: Who | None = None
    vs: Filter | None = None
    by: Filter | None = None
    at: str = "field"
    window: Window | None = None
    condition: Condition = ()
    costs: tuple[Cost, ...] = ()
    targets: tuple[Target, ...] = ()
    steps: tuple[Step, ...] = ()
    effects: tuple[Effect, ...] = ()
    on_chain: tuple[Effect, ...] = ()
    must: bool = False
    limit: int = 0
    over: Filter | None = None
    source: str = ""
    normal: bool = False
    name: str = ""
    type: str = ""
    tags: frozenset[str] = field(default=frozenset())
    text: str = ""


# ------------------------------------------------------------------------------------------------ small pieces


def split_top(text: str, separator: str) -> list[str]:
    """Split `text` at a separator that stands outside all brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
            if depth < 0:
                raise EffectError(f"{text!r} has a closing bracket too many.")
        elif depth == 0 and text.startswith(separator, i):
            parts.append(text[start:i])
            start = i + len(separator)
    if depth:
        raise EffectError(f"{text!r} has a bracket that is not closed.")
    parts.append(text[start:])
    return [part.strip() for part in parts]


def call(text: str) -> tuple[str, list[str]]:
    """Return the word and the arguments of ``word(a,b)``."""
    match = re.fullmatch(r"([a-z.]+)\((.*)\)", text.strip())
    if match is None:
        raise EffectError(f"{text!r} is not of the form word(...).")
    inside = match[2]
    return match[1], split_top(inside, ",") if inside else []


def mask_of(letters: str) -> int:
    """Return the mask of element letters; O is any."""
    made = 0
    for letter in letters:
        if letter == "O":
            made |= ANY
        elif letter in ELEMENTS:
            made |= 1 << ELEMENTS.index(letter)
        else:
            raise EffectError(
                f"Unknown element {letter!r} in {letters!r}: there are {', '.join(ELEMENTS)} and O for any."
            )
    if not letters:
        raise EffectError("An element is missing.")
    return made


def cost_of(letters: str) -> tuple[int, ...]:
    """Return a cost such as ``EEO`` as nine numbers: the eight elements and the rainbow."""
    counts = [0] * 9
    for letter in letters:
        if letter not in ELEMENTS + "O":
            raise EffectError(f"Unknown element {letter!r} in the cost {letters!r}.")
        counts[(ELEMENTS + "O").index(letter)] += 1
    return tuple(counts)


def number(text: str, what: str) -> int:
    """Read a whole number of up to three digits."""
    if not re.fullmatch(r"[0-9]{1,3}", text):
        raise EffectError(f"{text!r} is not a number ({what}).")
    return int(text)


def parse_test(text: str) -> Test:
    """Read one test of a filter."""
    if text in FLAGS:
        return Test(text, "=", True)
    match = re.fullmatch(r"([a-z]+)(!=|>=|<=|=)(.+)", text)
    if match is None or match[1] not in TESTS:
        word = match[1] if match else text
        raise unknown(word, (*FLAGS, *TESTS), "filter word")
    word, compare, value = match[1], match[2], match[3].strip()
    if word in ("el", "ench", "paid"):
        return Test(word, compare, mask_of(value))
    if word in ("cost", "atk"):
        return Test(word, compare, number(value, word))
    if word == "sp":
        if value != "self":
            raise EffectError(f"{text!r} can only compare with self.")
        return Test(word, compare, "self")
    if word == "pos":
        if value not in ("A", "D"):
            raise EffectError(f"A position is A or D, not {value!r}.")
        return Test(word, compare, value)
    if word == "pay":
        return Test(word, compare, tuple(cost_of(v) for v in value.split("|")))
    if word == "tag":
        for tag in value.split("|"):
            if tag not in TAGS:
                raise unknown(tag, TAGS, "link tag")
    if re.search("[=<>\\[\\]]", value):
        raise EffectError(f"{text!r} mixes two tests in one.")
    return Test(word, compare, tuple(v.strip() for v in value.split("|")))


def parse_filter(text: str) -> Filter:
    """Read a filter such as ``opp:rune[set]`` or ``own:elst[name=A|B]@hand+deck``."""
    match = re.fullmatch(r"([a-z]+):([a-z|]+)(?:\[(.*)\])?(?:@([a-z+]+))?", text.strip())
    if match is None:
        raise EffectError(f"{text!r} is not a filter such as own:elst[cost=1]@deck.")
    side, types, tests, zones = match[1], match[2].split("|"), match[3], match[4]
    if side not in SIDES:
        raise unknown(side, SIDES, "side of a filter")
    for kind in types:
        if kind not in TYPES:
            raise unknown(kind, TYPES, "type of a filter")
    places = tuple(zones.split("+")) if zones else ("field",)
    for place in places:
        if place not in ZONES:
            raise unknown(place, ZONES, "zone")
    made = tuple(parse_test(t) for t in split_top(tests, ",")) if tests else ()
    if made and len(types) > 1:
        raise EffectError(f"{text!r} has tests for more than one type.")
    return Filter(side, tuple(types), made, places)


def is_filter(text: str) -> bool:
    """Say whether a text looks like a filter."""
    return re.match(r"(own|opp|any):", text) is not None


def parse_ref(text: str) -> str:
    """Read a reference to a card that is known when the step runs."""
    if text not in REFS:
        raise unknown(text, REFS, "reference")
    return text


def parse_subject(text: str) -> Subject:
    """Read the cards that a step works on."""
    match = re.fullmatch(r"(?:(\*)|(<=)?([0-9]+) )?\s*(pick |all |split )?(.+)", text.strip())
    assert match is not None
    star, at_most, count, how, rest = match.groups()
    rest = rest.strip()
    how = (how or "").strip()
    if not is_filter(rest):
        word = rest.removesuffix("@uw").removesuffix("@hand").removesuffix("@foretold")
        return Subject("ref", parse_ref(word))
    found = parse_filter(rest)
    if how == "all":
        return Subject("all", filter=found)
    high = -1 if star else int(count) if count else 1
    low = 0 if star or at_most else high
    return Subject("pick", filter=found, low=low, high=high, split=how == "split")


def parse_counter(text: str) -> Counter:
    """Read something that is counted, such as ``att(self,W)``."""
    text = text.strip()
    match = re.fullmatch(r"([a-z]+)(?:\((.*)\))?", text)
    if match is None or match[1] not in COUNTERS:
        raise unknown(match[1] if match else text, COUNTERS, "counter")
    word, inside = match[1], match[2] or ""
    form = COUNTERS[word][1]
    parts = split_top(inside, ",") if inside else []
    wanted = len([f for f in form.split(",") if f])
    if len(parts) != wanted:
        raise EffectError(f"{text!r} needs {wanted} words between its brackets: {word}({form}).")
    if form == "scope,elements":
        scope: Any = parts[0]
        if is_filter(scope):
            scope = parse_filter(scope)
        elif scope not in ("self", "it", "own", "any", "opp", "host"):
            raise unknown(scope, ("self", "it", "own", "any", "opp", "host"), "place where Spirits are counted")
        return Counter(word, scope, mask_of(parts[1]))
    if form == "filter":
        return Counter(word, parse_filter(parts[0]))
    if form == "ref":
        return Counter(word, parse_ref(parts[0]))
    if form == "store,elements":
        side, at, store = parts[0].partition("@")
        if side not in ("own", "opp") or store not in ("sd", "uw") or not at:
            raise EffectError(f"{parts[0]!r} must be own@sd, own@uw, opp@sd or opp@uw.")
        return Counter(word, side, mask_of(parts[1]), store)
    if form == "elements":
        return Counter(word, None, mask_of(parts[0]))
    if form == "side":
        if parts[0] not in ("own", "opp"):
            raise unknown(parts[0], ("own", "opp"), "side")
        return Counter(word, parts[0])
    if form == "ref,stat":
        if parts[1] not in ("A", "D"):
            raise EffectError(f"{parts[1]!r} must be A or D.")
        return Counter(word, parse_ref(parts[0]), text=parts[1])
    if form == "name":
        own = inside.startswith("own ")
        return Counter(word, "own" if own else "any", text=inside.removeprefix("own "))
    if form == "ref,name or filter":
        if is_filter(parts[1]):
            return Counter(word, parse_filter(parts[1]))
        return Counter(word, Filter("any", ("card",), (Test("name", "=", (parts[1],)),)))
    if form == "phase":
        if inside not in ("own main",):
            raise unknown(inside, ("own main",), "phase")
        return Counter(word, text=inside)
    return Counter(word)


def parse_condition(text: str) -> Condition:
    """Read a condition: clauses joined by ``&``."""
    return tuple(_clause(part) for part in split_top(text, "&"))


def _clause(text: str) -> Clause:
    for compare in (">=", "<=", "==", "<", ">", "="):
        parts = split_top(text, compare)
        if len(parts) == 2:
            left, right = parse_counter(parts[0]), parts[1]
            if left.word == "pos":
                if right not in ("A", "D"):
                    raise EffectError(f"A position is A or D, not {right!r}.")
                return Clause(left, "=", Amount(0 if right == "A" else 1))
            return Clause(left, "=" if compare == "==" else compare, parse_amount(right))
    return Clause(parse_counter(text), ">=", Amount(1))


def parse_amount(text: str) -> Amount:
    """Read ``3``, ``n:att(self,O)+1``, ``spf(own)+2`` or ``3|1 if have(...)``."""
    text = text.strip()
    if " if " in text:
        values, _, condition = text.partition(" if ")
        base, _, other = values.partition("|")
        return Amount(number(base, "amount"), other=number(other, "amount"), unless=parse_condition(condition))
    if re.fullmatch(r"[0-9]+", text):
        return Amount(int(text))
    counted = text.removeprefix("n:")
    extra = 0
    match = re.fullmatch(r"(.+)\+([0-9]+)", counted)
    if match is not None:
        counted, extra = match[1], int(match[2])
    return Amount(extra, parse_counter(counted))


def parse_spirits(text: str) -> Spirits:
    """Read Spirits: ``<=2W``, ``1S+1W``, ``n:cost(atk) O``, ``1E|2E if inplay(Demeter)``, ``all``."""
    text = text.strip()
    if text == "all":
        return Spirits((), everything=True)
    up_to = text.startswith("<=")
    text = text.removeprefix("<=")
    if " if " in text:
        match = re.fullmatch(r"([0-9]+)([A-Z]+)\|([0-9]+)([A-Z]+) if (.+)", text)
        if match is None or match[2] != match[4]:
            raise EffectError(f"{text!r} is not of the form 1E|2E if condition.")
        amount = Amount(int(match[1]), other=int(match[3]), unless=parse_condition(match[5]))
        return Spirits(((amount, mask_of(match[2])),), up_to)
    if text.startswith("n:"):
        counted, _, letters = text.rpartition(" ")
        return Spirits(((parse_amount(counted), mask_of(letters)),), up_to)
    parts = []
    for part in text.split("+"):
        match = re.fullmatch(r"([0-9]+)([A-Z]+)", part.strip())
        if match is None:
            raise EffectError(f"{part!r} is not a number of Spirits such as 2W.")
        parts.append((Amount(int(match[1])), mask_of(match[2])))
    return Spirits(tuple(parts), up_to)


def parse_stats(text: str, per: Counter | None = None) -> Stats:
    """Read a change of attack and defence such as ``+3A-1D``."""
    match = re.fullmatch(r"(?:([+-][0-9]+)A)?(?:([+-][0-9]+)D)?", text.strip())
    if match is None or not text.strip():
        raise EffectError(f"{text!r} is not a change such as +3A-1D.")
    return Stats(int(match[1] or 0), int(match[2] or 0), per)


def parse_who(text: str) -> Who:
    """Read the subject of an event."""
    match = re.fullmatch(r"(self|host|own|opp|any)(?:\[(.*)\])?", text)
    if match is not None:
        tests = tuple(parse_test(t) for t in split_top(match[2], ",")) if match[2] else ()
        return Who(match[1], tests=tests)
    return Who(filter=parse_filter(text))


# ------------------------------------------------------------------------------------------------ costs and steps


def parse_cost(text: str) -> Cost:
    """Read one cost."""
    word, args = call(text)
    if word == "exp" and args in (["all", "min1"], ["all"]):
        return Cost(word, Spirits((), everything=True))
    if word == "exp" and len(args) == 1:
        return Cost(word, parse_spirits(args[0]))
    if word == "dis" and len(args) == 2:
        subject = Subject("ref", "self") if args[0] == "self" else Subject("all", filter=parse_filter(args[0]))
        return Cost(word, parse_spirits(args[1]), subject)
    if word == "disc" and args in (["all", "min1"], ["all"]):
        return Cost(word, amount=-1)
    if word == "disc" and args == ["self"]:
        return Cost(word, subject=Subject("ref", "self"), amount=1)
    if word == "disc" and len(args) == 2:
        return Cost(
            word, subject=Subject("pick", filter=parse_filter(args[0] + "@hand")), amount=number(args[1], "cards")
        )
    if word == "reveal" and len(args) == 2 and args[1] == "sd":
        return Cost(word, parse_spirits(args[0]))
    if word not in COSTS:
        raise unknown(word, COSTS, "cost word")
    raise EffectError(f"the cost {text!r} has arguments that it cannot have.")


def parse_target(text: str) -> Target:
    """Read one target."""
    if not re.search(r"(own|opp|any):", text):
        return Target(ref=parse_ref(text))
    subject = parse_subject(text)
    return Target(filter=subject.filter, low=subject.low, high=subject.high)


# ------------------------------------------------------------------------------------------------ walking


def walk(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield steps with the steps inside them."""
    for step in steps:
        yield step
        yield from walk(step.steps)


def tags_of(steps: tuple[Step, ...], hand_or_deck: bool = True) -> frozenset[str]:
    """Return what an effect is going to do, for those that answer it.

    `hand_or_deck`: an effect on a card in hand or deck counts as one on the deck.
    """
    tags = set()
    for step in walk(steps):
        found = [s.filter for s in (step.subject, step.take) if s is not None and s.filter is not None]
        deck = any("deck" in f.zones and (hand_or_deck or "hand" not in f.zones) for f in found)
        if deck:
            tags.add("search")
            if step.op in ("spasc", "spcast", "castrune"):
                tags.add("castdeck")
        if step.op in ("draw", "drain", "recover"):
            tags.add(step.op)
        if step.op in ("discard", "peekdisc") and step.who == "opp":
            tags.add("discardopp")
    return frozenset(tags)
