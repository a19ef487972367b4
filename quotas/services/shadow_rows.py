"""What the database keeps of a limit in shadow, summed up by tenant where it is kept.

Each function is two queries at most, whatever the number of tenants, rows and generations.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import BigIntegerField, Case, F, Max, Q, Sum, When
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce, TruncDate

from quotas.domain.history import Sums
from quotas.domain.words import EVERY_SCOPE
from quotas.engine.tallies import QUARTER_US
from quotas.models import AnonymousQuarter, PlanLimit, UsageDay, UsageQuarter
from quotas.services.policy import zone_of
from quotas.services.prune import LEAST_QUARTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from quotas.models import Override, Tenant

QUARTER, DAY = timedelta(microseconds=QUARTER_US), timedelta(days=1)


class Shadowed(NamedTuple):
    """What a limit would have denied one tenant; ``denied`` in the sums: by other limits."""

    tenant_pk: int
    sums: Sums


class Nobody(NamedTuple):
    """The same of callers without a tenant, and when the latest of it was copied."""

    sums: Sums
    copied_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What is to be counted: of these tenants, in the limit's scope, from ``start`` on."""

    limit: PlanLimit | Override
    tenants: QuerySet[Tenant]
    start: datetime

    @property
    def scope(self) -> Q:
        """The records in which the limit counts: a limit of every scope counts in any."""
        return Q() if self.limit.scope == EVERY_SCOPE else Q(scope=self.limit.scope)

    @property
    def theirs(self) -> Q:
        """The records of the tenants."""
        return self.scope & Q(tenant__in=self.tenants.order_by().values("pk"))

    def since_moved(self, counted_later: Q) -> Q:
        """Without what tenants that came to the plan since then had counted on another one."""
        if not isinstance(self.limit, PlanLimit):
            return Q()
        return Q(tenant__plan_since__lte=self.start) | counted_later


def by_quarters(counted: Counted) -> list[Shadowed]:
    """What is kept by the quarter of an hour."""
    moved = counted.since_moved(Q(start__gt=F("tenant__plan_since") - QUARTER))
    rows = UsageQuarter.objects.filter(counted.theirs, moved, start__gte=counted.start)
    return _by_tenant(rows, counted, Q(start=counted.start))


def by_days(counted: Counted, now: datetime) -> list[Shadowed]:
    """What is kept by the day only: none of it as long as no quarter can have gone into a day."""
    if counted.start > now - LEAST_QUARTERS:
        return []
    moved = counted.since_moved(Q(day__gte=TruncDate("tenant__plan_since", tzinfo=UTC)))
    rows = UsageDay.objects.filter(counted.theirs, moved, _first_days(counted))
    return _by_tenant(rows, counted, Q(day__lte=(counted.start + DAY).date()))


def of_nobody(counted: Counted) -> Nobody | None:
    """What callers without a tenant did, when it is their plan's limit."""
    limit = counted.limit
    if not isinstance(limit, PlanLimit) or not (limit.plan.is_anonymous and limit.plan.active):
        return None
    rows = AnonymousQuarter.objects.filter(counted.scope, start__gte=counted.start)
    first = Q(start=counted.start)
    found = rows.aggregate(copied_at=Max("copied_at"), **_sums(limit, first))
    return Nobody(_read(found), found["copied_at"])


def _first_days(counted: Counted) -> Q:
    """From the day on that the start is in, which is not the same one in every zone."""
    zones: dict[date, list[str]] = defaultdict(list)
    names: Iterable[str] = counted.tenants.order_by().values_list("time_zone", flat=True).distinct()
    for name in names:
        zones[counted.start.astimezone(zone_of(name)).date()].append(name)
    days = [Q(day__gte=day, tenant__time_zone__in=names) for day, names in zones.items()]
    return reduce(or_, days, Q(pk__in=[]))


def _by_tenant(rows: QuerySet[Any], counted: Counted, first: Q) -> list[Shadowed]:
    grouped = rows.order_by().values("tenant_id").annotate(**_sums(counted.limit, first))
    return [Shadowed(each["tenant_id"], _read(each)) for each in grouped]


def _sums(limit: PlanLimit | Override, first: Q) -> dict[str, Any]:
    """Calls, what limits denied, what this one denied, and what it would have.

    It can have denied in the ``first`` records only, before it was put in shadow.
    """
    # Most records have no denials: theirs are not looked into.
    own = Case(When(first, denied__gt=0, then=_number(limit, 0)))
    shadow = Case(When(shadow_denied__gt=0, then=_number(limit, 1)))
    return {
        "calls": Coalesce(Sum("admitted"), 0, output_field=BigIntegerField()),
        "refused": Coalesce(Sum("denied"), 0, output_field=BigIntegerField()),
        "own": Coalesce(Sum(own), 0, output_field=BigIntegerField()),
        "would": Coalesce(Sum(shadow), 0, output_field=BigIntegerField()),
    }


def _number(limit: PlanLimit | Override, place: int) -> Any:
    """What a record says of the limit: 0, how often it denied; 1, how often it would have."""
    # Built by hand: a label may hold what a lookup would take for its own.
    label = KeyTransform(f"{limit.scope}/{limit.name}", "limits")
    return Cast(KeyTextTransform(str(place), label), BigIntegerField())


def _read(found: dict[str, Any]) -> Sums:
    return Sums(
        admitted=int(found["calls"]),
        denied=int(found["refused"]) - int(found["own"]),
        shadow_denied=int(found["would"]),
    )
