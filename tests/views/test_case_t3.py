from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quotas.services.flush import flush
from quotas.testing import frozen_clock
from tests.views.looking import Reading, a_customer, member_of, page, shown_history

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

DAY = {"name": "day", "algorithm": "calendar_quota", "amount": 10, "unit": "day", "period": None}
BEFORE_MIDNIGHT = datetime(2026, 9, 8, 14, 30, tzinfo=UTC)  # 23:30 in Tokyo
MIDNIGHT = datetime(2026, 9, 8, 15, tzinfo=UTC)


@pytest.mark.parametrize("flushed", [False, True])
@pytest.mark.parametrize("span", ["week", "month"])
def test_t3_ten_are_listed_under_8_september_and_the_new_one_under_9_september(span, flushed):
    tenant = a_customer(DAY, time_zone="Asia/Tokyo")
    client = member_of(tenant)
    with frozen_clock(BEFORE_MIDNIGHT) as clock:
        assert [200] * 10 == [client.get("/reports/").status_code for _ in range(10)]
        denied = client.get("/reports/")
        assert (429, "1800") == (denied.status_code, denied["Retry-After"])
        clock.move_to(MIDNIGHT)
        assert '"day";r=9' in client.get("/reports/")["RateLimit"]
        if flushed:
            flush(clock.now_us)

        shown = Reading(page(client, tenant, span=span))
        days = shown_history(client, tenant, span=span)["buckets"]

    assert "Wed 9 Sep 2026 1 1 0 0 1 Tue 8 Sep 2026 11 10 1 0 10" in shown.text
    assert [(10, 1), (1, 0)] == [(each["admitted"], each["denied"]) for each in days[-2:]]
    assert "2026-09-09T00:00:00+09:00" == days[-1]["start"]
    assert {0} == {each["requests"] for each in days[:-2]}


def test_t3_a_tenant_of_utc_has_all_eleven_under_8_september():
    tenant = a_customer(DAY | {"amount": 20}, time_zone="UTC")
    client = member_of(tenant)
    with frozen_clock(BEFORE_MIDNIGHT) as clock:
        for _ in range(10):
            client.get("/reports/")
        clock.move_to(MIDNIGHT)
        client.get("/reports/")

        shown = Reading(page(client, tenant, span="week"))

    assert "Tue 8 Sep 2026 11 11 0 0 11" in shown.text
    assert "Wed 9 Sep" not in shown.text
