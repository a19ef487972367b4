"""Whom an edit of a plan's limit concerns, before it is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from quotas.domain.edits import Edit
from quotas.models import Override, Plan, Tenant, UsageHour

LOOKED_BACK = timedelta(hours=24)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """An edit, how many tenants have the limit, and how many used more than it will let them.

    ``above`` counts tenants whose hours of the last day have a peak above what will fit at once.
    """

    edit: Edit
    tenants: int
    above: int

    @property
    def asks(self) -> bool:
        """Whether somebody loses more than goes without a question."""
        return bool(self.above) or (self.edit.is_noticed and bool(self.tenants))


def outlooks(plan: Plan, edits: Iterable[Edit], *, now: datetime) -> list[Outlook]:
    """What each edit means for the tenants of ``plan``: two queries an edit, however many."""
    return [_outlook(tenants_of(plan), edit, now) for edit in edits]


def tenants_of(plan: Plan) -> QuerySet[Tenant]:
    """The tenants that have the plan: of the default one, also those without an active one."""
    if not plan.active:
        return Tenant.objects.none()
    theirs = Q(plan=plan.pk)
    return Tenant.objects.filter(
        theirs | Q(plan=None) | Q(plan__active=False) if plan.is_default else theirs
    )


def _outlook(tenants: QuerySet[Tenant], edit: Edit, now: datetime) -> Outlook:
    limit = edit.before
    own = Override.objects.in_force(now).filter(scope=limit.scope, name=limit.name)
    concerned = tenants.exclude(pk__in=own.order_by().values("tenant"))
    above = 0
    if edit.most is not None and edit.lowers_most:
        above = _used_more(concerned, f"{limit.scope}/{limit.name}", edit.most, now)
    return Outlook(edit=edit, tenants=concerned.count(), above=above)


def _used_more(tenants: QuerySet[Tenant], label: str, most: int, now: datetime) -> int:
    # Built by hand: a label may hold what a lookup would take for its own.
    used: Any = Cast(KeyTextTransform("0", KeyTransform(label, "peaks")), BigIntegerField())
    hours = UsageHour.objects.filter(start__gt=now - LOOKED_BACK - HOUR, start__lte=now)
    above = hours.annotate(peak=used).filter(peak__gt=most, tenant__in=tenants.values("pk"))
    return above.order_by().values("tenant").distinct().count()
