"""The command line: errors in one sentence, nothing written; help that loads nothing; pipes, streams, terminals."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import cli
from sim.game import games, load
from sim.version import VERSION

ROOT = Path(__file__).parents[1]
GAME = "celestial-ranks"
COMMANDS = tuple(cli.main.commands)
HEAVY = ("numpy", "pandas", "numba", "matplotlib", "scipy", "joblib", "rich", "pyarrow", "jinja2", "sim", "reports")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def call(capsys, *arguments):
    """Run a command in this process; return (exit code, stdout, stderr)."""
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    out, err = capsys.readouterr()
    return ended.value.code, out, err


def environment(**more):
    made = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    return {key: value for key, value in made.items() if value is not None}


def shell(command, folder, **more):
    """Run a line of bash in which `evenhand` is the command line of this tree."""
    line = f'evenhand() {{ {shlex.quote(sys.executable)} {shlex.quote(str(ROOT / "cli.py"))} "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment(**more), capture_output=True, text=True, check=False,
        timeout=900,  # the first one may compile
    )  # fmt: skip


def one_sentence(text):
    """Say whether a text is one line that ends like a sentence."""
    line = text.strip()
    return bool(line) and "\n" not in line and line[-1] in ".?!" and "Traceback" not in line


# ------------------------------------------------------------------------------------------------------------- errors

RUN = ("run", GAME, "--games", "20")
WRONG = [
    # issue 2
    ((*RUN, "--seats", "9"), 2, "2 to 5.*9"),
    ((*RUN, "--set", "acee=low"), 2, "acee.*ace"),
    ((*RUN, "--sides", "Sumer"), 2, "Sumer.*Summer"),
    ((*RUN, "--variant", "missing.toml"), 2, "missing.toml"),
    (
        (*RUN, "--set", "cards_dealt=6", "--set", "contracts.winter.air=S4 S4"),
        2,
        "contracts.*can be met by no hand.*7 cards.*6",
    ),
    ((*RUN, "--set", "set_distinct_suits=true", "--set", "contracts.human.levitation=S5 R3"), 2, "levitation.*five"),
    (
        (*RUN, "--set", "decks=1", "--set", "cards_dealt=14", "--set", "jokers=0", "--seats", "5"),
        2,
        "52 cards - 5 x 14",
    ),
    ((*RUN, "--out", "/proc/evenhand"), 1, "/proc/evenhand"),
    ((*RUN, "--out", "/sys/evenhand"), 1, "/sys/evenhand"),
    (("run", GAME, "--games", "0"), 2, "0 games|'0'|0"),
    (("run", GAME, "--games", "-5"), 2, "-5"),
    (("run", GAME, "--games", "many"), 2, "many"),
    (("run", GAME, "--games", "1.5"), 2, "1.5"),
    (("run", GAME, "--games", "99999999999999999999"), 2, "99999999999999999999"),
    # other numbers of players
    ((*RUN, "--seats", "0"), 2, "0"),
    ((*RUN, "--seats", "1"), 2, "1"),
    ((*RUN, "--seats", "6"), 2, "6"),
    ((*RUN, "--seats", "-2"), 2, "-2"),
    ((*RUN, "--seats", "four"), 2, "four"),
    # names
    (("run", "celestial-rank", "--games", "20"), 2, "celestial-rank.*celestial-ranks"),
    (("run", "chess", "--games", "20"), 2, "chess"),
    ((*RUN, "--policy", "skiled"), 2, "skiled.*skilled"),
    ((*RUN, "--policy", "skilled,novice"), 2, "2 policies.*4"),
    ((*RUN, "--policy", ""), 2, "policy|tier"),
    ((*RUN, "--without", "shfit"), 2, "shfit.*shift"),
    ((*RUN, "--sides", "Summer,Summer", "--seats", "2"), 2, "Summer.*twice"),
    ((*RUN, "--sides", "Summer,Winter"), 2, "4 seats"),
    ((*RUN, "--backend", "thread"), 2, "thread.*threading"),
    (("rum", GAME), 2, "rum"),
    ((*RUN, "--seat", "4", "--xyz"), 2, "--xyz|--seat"),
    # values
    ((*RUN, "--set", "ace"), 2, "ace.*="),
    ((*RUN, "--set", "ace=lower"), 2, "lower.*low"),
    ((*RUN, "--set", "jokers=9"), 2, "9.*0 to 8"),
    ((*RUN, "--set", "jokers=two"), 2, "two.*whole number"),
    ((*RUN, "--set", "must_go_out_to_win=perhaps"), 2, "perhaps.*true or false"),
    ((*RUN, "--set", "contracts.winter.air=S9 S3"), 2, "S9 S3.*S3, S4"),
    ((*RUN, "--set", "contracts.winter.air=S3"), 2, "two melds"),
    ((*RUN, "--set", "contracts.witner.air=S3 S3"), 2, "witner.*winter"),
    ((*RUN, "--variant", "hous"), 2, "hous.*house"),
    ((*RUN, "--jobs", "0"), 2, "0"),
    ((*RUN, "--jobs", "-1"), 2, "-1"),
    ((*RUN, "--jobs", "all"), 2, "all"),
    ((*RUN, "--precision", "0"), 2, "0 points"),
    ((*RUN, "--precision", "60"), 2, "60 points"),
    ((*RUN, "--precision", "nan"), 2, "nan"),
    ((*RUN, "--margin", "-1"), 2, "-1 points"),
    # other commands
    (("report", GAME, "--seats", "9"), 2, "9"),
    (("report", "nowhere/run"), 2, "nowhere/run.*run folder"),
    (("compare", GAME, "--games", "20"), 2, "--set"),
    (("compare", GAME, "--games", "20", "--set", "acee=low"), 2, "acee"),
    (("replay", GAME, "--deal", "-1"), 2, "-1"),
    (("replay", GAME, "--deal", "0", "--seating", "99"), 2, "99"),
    (("replay", GAME, "--deal", "x"), 2, "x"),
    (("verify", "nowhere"), 2, "nowhere"),
    (("games", "celestial"), 2, "celestial.*celestial-ranks"),
    (("games", GAME, "--write", "."), 2, "."),
    (("games", GAME, "--write", "/proc/mine.toml"), 1, "/proc/mine.toml"),
]


@pytest.mark.parametrize(
    ("arguments", "code", "words"), WRONG, ids=lambda x: shlex.join(x) if isinstance(x, tuple) else ""
)
def test_wrong_use_gets_one_sentence_and_writes_nothing(arguments, code, words, here, capsys):
    got, out, err = call(capsys, *arguments)
    assert (got, out) == (code, "")
    assert one_sentence(err), err
    assert re.search(words, err), err
    assert list(here.iterdir()) == []


SEEDS = ["007", "-1", "18446744073709551616", "-3494269252759342425", "1e6", "1.0", "", "abc", " 1", "１"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("command", ["run", "report", "replay"])
def test_seeds_that_are_refused(seed, command, here, capsys):
    code, out, err = call(capsys, command, GAME, f"--seed={seed}")
    assert (code, out) == (2, "")
    assert one_sentence(err)
    assert "18446744073709551615" in err
    assert list(here.iterdir()) == []


TAKEN = ["0", "1", "4294967296", "9007199254740993", "9223372036854775808", "18446744073709551615", "1000000000000000"]


def test_seeds_are_taken_with_all_their_digits(here, capsys):
    deals = set()
    for seed in TAKEN:
        code, out, err = call(capsys, "run", GAME, "--games", "1", "--seed", seed, "--json", "-q", "--out", seed)
        assert (code, err) == (0, "")
        made = json.loads(out, parse_int=float)
        assert made["seed"] == seed
        assert f"--seed {seed}" in made["command"]
        manifest = json.loads((here / seed / "manifest.json").read_text(), parse_int=float)
        assert (manifest["seed"], manifest["plan"]["seed"]) == (seed, seed)
        code, story, _ = call(capsys, "replay", GAME, "--seed", seed, "--deal", "0")
        assert code == 0
        deals.add(story)
    assert len(deals) == len(TAKEN)


BAD_FILES = {
    "syntax.toml": (b"decks = = 2\n", "syntax.toml.*TOML"),
    "bytes.toml": (b"name = '\xff\xfe'\n", "bytes.toml.*UTF-8"),
    "field.toml": (b"deks = 2\n", "field.toml.*deks.*decks"),
    "value.toml": (b"decks = 3\n", "value.toml.*decks = 3.*1, 2"),
    "type.toml": (b"decks = '2'\n", "type.toml.*decks"),
    "game.toml": (b"game = 'chess'\n", "game.toml.*chess"),
    "contract.toml": (b"[contracts.winter]\nair = 'S3 X3'\n", "contract.toml.*S3 X3"),
    "court.toml": (b"[contracts.wintr]\nair = 'S3 S3'\n", "court.toml.*wintr.*winter"),
    "cards.toml": (b"decks = 1\njokers = 0\ncards_dealt = 13\n", "52 cards - 4 x 13"),
    "criteria.toml": (b"criteria = 5\n", "criteria.toml.*criteria"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_variant_files_that_are_none(name, here, capsys):
    text, words = BAD_FILES[name]
    (here / name).write_bytes(text)
    code, out, err = call(capsys, *RUN, "--variant", name)
    assert (code, out) == (2, "")
    assert one_sentence(err), err
    assert re.search(words, err), err
    assert [path.name for path in here.iterdir()] == [name]


def test_a_folder_is_no_variant_and_a_file_is_no_run_folder(here, capsys):
    (here / "folder.toml").mkdir()
    code, _, err = call(capsys, *RUN, "--variant", "folder.toml")
    assert (code, one_sentence(err)) == (2, True)
    (here / "file").write_text("mine")
    for out in ("file", "file/below"):
        code, _, err = call(capsys, *RUN, "--out", out)
        assert (code, one_sentence(err)) == (1, True), err
        assert "file" in err
    code, _, err = call(capsys, "games", GAME, "--write", "file/mine.toml")
    assert (code, one_sentence(err)) == (1, True), err
    assert (here / "file").read_text() == "mine"
    assert sorted(path.name for path in here.iterdir()) == ["file", "folder.toml"]


def test_a_folder_of_another_plan_is_left_alone(here, capsys):
    assert call(capsys, *RUN, "--out", "made", "-q")[0] == 0
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    for change in (("--seed", "2"), ("--seats", "3"), ("--set", "ace=low"), ("--policy", "novice")):
        code, out, err = call(capsys, *RUN, "--out", "made", *change)
        assert (code, out) == (2, "")
        assert one_sentence(err), err
        assert "differs in" in err
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


def test_a_damaged_part_is_named_by_verify(here, capsys):
    assert call(capsys, *RUN, "--out", "made", "-q")[0] == 0
    assert call(capsys, "verify", "made", "--replay", "1")[0] == 0
    (here / "made/games/part-00000.parquet").write_bytes(b"nothing")
    code, out, _ = call(capsys, "verify", "made")
    assert code == 1
    assert "part-00000.parquet is damaged" in out
    code, out, _ = call(capsys, "verify", "made", "--json")
    assert code == 1
    assert len(json.loads(out)["wrong"]) == 1
    (here / "made/manifest.json").write_text("{")
    code, _, err = call(capsys, "verify", "made")
    assert (code, one_sentence(err)) == (1, True)


def test_debug_shows_where(here):
    done = shell("evenhand --debug run celestial-ranks --seats 9", here)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


# ---------------------------------------------------------------------------------------------------------------- help


def loaded(*arguments):
    """Return (exit code, stdout, the modules that a command loads)."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(ROOT / "cli.py"), *arguments], cwd=ROOT, env=environment(),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.returncode, done.stdout, {line.rpartition("|")[2].strip() for line in lines}


