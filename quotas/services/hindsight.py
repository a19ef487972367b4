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

from django.db.models import Q, Sum

from quotas.domain.calendar import edges_around, microseconds
from quotas.domain.hindsight import Grid, can_be_told, certainly_denied, stretches
from quotas.domain.limits import CalendarQuota
from quotas.domain.words import EVERY_SCOPE, Mode, SubjectKind
from quotas.engine.tallies import QUARTER_US
from quotas.models import Tenant, UsageQuarter
from quotas.services.last_day import since
from quotas.services.policy import zone_of
from quotas.services.scopes import scopes_apart

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from django.db.models import QuerySet

    from quotas.domain.hindsight import Stretch
    from quotas.domain.policies import Limit
    from quotas.services.last_day import LastDay

QUARTER = timedelta(microseconds=QUARTER_US)
MOST_LOOKED_AT = 300
"""Of how many tenants the quarters are read: of those who used most of the limit's own scope."""
AT_FIRST = 1_000
"""Among how many, those who used most whatever the scope, these are looked for at first."""


class Untold(StrEnum):
    """Why the records do not tell what a limit would have denied."""

    NOT_ENFORCED = "not_enforced"
    APART = "apart"
    IN_FLIGHT = "in_flight"
    BESIDES = "besides"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hindsight:
    """What ``tenants`` used, and how much of it at least ``denied_tenants`` would have lost.

    ``some``: that more tenants used something than are looked at: those who used most of the scope.
    """

    units: int = 0
    tenants: int = 0
    denied: int = 0
    denied_tenants: int = 0
    some: bool = False

    @property
    def is_blind(self) -> bool:
        """Whether nothing was found where only some were looked at: it may be elsewhere."""
        return self.some and not self.tenants


def hindsight_of(limit: Limit, tenants: Collection[int], day: LastDay) -> Hindsight | Untold:
    """What ``limit`` would have denied these tenants: at most four queries, however many.

    ``tenants`` are primary keys; ``day`` is what they used, whatever the scope.
    """
    apart = scopes_apart()
    if reason := _untold(limit, apart):
        return reason
    scope = None if limit.scope == EVERY_SCOPE else limit.scope
    asked_of = scope, frozenset(tenants)
    if asked_of not in day.busiest:
        day.busiest[asked_of] = _busiest(tenants, scope, day)
    busiest = day.busiest[asked_of]
    used = {
        pk: series
        for pk, series in _read(busiest[:MOST_LOOKED_AT], scope, apart, day).items()
        if any(map(any, series))
    }
    asked = _Asked(limit, list(used), day.now)
    over = {
        pk: sum(certainly_denied(units, asked.of(pk)) for units in series)
        for pk, series in used.items()
    }
    return Hindsight(
        units=sum(sum(map(sum, series)) for series in used.values()),
        tenants=len(used),
        denied=sum(over.values()),
        denied_tenants=sum(1 for each in over.values() if each),
        some=len(busiest) > MOST_LOOKED_AT,
    )


def _untold(limit: Limit, apart: list[str]) -> Untold | None:
    if limit.mode is not Mode.ENFORCE:
        return Untold.NOT_ENFORCED
    if not can_be_told(limit.rule):
        return Untold.IN_FLIGHT
    if limit.subject is not SubjectKind.TENANT:
        return Untold.APART
    return Untold.BESIDES if limit.scope in apart else None


def _busiest(tenants: Collection[int], scope: str | None, day: LastDay) -> list[int]:
    """Those who used most of a scope, the busiest first; one more than are looked at.

    None: of all scopes together.
    """
    used = sorted((pk for pk in tenants if pk in day.units), key=lambda pk: (-day.units[pk], pk))
    if scope is None or len(used) <= MOST_LOOKED_AT:
        return used[: MOST_LOOKED_AT + 1]
    first, rest = used[:AT_FIRST], used[AT_FIRST:]
    found = _most(_quarters(Q(tenant__in=first), scope, day.now))
    # Nobody used more of one scope than of all of them.
    if rest and (len(found) <= MOST_LOOKED_AT or found[-1][1] < day.units[rest[0]]):
        among, theirs = _quarters(day.among, scope, day.now), {*used}
        found = [(pk, units) for pk, units in _most(among, None) if pk in theirs]
    return [pk for pk, _units in found[: MOST_LOOKED_AT + 1]]


def _quarters(among: Q, scope: str | None, now: datetime) -> QuerySet[UsageQuarter]:
    """Those of one scope, or of all of them."""
    rows = UsageQuarter.objects.filter(among, start__gte=since(now), start__lte=now).order_by()
    return rows if scope is None else rows.filter(scope=scope)


def _most(
    rows: QuerySet[UsageQuarter], stop: int | None = MOST_LOOKED_AT + 1
) -> list[tuple[int, int]]:
    """``(tenant, units)`` of those who used most, the busiest first."""
    sums = rows.values("tenant").annotate(sum=Sum("units")).filter(sum__gt=0)
    return list(sums.order_by("-sum", "tenant").values_list("tenant", "sum")[:stop])


def _read(
    chosen: list[int], scope: str | None, apart: list[str], day: LastDay
) -> dict[int, list[list[int]]]:
    """Units by quarters, a series a generation: Redis that lost its memory began anew.

    Of one scope, or of all but those ``apart``: the sum of them where each call asked for one, else
    the largest.
    """
    rows = _quarters(Q(tenant__in=chosen), scope, day.now)
    columns = rows.values_list("tenant_id", "generation", "scope", "start", "admitted", "units")
    counted: dict[int, int] = defaultdict(int)
    found: dict[int, dict[int, dict[str, list[int]]]] = {}
    first, empty = since(day.now), [0] * _count(day.now)
    for pk, generation, counts, start, admitted, units in columns.iterator():
        counted[pk] += admitted
        if scope is not None or counts not in apart:
            by_scope = found.setdefault(pk, {}).setdefault(generation, {})
            by_scope.setdefault(counts, empty.copy())[(start - first) // QUARTER] += units
    return {
        pk: [
            list(
                map(sum if counted[pk] <= day.calls[pk] else max, zip(*each.values(), strict=True))
            )
            for each in generations.values()
        ]
        for pk, generations in found.items()
    }


def _count(now: datetime) -> int:
    return (now - since(now)) // QUARTER + 1


class _Asked:
    """The stretches that a rule is asked about: of calendar quotas by zone and anchor day."""

    def __init__(self, limit: Limit, chosen: list[int], now: datetime) -> None:
        self.rule, self.now = limit.rule, now
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
        start_us, end_us = microseconds(since(self.now)), microseconds(self.now)
        if place is not None and isinstance(self.rule, CalendarQuota):
            zone, anchor = zone_of(place[0]), place[1]
            for at_us in (start_us, end_us):
                edges |= {*edges_around(self.rule.unit, at_us, zone=zone, anchor=anchor)}
        count = _count(self.now)
        return Grid(start_us=start_us, span_us=QUARTER_US, count=count, edges=sorted(edges))
