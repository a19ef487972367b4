"""Others that write at the same time, and a database that will not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

from django.db import connection, connections

from quotas.models import Alert, UsageQuarter


def refusing(tenant):
    """The database takes no quarter of this tenant."""
    return refusing_rows(UsageQuarter, "tenant_id", tenant.pk)


@contextmanager
def refusing_alerts():
    """The database knows nothing of alerts."""
    table, quoted = Alert._meta.db_table, connection.ops.quote_name
    rename = "ALTER TABLE {} RENAME TO {}".format
    with connection.cursor() as cursor:
        cursor.execute(rename(quoted(table), quoted("elsewhere")))
        try:
            yield
        finally:
            cursor.execute(rename(quoted("elsewhere"), quoted(table)))


@contextmanager
def refusing_rows(model, column, value):
    """The database takes no row of the model with this number or text."""
    table, quoted = model._meta.db_table, connection.ops.quote_name
    literal = repr(value)
    if connection.vendor == "postgresql":
        make = [f"ALTER TABLE {quoted(table)} ADD CONSTRAINT refuse CHECK ({column} <> {literal})"]
        drop = [f"ALTER TABLE {quoted(table)} DROP CONSTRAINT refuse"]
    else:
        make = [
            f"CREATE TRIGGER refuse_{event} BEFORE {event} ON {quoted(table)} "
            f"WHEN NEW.{column} = {literal} BEGIN SELECT RAISE(ABORT, 'refused'); END"
            for event in ("INSERT", "UPDATE")
        ]
        drop = ["DROP TRIGGER refuse_INSERT", "DROP TRIGGER refuse_UPDATE"]
    with connection.cursor() as cursor:
        for statement in make:
            cursor.execute(statement)
        try:
            yield
        finally:
            for statement in drop:
                cursor.execute(statement)


def in_threads(*works):
    together = Barrier(len(works))

    def run(work):
        try:
            together.wait()
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))
