"""Plans as the primary database has them, with the rows that they come from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from django.db import router
from django.db.models import Count

from quotas.models import Plan, PlanLimit, Tenant
from quotas.services.plans_file.entries import LimitEntry, PlanEntry, known_fields

COLUMNS = {"default": "is_default", "anonymous": "is_anonymous"}
"""The columns of a plan whose names in a file are those that people read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Rows by the key of the plan, and by (scope, name) within it."""

    plans: dict[str, Plan]
    limits: dict[str, dict[tuple[str, str], PlanLimit]]

    @property
    def entries(self) -> tuple[PlanEntry, ...]:
        return tuple(
            PlanEntry(
                key=key,
                name=plan.name,
                default=plan.is_default,
                anonymous=plan.is_anonymous,
                active=plan.active,
                limits=tuple(_entry(limits[each]) for each in sorted(limits)),
            )
            for key, plan in sorted(self.plans.items())
            for limits in [self.limits[key]]
        )


def database() -> str:
    """Where plans are written, and read for that."""
    return router.db_for_write(Plan)


def stored_plans(*, locked: bool = False) -> Stored:
    """All plans and their limits; ``locked`` until the transaction ends. Two queries."""
    plans, limits = Plan.objects.using(database()), PlanLimit.objects.using(database())
    if locked:
        plans, limits = plans.select_for_update(), limits.select_for_update()
    found = {plan.pk: plan for plan in plans.order_by("pk")}
    rows: dict[str, dict[tuple[str, str], PlanLimit]] = {plan.key: {} for plan in found.values()}
    for limit in limits.filter(plan__in=found).order_by("pk"):
        rows[found[limit.plan_id].key][limit.scope, limit.name] = limit
    return Stored(plans={plan.key: plan for plan in found.values()}, limits=rows)


def tenants_by_plan() -> dict[str | None, int]:
    """How many tenants name each plan, by its key; under None those that name none. One query."""
    rows = Tenant.objects.using(database()).order_by().values_list("plan__key")
    return dict(rows.annotate(Count("pk")))


def plan_columns(plan: PlanEntry) -> dict[str, Any]:
    """The columns of the plan's row."""
    names = ("key", *known_fields(PlanEntry))
    return {COLUMNS.get(name, name): getattr(plan, name) for name in names}


def limit_columns(limit: LimitEntry) -> dict[str, Any]:
    """The columns of the limit's row, but for its plan."""
    values = {each.name: getattr(limit, each.name) for each in fields(LimitEntry)}
    return {**values, "warn_at": list(limit.warn_at)}


def _entry(row: PlanLimit) -> LimitEntry:
    values = {each.name: getattr(row, each.name) for each in fields(LimitEntry)}
    return LimitEntry(**{**values, "warn_at": tuple(row.warn_at or ())})
