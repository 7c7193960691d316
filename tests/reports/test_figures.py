from __future__ import annotations

import io
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from reports import figures, theme
from reports.model import FigureSpec, ReportModel
from tests.reports.sample import LONG, NASTY, sample

KINDS = sorted(figures.FIGURES)


def _specs(model: ReportModel) -> list[FigureSpec]:
    return model.figures()


def _texts(fig: Figure) -> list[str]:
    """Texts as they are drawn: of the SVG, where mathematics would be something else."""
    root = ET.fromstring(figures.to_svg(fig))
    return ["".join(t.itertext()) for t in root.iter("text")]


def test_sample_draws_every_kind(model: ReportModel) -> None:
    assert sorted({f.kind for f in _specs(model)}) == KINDS


@pytest.mark.parametrize("width", [theme.WIDE, theme.NARROW])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", [NASTY, LONG], ids=["nasty", "long"])
def test_no_text_leaves_the_picture_or_covers_another(names: tuple[str, ...], kind: str, width: float) -> None:
    for spec in (f for f in _specs(sample(names)) if f.kind == kind):
        fig = figures.draw(spec, width=width, titled=True)
        fig.draw_without_rendering()
        frame = fig.bbox
        texts = [t for t in fig.findobj(match=lambda a: hasattr(a, "get_text") and a.get_visible()) if t.get_text()]
        boxes = [(t.get_text(), t.get_window_extent()) for t in texts]
        for text, box in boxes:
            air = 0.06 * fig.dpi  # a PNG has 0.12 more, an SVG shows what overflows
            assert box.x0 >= frame.x0 - air, (spec.id, text)
            assert box.x1 <= frame.x1 + air, (spec.id, text)
            assert box.y0 >= frame.y0 - air, (spec.id, text)
            assert box.y1 <= frame.y1 + air, (spec.id, text)
        for i, (a, first) in enumerate(boxes):
            for b, second in boxes[i + 1 :]:
                wide = min(first.x1, second.x1) - max(first.x0, second.x0)
                high = min(first.y1, second.y1) - max(first.y0, second.y0)
                assert wide <= 1.5 or high <= 2.5, (spec.id, a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_same_bytes_twice_and_whatever_the_users_settings(model: ReportModel, kind: str) -> None:
    import matplotlib as mpl

    spec = next(f for f in _specs(model) if f.kind == kind)

    def both() -> tuple[str, bytes]:
        fig = figures.draw(spec)
        buffer = io.BytesIO()
        figures.to_png(fig, buffer)
        return figures.to_svg(fig, prefix="p"), buffer.getvalue()

    first = both()
    with mpl.rc_context({"font.size": 20, "axes.grid": True, "svg.fonttype": "path", "figure.facecolor": "red"}):
        second = both()
    assert first == second


def test_same_bytes_in_another_process(model: ReportModel) -> None:
    code = (
        "import sys; from tests.reports.sample import sample; from reports import figures; "
        "sys.stdout.write(figures.to_svg(figures.draw(sample().figures()[0]), prefix='p'))"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert there.stdout == figures.to_svg(figures.draw(_specs(model)[0]), prefix="p")


def test_pyplot_is_not_used(model: ReportModel) -> None:
    code = "import sys, reports.figures; print('matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_svg_is_well_formed_and_its_ids_are_its_own(nasty: ReportModel) -> None:
    for spec in _specs(nasty):
        svg = figures.to_svg(figures.draw(spec), prefix="mine", alt='a "b" <c>')
        root = ET.fromstring(svg)
        ids = [n.attrib["id"] for n in root.iter() if "id" in n.attrib]
        assert ids
        assert all(i.startswith("mine-") for i in ids)
        assert not re.search(r"<style|<\?xml|<!|<metadata|xmlns", svg)
        used = re.findall(r'(?:url\(#|href="#)([^)"]*)', "".join(re.findall(r"<[^>]*>", svg)))
        assert set(used) <= set(ids)
        assert root.attrib["aria-label"] == 'a "b" <c>'


def test_names_are_neither_mathematics_nor_markup() -> None:
    frame = pd.DataFrame({"label": NASTY, "value": [0.2] * 5, "low": [0.1] * 5, "high": [0.3] * 5, "n": 100})
    texts = _texts(figures.forest(frame, null=0.2, margin=0.02))
    for name in NASTY:
        assert name.strip() in texts


def test_forest_shows_value_interval_and_n_and_sorts() -> None:
    frame = pd.DataFrame(
        {"label": ["low", "high"], "value": [0.2, 0.3], "low": [0.19, 0.29], "high": [0.21, 0.31], "n": [1000, 25_000]}
    )
    texts = _texts(figures.forest(frame, null=0.25, margin=0.025, order="value"))
    assert texts.index("high") < texts.index("low")
    assert "30.0 % (29.0 to 31.0)" in texts
    assert "n 25k" in texts
    assert "fair: 25.0 %, margin ±2.5" in texts


def test_forest_has_one_scale_for_all_panels() -> None:
    frame = pd.DataFrame({"label": ["a", "b"], "panel": ["p", "q"], "value": [0.1, 0.9]})
    assert len(figures.forest(frame, null=0.5).axes) == 1


def test_open_and_missing_intervals_are_drawn() -> None:
    frame = pd.DataFrame({"label": ["a", "b", "c"], "value": [0.1, np.nan, 0.2], "low": [np.nan, 0.1, np.nan]})
    frame["high"] = [0.2, 0.3, np.nan]
    texts = _texts(figures.forest(frame, null=0.0, unit="points"))
    assert any("at most" in t for t in texts)
    assert "c" in texts


def test_matrix_is_symmetric_about_the_null_and_mutes_what_covers_it() -> None:
    frame = pd.DataFrame(
        {
            "row": ["a", "b"],
            "column": ["b", "a"],
            "value": [0.6, 0.501],
            "low": [0.59, 0.49],
            "high": [0.61, 0.51],
            "n": [10, 10],
        }
    )
    fig = figures.matrix(frame, null=0.5)
    texts = _texts(fig)
    assert {"40.0", "50.0", "60.0"} <= set(texts)
    cells = [p for p in fig.axes[0].patches if not p.get_hatch()]
    assert [p.get_facecolor()[3] for p in cells] == [1.0, 0.0]
    assert sum(1 for p in fig.axes[0].patches if p.get_hatch()) == 2


def test_matrix_of_many_sides_still_draws() -> None:
    names = [f"side number {i}" for i in range(24)]
    frame = pd.DataFrame(
        [
            {"row": a, "column": b, "value": 0.5 + 0.01 * (i - j)}
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if a != b
        ]
    )
    for width in (theme.WIDE, theme.NARROW):
        assert figures.matrix(frame, width=width).get_size_inches()[1] < 14


def test_long_names_are_wrapped_and_shortened_to_their_room() -> None:
    for name in ("W" * 60, "Wm " * 40, "i" * 300, "a name of many words " * 8):
        for lines in (1, 2, 3):
            made = figures.wrap_text(name, 9.0, 1.5, lines)
            assert len(made) <= lines
            assert all(figures.text_width(line, 9.0) <= 1.5 for line in made)
            assert made[-1].endswith("\N{HORIZONTAL ELLIPSIS}")
    assert figures.wrap_text(" ", 9.0, 1.5) == ["(no name)"]


def test_abilities_show_uses_and_what_was_seen() -> None:
    frame = pd.DataFrame({"label": ["a", "b"], "value": [0.01, 0.02], "uses": [0.8, 1650.0], "observed": [0.1, np.nan]})
    fig = figures.ability_bars(frame)
    texts = _texts(fig)
    assert {"0.8 uses", "1,650 uses"} <= set(texts)
    assert any("seen when used" in t for t in texts)
    seen = [line for line in fig.axes[0].lines if line.get_marker() == "s"]
    assert [line.get_xdata()[0] for line in seen] == [10.0]  # type: ignore[index]


def test_diverging_colours_go_light_in_the_middle_and_are_no_red_and_green() -> None:
    lights = [theme.luminance(c) for c in theme.DIVERGING]
    assert lights[3] == max(lights)
    assert all(a < b for a, b in pairwise(lights[:4]))
    assert all(a > b for a, b in pairwise(lights[3:]))


def test_text_on_colours_has_contrast() -> None:
    for colour in (*theme.CATEGORICAL, *theme.DIVERGING):
        assert theme.contrast(theme.text_on(colour), colour) >= 4.5


def test_greys_read_on_light_and_dark() -> None:
    for ground in ("#ffffff", "#14171b"):
        assert theme.contrast(theme.INK, ground) >= 3.8
        assert theme.contrast(theme.MUTED, ground) >= 3.8


def test_convergence_of_one_look_and_of_several_series() -> None:
    one = pd.DataFrame({"n": [1000], "value": [0.3], "low": [0.2], "high": [0.4]})
    assert "30.0 %" in " ".join(_texts(figures.convergence(one, null=0.25, margin=0.02)))


def test_stacked_names_every_part() -> None:
    frame = pd.DataFrame({"label": ["x"] * 3, "part": ["won", "tie", "cap"], "value": [0.9, 0.0999, 0.0001]})
    assert {"won", "tie", "cap"} <= set(_texts(figures.stacked(frame)))


def test_figures_show_themselves_in_a_notebook() -> None:
    fig = figures.forest(pd.DataFrame({"label": ["a"], "value": [0.5]}))
    assert fig._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
