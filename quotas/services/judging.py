"""Judges what was used: which thresholds of its limits a tenant has come to, and when."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.alerts import PROJECTED, is_projected, thresholds_met
from quotas.domain.calendar import instant_at, microseconds, period_at
from quotas.domain.limits import CalendarQuota
from quotas.domain.words import CalendarUnit, Mode
from quotas.engine.hours import HOUR_US
from quotas.services.policy import Policy, zone_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quotas.domain.policies import Limit
    from quotas.engine.hours import Hour, Peak
    from quotas.engine.tallies import Quarter, Tallied
    from quotas.services.keeping import Row
    from quotas.services.policy import Plans, TenantRow

LATE_US = 24 * 3600 * 1_000_000
"""Hours that began longer ago raise no alert: what is said of them is no news."""
RECENT_US = 2 * HOUR_US
"""Denials of quarters that began longer ago say nothing of the limit as it is now."""
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
        denying = self._denying(tallied.quarters) if limits else set()
        for row in balances:
            scope, name, start, end, used = row[2], row[3], row[6], row[7], row[8]
            if limit := limits.get(f"{scope}/{name}"):
                self._balance(tenant, limit, used, start, end)
        for hour in tallied.hours if limits else ():
            if hour.start_us <= self.at_us - LATE_US:
                continue
            for peak in hour.peaks:
                if limit := limits.get(peak.label):
                    lowered = peak.label in denying and self._holds_yet(limit, hour)
                    held = _beside_what_fits_now(limit, peak) if lowered else peak
                    self._peak(tenant, limit, hour, held, balances)

    def _denying(self, quarters: Sequence[Quarter]) -> set[str]:
        """The limits that denied lately, by their labels."""
        return {
            each.label
            for quarter in quarters
            if quarter.start_us > self.at_us - RECENT_US
            for each in quarter.limits
            if each.denied
        }

    def _holds_yet(self, limit: Limit, hour: Hour) -> bool:
        """Whether what was taken in the hour may be what a limit denies for now.

        Of a calendar quota the balance says it.
        """
        if isinstance(limit.rule, CalendarQuota):
            return False
        held_us = max(HOUR_US, getattr(limit.rule, "period_us", 0))
        return hour.start_us + HOUR_US > self.at_us - held_us

    def _peak(
        self, tenant: TenantRow, limit: Limit, hour: Hour, peak: Peak, balances: Sequence[Row]
    ) -> None:
        """Judge how full a limit got in an hour.

        One in which a quota's period ended counts for that, unless the next has come as far.
        """
        start, end = self._period_of(tenant, limit, hour.start_us, balances)
        since = (
            row[8] for row in balances if row[2:4] == (limit.scope, limit.name) and row[6] >= end
        )
        if isinstance(limit.rule, CalendarQuota) and peak.used <= max(since, default=0):
            return
        # Of a quota the hour is known to be of the period that held then. A day has no such state.
        at = instant_at(hour.start_us)
        of_quota = isinstance(limit.rule, CalendarQuota)
        span = Span(at, at + INSTANT) if of_quota else Span(start, end)
        for threshold in thresholds_met(limit, peak.used, peak.most):
            met = Met(tenant.pk, start, limit.scope, limit.name, threshold)
            self._add(met, span, Reading(peak.used, peak.most or 0, end, limit.title))

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


def _beside_what_fits_now(limit: Limit, peak: Peak) -> Peak:
    """The peak beside what fits at once now, where the limit was lowered since the last charge.

    Calls that are denied charge nothing: the peak has what fitted before.
    """
    most: int | None = getattr(limit.rule, "most_at_once", None)
    if most is None or (peak.most is not None and peak.most <= most):
        return peak
    return replace(peak, most=most)


@lru_cache(maxsize=4096)
def _period(
    unit: CalendarUnit, at_us: int, time_zone: str, anchor_day: int
) -> tuple[datetime, datetime]:
    at = instant_at(at_us)
    found = period_at(unit, at, zone=zone_of(time_zone), anchor=anchor_day)
    return found.start, found.end
