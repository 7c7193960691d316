"""The effect language: what a card does, as short lines of text in TOML, parsed to a typed tree.

The rulebook interprets the tree, the fast engine compiles it to integer tables; neither reads the text again.
A line that uses a word that is not in the tables below is refused with that word (`EffectError`), so that "this card is
playable" means "every word of its effects has a rule".

Words of the language, by example::

    own:elst[cost=1,el=W]@deck      a filter: whose, what, tests, where (the field if not said)
    <=2W   1S+1W   3RT   3O         Spirits: up to two Water, one of each, any mix of two elements, any three
    n:att(self,O)+1                 an amount that is counted when it is needed
    destroy(t1)  +?flip(pick any:elst)   steps: + only if the step before did something, ? only if one wants to
    mod(t1,+3A-1D,~T)               until the next turn begins
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sim.errors import nearest

ELEMENTS = "EFWITRLS"
ELEMENT_NAMES = ("earth", "fire", "water", "wind", "thunder", "frost", "lunar", "solar")
ANY = 0xFF  # the mask of all eight elements

TYPES = ("card", "elst", "rune", "invoke", "counter", "artifact", "divine", "stadium", "link")
SIDES = ("own", "opp", "any")
ZONES = ("field", "hand", "deck", "uw", "foretold")
FLAGS = ("set", "up", "fresh", "supp", "emp", "other", "minsp", "attacking", "onself")
TESTS = ("cost", "pay", "el", "ench", "name", "title", "sub", "pos", "atk", "sp", "tag", "paid")
REFS = ("self", "host", "t", "t1", "t2", "that", "other", "killer", "atk", "link", "attack", "over", "receiver", "it")
UNTIL = ("~T", "~Y", "~OE", "~S", "~inf")
TAGS = ("search", "castdeck", "draw", "drain", "recover", "discardopp")
KINDS = ("on", "act", "static", "play", "route", "face")
EVENTS = (
    *("cast", "cast.n", "cast.s", "recv", "recv.nexus", "b.kill", "b.die", "nexus.done", "play", "enter", "atk"),
    *(
        "ph.end",
        "asc.from",
        "asc.into",
        "asc.into.s",
        "ally.b.die",
        "fx.die",
        "link",
        "die",
        "foretell",
        "state",
        "supp",
    ),
)
COUNTERS: dict[str, str] = {
    # word -> what stands between its brackets
    "att": "scope,elements",
    "cnt": "filter",
    "cost": "ref",
    "sp": "store,elements",
    "spwas": "",
    "moved": "elements",
    "foretold": "",
    "x": "",
    "drawn": "",
    "taken": "",
    "spf": "side",
    "sd": "side",
    "st": "ref,stat",
    "attacked": "ref",
    "bpkills": "ref",
    "have": "filter",
    "inplay": "name",
    "empby": "ref,name or filter",
    "phase": "phase",
    "pos": "ref",
}
WINDOWS = ("link", "after atk", "after play", "phase draw", "phase battle")
RULES = ("double", "pierce", "direct", "defatk")
RESTRICTIONS = ("noench", "noatk", "nonexus", "noasc", "nopos")


class EffectError(ValueError):
    """A line of the effect language that cannot be read: the sentence names the word."""


def _unknown(word: str, known: Any, what: str) -> EffectError:
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


def _number(text: str, what: str) -> int:
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
        raise _unknown(word, (*FLAGS, *TESTS), "filter word")
    word, compare, value = match[1], match[2], match[3].strip()
    if word in ("el", "ench", "paid"):
        return Test(word, compare, mask_of(value))
    if word in ("cost", "atk"):
        return Test(word, compare, _number(value, word))
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
                raise _unknown(tag, TAGS, "link tag")
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
        raise _unknown(side, SIDES, "side of a filter")
    for kind in types:
        if kind not in TYPES:
            raise _unknown(kind, TYPES, "type of a filter")
    places = tuple(zones.split("+")) if zones else ("field",)
    for place in places:
        if place not in ZONES:
            raise _unknown(place, ZONES, "zone")
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
        raise _unknown(text, REFS, "reference")
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
        raise _unknown(match[1] if match else text, COUNTERS, "counter")
    word, inside = match[1], match[2] or ""
    form = COUNTERS[word]
    parts = split_top(inside, ",") if inside else []
    wanted = len([f for f in form.split(",") if f])
    if len(parts) != wanted:
        raise EffectError(f"{text!r} needs {wanted} words between its brackets: {word}({form}).")
    if form == "scope,elements":
        scope: Any = parts[0]
        if is_filter(scope):
            scope = parse_filter(scope)
        elif scope not in ("self", "it", "own", "any", "opp", "host"):
            raise _unknown(scope, ("self", "it", "own", "any", "opp", "host"), "place where Spirits are counted")
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
            raise _unknown(parts[0], ("own", "opp"), "side")
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
            raise _unknown(inside, ("own main",), "phase")
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
        return Amount(_number(base, "amount"), other=_number(other, "amount"), unless=parse_condition(condition))
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
            word, subject=Subject("pick", filter=parse_filter(args[0] + "@hand")), amount=_number(args[1], "cards")
        )
    if word == "reveal" and len(args) == 2 and args[1] == "sd":
        return Cost(word, parse_spirits(args[0]))
    if word not in ("exp", "dis", "disc", "reveal"):
        raise _unknown(word, ("exp", "dis", "disc", "reveal"), "cost word")
    raise EffectError(f"the cost {text!r} has arguments that it cannot have.")


def parse_target(text: str) -> Target:
    """Read one target."""
    if not re.search(r"(own|opp|any):", text):
        return Target(ref=parse_ref(text))
    subject = parse_subject(text)
    return Target(filter=subject.filter, low=subject.low, high=subject.high)


Part = Callable[[dict[str, Any], str], None]


def _put(key: str, read: Callable[[str], Any]) -> Part:
    def part(made: dict[str, Any], text: str) -> None:
        made[key] = read(text)

    return part


def _side(text: str) -> str:
    if text not in ("own", "opp", "each"):
        raise _unknown(text, ("own", "opp", "each"), "player")
    return text


def _until(text: str) -> str:
    if text not in UNTIL:
        raise _unknown(text, UNTIL, "duration")
    return text


def _position(text: str) -> str:
    text = text.removeprefix("pos=")
    if text not in ("A", "D"):
        raise EffectError(f"A position is A or D, not {text!r}.")
    return text


def _stores(text: str) -> tuple[str, ...]:
    stores = tuple(text.removeprefix("pay ").split("+"))
    for store in stores:
        if store not in ("sd", "uw"):
            raise _unknown(store, ("sd", "uw"), "place that Spirits come from")
    return stores


def _restrictions(text: str) -> tuple[str, ...]:
    words = tuple(text.split("+"))
    for word in words:
        if word not in RESTRICTIONS:
            raise _unknown(word, RESTRICTIONS, "restriction")
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
        raise _unknown(text, ("link", "attack"), "thing to negate")
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

# word -> (parts in order, marks of parts that may follow)
OPS: dict[str, tuple[tuple[Part, ...], tuple[str, ...]]] = {
    "destroy": ((_SUBJECT,), ()),
    "bounce": ((_SUBJECT,), ()),
    "botdeck": ((_SUBJECT,), ()),
    "flip": ((_SUBJECT,), ()),
    "setpos": ((_SUBJECT, _put("pos", _position)), ()),
    "suppress": ((_SUBJECT, _put("until", _until)), ()),
    "mod": ((_SUBJECT, _put("stats", parse_stats)), ("per:", "~")),
    "swapst": ((_SUBJECT, _put("until", _until)), ()),
    "setbase": ((_SUBJECT, _put("stats", _set_stat), _put("until", _until)), ()),
    "destroyif": ((_SUBJECT, _put("words", _stat_test)), ()),
    "restrict": ((_SUBJECT, _put("words", _restrictions), _put("until", _until)), ()),
    "playlock": ((_lock, _put("until", _until)), ()),
    "negate": ((_put("subject", _negated),), ()),
    "negatefx": ((_SUBJECT,), ()),
    "nodmg": ((_SUBJECT,), ()),
    "steal": ((_SUBJECT, _put("until", _until)), ()),
    "stealrune": ((_SUBJECT,), ()),
    "setfrom": ((_SUBJECT,), ()),
    "draw": ((_AMOUNT,), ()),
    "drain": ((_AMOUNT,), ()),
    "mill": ((_put("who", _side), _AMOUNT), ()),
    "discard": ((_put("who", _side), _AMOUNT), ()),
    "peekdisc": ((_put("who", _side), _AMOUNT), ()),
    "putback": ((_AMOUNT,), ()),
    "reshuffle": ((_put("amount", _spread),), ()),
    "scrytake": ((_AMOUNT, _put("high", lambda text: _number(text, "cards taken"))), ()),
    "foretell": ((_AMOUNT,), ("take",)),
    "tutor": ((_SEARCH,), ()),
    "totop": ((_SEARCH,), ()),
    "regrow": ((_SEARCH,), ()),
    "recover": ((_SPIRITS,), ("who",)),
    "attach": ((_SPIRITS, _put("source", _stores), _SUBJECT), ()),
    "nexus": ((_SPIRITS,), ("from ", "to ")),
    "nexusall": ((_exactly("own"),), ("to ",)),
    "spcast": ((_SUBJECT,), ("pay ", "pos=")),
    "ncast": ((_SUBJECT,), ("pay ",)),
    "spasc": ((_SUBJECT, _put("take", parse_subject)), ()),
    "castrune": ((_SEARCH,), ("host=", "pay ")),
    "castas": ((_SUBJECT, _put("words", _face)), ("host=",)),
    "choose": ((_either,), ()),
    "oppchoose": ((_either,), ()),
    "delay": ((_exactly("ph.end"), _delay), ("delayed",)),
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
    if word not in OPS:
        raise _unknown(word, OPS, "effect word")
    parts, marks = OPS[word]
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

_SCOPE_ONLY = ("swapst",)
_AGAINST = ("shroud", "unaff", "nobounce", "nopos")


def parse_effect(text: str) -> Effect:
    """Read one effect that is always true."""
    word, args = call(text)
    if word in ("stat", "tax", "foreplus", "rule", "nodie", "replace", "setbase") and len(args) < 2:
        raise EffectError(f"{text!r} needs at least 2 arguments.")
    if word == "stat" and len(args) <= 3:
        per = parse_counter(args[2].removeprefix("per:")) if len(args) == 3 else None
        return Effect(word, _scope(args[0]), parse_stats(args[1], per))
    if word in _SCOPE_ONLY and len(args) == 1:
        return Effect(word, _scope(args[0]))
    if word in _AGAINST and len(args) == 2:
        return Effect(word, _scope(args[0]), against=parse_filter(args[1]))
    if word in ("atklock", "playlock") and len(args) == 1:
        return Effect(word, Subject("all", filter=parse_filter(args[0])))
    if word == "nodie" and len(args) == 2:
        battle = args[1] == "battle"
        against = None if battle else parse_filter(args[1].removeprefix("fx:"))
        return Effect(word, _scope(args[0]), battle=battle, against=against)
    if word == "rule" and len(args) == 2:
        if args[1] not in RULES:
            raise _unknown(args[1], RULES, "rule")
        return Effect(word, _scope(args[0]), words=(args[1],))
    if word == "setbase" and len(args) == 2:
        return Effect(word, _scope(args[0]), _set_stat(args[1]))
    if word == "tax" and len(args) == 3 and args[0] in ("own", "opp"):
        match = re.fullmatch(r"exp ([0-9]+)O", args[1])
        if match is None or not args[2].startswith("play:"):
            raise EffectError(f"{text!r} must be such as tax(opp,exp 1O,play:card).")
        taxed = parse_filter(f"{args[0]}:{args[2].removeprefix('play:')}")
        return Effect(word, Subject("all", filter=taxed), amount=int(match[1]))
    if word == "foreplus" and len(args) == 2:
        return Effect(word, Subject("all", filter=parse_filter(args[0])), amount=_number(args[1], "cards"))
    if word == "replace" and len(args) == 3 and args[1].startswith("by "):
        ways = args[1].removeprefix("by ").split("|")
        fx = [w.removeprefix("fx:") for w in ways if w.startswith("fx:")]
        against = parse_filter(fx[0]) if fx else None
        return Effect(word, _scope(args[0]), battle="battle" in ways, against=against, steps=(parse_step(args[2]),))
    known: tuple[str, ...] = (
        "stat",
        *_SCOPE_ONLY,
        *_AGAINST,
        "atklock",
        "playlock",
        "nodie",
        "rule",
        "setbase",
        "tax",
        "foreplus",
    )
    if word not in (*known, "replace"):
        raise _unknown(word, (*known, "replace"), "effect word")
    raise EffectError(f"{text!r} has arguments that it cannot have.")


def _scope(text: str) -> Subject:
    if is_filter(text):
        return Subject("all", filter=parse_filter(text))
    if text not in ("self", "host"):
        raise _unknown(text, ("self", "host"), "scope")
    return Subject("ref", text)


# ------------------------------------------------------------------------------------------------ abilities


def _event(text: str) -> tuple[str, int]:
    match = re.fullmatch(r"([a-z.]+)(?:\(([A-Za-z]+)\))?", text)
    if match is None or match[1] not in EVENTS:
        raise _unknown(match[1] if match else text, EVENTS, "event")
    if match[1].startswith("recv"):
        if not match[2]:
            raise EffectError(f"{text!r} must name elements, such as recv(W).")
        return match[1], mask_of(match[2])
    if match[2] is None:
        return match[1], ANY
    if match[2] not in SIDES:
        raise _unknown(match[2], SIDES, "side")
    return f"{match[1]}({match[2]})", ANY


def parse_window(text: str) -> Window:
    """Read a window such as ``after atk(opp)`` or ``link(opp:invoke)``."""
    match = re.fullmatch(r"([a-z ]+)\((.+)\)", text)
    if match is None or match[1] not in WINDOWS:
        raise _unknown(match[1] if match else text, WINDOWS, "window")
    word, inside = match[1], match[2]
    if word in ("link", "after play"):
        return Window(word, filter=parse_filter(inside))
    if inside not in SIDES:
        raise _unknown(inside, SIDES, "side")
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
    kind = table.get("k")
    if kind not in KINDS:
        raise _unknown(str(kind), KINDS, "kind of ability")
    for key in table:
        if key != "k" and key not in KEYS[kind]:
            raise _unknown(key, KEYS[kind], f"key of a {kind!r} ability")
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
        "at": ("at", lambda text: _one_of(text, ("field", "uw", "hand"), "zone")),
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
        raise _unknown(text, known, what)
    return text


def walk(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield steps with the steps inside them."""
    for step in steps:
        yield step
        yield from walk(step.steps)


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
