"""Which tests run in one worker, and which of them first (`pytest -n 2 --dist loadgroup --no-loadscope-reorder`).

Compiling a game's helpers is most of what its tests cost, and each process does it anew. So tests that play the same
game are one group, whatever file they are in; all others are a group for each file. Long groups come first, so that the
short ones fill up what is left at the end.
"""

from pathlib import Path

import pytest

from sim.game import REGISTRY

HERE = Path(__file__).parent
FIRST = (
    "elestrals", "celestial-ranks", "checked-elestrals", "fox-in-the-forest", "alakablast", "checked-celestial-ranks",
    "sim/test_run.py", "sim/test_search.py",
)  # fmt: skip
PLAYS = {
    "analysis/test_drama.py": "celestial-ranks",
    "analysis/test_play.py": "fox-in-the-forest",
    "analysis/test_skill.py": "fox-in-the-forest",
    "reports/test_export.py": "celestial-ranks",
    "reports/test_stories.py": "celestial-ranks",
    "test_cli.py": "celestial-ranks",
    "test_examples.py": "celestial-ranks",
    "test_notebooks.py": "celestial-ranks",
}


def group_of(item: pytest.Item) -> str:
    """Return the group of a test: the game that it is asked for, that its file is named after or plays; or its file."""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    file = item.path.relative_to(HERE).as_posix()
    if file == "sim/test_slice_modes.py":  # each has a process of its own
        return f"{params['mode']}-{params['slice_of']}"
    games = [value for value in params.values() if isinstance(value, str) and value in REGISTRY]
    word = item.path.stem.split("_")[1]
    named = [name for name in REGISTRY if file.startswith("games/") and name.split("-")[0] == word]
    return (games or named or [PLAYS.get(file, file)])[0]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name the groups and put the long ones first."""
    place = {name: i for i, name in enumerate(FIRST)}
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item)))
    items.sort(key=lambda item: place.get(group_of(item), len(FIRST)))
