"""What became of a row, moment by moment: its versions, and those of the rows that belong to it.

A plan's limits belong to it; a tenant's overrides and caps to it. What was written in one step is
of one moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from quotas.models import Cap, Override, Plan, PlanLimit, Tenant
from quotas.models.reach import rows_of
from quotas.models.versions import DELETED, MADE

PARENT: dict[Any, str] = {PlanLimit: "plan_id", Override: "tenant_id", Cap: "tenant_id"}
CHILDREN: dict[Any, tuple[Any, ...]] = {Plan: (PlanLimit,), Tenant: (Override, Cap)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A row of ``model`` after one write, and before it: None when it was made or moved here."""

    model: Any
    after: Any
    before: Any

    @property
    def row_pk(self) -> Any:
        return self.after.id

    @property
    def made(self) -> bool:
        return bool(self.after.history_type == MADE)

    @property
    def deleted(self) -> bool:
        return bool(self.after.history_type == DELETED)


@dataclass(frozen=True, slots=True)
class Moment:
    """What was written in one step, and when; ``by`` is a user, None when nobody is known."""

    at: datetime
    versions: tuple[Version, ...]

    @property
    def by(self) -> Any:
        return self.versions[0].after.history_user

    @property
    def reason(self) -> str:
        return str(self.versions[0].after.history_change_reason)


@dataclass(frozen=True, slots=True)
class Timeline:
    """All moments of a row, the newest first: how many there are, and some of them."""

    tables: tuple[tuple[Any, QuerySet[Any]], ...]

    @property
    def instants(self) -> QuerySet[Any]:
        """When something was written, as a queryset to be counted and cut."""
        first, *others = [
            versions.order_by().values_list("history_date", flat=True).distinct()
            for _model, versions in self.tables
        ]
        # On one table, what else the union does with doubles.
        found = first.union(*others) if others else first
        return found.order_by("-history_date")

    def moments(self, instants: Iterable[datetime]) -> list[Moment]:
        """What was written at these. Two queries for each table."""
        wanted = list(instants)
        found: dict[tuple[datetime, Any, str], list[Version]] = {}
        for model, versions in self.tables:
            for each in _with_before(model, versions.filter(history_date__in=wanted)):
                row = each.after
                step = (row.history_date, row.history_user_id, row.history_change_reason)
                found.setdefault(step, []).append(each)
        steps = sorted(found.items(), key=lambda step: step[0][0], reverse=True)
        return [Moment(at, tuple(rows)) for (at, _by, _reason), rows in steps]

    def only(self, models: Iterable[Any]) -> Timeline:
        """Without the versions of other models."""
        wanted = set(models)
        return Timeline(tuple(each for each in self.tables if each[0] in wanted))

    @property
    def newest(self) -> datetime | None:
        """When something was written last."""
        at: datetime | None = self.instants.first()
        return at


def timeline_of(row: Any, using: str) -> Timeline:
    """The moments of a row, and of the rows that belong to it."""
    model = type(row)
    tables = [(model, model.history.using(using).filter(id=row.pk))]
    tables += [
        (child, child.history.using(using).filter(**{PARENT[child]: row.pk}))
        for child in CHILDREN.get(model, ())
    ]
    return Timeline(tuple(tables))


def locked_with_its_own(row: Any, using: str) -> None:
    """Let nobody write the row, nor what belongs to it, until the transaction ends.

    What is not there yet, or belongs to another yet, comes to point to the row, which is locked.
    """
    model = type(row)
    of_row = {model: "pk"} | {child: PARENT[child] for child in CHILDREN.get(model, ())}
    for each, column in of_row.items():
        rows = rows_of(each, using).filter(**{column: row.pk}).order_by("pk")
        list(rows.select_for_update().values_list("pk"))


def held_at(model: Any, at: datetime, using: str) -> QuerySet[Any]:
    """The version of each row that held at an instant, if the row was there."""
    known = model.history.using(using).filter(history_date__lte=at)
    later = known.filter(id=OuterRef("id"), history_date__gt=OuterRef("history_date"))
    found: QuerySet[Any] = known.filter(~Exists(later)).exclude(history_type=DELETED)
    return found


def _with_before(model: Any, versions: QuerySet[Any]) -> list[Version]:
    table = versions.model._base_manager.using(versions.db)  # noqa: SLF001 - Django's documented name
    earlier = table.filter(id=OuterRef("id"), history_date__lt=OuterRef("history_date"))
    last = Subquery(earlier.order_by("-history_date").values("history_id")[:1])
    rows = list(versions.annotate(last_id=last).select_related("history_user").order_by("id"))
    before = {row.history_id: row for row in table.filter(history_id__in=[r.last_id for r in rows])}
    return [
        Version(model=model, after=row, before=_before(model, row, before.get(row.last_id)))
        for row in rows
    ]


def _before(model: Any, after: Any, before: Any) -> Any:
    """The version before, unless the row was not there or belonged to another then."""
    parent = PARENT.get(model)
    if before is None or before.history_type == DELETED:
        return None
    moved = parent is not None and getattr(before, parent) != getattr(after, parent)
    return None if moved else before
