"""The findings: the largest effects that are shown, each with the command that prints it."""

from __future__ import annotations

from analysis import study as estimates
from analysis.keys import FIRST, OtherReading
from analysis.lists import arm_effects, screen, strengths
from analysis.runs import Study
from reports.cells import cell_of, count_word, gap_cell, listed, points
from reports.model import Cell, Finding
from reports.phrases import contrasts, first_phrase, found_names, pooled, written
from reports.sections import cards


def findings(study: Study) -> tuple[Finding, ...]:
    """Return the largest effects that are shown, at most five after the classes."""
    j, game = study.main, study.game
    made = []
    pools = estimates.pools_of(j.tally)
    if pooled(j):
        lists = "; ".join(listed(members) for members in pools.values())
        differences = [estimates.difference(j, a, b, name) for name, a, b in contrasts(j, game)][:1]
        effect = gap_cell(differences[0]) if len(pools) == 2 and differences else Cell()
        many = count_word(len(j.tally.sides))
        made.append(
            Finding(
                f"The {many} {game.side_word}s are {count_word(len(pools))} sets of rules under {many} names: {lists}. "
                "Each set is pooled; the effect is the one difference.",
                effect,
                "points",
                f"evenhand games {game.name} --write mine.toml",
                "sides",
            )
        )
    effects: list[tuple[float, Finding]] = []
    first = estimates.first_player(j)
    if first.word != "balanced":  # what is shown to be fair is nothing to change
        sentence = f"{first_phrase(first)[0].upper()}{first_phrase(first)[1:]}."
        effects.append((abs(first.gap or 0.0), Finding(sentence, gap_cell(first), "points", "", "first")))
    if study.abilities is not None:
        real = found_names(screen(strengths(study.abilities), judge=study.abilities))
        for s in estimates.abilities(study.abilities):
            if s.key in real:
                verb = "loses" if s.value > 0 else "gains"
                sentence = f"A player who alone is without {s.title} {verb} {points(s.value)} of win share."
                command = f"evenhand compare {game.name} --without {s.key}"
                cell = cell_of(s.value, s.bounds, s.blocks)
                effects.append((abs(s.value), Finding(sentence, cell, "points", command, "abilities")))
    effects += [*_reading_findings(study), *cards.findings_of(study)]
    effects.sort(key=lambda pair: -pair[0])
    return tuple(made + [finding for _, finding in effects[:5]])


def _reading_findings(study: Study) -> list[tuple[float, Finding]]:
    if study.readings is None:
        return []
    made = []
    real = found_names(screen(arm_effects(study.readings), judge=study.readings))
    for reading in study.game.readings:
        for words, settings in reading.others:
            name = str(OtherReading(reading.rule, words))
            if name in real:
                value, bounds = estimates.changes(study.readings, name)[FIRST]
                levers = " ".join(f"--set {k}={written(v)}" for k, v in settings.items())
                sentence = f"Read the other way ({words}), {reading.rule} moves the first seat by {points(value)}."
                command = f"evenhand compare {study.game.name} {levers}"
                made.append((abs(value), Finding(sentence, cell_of(value, bounds), "points", command, "readings")))
    return made
