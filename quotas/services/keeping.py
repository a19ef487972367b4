"""Writes copies of what Redis counts, so that no order of copies lowers what is kept.

A row is inserted, or takes the place of an earlier copy of itself: whichever of two copies commits
last, the later one stays. Repeating changes nothing.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from django.db import DataError, IntegrityError, connections, transaction

from quotas.errors import ConfigurationError
from quotas.models import CalendarBalance, UsageQuarter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db import models
    from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger("quotas")


class Copies(NamedTuple):
    """What makes a row the same thing, and what grows from one copy of it to the next.

    Of ``growing`` the first that differs tells which copy is the later one.
    """

    model: type[models.Model]
    same: tuple[str, ...]
    growing: tuple[str, ...]


# Each call is counted as admitted or as denied, once: of two copies of one generation all numbers
# of the later one are at least those of the earlier.
QUARTERS = Copies(
    UsageQuarter, ("tenant_id", "scope", "start", "generation"), ("admitted", "denied")
)
BALANCES = Copies(
    CalendarBalance,
    ("tenant_id", "epoch", "scope", "name", "subject", "unit", "period_start"),
    ("period_end", "used"),
)


def keep(copies: Copies, rows: Sequence[models.Model], using: str) -> list[models.Model]:
    """Write these rows and commit; those that the database refused, each named in the log.

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
            logger.error("%s is not kept until the next copy: %s", _named(rows[0]), error)  # noqa: TRY400 - no trace to follow
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


def _upsert(copies: Copies, rows: Sequence[models.Model], connection: BaseDatabaseWrapper) -> None:
    fields = [each for each in copies.model._meta.local_concrete_fields if not each.primary_key]  # noqa: SLF001 - Django's documented name
    values = [
        [each.get_db_prep_save(getattr(row, each.attname), connection) for each in fields]
        for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.executemany(
            _statement(copies, [str(each.column) for each in fields], connection), values
        )


def _statement(copies: Copies, columns: list[str], connection: BaseDatabaseWrapper) -> str:
    def quoted(names: Sequence[str], of: str = "") -> str:
        return ", ".join(of + connection.ops.quote_name(name) for name in names)

    table = quoted([copies.model._meta.db_table])  # noqa: SLF001 - the same
    changes = [
        f"{quoted([name])} = {quoted([name], 'EXCLUDED.')}"
        for name in columns
        if name not in copies.same
    ]
    later, kept = quoted(copies.growing, "EXCLUDED."), quoted(copies.growing, f"{table}.")
    return (
        f"INSERT INTO {table} ({quoted(columns)}) VALUES ({', '.join(['%s'] * len(columns))}) "  # noqa: S608 - names of our own
        f"ON CONFLICT ({quoted(copies.same)}) DO UPDATE SET {', '.join(changes)} "
        f"WHERE ({later}) > ({kept})"
    )


def _named(row: models.Model) -> str:
    kind = row._meta.verbose_name  # noqa: SLF001 - the same
    return f"Tenant {getattr(row, 'tenant_id', None)}: {kind} {row}"
