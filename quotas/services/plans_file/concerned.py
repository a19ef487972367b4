"""How many tenants a change of a plan concerns: those that have it before, after, or both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quotas.services.plans_file.comparing import Differences
from quotas.services.plans_file.entries import PlanEntry


def tenants_concerned(key: str, differences: Differences, tenants: Mapping[str | None, int]) -> int:
    """How many of ``tenants`` (by the key of the plan they name, None for none) the plan is for.

    The default plan is also for those without a plan, and for those whose plan is not active.
    """
    named = _naming(key, differences.before, tenants) | _naming(key, differences.after, tenants)
    return sum(tenants.get(each, 0) for each in named)


def anonymous_concerned(key: str, differences: Differences) -> bool:
    """Whether callers without a tenant have the plan, before or after."""
    both = (*differences.before, *differences.after)
    return any(plan.anonymous and plan.active for plan in both if plan.key == key)


def _naming(
    key: str, plans: Iterable[PlanEntry], tenants: Mapping[str | None, int]
) -> set[str | None]:
    active = {plan.key: plan for plan in plans if plan.active}
    if key not in active:
        return set()
    others = tenants.keys() - active.keys() if active[key].default else set()
    return {key, *others}
