"""What a file would change: plan by plan, limit by limit, field by field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from quotas.services.plans_file.entries import LimitEntry, PlanEntry, known_fields, written_fields


class Change(StrEnum):
    """What becomes of a plan or a limit."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A field before and after."""

    field: str
    before: object
    after: object


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitDifference:
    """A limit before and after: None where there is none."""

    before: LimitEntry | None
    after: LimitEntry | None

    @property
    def limit(self) -> LimitEntry:
        """The limit as it will be, or as it was."""
        found = self.after or self.before
        if found is None:
            raise ValueError("A difference is of a limit that was, will be, or both.")
        return found

    @property
    def change(self) -> Change:
        return _change(self.before, self.after)

    @property
    def fields(self) -> tuple[FieldChange, ...]:
        """What differs in a limit that stays."""
        return _fields(self.before, self.after)

    @property
    def numbers(self) -> list[tuple[str, object]]:
        """What a limit that is added or removed says, but for what it is known by."""
        said = written_fields(self.limit)
        return [(name, value) for name, value in said if name not in {"scope", "name"}]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDifference:
    """A plan of the file, and as it is before: None if it is not there."""

    before: PlanEntry | None
    after: PlanEntry
    limits: tuple[LimitDifference, ...]

    @property
    def change(self) -> Change:
        if self.before is None:
            return Change.ADDED
        limits = any(each.change is not Change.UNCHANGED for each in self.limits)
        return Change.CHANGED if limits or self.fields else Change.UNCHANGED

    @property
    def fields(self) -> tuple[FieldChange, ...]:
        """What differs in the plan itself."""
        return _fields(self.before, self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """All plans before, and what a file makes of those that it names."""

    before: tuple[PlanEntry, ...]
    plans: tuple[PlanDifference, ...]

    @property
    def left_alone(self) -> list[str]:
        """The keys of plans that the file does not name."""
        named = {plan.after.key for plan in self.plans}
        return [plan.key for plan in self.before if plan.key not in named]

    @property
    def after(self) -> tuple[PlanEntry, ...]:
        """All plans as they will be."""
        wanted = {plan.after.key: plan.after for plan in self.plans}
        return tuple(({plan.key: plan for plan in self.before} | wanted).values())

    @property
    def changed(self) -> list[PlanDifference]:
        return [plan for plan in self.plans if plan.change is not Change.UNCHANGED]


def compare(before: Iterable[PlanEntry], wanted: Iterable[PlanEntry]) -> Differences:
    """What differs in each plan of ``wanted``, in the order of keys and of (scope, name)."""
    known = {plan.key: plan for plan in sorted(before, key=lambda plan: plan.key)}
    plans = tuple(
        PlanDifference(
            before=known.get(plan.key),
            after=plan,
            limits=_limits(known.get(plan.key), plan),
        )
        for plan in sorted(wanted, key=lambda plan: plan.key)
    )
    return Differences(before=tuple(known.values()), plans=plans)


def _limits(before: PlanEntry | None, after: PlanEntry) -> tuple[LimitDifference, ...]:
    old = {limit.known_by: limit for limit in before.limits} if before else {}
    new = {limit.known_by: limit for limit in after.limits}
    return tuple(
        LimitDifference(before=old.get(each), after=new.get(each)) for each in sorted(old | new)
    )


def _change(before: object, after: object) -> Change:
    if before is None:
        return Change.ADDED
    if after is None:
        return Change.REMOVED
    return Change.UNCHANGED if before == after else Change.CHANGED


def _fields(
    before: LimitEntry | PlanEntry | None, after: LimitEntry | PlanEntry | None
) -> tuple[FieldChange, ...]:
    if before is None or after is None:
        return ()
    pairs = (
        FieldChange(field=name, before=getattr(before, name), after=getattr(after, name))
        for name in known_fields(type(after))
    )
    return tuple(pair for pair in pairs if pair.before != pair.after)
