"""Colours, type and bytes of the figures. Plain data: imports nothing heavy."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's palette for all kinds of colour vision; yellow last, because thin yellow marks fade on white.
CATEGORICAL = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "////", "....", "\\\\\\\\", "xx", "oo", "++")

# Diverging, purple below and orange above; both ends equally dark, and apart for all kinds of colour vision.
DIVERGING = ("#3f1d6b", "#7a5ea8", "#b9abd6", "#f2f0f2", "#f3bd7c", "#cf7a1c", "#7f3b08")

# Greys that read on a light and on a dark page. In an inline SVG each becomes a variable of the page.
INK, MUTED, RULE, BAND = "#747474", "#757575", "#a3a3a3", "#808080"
PAGE_COLOURS = {INK: "--figure-ink", MUTED: "--figure-muted", RULE: "--figure-rule"}

BODY, SMALL = 9.0, 8.0  # points
WIDE, NARROW = 7.4, 3.6  # inches: for a page, and for a telephone

HASH_SALT = "evenhand"

STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": BODY,
    "text.color": INK,
    "text.parse_math": False,  # a side may be called $x$
    "text.usetex": False,
    "axes.edgecolor": RULE,
    "axes.labelcolor": MUTED,
    "axes.facecolor": "none",
    "axes.linewidth": 0.8,
    "axes.unicode_minus": True,
    "figure.facecolor": "none",
    "figure.edgecolor": "none",
    "savefig.facecolor": "none",
    "savefig.edgecolor": "none",
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": HASH_SALT,
    "path.simplify": True,
}


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb``, 0 black to 1 white (WCAG 2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2)."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def text_on(colour: str) -> str:
    """Return near-black or white, whichever reads better on a colour."""
    return "#111111" if contrast("#111111", colour) >= contrast("#ffffff", colour) else "#ffffff"
