"""Others that write at the same time, and a database that will not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

from django.db import connection, connections

from quotas.models import UsageQuarter


@contextmanager
def refusing(tenant):
    """The database takes no quarter of this tenant."""
    table, quoted = UsageQuarter._meta.db_table, connection.ops.quote_name
    if connection.vendor == "postgresql":
        make = f"ALTER TABLE {quoted(table)} ADD CONSTRAINT refuse CHECK (tenant_id <> {tenant.pk})"
        drop = f"ALTER TABLE {quoted(table)} DROP CONSTRAINT refuse"
    else:
        make = (
            f"CREATE TRIGGER refuse BEFORE INSERT ON {quoted(table)} "
            f"WHEN NEW.tenant_id = {tenant.pk} BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
        drop = "DROP TRIGGER refuse"
    with connection.cursor() as cursor:
        cursor.execute(make)
        try:
            yield
        finally:
            cursor.execute(drop)


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
