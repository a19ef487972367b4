"""Whom an edit of a limit concerns, and what it takes away, before it is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import BigIntegerField, Count, Max, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from quotas.domain.edits import Edit
from quotas.models import Override, Plan, Tenant, UsageHour
from quotas.services.hindsight import Hindsight, Untold, hindsight_of
from quotas.services.taken import Taken, can_be_seen, taken_now

if TYPE_CHECKING:
    from quotas.services.shadow import Shadow

LOOKED_BACK = timedelta(hours=24)
HOUR = timedelta(hours=1)
MOST_TOLD = 10
"""Of how many edits at once the records and Redis are asked; of more, only whom they concern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """An edit, how many tenants have the limit, and how many used more than it will let them.

    ``above`` counts tenants whose hours of the last day have a peak above what will fit at once,
    ``hours`` these hours. ``taken`` is how they stand now, ``hindsight`` what they would have been
    denied: None where the edit takes nothing away. ``told``: whether all that was looked for.
    ``shadow``: of an edit that takes a limit out of shadow, what it would have denied there.
    """

    edit: Edit
    tenants: int
    above: int = 0
    hours: int = 0
    taken: Taken | None = None
    hindsight: Hindsight | Untold | None = None
    told: bool = True
    shadow: Shadow | None = None

    @property
    def asks(self) -> bool:
        """Whether somebody loses more than goes without a question.

        More than 10 %, or what was used or is in use; where that was not looked for, anything.
        """
        used = self.above or (self.taken and self.taken.above)
        denied = isinstance(self.hindsight, Hindsight) and self.hindsight.denied
        large = self.edit.is_noticed or (self.edit.tightens and not self.told)
        return bool(used or denied or (large and self.tenants))


def outlooks(plan: Plan, edits: Iterable[Edit], *, now: datetime) -> list[Outlook]:
    """What each edit means for the tenants of ``plan``; see `outlooks_among`."""
    return outlooks_among([(plan_tenants(plan, each, now), each) for each in edits], now=now)


def outlooks_among(
    concerned: Sequence[tuple[QuerySet[Tenant], Edit]], *, now: datetime
) -> list[Outlook]:
    """What each edit means for the tenants beside it.

    At most ten queries an edit for the first ten and one for each after them, however many the
    tenants; and the round trips of `taken_now`.
    """
    return [
        _outlook(tenants, edit, now, told=place < MOST_TOLD)
        for place, (tenants, edit) in enumerate(concerned)
    ]


def tenants_of(plan: Plan) -> QuerySet[Tenant]:
    """The tenants that have the plan: of the default one, also those without an active one."""
    if not plan.active:
        return Tenant.objects.none()
    theirs = Q(plan=plan.pk)
    return Tenant.objects.filter(
        theirs | Q(plan=None) | Q(plan__active=False) if plan.is_default else theirs
    )


def plan_tenants(plan: Plan, edit: Edit, now: datetime) -> QuerySet[Tenant]:
    """Those of the plan's tenants that have its limit, not an override in its place."""
    limit = edit.before
    own = Override.objects.in_force(now).filter(scope=limit.scope, name=limit.name)
    return tenants_of(plan).exclude(pk__in=own.order_by().values("tenant"))


def _outlook(tenants: QuerySet[Tenant], edit: Edit, now: datetime, *, told: bool) -> Outlook:
    count = tenants.count()
    if not (told and count and edit.tightens):
        return Outlook(edit=edit, tenants=count, told=told)
    peaks, taken = _Peaks(), None
    if edit.most is not None and edit.lowers_most:
        peaks = _peaks(tenants, f"{edit.before.scope}/{edit.before.name}", edit.most, now)
        if can_be_seen(edit.before):
            taken = taken_now(edit, tenants, peaks.busiest)
    return Outlook(
        edit=edit,
        tenants=count,
        above=peaks.above,
        hours=peaks.hours,
        taken=taken,
        hindsight=hindsight_of(edit.after, tenants, now=now),
    )


class _Peaks(NamedTuple):
    """Tenants and hours above what will fit at once; the tenants who took most come first."""

    above: int = 0
    hours: int = 0
    busiest: Sequence[int] = ()


def _peaks(tenants: QuerySet[Tenant], label: str, most: int, now: datetime) -> _Peaks:
    # Built by hand: a label may hold what a lookup would take for its own.
    used: Any = Cast(KeyTextTransform("0", KeyTransform(label, "peaks")), BigIntegerField())
    rows = UsageHour.objects.filter(start__gt=now - LOOKED_BACK - HOUR, start__lte=now)
    rows = rows.filter(tenant__in=tenants.order_by().values("pk")).annotate(used=used)
    hours = Count("start", distinct=True, filter=Q(used__gt=most))
    each = rows.order_by().values("tenant").annotate(hours=hours, peak=Max("used"))
    found = [
        (peak, tenant, hours)
        for tenant, hours, peak in each.values_list("tenant", "hours", "peak").iterator()
        if peak
    ]
    found.sort(reverse=True)
    above = [hours for _peak, _tenant, hours in found if hours]
    return _Peaks(len(above), sum(above), [tenant for _peak, tenant, _hours in found])
