"""Signals that end a command, put off until it can end well."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self, TypeVar

from django.core.management.base import CommandError

KILLED = 128
"""Added to a signal's number: the exit status of what it ended."""
ENDING = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))

Item = TypeVar("Item")


class Interruptions:
    """Within this context ending signals wait until `allowed`, and raise KeyboardInterrupt there.

    ``signal`` is the one that came. Outside the main thread, which alone may handle signals, it
    does nothing.
    """

    def __init__(self) -> None:
        self.signal = 0
        self._open = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {each: signal.signal(each, self._came) for each in ENDING}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)  # type: ignore[arg-type]

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Here the command may be ended: where it waits for input or for a reader of its output."""
        self._open = True
        try:
            if self.signal:
                raise KeyboardInterrupt
            yield
        finally:
            self._open = False

    def between(self, items: Iterable[Item]) -> Iterator[Item]:
        """``items``, with interruptions allowed while the next one is waited for."""
        waiting = iter(items)
        while True:
            with self.allowed():
                try:
                    item = next(waiting)
                except StopIteration:
                    return
            yield item

    def ended(self, fate: str) -> CommandError:
        """The error of a command that a signal has ended; ``fate`` follows its name."""
        number = self.signal or signal.SIGINT
        name = signal.Signals(number).name
        return CommandError(f"Ended by {name}{fate}", returncode=KILLED + number)

    def _came(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        if self._open:
            self._open = False  # once: what cleans up after it must not be interrupted again
            raise KeyboardInterrupt
