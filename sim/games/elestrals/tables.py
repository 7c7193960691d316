"""The cards of Elestrals as flat integer tables: the tree of the effect language, compiled for the fast engine.

Every row refers to others by number, -1 for none; lists are (first, how many) of consecutive rows. Spirits are packed
seven bits to an element (the highest of the seven is always free), so that sums and comparisons are single operations.
All fields are int64, so that each kernel is compiled for one kind of number only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from sim.engine import record
from sim.games.elestrals import cards, codes
from sim.games.elestrals.language import (
    ANY,
    ELEMENTS,
    EVENTS,
    REFS,
    RESTRICTIONS,
    RULES,
    TAGS,
    UNTIL,
    Ability,
    Amount,
    Condition,
    Cost,
    Counter,
    Effect,
    Filter,
    Spirits,
    Stats,
    Step,
    Subject,
    Target,
    Test,
    cost_of,
    tags_of,
)
from sim.games.elestrals.numbers import DECK_NAMES
from sim.variant import Variant


def numbers(n: int) -> list[np.int64]:
    """Return 0 to n - 1 as numpy integers: the compiler would make a kernel anew for each plain integer it is given."""
    return [np.int64(i) for i in range(n)]


def bits(n: int) -> list[np.int64]:
    """Return 1, 2, 4, ... as numpy integers."""
    return [np.int64(1 << i) for i in range(n)]


ZERO, ONE, TWO, THREE, FOUR, NONE = (np.int64(n) for n in (0, 1, 2, 3, 4, -1))
FIELD_BITS = 7
KIND_NUMBER = {kind: i for i, kind in enumerate(cards.KINDS)}
ELESTRAL, INVOKE, COUNTER, ARTIFACT, DIVINE, STADIUM = numbers(6)
INSTANTS = np.int64(1 << 1 | 1 << 2)

# Filters
OWN, OPP, EITHER = numbers(3)
SIDE = {"own": OWN, "opp": OPP, "any": EITHER, "each": EITHER}
Z_FIELD, Z_HAND, Z_DECK, Z_UW, Z_SHOWN = bits(5)
ZONE = {"field": Z_FIELD, "hand": Z_HAND, "deck": Z_DECK, "uw": Z_UW, "foretold": Z_SHOWN}
T_SET, T_UP, T_FRESH, T_SUPP, T_EMP, T_OTHER, T_MINSP, T_ATTACKING, T_ONSELF = bits(9)
FLAG = {
    "set": T_SET,
    "up": T_UP,
    "fresh": T_FRESH,
    "supp": T_SUPP,
    "emp": T_EMP,
    "other": T_OTHER,
    "minsp": T_MINSP,
    "attacking": T_ATTACKING,
    "onself": T_ONSELF,
}
COMPARE = {"=": 0, "!=": 1, ">=": 2, "<=": 3, "<": 4, ">": 5}
CARD_TESTS = ("name", "title", "sub", "el", "cost", "pay")

# Words
REF = {word: i for i, word in enumerate(REFS)}
R_SELF, R_HOST, R_T, R_T1, R_T2, R_THAT, R_OTHER, R_KILLER, R_ATK, R_LINK, R_ATTACK, R_OVER, R_RECEIVER, R_IT = numbers(
    14
)
EVENT = {word: i for i, word in enumerate(EVENTS)}
(
    E_CAST, E_CAST_N, E_CAST_S, E_RECV, E_RECV_NEXUS, E_KILL, E_DIE_B, E_NEXUS, E_PLAY, E_ENTER, E_ATK, E_END,
    E_ASC_FROM, E_ASC_INTO, E_ASC_INTO_S, E_ALLY, E_FX_DIE, E_LINK, E_DIE, E_FORETELL, E_STATE, E_SUPP,
) = numbers(22)  # fmt: skip
STATIC_WORDS = (
    "stat", "swapst", "setbase", "shroud", "unaff", "nobounce", "nopos", "atklock", "playlock", "nodie", "rule",
    "tax", "foreplus", "replace",
)  # fmt: skip
(
    S_STAT, S_SWAP, S_BASE, S_SHROUD, S_UNAFF, S_NOBOUNCE, S_NOPOS, S_ATKLOCK, S_PLAYLOCK, S_NODIE, S_RULE, S_TAX,
    S_FOREPLUS, S_REPLACE,
) = numbers(14)  # fmt: skip
RULE = {word: i for i, word in enumerate(RULES)}
RULE_DOUBLE, RULE_PIERCE, RULE_DIRECT, RULE_DEFATK = numbers(4)
RESTRICT = {word: 1 << i for i, word in enumerate(RESTRICTIONS)}
NO_ENCHANT, NO_ATTACK, NO_NEXUS, NO_ASCEND, NO_POSITION = bits(5)
TAG_BIT = {word: 1 << i for i, word in enumerate(TAGS)}
COUNTERS = (
    "att", "cnt", "have", "cost", "sp", "spwas", "moved", "foretold", "x", "drawn", "taken", "spf", "sd", "st",
    "attacked", "bpkills", "inplay", "empby", "phase", "pos",
)  # fmt: skip
(
    C_ATT, C_CNT, C_HAVE, C_COST, C_SP, C_SPWAS, C_MOVED, C_FORETOLD, C_X, C_DRAWN, C_TAKEN, C_SPF, C_SD, C_ST,
    C_ATTACKED, C_BPKILLS, C_INPLAY, C_EMPBY, C_PHASE, C_POS,
) = numbers(20)  # fmt: skip
SCOPE_REF, SCOPE_FILTER, SCOPE_SIDE = numbers(3)
KIND_ON, KIND_ACT, KIND_STATIC, KIND_PLAY, KIND_ROUTE, KIND_FACE = numbers(6)
ABILITY_KIND = {"on": 0, "act": 1, "static": 2, "play": 3, "route": 4, "face": 5}
AT = {"field": 0, "uw": 1, "hand": 2}
W_NONE, W_LINK, W_ATK, W_PLAY, W_DRAW, W_BATTLE = numbers(6)
WINDOW = {"link": 1, "after atk": 2, "after play": 3, "phase draw": 4, "phase battle": 5}
H_NONE, H_REF, H_PICK, H_ALL = numbers(4)
HOW = {"ref": H_REF, "pick": H_PICK, "all": H_ALL}
X_EXP, X_DIS, X_DISC, X_REVEAL = numbers(4)
COST_WORD = {"exp": 0, "dis": 1, "disc": 2, "reveal": 3}
OPS = (
    "destroy", "bounce", "botdeck", "flip", "setpos", "suppress", "mod", "swapst", "setbase", "destroyif", "restrict",
    "playlock", "negate", "negatefx", "nodmg", "steal", "stealrune", "setfrom", "draw", "drain", "mill", "discard",
    "peekdisc", "putback", "reshuffle", "scrytake", "foretell", "tutor", "totop", "regrow", "recover", "attach",
    "nexus", "nexusall", "spcast", "ncast", "spasc", "castrune", "castas", "choose", "oppchoose", "delay",
)  # fmt: skip
(
    O_DESTROY, O_BOUNCE, O_BOTDECK, O_FLIP, O_SETPOS, O_SUPPRESS, O_MOD, O_SWAPST, O_SETBASE, O_DESTROYIF, O_RESTRICT,
    O_PLAYLOCK, O_NEGATE, O_NEGATEFX, O_NODMG, O_STEAL, O_STEALRUNE, O_SETFROM, O_DRAW, O_DRAIN, O_MILL, O_DISCARD,
    O_PEEKDISC, O_PUTBACK, O_RESHUFFLE, O_SCRYTAKE, O_FORETELL, O_TUTOR, O_TOTOP, O_REGROW, O_RECOVER, O_ATTACH,
    O_NEXUS, O_NEXUSALL, O_SPCAST, O_NCAST, O_SPASC, O_CASTRUNE, O_CASTAS, O_CHOOSE, O_OPPCHOOSE, O_DELAY,
) = numbers(42)  # fmt: skip
FROM_DECK, FROM_UNDERWORLD = bits(2)

CHUNKS = (len(cards.all_cards()) + cards.MAX_OWN_CARDS + 31) // 32


def whole(*names: str) -> list[tuple[str, str]]:
    """Return int64 fields."""
    return [(name, "i8") for name in names]


FILTER = record(
    ("cards", "i8", (CHUNKS,)),  # bit c % 32 of chunk c / 32: the card's facts pass
    *whole(
        "side", "up", "down", "zones", "has_card", "need1", "need2", "never", "marks", "position", "atk", "atk_value"
    ),
    *whole("sp", "paid_need", "paid_never", "dynamic", "tags", "link"),
)
COUNTER_ROW = record(*whole("word", "how", "scope", "elements", "text"))
AMOUNT = record(*whole("plain", "counter", "other", "cond", "cond_n"))
CLAUSE = record(*whole("left", "compare", "right"))
SPIRITS = record(*whole("n", "amount0", "mask0", "amount1", "mask1", "swap", "up_to", "everything", "mask"))
COST = record(*whole("word", "spirits", "everything", "how", "filter", "amount"))
TARGET = record(*whole("ref", "filter", "low", "high"))
STEP = record(
    *whole("op", "optional", "if_done", "cond", "cond_n", "how", "ref", "filter", "low", "high", "split", "lock"),
    *whole("spirits", "amount", "who", "attack", "defence", "per", "until", "position", "source", "host"),
    *whole("give_how", "give_ref", "give_filter", "take_how", "take_ref", "take_filter", "take_low", "take_high"),
    *whole("words", "inner", "inner_n", "ability"),
)
STATIC = record(
    *whole("word", "how", "ref", "filter", "cond", "cond_n", "attack", "defence", "per", "against", "battle"),
    *whole("amount", "rule"),
)
ABILITY = record(
    *whole("kind", "event", "side", "elements", "of", "of_ref", "vs", "by", "at", "window", "window_side"),
    *whole("window_filter", "cond", "cond_n", "cost", "cost_n", "target", "target_n", "step", "step_n", "chain"),
    *whole("chain_n", "must", "limit", "over", "normal", "tags", "index", "spends"),
)
CARD = record(
    *whole("kind", "cost", "rainbow", "total", "elements", "attack", "defence", "stem", "ability", "ability_n"),
    *whole("static", "static_n", "words", "events", "acts", "routes", "play", "hand"),
)
FACE = record(*whole("static", "static_n", "name"))
DECK = record(("card", "i8", (cards.DECK_CARDS,)), ("distinct", "i8", (cards.DECK_CARDS,)), ("spirits", "i8"))
TABLES = {
    "filter": FILTER,
    "counter": COUNTER_ROW,
    "amount": AMOUNT,
    "clause": CLAUSE,
    "spirits": SPIRITS,
    "cost": COST,
    "target": TARGET,
    "step": STEP,
    "static": STATIC,
    "ability": ABILITY,
    "card": CARD,
    "face": FACE,
}


def spread(mask: int) -> int:
    """Return the packed mask of all bits of some elements."""
    return sum(127 << (FIELD_BITS * e) for e in range(len(ELEMENTS)) if mask >> e & 1)


def pack(counts: Sequence[int]) -> int:
    """Return counts of the eight elements in one number."""
    return sum(n << (FIELD_BITS * e) for e, n in enumerate(counts[: len(ELEMENTS)]))


class Compiler:
    """Compiles cards to rows; a row that is there already is used again."""

    def __init__(self, known: Sequence[cards.Card], hand_or_deck: bool = True) -> None:
        self.cards = known
        self.hand_or_deck = hand_or_deck
        self.rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        self.held: dict[Any, int] = {}
        self.bases = {base: i for i, base in enumerate(sorted({c.base for c in known}))}
        self.faces: dict[str, int] = {}
        for card in known:
            for face in card.faces:
                first, n = self.statics(face)
                self.faces[face.name] = self.add("face", static=first, static_n=n, name=card.number)
        for card in known:
            self.card(card)

    def add(self, table: str, **row: Any) -> int:
        """Add a row and return its number."""
        self.rows[table].append(row)
        return len(self.rows[table]) - 1

    def once(self, key: Any, table: str, **row: Any) -> int:
        """Add a row unless an equal one is there."""
        if key not in self.held:
            self.held[key] = self.add(table, **row)
        return self.held[key]

    # -------------------------------------------------------------------------------------------- filters

    def filter(self, f: Filter | None) -> int:
        """Return the number of a filter's row."""
        if f is None:
            return -1
        up, down = self._kinds(f.types)
        return self.once(
            ("filter", f),
            "filter",
            side=SIDE[f.side],
            up=up,
            down=down,
            zones=sum(ZONE[z] for z in set(f.zones)),
            link=int("link" in f.types),
            **self._tests(f.tests),
        )

    def tests(self, tests: tuple[Test, ...]) -> int:
        """Return the row of tests alone."""
        return self.filter(Filter("any", ("card",), tests)) if tests else -1

    def _kinds(self, types: Sequence[str]) -> tuple[int, int]:
        up = down = 0
        for word in types:
            if word == "card":
                up, down = up | 63, down | 63
            elif word == "elst":
                up, down = up | 1, down | 1
            elif word == "rune":
                up, down = up | 62, down | 62
            elif word != "link":
                up |= 1 << KIND_NUMBER[word]
        return up, down

    def _tests(self, tests: Sequence[Test]) -> dict[str, Any]:
        made: dict[str, Any] = dict.fromkeys(
            ("has_card", "need1", "need2", "never", "marks", "paid_need", "paid_never", "dynamic", "tags"), 0
        )
        made |= {"position": -1, "atk": -1, "atk_value": 0, "sp": -1}
        facts = [t for t in tests if t.word in CARD_TESTS]
        made["has_card"] = int(bool(facts))
        chunks = [0] * CHUNKS
        for card in self.cards:
            if all(passes(t, card) for t in facts):
                chunks[card.number >> 5] |= 1 << (card.number & 31)
        made["cards"] = chunks
        for t in tests:
            if t.word not in CARD_TESTS:
                self._dynamic(t, made)
        return made

    def _dynamic(self, t: Test, made: dict[str, Any]) -> None:
        equal = t.compare != "!="
        if t.word not in ("other", "tag"):
            made["dynamic"] = 1
        if t.word in FLAG:
            made["marks"] |= FLAG[t.word]
        elif t.word == "ench" and equal:
            made["need2" if made["need1"] else "need1"] = spread(t.value)
        elif t.word == "ench":
            made["never"] |= spread(t.value)
        elif t.word == "paid":
            made["paid_need" if equal else "paid_never"] |= t.value
        elif t.word == "pos":
            made["position"] = int((t.value == "D") == equal)
        elif t.word == "atk":
            made["atk"], made["atk_value"] = COMPARE[t.compare], t.value
        elif t.word == "sp":
            made["sp"] = COMPARE[t.compare]
        elif t.word == "tag":
            made["tags"] |= sum(TAG_BIT[tag] for tag in t.value)
        else:
            raise ValueError(f"the test {t.word!r} has no column")

    # -------------------------------------------------------------------------------------------- numbers

    def counter(self, c: Counter | None) -> int:
        """Return the number of a counter's row."""
        if c is None:
            return -1
        how: Any = SCOPE_REF
        scope: Any = -1
        text = 0
        if isinstance(c.scope, Filter):
            how, scope = SCOPE_FILTER, self.filter(c.scope)
        elif c.scope in SIDE:
            how, scope = SCOPE_SIDE, SIDE[c.scope]
        elif c.scope is not None:
            scope = REF[c.scope]
        if c.word == "inplay":
            text = self.bases[c.text]
        elif c.word == "sp":
            text = int(c.text == "uw")
        elif c.word == "st":
            text = int(c.text == "D")
        key = ("counter", c)
        return self.once(
            key, "counter", word=COUNTERS.index(c.word), how=how, scope=scope, elements=spread(c.elements), text=text
        )

    def amount(self, a: Amount | None) -> int:
        """Return the number of an amount's row."""
        if a is None:
            return -1
        cond, cond_n = self.condition(a.unless)
        other = -1 if a.other is None else a.other
        return self.once(
            ("amount", a),
            "amount",
            plain=a.base,
            counter=self.counter(a.counter),
            other=other,
            cond=cond,
            cond_n=cond_n,
        )

    def condition(self, condition: Condition) -> tuple[int, int]:
        """Return (first row, rows) of a condition's clauses."""
        key = ("condition", condition)
        if key not in self.held:
            rows = [
                {"left": self.counter(c.left), "compare": COMPARE[c.compare], "right": self.amount(c.right)}
                for c in condition
            ]
            self.held[key] = len(self.rows["clause"])
            for row in rows:
                self.add("clause", **row)
        return self.held[key], len(condition)

    def spirits(self, sp: Spirits | None) -> int:
        """Return the number of a row of Spirits."""
        if sp is None:
            return -1
        if len(sp.parts) > 2:
            raise ValueError("more than two kinds of Spirits at once")
        row: dict[str, Any] = {"n": len(sp.parts), "amount0": -1, "mask0": 0, "amount1": -1, "mask1": 0, "mask": 0}
        for i, (amount, mask) in enumerate(sp.parts):
            row[f"amount{i}"], row[f"mask{i}"] = self.amount(amount), mask
            row["mask"] |= mask
        if sp.everything:
            row["mask"] = ANY
        order = [(mask.bit_count(), mask) for _, mask in sp.parts]
        row |= {"swap": int(order != sorted(order)), "up_to": int(sp.up_to), "everything": int(sp.everything)}
        return self.once(("spirits", sp), "spirits", **row)

    # -------------------------------------------------------------------------------------------- effects

    def _list(self, table: str, rows: Sequence[dict[str, Any]]) -> tuple[int, int]:
        first = len(self.rows[table])
        for row in rows:
            self.add(table, **row)
        return first, len(rows)

    def costs(self, costs: Sequence[Cost]) -> tuple[int, int]:
        """Return (first row, rows) of costs."""
        rows = []
        for cost in costs:
            how, f = H_NONE, -1
            if cost.subject is not None:
                how, f = HOW[cost.subject.how], self.filter(cost.subject.filter)
            rows.append(
                {
                    "word": COST_WORD[cost.word],
                    "spirits": self.spirits(cost.spirits),
                    "everything": int(cost.spirits is not None and cost.spirits.everything),
                    "how": how,
                    "filter": f,
                    "amount": cost.amount,
                }
            )
        return self._list("cost", rows)

    def targets(self, targets: Sequence[Target]) -> tuple[int, int]:
        """Return (first row, rows) of targets."""
        rows = [
            {
                "ref": REF[t.ref] if t.filter is None else -1,
                "filter": self.filter(t.filter),
                "low": t.low,
                "high": t.high,
            }
            for t in targets
        ]
        return self._list("target", rows)

    def steps(self, steps: Sequence[Step]) -> tuple[int, int]:
        """Return (first row, rows) of steps; the steps inside them stand before."""
        return self._list("step", [self._step(step) for step in steps])

    def _subject(self, subject: Subject | None, stem: str, made: dict[str, Any]) -> None:
        made[stem + "how"] = H_NONE if subject is None else HOW[subject.how]
        made[stem + "ref"] = REF[subject.ref] if subject is not None and subject.ref else -1
        made[stem + "filter"] = -1 if subject is None else self.filter(subject.filter)

    def _step(self, step: Step) -> dict[str, Any]:
        made: dict[str, Any] = {"op": OPS.index(step.op), "optional": int(step.optional), "if_done": int(step.if_done)}
        made["cond"], made["cond_n"] = self.condition(step.condition)
        self._subject(step.subject, "", made)
        self._subject(step.give, "give_", made)
        self._subject(step.take, "take_", made)
        subject = step.subject
        made |= {"low": 0, "high": 0, "split": 0}
        if subject is not None:
            made |= {"low": subject.low, "high": subject.high, "split": int(subject.split)}
        made["lock"] = self.filter(step.filter)
        if step.take_filter is not None:
            made["take_filter"] = self.filter(step.take_filter)
        made["take_low"], made["take_high"] = step.low, step.high
        made["spirits"], made["amount"] = self.spirits(step.spirits), self.amount(step.amount)
        made["who"] = SIDE[step.who]
        made |= self._stats(step.stats)
        made["until"] = UNTIL.index(step.until) if step.until else -1
        made["position"] = -1 if not step.pos else int(step.pos == "D")
        made["source"] = sum({"sd": FROM_DECK, "uw": FROM_UNDERWORLD}[s] for s in set(step.source))
        made["host"] = REF[step.host] if step.host else -1
        made["words"] = self._words(step)
        made["inner"], made["inner_n"], made["ability"] = -1, 0, -1
        if step.op == "delay":
            later = Ability("on", "ph.end(any)", costs=step.costs, steps=step.steps, must=not step.costs)
            made["ability"] = self.ability(later, 0)
        elif step.steps:
            if any(inner.steps for inner in step.steps):
                raise ValueError("a choice inside a choice")
            made["inner"], made["inner_n"] = self.steps(step.steps)
        return made

    def _stats(self, stats: Stats | None) -> dict[str, Any]:
        if stats is None:
            return {"attack": 0, "defence": 0, "per": -1}
        return {"attack": stats.attack, "defence": stats.defence, "per": self.counter(stats.per)}

    def _words(self, step: Step) -> int:
        if step.op == "restrict":
            return sum(RESTRICT[word] for word in set(step.words))
        if step.op == "destroyif":
            return int(step.words[0] == "D")
        if step.op == "castas":
            return self.faces[step.words[0]]
        return 0

    def statics(self, ability: Ability) -> tuple[int, int]:
        """Return (first row, rows) of what is always true."""
        return self._list("static", [self._static(e, ability.condition) for e in ability.effects])

    def _static(self, e: Effect, condition: Condition) -> dict[str, Any]:
        cond, cond_n = self.condition(condition)
        made = {
            "word": STATIC_WORDS.index(e.word),
            "how": HOW[e.scope.how],
            "ref": REF[e.scope.ref] if e.scope.ref else -1,
            "filter": self.filter(e.scope.filter),
            "cond": cond,
            "cond_n": cond_n,
            "against": self.filter(e.against),
            "battle": int(e.battle),
            "amount": e.amount,
            "rule": RULE[e.words[0]] if e.word == "rule" else -1,
            **self._stats(e.stats),
        }
        self._check_static(made)
        return made

    def _check_static(self, row: Mapping[str, Any]) -> None:
        """What is always true may not ask for attack or defence: those rest on it."""
        used = [row["per"]] + [self.rows["clause"][row["cond"] + i]["left"] for i in range(row["cond_n"])]
        counters = [self.rows["counter"][i] for i in used if i >= 0]
        filters = [row["filter"], *(c["scope"] for c in counters if c["how"] == SCOPE_FILTER)]
        if any(c["word"] == C_ST for c in counters):
            raise ValueError("a lasting effect that counts attack or defence")
        if any(f >= 0 and self.rows["filter"][f]["atk"] >= 0 for f in filters):
            raise ValueError("a lasting effect on cards with some attack")

    def ability(self, a: Ability, index: int) -> int:
        """Return the number of an ability's row."""
        made = self._ability_row(a, index)
        return self.add("ability", **made)

    def _ability_row(self, a: Ability, index: int) -> dict[str, Any]:
        word, _, side = a.event.partition("(")
        of_ref = -1
        of = -1
        if a.of is not None:
            of = self.filter(a.of.filter) if a.of.filter is not None else self.tests(a.of.tests)
            of_ref = -1 if a.of.filter is not None else int(a.of.ref == "host")
        made: dict[str, Any] = {
            "kind": ABILITY_KIND[a.kind],
            "event": EVENT[word] if word else -1,
            "side": SIDE[side.rstrip(")")] if side else -1,
            "elements": a.elements,
            "of": of,
            "of_ref": of_ref,  # -1 a filter or nothing, 0 this card (with tests), 1 its host
            "vs": self.filter(a.vs),
            "by": self.filter(a.by),
            "at": AT[a.at],
            "window": WINDOW[a.window.word] if a.window is not None else W_NONE,
            "window_side": SIDE[a.window.side] if a.window is not None else EITHER,
            "window_filter": self.filter(a.window.filter) if a.window is not None else -1,
            "must": int(a.must),
            "limit": a.limit,
            "over": self.filter(a.over),
            "normal": int(a.normal),
            "tags": sum(TAG_BIT[t] for t in tags_of(a.steps, self.hand_or_deck)),
            "index": index,
            "spends": int(any(c.word in ("exp", "dis") for c in a.costs)),
        }
        made["cond"], made["cond_n"] = self.condition(a.condition)
        made["cost"], made["cost_n"] = self.costs(a.costs)
        made["target"], made["target_n"] = self.targets(a.targets)
        made["step"], made["step_n"] = self.steps(a.steps)
        made["chain"], made["chain_n"] = self._list("static", [self._static(e, ()) for e in a.on_chain])
        return made

    def card(self, card: cards.Card) -> None:
        """Add a card's row; all its abilities stand one after the other."""
        statics = [self._static(e, a.condition) for a in card.abilities if a.kind == "static" for e in a.effects]
        static, static_n = self._list("static", statics)
        rows = [self._ability_row(a, i) for i, a in enumerate(card.abilities)]
        ability, ability_n = self._list("ability", rows)
        events = sum({1 << row["event"] for row in rows if row["kind"] == KIND_ON})
        play = next((ability + i for i, row in enumerate(rows) if row["kind"] == KIND_PLAY), -1)
        self.add(
            "card",
            kind=KIND_NUMBER[card.kind],
            cost=pack(card.cost),
            rainbow=card.cost[8],
            total=card.total,
            elements=card.elements,
            attack=card.attack,
            defence=card.defence,
            stem=self.bases[card.base],
            ability=ability,
            ability_n=ability_n,
            static=static,
            static_n=static_n,
            words=sum(1 << STATIC_WORDS.index(word) for word in card.static_words),
            events=events,
            acts=int(any(row["kind"] == KIND_ACT for row in rows)),
            routes=int(any(row["kind"] == KIND_ROUTE for row in rows)),
            play=play,
            hand=int(any(row["kind"] == KIND_ON and row["at"] == AT["hand"] for row in rows)),
        )


