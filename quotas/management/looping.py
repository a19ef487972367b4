"""Commands that run again and again: ``--loop SECONDS``."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

LONGEST_LOOP = 24 * 3600


def add_loop(parser: CommandParser) -> None:
    """The option, as ``loop``: seconds, or None for a single run."""
    parser.add_argument(
        "--loop",
        type=_seconds,
        metavar="SECONDS",
        help="again so many seconds after each run, until SIGINT or SIGTERM",
    )


def pause(seconds: float) -> None:
    """Wait: a signal that ends the command ends the waiting, too."""
    Event().wait(seconds)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= LONGEST_LOOP:
        raise ValueError(text)
    return seconds
