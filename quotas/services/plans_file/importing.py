"""Puts a file's plans into the database: looked at first, then all of it in one transaction.

Row by row, so that each change is announced and kept as one that staff save.
"""

from __future__ import annotations

from django.db import IntegrityError, transaction

from quotas.errors import BadPlansFile, PlansChanged
from quotas.models import Plan, PlanLimit
from quotas.models.versions import one_version
from quotas.services.plans_file.comparing import (
    Change,
    Differences,
    LimitDifference,
    PlanDifference,
    compare,
)
from quotas.services.plans_file.entries import PlansFile
from quotas.services.plans_file.judging import complaints_about
from quotas.services.plans_file.stored import (
    COLUMNS,
    Stored,
    database,
    limit_columns,
    plan_columns,
    stored_plans,
)


def look(file: PlansFile) -> Differences:
    """What the file would change; raises `BadPlansFile` when the admin would not take it."""
    differences = compare(stored_plans().entries, file.plans)
    if complaints := complaints_about(file, differences):
        raise BadPlansFile(complaints)
    return differences


def write(file: PlansFile, looked_at: Differences) -> None:
    """Make the changes that somebody has looked at: these and no others, all or none.

    Raises `PlansChanged` when plans are no longer what they were then.
    """
    try:
        with transaction.atomic(using=database()), one_version(database()):
            stored = stored_plans(locked=True)
            if compare(stored.entries, file.plans) != looked_at:
                raise _changed("somebody has changed plans meanwhile")
            _give_up_roles(looked_at, stored)
            for plan in looked_at.changed:
                _write_plan(plan, stored)
    except IntegrityError as error:
        raise _changed(f"the database refused it ({error})") from error


def _changed(reason: str) -> PlansChanged:
    return PlansChanged(f"Nothing was written: {reason}. Look at the differences again.")


def _give_up_roles(differences: Differences, stored: Stored) -> None:
    """First: at most one plan has a role at any time, and two may swap both."""
    for plan in differences.changed:
        lost = [
            COLUMNS[each.field] for each in plan.fields if each.field in COLUMNS and each.before
        ]
        if lost:
            row = stored.plans[plan.after.key]
            for column in lost:
                setattr(row, column, False)
            row.save(using=database(), update_fields=lost)


def _write_plan(plan: PlanDifference, stored: Stored) -> None:
    wanted = plan_columns(plan.after)
    if plan.before is None:
        row = Plan(**wanted)
        row.save(using=database(), force_insert=True)
    else:
        row = stored.plans[plan.after.key]
        changed = [column for column, value in wanted.items() if getattr(row, column) != value]
        if changed:
            _set(row, {column: wanted[column] for column in changed})
    known = stored.limits.get(plan.after.key, {})
    # Removed first: where the database takes two spellings for one, a new one finds its place.
    for limit in sorted(plan.limits, key=lambda each: each.change is not Change.REMOVED):
        _write_limit(limit, row, known.get(limit.limit.known_by))


def _write_limit(limit: LimitDifference, plan: Plan, row: PlanLimit | None) -> None:
    if limit.after is None:
        if row is not None:
            row.delete(using=database())
    elif row is None:
        PlanLimit(plan=plan, **limit_columns(limit.after)).save(using=database(), force_insert=True)
    elif limit.change is Change.CHANGED:
        wanted = limit_columns(limit.after)
        _set(row, {each.field: wanted[each.field] for each in limit.fields})


def _set(row: Plan | PlanLimit, values: dict[str, object]) -> None:
    for column, value in values.items():
        setattr(row, column, value)
    row.save(using=database(), update_fields=list(values))
