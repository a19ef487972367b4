"""The answer to one request.

A `Decision`, made of one `Verdict` for each limit that was evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from quotas.domain import readings
from quotas.domain.limits import CalendarQuota, Concurrency, DenyAll, in_flight
from quotas.domain.policies import Limit
from quotas.domain.words import Code, Mode, OutagePolicy, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

SECOND_US = 1_000_000
NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one limit said.

    ``wait_us`` is 0 when the cost fits, None when it never will, else the microseconds until it
    fits if nobody else consumes. ``delay_us`` is the time to the turn of an admitted call in a
    leaky bucket. ``level`` and ``part`` are the state at ``at_us``, after this call, as
    `quotas.domain.readings` reads them; ``period_us`` is how long its period is, of a calendar
    quota.
    """

    limit: Limit
    cost: int
    fits: bool
    wait_us: int | None
    delay_us: int
    at_us: int
    level: int
    part: int
    period_us: int = 0
    lag_us: int = 0

    @property
    def enforced(self) -> bool:
        """Whether this limit may deny."""
        return self.limit.mode is Mode.ENFORCE

    @property
    def denies(self) -> bool:
        """Whether this limit denied the call."""
        return self.enforced and not self.fits

    @property
    def used(self) -> int:
        """Units taken, rounded up."""
        return readings.used(self.limit.rule, self.level, self.part, self.at_us)

    @property
    def remaining(self) -> int | None:
        """Whole units left after this call, floored; None when unlimited."""
        return readings.remaining(self.limit.rule, self.level, self.part, self.at_us)

    @property
    def reset_us(self) -> int | None:
        """Microseconds until more will fit: the ``t`` of the headers. None: nothing to wait for."""
        reset = readings.reset_us(self.limit.rule, self.level, self.part, self.at_us)
        return None if reset is None else reset + self.lag_us

    @property
    def window_us(self) -> int | None:
        """Length of the window in force, microseconds: the ``w`` of the headers."""
        if isinstance(self.limit.rule, CalendarQuota):
            return self.period_us or None
        return readings.window_us(self.limit.rule)

    @property
    def period(self) -> tuple[int, int]:
        """Start and end (us) of the civil period that a calendar quota's state is of."""
        end_us = self.at_us + self.part
        return end_us - self.period_us, end_us

    @property
    def code(self) -> Code:
        """Why this limit denies."""
        rule = self.limit.rule
        if isinstance(rule, Concurrency):
            return Code.TOO_MANY_IN_FLIGHT
        if not isinstance(rule, DenyAll) and self.wait_us is None:
            return Code.COST_ABOVE_CAPACITY
        return Code.QUOTA_EXCEEDED


@dataclass(frozen=True)
class Decision:
    """The answer to one request over all its limits: charged all or none.

    ``now_us`` is the engine's clock at the decision (microseconds since the epoch). ``slot`` names
    the places that this call holds in flight, if any.
    """

    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    now_us: int
    slot: bytes = b""

    @property
    def allowed(self) -> bool:
        """Whether the request may go on."""
        return self.outcome not in {Outcome.DENIED, Outcome.DENIED_ON_OUTAGE}

    @cached_property
    def denying(self) -> tuple[Verdict, ...]:
        """The limits that denied, in the order of evaluation."""
        return tuple(each for each in self.verdicts if each.denies)

    @cached_property
    def longest(self) -> Verdict | None:
        """Of the limits that denied, the one with the longest wait.

        One that never fits is the longest.
        """
        return max(self.denying, key=_length, default=None)

    @property
    def retry_after_us(self) -> int | None:
        """Microseconds until this cost fits if nobody else consumes.

        0 when allowed, None: never.
        """
        return self.longest.wait_us if self.longest else 0

    @property
    def retry_after(self) -> timedelta | None:
        """`retry_after_us` as a duration."""
        wait = self.retry_after_us
        return None if wait is None else timedelta(microseconds=wait)

    @property
    def retry_after_seconds(self) -> int | None:
        """What the Retry-After header says: whole seconds, rounded up, at least 1.

        None: waiting cannot help.

        A place in flight may be given back any moment: a full concurrency limit says 1.
        """
        longest = max(map(_length, self.denying), default=None)
        if longest is None or longest == NEVER:
            return None
        return max(1, -int(-longest // SECOND_US))

    @property
    def delay_us(self) -> int:
        """Microseconds until the turn of an admitted call: the longest of its leaky buckets."""
        return max((each.delay_us for each in self.verdicts if each.enforced), default=0)

    @property
    def holds_slots(self) -> bool:
        """Whether this call holds, or in an outage may hold, a place that must be given back."""
        if self.outcome is Outcome.ALLOWED_ON_OUTAGE:
            return any(self.slot)
        return self.allowed and any(
            in_flight(each.limit.rule) and each.fits and each.cost > 0 for each in self.verdicts
        )


def on_outage(limits: Sequence[Limit], costs: Sequence[int], slot: bytes = b"") -> Decision:
    """The decision while the engine cannot answer: each limit's own outage policy.

    An amount of 0 needs no engine to deny. A shadow limit never denies. ``slot`` names places that
    a lost answer may have taken.
    """
    asked = [
        Verdict(limit, cost, False, None, 0, 0, 0, 0)  # noqa: FBT003 - fits
        for limit, cost in zip(limits, costs, strict=True)
        if limit.mode is Mode.ENFORCE and cost > 0
    ]
    closed = tuple(each for each in asked if isinstance(each.limit.rule, DenyAll))
    if closed:
        return Decision(Outcome.DENIED, closed, 0, slot)
    denied = any(each.limit.outage_policy is OutagePolicy.DENY for each in asked)
    outcome = Outcome.DENIED_ON_OUTAGE if denied else Outcome.ALLOWED_ON_OUTAGE
    return Decision(outcome, (), 0, slot)


def _length(verdict: Verdict) -> float:
    """How long a denial lasts, as Retry-After tells it: a flight may end any moment."""
    if isinstance(verdict.limit.rule, Concurrency):
        return SECOND_US
    return NEVER if verdict.wait_us is None else verdict.wait_us
