"""The command line: one command parses, calls one library function, prints.

Only click and the standard library are imported here; everything else is imported by the command that needs it.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from sim.experiment import Plan
    from sim.game import Game
    from sim.variant import Variant

F = TypeVar("F", bound=Callable[..., Any])

OK, FAILED, WRONG_USE, CRITERION_FAILED, CRITERION_OPEN, STOPPED = 0, 1, 2, 3, 4, 130
EXAMPLES = """\b
Examples:
  evenhand report celestial-ranks
  evenhand run fox-in-the-forest --games 100000 --seed 7
  evenhand replay celestial-ranks --deal 17 --seed 7
"""


def _percent_points(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Turn points into a difference of shares."""
    if value is None:
        return None
    if not 0 < value < 50:
        raise click.BadParameter(f"{value:g} points are not possible; it must be above 0 and below 50.")
    return value / 100


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


GAMES = click.option("--games", type=int, help="Games per arm, rounded up to whole blocks.")
SEATS = click.option("--seats", type=int, help="Number of players.")
SIDES = click.option("--sides", help="Which sides take part, separated by commas.")
POLICY = click.option("--policy", default="skilled", show_default=True, help="Tier of all seats, or one for each.")
VARIANT = click.option("--variant", help="A shipped variant, or a TOML file.")
SET = click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a field; may be repeated.")
WITHOUT = click.option("--without", multiple=True, metavar="ABILITY", help="Switch an ability off; may be repeated.")
SEED = click.option("--seed", default="1", show_default=True, help="A whole number from 0 to 2^64 - 1.")
JOBS = click.option("--jobs", type=int, help="Workers; all allowed cores by default.")
BACKEND = click.option("--backend", default="threading", show_default=True, help="threading, loky or dask.")
OUT = click.option("--out", type=click.Path(path_type=Path), help="Run folder; runs/GAME-VARIANT-HASH by default.")
RESUME = click.option("--resume", is_flag=True, help="Go on with a run; a run is resumed anyway where one is found.")
PRECISION = click.option(
    "--precision",
    type=float,
    callback=_percent_points,
    metavar="POINTS",
    help="Stop when the headlines are so precise.",
)
MARGIN = click.option(
    "--margin", type=float, callback=_percent_points, metavar="POINTS", help="Another margin for every verdict."
)
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout and nothing else.")
OPEN = click.option("--open", "open_page", is_flag=True, help="Open the report in a browser.")
QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress and no notices.")

WHAT = _options(SEATS, SIDES, POLICY, VARIANT, SET, WITHOUT, SEED)
HOW = _options(JOBS, BACKEND, OUT, RESUME, JSON, QUIET)


class OneSentence(click.Group):
    """A group whose every error is one sentence on stderr and an exit code of the list above."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command; end the process with its exit code."""
        extra["standalone_mode"] = False
        sys.exit(
            _guarded(lambda: super(OneSentence, self).main(args, **extra), list(sys.argv[1:] if args is None else args))
        )


def _guarded(command: Callable[[], Any], arguments: list[str]) -> int:
    debug = "--debug" in arguments
    try:
        result = command()
        _flush(sys.stdout)
        return result if isinstance(result, int) else OK
    except click.exceptions.Abort:
        return _complain("Stopped.", STOPPED)
    except click.ClickException as error:
        return _complain(_sentence(error), WRONG_USE)
    except BrokenPipeError:
        return _reader_gone()
    except SystemExit as error:
        # click ends the process itself with 1 when a pipe closes, and puts a wrapper round the stream.
        if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            return _reader_gone()
        return error.code if isinstance(error.code, int) else OK
    except KeyboardInterrupt as error:
        if debug:
            raise
        return _complain(str(error) or "Stopped.", STOPPED)
    except Exception as error:
        if debug:
            raise
        return _failure(error)


def _reader_gone() -> int:
    _silence_streams()
    return 141


def _failure(error: Exception) -> int:
    from sim.errors import RunError, UsageError

    if isinstance(error, UsageError):
        return _complain(str(error), WRONG_USE)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return _complain(f"{where}{error.strerror or error}.", FAILED)
    if isinstance(error, RunError):
        return _complain(str(error), FAILED)
    return _complain(f"{type(error).__name__}: {error} (--debug shows where)", FAILED)


