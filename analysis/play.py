"""A plan, a run and a stopping rule put together: the runs behind a report, and a run that is watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from analysis.keys import FIRST, RunKey, Weights, mean_of, run_keys
from analysis.runs import KINDS, Spec, Study, plans_of, study_of
from analysis.sequences import ConfidenceSequence
from analysis.study import Judge, family_of, judge, pools_of
from analysis.sums import Tally
from sim.experiment import Change, Plan, make_plan
from sim.game import load
from sim.outcomes import Part
from sim.run import STOP, Run, open_run, remove_run
from sim.run import run as play_plan
from sim.variant import Variant

MORE = "more"
"""The folder in a run folder in which the smaller runs of its report lie."""


class Watch:
    """An observer that shows the live headline, and ends a run once it is precise or decided.

    Parameters
    ----------
    plan
        What is played.
    precision
        Half-width at which first seat and classes are precise enough, as a difference of shares; None: never stop.
    decide
        Stop when every verdict has fallen.
    margin
        Replaces the game's margins.
    """

    def __init__(
        self, plan: Plan, *, precision: float | None = None, decide: bool = False, margin: float | None = None
    ) -> None:
        self.tally = Tally(plan, load(plan.place))
        self.precision, self.decide = precision, decide
        self.may_stop = decide or precision is not None
        self.headline = ""
        j = judge(self.tally, margin=margin)
        self.level = replace(j, family=family_of(j)).verdict_level
        self.sequences = [self._sequence({FIRST: 1.0}, j.margin("first_seat"), "going first")]
        for label, members in pools_of(self.tally).items():
            if len(self.tally.sides) > 1:
                parts = mean_of(members)
                self.sequences.append(self._sequence(parts, j.margin("side"), label))

    def _sequence(self, parts: Weights, margin: float, name: str) -> ConfidenceSequence:
        null = 1.0 / self.tally.plan.seats
        return ConfidenceSequence(
            self.tally.weights(parts), null=null, margin=margin, low=0.0, high=1.0, name=name, precision=self.precision,
            games_per_block=self.tally.games_per_block, table_share=null, level=self.level,
        )  # fmt: skip

    def __call__(self, part: Part) -> str | None:
        """Take in the next part; return "stop" when enough is known."""
        self.tally.add(part)
        for sequence in self.sequences:
            sequence.see(self.tally.shares[0])
        first = self.sequences[0].look
        half = (first.interval.high - first.interval.low) / 2
        self.headline = f"first seat {100 * first.sample.mean:.1f} % +/- {100 * half:.1f}"
        precise = self.precision is not None and all(s.precise for s in self.sequences)
        decided = self.decide and all(s.decided is not None for s in self.sequences)
        return STOP if precise or decided else None


def play_study(
    spec: Spec,
    out: Path | None,
    *,
    jobs: int | None = None,
    backend: str = "threading",
    progress: bool | None = None,
    precision: float | None = None,
    margin: float | None = None,
    command: str = "",
    say: Callable[[str], None] = lambda text: None,
) -> tuple[Study, Run]:
    """Play all runs of a report, or what is missing of them, and return their sums.

    Parameters
    ----------
    spec
        What is asked for.
    out
        Folder of the main run; the smaller runs lie in ``more/`` below it. None keeps all in memory.
    jobs, backend, progress
        See `sim.run.run`.
    precision, margin
        Differences of shares; see `Watch`.
    command
        What reproduces the report.
    say
        Told what is played next.
    """
    watch = Watch(spec.plan, precision=precision, margin=margin)
    run = play_plan(spec.plan, out, watch, jobs, backend, progress=progress)
    found: dict[RunKey, Judge] = {}
    for key, plan in plans_of(spec, found):
        say(str(key))
        folder = None if out is None else out / MORE / str(key)
        if KINDS[key.kind].follows and folder is not None:
            _clear_other(folder, plan)
        made = play_plan(plan, folder, None, jobs, backend, progress=progress)
        found[key] = judge(made, margin=margin, tabled=KINDS[key.kind].tabled)
    main = replace(judge(watch.tally, margin=margin), sequential=run.sequential)
    return study_of(main, found, command=command, warnings=_warnings(run)), run


def _clear_other(folder: Path, plan: Plan) -> None:
    """Remove a run that follows from data which a longer run has changed; what is asked for is never removed."""
    if (folder / "manifest.json").exists() and open_run(folder).plan.hash != plan.hash:
        remove_run(folder)


def open_study(out: Path, *, margin: float | None = None, command: str = "") -> tuple[Study, Run]:
    """Return the study whose runs lie in a folder.

    Examples
    --------
    >>> import sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     out = Path(folder) / "mine"
    ...     played = sim.simulate("celestial-ranks", games=400, seed=7, out=out, progress=False)
    ...     study, run = open_study(out)
    >>> study.main.null
    0.25
    """
    run = open_run(out)
    known = run_keys(load(run.plan.place), len(run.plan.side_names))
    there = {key: out / MORE / name for name, key in known.items() if (out / MORE / name / "manifest.json").exists()}

    def judged(key: RunKey | None) -> Judge:
        if key is None:
            return judge(run, margin=margin)
        return judge(open_run(there[key]), margin=margin, tabled=KINDS[key.kind].tabled)

    # numpy counts outside the interpreter's lock: the main run and the smaller ones share two cores.
    with ThreadPoolExecutor(2) as pool:
        main, *others = pool.map(judged, [None, *there])
    return study_of(main, dict(zip(there, others)), command=command, warnings=_warnings(run)), run


def _warnings(run: Run) -> tuple[str, ...]:
    plan = run.plan
    made = []
    if (sentence := load(plan.place).warn(plan.variant, plan.seats)) is not None:
        made.append(sentence)
    if run.sequential:
        made.append("The run was watched, extended or interrupted: its intervals hold at every look, and are wider.")
    if any(t.name == "random" for t in plan.arms[0].tiers):
        made.append("Seats play at random: good for tests, never for a verdict.")
    return tuple(made)


def compare_plan(
    game: str,
    changed: Variant,
    *,
    games: int | None = None,
    seats: int | None = None,
    sides: list[str] | None = None,
    policies: list[str] | str = "skilled",
    without: Sequence[str] = (),
    seed: int | str = 1,
) -> Plan:
    """Return the plan of a comparison: the game as it is, and changed for everybody, on the same deals.

    Examples
    --------
    >>> import sim
    >>> plan = compare_plan("celestial-ranks", sim.load_variant("celestial-ranks", "house"), games=400)
    >>> plan.arm_names
    ('baseline', 'house')
    """
    facts = load(game)
    size = facts.games // 4 if games is None else games
    name = changed.name if changed.name != "default" else "without " + ", ".join(without)
    change = Change(name, variant=changed, without=tuple(without), who="all")
    return make_plan(
        game, games=size, seats=seats, variant=facts.default, sides=sides, policies=policies, arms=[change], seed=seed
    )
