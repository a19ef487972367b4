"""Commands that run again and again: ``--loop SECONDS``."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.core.management.base import CommandParser

    from quotas.management.interruptions import Interruptions

LONGEST_LOOP = 24 * 3600


def add_loop(parser: CommandParser) -> None:
    """The option, as ``loop``: seconds, or None for a single run."""
    parser.add_argument(
        "--loop",
        type=_seconds,
        metavar="SECONDS",
        help="again so many seconds after each run, until SIGINT or SIGTERM",
    )


def run(
    every: float | None,
    interruptions: Interruptions,
    *,
    once: Callable[[Interruptions], object],
    survive: Callable[[Interruptions], object],
    fate: str,
) -> None:
    """Do ``once``, or ``survive`` again and again, until a signal ends it.

    ``fate`` says what becomes of a single run that one has ended. Raises `CommandError` then.
    """
    try:
        if every is None:
            once(interruptions)
        while every is not None:
            survive(interruptions)
            with interruptions.allowed():
                pause(every)
    except KeyboardInterrupt:
        if every is None:
            raise interruptions.ended(fate) from None


def pause(seconds: float) -> None:
    """Wait: a signal that ends the command ends the waiting, too."""
    Event().wait(seconds)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= LONGEST_LOOP:
        raise ValueError(text)
    return seconds
