"""What a record consists of: events, read from JSON lines, and lines that are none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any, NoReturn

from quotas.errors import QuotasError
from quotas.services.simulation.lines import LONGEST

EVERYBODY = "all"
"""The subject of an event that names none."""
MICROSECOND = Decimal("0.000001")
# 2090-01-01. The script's instants end in 2112, and a replay may run up to 16 years ahead of its
# record; what lies beyond are milliseconds taken for seconds.
LATEST = 3_786_912_000
LONGEST_COST = 18
LONGEST_SHOWN = 60
EXACT = Context(prec=40, traps=[Inexact, InvalidOperation])


class BadLine(QuotasError, ValueError):
    """A line of a record that cannot be replayed; the message says why, and what would do."""


class Numeral(str):
    """A number of a JSON text, as it was written."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One recorded call: at ``at_us`` (us since the epoch), by ``subject``, of ``cost`` units.

    ``at`` is the instant as the record had it.
    """

    at: str
    at_us: int
    subject: str = EVERYBODY
    cost: int = 1


def event_from_json(line: bytes) -> Event:
    """The event of ``{"at": seconds, "cost": 1, "subject": "a"}``. Raises `BadLine`.

    ``at`` is taken exactly, to the microsecond. ``cost`` (1) and ``subject`` (`EVERYBODY`) may be
    absent or null. Other fields are left aside.
    """
    value = _object(line)
    if "at" not in value:
        raise BadLine('there is no "at": give Unix seconds')
    at, cost, subject = value["at"], value.get("cost"), value.get("subject")
    return Event(
        at=str(at),
        at_us=_exact_us(at),
        subject=EVERYBODY if subject is None else _text(subject),
        cost=1 if cost is None else _whole(cost),
    )


def _object(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST:
        raise BadLine(f"it is longer than {LONGEST:,} bytes")
    try:
        value = READER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise BadLine("it is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise BadLine(f"it is not JSON ({error.msg}, character {error.pos + 1})") from error
    except RecursionError as error:
        raise BadLine("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise BadLine('it is not an object such as {"at": 1793059200.05}')
    return value


def _exact_us(at: object) -> int:
    if not isinstance(at, Numeral):
        raise BadLine(f"at is {_shown(at)}: give Unix seconds, as a number")
    try:
        seconds = Decimal(at)
        if not 0 <= seconds < LATEST:
            raise BadLine(f"at is {_shown(at)}: give Unix seconds, from 0 and before the year 2090")
        return int(seconds.quantize(MICROSECOND, context=EXACT).scaleb(6, context=EXACT))
    except Inexact as error:
        raise BadLine(f"at is {_shown(at)}: give at most 6 decimals") from error
    except InvalidOperation as error:
        raise BadLine(f"at is {_shown(at)}: its exponent is out of range") from error


def _whole(cost: object) -> int:
    if not isinstance(cost, Numeral) or not cost.isdecimal():
        raise BadLine(f"cost is {_shown(cost)}: give a whole number of at least 0")
    if len(cost) > LONGEST_COST:
        raise BadLine(f"cost is {_shown(cost)}: give at most {LONGEST_COST} digits")
    return int(cost)


def _text(subject: object) -> str:
    if not isinstance(subject, str) or isinstance(subject, Numeral):
        raise BadLine(f"subject is {_shown(subject)}: give text, in quotes")
    return subject


def _shown(value: object) -> str:
    """A value as JSON, cut when it is long."""
    text = str(value) if isinstance(value, Numeral) else json.dumps(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _no_constant(name: str) -> NoReturn:
    raise BadLine(f"it is not JSON ({name} is no number)")


READER = json.JSONDecoder(parse_float=Numeral, parse_int=Numeral, parse_constant=_no_constant)
