"""What calls take of a limit raises its alerts: counted by the limiter, judged by the flush."""

from __future__ import annotations

import pytest

from quotas.services.caps import set_cap
from quotas.services.flush import flush
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.alerting import alerts
from tests.services.asking import allowed, of_tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.mark.parametrize(
    "columns",
    [
        {"algorithm": "fixed_window"},
        {"algorithm": "token_bucket"},
        {"algorithm": "leaky_bucket"},
        {"algorithm": "sliding_window_log"},
        {"algorithm": "sliding_window_counter"},
        {"subject": "address"},
        {"scope": "*"},
    ],
    ids=lambda columns: next(iter(columns.values())),
)
def test_each_threshold_is_told_when_calls_come_to_it(transactional_db, columns):
    a_limit(a_plan("pro", is_default=True), amount=10, **columns)
    tenant = a_tenant("acme")
    expected = []
    for calls, met in ((7, []), (1, [("minute", "80", 8, 10)]), (5, [("minute", "100", 10, 10)])):
        allowed(of_tenant(tenant), times=calls)
        expected += met
        for _ in range(2):
            flush()

        assert expected == alerts()


def test_the_thresholds_of_a_capped_limit_are_those_of_its_cap(transactional_db):
    a_limit(a_plan("pro", is_default=True), amount=1000)
    tenant = a_tenant("acme")
    set_cap(tenant.pk, "api", "minute", 10)
    allowed(of_tenant(tenant), times=9)

    flush()

    assert [("minute", "80", 9, 10)] == alerts()
