"""Writes copies of what Redis counts, so that no order of copies lowers what is kept.

A row is inserted, or takes the place of an earlier copy of itself: whichever of two copies commits
last, the later one stays. Repeating changes nothing.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import DataError, IntegrityError, connections, models, transaction

from quotas.errors import ConfigurationError
from quotas.models import (
    AnonymousQuarter,
    CalendarBalance,
    TenantSnapshot,
    UsageHour,
    UsageQuarter,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from django.db.backends.base.base import BaseDatabaseWrapper

    from quotas.engine.tallies import Quarter

logger = logging.getLogger("quotas")

MOST_VALUES = 2000
"""Values of one statement, where the database sets no limit."""


class Copies(NamedTuple):
    """The columns of a row, which of them name it, and which grow from one copy to the next.

    Of ``growing`` the first that differs tells which copy is the later one.
    """

    model: type[models.Model]
    columns: tuple[str, ...]
    same: tuple[str, ...]
    growing: tuple[str, ...]


Row = tuple[Any, ...]
"""Values in the order of `Copies.columns`."""

_COUNTED = ("admitted", "denied", "shadow_denied", "units", "peak", "limits", "copied_at")
_QUARTER = ("tenant_id", "scope", "start", "generation")
_HOUR = ("tenant_id", "start", "generation")
_BALANCE = ("tenant_id", "epoch", "scope", "name", "subject", "unit", "period_start")

# Each call is counted as admitted or as denied, once: of two copies of one generation all numbers
# of the later one are at least those of the earlier.
QUARTERS = Copies(UsageQuarter, (*_QUARTER, *_COUNTED), _QUARTER, ("admitted", "denied"))
HOURS = Copies(
    UsageHour,
    (*_HOUR, "admitted", "denied", "units", "early", "callers", "peaks", "copied_at"),
    _HOUR,
    ("admitted", "denied"),
)
ANONYMOUS = QUARTERS._replace(
    model=AnonymousQuarter, columns=QUARTERS.columns[1:], same=QUARTERS.same[1:]
)
BALANCES = Copies(
    CalendarBalance,
    (*_BALANCE, "period_end", "used", "copied_at"),
    _BALANCE,
    ("period_end", "used"),
)
SNAPSHOTS = Copies(
    TenantSnapshot,
    ("tenant_id", "percent", "label", "until", "denying", "denied", "last_seen", "taken_at"),
    ("tenant_id",),
    ("taken_at",),
)


def counted_of(quarter: Quarter, copied_at: datetime) -> Row:
    """What a quarter says as Redis has it, in the order of the columns that do not name it."""
    limits = {each.label: [each.denied, each.shadow_denied] for each in quarter.limits}
    return (
        quarter.admitted,
        quarter.denied,
        quarter.shadow_denied,
        quarter.units,
        quarter.peak,
        limits,
        copied_at,
    )


def keep(copies: Copies, rows: Sequence[Row], using: str) -> list[Row]:
    """Write these rows, each once, and commit; those refused, each named in the log.

    Of a refusal all others are written: by halves, each in a transaction of its own, because
    foreign keys are looked at when one ends. Raises `RuntimeError` inside a transaction: what is
    not committed must not be let go of.
    """
    if not rows:
        return []
    try:
        with transaction.atomic(using, durable=True):
            _upsert(copies, rows, connections[using])
    except (IntegrityError, DataError) as error:
        if len(rows) == 1:
            named = ", ".join(str(value) for value in rows[0][: len(copies.same)])
            kind = copies.model._meta.verbose_name  # noqa: SLF001 - Django's documented name
            of = "of tenant " if copies.same[0] == "tenant_id" else "of "
            logger.error("Not kept until the next copy: %s %s%s: %s", kind, of, named, error)  # noqa: TRY400 - no trace to follow
            return list(rows)
        middle = len(rows) // 2
        return keep(copies, rows[:middle], using) + keep(copies, rows[middle:], using)
    return []


def check_can_keep(using: str) -> None:
    """Raise `ConfigurationError` when the database has no way to write a row or what is later."""
    connection = connections[using]
    if not connection.features.supports_update_conflicts_with_target:
        raise ConfigurationError(
            f"Database {using!r} is {connection.display_name}, which has no INSERT ... ON CONFLICT "
            "DO UPDATE: keep usage in SQLite or PostgreSQL (a database router may choose it)."
        )


def _upsert(copies: Copies, rows: Sequence[Row], connection: BaseDatabaseWrapper) -> None:
    prepared = [_prepare(copies.model, each, connection) for each in copies.columns]
    most = (connection.features.max_query_params or MOST_VALUES) // len(prepared)
    with connection.cursor() as cursor:
        for start in range(0, len(rows), most):
            some = rows[start : start + most]
            values = [
                prepare(value) for row in some for prepare, value in zip(prepared, row, strict=True)
            ]
            cursor.execute(_statement(copies, len(some), connection), values)


def _prepare(
    model: type[models.Model], column: str, connection: BaseDatabaseWrapper
) -> Callable[[Any], Any]:
    """What the database takes for a value; numbers and texts as they are."""
    field = next(each for each in model._meta.local_concrete_fields if each.column == column)  # noqa: SLF001 - the same
    if isinstance(field, models.DateTimeField):  # few, and often
        return cache(lambda value: field.get_db_prep_save(value, connection))
    if isinstance(field, models.JSONField):
        return lambda value: field.get_db_prep_save(value, connection)
    return lambda value: value


def _statement(copies: Copies, rows: int, connection: BaseDatabaseWrapper) -> str:
    def quoted(names: Sequence[str], of: str = "") -> str:
        return ", ".join(of + connection.ops.quote_name(name) for name in names)

    table = quoted([copies.model._meta.db_table])  # noqa: SLF001 - the same
    changes = [
        f"{quoted([name])} = {quoted([name], 'EXCLUDED.')}"
        for name in copies.columns
        if name not in copies.same
    ]
    later, kept = quoted(copies.growing, "EXCLUDED."), quoted(copies.growing, f"{table}.")
    place = f"({', '.join(['%s'] * len(copies.columns))})"
    return (
        f"INSERT INTO {table} ({quoted(copies.columns)}) VALUES {', '.join([place] * rows)} "  # noqa: S608 - names of our own
        f"ON CONFLICT ({quoted(copies.same)}) DO UPDATE SET {', '.join(changes)} "
        f"WHERE ({later}) > ({kept})"
    )
