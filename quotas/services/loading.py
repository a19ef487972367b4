"""Reads what applies from the primary database.

The only place of the services that queries for a decision.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import connections, router

from quotas.domain.calendar import instant_at, microseconds
from quotas.domain.policies import Limit, Source
from quotas.engine.clock import clock, now_us
from quotas.errors import InvalidLimit
from quotas.models import Cap, LimitReset, Membership, Override, Plan, PlanLimit, Tenant
from quotas.services.policy import FOREVER_US, CapRow, OverrideRow, PlanRow, TenantRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

logger = logging.getLogger("quotas")

CLOCKS_DIFFER_BY = timedelta(days=1)
UNHOLDABLE = (ValueError, TypeError, OverflowError, ValidationError)


class LoadedPlans(NamedTuple):
    """Every active plan with all its rows, by primary key, and which of them stand in.

    ``default_pk`` does for tenants without a plan, ``anonymous_pk`` for callers without a tenant.
    """

    rows: dict[int, PlanRow]
    default_pk: int | None
    anonymous_pk: int | None


def load_plans() -> LoadedPlans:
    """The active plans. Two queries."""
    using = router.db_for_write(Plan)
    plans = {plan.pk: plan for plan in Plan.objects.using(using).filter(active=True)}
    rows: dict[int, list[PlanLimit]] = {pk: [] for pk in plans}
    for row in PlanLimit.objects.using(using).filter(plan__in=plans).order_by("pk"):
        rows[row.plan_id].append(row)
    return LoadedPlans(
        rows={pk: as_plan(plan, rows[pk]) for pk, plan in plans.items()},
        default_pk=next((pk for pk, plan in plans.items() if plan.is_default), None),
        anonymous_pk=next((pk for pk, plan in plans.items() if plan.is_anonymous), None),
    )


def pk_of_tenant(key: str) -> int | None:
    """The primary key of the tenant of this key. One query."""
    using = router.db_for_write(Tenant)
    rows = Tenant.objects.using(using).values_list("pk", flat=True)
    try:
        return rows.filter(key=key).first()
    except UNHOLDABLE:
        return None


def load_tenant(pk: int) -> TenantRow | None:
    """A tenant with its caps, resets and overrides that have not ended. Four queries."""
    using = router.db_for_write(Tenant)
    found = Tenant.objects.using(using).filter(pk=pk).first()
    return None if found is None else tenants_of([found], using)[0]


def load_tenants(after_pk: int, most: int) -> list[TenantRow]:
    """The next ``most`` tenants behind a primary key, in its order. Four queries."""
    using = router.db_for_write(Tenant)
    found = Tenant.objects.using(using).filter(pk__gt=after_pk).order_by("pk")
    return tenants_of(list(found[:most]), using)


def tenants_of(found: Sequence[Tenant], using: str | None = None) -> list[TenantRow]:
    """Tenants that have been read, with what else is theirs, in their order. Three queries."""
    using = using or router.db_for_write(Tenant)
    pks = [each.pk for each in found]
    overrides, caps, resets = _overrides(pks, using), _caps(pks, using), _resets(pks, using)
    return [
        as_tenant(each, overrides.get(each.pk, ()), caps.get(each.pk, ()), resets.get(each.pk, {}))
        for each in found
    ]


def as_plan(plan: Plan, limits: Iterable[PlanLimit]) -> PlanRow:
    """A plan as the limiter knows it, with its limits in the order given."""
    rows: list[Limit] = []
    for row in limits:
        rows.extend(_limit(row, Source(kind="plan", title=plan.name, pk=row.pk)))
    return PlanRow(
        pk=plan.pk,
        key=plan.key,
        name=plan.name,
        rows=tuple(rows),
        default_since=plan.default_since if plan.is_default else None,
    )


def as_tenant(
    tenant: Tenant,
    overrides: Iterable[OverrideRow],
    caps: Iterable[CapRow],
    resets: Mapping[tuple[str, str], int] | None = None,
) -> TenantRow:
    """A tenant as the limiter knows it."""
    return TenantRow(
        pk=tenant.pk,
        key=tenant.key,
        name=tenant.name,
        time_zone=tenant.time_zone,
        anchor_day=tenant.anchor_day,
        suspended=tenant.suspended,
        epoch=tenant.epoch,
        plan_pk=tenant.plan_id,
        plan_since=tenant.plan_since,
        overrides=tuple(overrides),
        caps=tuple(caps),
        resets=resets or {},
    )


def as_override(row: Override) -> Iterable[OverrideRow]:
    """An override as the limiter knows it; nothing of one that makes no limit."""
    source = Source(
        kind="override", title=row.reason, pk=row.pk, starts=row.starts_at, ends=row.ends_at
    )
    ends = FOREVER_US if row.ends_at is None else microseconds(row.ends_at)
    for limit in _limit(row, source):
        yield OverrideRow(
            pk=row.pk, limit=limit, starts_us=microseconds(row.starts_at), ends_us=ends
        )


def as_cap(row: Cap) -> CapRow:
    """A cap as the limiter knows it."""
    return CapRow(scope=row.scope, name=row.name, amount=row.amount)


def load_members(tenant_pks: Iterable[int]) -> dict[int, list[Any]]:
    """The primary keys of each tenant's users, in their order. One query."""
    using = router.db_for_write(Membership)
    rows = Membership.objects.using(using).filter(tenant__in=tenant_pks)
    found: dict[int, list[Any]] = {}
    for tenant_pk, user_pk in rows.order_by("tenant_id", "user_id").values_list(
        "tenant_id", "user_id"
    ):
        found.setdefault(tenant_pk, []).append(user_pk)
    return found


