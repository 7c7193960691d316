"""The cards and decks of Elestrals as data: loaded from TOML, checked, parsed; every error is one sentence.

A card file holds tables ``[card."NAME"]`` with facts (type, cost, stats, elements, subclasses) and a list of abilities
in the effect language (`language`, `words`). A card whose effect needs a word without a rule stands there with its
facts and ``missing = "..."``: its name is known, and a deck that holds it is refused with that reason. A deck file
holds a name, the Spirits by element and the cards with their copies; it may bring cards of its own, as a card file
holds them.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from sim.errors import UsageError, nearest
from sim.games.elestrals.abilities import parse_ability
from sim.games.elestrals.language import (
    ELEMENT_NAMES,
    ELEMENTS,
    Ability,
    EffectError,
    cost_of,
    mask_of,
)
from sim.variant import Variant

FOLDER = Path(__file__).parent
KINDS = ("elestral", "invoke", "counter", "artifact", "divine", "stadium")
RUNES = KINDS[1:]
INSTANTS = ("invoke", "counter")
CARD_KEYS = ("type", "cost", "attack", "defence", "elements", "sub", "ability", "missing")
DECK_CARDS, DECK_SPIRITS, MAX_COPIES = 40, 20, 3
MAX_ABILITIES = 4
MAX_OWN = 12  # decks of the user's own in one variant
MAX_OWN_CARDS = 20  # cards that such decks may bring
DECK_KEYS = ("name", "note", "spirits", "cards", "card")


@dataclass(frozen=True)
class Card:
    """A card's facts and its abilities.

    Parameters
    ----------
    name, number
        Its full name and its place among all cards in order of names: the number that decision codes carry.
    kind
        ``elestral``, ``invoke``, ``counter``, ``artifact``, ``divine`` or ``stadium``.
    cost
        Nine numbers: the eight elements in the order of `language.ELEMENTS`, then the rainbow.
    elements
        Mask of the printed elements.
    attack, defence
        Printed values; 0 for a Rune.
    subs
        Subclasses such as ``ursa``.
    base, title
        The two halves of a name such as ``Warmite - Champion of Hestia``; effects name the base.
    abilities
        The parsed effects; without second faces, which are in `faces`.
    missing
        Why the card cannot be played yet, or "".
    """

    name: str
    number: int
    kind: str
    cost: tuple[int, ...]
    elements: int
    attack: int
    defence: int
    subs: tuple[str, ...]
    base: str
    title: str
    abilities: tuple[Ability, ...]
    faces: tuple[Ability, ...] = ()
    missing: str = ""

    @cached_property
    def static_words(self) -> frozenset[str]:
        """The words of what is always true while the card works."""
        return frozenset(e.word for a in (*self.abilities, *self.faces) for e in a.effects)

    @cached_property
    def total(self) -> int:
        """How many Spirits the card costs."""
        return sum(self.cost)

    @cached_property
    def key(self) -> str:
        """Its word on the command line: ``gorgons-gaze``."""
        return slug(self.name)

    @property
    def is_elestral(self) -> bool:
        """Whether it is an Elestral."""
        return self.kind == "elestral"

    @property
    def letters(self) -> str:
        """Its cost in letters: ``EEO``."""
        return "".join(letter * n for letter, n in zip(ELEMENTS + "O", self.cost))


@dataclass(frozen=True)
class Deck:
    """A deck: copies of cards by name, Spirits by element, where the numbers come from, cards of its own (JSON)."""

    name: str
    cards: tuple[tuple[str, int], ...]
    spirits: tuple[int, ...]
    note: str = ""
    own: str = "{}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct cards, in the order of names: bit i of an entrant's *off* mask is the i-th of them."""
        return tuple(name for name, _ in self.cards)

    @property
    def table(self) -> dict[str, Any]:
        """The deck as a deck file holds it, without the note."""
        spirits = {name: n for name, n in zip(ELEMENT_NAMES, self.spirits) if n}
        made = {"name": self.name, "cards": dict(self.cards), "spirits": spirits}
        return made if self.own == "{}" else {**made, "card": json.loads(self.own)}

    def same_as(self, other: Deck) -> bool:
        """Tell whether another deck has the same name, cards and Spirits."""
        return self.table == other.table

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The cards' words on the command line, in the order of `names`."""
        return tuple(map(slug, self.names))

    @cached_property
    def list(self) -> tuple[str, ...]:
        """The forty cards: instance i of the deck is the i-th of them."""
        return tuple(name for name, copies in self.cards for _ in range(copies))


