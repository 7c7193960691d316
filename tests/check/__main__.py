"""Run every full-size check of this package, or the one that is named, with its own arguments: `fox 50000 --jobs 2`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import tests.check


def main() -> int:
    """Return 0 when all checks pass; the first that fails is the last."""
    modules = sorted(m.name for m in pkgutil.iter_modules(tests.check.__path__) if not m.name.startswith("_"))
    chosen, arguments = (sys.argv[1:2], sys.argv[2:]) if len(sys.argv) > 1 else (modules, [])
    if unknown := set(chosen) - set(modules):
        print(f"There is no check {unknown.pop()!r}; there are {', '.join(modules)}.", file=sys.stderr)
        return 2
    for module in chosen:
        print(f"== tests.check.{module}", flush=True)
        code = importlib.import_module(f"tests.check.{module}").main(arguments)
        if code:
            return int(code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
