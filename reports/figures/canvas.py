"""What every picture stands on: style, text that fits, figures and axes in inches."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox

from reports import theme
from reports.theme import BODY, INK, MUTED
from reports.words import clean

VERDICT_MARKS = {"balanced": ("o", True), "unbalanced": ("D", True), "undecided": ("o", False)}


VERDICT_LEGEND = (("balanced", "shown inside"), ("unbalanced", "shown outside"), ("undecided", "undecided"))


TIER_MARKS = {"random": "X", "novice": "^", "skilled": "o", "expert": "D"}


PAD = 0.03  # inches at the left and right: an inline picture stands flush with the text above it


GAP = "\N{EM SPACE}\N{EM SPACE}"  # SVG takes several plain spaces for one


class ReportFigure(Figure):
    """A figure that shows itself in a notebook without pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        to_png(self, buffer)
        return buffer.getvalue()


@contextmanager
def house_style() -> Iterator[None]:
    """Use our style on top of matplotlib's defaults, whatever the user's own settings are."""
    skip = ("backend", "backend_fallback", "interactive", "toolbar", "timezone", "date.epoch")
    base: dict[str, Any] = {k: v for k, v in mpl.rcParamsDefault.items() if k not in skip}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mpl.MatplotlibDeprecationWarning)
        # A name in a script that the font lacks is no reason for noise: browsers have other fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        settings: Any = {**base, **theme.STYLE}
        with mpl.rc_context(settings):
            yield


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a text in inches."""
    if not text:
        return 0.0
    width, _, _ = text_to_path.get_text_width_height_descent(
        text, FontProperties(size=size, weight=weight), ismath=False
    )
    return float(width) / 72


def wrap_text(text: str, size: float, inches: float, lines: int = 3) -> list[str]:
    """Return a name in lines of at most so many inches; what is too long ends in an ellipsis."""
    text = clean(text).strip() or "(no name)"
    if text_width(text, size) <= inches:
        return [text]
    for letters in range(max(int(inches / text_width("i", size)), 4), 3, -1):
        parts = textwrap.wrap(text, letters, break_long_words=True, break_on_hyphens=False)
        if len(parts) > lines:
            parts = [*parts[: lines - 1], parts[lines - 1][: letters - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"]
        if max(text_width(part, size) for part in parts) <= inches:
            break
    return parts


def new_figure(width: float, height: float, title: str) -> tuple[Figure, float]:
    """Return a figure with room for `height` inches below its title, and the inches that the title takes."""
    lines = wrap_text(title, BODY + 1.5, width - 2 * PAD, 4) if title else []
    top = 0.2 * len(lines) + 0.14 if lines else 0.0
    fig = ReportFigure(figsize=(width, height + top))
    for i, line in enumerate(lines):
        y = 1 - (0.16 + 0.2 * i) / (height + top)
        fig.text(PAD / width, y, line, size=BODY + 1.5, weight="bold", va="center", parse_math=False)
    return fig, top


def new_axes(fig: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Return axes at a place of the figure, in inches from its lower left corner."""
    w, h = size_of(fig)
    ax = fig.add_axes((left / w, bottom / h, width / w, height / h))
    for side in ("top", "right", "left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0, pad=4, colors=MUTED)
    return ax


def write_text(ax: Axes, x: float, y: float, text: str, **more: Any) -> None:
    """Write at data coordinates; a name stays a name."""
    ax.text(x, y, text, **{"size": BODY, "va": "center", "color": INK, "clip_on": False, "parse_math": False, **more})


def inches_of(ax: Axes) -> float:
    """Return the width of an axes in inches."""
    return float(size_of(ax.figure)[0] * ax.get_position().width)


def size_of(fig: Any) -> tuple[float, float]:
    """Return the width and the height of a figure in inches."""
    w, h = fig.get_size_inches()
    return float(w), float(h)


def to_png(fig: Figure, path: str | Path | IO[bytes], *, dpi: int = 160) -> None:
    """Write a figure as a PNG with a transparent ground and some air around; the same bytes for the same figure."""
    w, h = size_of(fig)
    air = Bbox.from_extents(-0.12, -0.06, w + 0.12, h + 0.06)
    with house_style():
        fig.savefig(path, format="png", dpi=dpi, metadata={"Software": None}, transparent=True, bbox_inches=air)
