from __future__ import annotations

from dataclasses import astuple
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from quotas.domain.history import Grain, Span, Window
from quotas.domain.keys import tenant_tag
from quotas.engine.tallies import tallies_of
from quotas.models import UsageDay, UsageQuarter
from quotas.services.flush import flush
from quotas.services.history import history_of
from quotas.services.usage import usage_of
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, of_tenant

pytestmark = pytest.mark.django_db

QUARTER, DAY = timedelta(minutes=15), timedelta(days=1)
ZONE = ZoneInfo("UTC")


@pytest.fixture
def tenant():
    plan = a_plan()
    a_limit(plan=plan, scope="*", name="hour", amount=10, period=timedelta(hours=1))
    return a_tenant(plan=plan)


def history(tenant, clock, span=Span.DAY, zone=ZONE, **fields):
    return told(tenant, clock, span, zone, **fields)[0]


def told(tenant, clock, span=Span.DAY, zone=ZONE, *, live=True, **fields):
    """The history and the months."""
    window = Window(span=span, zone=zone, **{"own_zone": zone, **fields})
    tallied = usage_of(tenant.pk).tallied if live else None
    return history_of(tenant.pk, window, clock.now_us, tallied=tallied)


def counted(found):
    """The buckets that have anything: their start, and (admitted, denied, shadow, units)."""
    return {each.start: astuple(each.sums) for each in found.buckets if each.scopes}


def a_row(tenant, start, scope="api", generation=1, **fields):
    values = {"admitted": 1, "denied": 0, "shadow_denied": 0, "units": 1} | fields
    return UsageQuarter.objects.create(
        tenant=tenant, start=start, scope=scope, generation=generation, **values
    )


def test_what_is_counted_is_there_before_the_flush_and_the_same_after_it(tenant, clock):
    for scope in ["api"] * 8 + ["exports"] * 5:
        ask(of_tenant(tenant), scope)
        clock.tick(60)

    before = [history(tenant, clock, span) for span in Span]
    flush(clock.now_us)
    after = [history(tenant, clock, span) for span in Span]

    assert before == after
    for found in after:
        assert (10, 3, 0, 10) == astuple(found.totals)
        assert {"api": (8, 0, 0, 8), "exports": (2, 3, 0, 2)} == {
            scope: astuple(sums) for scope, sums in found.scopes.items()
        }
        assert {"*/hour": (3, 0)} == {label: astuple(each) for label, each in found.limits.items()}


def test_a_record_that_grew_after_it_was_copied_counts_as_it_is_now(tenant, clock):
    ask(of_tenant(tenant))
    flush(clock.now_us)
    ask(of_tenant(tenant))
    ask(of_tenant(tenant), cost=7)

    assert (3, 0, 0, 9) == astuple(history(tenant, clock).totals)


def test_what_redis_has_let_go_of_comes_from_the_database(tenant, clock):
    ask(of_tenant(tenant))
    clock.tick(4 * 3600)
    ask(of_tenant(tenant))
    flush(clock.now_us)
    [tallied] = tallies_of([tenant_tag(tenant.pk)])
    assert 1 == len(tallied.quarters)

    found = history(tenant, clock)

    assert {clock.now - timedelta(hours=4): (1, 0, 0, 1), clock.now: (1, 0, 0, 1)} == counted(found)


def test_generations_of_a_quarter_add_up(tenant, clock):
    ask(of_tenant(tenant))
    [tallied] = tallies_of([tenant_tag(tenant.pk)])
    limits = {'*/時間 "x"': [4, 1]}
    a_row(tenant, clock.now, generation=1, admitted=2, denied=4, units=5, limits=limits)
    a_row(tenant, clock.now, generation=2, admitted=3)
    a_row(tenant, clock.now, generation=tallied.generation, admitted=99, denied=99, limits=limits)

    for span in Span:
        found = history(tenant, clock, span)
        assert [(6, 4, 0, 7)] == list(counted(found).values())
        assert [(4, 1)] == [astuple(each) for each in found.limits.values()]


