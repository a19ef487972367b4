"""What another transaction does right before a query of one's own, as far as one's locks let it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Thread
from time import monotonic

import pytest
from django.db import connection, connections

PATIENCE_S = 60
WAITING = (
    "SELECT EXISTS (SELECT FROM pg_locks"
    " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
)

on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite lets one write at a time: see test_postgresql"
)


@contextmanager
def meanwhile(text, write):
    """Right before the first query with ``text``, another connection begins to ``write``.

    The query goes on once that is committed, or waits for a lock of ours.
    """
    writers = []

    def before(execute, sql, params, many, context):
        if text in sql and not writers:
            writers.append(Thread(target=_alone, args=[write]))
            writers[0].start()
            waited_for(lambda: not writers[0].is_alive())
        return execute(sql, params, many, context)

    with connection.execute_wrapper(before):
        yield
    assert writers, f"no query has {text}"
    writers[0].join(PATIENCE_S)
    assert not writers[0].is_alive()


def waited_for(done=bool):
    """Return once somebody waits for a lock of this connection, or it is ``done``."""
    end = monotonic() + PATIENCE_S
    while not (done() or _somebody_waits()):
        assert monotonic() < end, "nobody waited"


def _somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return cursor.fetchone()[0]


def _alone(write):
    try:
        write()
    finally:
        connections.close_all()
