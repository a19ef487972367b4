from __future__ import annotations

import pytest

from quotas.domain.keys import WORKERS_KEY
from tests.views.looking import (
    Reading,
    a_customer,
    data,
    export,
    member_of,
    page,
    shown_limits,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

LIMITS = [
    {"name": "window", "amount": 9},
    {"name": "log", "amount": 9, "algorithm": "sliding_window_log"},
    {"name": "bucket", "amount": 9, "algorithm": "token_bucket"},
    {
        "name": "month",
        "amount": 9,
        "algorithm": "calendar_quota",
        "unit": "month",
        "period": None,
    },
    {"name": "each", "amount": 9, "subject": "user"},
    {"name": "at-once", "amount": 9, "algorithm": "concurrency"},
]


def besides_reads(everything):
    """All but what the limit on reads keeps: two keys of the reader's, whatever tenant it is.

    And what this worker, which decides by that limit, tells of itself.
    """
    own = {key for key in everything if b":quotas.usage:" in key}
    assert len(own) in {0, 2}
    workers = {key for key in everything if key.endswith(f":{WORKERS_KEY}".encode())}
    return {key: value for key, value in everything.items() if key not in own | workers}


def test_u4_a_hundred_looks_leave_four_remaining_and_extend_no_expiry(clock, everything_in_redis):
    tenant = a_customer(*LIMITS)
    client = member_of(tenant)
    for _ in range(5):
        assert 200 == client.get("/reports/").status_code
    page(client, tenant)
    before = everything_in_redis()

    for span in ["hour", "day", "week", "month"] * 12:
        for look in (page, data, export):
            assert 200 == look(client, tenant, span=span).status_code

    assert besides_reads(before) == besides_reads(everything_in_redis())
    found = {name: each["remaining"] for name, each in shown_limits(client, tenant).items()}
    assert 4 == found["log"] == found["month"] == found["each"]
    answer = client.get("/reports/")
    assert '"log";r=3' in answer["RateLimit"]


def test_u4_looking_at_a_tenant_that_never_called_creates_no_key(everything_in_redis):
    tenant = a_customer(*LIMITS)
    client = member_of(tenant)
    before = everything_in_redis()

    for _ in range(50):
        shown = page(client, tenant)
        found = data(client, tenant)
        export(client, tenant)

    assert besides_reads(before) == besides_reads(everything_in_redis())
    assert {0} == {each["used"] for each in found.json()["limits"]}
    assert "0 of 9 used 9 remaining" in Reading(shown).text
    assert "Nothing was counted in this span." in Reading(shown).text


def test_u4_the_list_of_tenants_reads_nothing_of_the_limiter(everything_in_redis):
    client = member_of(a_customer(*LIMITS), a_customer(*LIMITS, key="bolt"))
    before = everything_in_redis()

    assert 200 == client.get("/quotas/").status_code

    assert before == everything_in_redis()
