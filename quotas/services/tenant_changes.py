"""What applies to a tenant before and after a change of its plan or its overrides is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from quotas.domain.calendar import microseconds
from quotas.domain.edits import Edit
from quotas.domain.policies import Limit
from quotas.models import Override, Plan, Tenant
from quotas.services.loading import as_override, load_plans, tenants_of
from quotas.services.outlook import Outlook, outlooks_among
from quotas.services.policy import FOREVER_US, InForce, OverrideRow, Policy, TenantRow
from quotas.services.removals import Removal


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """All that applies to one tenant at an instant, and all that would apply to it then."""

    tenant: Tenant
    before: InForce
    after: InForce

    @property
    def edits(self) -> list[Edit]:
        """Of limits that have another one in their place: those that matter to calls."""
        edits = (
            Edit(before=self._named(limit), after=self.after.rows[known])
            for known, limit in self.before.rows.items()
            if known in self.after.rows
        )
        return [edit for edit in edits if edit.matters]

    @property
    def lost(self) -> list[Removal]:
        """Limits with none in their place."""
        return [
            Removal(limit=self._named(limit), tenants=1, last=not self.after.covers(limit.scope))
            for known, limit in self.before.rows.items()
            if known not in self.after.rows
        ]

    def _named(self, limit: Limit) -> Limit:
        """The limit, told from those of others by the tenant."""
        return replace(limit, source=replace(limit.source, title=str(self.tenant)))


def of_overrides(
    tenants: Sequence[Tenant],
    gone: Collection[int],
    made: Iterable[Override] = (),
    *,
    now: datetime,
) -> list[Change]:
    """What it means that some overrides of ``tenants`` go, by primary key, and others are made.

    An edited one goes, and is made as it will be. Now, and when those begin that have not begun
    yet. Five queries, however many.
    """
    new = _rows_of(made)
    changes = []
    for tenant, row in zip(tenants, tenants_of(tenants), strict=True):
        left = tuple(each for each in row.overrides if each.pk not in gone)
        theirs = new.get(tenant.pk, [])
        touched = [*theirs, *(each for each in row.overrides if each.pk in gone)]
        after = replace(row, overrides=(*left, *theirs))
        changes.append((tenant, row, after, _instants(touched, now)))
    plans = _Plans()
    return [
        Change(
            tenant=tenant,
            before=plans.of(before).in_force(at_us),
            after=plans.of(after).in_force(at_us),
        )
        for tenant, before, after, instants in changes
        for at_us in instants
    ]


def of_plan(tenant: Tenant, plan: Plan | None, *, now: datetime) -> list[Change]:
    """What it means for a tenant to be moved to ``plan``; None: the default one. Five queries."""
    [row] = tenants_of([tenant])
    moved = replace(row, plan_pk=plan.pk if plan else None)
    plans, at_us = _Plans(), microseconds(now)
    before, after = (plans.of(each).in_force(at_us) for each in (row, moved))
    return [Change(tenant=tenant, before=before, after=after)]


def outlooks_of(changes: Iterable[Change], *, now: datetime) -> list[Outlook]:
    """What the edits among these changes mean; see `outlooks_among`."""
    concerned = dict.fromkeys((each.tenant, edit) for each in changes for edit in each.edits)
    return outlooks_among(list(concerned), now=now)


def lost_in(changes: Iterable[Change]) -> list[Removal]:
    """The limits that tenants lose by these changes, each told once."""
    return list(dict.fromkeys(removal for each in changes for removal in each.lost))


class _Plans:
    """The active plans, read once."""

    def __init__(self) -> None:
        self.rows, self.default_pk, _anonymous = load_plans()

    def of(self, tenant: TenantRow) -> Policy:
        """What applies to a tenant: of its plan, or of the default one."""
        plan = self.rows.get(tenant.plan_pk or 0) or self.rows.get(self.default_pk or 0)
        return Policy(plan=plan, tenant=tenant)


def _rows_of(made: Iterable[Override]) -> dict[int, list[OverrideRow]]:
    """By tenant; one without a primary key yet will have the highest."""
    found: dict[int, list[OverrideRow]] = {}
    for override in made:
        rows = [replace(row, pk=row.pk or FOREVER_US) for row in as_override(override)]
        found.setdefault(override.tenant_id, []).extend(rows)
    return found


def _instants(touched: Iterable[OverrideRow], now: datetime) -> list[int]:
    """Now, and later beginnings."""
    now_us = microseconds(now)
    return sorted({now_us} | {each.starts_us for each in touched if each.starts_us > now_us})
