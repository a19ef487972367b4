"""Which limits of a plan can never deny by themselves, and which contradict one another.

Pure. Claimed is only what follows from what the rules guarantee, while Redis answers, no override
stands in and no tenant's time zone is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from quotas.domain.limits import (
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
)
from quotas.domain.policies import Limit
from quotas.domain.words import EVERY_SCOPE, CalendarUnit, Mode, OutagePolicy, SubjectKind

Buckets = TokenBucket | LeakyBucket
Windows = FixedWindow | SlidingWindowCounter | SlidingWindowLog
DAY = timedelta(days=1)
# No civil period is longer: a day of 25 hours and one of the calendars' leaps are within.
LONGEST = {
    CalendarUnit.DAY: 2 * DAY,
    CalendarUnit.WEEK: 9 * DAY,
    CalendarUnit.MONTH: 33 * DAY,
    CalendarUnit.YEAR: 368 * DAY,
}
USUAL = {
    CalendarUnit.DAY: DAY,
    CalendarUnit.WEEK: 7 * DAY,
    CalendarUnit.MONTH: 30 * DAY,
    CalendarUnit.YEAR: 365 * DAY,
}
# How many periods of the first unit one of the second can touch.
TOUCHED = {
    (CalendarUnit.DAY, CalendarUnit.WEEK): 8,
    (CalendarUnit.DAY, CalendarUnit.MONTH): 32,
    (CalendarUnit.DAY, CalendarUnit.YEAR): 367,
    (CalendarUnit.WEEK, CalendarUnit.MONTH): 6,
    (CalendarUnit.WEEK, CalendarUnit.YEAR): 54,
    (CalendarUnit.MONTH, CalendarUnit.YEAR): 14,
}


class Flaw(StrEnum):
    """What is odd about a limit beside another."""

    NEVER_BINDS = "never_binds"
    MORE_IN_LESS = "more_in_less"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A flaw of a limit, and the other limit that makes it one."""

    flaw: Flaw
    other: Limit


def flags(limits: Sequence[Limit]) -> list[list[Flag]]:
    """The flags of each limit, in order: at most one of a kind, and of two alike the later."""
    return [_flags_of(place, limits) for place in range(len(limits))]


def never_binds(limit: Limit, other: Limit) -> bool:
    """Whether ``limit`` admits every call that ``other``, in force beside it, admits."""
    if not _beside(limit, other) or isinstance(limit.rule, DenyAll | Unlimited):
        return False
    if limit.outage_policy is OutagePolicy.DENY and other.outage_policy is not OutagePolicy.DENY:
        return False
    return _within(other.rule, limit.rule)


def more_in_less(limit: Limit, other: Limit) -> bool:
    """Whether ``limit`` allows more in its period than ``other`` does in a longer one."""
    spans = _usual(limit.rule), _usual(other.rule)
    if not _beside(limit, other) or None in spans:
        return False
    short, long = (span or DAY for span in spans)
    return short < long and (limit.rule.amount or 0) > (other.rule.amount or 0)


def _flags_of(place: int, limits: Sequence[Limit]) -> list[Flag]:
    limit, found = limits[place], []
    for flaw, holds in ((Flaw.NEVER_BINDS, never_binds), (Flaw.MORE_IN_LESS, more_in_less)):
        for there, other in enumerate(limits):
            alike = flaw is Flaw.NEVER_BINDS and there > place and holds(other, limit)
            if there != place and not alike and holds(limit, other):
                found.append(Flag(flaw=flaw, other=other))
                break
    return found[:1]


def _beside(limit: Limit, other: Limit) -> bool:
    """Whether every call that counts for ``limit`` counts for ``other`` too, which denies."""
    counted = limit.subject is other.subject or (
        other.subject is SubjectKind.TENANT and limit.subject is SubjectKind.USER
    )
    scoped = other.scope in {limit.scope, EVERY_SCOPE}
    return counted and scoped and other.mode is Mode.ENFORCE and limit.mode is not Mode.OFF


def _usual(rule: Rule) -> timedelta | None:
    if isinstance(rule, CalendarQuota):
        return USUAL[rule.unit]
    return rule.period if isinstance(rule, Buckets | Windows) else None


def _within(first: Rule, rule: Rule) -> bool:
    """Whether whatever ``first`` admits, ``rule`` would admit."""
    if isinstance(first, DenyAll):
        return True
    if isinstance(first, Concurrency) and isinstance(rule, Concurrency):
        return first.amount <= rule.amount and first.period >= rule.period
    if isinstance(first, CalendarQuota):
        # Its periods may be cut short by an edit of the tenant: only other quotas share its edges.
        return isinstance(rule, CalendarQuota) and _within_civil(first, rule)
    if isinstance(first, Buckets | Windows) and isinstance(rule, Buckets | Windows | CalendarQuota):
        return first.most_at_once <= rule.most_at_once and _within_rate(first, rule)
    return False


def _within_rate(first: Buckets | Windows, rule: Buckets | Windows | CalendarQuota) -> bool:
    if isinstance(rule, CalendarQuota):
        return first.most_allowed_in(LONGEST[rule.unit]) <= rule.amount
    if isinstance(rule, Buckets):
        return _within_bucket(first, rule)
    return _most_in_window(first, rule) <= rule.amount


def _within_civil(first: CalendarQuota, rule: CalendarQuota) -> bool:
    if first.unit is rule.unit:
        return first.amount <= rule.amount
    touched = TOUCHED.get((first.unit, rule.unit))
    return touched is not None and first.amount * touched <= rule.amount


def _within_bucket(first: Buckets | Windows, rule: Buckets) -> bool:
    """Whether no interval is admitted more by ``first`` than the bucket holds and refills in it."""
    slower = first.amount * rule.period <= rule.amount * first.period
    if isinstance(first, Buckets):
        at_once = first.capacity
    else:
        # Windows admit their amount on each side of an edge; a log never more than once.
        at_once = first.amount * (1 if isinstance(first, SlidingWindowLog) else 2)
    return slower and at_once <= rule.capacity


def _most_in_window(first: Buckets | Windows, rule: Windows) -> int:
    """The most that ``first`` lets ``rule`` count at any instant."""
    # A counter weighs the window before as well.
    span = rule.period * (2 if isinstance(rule, SlidingWindowCounter) else 1)
    epochs = isinstance(first, FixedWindow | SlidingWindowCounter)
    aligned = epochs and not isinstance(rule, SlidingWindowLog) and not span % first.period
    if aligned and not rule.period % first.period:
        return first.amount * (span // first.period)
    return first.most_allowed_in(span)
