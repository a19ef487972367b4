"""Periods as people write them: “1 minute”, “5m”, “00:01:00”, or seconds.

Pure: the standard library, `quotas.errors` and the units of `quotas.domain.rates` only.
"""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

from quotas.domain.limits import MICROSECOND
from quotas.domain.rates import SECOND, UNITS, parse_rate

# [0-9], not \d: digits of other scripts look alike and are easily mistaken.
SECONDS = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)(?: *(?:s|secs?|seconds?))?")
CLOCK = re.compile(r"([0-9]{1,6}):([0-5][0-9]):([0-5][0-9])")
MILLION = 1_000_000


def read_period(text: str) -> timedelta:
    """The period that ``text`` means: “1 minute”, “5m”, “00:01:00”, or seconds such as “60”.

    Raises `InvalidRate` for anything else: what could be taken for two things is refused.
    """
    if seconds := SECONDS.fullmatch(text):
        return timedelta(microseconds=int(Decimal(seconds[1]) * MILLION))
    if clock := CLOCK.fullmatch(text):
        hours, minutes, seconds_of = (int(part) for part in clock.groups())
        return timedelta(hours=hours, minutes=minutes, seconds=seconds_of)
    return parse_rate(f"1/{text}", setting="period").period


def written_period(span: timedelta) -> str:
    """The text that `read_period` takes back for ``span``, in the largest unit that holds it."""
    if span % SECOND:
        digits = f"{span // MICROSECOND / MILLION:f}".rstrip("0")
        return f"{digits} seconds"
    length = span // SECOND
    seconds, _letter, word, _others = next(unit for unit in UNITS if length % unit[0] == 0)
    count = length // seconds
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
