"""Run every benchmark of this package, one after the other."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import tests.benchmarks


def main(arguments: list[str]) -> int:
    """Run what has a `main` that takes arguments; `--quick` is passed on."""
    for module in sorted(m.name for m in pkgutil.iter_modules(tests.benchmarks.__path__) if m.name[0] != "_"):
        if module.endswith("_hands"):
            continue  # part of its game's benchmark
        print(f"== tests.benchmarks.{module}", flush=True)
        importlib.import_module(f"tests.benchmarks.{module}").main(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
