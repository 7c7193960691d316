from __future__ import annotations

import math

import pytest

from reports.model import Cell
from reports.words import (
    bar_scale,
    clean,
    counted,
    file_names,
    full_text,
    interval_text,
    margin_text,
    places,
    prose,
    short_count,
    slug,
    value_text,
)


def test_prose_has_minus_signs_before_numbers_only():
    assert prose("loses -11.3 points") == "loses \N{MINUS SIGN}11.3\N{NO-BREAK SPACE}points"
    assert prose("(-2 to +1)") == "(\N{MINUS SIGN}2 to +1)"
    for same in ("humble (0-3)", "CR-43", "two-eyed", "deal 3-4", "1,000-2,000"):
        assert prose(same) == same


@pytest.mark.parametrize(
    ("cell", "unit", "text"),
    [
        (Cell(0.2431, 0.2412, 0.245), "share", "24.3 % (24.1 to 24.5)"),
        (Cell(0.2431, 0.243, 0.2432), "share", "24.31 % (24.30 to 24.32)"),
        (Cell(0.014, 0.012, 0.016), "points", "+1.4 points (+1.2 to +1.6)"),
        (Cell(-0.014, None, 0.003), "points", "−1.4 points (at most +0.3)"),
        (Cell(-0.00001, -0.001, 0.001), "points", "0.0 points (−0.1 to +0.1)"),
        (Cell(0.0, 0.0, None), "share", "0.0 % (at least 0.0)"),
        (Cell(1_234_567), "number", "1,234,567"),
        (Cell(5.25), "number", "5.25"),
        (Cell(812.44), "per_1000", "812.4 per 1,000"),
        (Cell(None), "share", "–"),
        (Cell(0.1, text="at most 0.2"), "share", "at most 0.2"),
        (Cell("Summer"), "text", "Summer"),
        (Cell(0.5, 0.5, 0.5), "share", "50.0 % (50.0 to 50.0)"),
    ],
)
def test_numbers_as_text(cell: Cell, unit: str, text: str) -> None:
    assert full_text(cell, unit) == text  # type: ignore[arg-type]


def test_ascii_numbers_have_no_other_sign() -> None:
    cell = Cell(-0.014, -0.02, -0.01)
    assert value_text(cell, "points", ascii_only=True) == "-1.4 points"
    assert interval_text(cell, "points", ascii_only=True) == "-2.0 to -1.0"
    assert value_text(Cell(None), "points", ascii_only=True) == "-"


def test_margins_keep_their_digits() -> None:
    assert [margin_text(m, "points") for m in (0.0125, 0.02, 1 / 30, 0.1)] == ["1.25", "2", "3.3333", "10"]


def test_counts_in_few_letters() -> None:
    assert [short_count(n) for n in (0, 950, 12_345, 40_020, 200_000, 1_200_000)] == [
        "0",
        "950",
        "12.3k",
        "40.0k",
        "200k",
        "1.2M",
    ]


def test_names_lose_what_no_page_can_hold_and_nothing_else() -> None:
    assert clean("a\nb\tc") == "a b c"
    assert clean("a\x00b\x1b[31m\ud800\u202e") == "a�b�[31m��"
    assert clean("Zoë 夏 $x$ <b>") == "Zoë 夏 $x$ <b>"


def test_lines_do_not_end_between_number_and_unit() -> None:
    assert prose("wins 26 % of 5 points, 3 games") == "wins 26\xa0% of 5\xa0points, 3 games"


def test_file_names_are_safe_and_apart() -> None:
    ids = ["../../etc/passwd", "a b", "A B", "<script>", "", "x" * 300, "夏", "con/../aux"]
    names = file_names(ids, ".csv")
    assert len({n.casefold() for n in names.values()}) == len(ids)
    for name in names.values():
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
        assert not name.startswith(".")
        assert len(name) < 100
    assert slug("..") == "unnamed"


def test_bars_have_one_scale_about_the_null() -> None:
    cells = [Cell(0.26, 0.25, 0.27), Cell(0.2, 0.19, 0.21)]
    low, high = bar_scale(cells, 0.25, 0.01)
    assert math.isclose((low + high) / 2, 0.25)
    assert low < 0.19
    at = places(cells[0], (low, high), 0.25, 0.01)
    assert at["null"] == 50
    assert at["low"] == 50
    assert at["low"] + at["width"] > at["value"] > 50
    assert math.isclose(at["band"] + at["band_width"] / 2, 50, abs_tol=0.02)


def test_bars_of_nothing_and_of_open_intervals() -> None:
    assert bar_scale([Cell(None)], None, None) == (0.0, 1.0)
    assert bar_scale([], 0.5, None) == (-0.5, 1.5)
    scale = bar_scale([Cell(0.1, None, 0.3)], 0.0, None)
    assert places(Cell(0.1, None, 0.3), scale, 0.0, None)["low"] == 0.0


def test_one_is_no_plural():
    assert [counted(n, "block") for n in (0, 1, 2, 1200)] == ["0 blocks", "1 block", "2 blocks", "1,200 blocks"]