def test_help_loads_click_and_the_standard_library_only():
    code, out, modules = loaded("--help")
    assert code == 0
    assert all(command in out for command in COMMANDS)
    assert not {name.partition(".")[0] for name in modules} & set(HEAVY)
    foreign = (
        {name.partition(".")[0] for name in modules}
        - set(sys.stdlib_module_names)
        - {"click", "_virtualenv", "imported package"}
    )
    assert {name for name in foreign if not name.startswith(("_", "sitecustomize", "usercustomize"))} <= {"encodings"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_for_itself_and_its_options(command, capsys):
    code, out, err = call(capsys, command, "--help")
    assert (code, err) == (0, "")
    assert cli.main.commands[command].help
    for option in cli.main.commands[command].params:
        if option.param_type_name == "option":
            assert option.help, option.name
            assert option.opts[0] in out
    assert call(capsys, command, "-h")[1] == out


def test_version_and_no_command(capsys):
    assert call(capsys, "--version")[:2] == (0, f"evenhand, version {VERSION}\n")
    code, out, err = call(capsys)
    assert code in (0, 2)
    assert "Commands:" in out + err


# ------------------------------------------------------------------------------------------------------ variant files


@pytest.mark.parametrize("name", games())
def test_a_written_variant_reads_back_equal(name, here, capsys):
    for variant in load(name).variant_names:
        code, out, err = call(capsys, "games", name, "--variant", variant, "--write", "mine.toml")
        assert (code, out, err) == (0, "mine.toml\n", "")
        text = (here / "mine.toml").read_text()
        back = load(name).variant("mine.toml")
        assert back.values == load(name).variant(variant).values
        assert all(field.key.rpartition(".")[2] in text for field in load(name).fields)
        assert sum(line.startswith("#") for line in text.splitlines()) >= 10


def test_a_written_variant_runs_unchanged(here, capsys):
    assert call(capsys, "games", GAME, "--set", "ace=low", "--write", "mine.toml")[0] == 0
    assert call(capsys, *RUN, "--variant", "mine.toml", "--out", "a", "-q")[0] == 0
    assert call(capsys, *RUN, "--set", "ace=low", "--out", "b", "-q")[0] == 0
    for table in ("games", "rounds"):
        assert (here / f"a/{table}/part-00000.parquet").read_bytes() == (
            here / f"b/{table}/part-00000.parquet"
        ).read_bytes()


# --------------------------------------------------------------------------------------------- what comes out, and when


def strict(text):
    """Parse JSON as a strict reader does."""

    def refuse(name):
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def test_json_is_alone_on_stdout(here, capsys):
    code, out, err = call(capsys, "run", GAME, "--games", "20", "--json")
    assert code == 0
    made = strict(out)
    assert made["schema"] == "evenhand.run"
    assert len(made["shares"]) >= 5
    assert sum(row["share"] for row in made["shares"] if row["name"].startswith("seat")) == pytest.approx(1)
    assert err == "" or "{" not in err
    assert strict(call(capsys, "games", "--json")[1])["games"]
    facts = strict(call(capsys, "games", GAME, "--json")[1])
    assert {"fields", "readings", "abilities", "decisions", "policies", "variants"} <= set(facts)
    assert strict(call(capsys, "verify", made["folder"], "--json")[1])["wrong"] == []


def test_few_games_are_undecided_and_rounded_up(here, capsys):
    for number in ("1", "3"):
        code, out, _ = call(capsys, "run", GAME, "--games", number, "--json", "-q", "--out", number)
        assert code == 0
        made = strict(out)
        assert made["games_per_arm"] == 20
        for row in made["shares"]:
            assert row["verdict"] == "undecided"
            assert 0 <= row["low"] < row["high"] <= 1 or row["low"] < 0 <= row["high"]


def test_the_same_command_finds_its_run_and_resumes(here, capsys):
    _, first, _ = call(capsys, *RUN, "--json", "-q")
    stamp = {path: path.stat().st_mtime_ns for path in here.rglob("*.parquet")}
    _, second, _ = call(capsys, *RUN, "--json", "-q")
    assert first == second
    assert stamp == {path: path.stat().st_mtime_ns for path in here.rglob("*.parquet")}
    assert len(list((here / "runs").iterdir())) == 1
    again = shlex.split(strict(first)["command"])
    assert call(capsys, *again[1:], "--json", "-q")[1] == first


def test_replays_name_the_rules(here, capsys):
    code, story, err = call(capsys, "replay", GAME, "--deal", "17", "--seed", "7")
    assert (code, err) == (0, "")
    lines = story.splitlines()
    assert lines[0] == "Round 1."
    assert sum("(CR-" in line for line in lines) > 5
    assert "the game is won" in lines[-1]
    assert list(here.iterdir()) == []


# --------------------------------------------------------------------------------------------------- pipes and streams

REPLAY = f"evenhand replay {GAME} --deal 0"
PLAY = f"evenhand run {GAME} --games 20 --out made -q"


def test_pipes_that_close_early(here):
    done = shell(f"{REPLAY} | head -1; echo ${{PIPESTATUS[0]}}", here, PYTHONUNBUFFERED="1")
    assert done.stderr == ""
    first, code = done.stdout.splitlines()
    assert first == "Round 1."
    assert code in ("0", "141")
    done = shell(f"evenhand games {GAME} | true; echo ${{PIPESTATUS[0]}}", here)
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", "141")
    done = shell(f"evenhand games {GAME} --json | head -c 10", here, PYTHONUNBUFFERED="1")
    assert (done.stdout, done.stderr) == ('{"name": "', "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams(here, closed):
    done = shell(f"{PLAY} {closed}", here)
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1
    assert shell("evenhand verify made", here).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_stdout_is_one_sentence(here):
    done = shell(f"evenhand games {GAME} > /dev/full", here)
    assert done.returncode == 1
    assert one_sentence(done.stderr), done.stderr


PLAIN = {
    "ascii": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "dumb and narrow": {"TERM": "dumb", "COLUMNS": "20", "NO_COLOR": "1"},
}


@pytest.mark.parametrize("kind", PLAIN)
def test_terminals_of_every_kind(here, kind):
    done = shell(
        f"evenhand run {GAME} --games 20 --out made && evenhand games {GAME} && evenhand games", here, **PLAIN[kind]
    )
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    shares = [line for line in done.stdout.splitlines() if line.endswith("undecided")]
    assert len(shares) >= 5
    for line in shares:
        assert re.search(r"\d+\.\d\d %", line), line
        assert "..." not in line


def test_a_narrow_report_loses_no_number(here):
    wide = shell(f"evenhand report {GAME} --games 20 --seats 2 --no-readings -q --out made", here, COLUMNS="200")
    assert wide.returncode == 0, wide.stderr
    narrow = shell("evenhand report made -q", here, COLUMNS="40", NO_COLOR="1", TERM="dumb")
    assert narrow.returncode == 0, narrow.stderr
    assert "\x1b" not in wide.stdout + narrow.stdout
    assert "\u2026" not in narrow.stdout
    assert len(wide.stdout.splitlines()) <= 25
    numbers = re.compile(r"\d+\.\d+")
    assert set(numbers.findall(wide.stdout)) <= set(numbers.findall(narrow.stdout))
