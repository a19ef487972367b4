"""Reads `tests/vectors/algorithms.json` without floats, for the tests of reference and script."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from quotas.domain.limits import Rule
from quotas.domain.rules import build_rule

VECTORS = Path(__file__).parent / "vectors" / "algorithms.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One row: ``retry_after_us`` None is never, ``delay_us`` None where the row names no delay."""

    allowed: bool
    remaining: int
    retry_after_us: int | None
    delay_us: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """A limit, the calls (instant in us, cost) sent to it, and what each must be answered."""

    id: str
    rule: Rule
    start_us: int
    events: tuple[tuple[int, int], ...]
    expected: tuple[Expected, ...]

    @property
    def compares_allowed_alone(self) -> bool:
        """When the clock steps back, the instant that a wait is counted from is no promise."""
        return self.id.endswith("clock-back")


def read_vectors() -> list[Vector]:
    rows = json.loads(VECTORS.read_text(encoding="utf-8"), parse_float=Decimal)
    return [_vector(row) for row in rows]


def exact_us(seconds: Decimal | int) -> int:
    """Raises `ValueError` for seconds that are no whole number of microseconds."""
    microseconds = Fraction(seconds) * 1_000_000
    if microseconds.denominator != 1:
        raise ValueError(f"{seconds} s is no whole number of microseconds: correct the vector.")
    return microseconds.numerator


def _vector(row):
    start_us = exact_us(row["start"])
    return Vector(
        id=row["id"],
        rule=_rule(row["limit"]),
        start_us=start_us,
        events=tuple((start_us + exact_us(after), cost) for after, cost in row["events"]),
        expected=tuple(_expected(*values) for values in row["expect"]),
    )


def _rule(limit):
    period = timedelta(microseconds=exact_us(limit["period"]))
    return build_rule(**{**limit, "period": period})


def _expected(allowed, remaining, retry_after, delay=None):
    return Expected(
        allowed=bool(allowed),
        remaining=remaining,
        retry_after_us=None if retry_after is None else exact_us(retry_after),
        delay_us=None if delay is None else exact_us(delay),
    )
