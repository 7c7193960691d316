"""The run folder: its manifest and its parts, each whole under its final name or not there."""

from __future__ import annotations

import json
import os
import platform
import shutil
import time
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, cast

import numpy.typing as npt

from sim import outcomes
from sim.errors import RunError, UsageError
from sim.experiment import FORMAT, Plan
from sim.identity import differences, reasons
from sim.outcomes import TABLES, Part
from sim.version import VERSION

SAVE_SECONDS = 1.0  # the manifest is written at most so often; what a kill loses is played again
_LIBRARIES = ("numpy", "numba", "pandas", "pyarrow", "joblib")


def _write(path: Path, data: bytes) -> None:
    """Write a whole file or nothing under its final name."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise RunError(f"{path} cannot be written: {error.strerror or error}.") from error


def library_versions() -> dict[str, str]:
    """Return the versions of Python, Evenhand and the libraries whose bytes a run depends on."""
    made = {"python": platform.python_version(), "evenhand": VERSION}
    for name in _LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            made[name] = metadata.version(name)
    return made


class Folder:
    """A run folder: its manifest and its parts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest: dict[str, Any] = {}
        self.saved = 0.0

    def file(self, table: str, index: int) -> Path:
        """Return the path of a part."""
        return self.path / table / f"part-{index:05d}.parquet"

    def read(self) -> bool:
        """Read the manifest; return whether there is one."""
        path = self.path / "manifest.json"
        try:
            made = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return False
        except NotADirectoryError as error:
            raise RunError(f"{self.path} is a file, not a folder.") from error
        except (OSError, UnicodeDecodeError) as error:
            raise RunError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
        except json.JSONDecodeError as error:
            raise RunError(f"{path} is damaged; remove it to play the run again, or choose another folder.") from error
        if not isinstance(made, dict) or "plan" not in made or "parts" not in made:
            raise UsageError(f"{path} is not the manifest of a run; choose another folder.")
        if made.get("format") != FORMAT:
            raise UsageError(f"{path} has the format {made.get('format')!r}, this version reads {FORMAT}.")
        self.manifest = made
        return True

    def open(self, plan: Plan) -> Plan:
        """Make the folder ready for a plan; return the plan, longer if the folder already holds more of it."""
        found = self.read()
        why = set(self.manifest.get("why_sequential", ()))
        parts = {int(part["part"]): part for part in self.manifest.get("parts", ())}
        if found:
            self._check_same(plan)
            held = max((p["first"] + p["superblocks"] for p in parts.values()), default=0)
            # A run that reaches the size it was planned for is no worse for an interruption on the way.
            why.discard("interrupted")
            if 0 < held < plan.superblocks and plan.superblocks > self.manifest["plan"]["superblocks"]:
                why.add("extended")
            plan = plan.with_superblocks(max(plan.superblocks, held))
        self.manifest = {
            "format": FORMAT,
            "status": "running",
            "sequential": bool(why),
            "why_sequential": sorted(why),
            "hash": plan.hash,
            "seed": str(plan.seed),
            "plan": plan.to_json(),
            "games_per_arm": plan.games_per_arm,
            "versions": library_versions(),
            "parts": [parts[i] for i in sorted(parts) if i < plan.n_parts],
        }
        for old in self.path.glob("*/.*.tmp") if found else ():
            with suppress(OSError):
                old.unlink()
        self.save()
        return plan

    def _check_same(self, plan: Plan) -> None:
        theirs = {key: self.manifest["plan"].get(key) for key in plan.identity}
        why = reasons(differences(plan.identity, theirs))
        if why:
            shown = ", ".join(why[:6]) + (f" and {len(why) - 6} more" if len(why) > 6 else "")
            raise UsageError(f"{self.path} holds another plan; it differs in {shown}. Choose another folder.")

    def damage(self, entry: dict[str, Any]) -> str | None:
        """Return the sentence on what is wrong with a recorded part, or None."""
        for table in TABLES:
            path = self.file(table, entry["part"])
            try:
                data = path.read_bytes()
            except OSError as error:
                return f"{path} is missing or cannot be read: {error.strerror or error}."
            if outcomes.digest(data) != entry["sha256"][table]:
                return f"{path} is damaged."
        return None

    def load(self, plan: Plan, index: int, *, rounds: bool = True) -> Part:
        """Read a part back; without its rounds, these are empty."""
        first, stop = plan.part_range(index)
        made: list[npt.NDArray[Any]] = []
        for table in TABLES:
            if table == "rounds" and not rounds:
                made.append(made[0][:0])
                continue
            try:
                data = self.file(table, index).read_bytes()
                made.append(outcomes.from_bytes(data, outcomes.names_of(plan), plan.seats))
            except OSError as error:
                raise RunError(f"{self.file(table, index)} cannot be read: {error.strerror or error}.") from error
        return Part(index, first, stop - first, *made)

    def store(self, plan: Plan, part: Part) -> None:
        """Write a part and record it."""
        sums = {}
        for table in TABLES:
            data = outcomes.to_bytes(part.table(table), outcomes.names_of(plan))
            sums[table] = outcomes.digest(data)
            _write(self.file(table, part.index), data)
        entry = {
            "part": part.index, "first": part.first, "superblocks": part.superblocks,
            "games": len(part.games), "rounds": len(part.rounds), "sha256": sums,
        }  # fmt: skip
        kept = [p for p in self.manifest["parts"] if p["part"] != part.index]
        replaced = len(kept) != len(self.manifest["parts"])
        if not kept or kept[-1]["part"] < part.index:
            kept.append(entry)
        else:
            kept = sorted([*kept, entry], key=lambda p: cast(int, p["part"]))
        self.manifest["parts"] = kept
        if replaced or time.monotonic() - self.saved > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write the manifest."""
        text = json.dumps(self.manifest, indent=1, ensure_ascii=True)
        _write(self.path / "manifest.json", (text + "\n").encode())
        self.saved = time.monotonic()

    def finish(self, status: str, why: str = "") -> None:
        """Write how the run ended."""
        self.manifest["status"] = status
        if why:
            self.manifest["why_sequential"] = sorted({*self.manifest["why_sequential"], why})
            self.manifest["sequential"] = True
        self.save()

    def log(self, text: str) -> None:
        """Add a line to run.log, the only file with times and host names."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        try:
            with open(self.path / "run.log", "a", encoding="utf-8") as file:
                file.write(f"{stamp} {platform.node()} {text}\n")
        except OSError as error:
            raise RunError(f"{self.path / 'run.log'} cannot be written: {error.strerror or error}.") from error


def remove_run(out: str | Path) -> None:
    """Delete a run folder; a folder that is none stays."""
    folder = Folder(Path(out))
    if folder.read():
        shutil.rmtree(folder.path)