def _sentence(error: click.ClickException) -> str:
    text = error.format_message().strip()
    if isinstance(error, click.NoSuchOption) and error.possibilities:
        return f"{text.split('(')[0].split('Did')[0].strip()} Did you mean {' or '.join(sorted(error.possibilities))}?"
    return text if text.endswith((".", "?", "!")) else text + "."


def _complain(text: str, code: int) -> int:
    try:
        if sys.stderr is not None:
            encoding = getattr(sys.stderr, "encoding", None) or "ascii"
            print(text.encode(encoding, "replace").decode(encoding), file=sys.stderr)
    except (OSError, ValueError):
        pass
    return code


def _flush(stream: IO[str] | None) -> None:
    if stream is not None:
        stream.flush()


def _silence_streams() -> None:
    """A reader went away: nothing that the interpreter writes at its end may complain about it."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(quiet, stream.fileno())
        except (AttributeError, OSError, ValueError):
            continue


def _show_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Say which version this is and end; the number is read only now, so that help loads nothing."""
    if value and not context.resilient_parsing:
        from sim.version import VERSION

        click.echo(f"evenhand, version {VERSION}")
        context.exit()


@click.group(cls=OneSentence, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show the version."
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Play card games millions of times and show whether they are fair."""


def _say(text: str) -> None:
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    click.echo(text.encode(encoding, "replace").decode(encoding))


def _notice(text: str, quiet: bool) -> None:
    if not quiet:
        _complain(text, OK)


def _list(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _game_and_variant(game: str, variant: str | None, settings: Sequence[str]) -> tuple[Game, Variant]:
    from sim.game import load

    facts = load(game)
    return facts, facts.variant(variant, settings)


def _plan(game: str, options: dict[str, Any], **more: Any) -> Plan:
    from sim.experiment import make_plan

    facts, rules = _game_and_variant(game, options["variant"], options["settings"])
    if rules.criteria:
        from analysis.criteria import check_criteria

        check_criteria(facts, rules.criteria)
    return make_plan(
        game,
        games=options.get("games"),
        seats=options["seats"],
        variant=rules,
        sides=_list(options["sides"]),
        policies=_policies(options["policy"]),
        without=options["without"],
        seed=options["seed"],
        **more,
    )


def _policies(text: str) -> list[str] | str:
    named = _list(text) or [""]
    return named[0] if len(named) == 1 else named


def _command(name: str, game: str, plan: Plan, options: dict[str, Any]) -> str:
    """Return the exact command that plays the same again."""
    words = ["evenhand", name, game, "--games", str(plan.games_per_arm), "--seats", str(plan.seats)]
    for key in ("tiers", "sides", "variant"):
        if options.get(key):
            words += [f"--{key}", str(options[key])]
    if options.get("policy", "skilled") != "skilled":
        words += ["--policy", options["policy"]]
    for setting in options["settings"]:
        words += ["--set", setting]
    for ability in options.get("without", ()):
        words += ["--without", ability]
    for key in ("precision", "margin"):
        if options.get(key) is not None:
            words += [f"--{key}", f"{100 * options[key]:g}"]
    words += ["--seed", str(plan.seed)]
    return shlex.join(words)


def _warn(plan: Plan, quiet: bool) -> None:
    from sim.game import load

    if (sentence := load(plan.place).warn(plan.variant, plan.seats)) is not None:
        _complain(f"Warning: {sentence}", OK)


@main.command()
@click.argument("game", required=False)
@click.option("--write", type=click.Path(path_type=Path, dir_okay=False), help="Write the whole commented variant.")
@VARIANT
@SET
@JSON
def games(game: str | None, write: Path | None, variant: str | None, settings: tuple[str, ...], as_json: bool) -> None:
    """List the games, or say what a game has: sides, abilities, fields, readings."""
    from sim.game import games as names
    from sim.game import load
    from sim.variant import to_toml

    if game is None:
        facts = [load(name) for name in names()]
        if as_json:
            _say(json.dumps({"games": [{"name": g.name, "title": g.title, "seats": list(g.seats)} for g in facts]}))
            return
        for g in facts:
            _say(f"{g.name:22s} {g.title}: {g.summary}")
        return
    g, rules = _game_and_variant(game, variant, settings)
    if write is not None:
        from reports.files import write_atomic

        write_atomic(write, to_toml(rules, g.fields, g.title).encode())
        _say(str(write))
        return
    if as_json:
        _say(json.dumps(_facts_json(g)))
        return
    for line in _facts_lines(g):
        _say(line)


def _facts_json(g: Game) -> dict[str, Any]:
    from sim.facts import Cards

    return {
        "name": g.name,
        "title": g.title,
        "seats": list(g.seats),
        "sides": [s.name for s in g.sides],
        "policies": {t.name: t.note for t in g.tiers},
        "variants": list(g.variant_names),
        "abilities": {a.key: {"does": a.does, "off": a.off} for a in g.abilities},
        "cards": {a.key: {"title": a.title, "does": a.does, "off": a.off} for a in g.group(Cards).all},
        "cards_missing": dict(g.group(Cards).missing),
        "fields": {f.key: {"default": f.default, "doc": f.doc, "may_be": f.right, "rule": f.rule} for f in g.fields},
        "readings": [
            {"rule": r.rule, "kind": r.kind, "question": r.question, "took": r.took, "others": [w for w, _ in r.others]}
            for r in g.readings
        ],
        "decisions": [{"kind": d.kind, "name": d.name, "a": d.a, "b": d.b, "note": d.note} for d in g.decisions],
    }


def _facts_lines(g: Game) -> list[str]:
    lines = [f"{g.title} ({g.name}): {g.summary}", f"Players: {', '.join(map(str, g.seats))}."]
    if len(g.sides) > 1:
        lines.append(f"{g.side_word.capitalize()}s: {', '.join(s.name for s in g.sides)}.")
    lines += [f"Variants: {', '.join(g.variant_names)}.", "Policies:"]
    lines += [f"  {t.name}: {t.note}" for t in g.tiers]
    if g.abilities:
        lines.append("Abilities (--without):")
    lines += [f"  {a.key}: {a.does} Off: {a.off}" for a in g.abilities]
    lines += _cards_lines(g)
    lines.append("Fields (--set):")
    lines += [f"  {f.key}: {f.doc + '; ' if f.doc else ''}{f.right}" for f in g.fields]
    lines.append("Readings (where the rules are open):")
    lines += [f"  {r.rule}: {r.question} {r.took}" for r in g.readings]
    lines.append(f"'evenhand games {g.name} --write mine.toml' writes all of it as a variant file.")
    return lines


def _cards_lines(g: Game) -> list[str]:
    """Return the cards that can be played and switched off, and those that cannot be played yet, by reason."""
    from sim.facts import Cards

    cards = g.group(Cards)
    if not cards.all:
        return []
    lines = [f"Playable cards with a text ({len(cards.all)}; --without):"]
    lines += [f"  {a.key}: {a.title}. {a.does}" for a in cards.all]
    if not cards.missing:
        return lines
    reasons = dict.fromkeys(cards.missing.values())
    lines.append(f"Cards that cannot be played yet ({len(cards.missing)}):")
    return lines + [f"  {why}: {', '.join(c for c, w in cards.missing.items() if w == why)}" for why in reasons]


@main.command()
@click.argument("game")
@GAMES
@WHAT
@PRECISION
@MARGIN
@HOW
def run(game: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Play a game many times and keep what happened."""
    from analysis.play import Watch
    from sim.run import run as play

    plan = _plan(game, options)
    _warn(plan, quiet)
    watch = Watch(plan, precision=options["precision"], margin=options["margin"])
    out = options["out"] or Path("runs") / plan.folder_name
    made = play(plan, out, watch, options["jobs"], options["backend"], progress=False if quiet else None)
    _print_run(made, _command("run", game, plan, options), options["margin"], as_json)


def _print_run(made: Any, command: str, margin: float | None, as_json: bool) -> None:
    from dataclasses import replace

    from analysis.study import Judge, family_of, first_player, game_mean, pools, seats
    from analysis.sums import tally
    from reports.words import counted

    own = {} if margin is None else {"first_seat": margin, "side": margin}
    j = Judge(tally(made), made.sequential, margins=own)
    j = replace(j, family=family_of(j))
    rows = [*seats(j), *(pools(j) if len(j.tally.sides) > 1 else [])]
    first = replace(first_player(j), name="going first")
    if as_json:
        _say(json.dumps(_run_json(made, [first, *rows], command), allow_nan=False))
        return
    plan = made.plan
    played = f"{counted(plan.games_per_arm, 'game')} of {plan.seats} ({plan.variant.name}), seed {plan.seed}"
    _say(f"{played}, {counted(j.tally.blocks, 'block')}")
    for v in rows:
        interval = f"{100 * v.interval.low:.2f} to {100 * v.interval.high:.2f}"
        _say(f"  {v.name:28.28s} {100 * (v.estimate or 0):6.2f} %  ({interval})  {v.word}")
    for column in ("rounds", "turns"):
        mean, bounds = game_mean(j, column)
        if bounds.width < float("inf"):  # a game that always has as many rounds says nothing by them
            _say(f"  {column} per game {mean:.2f} ({bounds.low:.2f} to {bounds.high:.2f})")
    _say(f"Again: {command}")
    if made.out is not None:
        _say(str(made.out))


def _run_json(made: Any, verdicts: list[Any], command: str) -> dict[str, Any]:
    plan = made.plan
    return {
        "schema": "evenhand.run",
        "schema_version": 1,
        "game": plan.game,
        "variant": plan.variant.name,
        "seats": plan.seats,
        "seed": str(plan.seed),
        "games_per_arm": plan.games_per_arm,
        "arms": list(plan.arm_names),
        "sequential": made.sequential,
        "command": command,
        "folder": None if made.out is None else str(made.out),
        "shares": [
            {
                "name": v.name,
                "share": v.estimate,
                "low": v.interval.low,
                "high": v.interval.high,
                "margin": v.margin,
                "verdict": v.word,
                "smallest_margin": v.smallest_margin,
                "further_games": v.further_games,
            }
            for v in verdicts
        ],
    }


@main.command()
@click.argument("game", metavar="GAME|RUN_DIR", required=False)
@click.option("--all", "everything", is_flag=True, help="Report every game, with an index page; --out names the site.")
@GAMES
@WHAT
@PRECISION
@MARGIN
@click.option("--readings/--no-readings", default=True, help="Play each reading the other way too.")
@click.option("--baseline", help="Rules to compare with on the same deals; the game's own by default.")
@click.option("--check", is_flag=True, help="Exit 3 if a criterion of the variant failed, 4 if one is undecided.")
@HOW
@OPEN
def report(
    game: str | None,
    everything: bool,
    as_json: bool,
    quiet: bool,
    open_page: bool,
    readings: bool,
    check: bool,
    **options: Any,
) -> int:
    """Play a game and write its balance report, or write the report of a run folder anew."""
    if everything:
        _report_all(game, options, readings, as_json, quiet, open_page)
        return OK
    if game is None:
        raise click.UsageError("Name a game or a run folder, or say --all; 'evenhand games' lists the games.")
    folder = Path(game)
    if (folder / "manifest.json").exists():
        from analysis.play import open_study
        from reports.report import build

        kind, command = _stored(folder)
        if kind == "comparison":
            from reports.compare import build_comparison
            from sim.run import open_run

            _finish_report(
                build_comparison(open_run(folder), margin=options["margin"], command=command),
                folder,
                as_json,
                open_page,
            )
            return OK
        study, made = open_study(folder, margin=options["margin"], command=command)
        _finish_report(build(study, made), folder, as_json, open_page)
        return _checked(study, quiet) if check else OK
    if os.sep in game or folder.is_dir():
        raise click.UsageError(f"{game!r} is no run folder (it has no manifest.json); name a game or a run folder.")
    model, out, study = _report_game(game, options, readings, quiet)
    _finish_report(model, out, as_json, open_page)
    return _checked(study, quiet) if check else OK


def _report_game(game: str, options: dict[str, Any], readings: bool, quiet: bool) -> tuple[Any, Path, Any]:
    """Play what a game's report needs; return the report, the run folder and what was found."""
    from analysis.play import play_study
    from analysis.runs import Spec
    from reports.report import build
    from sim.game import load

    plan = _plan(game, options)
    _warn(plan, quiet)
    counts = () if options["seats"] is not None else _counts(load(game), plan)
    tier = options["policy"].partition(",")[0]
    reference = load(game).variant(options.get("baseline"))
    spec = Spec(plan, tier, counts, readings, abilities=not options["without"], reference=reference)
    out = options["out"] or Path("runs") / plan.folder_name
    study, made = play_study(
        spec,
        out,
        jobs=options["jobs"],
        backend=options["backend"],
        progress=False if quiet else None,
        precision=options["precision"],
        margin=options["margin"],
        command=_report_command(game, plan, options, readings),
        say=lambda name: _notice(f"also playing: {name}", quiet),
    )
    return build(study, made), out, study


def _checked(study: Any, quiet: bool) -> int:
    """Say how each criterion came out; return the exit code."""
    from analysis.criteria import evaluate, exit_code

    outcomes = evaluate(study)
    for o in outcomes:
        more = f", about {o.further_games:,} more games" if o.word == "undecided" and o.further_games else ""
        _notice(f"{o.word.upper():9s} {o.key}: {o.target}{more}", quiet)
    return exit_code(outcomes)


def _report_all(
    game: str | None, options: dict[str, Any], readings: bool, as_json: bool, quiet: bool, open_page: bool
) -> None:
    """Report every game into a folder of its own, and an index page above them."""
    from reports.files import REPORT, write, write_atomic
    from reports.html import index
    from sim.game import games as names

    own = [f"--{key}" for key in ("sides", "variant", "without", "seats", "baseline") if options[key]]
    own += ["--set"] if options["settings"] else []
    if game is not None or own:
        what = f"the game {game!r}" if game is not None else own[0]
        raise click.UsageError(f"--all reports every game as it is; leave out {what}.")
    site = options["out"] or Path("site")
    made = []
    for name in names():
        _notice(f"report of {name}", quiet)
        model, out, _ = _report_game(name, {**options, "out": site / name}, readings, quiet)
        write(model, out)
        made.append((f"{name}/{REPORT}", model))
        if not as_json:
            _say(f"{model.header.title}: {model.header.verdict.upper()}. {model.header.sentence}")
    page = site / "index.html"
    write_atomic(page, index(made).encode("utf-8", "replace"))
    if as_json:
        rows = [{"game": m.header.game, "verdict": m.header.verdict, "sentence": m.header.sentence, "page": address}
                for address, m in made]  # fmt: skip
        _say(json.dumps({"schema": "evenhand.site", "schema_version": 1, "index": str(page), "reports": rows}))
    else:
        _say(str(page))
    if open_page:
        click.launch(str(page))


def _counts(game: Game, plan: Plan) -> tuple[int, ...]:
    """Return the other player counts that the variant and the sides allow."""
    from sim.errors import UsageError

    taking = len(plan.sides)
    made = []
    for n in game.seats:
        try:
            game.check_variant(plan.variant, n)
        except UsageError:
            continue
        if n != plan.seats and (taking == 1 or taking >= n) and n >= 2:
            made.append(n)
    return tuple(made)


def _report_command(game: str, plan: Plan, options: dict[str, Any], readings: bool) -> str:
    command = _command("report", game, plan, options)
    if options["seats"] is None:
        command = command.replace(f" --seats {plan.seats}", "", 1)
    if options.get("baseline"):
        command += f" --baseline {shlex.quote(options['baseline'])}"
    return command if readings else command + " --no-readings"


def _stored(folder: Path) -> tuple[str, str]:
    """Return what kind of report lies in a run folder, and the command that made it."""
    try:
        stored = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        return str(stored["header"]["kind"]), str(stored["reproduce"]["command"])
    except (OSError, ValueError, KeyError, TypeError):
        return "report", f"evenhand report {shlex.quote(str(folder))}"


def _finish_report(model: Any, out: Path, as_json: bool, open_page: bool) -> None:
    from reports.files import write
    from reports.terminal import summary

    page = write(model, out)
    if as_json:
        from reports.model import to_bytes

        _say(to_bytes(model).decode())
    else:
        summary(model, page=str(page))
    if open_page:
        click.launch(str(page))


@main.command()
@click.argument("game")
@GAMES
@SEATS
@SIDES
@POLICY
@VARIANT
@SET
@WITHOUT
@SEED
@MARGIN
@HOW
@OPEN
def compare(game: str, as_json: bool, quiet: bool, open_page: bool, **options: Any) -> None:
    """Play a game as it is and changed, on the same deals, and report the paired differences."""
    from analysis.play import compare_plan
    from reports.compare import build_comparison
    from sim.run import run as play

    if not (options["settings"] or options["variant"] or options["without"]):
        raise click.UsageError("Nothing is changed; name a change with --set KEY=VALUE, --variant or --without.")
    _, changed = _game_and_variant(game, options["variant"], options["settings"])
    plan = compare_plan(
        game,
        changed,
        games=options["games"],
        seats=options["seats"],
        sides=_list(options["sides"]),
        policies=_policies(options["policy"]),
        without=options["without"],
        seed=options["seed"],
    )
    out = options["out"] or Path("runs") / plan.folder_name
    made = play(plan, out, None, options["jobs"], options["backend"], progress=False if quiet else None)
    command = _command("compare", game, plan, options)
    _finish_report(build_comparison(made, margin=options["margin"], command=command), out, as_json, open_page)


@main.command()
@click.argument("game")
@click.option("--deal", type=int, default=0, show_default=True, help="Number of the deal, from 0.")
@click.option("--seating", type=int, default=0, show_default=True, help="Which game of the deal's block.")
@WHAT
def replay(game: str, deal: int, seating: int, **options: Any) -> None:
    """Tell one game in words, as at a table."""
    from sim.referee import story

    if deal < 0:
        raise click.UsageError(f"--deal {deal} is not possible; deals are numbered from 0.")
    plan = _plan(game, {**options, "games": 1})
    for line in story(plan, deal, seating):
        _say(line)


@main.command("plan")
@click.argument("game")
@click.option("--games", type=int, help="Games of the pilot.")
@WHAT
@MARGIN
@JOBS
@BACKEND
@JSON
@QUIET
def plan_command(game: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Say how many games and seconds a verdict takes, from a pilot run."""
    from analysis.plan import forecast, lines_of, to_json

    plan = _plan(game, {**options, "games": options["games"] or 1})
    _warn(plan, quiet)
    _notice("playing a pilot ...", quiet)
    how = {key: options[key] for key in ("margin", "games", "jobs", "backend")}
    made = forecast(plan, **how)
    if as_json:
        _say(json.dumps(to_json(made), allow_nan=False))
        return
    for line in lines_of(made):
        _say(line)


@main.command()
@click.argument("game")
@click.option("--tiers", help="Which policies, separated by commas, weakest first; all but expert by default.")
@click.option("--games", type=int, help="Games of each pair.")
@SEATS
@SIDES
@VARIANT
@SET
@SEED
@JOBS
@BACKEND
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Keep the runs in this folder.")
@JSON
@QUIET
def skill(game: str, tiers: str | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """Say which way of playing beats which: one player of a tier among weaker ones."""
    from analysis.skill import ladder, lines_of, skill_plan, to_json

    facts, rules = _game_and_variant(game, options["variant"], options["settings"])
    what = {key: options[key] for key in ("games", "seats", "seed")}
    what |= {"variant": rules, "sides": _list(options["sides"])}
    how = {key: options[key] for key in ("jobs", "backend", "out")}
    made = ladder(game, _list(tiers), progress=False if quiet else None, **how, **what)
    if as_json:
        plan = skill_plan(game, made[0].tier, made[0].among, **what)
        _say(
            json.dumps(to_json(game, made, _command("skill", game, plan, {**options, "tiers": tiers})), allow_nan=False)
        )
        return
    for line in lines_of(facts.title, made):
        _say(line)


@main.command()
@click.argument("folder", metavar="RUN_DIR", type=click.Path(path_type=Path))
@click.option("--csv", "as_csv", is_flag=True, help="Write games.csv and rounds.csv.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Where to; RUN_DIR/csv by default.")
@JSON
def export(folder: Path, as_csv: bool, out: Path | None, as_json: bool) -> None:
    """Write the tables of a run as CSV files."""
    from reports.export import to_csv
    from sim.run import open_run

    if not as_csv:
        raise click.UsageError("Say in which form; write --csv (the tables lie in the run folder as parquet already).")
    written = to_csv(open_run(folder), out or folder / "csv")
    if as_json:
        _say(json.dumps({"folder": str(folder), "rows": {str(path): rows for path, rows in written.items()}}))
        return
    for path, rows in written.items():
        _say(f"{path}: {rows:,} rows")


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--replay", "again", type=int, default=0, help="Also play so many parts again and compare their bytes.")
@JSON
def verify(folder: Path, again: int, as_json: bool) -> int:
    """Check the files of a run folder against its manifest."""
    from sim.run import check_run, open_run, replay_parts

    wrong = check_run(folder)
    parts = open_run(folder).plan.n_parts
    if again > 0 and not wrong:
        step = max(1, parts // again)
        wrong = replay_parts(folder, list(range(0, parts, step))[:again])
    if as_json:
        _say(json.dumps({"folder": str(folder), "parts": parts, "wrong": wrong}))
    elif wrong:
        for sentence in wrong:
            _say(sentence)
    else:
        played = f", {min(again, parts)} played again with the same bytes" if again else ""
        _say(f"{folder}: {parts} parts, every file as its manifest says{played}.")
    return FAILED if wrong else OK


if __name__ == "__main__":
    main()
