"""The foot of a report: how to reproduce it, and what its words mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.runs import Study
from reports.model import DataFile, Reproduce, Term
from sim.variant import to_toml

if TYPE_CHECKING:
    from sim.run import Run


def reproduce(study: Study, run: Run | None) -> Reproduce:
    """Return how the report is made again: command, variant, versions, hashes, files."""
    plan = study.main.tally.plan
    game = study.game
    versions = tuple(sorted((run.manifest.get("versions", {}) if run is not None else {}).items()))
    files = []
    if run is not None and run.out is not None:
        for entry in run.manifest["parts"]:
            for table, sha in sorted(entry["sha256"].items()):
                path = f"{table}/part-{entry['part']:05d}.parquet"
                size = (run.out / path).stat().st_size if (run.out / path).exists() else 0
                files.append(DataFile(path, sha, size))
    return Reproduce(
        study.command,
        to_toml(plan.variant, game.fields, game.title),
        versions,
        "-".join(value for _, value in plan.source),
        tuple(files),
    )


def glossary(study: Study) -> tuple[Term, ...]:
    """Return the words of the report with their meanings, the game's own among them."""
    words = {
        "share": "What a seat won of one game: 1 for a win alone, split on a tie; the shares of a game sum to 1.",
        "fair share": "1 divided by the number of players.",
        "block": "All games of one deal: every player meets every seat and every hand; the unit of error.",
        "super-block": "The run of deals after which every side has met every other equally often.",
        "margin": "How far from fair still counts as balanced: a convention, changed by --margin.",
        "balanced": "Shown, at 95 %, to lie within the margin: the whole interval that is printed does.",
        "unbalanced": "Shown, at 95 %, to lie outside the margin: the whole interval that is printed does.",
        "undecided": "Neither is shown yet; the report says how many more games it takes.",
        "strength": "What one player loses who alone plays without an ability, on the same deals.",
        **study.game.glossary,
    }
    for tier in study.game.tiers:
        words[tier.name] = f"A tier of player: {tier.note.rstrip('.')}."
    return tuple(Term(word, meaning) for word, meaning in words.items())
