from __future__ import annotations

import signal
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError

from quotas.management import looping
from quotas.management.commands import quotas_flush
from quotas.testing import frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.alerting import an_hour
from tests.services.asking import allowed, of_tenant
from tests.services.company import refusing, refusing_alerts
from tests.services.counted import DAY, START, admitted

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _clock():
    with frozen_clock(START_US):
        yield


@pytest.fixture
def tenant(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, algorithm="calendar_quota", unit="month", period=None)
    tenant = a_tenant("acme")
    allowed(of_tenant(tenant), times=3)
    return tenant


@pytest.fixture
def rounds(monkeypatch):
    """What happens between the runs of a loop: one callable each; the last ends the command."""

    def between(*happenings):
        left = list(happenings)

        def pause(seconds):
            assert 7 == seconds
            left.pop(0)() if left else signal.raise_signal(signal.SIGTERM)

        monkeypatch.setattr(looping, "pause", pause)

    return between


@pytest.fixture
def nowhere(settings):
    """Aims the limiter at an address where nothing listens, and back."""
    here = settings.CACHES

    def turn(*, away):
        there = {**here["quotas"], "LOCATION": "redis://127.0.0.1:1/0"}
        settings.CACHES = {**here, "quotas": there} if away else here

    return turn


def run(**options):
    """The lines of standard output and of standard error."""
    out, err = StringIO(), StringIO()
    call_command("quotas_flush", stdout=out, stderr=err, **options)
    return out.getvalue().splitlines(), err.getvalue().splitlines()


@pytest.mark.parametrize("verbosity", [0, 1])
def test_it_says_nothing_where_that_is_asked_for(db, verbosity):
    assert verbosity == len(run(verbosity=verbosity)[0])


def test_one_line_tells_how_much_was_copied(tenant):
    (line,), errors = run()

    assert line.startswith("1 tenants, 1 quarters, 1 hours, 1 balances in 0.")
    assert line.endswith(" s")
    assert [] == errors
    assert 3 == admitted(tenant)


def test_a_loop_goes_on_until_it_is_told_to_end(tenant, rounds):
    rounds(lambda: allowed(of_tenant(tenant), times=2))

    lines, errors = run(loop=7)

    assert (2, []) == (len(lines), errors)
    assert 5 == admitted(tenant)


def test_a_loop_survives_an_outage_of_redis_with_one_line_each(tenant, rounds, nowhere):
    rounds(lambda: nowhere(away=False))
    nowhere(away=True)

    lines, (error,) = run(loop=7)

    assert 1 == len(lines)
    assert "Redis gave no answer" in error
    assert "Nothing is lost" in error
    assert 3 == admitted(tenant)


def test_a_loop_survives_an_outage_of_the_database(tenant, rounds, monkeypatch):
    flush = quotas_flush.flush

    def fail(**_):
        raise OperationalError("gone\naway")

    monkeypatch.setattr(quotas_flush, "flush", fail)
    rounds(lambda: monkeypatch.setattr(quotas_flush, "flush", flush))

    lines, errors = run(loop=7)

    assert 1 == len(lines)
    assert [
        "The database gave no answer: gone away. Nothing is lost: Redis holds three days."
    ] == errors
    assert 3 == admitted(tenant)


def test_a_single_run_during_an_outage_fails_in_one_line(tenant, nowhere):
    nowhere(away=True)

    with pytest.raises(CommandError) as caught:
        run()

    assert "Redis gave no answer" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_refused_rows_fail_a_single_run_and_are_told(tenant):
    out = StringIO()

    with refusing(tenant), pytest.raises(CommandError, match="refused 1 rows: the log names them"):
        call_command("quotas_flush", stdout=out)

    assert "1 rows refused" in out.getvalue()


def test_alerts_that_could_not_be_raised_fail_a_single_run_and_are_told(tenant):
    an_hour(tenant, minute=(85, 100))
    out = StringIO()

    with refusing_alerts(), pytest.raises(CommandError, match="All was copied, but not all alerts"):
        call_command("quotas_flush", stdout=out)

    assert "no alerts raised of 1 tenants" in out.getvalue()
    assert 3 == admitted(tenant)


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupted_run_ends_between_two_pages(tenant, monkeypatch, name, code):
    flush = quotas_flush.flush

    def interrupted(*, after_page):
        signal.raise_signal(signal.Signals[name])
        return flush(after_page=after_page)

    monkeypatch.setattr(quotas_flush, "flush", interrupted)

    with pytest.raises(CommandError, match=f"Ended by {name}") as caught:
        run()

    assert code == caught.value.returncode
    assert 3 == admitted(tenant)


@pytest.mark.parametrize("text", ["0", "-1", "soon", "nan", "1e9"])
def test_a_loop_needs_a_number_of_seconds(text):
    with pytest.raises(CommandError, match="--loop"):
        call_command("quotas_flush", "--loop", text)


def test_progress_is_shown_on_a_terminal_and_erased(tenant, monkeypatch):
    class Terminal(StringIO):
        def isatty(self):
            return True

    err = Terminal()
    monkeypatch.setattr(quotas_flush, "Progress", _impatient)

    call_command("quotas_flush", stdout=StringIO(), stderr=err, no_color=True)

    assert "100%  1 tenants" in err.getvalue()
    assert err.getvalue().endswith("\r\x1b[K")


def _impatient(write, **options):
    from quotas.management.progress import Progress

    return Progress(write, patience=0, **options)


def test_prune_tells_what_it_did_in_one_line(tenant):
    run()
    tenant.quarters.update(start=START - 40 * DAY)
    out = StringIO()

    call_command("quotas_prune", stdout=out)

    assert (
        "1 quarters summed up by the day; "
        "1 hours, 0 days, 0 balances, 0 alerts and 0 anonymous quarters deleted\n"
    ) == out.getvalue()


@pytest.mark.parametrize("options", [{"quarters": 3}, {"days": 3}, {"days": 10**10}])
def test_prune_refuses_what_would_lose_or_double_numbers(tenant, options):
    with pytest.raises(CommandError):
        call_command("quotas_prune", **options)
