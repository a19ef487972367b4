"""Sums up old quarters of an hour by the civil day, and deletes what is older still.

A quarter is added to its day in the transaction that deletes it: a run that dies, is repeated or
has company ends in the same days.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import router, transaction

from quotas.domain.calendar import period_at
from quotas.domain.words import CalendarUnit
from quotas.models import (
    Alert,
    AnonymousQuarter,
    CalendarBalance,
    Tenant,
    UsageDay,
    UsageHour,
    UsageQuarter,
)
from quotas.services.policy import zone_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import date
    from zoneinfo import ZoneInfo

BATCH = 500
LEAST_QUARTERS = timedelta(days=4)
"""Redis holds quarters for three days: what is deleted earlier would be copied anew."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many quarters went into days, and how many old rows were deleted."""

    quarters: int = 0
    hours: int = 0
    days: int = 0
    balances: int = 0
    alerts: int = 0
    anonymous: int = 0


def prune(
    *,
    quarters: timedelta,
    days: timedelta,
    now: datetime | None = None,
    after_tenant: Callable[[int], object] = lambda _seen: None,
) -> Pruned:
    """Keep quarters and days for so long, whole civil days of each tenant's zone.

    Hours go with the quarters. Balances and alerts go with the days: when their period ended that
    long ago; so do the quarters of callers without a tenant, which nothing sums up.
    ``after_tenant`` is told how many tenants have been looked at; what it raises ends it well.
    Raises `ValueError` for quarters that Redis may still hold, and for days that would go before
    their quarters.
    """
    _check(quarters, days)
    now = now or datetime.now(tz=UTC)
    summed = 0
    tenants = Tenant.objects.using(router.db_for_write(Tenant)).order_by("pk")
    for seen, (pk, name) in enumerate(list(tenants.values_list("pk", "time_zone")), start=1):
        zone = zone_of(name)
        until = period_at(CalendarUnit.DAY, now - quarters, zone=zone).start
        summed += sum(_sum_up(batch, zone) for batch in _quarters(pk, until))
        after_tenant(seen)
    return Pruned(
        quarters=summed,
        hours=_delete(UsageHour, start__lt=now - quarters),
        days=_delete(UsageDay, day__lt=(now - days).date()),
        balances=_delete(CalendarBalance, period_end__lt=now - days),
        alerts=_delete(Alert, period_end__lt=now - days),
        anonymous=_delete(AnonymousQuarter, start__lt=now - days),
    )


def _check(quarters: timedelta, days: timedelta) -> None:
    if not LEAST_QUARTERS <= quarters <= days:
        raise ValueError(
            f"quarters are kept for {quarters.days} days and days for {days.days}: give at least "
            f"{LEAST_QUARTERS.days} for quarters, and for days no less."
        )


def _quarters(tenant_pk: int, until: datetime) -> Iterator[list[UsageQuarter]]:
    """The tenant's quarters before that instant, oldest first, as they are found there."""
    using = router.db_for_write(UsageQuarter)
    rows = UsageQuarter.objects.using(using).filter(tenant_id=tenant_pk, start__lt=until)
    while batch := list(rows.order_by("start", "pk")[:BATCH]):
        yield batch


def _sum_up(batch: list[UsageQuarter], zone: ZoneInfo) -> int:
    """Add quarters of one tenant to their days, and delete them: all, or none.

    None when another process has taken one of them: then there is less to be found next time.
    """
    using = router.db_for_write(UsageQuarter)
    with transaction.atomic(using):
        mine = UsageQuarter.objects.using(using).filter(pk__in=[each.pk for each in batch])
        deleted, _ = mine.delete()  # first: a transaction that begins by writing waits its turn
        if deleted != len(batch):
            transaction.set_rollback(rollback=True, using=using)
            return 0
        by_day: dict[tuple[date, str], list[UsageQuarter]] = defaultdict(list)
        for each in batch:
            by_day[each.start.astimezone(zone).date(), each.scope].append(each)
        for (day, scope), rows in sorted(by_day.items()):
            _add(batch[0].tenant_id, day, scope, rows, using)
    return len(batch)


def _add(tenant_pk: int, day: date, scope: str, rows: list[UsageQuarter], using: str) -> None:
    days = UsageDay.objects.using(using)
    row, _ = days.select_for_update().get_or_create(tenant_id=tenant_pk, day=day, scope=scope)
    for name in ("admitted", "denied", "shadow_denied", "units"):
        setattr(row, name, getattr(row, name) + sum(getattr(each, name) for each in rows))
    row.peak = max(row.peak, *(each.peak for each in rows))
    row.limits = _added([row.limits, *(each.limits for each in rows)])
    row.save(using=using)


def _added(several: Iterable[dict[str, list[int]]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for limits in several:
        for label, (denied, shadow_denied) in limits.items():
            before = found.get(label, [0, 0])
            found[label] = [before[0] + denied, before[1] + shadow_denied]
    return found


def _delete(
    model: type[UsageDay | UsageHour | CalendarBalance | AnonymousQuarter | Alert], **old: Any
) -> int:
    using = router.db_for_write(model)
    gone = 0
    while pks := list(
        model.objects.using(using).filter(**old).values_list("pk", flat=True)[:BATCH]
    ):
        gone += model.objects.using(using).filter(pk__in=pks).delete()[0]
    return gone