def test_quarters_in_which_a_limit_denied_alike_add_up(tenant, clock):
    for quarters in range(1, 4):
        limits = {'*/時間\n"x"': [4, 1], "*/hour": [1, 0]}
        a_row(tenant, clock.now - quarters * QUARTER, denied=5, limits=limits)
    a_row(tenant, clock.now - 4 * QUARTER, denied=2, limits={"*/hour": [2, 0]})

    found = history(tenant, clock, Span.MONTH)

    assert {'*/時間\n"x"': (12, 3), "*/hour": (5, 0)} == {
        label: astuple(each) for label, each in found.limits.items()
    }


def test_the_last_hour_is_by_the_minute_where_redis_knows_it_all(tenant, clock):
    clock.tick(20 * 60 + 5)
    ask(of_tenant(tenant))
    clock.tick(60)
    for _ in range(10):
        ask(of_tenant(tenant))

    found = history(tenant, clock, Span.HOUR)

    assert found.grain is Grain.MINUTE
    start = clock.now.replace(second=0)
    assert {start - timedelta(minutes=1): (1, 0, 0, 0), start: (9, 1, 0, 0)} == counted(found)
    assert found.end - found.start == timedelta(minutes=66 + 1 + 0)
    assert (10, 1, 0, 10) == astuple(found.totals)
    a_row(tenant, clock.now - timedelta(minutes=36, seconds=5))
    assert history(tenant, clock, Span.HOUR).grain is Grain.QUARTER


def test_buckets_follow_each_other_up_to_now(tenant, clock):
    clock.tick(100)
    for span, count in [(Span.HOUR, 62), (Span.DAY, 97), (Span.WEEK, 7), (Span.MONTH, 31)]:
        found = history(tenant, clock, span)

        assert count == len(found.buckets)
        assert found.buckets[-1].start <= clock.now < found.buckets[-1].end
        edges = [each.end for each in found.buckets[:-1]]
        assert edges == [each.start for each in found.buckets[1:]]
        assert not counted(found)


def test_days_are_those_of_the_zone_with_23_and_25_hours(tenant, clock):
    zone = ZoneInfo("Europe/Berlin")
    clock.move_to(datetime(2026, 10, 26, 12, tzinfo=UTC))
    a_row(tenant, datetime(2026, 10, 24, 21, 45, tzinfo=UTC), admitted=1)
    a_row(tenant, datetime(2026, 10, 24, 22, tzinfo=UTC), admitted=2)
    a_row(tenant, datetime(2026, 10, 25, 22, 45, tzinfo=UTC), admitted=3)
    a_row(tenant, datetime(2026, 10, 25, 23, tzinfo=UTC), admitted=4)

    found = history(tenant, clock, Span.WEEK, zone)

    days = {start.date().day: sums[0] for start, sums in counted(found).items()}
    assert {24: 1, 25: 5, 26: 4} == days
    lengths = [(each.end.astimezone(UTC) - each.start.astimezone(UTC)) for each in found.buckets]
    assert [DAY] * 5 + [DAY + timedelta(hours=1), DAY] == lengths


def test_days_that_are_summed_up_are_counted_with_the_quarters_that_are_left(tenant, clock):
    last = (clock.now - 20 * DAY).date()
    values = {"admitted": 5, "denied": 2, "units": 9, "limits": {"*/hour": [2, 0]}}
    UsageDay.objects.create(tenant=tenant, day=last, scope="api", **values)
    UsageDay.objects.create(tenant=tenant, day=date(2026, 1, 1), scope="api", **values)
    a_row(tenant, clock.now - 20 * DAY)

    found = history(tenant, clock, Span.MONTH)

    assert [(6, 2, 0, 10)] == list(counted(found).values())
    assert [(2, 0)] == [astuple(each) for each in found.limits.values()]
    assert not counted(history(tenant, clock, Span.WEEK))


