"""Play card games fast: millions of games, the same bytes for the same plan and seed.

``run = sim.simulate("celestial-ranks", games=200_000, seats=4, seed=7)`` plays; ``run.games`` and ``run.rounds`` are
DataFrames. Nothing is imported before it is needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.experiment import Change
    from sim.facts import Tier
    from sim.game import Game
    from sim.outcomes import Part
    from sim.run import Run
    from sim.variant import Variant

__all__ = ["list_games", "load_run", "load_variant", "replay", "simulate"]


def list_games() -> tuple[str, ...]:
    """Return the names of all games; `sim.games` is the package that holds ours.

    Examples
    --------
    >>> "celestial-ranks" in list_games()
    True
    """
    return _module("sim.game").games()  # type: ignore[no-any-return]


def load_variant(game: str | Game, source: str | None = None, *settings: str) -> Variant:
    """Return a variant of a game.

    Parameters
    ----------
    game
        The game.
    source
        The name of a shipped variant, or the path of a TOML file; None is the default.
    settings
        ``"key=value"``, applied on top.

    Examples
    --------
    >>> load_variant("celestial-ranks", "house").name
    'house'
    """
    facts = _module("sim.game").load(game) if isinstance(game, str) else game
    made: Variant = facts.variant(source, settings)
    return made


def simulate(
    game: str | Game,
    games: int | None = None,
    *,
    seats: int | None = None,
    seed: int | str = 1,
    variant: str | Variant | None = None,
    settings: Sequence[str] = (),
    sides: Sequence[str] | None = None,
    policies: Sequence[str | Tier] | str | Tier = "skilled",
    without: Sequence[str] = (),
    arms: Sequence[Change] = (),
    mirrors: bool = False,
    draw: str | None = None,
    out: str | Path | None = None,
    observe: Callable[[Part], Any] | None = None,
    jobs: int | None = None,
    backend: str = "threading",
    progress: bool | None = None,
) -> Run:
    """Play a game many times and return what happened.

    Parameters
    ----------
    game, games, seats, seed, sides, policies, without, arms, mirrors, draw
        See `sim.experiment.make_plan`.
    variant, settings
        The rules: a variant, or its name or file, and ``"key=value"`` changes of it.
    out, observe, jobs, backend, progress
        See `sim.run.run`; without `out` everything stays in memory.

    Examples
    --------
    >>> run = simulate("celestial-ranks", games=1000, seats=4, seed=7, progress=False)
    >>> shares = run.games.groupby("seat")["share"].mean() / 27720
    >>> round(float(shares.sum()), 9)
    1.0
    """
    rules = load_variant(game, variant, *settings) if variant is None or isinstance(variant, str) else variant
    plan = _module("sim.experiment").make_plan(
        game, games=games, seats=seats, variant=rules, sides=sides, policies=policies, without=without, arms=arms,
        seed=seed, mirrors=mirrors, draw=draw,
    )  # fmt: skip
    run = _module("sim.run").run
    return run(plan, out, observe, jobs, backend, progress=progress)  # type: ignore[no-any-return]


def load_run(out: str | Path) -> Run:
    """Return the run that lies in a folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     out = f"{folder}/mine"
    ...     made = simulate("celestial-ranks", games=40, seed=7, out=out, progress=False)
    ...     load_run(out).games.equals(made.games)
    True
    """
    return _module("sim.run").open_run(out)  # type: ignore[no-any-return]


def replay(
    game: str | Game,
    deal: int = 0,
    seed: int | str = 1,
    *,
    seats: int | None = None,
    variant: str | Variant | None = None,
    settings: Sequence[str] = (),
    sides: Sequence[str] | None = None,
    policies: Sequence[str | Tier] | str | Tier = "skilled",
    without: Sequence[str] = (),
    draw: str | None = None,
    seating: int = 0,
) -> list[str]:
    """Return one game as a story, a line per event, told by the rulebook from the moves of the engine.

    Parameters
    ----------
    deal, seed
        Which deal.
    seating
        Which game of the deal's block.
    game, seats, variant, settings, sides, policies, without, draw
        As in `simulate`.

    Examples
    --------
    >>> story = replay("celestial-ranks", deal=17, seed=7)
    >>> story[0]
    'Round 1.'
    """
    rules = load_variant(game, variant, *settings) if variant is None or isinstance(variant, str) else variant
    plan = _module("sim.experiment").make_plan(
        game, games=1, seats=seats, variant=rules, sides=sides, policies=policies, without=without, seed=seed, draw=draw
    )
    return _module("sim.referee").story(plan, deal, seating)  # type: ignore[no-any-return]


def _module(name: str) -> Any:
    return importlib.import_module(name)
