"""Run the full-size checks of this package: all of them, or ``NAME [ARGUMENTS]``; stop at the first that fails."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence

import tests.check


def names() -> list[str]:
    """Return the names of all checks."""
    return sorted(m.name for m in pkgutil.iter_modules(tests.check.__path__) if not m.name.startswith("_"))


def main(arguments: Sequence[str]) -> int:
    """Return 0 when all checks pass."""
    if arguments and arguments[0] not in names():
        print(f"There is no check {arguments[0]!r}; there are {', '.join(names())}.", file=sys.stderr)
        return 2
    for name in arguments[:1] or names():
        print(f"== tests.check.{name}", flush=True)
        code = importlib.import_module(f"tests.check.{name}").main(list(arguments[1:]))
        if code:
            return int(code)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