def test_a_chosen_range_of_long_ago_is_what_is_kept_by_the_day(tenant, clock):
    for number in (99, 100, 101):
        UsageDay.objects.create(
            tenant=tenant,
            day=(clock.now - number * DAY).date(),
            scope="api",
            admitted=number,
            limits={"*/hour": [1, 0]},
        )

    found = history(
        tenant,
        clock,
        Span.CUSTOM,
        since=clock.now - 101 * DAY + 3 * QUARTER,
        until=clock.now - 99 * DAY,
    )

    assert found.grain is Grain.DAY
    assert found.whole_days
    assert [101, 100] == [sums[0] for sums in counted(found).values()]
    assert 2 == found.limits["*/hour"].denied


def test_in_utc_whole_days_are_counted_where_most_of_them_lies(tenant, clock):
    utc = ZoneInfo("UTC")
    for name in ("Asia/Tokyo", "America/New_York", "Pacific/Kiritimati"):
        own = ZoneInfo(name)
        UsageDay.objects.all().delete()
        UsageDay.objects.create(tenant=tenant, day=date(2026, 10, 1), scope="api", admitted=5)

        found, months = told(tenant, clock, Span.MONTH, utc, own_zone=own)

        day = date(2026, 9, 30) if "Kiritimati" in name else date(2026, 10, 1)
        assert [day] == [start.date() for start in counted(found)]
        assert found.whole_days
        assert (5, 0) == (months.this.sums.admitted, months.last.sums.admitted)


def test_a_scope_is_counted_alone(tenant, clock):
    for scope in ("api", "api", "exports"):
        ask(of_tenant(tenant), scope)
        a_row(tenant, clock.now - QUARTER, scope, generation=len(scope), admitted=1)
        clock.tick(900)
    UsageDay.objects.create(tenant=tenant, day=date(2026, 10, 4), scope="api", admitted=7)
    UsageDay.objects.create(tenant=tenant, day=date(2026, 10, 4), scope="exports", admitted=90)

    for span, admitted in [(Span.HOUR, 4), (Span.DAY, 4), (Span.MONTH, 11)]:
        found, months = told(tenant, clock, span, scope="api")

        assert ["api"] == list(found.scopes)
        assert admitted == found.totals.admitted
        assert 11 == months.this.sums.admitted
    assert not history(tenant, clock, scope="nothing").scopes


def test_two_spans_far_from_each_other_leave_out_what_lies_between(tenant, clock):
    for days in (200, 150, 1):
        a_row(tenant, clock.now - days * DAY, admitted=days, limits={"*/hour": [days, 0]}, denied=1)

    found, months = told(
        tenant, clock, Span.CUSTOM, since=clock.now - 210 * DAY, until=clock.now - 190 * DAY
    )

    assert 200 == found.totals.admitted
    assert 200 == found.limits["*/hour"].denied
    assert 1 == months.this.sums.admitted


def test_what_is_outside_the_span_or_of_another_tenant_is_not_counted(tenant, clock):
    other = a_tenant(key="other", plan=tenant.plan)
    ask(of_tenant(other))
    a_row(other, clock.now)
    for far in (DAY + QUARTER, 40 * DAY, -QUARTER):
        a_row(tenant, clock.now - far)

    assert not counted(history(tenant, clock))


def test_in_an_outage_the_part_of_the_database_is_told_and_marked_stale(
    private_server, tenant, clock, caplog
):
    ask(of_tenant(tenant))
    flush(clock.now_us)
    ask(of_tenant(tenant))
    private_server.stop()

    for found in (history(tenant, clock), history(tenant, clock, Span.HOUR, live=False)):
        assert found.stale
        assert (1, 0, 0, 1) == astuple(found.totals)
        assert found.grain is Grain.QUARTER


@pytest.mark.parametrize("span", list(Span))
def test_two_queries_tell_the_history_and_the_months_however_much_was_counted(
    tenant, clock, span, django_assert_num_queries
):
    with django_assert_num_queries(2):
        history(tenant, clock, span, live=False)
    for number in range(40):
        ask(of_tenant(tenant), f"s{number}")
        a_row(tenant, clock.now - number * QUARTER, limits={"*/hour": [1, 0]}, denied=1)
    [tallied] = tallies_of([tenant_tag(tenant.pk)])

    with django_assert_num_queries(2):
        history_of(
            tenant.pk, Window(span=span, zone=ZONE, own_zone=ZONE), clock.now_us, tallied=tallied
        )
