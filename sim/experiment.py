"""What is played: entrants, balanced seatings, blocks, super-blocks and arms, resolved into a plan of numbered games.

The games of a plan are numbered from 0 in deal-major order: super-block, deal, arm, seating. A super-block is the same
table of games every time (`Layout`) shifted by some deals, so that any range of games becomes arrays without a loop.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import rng
from sim.engine import GAME, SEAT
from sim.errors import UsageError, nearest
from sim.facts import SEATINGS, Seating, Tier
from sim.game import Game, add, load
from sim.identity import digest_of, rules_digest, search_digest, source_of
from sim.variant import Value, Variant

Array = npt.NDArray[Any]
FORMAT = 3  # of plans and run folders
PART_GAMES = 10_000
MAX_SEED = 2**64 - 1
MAX_GAMES = 10**15
DRAW_INDEX = 1  # index of the SETUP stream from which a random seating is drawn; 0 is left to the games

# Rows of the orthogonal squares of order four: multiplication by 2 in the field of four elements.
_TWICE = (0, 2, 3, 1)


@dataclass(frozen=True)
class Entrant:
    """What is seated: a side, a policy with its weights, the abilities switched off for it (a bit mask)."""

    side: int
    tier: str
    policy: int
    weights: tuple[float, ...]
    off: int


@dataclass(frozen=True)
class Change:
    """How an arm differs from the baseline; everything that is not named stays as it is.

    Parameters
    ----------
    name
        The arm's name in tables.
    variant
        Another variant, for all.
    without
        Keys of abilities that are switched off.
    policy
        Another tier (a name, or a `Tier` with weights of its own).
    who
        ``"one"``: `without` and `policy` hold for entrant 0 only; ``"all"``: for every entrant.
    sides
        {side: the side that takes its place}.
    note
        A sentence for the reader.
    """

    name: str
    variant: Variant | None = None
    without: tuple[str, ...] = ()
    policy: str | Tier | None = None
    who: str = "all"
    sides: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Arm:
    """One thing under comparison, resolved.

    Parameters
    ----------
    name, note
        For tables and readers.
    variant
        The rules of all its games.
    tiers, off
        The policy and the keys of switched-off abilities of each entrant position.
    sides
        (side, the side that takes its place) pairs.
    """

    name: str
    variant: Variant
    tiers: tuple[Tier, ...]
    off: tuple[tuple[str, ...], ...]
    sides: tuple[tuple[int, int], ...] = ()
    note: str = ""

    def entrants(self, game: Game, combo: Sequence[int]) -> tuple[Entrant, ...]:
        """Return the entrants when the positions hold the sides of `combo`."""
        instead = dict(self.sides)
        seated = [instead.get(side, side) for side in combo]
        return tuple(
            Entrant(side, tier.name, tier.policy, tuple(tier.weights), game.off_mask(self.variant, side, off))
            for side, tier, off in zip(seated, self.tiers, self.off, strict=True)
        )

    @property
    def singles_out(self) -> bool:
        """Whether the positions differ in something else than their side."""
        return len({(t.name, t.policy, t.weights, off) for t, off in zip(self.tiers, self.off, strict=True)}) > 1


@dataclass(frozen=True)
class Layout:
    """The games of one super-block.

    Parameters
    ----------
    deal, arm, seating
        int64 of shape (games,): the deal counted from the first of the super-block, the arm, the seating in its block.
    seats
        SEAT records of shape (games, seats).
    """

    deal: Array
    arm: Array
    seating: Array
    seats: Array


@dataclass(frozen=True)
class Batch:
    """A range of games, ready to be played.

    Parameters
    ----------
    number, deal, seating
        int64 of shape (games,).
    games, seats
        GAME records of shape (games,) and SEAT records of shape (games, seats).
    """

    number: Array
    deal: Array
    seating: Array
    games: Array
    seats: Array


@dataclass(frozen=True)
class Plan:
    """Everything that fixes the bytes of a run, and how many super-blocks of it are wanted.

    Parameters
    ----------
    game, seats
        The game, the number of players.
    place
        What `sim.game.load` takes to find the game again in another process.
    arms
        The arms; the first is the baseline.
    combos
        The sides of entrant positions 0, 1, ..., one tuple for each deal of a super-block.
    side_names
        Names of all sides of the game.
    seed
        Any integer from 0 to 2**64 - 1.
    draw
        ``"balanced"`` seatings, or ``"random"``: one random seating of randomly drawn sides per deal.
    superblocks
        How many super-blocks are to be played; no part of the plan's identity.
    part_superblocks
        Super-blocks in a part.
    source
        Hashes of the kernels that play it.
    rules
        A hash of each arm's rules record, cards and decks included.
    search
        A hash of what the look-ahead player plays on with; "" where nobody looks ahead.
    """

    game: str
    seats: int
    place: str
    arms: tuple[Arm, ...]
    combos: tuple[tuple[int, ...], ...]
    side_names: tuple[str, ...]
    seed: int
    draw: str
    superblocks: int
    part_superblocks: int
    source: tuple[tuple[str, str], ...]
    rules: tuple[str, ...]
    search: str = ""

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    @cached_property
    def layout(self) -> Layout:
        """The games of one super-block."""
        rows = list(self._layout_rows())
        made = np.zeros((len(rows), self.seats), SEAT)
        for g, (_, arm, combo, _, (entrants, packets)) in enumerate(rows):
            made[g] = self._entrant_table[arm, combo][list(entrants)]
            made["packet"][g] = packets
        deal, arm, _, seating = np.array([row[:4] for row in rows], np.int64).T
        return Layout(deal.copy(), arm.copy(), seating.copy(), made)

    def _layout_rows(self) -> Iterator[tuple[int, int, int, int, tuple[Sequence[int], Sequence[int]]]]:
        places = tuple(range(self.seats))
        for combo in range(1 if self.draw == "random" else len(self.combos)):
            table = ((places, places),) if self.draw == "random" else seatings(self.seats, self._same(combo))
            for arm in range(len(self.arms)):
                for seating, places_of in enumerate(table):
                    yield combo, arm, combo, seating, places_of

    def _same(self, combo: int) -> bool:
        game = load(self.place)
        return all(len(set(arm.entrants(game, self.combos[combo]))) == 1 for arm in self.arms)

    @cached_property
    def _entrant_table(self) -> Array:
        """SEAT records of shape (arms, combos, positions), without packets."""
        row_of = {weights: i for i, weights in enumerate(self._weight_rows)}
        tier_of = {name: i for i, name in enumerate(self.tier_names)}
        made = np.zeros((len(self.arms), len(self.combos), self.seats), SEAT)
        game = load(self.place)
        for a, arm in enumerate(self.arms):
            for c, combo in enumerate(self.combos):
                for position, e in enumerate(arm.entrants(game, combo)):
                    made[a, c, position] = (e.off, row_of[e.weights], e.side, position, 0, e.policy)
        assert len(tier_of) <= 255
        return made

    @property
    def _weight_rows(self) -> list[tuple[float, ...]]:
        return list(dict.fromkeys(tuple(tier.weights) for arm in self.arms for tier in arm.tiers))

    @cached_property
    def weights(self) -> Array:
        """float64 of shape (weight vectors, numbers), short vectors filled with 0."""
        rows = self._weight_rows
        made = np.zeros((len(rows), max(1, *map(len, rows)) if len(rows) > 1 else max(1, len(rows[0]))))
        for row, weights in zip(made, rows, strict=True):
            row[: len(weights)] = weights
        return made

    @cached_property
    def tier_names(self) -> tuple[str, ...]:
        """Names of the policies in the plan, in the order of the column `policy`."""
        return tuple(dict.fromkeys(tier.name for arm in self.arms for tier in arm.tiers))

    @cached_property
    def tier_table(self) -> Array:
        """int64 of shape (arms, positions): index into `tier_names`."""
        return np.array([[self.tier_names.index(tier.name) for tier in arm.tiers] for arm in self.arms])

    @property
    def arm_names(self) -> tuple[str, ...]:
        """Names of the arms, in order."""
        return tuple(arm.name for arm in self.arms)

    @property
    def variant(self) -> Variant:
        """The baseline's variant."""
        return self.arms[0].variant

    @property
    def sides(self) -> tuple[int, ...]:
        """The sides that take part, ascending."""
        return tuple(sorted({side for combo in self.combos for side in combo}))

    @property
    def superblock_games(self) -> int:
        """Games in a super-block, over all arms."""
        return len(self.layout.deal)

    @property
    def superblock_deals(self) -> int:
        """Deals in a super-block."""
        return 1 if self.draw == "random" else len(self.combos)

    @property
    def games_per_arm(self) -> int:
        """Games of each arm in the whole plan."""
        return self.superblocks * self.superblock_games // len(self.arms)

    @property
    def total_games(self) -> int:
        """Games in the whole plan, over all arms."""
        return self.superblocks * self.superblock_games

    @property
    def n_parts(self) -> int:
        """Number of parts; the last one may be shorter."""
        return -(-self.superblocks // self.part_superblocks)

    def part_range(self, index: int) -> tuple[int, int]:
        """Return the first super-block of part `index` and the first after it."""
        first = index * self.part_superblocks
        return first, min(first + self.part_superblocks, self.superblocks)

    def with_superblocks(self, superblocks: int) -> Plan:
        """Return the same plan with another length."""
        return replace(self, superblocks=superblocks)

    def expand(self, first: int, stop: int) -> Batch:
        """Return the games numbered `first` to `stop` - 1."""
        return self.batch(np.arange(first, stop, dtype=np.int64))

    def batch(self, number: Array) -> Batch:
        """Return the games with these numbers, int64 of shape (games,)."""
        block, row = np.divmod(number, self.superblock_games)
        deal = block * self.superblock_deals + self.layout.deal[row]
        games = np.zeros(len(number), GAME)
        games["key"] = deal_keys(rng.root_key(self.seed, self.game), deal)
        games["arm"] = self.layout.arm[row]
        seats = self._draw(games) if self.draw == "random" else self.layout.seats[row]
        return Batch(number, deal, self.layout.seating[row], games, seats)

    def _draw(self, games: Array) -> Array:
        """Return one random seating of randomly drawn sides for every deal."""
        key = _streams(games["key"], rng.SETUP, DRAW_INDEX)
        combo = _below(key, 0, len(self.combos))
        order = np.tile(np.arange(self.seats), (len(games), 1))
        each = np.arange(len(games))
        for i in range(self.seats - 1):
            j = i + _below(key, 1 + i, self.seats - i)
            order[each, i], order[each, j] = order[each, j], order[each, i]
        seats = self._entrant_table[games["arm"][:, None], combo[:, None], order]
        seats["packet"] = np.arange(self.seats)
        made: Array = seats
        return made

    @cached_property
    def identity(self) -> dict[str, Any]:
        """All that determines the bytes of the tables, as JSON values."""
        return {
            "format": FORMAT,
            "game": self.game,
            "seats": self.seats,
            "seed": str(self.seed),
            "draw": self.draw,
            "sides": [list(combo) for combo in self.combos],
            "side_names": list(self.side_names),
            "part_superblocks": self.part_superblocks,
            "source": dict(self.source),
            "weights": [list(row) for row in self._weight_rows],
            "search": self.search,
            "entrants": digest_of(self._entrant_table.tobytes()),
            "arms": {arm.name: self._arm_json(arm, rules) for arm, rules in zip(self.arms, self.rules, strict=True)},
        }

    def _arm_json(self, arm: Arm, rules: str) -> dict[str, Any]:
        """Return an arm as JSON values: weights by number, and what of the variant is not as in the first arm."""
        known = {} if arm is self.arms[0] else self.variant.values
        values: dict[str, Value | list[Any]] = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in sorted(arm.variant.values.items())
            if key not in known or known[key] != value
        }
        row_of = {weights: i for i, weights in enumerate(self._weight_rows)}
        policies = [{"name": t.name, "policy": t.policy, "weights": row_of[tuple(t.weights)]} for t in arm.tiers]
        off = [list(keys) for keys in arm.off]
        sides = [list(pair) for pair in arm.sides]
        return {"variant": values, "policies": policies, "off": off, "sides": sides, "rules": rules}

    @cached_property
    def hash(self) -> str:
        """Ten hex digits over the identity: the same for every number of games."""
        text = json.dumps(self.identity, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    @property
    def folder_name(self) -> str:
        """The usual name of its run folder: GAME-VARIANT-HASH."""
        slug = re.sub(r"[^A-Za-z0-9]+", "-", self.variant.name).strip("-")[:40].strip("-") or "variant"
        return f"{self.game}-{slug}-{self.hash}"

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values; `from_json` makes it again."""
        names = {arm.name: {"variant": arm.variant.name, "note": arm.note, "criteria": dict(arm.variant.criteria)}
                 for arm in self.arms}  # fmt: skip
        return {**self.identity, "superblocks": self.superblocks, "place": self.place, "titles": names}

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> Plan:
        """Return the plan that `to_json` wrote."""
        arms: list[Arm] = []
        rows = [tuple(row) for row in made["weights"]]
        for name, arm in made["arms"].items():
            title = made["titles"][name]
            stored = {k: tuple(v) if isinstance(v, list) else v for k, v in arm["variant"].items()}
            # JSON has them sorted; the order of the fields is part of some rules (which element is the first).
            whole = {**(arms[0].variant.values if arms else {}), **stored}
            values = {k: whole[k] for k in load(made["place"]).default.values if k in whole} | whole
            arms.append(
                Arm(
                    name,
                    Variant(made["game"], title["variant"], values, title["criteria"]),
                    tuple(Tier(t["name"], t["policy"], "", rows[t["weights"]]) for t in arm["policies"]),
                    tuple(tuple(keys) for keys in arm["off"]),
                    tuple((a, b) for a, b in arm["sides"]),
                    title["note"],
                )
            )
        return cls(
            made["game"], made["seats"], made["place"], tuple(arms),
            tuple(tuple(combo) for combo in made["sides"]), tuple(made["side_names"]), int(made["seed"]), made["draw"],
            made["superblocks"], made["part_superblocks"], tuple(sorted(made["source"].items())),
            tuple(arm["rules"] for arm in made["arms"].values()), made["search"],
        )  # fmt: skip


def deal_keys(root: int, deals: Array) -> Array:
    """Return the keys of many deals at once: `rng.deal_key` for arrays."""
    with np.errstate(over="ignore"):
        inner = _mix(deals.astype(np.uint64) * rng.GAMMA + rng.DEAL_SALT)
        return _mix(np.uint64(root) ^ inner)


def _streams(keys: Array, purpose: int, index: int) -> Array:
    packed = np.uint64((purpose << 40) | index)
    with np.errstate(over="ignore"):
        return _mix(keys ^ _mix(np.array([packed]) * rng.GAMMA + rng.STREAM_SALT))


def _below(keys: Array, i: int, n: int) -> Array:
    with np.errstate(over="ignore"):
        word = _mix(keys + np.array([i + 1], np.uint64) * rng.GAMMA)
    return (((word >> rng.S32) * np.uint64(n)) >> rng.S32).astype(np.int64)


def _mix(z: Array) -> Array:
    z = (z ^ (z >> rng.S30)) * rng.M1
    z = (z ^ (z >> rng.S27)) * rng.M2
    made: Array = z ^ (z >> rng.S31)
    return made


def seatings(n: int, same: bool = False) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return the balanced seatings of a block: (entrant of each seat, packet of each seat), game by game.

    Parameters
    ----------
    n
        Seats, 1 to 5.
    same
        The two entrants are identical, so that exchanging them would play the same games again: two seatings, not four.
    """
    if n == 2:
        # Entrants that differ meet both packets in both seats. Identical ones need the packets in both seats only.
        order = ((0, 1), (1, 0))
        return tuple((a, b) for a in order for b in order if a == b or not same)
    if n == 4:
        return tuple(
            (tuple(s ^ r for s in range(4)), tuple(s ^ _TWICE[r] for s in range(4))) for r in range(4)
        )  # entrant s + r, packet s + 2r, in the field of four elements
    if n in (1, 3, 5):
        return tuple((tuple((s + r) % n for s in range(n)), tuple((s + 2 * r) % n for s in range(n))) for r in range(n))
    raise UsageError(f"Balanced seatings are made for 1 to 5 seats, not for {n}.")


def combinations_of(k: int, n: int, rotate: bool, mirrors: bool = False) -> tuple[tuple[int, ...], ...]:
    """Return which sides meet, deal after deal of a super-block.

    Parameters
    ----------
    k, n
        Number of sides, of seats.
    rotate
        Position 0 has to meet every side equally often, because an arm treats it differently.
    mirrors
        Two seats: each side also meets itself.
    """
    if k == 1:
        return ((0,) * n,)
    sets = list(itertools.combinations(range(k), n))
    if math.gcd(k, n) == 1:
        made = _cyclic(sets, k)
    elif rotate:
        made = [combo[i:] + combo[:i] for combo in sets for i in range(n)]
    else:
        made = sets
    return (*made, *((i, i) for i in range(k) if mirrors and n == 2))


def _cyclic(sets: list[tuple[int, ...]], k: int) -> list[tuple[int, ...]]:
    """Return all sets as whole orbits (i, i + d1, ...) mod k: each position then meets each side equally often."""
    made: list[tuple[int, ...]] = []
    seen: set[tuple[int, ...]] = set()
    for first in sets:
        if first not in seen:
            orbit = [tuple((i + x) % k for x in first) for i in range(k)]
            seen.update(tuple(sorted(combo)) for combo in orbit)
            made += orbit
    return made


def parse_seed(seed: int | str) -> int:
    """Return the seed as an integer; two texts that are accepted never mean the same seed."""
    text = str(seed)
    if isinstance(seed, bool) or not re.fullmatch(r"0|[1-9][0-9]*", text) or int(text) > MAX_SEED:
        raise UsageError(f"The seed {text!r} is not possible; it must be a whole number from 0 to {MAX_SEED}.")
    return int(text)


def make_plan(
    game: str | Game,
    *,
    games: int | None = None,
    seats: int | None = None,
    variant: Variant | None = None,
    sides: Sequence[str] | None = None,
    policies: Sequence[str | Tier] | str | Tier = "skilled",
    without: Sequence[str] = (),
    arms: Sequence[Change] = (),
    seed: int | str = 1,
    mirrors: bool = False,
    draw: str | None = None,
    focus: str | None = None,
    part_games: int = PART_GAMES,
) -> Plan:
    """Return the plan of a comparison; the baseline is its first arm.

    Parameters
    ----------
    game
        A name, ``"module:attribute"``, or a `Game`.
    games
        Games per arm, rounded up to whole super-blocks; None takes the game's own number.
    seats
        Number of players; None takes the usual one.
    variant
        The rules; None takes the default.
    sides
        Names of the sides that take part, or files where the game reads sides; ``"all"`` stands for all that the game
        has, and so does None. One name puts it in every seat.
    policies
        One tier for all, or one for each entrant position.
    without
        Abilities switched off for all, in every arm.
    arms
        How the further arms differ from the baseline.
    seed
        The seed.
    mirrors
        Two seats: each side also meets itself.
    draw
        One of `sim.game.SEATINGS`; None takes what the variant says.
    focus
        Two seats: the side that entrant position 0 always has, against each other one in turn; None: all pairs.
    part_games
        Size of a part in games, over all arms.
    """
    if isinstance(game, Game):
        add(game)
    facts = load(game) if isinstance(game, str) else game
    n = facts.default_seats if seats is None else seats
    rules, names = facts.read_sides(facts.default if variant is None else variant, sides or ())
    facts.check_variant(rules, n)
    draw = _draw_of(facts, rules, draw)
    known = [side.name for side in facts.sides_in(rules)]
    taking_part = _side_indices(facts, known, names if sides is not None else None, n)
    if draw == "mirror":
        taking_part = _one_side(facts, taking_part, named=sides is not None)
    base = Arm("baseline", rules, _positions(facts, policies, n), (facts.off_keys(rules, without),) * n)
    resolved = (base, *(_resolve(facts, base, change, n, sides or ()) for change in arms))
    _check_names(resolved)
    chosen = _combos(facts, known, taking_part, resolved, draw=draw, mirrors=mirrors, focus=focus)
    plan = Plan(
        game=facts.name,
        seats=n,
        place=game if isinstance(game, str) else facts.name,
        arms=resolved,
        combos=chosen,
        side_names=tuple(known),
        seed=parse_seed(seed),
        draw="random" if draw == "random" else "balanced",
        superblocks=1,
        part_superblocks=1,
        source=source_of(facts),
        rules=rules_of_arms(facts, resolved, n),
        search=search_digest(facts, [tier for arm in resolved for tier in arm.tiers]),
    )
    size = _superblocks(plan, facts.games if games is None else games)
    return replace(plan, superblocks=size, part_superblocks=max(1, round(part_games / plan.superblock_games)))


def _combos(
    facts: Game, known: list[str], taking_part: tuple[int, ...], arms: Sequence[Arm], *, draw: str, mirrors: bool,
    focus: str | None,
) -> tuple[tuple[int, ...], ...]:  # fmt: skip
    """Return the sides of entrant positions, one tuple for each deal of a super-block."""
    n = len(arms[0].tiers)
    if mirrors and n != 2:
        raise UsageError(f"A side meets itself with two players only, not with {n}.")
    if focus is not None:
        return _against_each(facts, known, taking_part, focus, n)
    if draw == "random":
        return tuple(itertools.permutations(taking_part, n)) if len(taking_part) > 1 else ((taking_part[0],) * n,)
    made = combinations_of(len(taking_part), n, any(arm.singles_out for arm in arms), mirrors)
    return tuple(tuple(taking_part[i] for i in combo) for combo in made)


def rules_of_arms(game: Game, arms: Sequence[Arm], seats: int) -> tuple[str, ...]:
    """Return the hash of each arm's rules; arms that share a variant share the work."""
    variants = {id(arm.variant): arm.variant for arm in arms}
    made = {key: rules_digest(game, variant, seats) for key, variant in variants.items()}
    return tuple(made[id(arm.variant)] for arm in arms)


def _superblocks(plan: Plan, games: int) -> int:
    if isinstance(games, bool) or not isinstance(games, int) or not 1 <= games <= MAX_GAMES:
        raise UsageError(f"{games!r} games cannot be played; it must be a whole number from 1 to {MAX_GAMES}.")
    return -(-games * len(plan.arms) // plan.superblock_games)


def _positions(game: Game, policies: Sequence[str | Tier] | str | Tier, n: int) -> tuple[Tier, ...]:
    named = [policies] if isinstance(policies, (str, Tier)) else list(policies)
    tiers = [tier if isinstance(tier, Tier) else _tier(game, tier) for tier in named]
    if len(tiers) not in (1, n):
        raise UsageError(f"{len(tiers)} policies are named for {n} seats; name one for all or {n}.")
    return tuple(tiers * n if len(tiers) == 1 else tiers)


def _tier(game: Game, name: str) -> Tier:
    return replace(game.tier(name), name=name)


def _draw_of(game: Game, variant: Variant, draw: str | None) -> str:
    """Return how sides are seated: as it is asked, else as the variant says."""
    draw = _seating(game, variant) if draw is None else draw
    if draw not in SEATINGS:
        raise UsageError(nearest(draw, SEATINGS, "draw"))
    return draw


def _seating(game: Game, variant: Variant) -> str:
    return game.group(Seating).of(variant)


def _one_side(game: Game, sides: tuple[int, ...], *, named: bool) -> tuple[int, ...]:
    """Return the one side that all seats have: the one that is named, else the game's first."""
    if named and len(sides) > 1:
        raise UsageError(f"All seats are to have the same {game.side_word}; name one, not {len(sides)}.")
    return sides[:1]


def _against_each(
    game: Game, names: list[str], sides: tuple[int, ...], focus: str, n: int
) -> tuple[tuple[int, ...], ...]:
    """Return one side against each other that takes part."""
    if n != 2:
        raise UsageError(f"A {game.side_word} meets each other one with two players only, not with {n}.")
    if focus not in names:
        raise UsageError(nearest(focus, names, game.side_word))
    one = names.index(focus)
    return tuple((one, other) for other in sides if other != one)


def _side_indices(game: Game, names: list[str], sides: Sequence[str] | None, n: int) -> tuple[int, ...]:
    folded = {name.casefold(): i for i, name in enumerate(names)}
    made: list[int] = []
    for name in names if sides is None else sides:
        word = name.strip().casefold()
        if word == "all" and word not in folded:
            made += [i for i in range(len(names)) if i not in made]
        elif word not in folded:
            raise UsageError(nearest(name, names, game.side_word))
        else:
            made.append(folded[word])
    for i in made:
        if made.count(i) > 1:
            raise UsageError(
                f"The {game.side_word} {names[i]!r} is named twice; name each once, or one alone for all seats."
            )
    if not made or 1 < len(made) < n:
        raise UsageError(
            f"{n} seats need at least {n} different {game.side_word}s, or one for all; {len(made)} are named."
        )
    return tuple(made)


def _resolve(game: Game, base: Arm, change: Change, n: int, named: Sequence[str]) -> Arm:
    if change.who not in ("one", "all"):
        raise UsageError(nearest(change.who, ("one", "all"), f"value of `who` in the arm {change.name!r}"))
    variant = base.variant
    if change.variant is not None:
        variant, _ = game.read_sides(change.variant, named)
        game.check_variant(variant, n)
        if game.sides_in(variant) != game.sides_in(base.variant):
            raise UsageError(f"The arm {change.name!r} has other {game.side_word}s; that is a run of its own.")
        if _seating(game, variant) != _seating(game, base.variant):
            raise UsageError(
                f"The arm {change.name!r} seats the {game.side_word}s in another way; that is a run of its own."
            )
    concerned = range(1 if change.who == "one" else n)
    tiers, off = list(base.tiers), list(base.off)
    for i in concerned:
        off[i] = game.off_keys(variant, (*off[i], *change.without))
        if change.policy is not None:
            tiers[i] = change.policy if isinstance(change.policy, Tier) else _tier(game, change.policy)
    index = {side.name: i for i, side in enumerate(game.sides_in(variant))}
    for name in (*change.sides, *change.sides.values()):
        if name not in index:
            raise UsageError(nearest(name, index, game.side_word))
    sides = tuple((index[a], index[b]) for a, b in change.sides.items())
    return Arm(change.name, variant, tuple(tiers), tuple(off), sides, change.note)


def _check_names(arms: Sequence[Arm]) -> None:
    names = [arm.name for arm in arms]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"Two arms are named {twice!r}; each needs a name of its own.")
