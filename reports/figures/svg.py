"""Pictures as SVG for a page, the same bytes every time."""

from __future__ import annotations

import io
import re
from html import escape

from matplotlib.figure import Figure

from reports import theme
from reports.figures.canvas import house_style
from reports.words import clean

_CLUTTER = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)


_TAG = re.compile(r"<[^<>]+>")


_STYLE_TAG = re.compile(r"<style[^>]*>.*?</style>", re.DOTALL)


_FONT = re.compile(r"(font:[^;\"]*?\d(?:px|pt)?) [^;\"]+")


_FAMILY = re.compile(r"font-family: [^;\"]+")


_NUMBERS = re.compile(r"(?<=[ \"(,-])(\d+\.\d{3,})(?=[ \",)\n])")


def to_svg(fig: Figure, *, prefix: str = "figure", alt: str = "") -> str:
    """Return a figure as an SVG element for inlining into HTML: no header, ids of its own, colours of the page.

    Parameters
    ----------
    prefix
        Unique in the page; starts every id, so that several pictures do not take each other's clip paths.
    alt
        What the picture says, for those who do not see it.
    """
    buffer = io.BytesIO()
    with house_style():
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = _STYLE_TAG.sub("", _CLUTTER.sub("", buffer.getvalue().decode("utf-8"))).strip()
    # Only tags are changed: a name that looks like markup is text, in which < and > are escaped.
    text = _TAG.sub(lambda m: _fix_tag(m[0], prefix), text)
    text = re.sub(r">\s*\n\s*<", "><", text)
    box = re.search(r'viewBox="([^"]*)"', text)
    opening = f'<svg viewBox="{box[1] if box else ""}" role="img" aria-label="{escape(clean(alt))}">'
    return re.sub(r"<svg[^>]*>", lambda _: f"{opening}<title>{escape(clean(alt))}</title>", text, count=1)


def _fix_tag(tag: str, prefix: str) -> str:
    """Return a tag of an SVG with ids of its own, the page's font and colours, and short numbers."""
    tag = re.sub(r' transform="rotate\(-0 [^"]*"', "", tag)
    tag = re.sub(r'\bid="([^"]*)"', rf'id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]*)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r'\b(?:xlink:)?href="#([^"]*)"', rf'href="#{prefix}-\1"', tag)
    tag = _FONT.sub(r"\1 var(--figure-font, sans-serif)", tag)
    tag = _FAMILY.sub("font-family: var(--figure-font, sans-serif)", tag)
    for colour, variable in theme.PAGE_COLOURS.items():
        tag = tag.replace(f": {colour}", f": var({variable}, {colour})")
    return _NUMBERS.sub(lambda m: f"{float(m[1]):.2f}", tag.replace("\n", " "))
