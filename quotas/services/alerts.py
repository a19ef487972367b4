"""Raises alerts: what a flush has in hand is judged, and what is new is kept, once.

Any number of flushes may judge the same numbers at once: the database lets one of them keep each
alert, and only that one sends the signal.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.db import IntegrityError, router, transaction
from django.db.models import Q

from quotas.domain.alerts import PROJECTED, DeliveryState
from quotas.models import Alert, AlertSettings
from quotas.services.judging import Judge, Span
from quotas.signals import usage_threshold_reached

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from quotas.engine.tallies import Tallied
    from quotas.services.judging import Met, Reading
    from quotas.services.keeping import Row
    from quotas.services.policy import Plans, TenantRow

logger = logging.getLogger("quotas")

BATCH = 500


def raise_alerts(
    counted: Iterable[tuple[TenantRow, Tallied]],
    balances: Sequence[Row],
    plans: Plans,
    at_us: int,
) -> list[Alert]:
    """Keep an alert of each threshold that was newly come to, send its signal, and return it.

    ``balances`` as `quotas.services.keeping.BALANCES` has its columns. Limits in shadow raise none.
    Of a limit that counts users, credentials or addresses the fullest is judged. Raises the
    database's errors.
    """
    judge = Judge(at_us)
    kept: dict[int, list[Row]] = {}
    for row in balances:
        kept.setdefault(row[0], []).append(row)
    for tenant, tallied in counted:
        judge.look_at(tenant, plans, tallied, kept.get(tenant.pk, ()))
    new = _new(judge.met)
    alerts: list[Alert] = []
    for start in range(0, len(new), BATCH):
        kept_now = _kept(new[start : start + BATCH])
        for alert in kept_now:  # before the next batch, which may fail
            usage_threshold_reached.send_robust(sender=Alert, alert=alert)
        alerts += kept_now
    return alerts


def _new(met: Mapping[tuple[Met, Span | None], Reading]) -> list[Alert]:
    """Alerts of what no alert is kept of, always in the same order. Two queries.

    Of several thresholds of one limit and period, people are told of the highest: of none that
    staff add below one that was come to before.
    """
    if not met:
        return []
    kept = _kept_before(met)
    left: dict[Met, Reading] = {}
    for (each, span), reading in met.items():
        periods = kept.get((each.tenant_pk, each.scope, each.name, each.threshold), ())
        if not any(_is_told(each, reading, span, period) for period in periods):
            left[each] = max(reading, left.get(each, reading))
    settings = AlertSettings.objects.using(router.db_for_write(Alert)).in_bulk(
        {each.tenant_pk for each in left}, field_name="tenant_id"
    )
    come_to = sorted({each for each, _ in met}, key=_order)
    highest = {each[:-1]: each for each in come_to if each in left or each.threshold != PROJECTED}
    return [
        _alert(each, left[each], settings.get(each.tenant_pk), told=highest[each[:-1]] == each)
        for each in sorted(left, key=_order)
    ]


def _order(met: Met) -> tuple[object, ...]:
    # 80 before 100, and either before “projected”, which is of what is not used up as it is now.
    return (*met[:-1], len(met.threshold), met.threshold)


def _kept_before(met: Iterable[tuple[Met, Span | None]]) -> dict[tuple[object, ...], list[Span]]:
    """The periods of the alerts that may tell of the same, by tenant, limit and threshold."""
    found = [each for each, _ in met]
    spans = [span for _, span in met if span]
    same = Q(period_start__in={each.period_start for each in found})
    if spans:
        same |= Q(
            period_start__lt=max(span.end for span in spans),
            period_end__gt=min(span.start for span in spans),
        )
    rows = Alert.objects.using(router.db_for_write(Alert)).filter(
        same, tenant__in={each.tenant_pk for each in found}
    )
    kept: dict[tuple[object, ...], list[Span]] = {}
    names = ("tenant_id", "scope", "name", "threshold", "period_start", "period_end")
    for *named, start, end in rows.order_by().values_list(*names):
        kept.setdefault(tuple(named), []).append(Span(start, end))
    return kept


def _is_told(met: Met, reading: Reading, span: Span | None, kept: Span) -> bool:
    """Whether an alert of the period ``kept`` tells of it: the same, or one that meets the span.

    The latter after the time zone has changed. One of twice the length was another rule's.
    """
    if kept.start == met.period_start:
        return True
    alike = kept.end - kept.start < 2 * (reading.period_end - met.period_start)
    return span is not None and alike and kept.start < span.end and span.start < kept.end


def _alert(met: Met, reading: Reading, settings: AlertSettings | None, *, told: bool) -> Alert:
    email = told and (settings is None or settings.email)
    webhook = told and settings is not None and bool(settings.webhook_url)
    return Alert(
        tenant_id=met.tenant_pk,
        period_start=met.period_start,
        scope=met.scope,
        name=met.name,
        title=reading.title,
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
