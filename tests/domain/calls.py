"""Instants and limits in the words of the cases: seconds after the first call, "n in p seconds"."""

from __future__ import annotations

from datetime import timedelta

from quotas.domain.limits import MICROSECOND
from quotas.domain.reference import Reference
from quotas.domain.rules import build_rule

START_US = 1_793_059_200_000_000


def at(seconds):
    """The instant, in us, that is so many seconds after the start."""
    return START_US + us(seconds)


def us(seconds):
    return timedelta(seconds=seconds) // MICROSECOND


def rule(algorithm, amount, seconds, *, capacity=None):
    return build_rule(
        algorithm=algorithm, amount=amount, period=timedelta(seconds=seconds), capacity=capacity
    )


def limit(algorithm, amount, seconds, *, capacity=None):
    return Reference(rule(algorithm, amount, seconds, capacity=capacity))


def retry_after(judgement):
    """The header that the edge writes: whole seconds, rounded up, at least 1; None is never."""
    if judgement.wait_us is None:
        return None
    return max(1, -(-judgement.wait_us // 1_000_000))


def admitted(reference, instants, cost=1):
    """Those of the instants, in seconds, at which a call of ``cost`` was admitted."""
    return [second for second in instants if reference.consume(cost, at(second)).fits]


def days_of(hours):
    """Civil days that all last as long, for a calendar quota that needs no calendar."""
    length = us(3600 * hours)

    def edges(now_us):
        start = now_us // length * length
        return start - length, start, start + length, start + 2 * length

    return edges
