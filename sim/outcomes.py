"""What is kept of a run: the columns of its tables, parts of them as arrays, as parquet bytes, and as DataFrames.

``games`` has a row per game and seat, ``rounds`` a row per game, round and seat. Arms, sides, policies and ends are
stored as dictionary columns; in the arrays they are numbers, the same as in `names`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sim.engine import ENDS, WHOLE
from sim.experiment import Batch, Plan

Array = npt.NDArray[Any]
TABLES = ("games", "rounds")
MUST = ("share", "points", "rounds", "turns", "end", "lead_changes")
_KEYS = (
    ("arm", "u2"), ("deal", "i8"), ("seating", "u1"), ("game", "i8"), ("seat", "u1"), ("entrant", "u1"), ("side", "u1"),
    ("policy", "u1"), ("packet", "u1"),
)  # fmt: skip
_ROUND_KEYS = (
    ("arm", "u2"), ("deal", "i8"), ("seating", "u1"), ("game", "i8"), ("round", "u2"), ("seat", "u1"), ("side", "u1"),
    ("entrant", "u1"), ("policy", "u1"),
)  # fmt: skip
_NAMED = {"arm": "u2", "side": "u1", "policy": "u1", "end": "u1"}
_COUNTED_UP = ("deal", "game")  # rise along the rows: stored as differences


@dataclass(frozen=True)
class Part:
    """A fixed range of super-blocks, played.

    Parameters
    ----------
    index
        Number of the part.
    first, superblocks
        Its first super-block, and how many.
    games
        Records of shape (games, seats), in the order of the plan; the columns of the table `games`.
    rounds
        Records of shape (rounds, seats); rounds count from 1.
    """

    index: int
    first: int
    superblocks: int
    games: Array
    rounds: Array

    def table(self, name: str) -> Array:
        """Return `games` or `rounds`."""
        return self.games if name == "games" else self.rounds


def names_of(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return what the numbers in the dictionary columns stand for."""
    return {"arm": plan.arm_names, "side": plan.side_names, "policy": plan.tier_names, "end": ENDS}


def games_type(game_row: np.dtype[Any]) -> np.dtype[Any]:
    """Return the record type of `Part.games`; the game row of every game has at least the columns `MUST`."""
    own = _scalars(game_row, [name for name, _ in _KEYS], "game_row")
    missing = [name for name in MUST if name not in own]
    if missing:
        raise TypeError(f"game_row lacks {', '.join(missing)}")
    if own["share"] != np.dtype("u2") or own["end"].kind != "u":
        raise TypeError("game_row: share must be u2, in 27,720ths, and end u1")
    rest = [(name, own[name]) for name in own if name not in MUST]
    return np.dtype([*_KEYS, *((name, own[name] if name != "end" else np.dtype("u1")) for name in MUST), *rest])


def rounds_type(round_row: np.dtype[Any]) -> np.dtype[Any]:
    """Return the record type of `Part.rounds`."""
    own = _scalars(round_row, [name for name, _ in _ROUND_KEYS], "round_row")
    return np.dtype([*_ROUND_KEYS, *own.items()])


def _scalars(row: np.dtype[Any], taken: Sequence[str], what: str) -> dict[str, np.dtype[Any]]:
    made = {}
    for name in row.names or ():
        kind = row.fields[name][0]  # type: ignore[index]
        if name in taken:
            raise TypeError(f"{what}: the column {name!r} is written by the run itself; leave it out")
        if kind.shape or kind.kind not in "iuf":
            raise TypeError(f"{what}: the column {name!r} must be one number, not {kind}")
        made[name] = kind
    return made


