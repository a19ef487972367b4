"""Querysets that announce what they write in bulk, where Django sends no signal of its own.

`bulk_update`, and what related managers add, set or remove, come down to `update`; what comes down
to `save`, and `delete`, which sends a signal for each row, is heard by `quotas.models.changes`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, TypeVar

from django.db import models, transaction
from django.db.models import CharField, Q, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from quotas.models.mode_since import since_turned
from quotas.models.plan_since import PLAN, since_moved
from quotas.models.reach import Announced, Reach, rows_of
from quotas.models.versions import BATCH, Versioned, keep, one_version

Row = TypeVar("Row", bound=Announced)


class AnnouncingQuerySet(models.QuerySet[Row]):
    """Sends `policy_changed` after the commit of each bulk write, and keeps the versions in it."""

    def update(self, **kwargs: Any) -> int:
        self._for_write = True  # what is concerned is read where it will be written
        using = self.db
        reach = Reach(self.model, using)
        with transaction.atomic(using, savepoint=False):
            reach.add_rows(self)
            moves = self.model.concerns.moved_by(kwargs)
            versioned = issubclass(self.model, Versioned)
            pks = list(self.order_by().values_list("pk", flat=True)) if moves or versioned else []
            changed = self._update_those(pks, kwargs) if versioned else super().update(**kwargs)
            if moves:
                reach.add_rows(rows_of(self.model, using).filter(pk__in=pks))
            if changed:
                keep(self.model, using, pks)
                reach.announce()
        return changed

    # As on the method it replaces: a template cannot call it.
    update.alters_data = True  # type: ignore[attr-defined]

    def _update_those(self, pks: list[Any], values: dict[str, Any]) -> int:
        """Update no row but these, of which a version is kept: another may have come to match."""
        batches = [pks[at : at + BATCH] for at in range(0, len(pks), BATCH)] or [[]]
        return sum(
            super(AnnouncingQuerySet, self.filter(pk__in=batch)).update(**values)
            for batch in batches
        )

    def delete(self) -> tuple[int, dict[str, int]]:
        self._for_write = True
        with one_version(self.db):
            return super().delete()

    # The same; and no manager has it.
    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]

    def bulk_create(
        self,
        objs: Iterable[Row],
        batch_size: int | None = None,
        ignore_conflicts: bool = False,  # noqa: FBT001, FBT002
        update_conflicts: bool = False,  # noqa: FBT001, FBT002
        update_fields: Collection[str] | None = None,
        unique_fields: Collection[str] | None = None,
    ) -> list[Row]:
        rows = list(objs)
        self._for_write = True
        reach = Reach(self.model, self.db)
        conflicts = ignore_conflicts or update_conflicts
        with transaction.atomic(self.db, savepoint=False):
            if conflicts:
                reach.add_rows(self._known(rows))
            made = super().bulk_create(
                rows, batch_size, ignore_conflicts, update_conflicts, update_fields, unique_fields
            )
            for row in made:
                reach.add(row)
            if conflicts:
                reach.add_rows(self._known(rows))
            if made:
                pks = {row.pk for row in made}
                # Which rows were written is not told of all: then all are looked at.
                keep(self.model, self.db, None if None in pks else pks)
                reach.announce()
        return made

    def _known(self, rows: list[Row]) -> models.QuerySet[Row]:
        """Those of ``rows`` that the database has: a write that meets them may move them."""
        pks = [row.pk for row in rows if row.pk is not None]
        return rows_of(self.model, self.db).filter(pk__in=pks)


class TenantQuerySet(AnnouncingQuerySet[Row]):
    """Tenants; known by their key when a bulk write does not tell their primary keys.

    A bulk write that moves them to another plan says since when, unless it is told.
    """

    def update(self, **kwargs: Any) -> int:
        named = PLAN & kwargs.keys()
        if named and "plan_since" not in kwargs:
            # First: MySQL reads what it has just set.
            kwargs = {"plan_since": since_moved(kwargs[named.pop()]), **kwargs}
        return super().update(**kwargs)

    update.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(
        self,
        objs: Iterable[Row],
        batch_size: int | None = None,
        ignore_conflicts: bool = False,  # noqa: FBT001, FBT002
        update_conflicts: bool = False,  # noqa: FBT001, FBT002
        update_fields: Collection[str] | None = None,
        unique_fields: Collection[str] | None = None,
    ) -> list[Row]:
        rows, written = list(objs), set(update_fields or ())
        self._for_write = True
        plans: dict[Any, Any] = {}
        if PLAN & written and "plan_since" not in written:
            plans = dict(self._known(rows).values_list("pk", "plan_id"))
        with transaction.atomic(self.db, savepoint=False):
            made = super().bulk_create(
                rows, batch_size, ignore_conflicts, update_conflicts, update_fields, unique_fields
            )
            known = rows_of(self.model, self.db).filter(pk__in=plans)
            found = known.values_list("pk", "plan_id") if plans else ()
            if moved := [pk for pk, plan in found if plan != plans[pk]]:
                known.filter(pk__in=moved).update(plan_since=timezone.now())
        return made

    def _known(self, rows: list[Row]) -> models.QuerySet[Row]:
        keys = [getattr(row, "key", "") for row in rows]
        return super()._known(rows) | rows_of(self.model, self.db).filter(key__in=keys)


class LimitQuerySet(AnnouncingQuerySet[Row]):
    """Limits. A bulk write that turns their modes says since when, unless it is told."""

    def update(self, **kwargs: Any) -> int:
        if "mode" in kwargs and "mode_since" not in kwargs:
            kwargs = {"mode_since": since_turned(kwargs["mode"]), **kwargs}
        return super().update(**kwargs)

    update.alters_data = True  # type: ignore[attr-defined]

    def park(self) -> None:
        """Give each row a name that no form can give, so that others may have its own."""
        self.update(name=Concat(Value("~"), Cast("pk", CharField())))

    park.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(
        self,
        objs: Iterable[Row],
        batch_size: int | None = None,
        ignore_conflicts: bool = False,  # noqa: FBT001, FBT002
        update_conflicts: bool = False,  # noqa: FBT001, FBT002
        update_fields: Collection[str] | None = None,
        unique_fields: Collection[str] | None = None,
    ) -> list[Row]:
        rows, written = list(objs), set(update_fields or ())
        self._for_write = True
        modes: dict[Any, Any] = {}
        if "mode" in written and "mode_since" not in written:
            met = self._met_by(rows, unique_fields or ["pk"])
            modes = dict(met.values_list("pk", "mode"))
        with transaction.atomic(self.db, savepoint=False):
            made = super().bulk_create(
                rows, batch_size, ignore_conflicts, update_conflicts, update_fields, unique_fields
            )
            known = rows_of(self.model, self.db).filter(pk__in=modes)
            found = known.values_list("pk", "mode") if modes else ()
            if turned := [pk for pk, mode in found if mode != modes[pk]]:
                known.filter(pk__in=turned).update(mode_since=timezone.now())
        return made

    def _met_by(self, rows: list[Row], unique: Collection[str]) -> models.QuerySet[Row]:
        """All that a write of ``rows`` may meet, and perhaps some more."""
        options: Any = self.model._meta  # noqa: SLF001 - Django's documented name
        met = rows_of(self.model, self.db)
        for name in unique:
            column = name if name == "pk" else options.get_field(name).attname
            met = met.filter(**{f"{column}__in": {getattr(row, column) for row in rows}})
        return met


class OverrideQuerySet(LimitQuerySet[Row]):
    """Overrides, by when they are in force: from their start, up to and without their end."""

    def not_over(self, instant: datetime) -> OverrideQuerySet[Row]:
        """Those in force at ``instant`` and those that will be, the one that began last at the end.

        Of several in force for one (scope, name) the last in this order wins.
        """
        return self.filter(Q(ends_at=None) | Q(ends_at__gt=instant)).order_by("starts_at", "pk")

    def in_force(self, instant: datetime) -> OverrideQuerySet[Row]:
        """Those in force at ``instant``, in the order of `not_over`."""
        return self.not_over(instant).filter(starts_at__lte=instant)