def slug(name: str) -> str:
    """Return a name as one lower-case word with hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.replace("'", "").casefold()).strip("-")


def field_name(name: str) -> str:
    """Return a card's name as it stands in a field's key: without dots and quotation marks."""
    return re.sub(r"[^A-Za-z0-9 -]", "", name)


# ------------------------------------------------------------------------------------------------ reading


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Return a TOML file as a table, or raise UsageError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8 text"
        raise UsageError(f"The {what} {str(path)!r} cannot be read: {reason}.") from error
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = str(error).replace("\n", " ") or "it is nested too deep"
        raise UsageError(f"The {what} {str(path)!r} is not TOML: {reason}.") from error


def read_cards(path: Path) -> list[Card]:
    """Return the cards of one file, unnumbered; the error names file, card, ability and word."""
    table = read_toml(path, "card file")
    for key in table:
        if key != "card":
            raise UsageError(f"{path}: {nearest(key, ['card'], 'table of a card file')}")
    return made_cards(table.get("card"), str(path))


def made_cards(tables: Any, path: str) -> list[Card]:
    """Return the cards of tables by name; `path` says in errors where they stand."""
    if not isinstance(tables, dict) or not tables:
        raise UsageError(f"{path}: cards stand in tables such as [card.Warmite]; here is none.")
    return [_card(path, name, facts) for name, facts in tables.items()]


def _card(path: str, name: str, facts: Any) -> Card:
    where = f"{path}: card {name!r}"
    if not isinstance(facts, dict):
        raise UsageError(f"{where} must be a table of facts.")
    if not name.strip() or len(name) > 60:
        raise UsageError(f"{where}: a card's name must have 1 to 60 letters.")
    for key in facts:
        if key not in CARD_KEYS:
            raise UsageError(f"{where}: {nearest(key, CARD_KEYS, 'key')}")
    kind = facts.get("type")
    if kind not in KINDS:
        raise UsageError(f"{where}: {nearest(str(kind), KINDS, 'type')}")
    try:
        cost = cost_of(_facts_text(where, facts, "cost"))
        elements = mask_of(facts["elements"]) if facts.get("elements") else 0
    except EffectError as error:
        raise UsageError(f"{where}: {error}") from error
    if not 1 <= sum(cost) <= 6:
        raise UsageError(f"{where}: cost = {facts['cost']!r} is not possible; a card costs 1 to 6 Spirits.")
    base, _, title = name.partition(" - ")
    card = Card(
        name=name,
        number=-1,
        kind=kind,
        cost=cost,
        elements=elements,
        attack=_stat(where, facts, "attack", kind),
        defence=_stat(where, facts, "defence", kind),
        subs=_subs(where, facts),
        base=base,
        title=title,
        abilities=(),
        missing=str(facts.get("missing", "")),
    )
    made = _abilities(where, facts, kind)
    return replace(
        card,
        abilities=tuple(a for a in made if a.kind != "face"),
        faces=tuple(a for a in made if a.kind == "face"),
    )


def _facts_text(where: str, facts: Mapping[str, Any], key: str) -> str:
    value = facts.get(key)
    if not isinstance(value, str) or not value:
        raise UsageError(f'{where}: {key} must be a text, such as {key} = "WW".')
    return value


def _stat(where: str, facts: Mapping[str, Any], key: str, kind: str) -> int:
    if kind != "elestral":
        if key in facts:
            raise UsageError(f"{where}: a Rune has no {key}.")
        return 0
    value = facts.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 99:
        raise UsageError(f"{where}: {key} = {value!r} is not possible; it must be a whole number from 0 to 99.")
    return value


def _subs(where: str, facts: Mapping[str, Any]) -> tuple[str, ...]:
    subs = facts.get("sub", [])
    if not isinstance(subs, list) or not all(isinstance(s, str) for s in subs):
        raise UsageError(f"{where}: sub must be a list of texts.")
    return tuple(subs)


def _abilities(where: str, facts: Mapping[str, Any], kind: str) -> list[Ability]:
    tables = facts.get("ability", [])
    if not isinstance(tables, list) or len(tables) > MAX_ABILITIES:
        raise UsageError(f"{where}: ability must be a list of at most {MAX_ABILITIES} tables.")
    made = []
    for i, table in enumerate(tables, 1):
        try:
            ability = parse_ability(table)
            if (ability.kind == "play") != (kind in INSTANTS) and ability.kind not in ("on", "face"):
                raise EffectError(f"a {ability.kind!r} ability cannot stand on a card of type {kind!r}.")
            if ability.kind == "play" and kind == "counter" and ability.on_chain:
                raise EffectError("'onchain' on a Counter has no rule.")
        except EffectError as error:
            raise UsageError(f"{where}, ability {i}: {error}") from error
        made.append(ability)
    if not made and not facts.get("missing") and kind != "elestral":
        raise UsageError(f"{where}: it has no ability and no reason why it is missing.")
    return made


def number_cards(cards: Sequence[Card], known: Mapping[str, Card] | None = None) -> dict[str, Card]:
    """Return cards by name, numbered in the order of their names after those `known`; a name may stand only once."""
    made = dict(known or {})
    for i, card in enumerate(sorted(cards, key=lambda c: c.name), len(made)):
        if card.name in made or slug(card.name) in map(slug, made):
            raise UsageError(f"The card {card.name!r} stands twice in the card files.")
        made[card.name] = replace(card, number=i)
    _check_names(made)
    return made


def _check_names(cards: Mapping[str, Card]) -> None:
    """Effects may only name cards that exist."""
    known = {c.base for c in cards.values()}
    for card in cards.values():
        for i, ability in enumerate((*card.abilities, *card.faces), 1):
            for name in names_in(ability):
                if name not in known:
                    sentence = nearest(name, known, "card name")
                    raise UsageError(f"card {card.name!r}, ability {i}: {sentence}")


def names_in(thing: Any) -> list[str]:
    """Return the base names of cards that a piece of the tree names."""
    if isinstance(thing, (tuple, list)):
        return [name for part in thing for name in names_in(part)]
    if getattr(thing, "word", None) == "name" and hasattr(thing, "compare"):
        return list(thing.value)
    if getattr(thing, "word", None) == "inplay":
        return [thing.text]
    fields = getattr(thing, "__dataclass_fields__", None)
    return [] if fields is None else [name for f in fields for name in names_in(getattr(thing, f))]


@cache
def all_cards() -> dict[str, Card]:
    """Return every card of the project's own files, by name."""
    paths = sorted((FOLDER / "cards").glob("*.toml"))
    return number_cards([card for path in paths for card in read_cards(path)])


