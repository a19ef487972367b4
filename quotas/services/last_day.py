"""What tenants used in the last day, by the hours in the database: read once for many limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Count, Max, Q, Sum
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from quotas.models import UsageHour

LOOKED_BACK = timedelta(hours=24)
HOUR = timedelta(hours=1)

Ask = tuple[str, int]
"""The ``scope/name`` of a limit, and the most units that will fit at once."""


class Peaks(NamedTuple):
    """Tenants and hours above what will fit at once; the tenants who took most come first."""

    above: int = 0
    hours: int = 0
    busiest: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LastDay:
    """What tenants used until ``now``, by primary key.

    ``among`` is what rows with a tenant are asked, to be of these. ``units`` and ``calls`` are of
    the hours that began in the last 24 hours, of all scopes. ``high`` has for each limit (highest
    peak, hours above what will fit). ``busiest`` are those who used most, by scope and among whom,
    as they were found for one limit and are the same for the next.
    """

    now: datetime
    among: Q
    units: Mapping[int, int]
    calls: Mapping[int, int]
    high: Mapping[Ask, Mapping[int, tuple[int, int]]]
    busiest: dict[tuple[str | None, frozenset[int]], list[int]] = field(default_factory=dict)

    def peaks(self, ask: Ask, among: Collection[int]) -> Peaks:
        """How these tenants stand to a limit."""
        found = sorted(
            ((*high, pk) for pk, high in self.high[ask].items() if pk in among), reverse=True
        )
        above = [hours for _peak, hours, _pk in found if hours]
        return Peaks(len(above), sum(above), [pk for _peak, _hours, pk in found])


def since(now: datetime) -> datetime:
    """The first full hour of the last day."""
    return now.replace(minute=0, second=0, microsecond=0) - LOOKED_BACK + HOUR


def last_day(among: Q, asks: Collection[Ask] = (), *, now: datetime) -> LastDay:
    """What the tenants of the rows that are ``among`` these used: one query."""
    asks = list(dict.fromkeys(asks))
    day = Q(start__gte=since(now))
    rows = UsageHour.objects.filter(among, start__gt=now - LOOKED_BACK - HOUR, start__lte=now)
    sums: dict[str, Any] = {"sum": Sum("units", filter=day), "calls": Sum("admitted", filter=day)}
    for place, (label, most) in enumerate(asks):
        # Built by hand: a label may hold what a lookup would take for its own.
        used: Any = Cast(KeyTextTransform("0", KeyTransform(label, "peaks")), BigIntegerField())
        rows = rows.annotate(**{f"used{place}": used})
        over = Q(**{f"used{place}__gt": most})
        sums[f"peak{place}"] = Max(f"used{place}")
        sums[f"hours{place}"] = Count("start", distinct=True, filter=over)
    units, calls = dict[int, int](), dict[int, int]()
    high: dict[Ask, dict[int, tuple[int, int]]] = {ask: {} for ask in asks}
    each = rows.order_by().values("tenant").annotate(**sums).values_list("tenant", *sums)
    for pk, used_units, admitted, *pairs in each.iterator():
        if used_units:
            units[pk], calls[pk] = used_units, admitted
        for ask, peak, hours in zip(asks, pairs[::2], pairs[1::2], strict=True):
            if peak:
                high[ask][pk] = peak, hours
    return LastDay(now=now, among=among, units=units, calls=calls, high=high)
