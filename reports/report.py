"""From a study to a report: every sentence and table is made from what the analysis found, for any game.

What is particular to a game comes from its facts. This module holds the order of the sections only.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.drama import Drama, drama_of
from analysis.play import open_study
from analysis.runs import Study
from analysis.study import judge
from reports.model import ReportModel, Section
from reports.sections import cards, drama, stories
from reports.sections.abilities import abilities_section
from reports.sections.beside import beside_section
from reports.sections.change import reference_section
from reports.sections.closing import glossary, reproduce
from reports.sections.counts import counts_section
from reports.sections.findings import findings
from reports.sections.first import first_section
from reports.sections.head import header
from reports.sections.levers import levers_section
from reports.sections.own import own_section
from reports.sections.pace import luck_blocks, pace_section
from reports.sections.readings import readings_section
from reports.sections.scorecard import scorecard
from reports.sections.sides import sides_section
from reports.sections.tiers import tiers_section

if TYPE_CHECKING:
    from sim.run import Run

SECTIONS: tuple[Callable[[Study], Section | None], ...] = (
    first_section,
    sides_section,
    own_section,
    abilities_section,
    cards.section_of,
    pace_section,
    counts_section,
    beside_section,
    tiers_section,
    reference_section,
    levers_section,
    readings_section,
)
"""What makes the sections, in the order in which they are read; None where a study has nothing to say there."""


def build(study: Study | Run | Path | str, run: Run | None = None, *, stories: bool = True) -> ReportModel:
    """Return the report of a study, of one run, or of the run folder in which a study's runs lie.

    Parameters
    ----------
    study
        What was found, a run (its report has no abilities and no other tiers), or a run folder.
    run
        The main run, for the list of files.
    stories
        Whether games are told in words.

    Examples
    --------
    >>> import sim
    >>> run = sim.simulate("celestial-ranks", games=400, seed=7, progress=False)
    >>> build(run, stories=False).header.verdict
    'undecided'
    """
    if isinstance(study, Path | str):
        study, run = open_study(Path(study))
    elif not isinstance(study, Study):
        run = study
        study = Study(main=judge(run))
    sections = [section for maker in SECTIONS if (section := maker(study)) is not None]
    if run is not None:
        sections = _with_games(study, run, sections, tell=stories)
    return ReportModel(
        header(study), scorecard(study), findings(study), tuple(sections), glossary(study), reproduce(study, run)
    )


def _with_games(study: Study, run: Run, sections: list[Section], *, tell: bool) -> list[Section]:
    """Return the sections with what needs the games themselves: pace and drama, and games told in words."""
    found = drama_of(run)
    made = [_with_drama(study, run, section, found) if section.id == "pace" else section for section in sections]
    told = stories.section_of(found) if tell else None
    return [*made, told] if told is not None else made


def _with_drama(study: Study, run: Run, section: Section, found: Drama) -> Section:
    lead = section.lead + drama.lead_of(found, study.main)
    blocks = (*section.blocks, *drama.blocks_of(found, study.main, study.game), *luck_blocks(study, run))
    return Section("pace", "Pace and drama", lead, blocks)
