"""Whom the removal of limits concerns, before it is made."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from quotas.domain.policies import Limit
from quotas.domain.words import EVERY_SCOPE
from quotas.models import Plan, PlanLimit
from quotas.services.having import having


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
    return [
        Removal(
            limit=limit,
            plan=plan.name,
            tenants=tenants,
            last={limit.scope, EVERY_SCOPE}.isdisjoint(left.get(plan.pk, ())),
        )
        for (plan, limit), tenants in zip(gone, having(gone, now), strict=True)
    ]


def _left(gone: Sequence[tuple[Plan, Limit]]) -> dict[int, Collection[str]]:
    found: dict[int, Collection[str]] = {}
    going = {limit.source.pk for _plan, limit in gone}
    rows = PlanLimit.objects.filter(plan__in={plan.pk for plan, _limit in gone}).order_by()
    for pk, plan, scope in rows.values_list("pk", "plan", "scope"):
        if pk not in going:
            found[plan] = {*found.get(plan, ()), scope}
    return found