def playable() -> tuple[str, ...]:
    """Return the names of the cards that can be played."""
    return tuple(name for name, card in all_cards().items() if not card.missing)


# ------------------------------------------------------------------------------------------------ decks


def read_deck(path: Path) -> Deck:
    """Return a deck from its file, checked against the deck rules (EL-D1 to EL-D3)."""
    return made_deck({"name": path.stem, **read_toml(path, "deck file")}, str(path))


def made_deck(table: Mapping[str, Any], path: str) -> Deck:
    """Return the deck of a table such as a deck file holds; `path` says in errors where it stands."""
    known = {**all_cards(), **number_own([table], path)}
    for key in table:
        if key not in DECK_KEYS:
            raise UsageError(f"{path}: {nearest(key, DECK_KEYS, 'key of a deck file')}")
    name = table.get("name")
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= 40 or "," in name:
        raise UsageError(f"{path}: the name of a deck must be a text of 1 to 40 letters without a comma.")
    cards = _counts(path, table, "cards", known)
    spirits = _counts(path, table, "spirits", ELEMENT_NAMES)
    deck = Deck(
        name.strip(),
        tuple(sorted(cards.items())),
        tuple(spirits.get(element, 0) for element in ELEMENT_NAMES),
        str(table.get("note", "")),
        json.dumps(table.get("card", {}), sort_keys=True),
    )
    check_deck(deck, path, known)
    return deck


