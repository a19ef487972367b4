"""Reads one value of the file: each reader takes what TOML gives, or raises what to write."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from typing import Any

from quotas.domain.limits import is_whole
from quotas.domain.periods import read_period
from quotas.domain.rates import CIVIL
from quotas.domain.words import Algorithm, CalendarUnit, Mode, OutagePolicy, SubjectKind
from quotas.errors import InvalidLimit, InvalidRate
from quotas.services.plans_file.entries import UNLIMITED

Reader = Callable[[object], Any]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidLimit("give text, between quotation marks")
    if "\0" in value:
        raise InvalidLimit("take the character of number 0 out")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidLimit("give true or false")
    return value


def _whole(value: object) -> int:
    if not is_whole(value):
        raise InvalidLimit("give a whole number, or leave it out")
    return value


def _amount(value: object) -> int | None:
    if value == UNLIMITED:
        return None
    if not is_whole(value):
        raise InvalidLimit(f'give a whole number, 0 to deny all, or "{UNLIMITED}"')
    return value


def _period(value: object) -> timedelta:
    text = value if isinstance(value, str) else ""
    try:
        return read_period(text.strip())
    except InvalidRate as error:
        if any(word in CIVIL for word in re.findall("[a-z]+", text.lower())):
            hint = "months and years have no fixed length: for those, take calendar_quota and unit"
            raise InvalidLimit(hint) from error
        hint = 'write "1 minute", "2 hours", "0.5 seconds" or "00:01:00"; at most 1830 days'
        raise InvalidLimit(hint) from error


def _percentages(value: object) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise InvalidLimit("give percentages in brackets, such as [80, 100], or [] for none")
    return tuple(value)


def _word(words: type[StrEnum]) -> Reader:
    def read(value: object) -> str:
        if value not in list(words):
            raise InvalidLimit(f"give one of {', '.join(words)}")
        return str(value)

    return read


PLAN_READERS: dict[str, Reader] = {
    "name": _text,
    "default": _flag,
    "anonymous": _flag,
    "active": _flag,
}
LIMIT_READERS: dict[str, Reader] = {
    "scope": _text,
    "name": _text,
    "title": _text,
    "algorithm": _word(Algorithm),
    "amount": _amount,
    "period": _period,
    "unit": _word(CalendarUnit),
    "capacity": _whole,
    "subject": _word(SubjectKind),
    "mode": _word(Mode),
    "outage_policy": _word(OutagePolicy),
    "warn_at": _percentages,
    "warn_projected": _flag,
}