def in_transaction() -> bool:
    """Whether rows are read inside a transaction, other than one that a test is wrapped in."""
    blocks = connections[router.db_for_write(Tenant)].atomic_blocks
    return any(not getattr(block, "_from_testcase", False) for block in blocks)


def load_memberships(user_pk: Any) -> list[Membership]:
    """The memberships of a user, with their tenants. One query.

    None for a user whose primary key the table of users cannot hold, such as one whom a token
    alone describes.
    """
    using = router.db_for_write(Membership)
    rows = Membership.objects.using(using).select_related("tenant").order_by("pk")
    try:
        return list(rows.filter(user_id=user_pk))
    except UNHOLDABLE:
        return []


def _overrides(tenant_pks: list[int], using: str) -> dict[int, list[OverrideRow]]:
    """Those not ended, by this host's clock and a day of grace; under a given time all.

    The engine's clock decides which are in force.
    """
    over = instant_at(now_us()) - CLOCKS_DIFFER_BY
    rows = Override.objects.using(using).filter(tenant__in=tenant_pks).order_by("pk")
    held: dict[int, list[OverrideRow]] = {}
    for row in rows:
        if row.ends_at is not None and row.ends_at < over and not clock.given_us:
            continue
        held.setdefault(row.tenant_id, []).extend(as_override(row))
    return held


def _caps(tenant_pks: list[int], using: str) -> dict[int, list[CapRow]]:
    held: dict[int, list[CapRow]] = {}
    for row in Cap.objects.using(using).filter(tenant__in=tenant_pks).order_by("pk"):
        held.setdefault(row.tenant_id, []).append(as_cap(row))
    return held


def _resets(tenant_pks: list[int], using: str) -> dict[int, dict[tuple[str, str], int]]:
    held: dict[int, dict[tuple[str, str], int]] = {}
    for row in LimitReset.objects.using(using).filter(tenant__in=tenant_pks).order_by("pk"):
        held.setdefault(row.tenant_id, {})[row.scope, row.name] = row.epoch
    return held


def _limit(row: PlanLimit | Override, source: Source) -> Iterable[Limit]:
    try:
        yield row.as_limit(source)
    except (
        InvalidLimit
    ) as error:  # only a row written past the constraints: one bad row must not stop every request
        logger.error(  # noqa: TRY400 - the message says it all
            "Limit row %s %s is left out: %s", source.kind, source.pk, error
        )
