"""The buttons on a tenant's page: each asks for a reason, acts at once, and leaves an entry."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from quotas.models import LimitReset, Override, Tenant
from quotas.services.usage import usage_of
from tests.admin.asking import YES, answer
from tests.admin.browsers import client_of
from tests.admin.pages import change_url, form_of
from tests.models.rows import a_limit, a_plan, a_tenant, a_user, an_override
from tests.services.asking import allowed, ask, of_tenant
from tests.views.looking import Reading

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.admin.urls")]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
RESET = {"limit": "api/minute", "reason": "mine"}
LATER = "2036-01-31T12:30"
STEPS = ["suspend", "resume", "plan", "grant", "boost", "reset-counter", "reset"]


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=10, period=DAY, title="Calls", warn_at=[70])
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def step_url(tenant, name):
    return reverse("admin:quotas_tenant_step", args=[tenant.pk, name])


def take(client, tenant, name, **fields):
    """Open the page of a step, fill in its form, and send it."""
    url = step_url(tenant, name)
    sent = form_of(client.get(url), "step_form")
    return client.post(url, {**sent, "reason": "a fair", **fields})


def said():
    return [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]


def somebody_who_may(*codenames):
    user = a_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return client_of(user)


def buttons(client, tenant):
    hrefs = [each.get("href", "") for each in Reading(client.get(change_url(tenant))).all("a")]
    return [href.rstrip("/").rsplit("/", 1)[1] for href in hrefs if "/step/" in href]


def test_suspending_and_resuming_act_on_the_next_request_and_keep_the_reason(staff, tenant):
    assert 302 == take(staff, tenant, "suspend").status_code
    assert Tenant.objects.get().suspended
    assert ["suspended: no → yes; reason: a fair"] == said()

    take(staff, tenant, "resume", reason="paid")
    assert not Tenant.objects.get().suspended
    assert "suspended: yes → no; reason: paid" == said()[-1]
    assert ask(of_tenant(tenant)).decision.allowed


def test_a_tenant_moves_to_another_plan_and_to_the_default_one(staff, tenant):
    other = a_plan("gold")

    asked = take(staff, tenant, "plan", plan=other.pk)
    answer(staff, step_url(tenant, "plan"), asked, YES)
    assert other == Tenant.objects.get().plan
    take(staff, tenant, "plan", plan="")
    assert Tenant.objects.get().plan is None

    assert ["plan: Pro → Gold; reason: a fair", "plan: Gold → blank; reason: a fair"] == said()


def test_a_tenant_does_not_move_to_the_plan_it_has(staff, tenant):
    page = take(staff, tenant, "plan", plan=tenant.plan_id)

    assert "The tenant is on this plan already." in page.content.decode()
    assert [] == said()


def test_resetting_gives_back_what_was_used(staff, tenant):
    allowed(of_tenant(tenant), times=10)

    take(staff, tenant, "reset")

    assert 10 == allowed(of_tenant(tenant), times=12)
    assert ["counters reset; epoch: 0 → 1; reason: a fair"] == said()


def test_a_boost_is_an_override_of_the_whole_limit_until_its_end(staff, tenant):
    allowed(of_tenant(tenant), times=11)

    take(staff, tenant, "boost", limit="api/minute", amount="15", until=LATER)

    made = Override.objects.get()
    assert (15, "a fair", "chief") == (made.amount, made.reason, made.created_by.username)
    assert (DAY, "Calls", [70]) == (made.period, made.title, made.warn_at)
    assert LATER == f"{made.ends_at:%Y-%m-%dT%H:%M}"
    assert 5 == allowed(of_tenant(tenant), times=9), "used units stay used"
    [entry] = said()
    assert entry.startswith("override api/minute until ")
    assert entry.endswith("amount: 10 → 15; reason: a fair")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"amount": "10"}, "The limit allows 10: give a larger amount.", id="same"),
        pytest.param({"amount": "9"}, "The limit allows 10: give a larger amount.", id="less"),
        pytest.param({"until": "2001-01-01T00:00"}, "This is over already.", id="past"),
        pytest.param({"reason": " "}, "This field is required.", id="no-reason"),
        pytest.param({"limit": "api/none"}, "is not one of the available choices", id="no-limit"),
        pytest.param({"amount": "1e9"}, "Enter a whole number.", id="no-number"),
    ],
)
def test_a_boost_that_is_none_is_refused_with_the_reason_on_the_page(staff, tenant, fields, error):
    values = {"limit": "api/minute", "amount": "15", "until": LATER, **fields}

    page = take(staff, tenant, "boost", **values)

    assert error in page.content.decode()
    assert not Override.objects.exists()
    assert [] == said()


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param({"period": DAY}, id="fixed-window"),
        pytest.param(
            {"algorithm": "calendar_quota", "period": None, "unit": "month"}, id="calendar"
        ),
    ],
)
def test_extra_units_are_granted_to_the_end_of_the_period(staff, limit):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, **{"amount": 10, **limit})
    tenant = a_tenant("acme")
    assert 10 == allowed(of_tenant(tenant), times=11)
    [line] = usage_of(tenant.pk).lines

    take(staff, tenant, "grant", limit="api/minute", extra="5")
    take(staff, tenant, "grant", limit="api/minute", extra="2")

    assert 7 == allowed(of_tenant(tenant), times=9)
    assert {15, 17} == set(Override.objects.values_list("amount", flat=True))
    ends = {each.ends_at for each in Override.objects.all()}
    reset = timezone.now() + timedelta(microseconds=line.verdict.reset_us)
    assert all(abs(end - reset) < timedelta(seconds=60) for end in ends)


def test_extra_units_are_offered_of_limits_that_count_the_tenant(staff, plan, tenant):
    a_limit(plan, name="bucket", algorithm="token_bucket")
    a_limit(plan, name="each", subject="user")
    a_limit(plan, name="free", amount=None)
    a_limit(plan, name="none", amount=0, algorithm="token_bucket")
    a_limit(plan, name="off", algorithm="token_bucket", mode="off")

    page = staff.get(step_url(tenant, "grant")).content.decode()

    assert ["api/bucket", "api/minute"] == re.findall(r'<option value="([^"]*)"', page)
    assert "Not listed: api/each. They count users, credentials or addresses" in page


def test_without_redis_a_boost_is_made_and_a_grant_is_not(staff, tenant, private_server, caplog):
    private_server.stop()

    take(staff, tenant, "boost", limit="api/minute", amount="15", until=LATER)
    page = take(staff, tenant, "grant", limit="api/minute", extra="5")

    assert "Redis gives no answer, so nothing was given." in page.content.decode()
    assert [15] == list(Override.objects.values_list("amount", flat=True))


def test_what_somebody_else_has_done_meanwhile_is_not_done_again(staff, tenant):
    url = step_url(tenant, "suspend")
    form = form_of(staff.get(url), "step_form")
    Tenant.objects.update(suspended=True)

    page = staff.post(url, {**form, "reason": "late"})

    assert "Somebody else has done it already." in page.content.decode()
    assert [] == said()


@pytest.mark.parametrize("name", STEPS)
def test_view_only_staff_see_no_button_and_their_hand_made_posts_are_refused(
    staff_who_may, tenant, name
):
    viewer = staff_who_may("view")
    data = {"reason": "mine", "limit": "api/minute", "amount": "99", "extra": "9", "until": LATER}

    assert 403 == viewer.get(step_url(tenant, name)).status_code
    assert 403 == viewer.post(step_url(tenant, name), data).status_code

    assert [] == buttons(viewer, tenant)
    assert [] == said()
    assert not Override.objects.exists()
    assert not LimitReset.objects.exists()
    assert not Tenant.objects.get().suspended


def test_a_step_needs_the_permission_of_what_it_changes(tenant):
    of_overrides = somebody_who_may("view_tenant", "add_override")
    of_tenants = somebody_who_may("view_tenant", "change_tenant")

    assert ["grant", "boost"] == buttons(of_overrides, tenant)
    assert ["suspend", "plan", "reset-counter", "reset"] == buttons(of_tenants, tenant)
    assert 403 == of_tenants.get(step_url(tenant, "boost")).status_code
    assert 403 == of_overrides.get(step_url(tenant, "reset")).status_code
    assert 403 == of_overrides.post(step_url(tenant, "reset-counter"), RESET).status_code
    assert 403 == somebody_who_may("add_override").get(step_url(tenant, "boost")).status_code


def test_an_unknown_step_or_tenant_is_not_found(staff, tenant):
    assert 404 == staff.get(step_url(tenant, "explode")).status_code
    tenant.pk = 4711
    assert 404 == staff.get(step_url(tenant, "suspend")).status_code


def test_a_get_changes_nothing(staff, tenant):
    for name in STEPS:
        staff.get(step_url(tenant, name), {"reason": "a link"})

    assert not Tenant.objects.get().suspended
    assert not LimitReset.objects.exists()
    assert [] == said()


def test_a_boost_out_of_an_override_copies_the_override(staff, tenant):
    an_override(tenant, amount=20, title="Their own", period=HOUR)

    take(staff, tenant, "boost", limit="api/minute", amount="30", until=LATER)

    made = Override.objects.get(amount=30)
    assert ("Their own", HOUR) == (made.title, made.period)
