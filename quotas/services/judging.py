"""Judges what was used: which thresholds of its limits a tenant has come to, and when."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.alerts import PROJECTED, is_projected, thresholds_met
from quotas.domain.calendar import instant_at, microseconds, period_at
from quotas.domain.keys import rule_tag
from quotas.domain.limits import CalendarQuota
from quotas.domain.words import CalendarUnit, Mode
from quotas.services.policy import Policy, zone_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quotas.domain.policies import Limit
    from quotas.engine.hours import Fullest, Hour
    from quotas.engine.tallies import Tallied
    from quotas.services.keeping import Row
    from quotas.services.policy import Plans, TenantRow

LATE_US = 24 * 3600 * 1_000_000
"""Hours that began longer ago raise no alert: what is said of them is no news."""
INSTANT = timedelta(microseconds=1)


class Met(NamedTuple):
    """A threshold that a tenant has come to, as `quotas_alert_once` tells alerts apart."""

    tenant_pk: int
    period_start: datetime
    scope: str
    name: str
    threshold: str


class Span(NamedTuple):
    """From ``start`` up to and without ``end``."""

    start: datetime
    end: datetime


class Reading(NamedTuple):
    """How much was used of how much, when the period ends, and what people call the limit."""

    used: int
    amount: int
    period_end: datetime
    title: str


class Judge:
    """Gathers what was met, tenant by tenant.

    ``met``: beside each, in which span of time a kept alert of the same limit and threshold tells
    of it, whatever its period; None where only one of the same period does.
    """

    def __init__(self, at_us: int) -> None:
        self.at_us = at_us
        self.met: dict[tuple[Met, Span | None], Reading] = {}

    def look_at(
        self, tenant: TenantRow, plans: Plans, tallied: Tallied, balances: Sequence[Row]
    ) -> None:
        """Judge the hours of one tenant, and what it has used of its calendar quotas."""
        limits = self._judged(tenant, plans)
        for row in balances:
            scope, name, start, end, used = row[2], row[3], row[6], row[7], row[8]
            if limit := limits.get(f"{scope}/{name}"):
                self._balance(tenant, limit, used, start, end)
        for hour in tallied.hours if limits else ():
            if hour.start_us <= self.at_us - LATE_US:
                continue
            for fullest in hour.fullest:
                limit = limits.get(fullest.label)
                if limit and fullest.tag == rule_tag(limit.rule):  # as it is judged now
                    self._fullest(tenant, limit, hour, fullest, balances)

    def _fullest(
        self, tenant: TenantRow, limit: Limit, hour: Hour, fullest: Fullest, balances: Sequence[Row]
    ) -> None:
        """Judge how full a limit got in an hour.

        One within which a quota's period ended counts for that, unless the next has come as far.
        """
        start, end = self._period_of(tenant, limit, hour.start_us, balances)
        of_quota = isinstance(limit.rule, CalendarQuota)
        if of_quota and hour.start_us + hour.length_us > microseconds(end):
            own = (row for row in balances if row[2:4] == (limit.scope, limit.name))
            if fullest.used <= max((row[8] for row in own if row[6] >= end), default=0):
                return
        # Of a quota the hour is known to be of the period that held then. A day has no such state.
        at = instant_at(hour.start_us)
        span = Span(at, at + INSTANT) if of_quota else Span(start, end)
        for threshold in thresholds_met(limit, fullest.used, fullest.most):
            met = Met(tenant.pk, start, limit.scope, limit.name, threshold)
            self._add(met, span, Reading(fullest.used, fullest.most or 0, end, limit.title))

    def _judged(self, tenant: TenantRow, plans: Plans) -> dict[str, Limit]:
        """The limits that deny and of which somebody wants to be told, by their labels."""
        policy = Policy(plan=plans.of(tenant.plan_pk), tenant=tenant)
        return {
            f"{each.scope}/{each.name}": each
            for each in policy.effective(None, self.at_us)
            if each.mode is Mode.ENFORCE and (each.warn_at or each.warn_projected)
        }

    def _balance(
        self, tenant: TenantRow, limit: Limit, used: int, start: datetime, end: datetime
    ) -> None:
        amount = limit.rule.amount
        met = list(thresholds_met(limit, used, amount))
        if is_projected(
            limit,
            used,
            amount,
            start_us=microseconds(start),
            now_us=self.at_us,
            end_us=microseconds(end),
        ):
            met.append(PROJECTED)
        for threshold in met:
            named = Met(tenant.pk, start, limit.scope, limit.name, threshold)
            self._add(named, None, Reading(used, amount or 0, end, limit.title))

    def _period_of(
        self, tenant: TenantRow, limit: Limit, at_us: int, balances: Sequence[Row]
    ) -> tuple[datetime, datetime]:
        """The period of an alert: a calendar quota's own, else the civil day.

        One that began under another time zone or anchor day is known from its balance.
        """
        if not isinstance(limit.rule, CalendarQuota):
            return _period(CalendarUnit.DAY, at_us, tenant.time_zone, 1)
        at = instant_at(at_us)
        for row in balances:
            if row[2:4] == (limit.scope, limit.name) and row[6] <= at < row[7]:
                return row[6], row[7]
        return _period(limit.rule.unit, at_us, tenant.time_zone, tenant.anchor_day)

    def _add(self, met: Met, span: Span | None, reading: Reading) -> None:
        self.met[met, span] = max(reading, self.met.get((met, span), reading))


@lru_cache(maxsize=4096)
def _period(
    unit: CalendarUnit, at_us: int, time_zone: str, anchor_day: int
) -> tuple[datetime, datetime]:
    at = instant_at(at_us)
    found = period_at(unit, at, zone=zone_of(time_zone), anchor=anchor_day)
    return found.start, found.end
