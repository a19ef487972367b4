"""What a limit would have denied of what tenants used in the last day, by the records.

Whole hours that began in the last 24 hours, by the quarters that are in the database: what was not
copied yet is left out. A call is counted once under each scope that it asked for, so that for a
limit of every scope sums over scopes are taken only of tenants whose calls asked for one each.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.db.models import Sum

from quotas.domain.calendar import edges_around, microseconds
from quotas.domain.hindsight import Grid, can_be_told, certainly_denied, stretches
from quotas.domain.limits import CalendarQuota
from quotas.domain.words import EVERY_SCOPE, Mode, SubjectKind
from quotas.engine.tallies import QUARTER_US
from quotas.models import Tenant, UsageHour, UsageQuarter
from quotas.services.policy import zone_of
from quotas.services.scopes import scopes_apart

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet

    from quotas.domain.hindsight import Stretch
    from quotas.domain.policies import Limit

LOOKED_BACK = timedelta(hours=24)
QUARTER = timedelta(microseconds=QUARTER_US)
MOST_LOOKED_AT = 300
"""Of how many tenants the quarters are read: of those who used most, whatever the scope."""


class Untold(StrEnum):
    """Why the records do not tell what a limit would have denied."""

    NOT_ENFORCED = "not_enforced"
    APART = "apart"
    IN_FLIGHT = "in_flight"
    BESIDES = "besides"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hindsight:
    """What ``tenants`` used, and how much of it at least ``denied_tenants`` would have lost.

    ``some``: that there were more tenants than are looked at, so that they are those who used most.
    """

    units: int = 0
    tenants: int = 0
    denied: int = 0
    denied_tenants: int = 0
    some: bool = False


def hindsight_of(limit: Limit, tenants: QuerySet[Tenant], *, now: datetime) -> Hindsight | Untold:
    """What ``limit`` would have denied these tenants: at most three queries, however many."""
    apart = scopes_apart()
    if reason := _untold(limit, apart):
        return reason
    calls = _busiest(tenants, now)
    chosen = list(calls)[:MOST_LOOKED_AT]
    scope = None if limit.scope == EVERY_SCOPE else limit.scope
    used = {
        pk: series
        for pk, series in _read(chosen, scope, apart, calls, now).items()
        if any(map(any, series))
    }
    asked = _Asked(limit, list(used), now)
    over = {
        pk: sum(certainly_denied(units, asked.of(pk)) for units in series)
        for pk, series in used.items()
    }
    return Hindsight(
        units=sum(sum(map(sum, series)) for series in used.values()),
        tenants=len(used),
        denied=sum(over.values()),
        denied_tenants=sum(1 for each in over.values() if each),
        some=len(calls) > len(chosen),
    )


def _untold(limit: Limit, apart: list[str]) -> Untold | None:
    if limit.mode is not Mode.ENFORCE:
        return Untold.NOT_ENFORCED
    if not can_be_told(limit.rule):
        return Untold.IN_FLIGHT
    if limit.subject is not SubjectKind.TENANT:
        return Untold.APART
    return Untold.BESIDES if limit.scope in apart else None


def _since(now: datetime) -> datetime:
    """The first full hour of the last day."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    return hour - LOOKED_BACK + timedelta(hours=1)


def _busiest(tenants: QuerySet[Tenant], now: datetime) -> dict[int, int]:
    """Calls of those who used most, by tenant, the busiest first; one more than are looked at."""
    hours = UsageHour.objects.filter(
        tenant__in=tenants.order_by().values("pk"), start__gte=_since(now), start__lte=now
    )
    sums = hours.order_by().values("tenant").annotate(sum=Sum("units"), calls=Sum("admitted"))
    most = sums.filter(sum__gt=0).order_by("-sum", "tenant")[: MOST_LOOKED_AT + 1]
    return dict(most.values_list("tenant", "calls"))


def _read(
    chosen: list[int], scope: str | None, apart: list[str], calls: dict[int, int], now: datetime
) -> dict[int, list[list[int]]]:
    """Units by quarters, a series a generation: Redis that lost its memory began anew.

    Of one scope, or of all but those ``apart``: the sum of them where each call asked for one, else
    the largest.
    """
    since = _since(now)
    rows = UsageQuarter.objects.filter(tenant__in=chosen, start__gte=since, start__lte=now)
    rows = rows.order_by() if scope is None else rows.order_by().filter(scope=scope)
    columns = rows.values_list("tenant_id", "generation", "scope", "start", "admitted", "units")
    counted: dict[int, int] = defaultdict(int)
    found: dict[int, dict[int, dict[str, list[int]]]] = {}
    empty = [0] * _count(since, now)
    for pk, generation, counts, start, admitted, units in columns.iterator():
        counted[pk] += admitted
        if scope is not None or counts not in apart:
            by_scope = found.setdefault(pk, {}).setdefault(generation, {})
            by_scope.setdefault(counts, empty.copy())[(start - since) // QUARTER] += units
    return {
        pk: [
            list(map(sum if counted[pk] <= calls[pk] else max, zip(*series.values(), strict=True)))
            for series in generations.values()
        ]
        for pk, generations in found.items()
    }


def _count(since: datetime, now: datetime) -> int:
    return (now - since) // QUARTER + 1


class _Asked:
    """The stretches that a rule is asked about: of calendar quotas by zone and anchor day."""

    def __init__(self, limit: Limit, chosen: list[int], now: datetime) -> None:
        self.rule, self.since, self.now = limit.rule, _since(now), now
        self.zones: dict[int, tuple[str, int]] = {}
        if isinstance(self.rule, CalendarQuota):
            rows = Tenant.objects.filter(pk__in=chosen).order_by()
            for pk, zone, anchor in rows.values_list("pk", "time_zone", "anchor_day"):
                self.zones[pk] = zone, anchor
        self.found: dict[Any, list[Stretch]] = {}

    def of(self, pk: int) -> list[Stretch]:
        """Those of one tenant."""
        place = self.zones.get(pk)
        if place not in self.found:
            self.found[place] = stretches(self.rule, self._grid(place))
        return self.found[place]

    def _grid(self, place: tuple[str, int] | None) -> Grid:
        edges: set[int] = set()
        start_us, end_us = microseconds(self.since), microseconds(self.now)
        if place is not None and isinstance(self.rule, CalendarQuota):
            zone, anchor = zone_of(place[0]), place[1]
            for at_us in (start_us, end_us):
                edges |= {*edges_around(self.rule.unit, at_us, zone=zone, anchor=anchor)}
        count = _count(self.since, self.now)
        return Grid(start_us=start_us, span_us=QUARTER_US, count=count, edges=sorted(edges))
