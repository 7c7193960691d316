"""Play a plan, or what is missing of it: from the first check to the finished manifest."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from sim.errors import Interrupted, RunError, UsageError, nearest
from sim.experiment import FORMAT, Plan
from sim.progress import Progress, Shown, Silent, choose
from sim.run.folder import Folder, library_versions
from sim.run.play import warm_up
from sim.run.result import Run
from sim.run.schedule import FIRST_CHUNK, Observer, Player
from sim.run.signals import Signals

BACKENDS = ("threading", "loky", "dask")


def allowed_jobs() -> int:
    """Return how many cores this process may use: affinity and the quota of its control group are respected."""
    import joblib

    return int(joblib.cpu_count())


def _check_jobs(jobs: int | None, plan: Plan) -> int:
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise UsageError(f"{jobs!r} jobs are not possible; it must be a whole number from 1.")
    wanted = allowed_jobs() if jobs is None else jobs
    return max(1, min(wanted, 512, -(-plan.total_games // FIRST_CHUNK)))


def _check_backend(backend: str) -> None:
    if backend not in BACKENDS:
        raise UsageError(nearest(backend, BACKENDS, "backend"))
    if backend == "dask":
        try:
            from distributed import get_client

            get_client()
        except ImportError as error:
            raise UsageError("The backend dask needs the package distributed: install evenhand[dask].") from error
        except ValueError as error:
            raise UsageError("The backend dask needs a running distributed.Client; start one first.") from error


def run(
    plan: Plan,
    out: str | Path | None = None,
    observe: Observer | None = None,
    jobs: int | None = None,
    backend: str = "threading",
    chunk_seconds: float = 0.5,
    progress: bool | Progress | None = None,
) -> Run:
    """Play a plan, or what is missing of it.

    Parameters
    ----------
    plan
        What to play.
    out
        The run folder: made, resumed or extended. None keeps everything in memory.
    observe
        Called with every `Part` once, in deal order, parts on disk included; ``"stop"`` ends the run there. Its
        attribute `headline` (text) is shown beside the progress; `may_stop` (true) marks the run as watched.
    jobs
        Workers; None takes what this process is allowed.
    backend
        ``"threading"``, ``"loky"`` or ``"dask"``.
    chunk_seconds
        What one worker is given at a time.
    progress
        False for none, None for what fits the place, or a display of your own.

    Returns
    -------
    Run
        The same tables for every choice of the last four.

    Raises
    ------
    Interrupted
        After Ctrl-C or SIGTERM, with the finished parts on disk.
    """
    _check_backend(backend)
    workers = _check_jobs(jobs, plan)
    display = choose(progress)
    folder = None if out is None else Folder(Path(out))
    if folder is not None:
        wanted = plan.superblocks
        plan = folder.open(plan)
        if plan.superblocks > wanted:
            display.message(f"{folder.path} already holds {plan.games_per_arm:,} games per arm; all are used.")
    player = Player(plan, folder, observe, workers, backend)
    with Signals(player.stop, not isinstance(display, Silent)) as signals:
        made = _run(player, display, chunk_seconds)
    if signals.caught:
        raise Interrupted(f"Stopped; the run in {made.out or 'memory'} is complete.")
    return made


def _run(player: Player, display: Progress, chunk_seconds: float) -> Run:
    plan, folder = player.plan, player.folder
    began = time.monotonic()
    ready = player.ready_parts(display.message)
    done = sum(stop - first for first, stop in map(plan.part_range, ready)) * plan.superblock_games
    if folder is not None:
        folder.log(f"start: {plan.games_per_arm} games per arm, {len(ready)} of {plan.n_parts} parts there, "
                   f"{player.jobs} jobs, {player.backend}")  # fmt: skip
    status, parts = "failed", 0
    try:
        if len(ready) < plan.n_parts:
            warm_up(plan, display.message)
        with Shown(display, plan.game, plan.total_games, done) as shown:
            parts = player.play(shown, ready, chunk_seconds)
        status = "stopped" if player.decided else "done" if parts == plan.n_parts else "interrupted"
    except KeyboardInterrupt:
        status = "interrupted"
    finally:
        if folder is not None:
            _close(folder, player, status)
    if status == "interrupted":
        raise Interrupted(_interrupted(plan, folder, parts))
    end = plan.part_range(parts - 1)[1]
    manifest = folder.manifest if folder is not None else _memory_manifest(player)
    where = None if folder is None else folder.path
    return Run(plan.with_superblocks(end), where, manifest, player.held, time.monotonic() - began)


def _close(folder: Folder, player: Player, status: str) -> None:
    watched = "watched" if getattr(player.observe, "may_stop", False) else ""
    why = {"stopped": "stopped", "interrupted": "interrupted"}.get(status, watched)
    # A run that failed stays "running": it is resumed like one that was killed. A full disk must not hide its cause.
    try:
        folder.finish("running" if status == "failed" else status, why)
        folder.log(f"end: {status}")
    except RunError:
        if status != "failed":
            raise


def _interrupted(plan: Plan, folder: Folder | None, parts: int) -> str:
    if folder is None:
        return "Stopped; a run in memory keeps nothing."
    done = plan.part_range(parts - 1)[1] if parts else 0
    games = done * plan.superblock_games // len(plan.arms)
    return (
        f"Stopped with {games:,} of {plan.games_per_arm:,} games per arm in {folder.path}; "
        "the same command goes on from there."
    )


def _memory_manifest(player: Player) -> dict[str, Any]:
    why = ["stopped"] if player.decided else ["watched"] if getattr(player.observe, "may_stop", False) else []
    return {
        "format": FORMAT,
        "status": "stopped" if player.decided else "done",
        "sequential": bool(why),
        "why_sequential": why,
        "hash": player.plan.hash,
        "seed": str(player.plan.seed),
        "plan": player.plan.to_json(),
        "games_per_arm": player.plan.games_per_arm,
        "versions": library_versions(),
        "parts": [],
    }
