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

from quotas.models.reach import Announced, Reach, rows_of
from quotas.models.versions import BATCH, Versioned, keep, one_version

Row = TypeVar("Row", bound=Announced)


class AnnouncingQuerySet(models.QuerySet[Row]):
    """Sends `policy_changed` after the commit of each bulk write, and keeps the versions in it.

    A bulk write says since when rows have had what it changes, unless it is told: see `Since`.
    """

    def update(self, **kwargs: Any) -> int:
        self._for_write = True  # what is concerned is read where it will be written
        if self.model.since:
            kwargs = self.model.since.with_at(kwargs)
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
            before = self._values_before(rows, update_fields or (), unique_fields or ())
            made = super().bulk_create(
                rows, batch_size, ignore_conflicts, update_conflicts, update_fields, unique_fields
            )
            if self.model.since:
                self.model.since.begin_anew(rows_of(self.model, self.db), before)
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

    def _values_before(
        self, rows: list[Row], written: Collection[str], unique: Collection[str]
    ) -> dict[Any, Any]:
        """What stood, by primary key, where a write over rows is to say since when it does."""
        kept = self.model.since
        if not kept or not kept.named_in(written) or kept.at in written:
            return {}
        return dict(self._met_by(rows, unique).values_list("pk", kept.column))

    def _met_by(self, rows: list[Row], unique: Collection[str]) -> models.QuerySet[Row]:
        """All that a write of ``rows`` may meet, and perhaps some more."""
        return self._known(rows)

    def _known(self, rows: list[Row]) -> models.QuerySet[Row]:
        """Those of ``rows`` that the database has: a write that meets them may move them."""
        pks = [row.pk for row in rows if row.pk is not None]
        return rows_of(self.model, self.db).filter(pk__in=pks)


class TenantQuerySet(AnnouncingQuerySet[Row]):
    """Tenants; known by their key when a bulk write does not tell their primary keys."""

    def _known(self, rows: list[Row]) -> models.QuerySet[Row]:
        keys = [getattr(row, "key", "") for row in rows]
        return super()._known(rows) | rows_of(self.model, self.db).filter(key__in=keys)


class LimitQuerySet(AnnouncingQuerySet[Row]):
    """Limits; a bulk write meets others by the fields that it calls unique."""

    def park(self) -> None:
        """Give each row a name that no form can give, so that others may have its own."""
        self.update(name=Concat(Value("~"), Cast("pk", CharField())))

    park.alters_data = True  # type: ignore[attr-defined]

    def _met_by(self, rows: list[Row], unique: Collection[str]) -> models.QuerySet[Row]:
        options: Any = self.model._meta  # noqa: SLF001 - Django's documented name
        met = rows_of(self.model, self.db)
        for name in unique or ["pk"]:
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
