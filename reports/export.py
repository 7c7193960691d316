"""The tables of a run as CSV files, part by part: memory is flat at any number of games."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.files import csv_value

if TYPE_CHECKING:
    from sim.run import Run


def to_csv(run: Run, folder: str | Path) -> dict[Path, int]:
    """Write `games.csv` and `rounds.csv`; return how many rows each has.

    The columns are those of the parquet tables; names stand in words, and `share` is the fraction of the game that was
    won (the tables hold it in 27,720ths).

    Parameters
    ----------
    run
        A finished run.
    folder
        Where to; made if it is not there. A file is complete or not there.
    """
    from sim.outcomes import TABLES

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    paths = {table: place / f"{table}.csv" for table in TABLES}
    drafts = {table: path.with_name(f".{path.name}.{os.getpid()}.part") for table, path in paths.items()}
    try:
        rows = _write(run, drafts)
        for table, path in paths.items():
            os.replace(drafts[table], path)
    except BaseException:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
        raise
    return {path: rows[table] for table, path in paths.items()}


def _write(run: Run, drafts: dict[str, Path]) -> dict[str, int]:
    from contextlib import ExitStack

    from pyarrow import csv

    from sim.outcomes import names_of

    names = {key: [str(csv_value(word)) for word in words] for key, words in names_of(run.plan).items()}
    writers: dict[str, Any] = {}
    rows = dict.fromkeys(drafts, 0)
    with ExitStack() as stack:
        for part in run.parts():
            for table, draft in drafts.items():
                made = _arrow(part.table(table), names)
                if table not in writers:
                    writers[table] = stack.enter_context(csv.CSVWriter(str(draft), made.schema))
                writers[table].write_table(made)
                rows[table] += made.num_rows
    return rows


def _arrow(rows: Any, names: dict[str, list[str]]) -> Any:
    """Return records as an arrow table of plain numbers and words."""
    import pyarrow as pa

    from sim.engine import WHOLE
    from sim.outcomes import to_table

    table = to_table(rows, names)
    for i, column in enumerate(table.schema):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(i, column.name, table.column(i).cast(pa.string()))
        elif column.name == "share":
            table = table.set_column(i, "share", pa.array(table.column(i).to_numpy() / WHOLE))
    return table
