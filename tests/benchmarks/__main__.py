"""Run every benchmark of this package, each in a process of its own, one after the other."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import tests.benchmarks

PARTS = ("bench_celestial_hands",)  # of another benchmark


def main() -> int:
    """Return 0 when all of them came to their end."""
    names = sorted(m.name for m in pkgutil.iter_modules(tests.benchmarks.__path__) if m.name.startswith("bench_"))
    failed = []
    for name in names:
        if name in PARTS:
            continue
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    print(f"{len(failed)} benchmarks failed{': ' + ', '.join(failed) if failed else ''}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