def assemble(plan: Plan, index: int, batch: Batch, game_rows: Array, round_rows: Array, round_game: Array) -> Part:
    """Return a part from what the kernels wrote.

    Parameters
    ----------
    plan, index
        The plan and the number of the part.
    batch
        Its games.
    game_rows, round_rows
        Records of shape (games, seats) and (rounds, seats).
    round_game
        int64 of shape (rounds,): the place of the game in the batch, rising.
    """
    games = np.zeros(game_rows.shape, games_type(game_rows.dtype))
    seats = batch.seats
    common = {
        "arm": batch.games["arm"][:, None],
        "deal": batch.deal[:, None],
        "seating": batch.seating[:, None],
        "game": batch.number[:, None],
        "seat": np.arange(plan.seats),
        "entrant": seats["entrant"],
        "side": seats["side"],
        "policy": plan.tier_table[batch.games["arm"][:, None], seats["entrant"]],
        "packet": seats["packet"],
    }
    for name, values in common.items():
        games[name] = values
    for name in game_rows.dtype.names or ():
        games[name] = game_rows[name]
    rounds = np.zeros(round_rows.shape, rounds_type(round_rows.dtype))
    for name, _ in _ROUND_KEYS:
        if name != "round":
            rounds[name] = games[name][round_game]
    started = np.searchsorted(round_game, round_game)
    rounds["round"] = (np.arange(len(round_game)) - started + 1)[:, None]
    for name in round_rows.dtype.names or ():
        rounds[name] = round_rows[name]
    first, stop = plan.part_range(index)
    return Part(index, first, stop - first, games, rounds)


def wrong_share(part: Part) -> int | None:
    """Return the number of the first game whose shares do not sum to 1, if there is one."""
    sums = part.games["share"].astype(np.int64).sum(axis=1)
    wrong = np.flatnonzero(sums != WHOLE)
    return int(part.games["game"][wrong[0], 0]) if len(wrong) else None


def to_table(rows: Array, names: Mapping[str, Sequence[str]]) -> pa.Table:
    """Return records as an arrow table, a row per record."""
    flat = rows.reshape(-1)
    columns = {}
    for name in flat.dtype.names or ():
        values = pa.array(np.ascontiguousarray(flat[name]))
        if name in _NAMED:
            index = values.cast(pa.int16() if name == "arm" else pa.uint8())
            values = pa.DictionaryArray.from_arrays(index, pa.array(list(names[name]), pa.string()))
        columns[name] = values
    return pa.table(columns)


def to_bytes(rows: Array, names: Mapping[str, Sequence[str]]) -> bytes:
    """Return the parquet file of some records: the same bytes for the same records."""
    table = to_table(rows, names)
    repeated = [name for name in table.column_names if name not in _COUNTED_UP]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=3,
        use_dictionary=repeated,
        column_encoding=dict.fromkeys(_COUNTED_UP, "DELTA_BINARY_PACKED"),
        write_statistics=False,
        row_group_size=1 << 20,
    )
    return bytes(sink.getvalue().to_pybytes())


def digest(data: bytes) -> str:
    """Return the sha256 of a file's bytes as hex digits."""
    return hashlib.sha256(data).hexdigest()


def from_bytes(data: bytes, names: Mapping[str, Sequence[str]], seats: int) -> Array:
    """Return the records of a parquet file, shape (games or rounds, seats): what `to_bytes` was given."""
    table = _read(pa.BufferReader(data))
    kinds = [(name, _kind(table.schema.field(name))) for name in table.column_names]
    rows = np.zeros(table.num_rows, np.dtype(kinds))
    for name, _ in kinds:
        column = table.column(name).combine_chunks()
        rows[name] = _codes(column, names[name]) if name in _NAMED else column.to_numpy(zero_copy_only=False)
    return rows.reshape(-1, seats)


def _read(source: Any) -> pa.Table:
    """Read a part in this thread: threads of Arrow's own that just begin can abort a process that just ends."""
    with pq.ParquetFile(source) as file:
        return file.read(use_threads=False)


def _kind(field: pa.Field) -> np.dtype[Any]:
    return np.dtype(_NAMED[field.name] if field.name in _NAMED else field.type.to_pandas_dtype())


def _codes(column: Any, names: Sequence[str]) -> Array:
    array = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    place = {name: i for i, name in enumerate(names)}
    lookup = np.array([place[name] for name in array.dictionary.to_pylist()] or [0], np.int64)
    made: Array = lookup[array.indices.to_numpy(zero_copy_only=False)]
    return made


def frame(tables: Iterable[pa.Table], names: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return arrow tables as one DataFrame; named columns are categories in the order of the plan."""
    whole = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    made: pd.DataFrame = whole.to_pandas(split_blocks=True)
    for name in _NAMED:
        if name in made:
            made[name] = made[name].cat.set_categories(list(names[name]))
    return made


def read_frame(files: Sequence[Path], names: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the table that lies in some parquet files, in that order."""
    return frame((_read(path) for path in files), names)
