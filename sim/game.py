"""The Game contract: facts and entry points of a game, as one frozen dataclass, and the registry.

A game is a folder under `sim/games/` (or a package of somebody else's with an entry point in the group
``evenhand.games``) whose module has the attribute `GAME`. Nothing in `analysis` or `reports` asks which game it is:
what is particular to a game is data here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from sim import engine
from sim.errors import UsageError, nearest
from sim.facts import (
    Ability,
    Cards,
    Classes,
    Decision,
    Design,
    Group,
    OwnSides,
    Reading,
    Seating,
    Side,
    Standing,
    TableSpec,
    Tier,
)
from sim.rng import Chance
from sim.sources import game_modules, hash_modules
from sim.variant import Field, Variant, default_variant, read_variant, set_fields

BUDGET, MAX_BUDGET = 300, 1_000_000  # iterations for each decision of an expert
TIERS = ("random", "novice", "skilled", "expert")

KIND_BITS, ARGUMENT_BITS = 20, 10
G = TypeVar("G", Seating, Classes, OwnSides, Cards, Standing, Design)


def code(kind: int, a: int = 0, b: int = 0) -> int:
    """Return the semantic code of a decision: kind (below 2048), two arguments (below 1024)."""
    return (kind << KIND_BITS) | (a << ARGUMENT_BITS) | b


def split(value: int) -> tuple[int, int, int]:
    """Return (kind, a, b) of a code."""
    return value >> KIND_BITS, (value >> ARGUMENT_BITS) & 1023, value & 1023


class Rulebook(Protocol):
    """The rules in plain Python: specification, referee, narrator.

    One object plays one game. Every step that the engine takes as a decision, forced ones too, is a decision here.
    """

    over: bool
    actor: int
    uses: Mapping[str, int]
    story: list[str]

    def options(self) -> list[int]:
        """Return the codes that the actor may choose, ascending."""

    def apply(self, code: int) -> None:
        """Carry out one of them; raise IllegalMoveError with the rule id otherwise."""

    def visible(self) -> dict[str, Any]:
        """Return what can be compared with the engine's state after this step."""

    def outcome(self) -> dict[str, Any]:
        """Return the game rows: {column: [per seat]}."""


class IllegalMoveError(ValueError):
    """A move that the rules do not allow: the sentence starts with the rule id."""


@dataclass(frozen=True)
class Lookahead:
    """How the look-ahead player (`sim.search`) plays a game on from a leaf of its tree.

    Parameters
    ----------
    policies
        Numbers of the game's policies; each seat of each playout is given one of them by chance.
    mix
        The part of a playout's moves that are random instead.
    c
        Weight of the exploration term; rewards lie in [0, 1].
    depth
        Decisions after which a playout is given up as a draw.
    sight
        Decisions of a playout after which the game's `value` is asked at every further one, not only at ends of rounds.
    model_others
        Whether the tree is of the thinking seat's decisions alone and the others are played by `policies` there too.
    trust
        If above 0, the expert plays what the first of `policies` would play unless the search finds another code
        better by so many standard errors: for games with more options than a budget can tell apart.
    """

    policies: tuple[int, ...] = (engine.NOVICE,)
    mix: float = 0.3
    c: float = 0.5
    depth: int = 4000
    sight: int = 4000
    model_others: bool = False
    trust: float = 0.0


@dataclass(frozen=True)
class Engine:
    """The fast path of a game: record types, kernels and the rules record."""

    tag: str
    state: Callable[[int], np.dtype[Any]]
    rules: np.dtype[Any]
    make_rules: Callable[[Variant, int], np.ndarray[Any, Any]]
    game_row: np.dtype[Any]
    round_row: np.dtype[Any]
    max_rounds: int
    kernels: Mapping[str, Callable[..., Any]]
    visible: Callable[[Any, Any, int], dict[str, Any]]
    lookahead: Lookahead = Lookahead()


EXPERT = Tier("expert", engine.EXPERT, "Looks ahead: searches re-deals that fit what it has seen.")
"""The tier that every game has whose engine can be searched."""


