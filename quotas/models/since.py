"""Since when a row has had a value, such as a tenant its plan or a limit its mode.

Kept by whatever writes the value, one row or many. A value that is written once more, the same, is
no change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, DateTimeField, F, Model, Q, QuerySet, Value, When
from django.db.models.lookups import IsNull
from django.utils import timezone


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """The column ``at`` holds since when ``column`` has had its value."""

    column: str
    at: str

    def named_in(self, names: Collection[str]) -> set[str]:
        """By which of ``names`` the column is meant: its own, or that of its foreign key."""
        return {self.column, self.column.removesuffix("_id")}.intersection(names)

    def with_at(self, values: dict[str, Any]) -> dict[str, Any]:
        """What `update` is to set: besides the column since when, unless that is told."""
        named = self.named_in(values)
        if not named or self.at in values:
            return values
        value = values[named.pop()]
        same = Q(**{self.column: value})
        if hasattr(value, "resolve_expression"):
            same |= Q(IsNull(value, True), **{self.column: None})  # noqa: FBT003 - is null
        instant = Case(
            When(same, then=F(self.at)),
            default=Value(timezone.now()),
            output_field=DateTimeField(),
        )
        return {self.at: instant, **values}  # first: MySQL reads what it has just set

    def with_at_saved(self, instance: Model, options: dict[str, Any]) -> dict[str, Any]:
        """The options of a `save` that writes since when wherever it writes the column."""
        fields, deferred = options.get("update_fields"), instance.get_deferred_fields()
        if self.at in deferred and self.column not in deferred:
            instance.refresh_from_db(fields=[self.at])
        if fields is None or not self.named_in(fields):
            return options
        return {**options, "update_fields": {*fields, self.at}}

    def begin_anew(self, rows: QuerySet[Any], before: Mapping[Any, Any]) -> None:
        """Set now in those of ``rows`` that have another value than ``before``, by primary key."""
        if not before:
            return
        found = rows.filter(pk__in=before).values_list("pk", self.column)
        if changed := [pk for pk, value in found if value != before[pk]]:
            rows.filter(pk__in=changed).update(**{self.at: timezone.now()})


def keep_since(
    *,
    sender: Any,
    instance: Any,
    using: str,
    raw: bool,
    update_fields: frozenset[str] | None,
    **_: Any,
) -> None:
    """Before a row is saved: now when the value is another one, else as the database has it.

    The instance may have been read before others changed it. Of a fixture the instant that it gives
    stands, when it gives another value with it.
    """
    kept: Since = sender.since
    if update_fields is not None and not kept.named_in(update_fields):
        return
    if instance.pk is None or kept.column in instance.get_deferred_fields():
        return
    rows = sender._base_manager.using(using).filter(pk=instance.pk)  # noqa: SLF001 - Django's documented name
    stored = rows.values_list(kept.column, kept.at).first()
    if stored is None:
        return
    value, at = stored
    if value == getattr(instance, kept.column):
        setattr(instance, kept.at, at)
    elif not raw or getattr(instance, kept.at) == at:
        setattr(instance, kept.at, timezone.now())
