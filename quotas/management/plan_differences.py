"""What a file of plans would change, as lines of text for operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta

from quotas.domain.periods import written_period
from quotas.management.drawing import shown
from quotas.services.plans_file.comparing import (
    Change,
    Differences,
    LimitDifference,
    PlanDifference,
)
from quotas.services.plans_file.concerned import anonymous_concerned, tenants_concerned

LONGEST = 120
BLANK = {"amount": "unlimited", "capacity": "blank, for the amount"}


def report(differences: Differences, tenants: Mapping[str | None, int]) -> Iterator[str]:
    """Plan by plan, limit by limit, field by field: before -> after; a summary at the end.

    ``tenants``: how many name each plan, by its key.
    """
    for plan in differences.plans:
        heading = f"plan {shown(plan.after.key, LONGEST)}: {plan.change}"
        if plan.change is not Change.UNCHANGED:
            heading += f", concerns {_concerned(plan.after.key, differences, tenants)}"
        yield heading
        if plan.change is not Change.UNCHANGED:
            yield from _plan(plan)
    if differences.left_alone:
        keys = ", ".join(shown(key, LONGEST) for key in differences.left_alone)
        yield f"Not in the file, left as they are: {keys}."
    yield _summary(differences)


def said(field: str, value: object) -> str:
    """A value for people: 0, blank and a number look different everywhere."""
    if value is None or value == "":
        return BLANK.get(field, "blank")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, timedelta):
        return written_period(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, int):
        return "0, denies all" if field == "amount" and value == 0 else f"{value:,}"
    text = shown(str(value), LONGEST)
    return f'"{text}"' if field in {"name", "title"} else text


def _plan(plan: PlanDifference) -> Iterator[str]:
    if plan.before is None:
        yield f"  name: {said('name', plan.after.name)}"
        roles = ("default", "anonymous", "active")
        yield from (f"  {role}: {said(role, getattr(plan.after, role))}" for role in roles)
    for each in plan.fields:
        yield f"  {each.field}: {said(each.field, each.before)} -> {said(each.field, each.after)}"
    for limit in plan.limits:
        yield from _limit(limit)
    kept = sum(limit.change is Change.UNCHANGED for limit in plan.limits)
    if kept:
        yield f"  {_counted(kept, 'limit')} unchanged"


def _limit(limit: LimitDifference) -> Iterator[str]:
    if limit.change is Change.UNCHANGED:
        return
    scope, name = (shown(each, LONGEST) for each in limit.limit.known_by)
    yield f"  limit {scope}/{name}: {limit.change}"
    if limit.change is Change.CHANGED:
        for each in limit.fields:
            before, after = said(each.field, each.before), said(each.field, each.after)
            yield f"    {each.field}: {before} -> {after}"
    else:
        yield from (f"    {field}: {said(field, value)}" for field, value in limit.numbers)


def _concerned(key: str, differences: Differences, tenants: Mapping[str | None, int]) -> str:
    count = _counted(tenants_concerned(key, differences, tenants), "tenant")
    anonymous = anonymous_concerned(key, differences)
    return f"{count} and callers without a tenant" if anonymous else count


def _summary(differences: Differences) -> str:
    plans = Counter(plan.change for plan in differences.plans)
    limits = Counter(limit.change for plan in differences.plans for limit in plan.limits)
    return f"Plans: {_counts(plans)}. Limits: {_counts(limits)}."


def _counts(found: Counter[Change]) -> str:
    return ", ".join(f"{found[each]:,} {each}" for each in Change if found[each]) or "none"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
