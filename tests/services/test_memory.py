"""What a process remembers: enough to ask no database, and never for long."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection

from quotas.domain.calendar import EPOCH
from quotas.domain.keys import PLANS_KEY, owner_key, tenant_tag, user_tag
from quotas.engine import owners
from quotas.engine.connection import link
from quotas.errors import NotInPlan, Refusal
from quotas.models import Override
from quotas.services import loading
from quotas.services.anonymous import anonymous as counted_anonymous
from quotas.services.bounded import Bounded
from quotas.testing import forget
from tests import START_US
from tests.engine.proxy import nobody
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override
from tests.services.asking import anonymous, ask, behind_our_back, left, of_tenant, of_user, used

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

HOUR = timedelta(hours=1)
START = EPOCH + timedelta(microseconds=START_US)
MINUTE = 61
POLL = 1.001
LOADERS = ["load_plans", "load_tenant", "load_memberships"]


@pytest.fixture
def plan(db):
    made = a_plan("pro")
    a_limit(made, amount=50)
    a_limit(
        made,
        scope="*",
        name="month",
        amount=100,
        algorithm="calendar_quota",
        unit="month",
        period=None,
    )
    return made


@pytest.fixture
def user(plan):
    return a_membership(a_tenant("acme", plan=plan)).user


@contextmanager
def database_away():
    """Cuts this process off its database; gives the calls that fail, as they come."""
    tried = []

    def failing(name):
        def fail(*_, **__):
            tried.append(name)
            raise OperationalError("gone away")

        return fail

    with patch.multiple(loading, **{name: failing(name) for name in LOADERS}):
        yield tried


def warm(caller):
    """Asked twice: memberships read before their tenant was known are read once more."""
    ask(caller)
    ask(caller)


@pytest.mark.parametrize("kind", ["by-tenant", "by-membership", "anonymous", "no-tenant"])
def test_in_steady_state_a_request_takes_no_query_and_one_round_trip(
    kind, plan, user, redis_url, settings, monkeypatch, django_assert_num_queries
):
    settings.QUOTAS_PLAN_POLL = 60
    monkeypatch.setattr(counted_anonymous, "clock", lambda: 0.0)  # within one second
    a_limit(a_plan(is_anonymous=True), subject="address")
    callers = {
        "by-tenant": of_tenant("acme"),
        "by-membership": of_user(user),
        "anonymous": anonymous(),
        "no-tenant": of_user(a_user()),
    }
    warm(callers[kind])

    with watching(redis_url) as watched, django_assert_num_queries(0):
        for _ in range(12):
            ask(callers[kind])

    assert ["EVALSHA"] * 12 == watched.names


def test_the_plans_version_is_read_once_a_poll(plan, user, redis_url, settings, later):
    warm(of_user(user))

    with watching(redis_url) as watched:
        for _ in range(3):
            later(POLL)
            ask(of_user(user))

    asked_for_plans = [link().key(PLANS_KEY) in command for command in watched.by_clients]
    assert [True, False] * 3 == asked_for_plans


def test_a_cold_process_asks_the_database_a_bounded_number_of_times(
    plan, user, django_assert_max_num_queries
):
    a_limit(plan, scope="exports")

    with django_assert_max_num_queries(10):
        ask(of_user(user))


def test_an_edit_nobody_was_told_of_is_in_force_within_a_minute(plan, user, later):
    warm(of_user(user))

    behind_our_back("quotas_planlimit", amount=80)
    assert {"minute": 47, "month": 97} == left(ask(of_user(user)))
    later(MINUTE)

    assert {"minute": 76, "month": 76} == left(ask(of_user(user)))


@pytest.mark.parametrize(
    ("table", "values", "expected"),
    [
        pytest.param("override", {"amount": 1}, "denied", id="override"),
        pytest.param("tenant", {"suspended": True}, "tenant_suspended", id="suspension"),
        pytest.param("membership", {"user_id": 4711}, "not_in_plan", id="membership"),
    ],
)
def test_a_bump_that_was_lost_heals_within_a_minute(plan, user, later, table, values, expected):
    an_override(user.quota_memberships.get().tenant, amount=50, starts_at=START)
    a_user(pk=4711)
    warm(of_user(user))

    behind_our_back(f"quotas_{table}", **values)
    assert "allowed" == outcome(of_user(user))
    later(MINUTE)

    assert expected == outcome(of_user(user))


def outcome(caller):
    try:
        return str(ask(caller).decision.outcome)
    except Refusal as refusal:
        return refusal.code


def test_a_bump_that_redis_did_not_take_is_logged_and_does_not_fail_the_edit(
    plan, user, settings, caplog, django_capture_on_commit_callbacks
):
    quotas = settings.CACHES["quotas"] | {"LOCATION": nobody()}
    settings.CACHES = settings.CACHES | {"quotas": quotas}

    with django_capture_on_commit_callbacks(execute=True):
        an_override(user.quota_memberships.get().tenant)

    assert 1 == Override.objects.count()
    assert "within a minute" in caplog.text


@pytest.mark.parametrize(
    "passed", [pytest.param(0, id="at-once"), pytest.param(MINUTE, id="when-it-is-old")]
)
def test_with_the_database_away_the_last_known_policy_stays_in_force(plan, user, later, passed):
    ask(of_user(user))
    ask(of_tenant("acme"))

    with database_away():
        later(passed)

        assert {"minute": 47, "month": 97} == left(ask(of_user(user)))
        assert {"minute": 46, "month": 96} == left(ask(of_tenant("acme")))
        assert {"minute": 4, "month": 4} == used("acme")


def test_with_the_database_away_an_edit_just_before_changes_nothing_that_is_known(plan, user):
    tenant = user.quota_memberships.get().tenant
    ask(of_user(user))

    with database_away():
        owners.bump([tenant_tag(tenant.pk), user_tag(user.pk)], plans=True)

        assert [48, 47] == [left(ask(of_user(user)))["minute"] for _ in range(2)]


def test_with_the_database_away_and_redis_emptied_the_last_known_policy_stays_in_force(plan, user):
    plan.limits.filter(algorithm="calendar_quota").delete()
    ask(of_user(user))

    with database_away():
        link().client.flushdb()

        assert [49, 48] == [left(ask(of_user(user)))["minute"] for _ in range(2)]


def test_with_the_database_away_it_is_not_asked_on_every_request(plan, user, later, caplog):
    warm(of_user(user))
    later(MINUTE)

    with database_away() as tried:
        for _ in range(20):
            ask(of_user(user))

    assert len(set(tried)) == len(tried)
    assert len(caplog.records) <= len(LOADERS)


def test_when_the_database_is_back_it_is_asked_again(plan, user, later):
    warm(of_user(user))
    behind_our_back("quotas_planlimit", amount=80)
    later(MINUTE)
    with database_away():
        assert 47 == left(ask(of_user(user)))["minute"]

    later(MINUTE)

    assert 76 == left(ask(of_user(user)))["minute"]


def test_a_version_lost_with_redis_changes_no_answer(plan, user):
    tenant = user.quota_memberships.get().tenant
    owners.bump([tenant_tag(tenant.pk)], plans=True)
    forget()
    ask(of_user(user))

    link().client.delete(link().key(owner_key(tenant_tag(tenant.pk))), link().key(PLANS_KEY))

    assert {"minute": 48, "month": 98} == left(ask(of_user(user)))


def test_an_edit_whose_notice_was_lost_with_redis_acts_on_the_next_request(plan, user):
    tenant = user.quota_memberships.get().tenant
    an_override(tenant, amount=50, starts_at=START)
    warm(of_user(user))

    behind_our_back("quotas_override", amount=80)
    owners.bump([tenant_tag(tenant.pk)])
    link().client.flushdb()

    assert 79 == left(ask(of_user(user)))["minute"]


def test_a_row_that_makes_no_limit_is_left_out_and_stops_nobody(plan, user, caplog):
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA ignore_check_constraints = ON")
        cursor.execute("UPDATE quotas_planlimit SET amount = -5 WHERE name = 'minute'")
        cursor.execute("PRAGMA ignore_check_constraints = OFF")

    assert {"month": 99} == left(ask(of_user(user)))
    assert "left out" in caplog.text


def test_what_is_remembered_is_bounded():
    held = Bounded(3)
    for number in range(10):
        held.put(number, str(number))

    assert ["7", "8", "9"] == list(held.values())


def test_a_renamed_tenant_is_known_by_its_new_key_alone(
    plan, user, django_capture_on_commit_callbacks
):
    tenant = user.quota_memberships.get().tenant
    ask(of_tenant("acme"))
    with django_capture_on_commit_callbacks(execute=True):
        tenant.key = "apex"
        tenant.save()

    assert {"minute": 48, "month": 98} == left(ask(of_tenant("apex")))
    with pytest.raises(NotInPlan):
        ask(of_tenant("acme"))