def passes(test: Test, card: cards.Card) -> bool:
    """Say whether a card's facts pass a test."""
    value = test.value
    if test.word == "cost":
        left, word = card.total, test.compare
        return bool({"=": left == value, "!=": left != value, ">=": left >= value, "<=": left <= value}[word])
    found: bool = {
        "name": lambda: card.base in value,
        "el": lambda: bool(card.elements & value),
        "pay": lambda: card.cost in value,
        "sub": lambda: any(s in value for s in card.subs),
        "title": lambda: any(card.title == v or card.title.endswith(" " + v) for v in value),
    }[test.word]()
    return found == (test.compare != "!=")


def varied(variant: Variant) -> list[cards.Card]:
    """Return all cards with the costs and stats of a variant."""
    made = []
    for card in cards.cards_of(variant).values():
        stem = f"card.{cards.field_name(card.name)}."
        values = variant.values
        facts = {
            "cost": cost_of(str(values.get(stem + "cost", card.letters))),
            "attack": int(str(values.get(stem + "attack", card.attack))),
            "defence": int(str(values.get(stem + "defence", card.defence))),
        }
        changed = any(getattr(card, key) != value for key, value in facts.items())
        made.append(replace_facts(card, facts) if changed else card)
    return made


def replace_facts(card: cards.Card, facts: Mapping[str, Any]) -> cards.Card:
    """Return a card with other numbers."""
    from dataclasses import replace

    return replace(card, **facts)


