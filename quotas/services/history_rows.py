"""What the database keeps of a tenant's history, summed by the database.

Each function is one query, whatever the number of buckets, scopes and generations.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connections
from django.db.models import Case, DateTimeField, F, IntegerField, Q, Sum, Value, When

from quotas.models import UsageDay, UsageQuarter
from quotas.services.loading import EPOCH, microseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    from django.db.models import QuerySet

SUMMED = ("admitted", "denied", "shadow_denied", "units")

# Django has no way to sum up what is inside JSON, and there may be 3000 such rows of each scope.
# Grouped by the label first: by the scope first, SQLite would leave the index of the span aside.
BY_LIMIT = {
    "sqlite": """
        SELECT kept.scope, kept.apart, pair.key,
            SUM(json_extract(pair.value, '$[0]')), SUM(json_extract(pair.value, '$[1]'))
        FROM ({kept}) AS kept, json_each(kept.limits) AS pair GROUP BY 3, 2, 1""",
    "postgresql": """
        SELECT kept.scope, kept.apart, pair.key,
            SUM((pair.value->>0)::bigint), SUM((pair.value->>1)::bigint)
        FROM ({kept}) AS kept, jsonb_each(kept.limits) AS pair GROUP BY 3, 2, 1""",
}


class KeptSums(NamedTuple):
    """The sums of one scope in one bucket.

    ``apart_us`` is the start of a quarter that Redis may know better; None for all the others.
    """

    bucket: int
    scope: str
    apart_us: int | None
    sums: tuple[int, int, int, int]


class KeptDenials(NamedTuple):
    """How often each limit denied, and would have in shadow; ``apart_us`` as in `KeptSums`."""

    scope: str
    apart_us: int | None
    limits: dict[str, tuple[int, int]]


class KeptDay(NamedTuple):
    """The sums of one scope on a day whose quarters are no longer kept."""

    bucket: int
    scope: str
    sums: tuple[int, int, int, int]
    limits: dict[str, tuple[int, int]]


def kept_sums(
    tenant_pk: int, edges: Sequence[int], generation: int, since_us: int | None
) -> Iterator[KeptSums]:
    """The sums of the quarters between the first and the last of ``edges`` (us), by bucket.

    Those of ``generation`` that begin at ``since_us`` or later are apart, each by itself.
    """
    starts = [_instant(edge) for edge in edges]
    inside = Case(
        *(When(start__lt=end, then=Value(bucket)) for bucket, end in enumerate(starts[1:])),
        output_field=IntegerField(),
    )
    rows = (
        _quarters(tenant_pk, edges)
        .annotate(bucket=inside, apart=_apart(generation, since_us))
        .values("bucket", "scope", "apart")
        .annotate(**{f"{name}_sum": Sum(name) for name in SUMMED})
        .order_by()
        .values_list("bucket", "scope", "apart", *(f"{name}_sum" for name in SUMMED))
    )
    for bucket, scope, apart, *sums in rows:
        yield KeptSums(bucket, scope, _us(apart), _four(sums))


def kept_denials(
    tenant_pk: int, edges: Sequence[int], generation: int, since_us: int | None
) -> Iterator[KeptDenials]:
    """The denials of the same quarters, by limit; those in which nothing was denied have none.

    Of other databases none: usage is kept in these two, see `quotas.services.keeping`.
    """
    rows = (
        _quarters(tenant_pk, edges)
        .annotate(apart=_apart(generation, since_us))
        .filter(Q(denied__gt=0) | Q(shadow_denied__gt=0))
        .order_by()
        .values("scope", "apart", "limits")
    )
    connection = connections[rows.db]
    if connection.vendor not in BY_LIMIT:
        return
    kept, params = rows.query.get_compiler(rows.db).as_sql()
    with connection.cursor() as cursor:
        cursor.execute(BY_LIMIT[connection.vendor].format(kept=kept), params)
        for scope, apart, label, denied, shadow_denied in cursor.fetchall():
            start = _aware(apart, connection.timezone)
            yield KeptDenials(scope, _us(start), {label: (int(denied), int(shadow_denied))})


def kept_days(tenant_pk: int, days: Sequence[date]) -> Iterator[KeptDay]:
    """What is kept by the day; ``days`` in the order of their buckets."""
    numbers = {day: bucket for bucket, day in enumerate(days)}
    rows = UsageDay.objects.filter(tenant=tenant_pk, day__gte=days[0], day__lte=days[-1])
    for day, scope, limits, *sums in rows.order_by().values_list("day", "scope", "limits", *SUMMED):
        if day in numbers:
            yield KeptDay(numbers[day], scope, _four(sums), _pairs(limits))


def _quarters(tenant_pk: int, edges: Sequence[int]) -> QuerySet[UsageQuarter]:
    return UsageQuarter.objects.filter(
        tenant=tenant_pk, start__gte=_instant(edges[0]), start__lt=_instant(edges[-1])
    )


def _apart(generation: int, since_us: int | None) -> Case | Value:
    none = Value(None, output_field=DateTimeField())
    if since_us is None:
        return none
    known = When(generation=generation, start__gte=_instant(since_us), then=F("start"))
    return Case(known, default=none, output_field=DateTimeField())


def _four(sums: Sequence[int]) -> tuple[int, int, int, int]:
    admitted, denied, shadow_denied, units = (int(each) for each in sums)
    return admitted, denied, shadow_denied, units


def _pairs(limits: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {label: (int(pair[0]), int(pair[1])) for label, pair in limits.items()}


def _instant(us: int) -> datetime:
    return EPOCH + timedelta(microseconds=us)


def _aware(start: datetime | str | None, zone: tzinfo | None) -> datetime | None:
    """An instant of a query of our own: SQLite has them as text, in the connection's zone."""
    found = datetime.fromisoformat(start) if isinstance(start, str) else start
    return found.replace(tzinfo=zone) if found is not None and found.tzinfo is None else found


def _us(start: datetime | None) -> int | None:
    return None if start is None else microseconds(start)
