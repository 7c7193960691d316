"""Play a plan: chunks on all allowed cores, parts in deal order, a run folder that can be resumed and extended.

A part is written when all its games are played and its earlier parts are; a chunk is only a unit of scheduling. What a
worker returns depends on nothing but the numbers of its games, so that jobs, backend and chunk size leave no trace.
"""

from sim.run.folder import remove_run
from sim.run.play import Chunk, Table, play_part, rules_of, search_of, warm_up
from sim.run.result import Run, check_run, open_run, replay_parts
from sim.run.schedule import STOP, Observer
from sim.run.start import BACKENDS, allowed_jobs, run

__all__ = [
    "BACKENDS",
    "STOP",
    "Chunk",
    "Observer",
    "Run",
    "Table",
    "allowed_jobs",
    "check_run",
    "open_run",
    "play_part",
    "remove_run",
    "replay_parts",
    "rules_of",
    "run",
    "search_of",
    "warm_up",
]
