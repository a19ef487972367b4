"""What applied to a tenant at an instant that is past, out of the versions of what applies.

Of what was counted then it says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import router

from quotas.domain.calendar import instant_at, microseconds
from quotas.models import Cap, Override, Plan, PlanLimit, Tenant
from quotas.services.effective import Effective, effective_at
from quotas.services.loading import as_cap, as_override, as_plan, as_tenant
from quotas.services.policy import PlanRow, Policy, TenantRow
from quotas.services.versions import held_at

BEGINNING = instant_at(0)
"""No version is older; what is, some databases cannot be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A tenant at an instant: its plan, None without any, and the limits in force.

    ``by_default``: the plan was that of tenants without one of their own.
    """

    at: datetime
    tenant: TenantRow
    plan: PlanRow | None
    by_default: bool
    limits: tuple[Effective, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotKnown:
    """No version of the tenant held at the instant; they begin later, if there is any."""

    begins: datetime | None


def applied_to(tenant_pk: int, at: datetime) -> Applied | NotKnown:
    """What applied to a tenant at ``at``, that instant included. Six queries at most."""
    using, at = router.db_for_write(Tenant), max(at, BEGINNING)
    found = held_at(Tenant, at, using).filter(id=tenant_pk).first()
    if found is None:
        later = Tenant.history.using(using).filter(id=tenant_pk, history_date__gt=at)
        begins = later.order_by("history_date").values_list("history_date", flat=True).first()
        return NotKnown(begins=begins)
    tenant = _tenant(found.instance, at, using)
    plan = _plan(tenant.plan_pk, at, using)
    policy = Policy(plan=plan, tenant=tenant)
    return Applied(
        at=at,
        tenant=tenant,
        plan=plan,
        by_default=plan is not None and plan.pk != tenant.plan_pk,
        limits=effective_at(policy, microseconds(at)),
    )


def _tenant(tenant: Tenant, at: datetime, using: str) -> TenantRow:
    overrides = [row for each in _of(Override, tenant, at, using) for row in as_override(each)]
    return as_tenant(tenant, overrides, [as_cap(each) for each in _of(Cap, tenant, at, using)])


def _of(model: Any, tenant: Tenant, at: datetime, using: str) -> list[Any]:
    rows = held_at(model, at, using).filter(tenant_id=tenant.pk).order_by("id")
    return [version.instance for version in rows]


def _plan(pk: int | None, at: datetime, using: str) -> PlanRow | None:
    """The plan of this key if it was active, else the default one of then."""
    active = held_at(Plan, at, using).filter(active=True)
    found = active.filter(id=pk).first() or active.filter(is_default=True).first()
    if found is None:
        return None
    limits = held_at(PlanLimit, at, using).filter(plan_id=found.id).order_by("id")
    return as_plan(found.instance, [version.instance for version in limits])
