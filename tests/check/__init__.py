"""The sizes that take minutes: `python -m tests.check` runs all of them, `python -m tests.check.celestial` one."""
