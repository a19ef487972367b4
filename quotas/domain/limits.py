"""The rules a limit can hold: one frozen value object an algorithm, refused when it makes no sense.

A rule knows its numbers, its guarantee and how to read a state that the engine returns; it
neither counts nor looks at a clock. Durations are `timedelta`; instants and ``_us`` are
microseconds. `quotas.domain.rules` builds them from loose numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from math import gcd
from typing import ClassVar, TypeGuard

from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidLimit

MICROSECOND = timedelta(microseconds=1)
MOST_AMOUNT = 10**12
LONGEST_PERIOD = timedelta(days=5 * 366)
DEFAULT_LEASE = timedelta(seconds=60)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether ``value`` is a whole number: True and False are none, whatever Python says."""
    return isinstance(value, int) and not isinstance(value, bool)


def _need_whole(field: str, value: object, otherwise: str) -> None:
    if not is_whole(value) or not 1 <= value <= MOST_AMOUNT:
        raise InvalidLimit(
            f"{field} is {value!r}: give a whole number from 1 to {MOST_AMOUNT:,} ({otherwise})."
        )


def _need_amount(value: object) -> None:
    _need_whole("amount", value, "0 denies everything, blank is unlimited")


def _need_period(value: object) -> None:
    if not isinstance(value, timedelta) or not timedelta(0) < value <= LONGEST_PERIOD:
        raise InvalidLimit(
            f"period is {value!r}: give a duration above 0 and at most {LONGEST_PERIOD.days} days."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Periodic:
    """``amount`` units per ``period``: what most rules are made of."""

    amount: int
    period: timedelta

    def __post_init__(self) -> None:
        _need_amount(self.amount)
        _need_period(self.period)

    @property
    def period_us(self) -> int:
        return self.period // MICROSECOND

    @property
    def most_at_once(self) -> int:
        """The largest cost that can ever fit."""
        return self.amount


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bucket(_Periodic):
    """A periodic rule with a ``capacity`` of its own."""

    capacity: int

    def __post_init__(self) -> None:
        super(_Bucket, self).__post_init__()
        _need_whole("capacity", self.capacity, "blank is the amount")

    @property
    def most_at_once(self) -> int:
        return self.capacity

    @property
    def rate(self) -> tuple[int, int]:
        """(units per microsecond, units per token): amount / period in lowest terms."""
        shared = gcd(self.amount, self.period_us)
        return self.amount // shared, self.period_us // shared

    def most_allowed_in(self, span: timedelta) -> int:
        """Most units admitted in any interval of length ``span``: floor(capacity + rate x span)."""
        return self.capacity + self.amount * (span // MICROSECOND) // self.period_us


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBucket(_Bucket):
    """A bucket of ``capacity`` tokens, full at first, refilled by ``amount`` every ``period``."""

    algorithm: ClassVar[Algorithm] = Algorithm.TOKEN_BUCKET


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakyBucket(_Bucket):
    """A queue of at most ``capacity`` units, drained by ``amount`` every ``period``.

    Starts are period / amount apart; nobody waits longer than capacity x period / amount.
    """

    algorithm: ClassVar[Algorithm] = Algorithm.LEAKY_BUCKET


@dataclass(frozen=True, slots=True, kw_only=True)
class _EpochWindow(_Periodic):
    """A periodic rule whose windows are counted from the Unix epoch."""

    def most_allowed_in(self, span: timedelta) -> int:
        """Most units in any ``span``: up to twice the amount around one edge."""
        return self.amount * (-(-span // self.period) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedWindow(_EpochWindow):
    """``amount`` units in each window of ``period``, windows counted from the Unix epoch."""

    algorithm: ClassVar[Algorithm] = Algorithm.FIXED_WINDOW


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingWindowCounter(_EpochWindow):
    """About ``amount`` units in any ``period``, if the window before was even; not exact."""

    algorithm: ClassVar[Algorithm] = Algorithm.SLIDING_WINDOW_COUNTER


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingWindowLog(_Periodic):
    """Never more than ``amount`` units in any ``period``: every admitted call is remembered."""

    algorithm: ClassVar[Algorithm] = Algorithm.SLIDING_WINDOW_LOG

    def most_allowed_in(self, span: timedelta) -> int:
        """Most units in any half-open ``span``: the amount for each period begun."""
        return self.amount * -(-span // self.period)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarQuota:
    """``amount`` units in each civil ``unit`` of the tenant's zone, months from its anchor day."""

    amount: int
    unit: CalendarUnit

    algorithm: ClassVar[Algorithm] = Algorithm.CALENDAR_QUOTA

    def __post_init__(self) -> None:
        _need_amount(self.amount)
        if not isinstance(self.unit, CalendarUnit):
            units = ", ".join(CalendarUnit)
            raise InvalidLimit(f"unit is {self.unit!r}: give one of {units}.")

    @property
    def most_at_once(self) -> int:
        return self.amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Concurrency(_Periodic):
    """Never more than ``amount`` calls in flight; a slot not given back frees after ``period``."""

    period: timedelta = DEFAULT_LEASE

    algorithm: ClassVar[Algorithm] = Algorithm.CONCURRENCY


@dataclass(frozen=True, slots=True, kw_only=True)
class DenyAll:
    """An amount of 0: admits nothing, whatever the algorithm, and touches no state."""

    algorithm: Algorithm
    amount: ClassVar[int] = 0
    most_at_once: ClassVar[int] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlimited:
    """A blank amount: admits everything and counts it.

    ``period`` and ``unit`` are those of the limit that was left blank. Windows and calendar
    quotas go on counting where they were, and so do calls in flight; a bucket or log counts per
    epoch window of its period while it is blank.
    """

    algorithm: Algorithm
    period: timedelta | None = None
    unit: CalendarUnit | None = None
    amount: ClassVar[None] = None

    def __post_init__(self) -> None:
        calendar = self.algorithm is Algorithm.CALENDAR_QUOTA
        if (self.period is None) != calendar or (self.unit is not None) != calendar:
            raise InvalidLimit(f"{self!r}: give a period, or for a calendar quota a unit.")
        if self.period is not None:
            _need_period(self.period)

    @property
    def period_us(self) -> int:
        return (self.period or timedelta(0)) // MICROSECOND


Rule = (
    TokenBucket
    | LeakyBucket
    | FixedWindow
    | SlidingWindowCounter
    | SlidingWindowLog
    | CalendarQuota
    | Concurrency
    | DenyAll
    | Unlimited
)


def gives_at_once(rule: Rule) -> bool:
    """Whether what was taken of a rule can be given back at once, and counts down by itself.

    Windows that end all at once are extended instead, by a larger amount to their end.
    """
    return isinstance(
        rule, TokenBucket | LeakyBucket | SlidingWindowCounter | SlidingWindowLog | Concurrency
    )


def in_flight(rule: Rule) -> bool:
    """Whether a rule counts calls in flight, a limited number of them or not."""
    return rule.algorithm is Algorithm.CONCURRENCY and not isinstance(rule, DenyAll)
