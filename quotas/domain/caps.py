"""A tenant's own cap on a limit: it lowers what fits, and never raises it."""

from __future__ import annotations

from dataclasses import replace

from quotas.domain.limits import DenyAll, LeakyBucket, TokenBucket, Unlimited
from quotas.domain.policies import Limit
from quotas.domain.rules import build_rule


def capped(limit: Limit, most: int) -> Limit:
    """The limit with at most ``most`` units, its kind of state kept.

    A bucket's capacity is lowered as its amount is; an unlimited limit becomes one of that amount.
    The limit itself when there is nothing to lower. Raises `InvalidLimit` for a cap below 1.
    """
    rule, kept_us = limit.rule, 0
    if isinstance(rule, DenyAll):
        return limit
    if isinstance(rule, Unlimited):
        lowered = build_rule(
            algorithm=rule.algorithm, amount=most, period=rule.period, unit=rule.unit
        )
    elif isinstance(rule, TokenBucket | LeakyBucket):
        if isinstance(rule, TokenBucket):  # as long as it takes to fill without the cap
            kept_us = -(-rule.capacity * rule.period_us // rule.amount)
        lowered = replace(rule, amount=min(rule.amount, most), capacity=min(rule.capacity, most))
    else:
        lowered = replace(rule, amount=min(rule.amount, most))
    if lowered == rule:
        return limit
    return replace(limit, rule=lowered, cap=most, uncapped=rule.amount, kept_us=kept_us)
