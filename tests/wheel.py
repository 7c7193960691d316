"""What a wheel and an sdist of this tree have to hold: `python -m tests.wheel FOLDER` builds both there and checks."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

from sim.version import VERSION

ROOT = Path(__file__).parents[1]
PACKAGES = ("sim", "analysis", "reports")
LEFT_OUT = (".md", ".png", ".pyc")  # how the weights were found, the README's picture
SOURCES = (
    "LICENSE",
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/commands.md",
    "pyproject.toml",
    "Makefile",
    "requirements.lock",
    "requirements-dev.lock",
)


def build(folder: Path, *targets: str) -> list[Path]:
    """Build the wheel and the sdist (or one of them) into a folder, with the installed build tool, and return them."""
    kinds = [word for target in targets for word in ("-t", target)]
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), *kinds]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))


def installed_files() -> set[str]:
    """Return the files of this tree that a wheel has to hold."""
    there = {path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()}
    kept = {path for path in there if path.suffix not in LEFT_OUT}
    return {path.relative_to(ROOT).as_posix() for path in kept} | {"cli.py"}


def complaints_of_wheel(path: Path) -> list[str]:
    """Return what is wrong with a wheel, a sentence each."""
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        info = f"evenhand-{VERSION}.dist-info"
        own = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
        wrong = [f"{name} is missing" for name in sorted((installed_files() | own) - names)]
        wrong += [f"{name} does not belong here" for name in sorted(names - installed_files() - own)]
        if wrong:
            return wrong
        meta = Parser().parsestr(wheel.read(f"{info}/METADATA").decode())
        points = wheel.read(f"{info}/entry_points.txt").decode()
    facts = {
        "the name": meta["Name"] == "evenhand",
        "the version": meta["Version"] == VERSION,
        "the licence": meta["License-Expression"] == "MIT" and meta["License-File"] == "LICENSE",
        "the readme": str(meta.get_payload()).strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip(),
        "the readme's type": meta["Description-Content-Type"] == "text/markdown",
        "the command": "evenhand = cli:main" in points,
    }
    return [f"{what} is wrong in the metadata" for what, right in facts.items() if not right]


def complaints_of_sdist(path: Path) -> list[str]:
    """Return what an sdist lacks, a sentence each."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tests = {p.relative_to(ROOT).as_posix() for p in (ROOT / "tests").rglob("*.py")}
    return [f"{name} is missing" for name in sorted((installed_files() | tests | set(SOURCES)) - names)]


def main(folder: Path) -> int:
    """Build and check; return the exit code."""
    wrong = 0
    for path in build(folder, "wheel", "sdist"):
        found = complaints_of_wheel(path) if path.suffix == ".whl" else complaints_of_sdist(path)
        print(f"{path}: {'; '.join(found) or 'complete'}")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
