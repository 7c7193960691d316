"""Run every full-size check of this package, one after the other; stop at the first that fails."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import tests.check


def main() -> int:
    """Return 0 when all checks pass."""
    for module in sorted(m.name for m in pkgutil.iter_modules(tests.check.__path__) if not m.name.startswith("_")):
        print(f"== tests.check.{module}", flush=True)
        code = importlib.import_module(f"tests.check.{module}").main([])
        if code:
            return int(code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