@dataclass(frozen=True)
class Game:
    """Everything that the house needs to know of a game.

    Parameters
    ----------
    name, title
        Its word on the command line, and its name for readers.
    seats, default_seats
        The allowed numbers of players, and the usual one.
    sides
        Courts or decks; a game without sides has one, named like the game.
    side_word
        What a side is called ("court", "deck", "player").
    fields, check
        The switches and numbers; `check(variant, seats)` returns an error sentence or None, `warn` a warning or None.
    abilities, readings, decisions, tiers, tables
        See their classes.
    engine, rulebook
        Loaders: called when the game is played, so that listing games compiles nothing.
    margins
        {"first_seat": ..., "side": ...} as differences of share: a function of the number of seats.
    games
        The default size of a report per arm, so that it takes about a minute on two cores.
    seconds_per_turn
        Minutes at the table are estimated from it.
    sources
        Where the rules come from, a sentence each.
    glossary
        {word: what it means}, for the report.
    has_ability
        `has_ability(variant, key)` tells whether an ability is in the game at all; None: all are, always.
    look_ahead
        Whether `sim.search` may play the game; a game that lists no tier of its own for it is given one.
    groups
        What only some games have, at most one of each kind (`sim.facts`).
    """

    name: str
    title: str
    seats: tuple[int, ...]
    default_seats: int
    sides: tuple[Side, ...]
    side_word: str
    fields: tuple[Field, ...]
    abilities: tuple[Ability, ...]
    readings: tuple[Reading, ...]
    decisions: tuple[Decision, ...]
    tiers: tuple[Tier, ...]
    engine: Callable[[], Engine]
    rulebook: Callable[[], Callable[..., Rulebook]]
    margins: Callable[[int], Mapping[str, float]]
    games: int
    folder: Path
    tables: tuple[TableSpec, ...] = ()
    check: Callable[[Variant, int], str | None] = lambda variant, seats: None
    warn: Callable[[Variant, int], str | None] = lambda variant, seats: None
    has_ability: Callable[[Variant, str], bool] | None = None
    seconds_per_turn: float = 20.0
    sources: tuple[str, ...] = ()
    glossary: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    look_ahead: bool = True
    groups: tuple[Group, ...] = ()

    def __post_init__(self) -> None:
        if len({type(group) for group in self.groups}) < len(self.groups):
            raise ValueError(f"{self.name} gives two groups of one kind; give each at most once")
        if self.look_ahead and all(tier.policy != engine.EXPERT for tier in self.tiers):
            object.__setattr__(self, "tiers", (*self.tiers, EXPERT))

    def group(self, kind: type[G]) -> G:
        """Return the game's group of a kind; one with nothing in it where the game gives none."""
        return next((made for made in self.groups if isinstance(made, kind)), None) or kind()

    @property
    def default(self) -> Variant:
        """The variant with every field at its default."""
        return default_variant(self.name, self.fields)

    @property
    def variant_names(self) -> tuple[str, ...]:
        """Names of the variants that ship with the game."""
        return ("default", *sorted(p.stem for p in (self.folder / "variants").glob("*.toml") if p.stem != "default"))

    def abilities_in(self, variant: Variant) -> tuple[Ability, ...]:
        """Return the abilities that are in the game as a variant sets it."""
        return tuple(a for a in self.abilities if self.has_ability is None or self.has_ability(variant, a.key))

    def sides_in(self, variant: Variant) -> tuple[Side, ...]:
        """Return the sides that there are as a variant sets the game."""
        own = self.group(OwnSides).of
        return self.sides if own is None else own(variant)

    def classes_in(self, variant: Variant) -> Sequence[str]:
        """Return for each side the name of the class of sides that have the same rules in a variant."""
        of = self.group(Classes).of
        return [side.name for side in self.sides_in(variant)] if of is None else of(variant)

    def read_sides(self, variant: Variant, names: Sequence[str]) -> tuple[Variant, tuple[str, ...]]:
        """Return the variant with the sides of the files among `names`, and the names with those sides' own."""
        read, made = self.group(OwnSides).read, []
        for name in names:
            if name.strip().casefold().endswith(".toml"):
                if read is None:
                    known = ", ".join(side.name for side in self.sides)
                    raise UsageError(
                        f"{self.title} reads no {self.side_word} from a file such as {name!r}; name: {known}."
                    )
                variant, name = read(variant, Path(name.strip()))
            made.append(name)
        return variant, tuple(made)

    def cards_in(self, variant: Variant) -> tuple[Ability, ...]:
        """Return the cards whose text can be switched off, with those that the variant's own sides bring."""
        cards = self.group(Cards)
        return (*cards.all, *cards.own(variant))

    def off_keys(self, variant: Variant, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the keys of abilities and cards with all that they contain, each once, in the game's order."""
        known = {a.key: a for a in (*self.abilities, *self.cards_in(variant))}
        off = set()
        for key in keys:
            if key not in known:
                raise UsageError(nearest(key, known, f"ability of {self.title}"))
            off.add(key)
        while more := {a.key for a in self.abilities if a.parent in off} - off:
            off |= more
        return tuple(key for key in known if key in off)

    def ability_mask(self, keys: Sequence[str]) -> int:
        """Return the bit mask of abilities and of all that they contain; a bit is the place in `abilities`."""
        off = self.off_keys(self.default, keys)
        return sum(1 << i for i, a in enumerate(self.abilities) if a.key in off)

    def off_mask(self, variant: Variant, side: int, keys: Sequence[str]) -> int:
        """Return the bit mask of an entrant: abilities, then the cards that its side has; other cards are nothing."""
        first, off = len(self.abilities), set(keys)
        mask = sum(1 << i for i, a in enumerate(self.abilities) if a.key in off)
        cards = self.group(Cards).of(variant, side)
        return mask | sum(1 << (first + i) for i, key in enumerate(cards) if key in off)

    def tier(self, name: str) -> Tier:
        """Return a tier by name (``expert:300`` is `expert` with a budget)."""
        word, colon, number = name.partition(":")
        for tier in self.tiers:
            if tier.name == word and tier.policy == engine.EXPERT:
                # The search reads its budget from the weights; its playouts have weights of their own.
                return replace(tier, name=name, weights=(float(_budget(number) if colon else BUDGET), 0.0))
            if tier.name == word and not colon:
                return tier
        raise UsageError(nearest(name, [t.name for t in self.tiers], f"policy of {self.title}"))

    def variant(self, source: str | None = None, settings: Sequence[str] = ()) -> Variant:
        """Return a variant by shipped name or TOML path, changed by ``KEY=VALUE`` settings."""
        made = self.default
        if source not in (None, "", "default"):
            path = self._variant_path(str(source))
            made = read_variant(made, self.fields, path)
        return set_fields(made, self.fields, settings)

    def _variant_path(self, source: str) -> Path:
        shipped = self.folder / "variants" / f"{source}.toml"
        if source in self.variant_names and shipped.exists():
            return shipped
        path = Path(source)
        if path.suffix == ".toml" or path.exists():
            return path
        raise UsageError(nearest(source, self.variant_names, "variant"))

    def check_variant(self, variant: Variant, seats: int) -> None:
        """Raise UsageError where the game cannot be played so."""
        if seats not in self.seats:
            span = f"{self.seats[0]} to {self.seats[-1]}" if len(self.seats) > 1 else f"exactly {self.seats[0]}"
            raise UsageError(f"{self.title} is played by {span} players, not by {seats}.")
        if (sentence := self.check(variant, seats)) is not None:
            raise UsageError(sentence)


def _budget(word: str) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= MAX_BUDGET:
        raise UsageError(f"A budget is a number of iterations from 1 to {MAX_BUDGET}, not {word!r}.")
    return int(word)


REGISTRY: dict[str, str] = {
    "celestial-ranks": "sim.games.celestial_ranks:GAME",
    "fox-in-the-forest": "sim.games.fox_in_the_forest:GAME",
    "alakablast": "sim.games.alakablast:GAME",
    "elestrals": "sim.games.elestrals:GAME",
}


@cache
def _plugins() -> dict[str, str]:
    return {e.name: e.value for e in metadata.entry_points(group="evenhand.games")}


_ADDED: dict[str, Game] = {}


def add(game: Game) -> None:
    """Make a game known by its name in this process only; a name of the registry is not taken away."""
    if game.name in (*REGISTRY, *_plugins()):
        if load(game.name) is not game:
            raise UsageError(f"There is a game {game.name!r} already; give yours another name.")
        return
    _ADDED[game.name] = game


def games() -> tuple[str, ...]:
    """Return the names of all games that are there, plug-ins of other packages included."""
    return (*REGISTRY, *(name for name in _plugins() if name not in REGISTRY))


def load(name: str) -> Game:
    """Return a game by name, or by the ``module:attribute`` where it is defined; nothing is compiled yet."""
    return _ADDED[name] if name in _ADDED else _load(name)


@cache
def _load(name: str) -> Game:
    places = {**_plugins(), **REGISTRY}
    place = name if ":" in name else places.get(name)
    if place is None:
        raise UsageError(nearest(name, games(), "game"))
    module, _, attribute = place.partition(":")
    try:
        game = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        if place == name:
            raise UsageError(f"The game {name!r} cannot be loaded: {error}.") from error
        raise
    if not isinstance(game, Game):
        raise TypeError(f"{place} is not a sim.game.Game")
    return game


_ENGINES: dict[str, tuple[Game, Engine]] = {}


def load_engine(game: str | Game) -> Engine:
    """Return a game's fast path with its kernels registered; first use compiles them."""
    facts = load(game) if isinstance(game, str) else game
    held = _ENGINES.get(facts.name)
    if held is None or held[0] is not facts:
        made = facts.engine()
        engine.register(made.tag, dict(made.kernels))
        _ENGINES[facts.name] = held = (facts, made)
    return held[1]


def tag_of(name: str, module: str) -> str:
    """Return the tag field of a game's record types: changed by every change of the code behind its kernels.

    Parameters
    ----------
    name
        The game.
    module
        ``__name__`` of the module that asks; the others are found from the imports (`sim.sources.game_modules`).
    """
    return f"{engine.TAG_PREFIX}{name.replace('-', '_')}_{hash_modules(game_modules(module))}"


def chance_of(seed: int, game: str, deal: int) -> Chance:
    """Return the chance of a deal for a rulebook."""
    return Chance.of(seed, game, deal)
