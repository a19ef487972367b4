"""How many tenants get the limits of another plan when plans are turned off, on, or default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Count

from quotas.models import Plan, Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """``tenants`` of one plan that get another one by it, each by its name; None: no plan."""

    before: str | None
    after: str | None
    tenants: int


def plan_moves(changed: Iterable[Plan], gone: Collection[int] = ()) -> list[Move]:
    """Who has another plan once ``changed`` are saved as they are, and ``gone`` are deleted.

    Two queries, however many plans and tenants.
    """
    before = {plan.pk: plan for plan in Plan.objects.order_by("pk")}
    after = before | {plan.pk: plan for plan in changed}
    after = {pk: plan for pk, plan in after.items() if pk not in gone}
    counted = Tenant.objects.order_by().values("plan").annotate(count=Count("pk"))
    found = Counter[tuple[str | None, str | None]]()
    for pk, count in counted.values_list("plan", "count"):
        one, two = _plan_of(pk, before), _plan_of(pk, after)
        if one != two:
            found[one.name if one else None, two.name if two else None] += count
    return [Move(before=one, after=two, tenants=count) for (one, two), count in found.items()]


def _plan_of(pk: int | None, plans: dict[int, Plan]) -> Plan | None:
    """The plan that a tenant has which is on ``pk``, as `quotas.services.policy.Plans` finds it."""
    own = plans.get(pk or 0)
    if own is not None and own.active:
        return own
    return next((plan for plan in plans.values() if plan.is_default and plan.active), None)
