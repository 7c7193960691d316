from __future__ import annotations

import dataclasses
import io
import re

import pytest

from reports.model import ReportModel
from reports.terminal import ascii_form, lines_of, summary
from tests.reports.sample import estimate

PAGE = "runs/celestial-ranks-default-1a2b3c4d/report.html"


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.,]*\d|\d", text))


def test_fits_a_plain_screen(model: ReportModel, nasty: ReportModel) -> None:
    for made in (model, nasty):
        lines = lines_of(made, 200, PAGE)
        assert len(lines) <= 25
        assert max(map(len, lines)) <= 80
        assert all(line.isascii() and line.isprintable() for line in lines)
        assert PAGE in "\n".join(lines)


def test_says_verdicts_numbers_and_seed(model: ReportModel) -> None:
    text = "\n".join(lines_of(model, 80))
    for words in ("UNBALANCED", "[=] balanced", "[!] unbalanced", "[?] undecided", "+1.2 to +1.6", "at most +0.3"):
        assert words in text
    assert "150,000 more games" in text
    assert "18446744073709551615" in text


@pytest.mark.parametrize("width", [20, 40, 63, 64, 72, 80])
def test_no_number_is_cut(model: ReportModel, width: int) -> None:
    wanted = _numbers("\n".join(lines_of(model, 80)))
    assert wanted <= _numbers("\n".join(lines_of(model, width)))


@pytest.mark.parametrize("width", [20, 40])
def test_narrow_screens_get_lists_that_fit(model: ReportModel, width: int) -> None:
    for line in lines_of(model, width):
        assert len(line) <= width or len(line.split()) == 1 or line.count(" ") <= 3, line


def test_long_reports_are_shortened_by_whole_lines(model: ReportModel) -> None:
    row = model.scorecard[0]
    many = tuple(dataclasses.replace(row, key=str(i), title=f"Court {i} wins 25.{i:03} %") for i in range(60))
    findings = model.findings * 9
    lines = lines_of(dataclasses.replace(model, scorecard=many, findings=findings), 80, PAGE)
    assert len(lines) <= 25
    assert "(more in the report)" in lines
    assert PAGE in lines[-1]
    assert any("18446744073709551615" in line for line in lines)


def test_long_names_are_shortened_but_not_their_numbers(model: ReportModel) -> None:
    row = dataclasses.replace(model.header.headlines[0], title="A" * 38 + " 123456.789", value=estimate(0.1, 0.01))
    made = dataclasses.replace(model, header=dataclasses.replace(model.header, headlines=(row,)))
    for width in range(64, 81):
        line = next(part for part in lines_of(made, width) if part.startswith("AAA"))
        assert len(line) <= width
        assert "..." in line or "123456.789" in line
        assert not re.search(r"\d\.\.\.", line)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_every_encoding_takes_it(nasty: ReportModel, encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    summary(nasty, stream=stream, width=80, page="C:/Läufe/夏\ud800/report.html")
    stream.flush()
    assert b"<script>alert(1)</script>" in raw.getvalue()
    assert b"\x1b" not in raw.getvalue()


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_only_on_a_terminal_that_wants_it(model: ReportModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen, quiet, pipe = _Screen(), _Screen(), io.StringIO()
    summary(model, stream=screen, width=80)
    summary(model, stream=pipe, width=80)
    monkeypatch.setenv("NO_COLOR", "1")
    summary(model, stream=quiet, width=80)
    assert "\x1b[" in screen.getvalue()
    assert "\x1b" not in pipe.getvalue() + quiet.getvalue()
    bare = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())
    assert [line.rstrip() for line in bare.splitlines()] == pipe.getvalue().splitlines()


def test_a_name_cannot_move_the_cursor(model: ReportModel) -> None:
    header = dataclasses.replace(model.header, title="\x1b[2Jgone\r\n", variant="\x9b31m")
    text = "\n".join(lines_of(dataclasses.replace(model, header=header)))
    assert "\x1b" not in text
    assert "\x9b" not in text


def test_no_stream_no_crash(model: ReportModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    summary(model, width=80)


def test_ascii_form_reads_well() -> None:
    assert ascii_form("−1.4 ± 0.2 – “a”…") == '-1.4 +/- 0.2 - "a"...'
