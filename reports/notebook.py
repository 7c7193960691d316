"""A report that shows itself in a notebook."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from reports.files import read
from reports.html import render
from reports.model import ReportModel
from reports.report import build

if TYPE_CHECKING:
    from sim.run import Run


class Shown:
    """A report that shows itself in a notebook, in a frame of its own."""

    def __init__(self, page: str, title: str, height: int) -> None:
        self.page, self.title, self.height = page, title, height

    def _repr_html_(self) -> str:
        # The sandbox lets the page sort its tables and nothing else.
        return (
            f'<iframe title="{escape(self.title)}" srcdoc="{escape(self.page)}" sandbox="allow-scripts" loading="lazy" '
            f'style="width:100%;height:{self.height}px;border:1px solid #8888;border-radius:6px"></iframe>'
        )


def show(report: ReportModel | Run | str | Path, *, height: int = 720) -> Shown:
    """Return a report for display in a notebook.

    Parameters
    ----------
    report
        A model, a run, a run folder, or the path of a `summary.json`.
    height
        Of the frame, in pixels.
    """
    if isinstance(report, str | Path):
        model = read(report)
    else:
        model = report if isinstance(report, ReportModel) else build(report, stories=False)
    return Shown(render(model, links=False), f"Balance report: {model.header.title}", height)
