"""What an edit of a limit takes away, and what it does to usage in progress (decision 6).

Pure: the rules only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from fractions import Fraction

from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    Rule,
    TokenBucket,
    Unlimited,
)
from quotas.domain.policies import Limit
from quotas.domain.words import Algorithm, CalendarUnit, Mode, SubjectKind

NOTICED = Fraction(9, 10)
"""What an edit may leave of a limit without a question: a cut of more than 10 % is asked about."""
DAYS = {CalendarUnit.DAY: 1, CalendarUnit.WEEK: 7, CalendarUnit.MONTH: 30, CalendarUnit.YEAR: 365}
EPOCH_WINDOWS = frozenset({Algorithm.FIXED_WINDOW, Algorithm.SLIDING_WINDOW_COUNTER})
# What a blank amount counts as, so that usage in progress is found again.
COUNTED_BLANK = EPOCH_WINDOWS | {Algorithm.CALENDAR_QUOTA, Algorithm.CONCURRENCY}


class InProgress(StrEnum):
    """What becomes of usage that was counted before an edit."""

    KEPT = "kept"
    CLAMPED = "clamped"
    SET_ASIDE = "set_aside"
    RESTARTED = "restarted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A limit before and after an edit."""

    before: Limit
    after: Limit

    @property
    def matters(self) -> bool:
        """Whether calls may be judged otherwise, not only named or alerted about otherwise."""
        return _judging(self.before) != _judging(self.after)

    @property
    def in_progress(self) -> InProgress:
        """What becomes of usage in progress."""
        one, two = self.before, self.after
        if (one.scope, one.name, one.subject) != (two.scope, two.name, two.subject):
            return InProgress.RESTARTED
        return _in_progress(one.rule, two.rule)

    @property
    def most(self) -> int | None:
        """The most that can be in use at once after the edit; None: no end."""
        return _most(self.after)

    @property
    def lowers_most(self) -> bool:
        """Whether less can be in use at once than before."""
        return _less(_most(self.after), _most(self.before))

    @property
    def tightens(self) -> bool:
        """Whether less is allowed than before: at once, in time, or to all that were counted apart.

        A limit of another scope is another one: what it takes away is not told by numbers.
        """
        one, two = self.before, self.after
        gathers = two.subject is SubjectKind.TENANT and one.subject is not two.subject
        moves = gathers or one.scope != two.scope
        return (moves and _most(two) is not None) or any(map(_less, *self._pairs))

    @property
    def is_noticed(self) -> bool:
        """Whether more than 10 % is taken away: of what fits at once, or of the rate."""
        return any(
            _less(new, old) and (old is None or (new or 0) < old * NOTICED)
            for new, old in zip(*self._pairs, strict=True)
        )

    @property
    def _pairs(self) -> tuple[tuple[Fraction | int | None, ...], tuple[Fraction | int | None, ...]]:
        """What fits at once, and the rate: after, and before."""
        return (_most(self.after), _rate(self.after)), (_most(self.before), _rate(self.before))


def _judging(limit: Limit) -> tuple[object, ...]:
    return limit.scope, limit.name, limit.subject, limit.mode, limit.rule


def _less(new: Fraction | int | None, old: Fraction | int | None) -> bool:
    return new is not None and (old is None or new < old)


def _most(limit: Limit) -> int | None:
    rule = limit.rule
    return (
        None if limit.mode is not Mode.ENFORCE or isinstance(rule, Unlimited) else rule.most_at_once
    )


def _rate(limit: Limit) -> Fraction | int | None:
    """Units a second; None where no rate holds them back."""
    rule = limit.rule
    if limit.mode is not Mode.ENFORCE or isinstance(rule, Unlimited | Concurrency):
        return None
    if isinstance(rule, DenyAll):
        return 0
    span = timedelta(days=DAYS[rule.unit]) if isinstance(rule, CalendarQuota) else rule.period
    return Fraction(rule.amount * 1_000_000, span // timedelta(microseconds=1))


def _in_progress(before: Rule, after: Rule) -> InProgress:
    unlike = before.algorithm is not after.algorithm
    if not unlike and (isinstance(before, DenyAll) or isinstance(after, DenyAll)):
        return InProgress.KEPT  # where nothing is admitted no state is touched
    if unlike or getattr(before, "unit", None) is not getattr(after, "unit", None):
        return _left(before)
    blank = isinstance(before, Unlimited) is not isinstance(after, Unlimited)
    if blank and before.algorithm not in COUNTED_BLANK:
        return InProgress.RESTARTED
    periods = getattr(before, "period", None), getattr(after, "period", None)
    if before.algorithm in EPOCH_WINDOWS and periods[0] != periods[1]:
        return InProgress.RESTARTED
    if isinstance(before, TokenBucket) and isinstance(after, TokenBucket):
        return InProgress.CLAMPED if after.capacity < before.capacity else InProgress.KEPT
    return InProgress.KEPT


def _left(rule: Rule) -> InProgress:
    """What becomes of what a rule counted when another kind of state counts on.

    A calendar quota finds it again when the limit becomes that quota again within the period.
    """
    books = rule.algorithm is Algorithm.CALENDAR_QUOTA and not isinstance(rule, DenyAll)
    return InProgress.SET_ASIDE if books else InProgress.RESTARTED
