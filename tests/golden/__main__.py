"""Renew the golden playthroughs: `python -m tests.golden [GAME ...]`."""

import sys

from tests.golden import CASES, renew

for path in renew(sys.argv[1:] or CASES):
    print(f"changed: {path}")
