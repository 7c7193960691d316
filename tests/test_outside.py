"""A game that lies outside the checkout: every command takes it by its module and attribute."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sim.jit import JIT_OFF

ROOT = Path(__file__).parents[1]
GAME = "highcard:GAME"
# One process for all commands: the game is compiled once. Each line of the output is (code, what was printed).
RUN = """
import contextlib, io, json, sys
import cli
for arguments in json.load(sys.stdin):
    out = io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out):
        try:
            cli.main(arguments)
        except SystemExit as error:
            code = error.code or 0
    print(json.dumps([code, out.getvalue()]), file=sys.__stdout__)
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return {first words of a command: (exit code, output)}, all run in an empty folder."""
    if JIT_OFF:
        pytest.skip("some hundred games")
    lib, there = tmp_path_factory.mktemp("lib"), tmp_path_factory.mktemp("there")
    shutil.copy(ROOT / "tests" / "toy" / "__init__.py", lib / "highcard.py")
    commands = [
        ["games", GAME],
        ["games", GAME, "--write", "mine.toml"],
        ["run", GAME, "--games", "200", "--out", "run", "-q"],
        ["run", GAME, "--games", "40", "--variant", "mine.toml", "--out", "own", "-q"],
        ["report", GAME, "--games", "200", "--out", "report", "-q"],
        ["report", "report", "-q"],
        ["compare", GAME, "--games", "100", "--set", "bonus=0", "--out", "compare", "-q"],
        ["replay", GAME, "--deal", "3"],
        ["plan", GAME, "--games", "40", "-q"],
        ["skill", GAME, "--tiers", "novice,expert:5", "--games", "20", "-q"],
        ["export", "run", "--csv"],
        ["verify", "run", "--replay", "1"],
    ]
    env = {**os.environ, "PYTHONPATH": f"{lib}{os.pathsep}{ROOT}"}
    done = subprocess.run([sys.executable, "-c", RUN], input=json.dumps(commands), cwd=there, env=env,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(commands), done.stderr
    for arguments, (code, text) in zip(commands, rows, strict=True):
        assert code == 0, (arguments, text, done.stderr)
    return there, {" ".join(a[:4]): text for a, (_, text) in zip(commands, rows, strict=True)}


def test_its_report_is_whole(played):
    there, texts = played
    assert (there / "report" / "report.html").stat().st_size > 10_000
    summary = json.loads((there / "report" / "summary.json").read_text())
    assert summary["header"]["title"] == "High Card"
    assert summary["header"]["kind"] == "report"
    assert "report.html" in texts[f"report {GAME} --games 200"]
    assert "report.html" in texts["report report -q"]


def test_runs_comparisons_and_replays_speak_of_it(played):
    there, texts = played
    assert (there / "run" / "manifest.json").exists()
    assert (there / "compare" / "report.html").exists()
    assert "Seat" in texts[f"replay {GAME} --deal 3"] or "seat" in texts[f"replay {GAME} --deal 3"]
    assert "every file as its manifest says" in texts["verify run --replay 1"]
    assert "played again with the same bytes" in texts["verify run --replay 1"]


def test_it_has_a_look_ahead_player_without_listing_one(played):
    _, texts = played
    assert "expert:5" in texts[f"skill {GAME} --tiers novice,expert:5"]
    assert "expert: Looks ahead" in texts[f"games {GAME}"]
