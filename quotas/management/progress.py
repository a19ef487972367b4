"""A progress bar on a terminal, for work of which the end may not be known."""

from __future__ import annotations

import time
from collections.abc import Callable

from quotas.management.drawing import meter

PATIENCE = 1.0
INTERVAL = 0.1
WIDTH = 30
ERASE = "\r\x1b[K"


class Progress:
    """A bar that ``write`` draws, anew in its place ten times a second, and erases at the end.

    It appears once the work has taken ``patience`` seconds, if it is to be ``shown`` at all.
    ``noun`` is what is counted.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        shown: bool,
        patience: float = PATIENCE,
        noun: str = "lines",
    ) -> None:
        self.write = write
        self.shown = shown
        self.noun = noun
        self._next = time.monotonic() + patience
        self._drawn = False

    def update(self, done: int, share: float | None) -> None:
        """Say that ``done`` items are done, ``share`` of the work; None: nobody knows."""
        now = time.monotonic()
        if not self.shown or now < self._next:
            return
        self._next = now + INTERVAL
        bar = "" if share is None else f"{meter(share, WIDTH):<{WIDTH}} {share:4.0%}  "
        self.write(f"{ERASE}{bar}{done:,} {self.noun}")
        self._drawn = True

    def erase(self) -> None:
        """Leave no trace on the terminal."""
        if self._drawn:
            self.write(ERASE)
            self._drawn = False
