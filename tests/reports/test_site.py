"""All games in one site: a page each, an index with their verdicts and links."""

import json

from click.testing import CliRunner

import cli
import reports.files
import reports.html
from sim import list_games
from tests.reports.sample import sample


def reported(monkeypatch, tmp_path, *words):
    """Run `report --all` with a report that is made up; its pictures are drawn in other tests."""
    seen = []
    model = sample()

    def played(game, options, readings, quiet):
        seen.append((game, options["games"], options["out"]))
        return model, options["out"], None

    monkeypatch.setattr(reports.files, "_pictures", lambda model: iter(()))
    monkeypatch.setattr(reports.html, "_pictures", lambda figure, prefix: {"wide": "", "narrow": ""})

    monkeypatch.setattr(cli, "_report_game", played)
    out = tmp_path / "site"
    arguments = ["report", "--all", "--out", str(out), "-q", *words]
    return CliRunner().invoke(cli.main, arguments, standalone_mode=False), out, seen


def test_every_game_has_a_page_and_a_link(monkeypatch, tmp_path):
    result, site, seen = reported(monkeypatch, tmp_path, "--games", "40", "--json")
    assert [row[0] for row in seen] == list(list_games())
    assert all(games == 40 and out == site / name for name, games, out in seen)
    page = (site / "index.html").read_text(encoding="utf-8")
    for name in list_games():
        assert (site / name / "report.html").exists()
        assert f'href="{name}/report.html"' in page
    told = json.loads(result.output)
    assert [row["page"] for row in told["reports"]] == [f"{name}/report.html" for name in list_games()]


def test_all_takes_no_game_and_no_side(monkeypatch, tmp_path):
    for words in (["celestial-ranks"], ["--sides", "Human"], ["--set", "jokers=4"]):
        result, site, seen = reported(monkeypatch, tmp_path, *words)
        assert result.exit_code != 0 or result.return_value == cli.WRONG_USE
        assert not seen
        assert not site.exists()
