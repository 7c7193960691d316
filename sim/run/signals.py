"""Ctrl-C and SIGTERM while a run plays."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Any


class Signals:
    """While a run plays, Ctrl-C and SIGTERM only set a flag; a second one ends it at once."""

    def __init__(self, stop: threading.Event, speak: bool) -> None:
        self.stop, self.speak, self.caught = stop, speak, 0
        self.old: dict[int, Any] = {}

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self.old[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.old.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.caught:
            raise KeyboardInterrupt
        self.caught = number
        self.stop.set()
        if self.speak:
            # Not print(): a handler must not enter a buffered stream that the main thread may be writing to.
            with suppress(OSError, ValueError, AttributeError):
                os.write(sys.stderr.fileno(), b"\nstopping after what is being played or compiled; again: at once\n")