def number_own(tables: Sequence[Mapping[str, Any]], path: str) -> dict[str, Card]:
    """Return the cards that deck tables bring themselves (``card``), numbered after all others."""
    made: dict[str, Card] = {}
    for table in tables:
        for card in made_cards(table["card"], path) if table.get("card") else ():
            if card.name in made and replace(made[card.name], number=-1) != card:
                raise UsageError(f"{path}: two decks bring another card {card.name!r} each; give one another name.")
            if card.missing:
                raise UsageError(f"{path}: card {card.name!r}: a card of your own needs abilities, not `missing`.")
            made[card.name] = card
    if len(made) > MAX_OWN_CARDS:
        raise UsageError(f"{path}: {len(made)} cards of your own are too many; at most {MAX_OWN_CARDS} have room.")
    try:
        everything = number_cards(list(made.values()), all_cards())
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    return {name: everything[name] for name in made}


def _counts(path: str, table: Mapping[str, Any], key: str, known: Any) -> dict[str, int]:
    counts = table.get(key)
    what = "card" if key == "cards" else "element"
    if not isinstance(counts, dict):
        raise UsageError(f"{path}: a deck file needs a table [{key}] such as {{ NAME = 2 }}.")
    for name, n in counts.items():
        if name not in known:
            raise UsageError(f"{path}: {nearest(name, known, what)}")
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise UsageError(f"{path}: {n!r} copies of {name!r} are not possible; write a whole number of at least 1.")
    return dict(counts)


def check_deck(deck: Deck, where: str, known: Mapping[str, Card]) -> None:
    """Raise UsageError where a deck breaks the rules: 40 cards, 20 Spirits, at most three copies, playable cards."""
    total = sum(n for _, n in deck.cards)
    if total != DECK_CARDS:
        raise UsageError(f"{where}: a deck holds exactly {DECK_CARDS} cards, this one holds {total}.")
    if sum(deck.spirits) != DECK_SPIRITS:
        raise UsageError(
            f"{where}: a Spirit deck holds exactly {DECK_SPIRITS} Spirits, this one holds {sum(deck.spirits)}."
        )
    for name, copies in deck.cards:
        if copies > MAX_COPIES:
            raise UsageError(f"{where}: {copies} copies of {name!r}; a deck holds at most {MAX_COPIES} of one card.")
        if known[name].missing:
            raise UsageError(f"{where}: {name!r} cannot be played yet: {known[name].missing}.")


@cache
def starter_decks() -> dict[str, Deck]:
    """Return the eleven starter decks by name."""
    decks = [read_deck(path) for path in sorted((FOLDER / "decks").glob("*.toml"))]
    return {deck.name: deck for deck in decks}


# ------------------------------------------------------------------------------------------------ decks of a variant


def _deck_tables(text: str) -> list[dict[str, Any]]:
    try:
        tables = json.loads(text) if text else []
    except json.JSONDecodeError as error:
        raise UsageError(f"decks is no JSON: {error}.") from error
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError("decks must be a list of tables with a name, cards and spirits.")
    return tables


@cache
def own_cards(text: str) -> dict[str, Card]:
    """Return the cards that the decks of a variant's field `decks` bring themselves, by name."""
    return number_own(_deck_tables(text), "decks")


def cards_of(variant: Variant) -> dict[str, Card]:
    """Return all cards of a variant by name: the project's, then those that its decks bring."""
    return {**all_cards(), **own_cards(variant["decks"])}


@cache
def own_decks(text: str) -> tuple[Deck, ...]:
    """Return the decks that a variant brings: its field `decks` is a list of deck tables as JSON, or empty."""
    tables = _deck_tables(text)
    own_cards(text)  # together they may be too many, or contradict one another
    made = [made_deck(table, f"decks, entry {i}") for i, table in enumerate(tables, 1)]
    if len(made) > MAX_OWN:
        raise UsageError(f"{len(made)} decks of one's own are too many; at most {MAX_OWN} can meet.")
    names = [name.casefold() for name in (*starter_decks(), "all", *(deck.name for deck in made))]
    for deck in made:
        if names.count(deck.name.casefold()) > 1:
            raise UsageError(f"There is a deck {deck.name!r} already; give this one another name.")
    return tuple(made)


