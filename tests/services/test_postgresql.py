"""What writes and sums up once more, on a PostgreSQL server of their own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from project.tether import Tether
from project.valkey import free_port
from tests.running import run_tests

TESTS = [
    "tests/services/test_audit_calendars.py",
    "tests/services/test_audit_pages.py",
    "tests/services/test_audit_records.py",
    "tests/services/test_audit_under_load.py",
    "tests/services/test_audit_while_counting.py",
    "tests/services/test_flush.py",
    "tests/services/test_flush_anonymous.py",
    "tests/services/test_flush_balances.py",
    "tests/services/test_flush_hours.py",
    "tests/services/test_calls.py",
    "tests/services/test_hindsight.py",
    "tests/services/test_history.py",
    "tests/services/test_history_sql.py",
    "tests/services/test_limit_resets.py",
    "tests/services/test_months.py",
    "tests/services/test_outlook.py",
    "tests/services/test_plan_moves.py",
    "tests/services/test_plans_file_importing.py",
    "tests/services/test_prune.py",
    "tests/services/test_removals.py",
    "tests/services/test_shadow.py",
    "tests/services/test_snapshots.py",
    "tests/services/test_staff.py",
    "tests/services/test_taken.py",
    "tests/services/test_tenant_changes.py",
    "tests/services/test_alerts.py",
    "tests/services/test_alerts_of_quotas.py",
    "tests/services/test_alerts_of_calls.py",
    "tests/services/test_alerts_at_once.py",
    "tests/services/test_deliveries.py",
    "tests/services/test_caps.py",
    "tests/models/test_default_since.py",
    "tests/models/test_limit_resets.py",
    "tests/models/test_mode_since.py",
    "tests/models/test_plan_since.py",
    "tests/models/test_versions.py",
    "tests/models/test_versions_at_once.py",
    "tests/services/test_applied.py",
    "tests/admin/test_bound_forms.py",
    "tests/admin/test_grants.py",
    "tests/admin/test_grants_kept.py",
    "tests/admin/test_limit_questions.py",
    "tests/admin/test_limit_removals.py",
    "tests/admin/test_limit_resets.py",
    "tests/admin/test_move_questions.py",
    "tests/admin/test_plan_cuts.py",
    "tests/admin/test_plan_questions.py",
    "tests/admin/test_shadow.py",
    "tests/admin/test_steps_under_caps.py",
    "tests/admin/test_deleted.py",
    "tests/admin/test_deleted_in_force.py",
    "tests/admin/test_returning.py",
    "tests/admin/test_returning_at_once.py",
    "tests/admin/test_versions.py",
    "tests/models/test_usage.py",
    "tests/models/test_alerts.py",
]
INITDB = ["-U", "quotas", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"]
POSTGRES = ["-c", "unix_socket_directories=", "-c", "fsync=off"]
DEBIAN = Path("/usr/lib/postgresql")


def binary(name):
    """The newest of Debian's, else the one on PATH; None where there is none."""
    found = sorted(DEBIAN.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return found[-1] if found else shutil.which(name)


@pytest.fixture
def url():
    """The address of a server of the test's own, which ends with it."""
    if binary("initdb") is None:
        pytest.skip("NOT TESTED ON POSTGRESQL: install the server, such as Debian's postgresql")
    if not (find_spec("psycopg") or find_spec("psycopg2")):
        pytest.skip("NOT TESTED ON POSTGRESQL: install its driver, psycopg[binary]")
    tether = Tether()
    try:
        yield _started(tether)
    finally:
        tether.close()


def _started(tether):
    folder, port = tether.folder("quotas-postgresql-"), free_port()
    unprivileged = []
    if os.geteuid() == 0:  # the server refuses to run as root
        names = {each.pw_name: each for each in pwd.getpwall()}
        who = names.get("postgres") or names["nobody"]
        os.chown(folder, who.pw_uid, who.pw_gid)
        ids = [f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}"]
        unprivileged = ["setpriv", *ids, "--clear-groups"]
    data = folder / "data"
    subprocess.run(
        [*unprivileged, binary("initdb"), "-D", data, *INITDB],
        check=True,
        capture_output=True,
        cwd="/",
    )
    with (folder / "log").open("w") as log:
        tether.spawn(
            [*unprivileged, binary("postgres"), "-D", data, "-p", str(port), *POSTGRES],
            stdout=log,
            stderr=log,
            cwd="/",
        )
    ready = [binary("pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-t", "1"]
    for _ in range(100):
        if subprocess.run(ready, check=False, capture_output=True).returncode == 0:
            return f"postgres://quotas@127.0.0.1:{port}/postgres"
        log_text = (folder / "log").read_text()
        assert "FATAL" not in log_text or "starting up" in log_text, log_text
    raise AssertionError((folder / "log").read_text())


def test_what_writes_and_sums_up_holds_on_postgresql_too(url, redis_url):
    done = run_tests(redis_url, *TESTS, TEST_DATABASE_URL=url)

    assert 0 == done.returncode, done.stdout
