"""How to read a state that the engine returns: what is used, what remains, when it changes.

A state is (``level``, ``part``) at the instant ``at_us``, already brought forward to it:

=========================  ==========================  ==========================================
algorithm                  level                       part
=========================  ==========================  ==========================================
token_bucket               whole tokens held           part of a token, in 1 / (units per token)
leaky_bucket               whole units queued          part of a unit, likewise
fixed_window               used in this window         0
sliding_window_counter     used in this window         used in the window before
sliding_window_log         used in the last period     us until one fits, or the oldest leaves
calendar_quota             used in this period         us to the period's end
concurrency                calls in flight             us until the next lease runs out
=========================  ==========================  ==========================================
"""

from __future__ import annotations

from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    Rule,
    SlidingWindowCounter,
    TokenBucket,
    Unlimited,
)
from quotas.domain.words import Algorithm


def used(rule: Rule, level: int, part: int, at_us: int) -> int:
    """Whole units of the amount or capacity that are taken, rounded up; what a meter shows."""
    if isinstance(rule, DenyAll):
        return 0
    if isinstance(rule, TokenBucket):
        return rule.capacity - level
    if isinstance(rule, LeakyBucket):
        return level + (part > 0)
    if isinstance(rule, SlidingWindowCounter | Unlimited) and two_windows(rule):
        left = rule.period_us - at_us % rule.period_us
        return level + -(-part * left // rule.period_us)
    return level


def remaining(rule: Rule, level: int, part: int, at_us: int) -> int | None:
    """Whole units left, floored, never below 0; None for an unlimited rule."""
    if isinstance(rule, Unlimited):
        return None
    return max(0, rule.most_at_once - used(rule, level, part, at_us))


def reset_us(rule: Rule, level: int, part: int, at_us: int) -> int | None:
    """Microseconds until more will fit than now: the ``t`` of the headers.

    None: nothing to wait for.

    Windows and calendar quotas: to the period's end. Buckets and the counter: until one unit more
    fits. A log: until one unit fits when none does, else until the oldest entry leaves.
    """
    if isinstance(rule, DenyAll | Concurrency | Unlimited):
        return None
    if isinstance(rule, FixedWindow):
        return rule.period_us - at_us % rule.period_us
    if isinstance(rule, SlidingWindowCounter):
        return _counter_reset_us(rule, level, part, at_us)
    if isinstance(rule, TokenBucket | LeakyBucket):
        refill, token = rule.rate
        missing = token - part
        if isinstance(rule, LeakyBucket) and (level or part):
            room = (remaining(rule, level, part, at_us) or 0) + 1
            missing = (level + room - rule.capacity) * token + part
        return -(-missing // refill)
    return part


def window_us(rule: Rule) -> int | None:
    """Length of the window that the ``w`` of the headers names; of a calendar quota its state's."""
    if isinstance(rule, DenyAll | Concurrency | Unlimited | CalendarQuota):
        return None
    return rule.period_us


def two_windows(rule: Rule) -> bool:
    """Whether a rule's state is that of two windows, the older one weighed."""
    return rule.algorithm is Algorithm.SLIDING_WINDOW_COUNTER


def _counter_reset_us(rule: SlidingWindowCounter, level: int, part: int, at_us: int) -> int:
    """Until one unit more than now remains.

    Still in this window, or when this one is the one before.
    """
    period = rule.period_us
    left = period - at_us % period
    fits = rule.amount - (remaining(rule, level, part, at_us) or 0) - 1
    if level == 0 and -(-part * left // period) == 0:
        return period
    if level <= fits:
        return left - fits_from(fits - level, period, part)
    return left + max(0, period - fits_from(fits, period, level))


def fits_from(room: int, period: int, weighed: int) -> int:
    """The longest overlap (us) of ``weighed`` units that leaves them within ``room``."""
    return room * period // weighed
