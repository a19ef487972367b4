from __future__ import annotations

import json
import signal
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError

from quotas.management.commands import quotas_audit
from quotas.management.progress import Progress
from quotas.models import CalendarBalance, UsageQuarter
from quotas.services.flush import flush
from quotas.testing import frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, of_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _clock():
    with frozen_clock(START_US):
        yield


@pytest.fixture
def tenant(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, name="month", algorithm="calendar_quota", unit="month", period=None)
    tenant = a_tenant("acme")
    allowed(of_tenant(tenant), times=3)
    return tenant


def run(*words, **options):
    """The lines of standard output, the complaint at the end, and the exit status."""
    out = StringIO()
    try:
        call_command("quotas_audit", *words, stdout=out, **options)
    except CommandError as error:
        return out.getvalue().splitlines(), str(error), error.returncode
    return out.getvalue().splitlines(), "", 0


def test_without_a_difference_one_line_tells_what_was_compared(tenant):
    flush()

    (line,), complaint, status = run()

    assert line.startswith(
        "1 tenants: 1 quarters, 1 hours, 1 calendar quotas (1 charged what was counted, to the "
        "unit), 1 balances and 1 pages compared in 0."
    )
    assert line.endswith(" s; 0 differences")
    assert ("", 0) == (complaint, status)


def test_what_is_not_copied_yet_is_told_and_is_no_difference(tenant):
    (first, _), _, status = run()

    assert (
        "Not copied yet, which is no difference: 2 records, the oldest of 2026-10-27 00:00 UTC"
        == first
    )
    assert 0 == status


def test_each_difference_has_its_place_both_numbers_and_a_way_out(tenant):
    flush()
    CalendarBalance.objects.update(used=4)
    UsageQuarter.objects.update(admitted=5)

    lines, complaint, status = run("acme")

    assert "acme: api, 2026-10-27 00:00 to 00:15 UTC, admitted: database 5, Redis 3" == lines[0]
    assert "delete the row" in lines[1]
    assert (
        "acme: api/month, 2026-10-01 00:00 to 2026-11-01 00:00 UTC, units: database 4, limiter 3"
        == lines[2]
    )
    assert lines[-1].endswith("; 2 differences")
    assert ("2 differences.", 1) == (complaint, status)


def test_a_number_that_is_not_there_at_all_is_told_as_nothing(tenant):
    with frozen_clock(START_US + 6 * 3_600_000_000):
        flush()
        tenant.hours.all().delete()

        lines, _, status = run()

    assert 1 == status
    assert (
        "acme: every call, 2026-10-27 00:00 to 01:00 UTC, admitted: hour nothing, its quarters 3"
        in lines
    )


def test_programs_are_told_the_same(tenant):
    flush()
    CalendarBalance.objects.update(used=4)

    lines, _, status = run(json=True)

    told = json.loads("\n".join(lines))
    (difference,) = told["differences"]
    assert (1, 1, 0, None) == (
        status,
        told["tenants"],
        told["not_copied_yet"],
        told["oldest_not_copied"],
    )
    assert ("acme", "balance_ahead", "api/month", "units") == tuple(
        difference[name] for name in ("tenant", "kind", "of", "number")
    )
    assert [{"of": "database", "value": 4}, {"of": "limiter", "value": 3}] == difference["numbers"]
    assert "2026-10-01T00:00:00+00:00" == difference["from"]
    assert difference["meaning"].endswith(".")


def test_an_unknown_tenant_is_named(tenant):
    lines, complaint, status = run("acme", "akme")

    assert ([], 2) == (lines, status)
    assert complaint.startswith("There is no tenant akme.")


def test_an_outage_of_redis_is_not_taken_for_a_difference(tenant, settings):
    there = {**settings.CACHES["quotas"], "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {**settings.CACHES, "quotas": there}

    lines, complaint, status = run()

    assert ([], 2) == (lines, status)
    assert complaint.startswith("Not compared: Redis gave no answer")


def test_an_outage_of_the_database_is_not_taken_for_a_difference(tenant, monkeypatch):
    def fail(*_, **__):
        raise OperationalError("gone\naway")

    monkeypatch.setattr(quotas_audit, "audit", fail)

    assert ([], "Not compared: gone away.", 2) == run()


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupted_audit_ends_between_two_pages(tenant, monkeypatch, name, code):
    usual = quotas_audit.audit

    def interrupted(keys, *, after_page):
        signal.raise_signal(signal.Signals[name])
        return usual(keys, after_page=after_page)

    monkeypatch.setattr(quotas_audit, "audit", interrupted)

    assert ([], f"Ended by {name} before all was compared.", code) == run()


def test_progress_is_shown_on_a_terminal_and_erased(tenant, monkeypatch):
    class Terminal(StringIO):
        def isatty(self):
            return True

    err = Terminal()
    monkeypatch.setattr(
        quotas_audit, "Progress", lambda write, **options: Progress(write, patience=0, **options)
    )

    call_command("quotas_audit", stdout=StringIO(), stderr=err, no_color=True)

    assert "100%  1 tenants" in err.getvalue()
    assert err.getvalue().endswith("\r\x1b[K")
