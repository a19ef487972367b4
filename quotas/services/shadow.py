"""What a limit in shadow would have denied since it was put there, tenant by tenant.

As the database has it: what was called after the last flush is not counted yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from django.db.models import Max, Q

from quotas.domain.calendar import instant_at, microseconds
from quotas.domain.history import Sums, added
from quotas.engine.clock import now_us
from quotas.engine.tallies import QUARTER_US
from quotas.models import Override, PlanLimit, Tenant, TenantSnapshot
from quotas.services.outlook import tenants_of
from quotas.services.shadow_rows import Counted, Shadowed, by_days, by_quarters, of_nobody

if TYPE_CHECKING:
    from django.db.models import QuerySet


class Back(StrEnum):
    """How far a look at a limit in shadow goes back, and never behind the day it was put there."""

    SINCE = "since"
    DAY = "day"
    WEEK = "week"


SPANS = {Back.DAY: timedelta(days=1), Back.WEEK: timedelta(days=7)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """What a limit would have denied from ``start`` on, a whole quarter of an hour.

    ``tenants`` are those that have it now, ``overridden`` those that would, but for an override
    of their own. ``called`` counts who made a call; ``rows`` are those of them that would have been
    denied, most first; ``sums`` are of all. ``denied`` in them: by other limits. ``nobody`` is what
    callers without a tenant did, of their plan. ``whole_days``: some of it is kept by the day only,
    the first of them from its midnight on. ``copied_at``: the last flush that found anything.
    """

    start: datetime
    tenants: int
    overridden: int
    called: int
    rows: tuple[Shadowed, ...]
    sums: Sums
    nobody: Sums | None
    whole_days: bool
    copied_at: datetime | None


def began(limit: PlanLimit | Override) -> datetime:
    """Since when a limit has acted in its mode."""
    if isinstance(limit, Override):
        return max(limit.mode_since, limit.starts_at)
    return limit.mode_since


def shadow_of(
    limit: PlanLimit | Override,
    *,
    back: Back = Back.SINCE,
    among: QuerySet[Tenant] | None = None,
    now: datetime | None = None,
) -> Shadow:
    """What ``limit`` would have denied to the tenants that have it, if they are ``among`` these.

    Eight queries at most, however many tenants and rows. ``now`` is for tests.
    """
    now = now or instant_at(now_us())
    start = began(limit)
    if back in SPANS:
        start = max(start, now - SPANS[back])
    start = instant_at(microseconds(start) // QUARTER_US * QUARTER_US)
    concerned, overridden = _tenants(limit, now, among)
    counted = Counted(limit=limit, tenants=concerned, start=start)
    quarters, days = by_quarters(counted), by_days(counted, now)
    rows, nobody = _together(days, quarters), of_nobody(counted)
    copied = [TenantSnapshot.objects.aggregate(at=Max("taken_at"))["at"]]
    copied += [nobody.copied_at] if nobody else []
    return Shadow(
        start=start,
        tenants=concerned.count(),
        overridden=overridden,
        called=len(rows),
        rows=tuple(sorted((row for row in rows if row.sums.shadow_denied), key=_most_first)),
        sums=added(row.sums for row in rows),
        nobody=nobody and nobody.sums,
        whole_days=bool(days),
        copied_at=max((at for at in copied if at is not None), default=None),
    )


def _tenants(
    limit: PlanLimit | Override, now: datetime, among: QuerySet[Tenant] | None
) -> tuple[QuerySet[Tenant], int]:
    """Whom a limit acts upon, and how many have an override in its place."""
    seen = Q() if among is None else Q(pk__in=among.order_by().values("pk"))
    if isinstance(limit, Override):
        return Tenant.objects.filter(seen, pk=limit.tenant_id), 0
    own = Override.objects.in_force(now).filter(scope=limit.scope, name=limit.name)
    mine = Q(pk__in=own.order_by().values("tenant"))
    theirs = tenants_of(limit.plan).filter(seen)
    return theirs.exclude(mine), theirs.filter(mine).count()


def _together(earlier: list[Shadowed], later: list[Shadowed]) -> list[Shadowed]:
    """One row a tenant, with the sums of both."""
    found = dict(earlier)
    for pk, sums in later:
        found[pk] = added([found[pk], sums]) if pk in found else sums
    return [Shadowed(pk, sums) for pk, sums in found.items()]


def _most_first(row: Shadowed) -> tuple[int, int]:
    return -row.sums.shadow_denied, row.tenant_pk
