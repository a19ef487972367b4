"""What the admin would refuse in a file of plans, each with its place and the way out."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError

from quotas.models import Plan, PlanLimit
from quotas.services.plans_file.comparing import Differences
from quotas.services.plans_file.entries import LimitEntry, PlanEntry, PlansFile
from quotas.services.plans_file.reading import shown
from quotas.services.plans_file.stored import COLUMNS, limit_columns, plan_columns

FIELDS = {column: field for field, column in COLUMNS.items()}


def complaints_about(file: PlansFile, differences: Differences) -> list[str]:
    """What is wrong with the file's plans by themselves, and beside those that it leaves alone."""
    found: list[str] = []
    for plan in file.plans:
        found += _complaints(file.place(plan.key), plan, Plan(**plan_columns(plan)))
        for limit in plan.limits:
            row = PlanLimit(**limit_columns(limit))
            found += _complaints(file.place(plan.key, limit), limit, row, exclude={"plan"})
    for role in COLUMNS:
        found += _about_role(role, file, differences)
    return found


def _complaints(
    where: str,
    entry: PlanEntry | LimitEntry,
    row: Plan | PlanLimit,
    exclude: Collection[str] = (),
) -> Iterator[str]:
    try:
        # What other rows decide is judged for rows as they will be, not by what is there now.
        row.full_clean(exclude=exclude, validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        for column, messages in error.message_dict.items():
            field = FIELDS.get(column, column)
            said = "" if column == NON_FIELD_ERRORS else f" {field} is {_value(entry, field)}:"
            yield from (f"{where}:{said} {message}" for message in messages)


def _value(entry: PlanEntry | LimitEntry, field: str) -> str:
    value = getattr(entry, field)
    return "blank" if value in {None, ""} else shown(value)


def _about_role(role: str, file: PlansFile, differences: Differences) -> Iterator[str]:
    holders = [plan.key for plan in differences.after if getattr(plan, role)]
    left_alone = [key for key in holders if key in differences.left_alone]
    named = [key for key in holders if key not in left_alone]
    if len(named) > 1:
        places = "; ".join(map(file.place, named))
        yield f"{places}: {role} is true in each: leave it to one of them."
    for key in left_alone if named else ():
        yield (
            f"{file.place(named[0])}: {role} is true: so it is in plan {key}, which is not in the "
            f"file. Add that plan to the file without {role}, or take it away in the admin."
        )
