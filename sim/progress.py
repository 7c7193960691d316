"""How far a run is: a bar on a terminal, a line now and then elsewhere, one changing line in a notebook."""

from __future__ import annotations

import importlib
import os
import sys
import time
from types import TracebackType
from typing import Any, Protocol

LINE_SECONDS = 30.0  # without a terminal: a line at least that often,
LINE_SHARE = 0.1  # or at every tenth of the games,
LINE_GAP = 2.0  # but not more often than this
NOTEBOOK_GAP = 0.5


class Progress(Protocol):
    """What `sim.run.run` tells while it plays."""

    def start(self, title: str, total: int, done: int) -> None:
        """`done` of `total` games are there already."""

    def update(self, done: int, headline: str) -> None:
        """`done` games are played; `headline` is what the observer says."""

    def message(self, text: str) -> None:
        """Show a sentence."""

    def close(self, done: int) -> None:
        """Nothing more comes."""


class Silent:
    """Says nothing."""

    def start(self, title: str, total: int, done: int) -> None:
        """Say nothing."""

    def update(self, done: int, headline: str) -> None:
        """Say nothing."""

    def message(self, text: str) -> None:
        """Say nothing."""

    def close(self, done: int) -> None:
        """Say nothing."""


class Lines:
    """Plain lines on stderr, for pipes and logs."""

    def start(self, title: str, total: int, done: int) -> None:
        """Remember where the run starts."""
        self.title, self.total, self.first = title, max(1, total), done
        self.began = self.said = time.monotonic()
        self.shown = done / self.total

    def update(self, done: int, headline: str) -> None:
        """Print a line when enough has happened since the last one."""
        now = time.monotonic()
        gap, gained = now - self.said, done / self.total - self.shown
        if gap >= LINE_SECONDS or (gained >= LINE_SHARE and gap >= LINE_GAP):
            self.said, self.shown = now, done / self.total
            self.message(self.line(done, headline))

    def line(self, done: int, headline: str) -> str:
        """Return what is known in one line."""
        seconds = time.monotonic() - self.began
        rate = (done - self.first) / seconds if seconds > 0 else 0.0
        left = f", {_span((self.total - done) / rate)} to go" if rate > 0 and done < self.total else ""
        tail = f"  {headline}" if headline else ""
        return f"{self.title}: {done:,} of {self.total:,} games, {rate:,.0f} games/s{left}{tail}"

    def message(self, text: str) -> None:
        """Print a sentence; a closed stderr is no reason to stop a run."""
        try:
            print(text, file=sys.stderr, flush=True)
        except (OSError, ValueError):
            return
        except UnicodeEncodeError:
            print(text.encode("ascii", "replace").decode(), file=sys.stderr, flush=True)

    def close(self, done: int) -> None:
        """Say the last word if the run was long enough to have had a first."""
        if time.monotonic() - self.began >= LINE_GAP:
            self.message(self.line(done, ""))


class Bar:
    """A bar of rich on a terminal; it is gone when the run ends."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console = Console(stderr=True)

    def start(self, title: str, total: int, done: int) -> None:
        """Show the bar."""
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self.first, self.began = done, time.monotonic()
        self.bar = RichProgress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(), TextColumn("{task.fields[headline]}"),
            console=self.console, transient=True, refresh_per_second=5,
        )  # fmt: skip
        self.task = self.bar.add_task(title, total=total, completed=done, rate="", headline="")
        self.bar.start()

    def update(self, done: int, headline: str) -> None:
        """Move the bar."""
        rate = (done - self.first) / max(1e-9, time.monotonic() - self.began)
        self.bar.update(self.task, completed=done, rate=f"{rate:,.0f} games/s", headline=headline)

    def message(self, text: str) -> None:
        """Print a sentence above the bar."""
        from rich.text import Text

        self.console.print(Text(text))

    def close(self, done: int) -> None:
        """Take the bar away."""
        self.bar.stop()


class Notebook(Lines):
    """One line of a cell's output that changes at most twice a second."""

    def start(self, title: str, total: int, done: int) -> None:
        """Open the line."""
        super().start(title, total, done)
        show: Any = importlib.import_module("IPython.display").display
        self.handle: Any = show({"text/plain": self.line(done, "")}, raw=True, display_id=True)

    def update(self, done: int, headline: str) -> None:
        """Change the line."""
        if time.monotonic() - self.said >= NOTEBOOK_GAP:
            self.said = time.monotonic()
            self.handle.update({"text/plain": self.line(done, headline)}, raw=True)

    def close(self, done: int) -> None:
        """Leave the final line."""
        self.handle.update({"text/plain": self.line(done, "")}, raw=True)


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and getattr(shell, "kernel", None) is not None


def choose(progress: bool | Progress | None) -> Progress:
    """Return what shows the progress: `progress` itself, or what fits the place where stderr goes."""
    if progress is not None and not isinstance(progress, bool):
        return progress
    if progress is False or sys.stderr is None:
        return Silent()
    if _in_notebook():
        return Notebook()
    try:
        terminal = sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"
    except ValueError:
        return Silent()
    return Bar() if terminal else Lines()


class Shown:
    """Keeps a progress display open for a `with` block, whatever happens inside."""

    def __init__(self, display: Progress, title: str, total: int, done: int) -> None:
        self.display, self.done = display, done
        display.start(title, total, done)

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.display.close(self.done)

    def add(self, games: int, headline: str) -> None:
        """Count games and show them."""
        self.done += games
        self.display.update(self.done, headline)
