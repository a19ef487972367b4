"""Events from the access logs of web servers: Apache's and nginx's combined format, or common."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from functools import lru_cache

from quotas.domain.addresses import counted_address
from quotas.services.simulation.events import EVERYBODY, LATEST, BadLine, Event
from quotas.services.simulation.lines import LONGEST

ABSENT = "-"
SECOND_US = 1_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
REQUEST_PARTS = 2

# Quotes inside a quoted field are escaped; what follows the status is not looked at.
LINE = re.compile(
    r'(?P<address>\S+) \S+ (?P<user>.+?) \[(?P<time>[^\]]*)\] "(?P<request>(?:[^"\\]|\\.)*)" '
    r"(?:\d{3}|-)(?: |$)"
)
TIME = re.compile(r"(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)([0-5]\d)")
HOST = re.compile(r"[A-Za-z0-9._-]+")
METHOD = re.compile(r"[A-Z][A-Z-]*")
ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)


class Counted(StrEnum):
    """What of a logged request is taken for its subject."""

    ADDRESS = "address"
    PATH = "path"
    USER = "user"
    METHOD = "method"
    ALL = "all"


def event_from_log(line: bytes, counted: Counted = Counted.ADDRESS) -> Event:
    """The event of a logged request, of cost 1. Raises `BadLine`.

    Addresses are counted as the limiter does: IPv6 by its /64, IPv4-mapped as IPv4. Paths are
    without query; what a request that is none of HTTP lacks is ``-``. Escapes stay as logged.
    """
    if len(line) > LONGEST:
        raise BadLine(f"it is longer than {LONGEST:,} bytes")
    found = LINE.match(line.decode(errors="backslashreplace"))
    if found is None:
        raise BadLine('it is not of the form: address - user [time] "request" status …')
    seconds = _seconds(found["time"])
    address = _address(found["address"])
    match counted:
        case Counted.ADDRESS:
            subject = address
        case Counted.USER:
            subject = found["user"]
        case Counted.ALL:
            subject = EVERYBODY
        case _:
            subject = _of_request(found["request"], counted)
    return Event(at=str(seconds), at_us=seconds * SECOND_US, subject=subject)


@lru_cache(maxsize=1024)
def _seconds(text: str) -> int:
    """Unix seconds of ``17/May/2015:10:05:03 +0200``, whatever the locale."""
    found = TIME.fullmatch(text)
    try:
        if found is None:
            raise ValueError(text)  # noqa: TRY301 - one message for every way to be no time
        day, month, year, hour, minute, second, sign, hours, minutes = found.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        zone = timezone(-offset if sign == "-" else offset)
        date = (int(year), MONTHS.index(month) + 1, int(day))
        instant = datetime(*date, int(hour), int(minute), int(second), tzinfo=zone)
        seconds = (instant - EPOCH) // timedelta(seconds=1)
    except (ValueError, OverflowError) as error:
        way_out = "give one such as [17/May/2015:10:05:03 +0000]"
        raise BadLine(f"its time is [{text[:40]}]: {way_out}") from error
    if not 0 <= seconds < LATEST:
        raise BadLine(f"its time is [{text}]: give one from 1970 to before the year 2090")
    return seconds


@lru_cache(maxsize=65_536)
def _address(text: str) -> str:
    try:
        return str(counted_address(text))
    except ValueError as error:
        if HOST.fullmatch(text):
            return text.lower()
        raise BadLine(f"its address is {text[:60]!r}: give an address or a host name") from error


def _of_request(request: str, counted: Counted) -> str:
    parts = request.split(" ")
    if len(parts) < REQUEST_PARTS or not METHOD.fullmatch(parts[0]):
        return ABSENT
    if counted is Counted.METHOD:
        return parts[0]
    return re.split(r"[?#]", ORIGIN.sub("", parts[1], count=1))[0] or "/"
