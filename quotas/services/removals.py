"""Whom the removal of limits concerns, before it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from quotas.domain.policies import Limit
from quotas.domain.words import EVERY_SCOPE
from quotas.models import Override, Plan, PlanLimit, Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A limit that goes, how many tenants lose it, and whether no row is left for its scope.

    ``plan``: the name of the plan that loses it; None where a tenant alone does.
    """

    limit: Limit
    plan: str | None = None
    tenants: int
    last: bool


def removals(
    gone: Sequence[tuple[Plan, Limit]],
    left: dict[int, Collection[str]] | None = None,
    *,
    now: datetime,
) -> list[Removal]:
    """What the removal of these limits means. Three queries, however many.

    ``left`` are the scopes that have a row then, by plan; when it is not given, those of the rows
    that stay.
    """
    if not gone:
        return []
    if left is None:
        left = _left(gone)
    tenants, apart = _tenants(plan for plan, _limit in gone), _with_their_own(gone, now)
    return [
        Removal(
            limit=limit,
            plan=plan.name,
            tenants=tenants[plan.pk] - apart[plan.pk, limit.scope, limit.name],
            last={limit.scope, EVERY_SCOPE}.isdisjoint(left.get(plan.pk, ())),
        )
        for plan, limit in gone
    ]


def _left(gone: Sequence[tuple[Plan, Limit]]) -> dict[int, Collection[str]]:
    found: dict[int, Collection[str]] = {}
    going = {limit.source.pk for _plan, limit in gone}
    rows = PlanLimit.objects.filter(plan__in={plan.pk for plan, _limit in gone}).order_by()
    for pk, plan, scope in rows.values_list("pk", "plan", "scope"):
        if pk not in going:
            found[plan] = {*found.get(plan, ()), scope}
    return found


def _tenants(plans: Iterable[Plan]) -> Counter[int]:
    """How many tenants each plan has, as `quotas.services.outlook.tenants_of` finds them."""
    rows = Tenant.objects.order_by().values("plan", "plan__active").annotate(count=Count("pk"))
    found, homeless = Counter[int](), 0
    for plan, active, count in rows.values_list("plan", "plan__active", "count"):
        found[plan] = count if active else 0
        homeless += 0 if active else count
    default = next((plan.pk for plan in plans if plan.is_default and plan.active), None)
    if default is not None:
        found[default] += homeless
    return found


def _with_their_own(
    gone: Sequence[tuple[Plan, Limit]], now: datetime
) -> Counter[tuple[int, str, str]]:
    """How many tenants of a plan have an override in place of its (scope, name)."""
    default = next((plan.pk for plan, _limit in gone if plan.is_default and plan.active), 0)
    rows = Override.objects.in_force(now).order_by().distinct()
    rows = rows.filter(
        scope__in={limit.scope for _plan, limit in gone},
        name__in={limit.name for _plan, limit in gone},
    )
    columns = rows.values_list("tenant", "scope", "name", "tenant__plan", "tenant__plan__active")
    return Counter(
        (plan if active else default, scope, name) for _tenant, scope, name, plan, active in columns
    )
