from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quotas.models import UsageQuarter
from quotas.views.lines import Point, line_chart
from tests.models.rows import a_limit
from tests.views.looking import Reading, a_customer, data, member_of, page

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

MONTH = {
    "name": "month",
    "title": "Each month",
    "algorithm": "calendar_quota",
    "amount": 100,
    "unit": "month",
    "period": None,
}
NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)


def a_row(tenant, start, units, scope="reports"):
    UsageQuarter.objects.create(
        tenant=tenant, start=start, scope=scope, generation=1, admitted=1, units=units
    )


def shown(tenant, client, **asked):
    return Reading(page(client, tenant, **asked))


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        pytest.param(0, "Nothing of 100 is used so far.", id="nothing"),
        pytest.param(20, "At this pace 65 of 100 are used by the end of the period.", id="enough"),
        pytest.param(40, "At this pace the limit is reached on 24 October.", id="too-little"),
        pytest.param(
            100, "The limit is reached; it starts anew on 1 November.", id="reached-already"
        ),
    ],
)
def test_a_sentence_tells_where_a_quota_is_heading(clock, cost, words):
    tenant = a_customer(MONTH)
    clock.move_to(NOON)
    client = member_of(tenant)
    client.get(f"/reports/?cost={cost}")

    assert f"Each month reports {words}" in shown(tenant, client).text


def test_on_the_first_days_nothing_is_foretold(clock):
    tenant = a_customer(MONTH)
    clock.move_to(datetime(2026, 10, 3, 23, tzinfo=UTC))
    client = member_of(tenant)
    client.get("/reports/?cost=70")

    assert "70 of 100 are used; it is too early to say more." in shown(tenant, client).text
    [limit] = data(client, tenant).json()["limits"]
    assert limit["projection"] is None


def test_a_quota_of_a_day_is_told_to_the_minute(clock):
    tenant = a_customer(MONTH | {"unit": "day"}, time_zone="Asia/Tokyo")
    clock.move_to(NOON)
    client = member_of(tenant)
    client.get("/reports/?cost=90")

    found = shown(tenant, client).text
    assert "At this pace the limit is reached on 10 October, 23:20." in found
    assert "10 October, 14:20." in shown(tenant, client, zone="utc").text


@pytest.mark.parametrize("hours", [1, 9 * 24, 20 * 24])
def test_of_a_quota_that_is_used_up_nothing_is_projected_any_more(clock, hours):
    tenant = a_customer(MONTH)
    client = member_of(tenant)
    clock.move_to(datetime(2026, 10, 1, tzinfo=UTC) + timedelta(hours=hours))
    client.get("/reports/?cost=100")

    [limit] = data(client, tenant).json()["limits"]

    assert {"reached_at": None, "used_at_end": 100} == limit["projection"]


def test_the_data_have_the_months_and_where_each_quota_is_heading(clock):
    tenant = a_customer(MONTH, {"name": "minute", "amount": 100})
    clock.move_to(NOON)
    a_row(tenant, datetime(2026, 9, 2, tzinfo=UTC), 7)
    a_row(tenant, datetime(2026, 9, 20, tzinfo=UTC), 70)
    client = member_of(tenant)
    client.get("/reports/?cost=40")

    found = data(client, tenant).json()

    limits = {each["name"]: each["projection"] for each in found["limits"]}
    assert limits["minute"] is None
    assert 130 == limits["month"]["used_at_end"]
    assert "2026-10-24T18:00:00+00:00" == limits["month"]["reached_at"]
    month = found["month"]
    assert (40, 77, 7) == (
        month["this"]["units"],
        month["last"]["units"],
        month["last_at_same_point"]["units"],
    )
    assert "2026-09-10T12:00:00+00:00" == month["same_point_of_last"]
    assert 40 == month["this"]["days"][-1]["units"]
    assert "2026-10-10T00:00:00+00:00" == month["this"]["days"][-1]["start"]


def test_the_panel_compares_with_the_same_point_of_the_last_period(clock):
    tenant = a_customer(MONTH, anchor_day=5)
    clock.move_to(NOON)
    a_row(tenant, datetime(2026, 9, 6, tzinfo=UTC), 7)
    a_row(tenant, datetime(2026, 9, 20, tzinfo=UTC), 1234)
    client = member_of(tenant)
    client.get("/reports/?cost=40")

    found = shown(tenant, client).text

    assert "5 Oct 2026 – 4 Nov 2026, UTC" in found
    assert "Units 40 7 1,241" in found
    assert "Requests 1 1 2" in found
    assert "The last period: 5 Sep 2026 – 4 Oct 2026." in found
    assert "6 10 Oct 40 10 Sep 7" in found


def lines(shown):
    """The points of the panel's lines, by kind."""
    return {
        each["class"].rpartition("-")[2]: each["points"].split() for each in shown.all("polyline")
    }


def test_the_chart_goes_on_at_the_pace_and_has_the_limit(clock):
    tenant = a_customer(MONTH)
    clock.move_to(NOON)
    a_row(tenant, datetime(2026, 9, 20, tzinfo=UTC), 80)
    client = member_of(tenant)
    client.get("/reports/?cost=40")

    drawn = lines(shown(tenant, client))

    # 160 at the top: the pace leads to 130.
    assert ["0.00,37.50", "100.00,37.50"] == drawn["limit"]
    assert ["30.65,75.00", "100.00,18.75"] == drawn["pace"]
    assert ("0.00,100.00", "30.65,75.00") == (drawn["this"][0], drawn["this"][-1])
    assert "96.77,50.00" == drawn["last"][-1]


def test_only_the_scopes_of_a_quota_are_held_against_it(clock):
    tenant = a_customer(MONTH | {"amount": 5})
    clock.move_to(NOON)
    a_row(tenant, datetime(2026, 10, 2, tzinfo=UTC), 1)
    a_row(tenant, datetime(2026, 10, 2, tzinfo=UTC), 1000, scope="exports")
    client = member_of(tenant)

    assert "Units of reports, added up" in shown(tenant, client).text
    assert "limit" in lines(shown(tenant, client))
    of_exports = shown(tenant, client, scope="exports")
    assert "Units of exports, added up" in of_exports.text
    assert "limit" not in lines(of_exports)
    assert "Each month" not in of_exports.text.partition("This period so far")[2]
    a_limit(plan=tenant.plan, **MONTH | {"scope": "*", "name": "all", "amount": 1})


def test_a_limit_far_above_is_not_drawn_and_users_have_none(clock):
    high = a_customer(MONTH | {"amount": 10**6})
    clock.move_to(NOON)
    a_row(high, datetime(2026, 10, 2, tzinfo=UTC), 1)
    apart = a_customer(MONTH | {"subject": "user"}, key="bolt")
    a_row(apart, datetime(2026, 10, 2, tzinfo=UTC), 1)

    for tenant in (high, apart):
        assert "limit" not in lines(shown(tenant, member_of(tenant)))


def test_in_an_outage_nothing_is_foretold(private_server, clock, caplog):
    tenant = a_customer(MONTH)
    client = member_of(tenant)
    client.get("/reports/?cost=40")
    private_server.stop()

    assert "At this pace" not in shown(tenant, client).text
    assert data(client, tenant).json()["limits"][0]["projection"] is None


def test_a_chart_of_nothing_is_a_line_on_the_ground():
    drawn = line_chart({"this": [Point(0, 0), Point(0.5, 0)], "pace": []}, [])

    assert ["0.00,100.00 50.00,100.00"] == [each.points for each in drawn.lines]
    assert ("2", "1", "0") == drawn.scale
