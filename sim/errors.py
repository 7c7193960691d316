"""What a user can do wrong, and what goes wrong while playing: one sentence each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageError(ValueError):
    """Wrong use: the sentence names what is wrong, where, and what would be right. The command line exits with 2."""


class RunError(RuntimeError):
    """Something failed that is not the user's wording: a folder, a file, a worker. The command line exits with 1."""


class Interrupted(KeyboardInterrupt):
    """The user stopped a run; everything finished is on disk. The command line exits with 130."""


def nearest(word: str, known: Iterable[str], what: str) -> str:
    """Return the sentence for an unknown name.

    Parameters
    ----------
    word
        What was asked for.
    known
        The names there are.
    what
        What kind of name it is, for the sentence ("court", "policy").
    """
    names = list(known)
    by_folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(word.casefold(), list(by_folded), n=3, cutoff=0.5)
    if close:
        hint = "did you mean " + " or ".join(by_folded[c] for c in close) + "?"
    elif len(names) <= 12:
        hint = "there are: " + ", ".join(names) + "."
    else:
        hint = f"there are {len(names)}, for example {', '.join(names[:5])}."
    return f"Unknown {what} {word!r}: {hint}"
