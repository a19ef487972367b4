"""Takes a snapshot of each tenant that a flush has in hand, and lets those of the others age.

What is told of a day is whole hours of the database's; what is told of now is what Redis counted in
the last minutes and hours. See `quotas.models.TenantSnapshot`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import router
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from quotas.domain.calendar import instant_at
from quotas.domain.limits import CalendarQuota, DenyAll, Unlimited
from quotas.domain.words import Mode
from quotas.models import TenantSnapshot, UsageHour
from quotas.services.keeping import SNAPSHOTS, keep
from quotas.services.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quotas.domain.policies import Limit
    from quotas.engine.tallies import Tallied
    from quotas.services.keeping import Row
    from quotas.services.policy import Plans, TenantRow

MINUTE_US = 60 * 1_000_000
DENYING_US = 5 * MINUTE_US
"""How short ago a denial is one of now."""
PEAKS_US = 2 * 60 * MINUTE_US
"""How long the fullest a limit got in an hour counts, from the hour's beginning."""
DAY = timedelta(days=1)
FULL = 100


class Closest(NamedTuple):
    """The closest limit: how much of it is used, which it is, and until when that can hold."""

    percent: int
    label: str
    until: datetime


def take_snapshots(
    counted: Sequence[tuple[TenantRow, Tallied]], balances: Sequence[Row], plans: Plans, at_us: int
) -> None:
    """Keep how these tenants stand, those of whom Redis still has a quarter.

    ``balances`` as `quotas.services.keeping.BALANCES` has its columns. One query, and the writes.
    """
    using, at = router.db_for_write(TenantSnapshot), instant_at(at_us)
    seen = [each for each in counted if each[1].quarters]
    hours = UsageHour.objects.using(using).filter(tenant__in=[each.pk for each, _ in seen])
    denied = dict(_denied(hours, at).values_list("tenant_id", "sum"))
    used: dict[int, list[Row]] = {}
    for row in balances:
        used.setdefault(row[0], []).append(row)
    rows: list[Row] = []
    for tenant, tallied in seen:
        closest = _closest(tenant, plans, tallied, used.get(tenant.pk, ()), at_us)
        about = closest or (None, "", None)
        sums = (_denies(tallied, at_us), denied.get(tenant.pk, 0))
        rows.append((tenant.pk, *about, *sums, instant_at(_last_us(tallied)), at))
    keep(SNAPSHOTS, rows, using)


def age_snapshots(at_us: int) -> None:
    """Take from older snapshots what has passed since: at most three updates.

    What was denied is summed anew, and what was used of a period that is over is forgotten.
    """
    using, at = router.db_for_write(TenantSnapshot), instant_at(at_us)
    every = TenantSnapshot.objects.using(using)
    older = every.filter(taken_at__lt=at)
    hours = UsageHour.objects.using(using).filter(tenant=OuterRef("pk"))
    denied = Subquery(_denied(hours, at).values("sum"), output_field=BigIntegerField())
    older.filter(denied__gt=0).update(denied=Coalesce(denied, 0))
    older.filter(denying=True).update(denying=False)
    every.filter(until__lte=at).update(percent=None, label="", until=None)


def _denied(hours: QuerySet[Any], at: datetime) -> QuerySet[Any, Any]:
    """Calls denied by tenant in the hours that began in the day before ``at``."""
    last = hours.filter(start__gt=at - DAY, denied__gt=0).order_by()
    summed: QuerySet[Any, Any] = last.values("tenant_id").annotate(sum=Sum("denied"))
    return summed


def _last_us(tallied: Tallied) -> int:
    """The beginning of the last minute that had a call."""
    latest = tallied.quarters[-1].start_us
    return max(
        latest + number * MINUTE_US
        for each in tallied.quarters
        if each.start_us == latest
        for number, calls in enumerate(each.minutes)
        if any(calls) or number == 0
    )


def _denies(tallied: Tallied, at_us: int) -> bool:
    since = at_us - DENYING_US
    return any(
        denied and quarter.start_us + (number + 1) * MINUTE_US > since
        for quarter in tallied.quarters
        if quarter.start_us + quarter.length_us > since
        for number, (_, denied) in enumerate(quarter.minutes)
    )


def _closest(
    tenant: TenantRow, plans: Plans, tallied: Tallied, balances: Iterable[Row], at_us: int
) -> Closest | None:
    """Of calendar quotas what is used, of other limits the fullest they got lately."""
    policy = Policy(plan=plans.of(tenant.plan_pk), tenant=tenant)
    limits = {
        f"{each.scope}/{each.name}": each
        for each in policy.effective(None, at_us)
        if can_be_near(each)
    }
    found: list[Closest] = []
    for row in balances:
        label, end, used = f"{row[2]}/{row[3]}", row[7], row[8]
        if (limit := limits.get(label)) and isinstance(limit.rule, CalendarQuota):
            found.append(Closest(percent_of(used, limit), label, end))
    for hour in tallied.hours if limits else ():
        until_us = hour.start_us + PEAKS_US
        for peak in hour.peaks if until_us > at_us else ():
            limit = limits.get(peak.label)
            if limit and not isinstance(limit.rule, CalendarQuota):
                until = instant_at(until_us)
                found.append(Closest(percent_of(peak.used, limit), peak.label, until))
    return max(found, default=None)


def can_be_near(limit: Limit) -> bool:
    """Whether a limit fills up and then denies: not in shadow, not unlimited, an amount above 0."""
    return limit.mode is Mode.ENFORCE and not isinstance(limit.rule, DenyAll | Unlimited)


def percent_of(used: int, limit: Limit) -> int:
    """Used, in percent of what fits at once, at most 100."""
    most: int = getattr(limit.rule, "most_at_once", 0)
    return min(FULL, FULL * used // most)
