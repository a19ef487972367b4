"""A limit for one test: in one line, for everybody, and gone afterwards."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.errors import InvalidLimit
from quotas.models import Plan, PlanLimit
from quotas.testing import override_limit
from tests.testing.views import Coded, Dropped, Planned, responses, statuses

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan():
    """The plan of callers without a tenant: 100 a minute for the scope, 50 an hour for all."""
    made = Plan.objects.create(key="guests", name="Guests", is_anonymous=True)
    for scope, name, amount, hours in (("api", "minute", 100, 0), ("*", "hour", 50, 1)):
        period = timedelta(hours=hours) or timedelta(minutes=1)
        PlanLimit.objects.create(plan=made, scope=scope, name=name, amount=amount, period=period)
    return made


def policies(response):
    return response.headers["RateLimit-Policy"]


def test_it_stands_in_for_the_plans_limit_and_keeps_its_name(plan):
    with override_limit("api", amount=2, period=60):
        found = responses(3, Planned)

        assert [each.status_code for each in found] == [200, 200, 429]
        assert '"minute";q=2;w=60' in policies(found[0])
        assert '"hour";q=50' in policies(found[0])
    assert '"minute";q=100;w=60' in policies(responses(1, Planned)[0])


@pytest.mark.parametrize("view", [Planned, Coded, Dropped])
def test_it_acts_on_every_kind_of_throttle(plan, view):
    assert statuses(1, view) == [200]

    with override_limit("api", amount=0, period=60):
        assert statuses(1, view) == [429]
    assert statuses(1, view) == [200]


def test_without_any_plan_it_is_all_there_is():
    assert statuses(1, Planned) == [403]

    with override_limit("api", amount=1, period=timedelta(minutes=1)):
        assert statuses(2, Planned) == [200, 429]
    assert statuses(1, Planned) == [403]


def test_by_name_it_is_added_to_the_others(plan):
    with override_limit("api", name="day", amount=1, unit="day"):
        [response] = responses(1, Planned)

        assert '"day";q=1' in policies(response)
        assert '"minute";q=100' in policies(response)
        assert statuses(1, Planned) == [429]


def test_by_name_it_takes_the_place_of_that_one(plan):
    PlanLimit.objects.create(
        plan=plan, scope="api", name="second", amount=9, period=timedelta(seconds=1)
    )

    with override_limit("api", name="minute", amount=3, period=60, algorithm="fixed_window"):
        [response] = responses(1, Planned)

    assert '"minute";q=3' in policies(response)
    assert '"second";q=9' in policies(response)


def test_without_a_name_it_is_the_only_one_of_its_scope(plan):
    PlanLimit.objects.create(
        plan=plan, scope="api", name="second", amount=0, period=timedelta(seconds=1)
    )
    assert statuses(1, Planned) == [429]

    with override_limit("api", amount=3, period=60):
        assert statuses(1, Planned) == [200]


def test_the_innermost_is_in_force(plan):
    with override_limit("api", amount=5, period=60):
        with override_limit("api", amount=0, period=60):
            assert statuses(1, Planned) == [429]
        assert '"minute";q=5' in policies(responses(1, Planned)[0])


def test_other_scopes_are_as_they_were(plan):
    with override_limit("exports", amount=0, period=60):
        assert statuses(1, Planned) == [200]


def test_a_shadow_limit_denies_nobody(plan):
    with override_limit("api", amount=0, period=60, mode="shadow"):
        assert statuses(2, Planned) == [200, 200]


def test_an_outage_policy_can_be_tried(plan, settings):
    entry = settings.CACHES["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"quotas": entry}

    with override_limit("api", amount=1, period=60, outage_policy="deny", subject="address"):
        assert statuses(1, Planned) == [503]
    assert statuses(1, Planned) == [200]


@override_limit("api", amount=1, period=60)
def test_it_decorates_a_function(plan):
    assert statuses(2, Planned) == [200, 429]


def test_numbers_that_make_no_limit_are_refused():
    with pytest.raises(InvalidLimit, match="period"), override_limit("api", amount=2):
        pass  # pragma: no cover
