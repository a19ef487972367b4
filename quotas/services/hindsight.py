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
from heapq import nlargest
from typing import TYPE_CHECKING, Any, NamedTuple

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
MOST_LOOKED_AT = 1_000
"""Of how many tenants the quarters are read: of those who used most."""


class Untold(StrEnum):
    """Why the records do not tell what a limit would have denied."""

    NOT_ENFORCED = "not_enforced"
    APART = "apart"
    IN_FLIGHT = "in_flight"
    BESIDES = "besides"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hindsight:
    """What ``tenants`` used, and how much of it at least ``denied_tenants`` would have lost.

    ``looked_at``: of how many of them that was looked for; fewer than ``tenants`` when there are
    too many, and then those who used most.
    """

    units: int = 0
    tenants: int = 0
    denied: int = 0
    denied_tenants: int = 0
    looked_at: int = 0


def hindsight_of(limit: Limit, tenants: QuerySet[Tenant], *, now: datetime) -> Hindsight | Untold:
    """What ``limit`` would have denied these tenants: at most four queries, however many."""
    every = limit.scope == EVERY_SCOPE
    apart = scopes_apart()
    if reason := _untold(limit, apart):
        return reason
    rows = UsageQuarter.objects.filter(
        tenant__in=tenants.order_by().values("pk"), start__gte=_since(now), start__lte=now
    )
    rows = rows.order_by() if every else rows.order_by().filter(scope=limit.scope)
    used = _used(rows, apart, tenants, now) if every else _used_of_one(rows)
    if not used:
        return Hindsight()
    chosen = nlargest(MOST_LOOKED_AT, used, key=lambda pk: used[pk].units)
    plain = {pk for pk in chosen if used[pk].summed}
    of_chosen = rows.filter(tenant__in=chosen).exclude(scope__in=apart if every else ())
    series = _series(of_chosen, plain, _since(now), now)
    over: dict[int, int] = defaultdict(int)
    asked = _Asked(limit, chosen, now)
    for (pk, _generation), units in series.items():
        over[pk] += certainly_denied(units, asked.of(pk))
    return Hindsight(
        units=sum(each.units for each in used.values()),
        tenants=len(used),
        denied=sum(over.values()),
        denied_tenants=sum(1 for each in over.values() if each),
        looked_at=len(chosen),
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


class _Used(NamedTuple):
    """Units of a tenant, and whether they are the sum over its scopes, or of the largest."""

    units: int
    summed: bool = True


def _used_of_one(rows: QuerySet[UsageQuarter]) -> dict[int, _Used]:
    sums = rows.values("tenant").annotate(sum=Sum("units")).filter(sum__gt=0)
    return {pk: _Used(units) for pk, units in sums.values_list("tenant", "sum").iterator()}


def _used(
    rows: QuerySet[UsageQuarter], apart: list[str], tenants: QuerySet[Tenant], now: datetime
) -> dict[int, _Used]:
    """Over all scopes: their sum where no call asked for several, else the largest."""
    hours = UsageHour.objects.filter(
        tenant__in=tenants.order_by().values("pk"), start__gte=_since(now), start__lte=now
    )
    calls = dict(
        hours.order_by().values("tenant").annotate(sum=Sum("admitted")).values_list("tenant", "sum")
    )
    counted: dict[int, int] = defaultdict(int)
    units: dict[int, list[int]] = defaultdict(list)
    sums = rows.values("tenant", "scope").annotate(calls=Sum("admitted"), sum=Sum("units"))
    for pk, scope, admitted, spent in sums.values_list("tenant", "scope", "calls", "sum"):
        counted[pk] += admitted
        if spent and scope not in apart:
            units[pk].append(spent)
    return {
        pk: _Used(sum(spent))
        if counted[pk] <= calls.get(pk, 0)
        else _Used(max(spent), summed=False)
        for pk, spent in units.items()
    }


def _series(
    rows: QuerySet[UsageQuarter], plain: set[int], since: datetime, now: datetime
) -> dict[tuple[int, int], list[int]]:
    """Units by quarters, of each tenant and generation: Redis that lost its memory began anew."""
    quarter, empty = timedelta(microseconds=QUARTER_US), [0] * _count(since, now)
    found: dict[tuple[int, int], list[int]] = {}
    columns = rows.filter(units__gt=0).values_list("tenant_id", "generation", "start", "units")
    for pk, generation, start, units in columns.iterator():
        series = found.setdefault((pk, generation), empty.copy())
        place = (start - since) // quarter
        series[place] = series[place] + units if pk in plain else max(series[place], units)
    return found


def _count(since: datetime, now: datetime) -> int:
    return (microseconds(now) - microseconds(since)) // QUARTER_US + 1


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
