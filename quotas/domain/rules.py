"""Builds a rule from the loose numbers of a form, a row or a JSON object, or says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TypeVar

from quotas.domain.limits import (
    DEFAULT_LEASE,
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    Rule,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
    Unlimited,
    is_whole,
)
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidLimit

Word = TypeVar("Word", Algorithm, CalendarUnit)

BUCKETS: dict[Algorithm, type[TokenBucket | LeakyBucket]] = {
    Algorithm.TOKEN_BUCKET: TokenBucket,
    Algorithm.LEAKY_BUCKET: LeakyBucket,
}
WINDOWS: dict[Algorithm, type[FixedWindow | SlidingWindowCounter | SlidingWindowLog]] = {
    Algorithm.FIXED_WINDOW: FixedWindow,
    Algorithm.SLIDING_WINDOW_COUNTER: SlidingWindowCounter,
    Algorithm.SLIDING_WINDOW_LOG: SlidingWindowLog,
}
FIELDS = ("algorithm", "amount", "period", "unit", "capacity")


def build_rule(
    *,
    algorithm: Algorithm | str,
    amount: int | None,
    period: timedelta | None = None,
    unit: CalendarUnit | str | None = None,
    capacity: int | None = None,
) -> Rule:
    """The rule that these numbers make: ``amount`` 0 is `DenyAll`, None is `Unlimited`.

    A bucket's ``capacity`` defaults to its amount, a concurrency limit's ``period`` (its lease) to
    60 s. Raises `InvalidLimit` naming the field for anything missing, superfluous or out of range.
    """
    algorithm = _known(Algorithm, "algorithm", algorithm)
    unit = None if unit is None or unit == "" else _known(CalendarUnit, "unit", unit)
    if algorithm is Algorithm.CONCURRENCY and period is None:
        period = DEFAULT_LEASE
    none_at_all = is_whole(amount) and amount == 0
    # With any amount the other numbers must make a rule: 0 and blank are there to be edited again.
    stand_in = 1 if amount is None or none_at_all else amount
    rule = _counting_rule(algorithm, stand_in, period, unit, capacity)
    if amount is None:
        return Unlimited(algorithm=algorithm, period=period, unit=unit)
    return DenyAll(algorithm=algorithm) if none_at_all else rule


def rule_from_json(value: object) -> Rule:
    """The rule of ``{"algorithm", "amount", "period" (seconds) or "unit", "capacity"}``.

    Raises `InvalidLimit` for a field that it does not know and for an amount that is not given,
    so that a slip of the pen is no default; ``null`` is unlimited.
    """
    if (
        not isinstance(value, Mapping)
        or not value.keys() <= set(FIELDS)
        or not value.keys() >= set(FIELDS[:2])
    ):
        raise InvalidLimit(
            f"{value!r}: give an object with algorithm and amount (null is unlimited), "
            f"and nothing else but {', '.join(FIELDS[2:])}."
        )
    return build_rule(
        algorithm=value["algorithm"],
        amount=value["amount"],
        period=_span(value.get("period")),
        unit=value.get("unit"),
        capacity=value.get("capacity"),
    )


def _span(seconds: object) -> timedelta | None:
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise InvalidLimit(f"period is {seconds!r}: give seconds, as a number.")
    try:
        return timedelta(microseconds=round(seconds * 1_000_000))
    except (OverflowError, ValueError) as error:
        raise InvalidLimit(
            f"period is {seconds!r}: give seconds, at most five years of them."
        ) from error


def _known(words: type[Word], field: str, value: str) -> Word:
    try:
        return words(value)
    except ValueError as error:
        offered = ", ".join(words)
        raise InvalidLimit(f"{field} is {value!r}: give one of {offered}.") from error


def _counting_rule(
    algorithm: Algorithm,
    amount: int,
    period: timedelta | None,
    unit: CalendarUnit | None,
    capacity: int | None,
) -> Rule:
    if capacity is not None and algorithm not in BUCKETS:
        raise InvalidLimit(
            f"capacity is {capacity!r}: only a bucket has one, {algorithm} does not."
        )
    if algorithm is Algorithm.CALENDAR_QUOTA:
        if unit is None or period is not None:
            raise InvalidLimit(
                f"unit is {unit!r}, period {period!r}: a calendar quota takes a unit and no period."
            )
        return CalendarQuota(amount=amount, unit=unit)
    if period is None or unit is not None:
        raise InvalidLimit(
            f"period is {period!r}, unit {unit!r}: {algorithm} takes a period and no unit."
        )
    if algorithm is Algorithm.CONCURRENCY:
        return Concurrency(amount=amount, period=period)
    if algorithm in BUCKETS:
        held = amount if capacity is None else capacity
        return BUCKETS[algorithm](amount=amount, period=period, capacity=held)
    return WINDOWS[algorithm](amount=amount, period=period)
