"""How many tenants have each of many limits of plans, not an override in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count

from quotas.domain.policies import Limit
from quotas.models import Override, Plan, Tenant

BY_PLAN = ("plan", "plan__active")
BY_LIMIT = ("tenant__plan", "tenant__plan__active", "scope", "name")


def having(limits: Sequence[tuple[Plan, Limit]], now: datetime) -> list[int]:
    """How many tenants have each, as `quotas.services.outlook.plan_tenants` finds them.

    Two queries, however many limits, plans and tenants.
    """
    if not limits:
        return []
    tenants = Tenant.objects.order_by().values(*BY_PLAN).annotate(count=Count("pk"))
    # Not only of what is asked about: the names of 10,000 limits are too many parameters.
    own = Override.objects.in_force(now).order_by().values(*BY_LIMIT)
    own = own.annotate(count=Count("tenant", distinct=True))
    have = _Counts(tenants.values_list(*BY_PLAN, "count"))
    lack = _Counts(own.values_list(*BY_LIMIT, "count"))
    return [have.of(plan) - lack.of(plan, limit.scope, limit.name) for plan, limit in limits]


class _Counts:
    """Tenants by plan, and by what else the rows have between whether it is active and the count.

    Of the default plan also those without an active one.
    """

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self.theirs, self.without = Counter[Any](), Counter[Any]()
        for plan, active, *of, count in rows:
            self.theirs[plan, *of] += count
            if not active:
                self.without[tuple(of)] += count

    def of(self, plan: Plan, *of: str) -> int:
        """Of a plan as it stands."""
        if not plan.active:
            return 0
        return self.theirs[plan.pk, *of] + (self.without[of] if plan.is_default else 0)