def decks(variant: Variant) -> np.ndarray[Any, Any]:
    """Return the decks of all sides as rows of DECK, with room for as many of the user's own as may be."""
    made = np.zeros(len(DECK_NAMES) + cards.MAX_OWN, DECK)
    known = cards.cards_of(variant)
    for row, deck in zip(made, cards.decks_of(variant)):
        row["card"] = [known[c].number for c in deck.list]
        row["distinct"] = [deck.names.index(c) for c in deck.list]
        row["spirits"] = pack(cards.spirits_of(deck, variant["starting_spirits"]))
    return made


def fill(rules: Any, known: Sequence[cards.Card], hand_or_deck: bool) -> None:
    """Write the compiled rows into the arrays of a rules record."""
    made = Compiler(known, hand_or_deck)
    for table, rows in made.rows.items():
        for i, row in enumerate(rows):
            for key, value in row.items():
                rules[table][i][key] = value


# Other numbers on the cards change no row's place, only what stands in it; own cards need rows of their own.
ROOM = 4 * cards.MAX_OWN_CARDS
_SIZES = {name: len(rows) + ROOM for name, rows in Compiler(list(cards.all_cards().values())).rows.items()}


@cache
def fits(decks: str) -> bool:
    """Tell whether there is room for the cards that the decks of a variant's field `decks` bring."""
    known = [*cards.all_cards().values(), *cards.own_cards(decks).values()]
    return all(len(rows) <= _SIZES[name] for name, rows in Compiler(known).rows.items())


TABLE_FIELDS = [(name, TABLES[name], (_SIZES[name],)) for name in TABLES]
PLACES = codes.PLACES