def with_deck(text: str, deck: Deck) -> str:
    """Return the field `decks` with one more deck; the same deck again changes nothing."""
    there = own_decks(text)
    if any(deck.same_as(other) for other in there):
        return text
    made = json.dumps([other.table for other in (*there, deck)], separators=(",", ":"))
    own_decks(made)
    return made


@cache
def decks_in(lists: str, own: str) -> tuple[Deck, ...]:
    """Return the starter decks with their copies counted in one of the ways of `LISTS`, then a variant's own decks."""
    how = LISTS[lists]
    return (*(how(deck) for deck in starter_decks().values()), *own_decks(own))


def decks_of(variant: Variant) -> tuple[Deck, ...]:
    """Return the decks of all sides of a variant."""
    return decks_in(variant["lists"], variant["decks"])


def _as_assumed(deck: Deck) -> Deck:
    return deck


def _boss_twice(deck: Deck) -> Deck:
    """One more of the dearest Elestral instead of the dearest Counter that is there twice."""
    known = all_cards()
    boss = max((name for name in deck.names if known[name].is_elestral), key=lambda name: known[name].total)
    return _instead(deck, boss, _spare(deck))


def _stadium_twice(deck: Deck) -> Deck:
    """One more of the Stadium instead of the dearest Counter that is there twice."""
    stadium = next(name for name in deck.names if all_cards()[name].kind == "stadium")
    return _instead(deck, stadium, _spare(deck))


def _spare(deck: Deck) -> str:
    """Return what makes room: the dearest Counter with two copies (then by name), an Invoke where there is none.

    A card that is there once stays, so that all lists hold the same cards.
    """
    known = all_cards()
    found = [name for name, copies in deck.cards if known[name].kind in INSTANTS and copies > 1]
    return min(found, key=lambda name: (known[name].kind, -known[name].total, name))  # Counters before Invokes


def _instead(deck: Deck, more: str, less: str) -> Deck:
    change = {more: 1, less: -1}
    return replace(deck, cards=tuple((name, copies + change.get(name, 0)) for name, copies in deck.cards))


def _flat_spirits(deck: Deck) -> Deck:
    """Two Spirits less of the main element, one more of each of the next two (of the one other, both)."""
    order = sorted((e for e in range(8) if deck.spirits[e] > 0), key=lambda e: (-deck.spirits[e], e))
    made = list(deck.spirits)
    for e in (order[1:3] * 2)[:2]:
        made[order[0]] -= 1
        made[e] += 1
    return replace(deck, spirits=tuple(made))


def plain_body(deck: Deck) -> str | None:
    """Return an Elestral that costs one Spirit of a deck's main element, is not in it, and has middling numbers."""
    main = max(range(8), key=lambda e: (deck.spirits[e], -e))
    known = all_cards()
    found = [
        card
        for card in (known[name] for name in playable())
        if card.is_elestral and card.total == 1 and card.cost[main] == 1 and card.name not in deck.names
    ]
    found.sort(key=lambda card: (card.attack + card.defence, card.name))
    return found[len(found) // 2].name if found else None


LISTS = {
    "assumed": _as_assumed,
    "boss_twice": _boss_twice,
    "stadium_twice": _stadium_twice,
    "flat_spirits": _flat_spirits,
}


def spirits_of(deck: Deck, total: int) -> tuple[int, ...]:
    """Return a deck's Spirits scaled to `total`, by largest remainders (ties: the earlier element).

    At the printed twenty this is the deck's own list.
    """
    exact = [n * total / sum(deck.spirits) for n in deck.spirits]
    made = [int(x) for x in exact]
    order = sorted(range(8), key=lambda e: (made[e] - exact[e], e))
    for e in order[: total - sum(made)]:
        made[e] += 1
    return tuple(made)


def row(general: Sequence[float], columns: Mapping[str, Sequence[float]]) -> tuple[float, ...]:
    """Return weights as one row: the general ones, then a column for each card in the order of their numbers."""
    none = (0.0,) * len(next(iter(columns.values())))
    made = list(general)
    for name in all_cards():
        made += columns.get(name, none)
    return (*made, *none * MAX_OWN_CARDS)
