"""Raises alerts: what a flush has in hand is judged, and what is new is kept, once.

Any number of flushes may judge the same numbers at once: the database lets one of them keep each
alert, and only that one sends the signal.
"""

from __future__ import annotations

import logging
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from django.db import IntegrityError, router, transaction

from quotas.domain.alerts import PROJECTED, DeliveryState, is_projected, thresholds_met
from quotas.domain.calendar import instant_at, microseconds, period_at
from quotas.domain.limits import CalendarQuota
from quotas.domain.words import CalendarUnit, Mode
from quotas.models import Alert, AlertSettings
from quotas.services.policy import Policy, zone_of
from quotas.signals import usage_threshold_reached

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quotas.domain.policies import Limit
    from quotas.engine.hours import Hour, Peak
    from quotas.services.keeping import Row
    from quotas.services.policy import Plans, TenantRow

logger = logging.getLogger("quotas")

LATE_US = 24 * 3600 * 1_000_000
"""Hours that began longer ago raise no alert: what is said of them is no news."""
BATCH = 500


class _Met(NamedTuple):
    """A threshold that a tenant has come to, as `quotas_alert_once` tells alerts apart."""

    tenant_pk: int
    period_start: datetime
    scope: str
    name: str
    threshold: str


class _Reading(NamedTuple):
    """How much was used of how much, and when the period ends."""

    used: int
    amount: int
    period_end: datetime


def raise_alerts(
    counted: Iterable[tuple[TenantRow, Sequence[Hour]]],
    balances: Sequence[Row],
    plans: Plans,
    at_us: int,
) -> list[Alert]:
    """Keep an alert of each threshold that was newly come to, send its signal, and return it.

    ``balances`` as `quotas.services.keeping.BALANCES` has its columns. Limits in shadow raise none.
    Of a limit that counts users, credentials or addresses the fullest is judged. Raises the
    database's errors.
    """
    judge = _Judge(at_us)
    kept: dict[int, list[Row]] = {}
    for row in balances:
        kept.setdefault(row[0], []).append(row)
    for tenant, hours in counted:
        judge.look_at(tenant, plans, hours, kept.get(tenant.pk, ()))
    new = _new(judge.met)
    alerts: list[Alert] = []
    for start in range(0, len(new), BATCH):
        kept_now = _kept(new[start : start + BATCH])
        for alert in kept_now:  # before the next batch, which may fail
            usage_threshold_reached.send_robust(sender=Alert, alert=alert)
        alerts += kept_now
    return alerts


class _Judge:
    """Gathers what was met, tenant by tenant."""

    def __init__(self, at_us: int) -> None:
        self.at_us = at_us
        self.met: dict[_Met, _Reading] = {}

    def look_at(
        self, tenant: TenantRow, plans: Plans, hours: Sequence[Hour], balances: Sequence[Row]
    ) -> None:
        """Judge the hours of one tenant, and what it has used of its calendar quotas."""
        limits = self._judged(tenant, plans)
        for row in balances:
            scope, name, start, end, used = row[2], row[3], row[6], row[7], row[8]
            if limit := limits.get(f"{scope}/{name}"):
                self._balance(tenant, limit, used, start, end)
        for hour in hours if limits else ():
            if hour.start_us <= self.at_us - LATE_US:
                continue
            for peak in hour.peaks:
                if limit := limits.get(peak.label):
                    self._peak(tenant, limit, hour, peak, balances)

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
        for threshold in thresholds_met(limit, peak.used, peak.most):
            self._add(tenant, limit, threshold, start, _Reading(peak.used, peak.most or 0, end))

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
            self._add(tenant, limit, threshold, start, _Reading(used, amount or 0, end))

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

    def _add(
        self, tenant: TenantRow, limit: Limit, threshold: str, start: datetime, reading: _Reading
    ) -> None:
        met = _Met(tenant.pk, start, limit.scope, limit.name, threshold)
        self.met[met] = max(reading, self.met.get(met, reading))


@lru_cache(maxsize=4096)
def _period(
    unit: CalendarUnit, at_us: int, time_zone: str, anchor_day: int
) -> tuple[datetime, datetime]:
    at = instant_at(at_us)
    found = period_at(unit, at, zone=zone_of(time_zone), anchor=anchor_day)
    return found.start, found.end


def _new(met: dict[_Met, _Reading]) -> list[Alert]:
    """Alerts of what no alert is kept of, always in the same order."""
    if not met:
        return []
    using = router.db_for_write(Alert)
    known = Alert.objects.using(using).filter(
        tenant__in={each.tenant_pk for each in met},
        period_start__in={each.period_start for each in met},
    )
    same = ("tenant_id", "period_start", "scope", "name", "threshold")
    left = sorted(
        met.keys() - set(known.order_by().values_list(*same)),
        key=lambda each: (*each[:-1], len(each.threshold), each.threshold),  # 80 before 100
    )
    settings = AlertSettings.objects.using(using).in_bulk(
        {each.tenant_pk for each in left}, field_name="tenant_id"
    )
    return [_alert(each, met[each], settings.get(each.tenant_pk)) for each in left]


def _alert(met: _Met, reading: _Reading, settings: AlertSettings | None) -> Alert:
    email = settings is None or settings.email
    webhook = settings is not None and bool(settings.webhook_url)
    return Alert(
        tenant_id=met.tenant_pk,
        period_start=met.period_start,
        scope=met.scope,
        name=met.name,
        threshold=met.threshold,
        used=reading.used,
        amount=reading.amount,
        period_end=reading.period_end,
        email_state=(DeliveryState.PENDING if email else DeliveryState.NONE).value,
        webhook_state=(DeliveryState.PENDING if webhook else DeliveryState.NONE).value,
    )


def _kept(alerts: list[Alert]) -> list[Alert]:
    """Keep these alerts; those that were, and not those of which another process was first.

    They are told apart by their references, which nobody else has drawn. One whose tenant was
    deleted meanwhile is found by halves, as in `quotas.services.keeping`.
    """
    using = router.db_for_write(Alert)
    try:
        with transaction.atomic(using, durable=True):
            Alert.objects.using(using).bulk_create(alerts, ignore_conflicts=True)
    except IntegrityError as error:
        if len(alerts) == 1:
            pk = alerts[0].tenant_id
            logger.error("No alert is raised for tenant %s: %s", pk, error)  # noqa: TRY400 - no trace to follow
            return []
        middle = len(alerts) // 2
        return _kept(alerts[:middle]) + _kept(alerts[middle:])
    mine = Alert.objects.using(using).filter(reference__in=[each.reference for each in alerts])
    return list(mine.order_by("pk"))
