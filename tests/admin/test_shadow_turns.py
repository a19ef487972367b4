"""A limit is enforced out of shadow, or put there, by those who may, with a reason."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry

from quotas.signals import policy_changed
from tests.admin.pages import change_url, form_of, texts_of
from tests.admin.shadowing import DAY, NOW, a_caller, in_shadow, shadow_url
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.views.looking import Reading, staff_who_may

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

VIEW = ("view_planlimit", "view_override", "view_tenant")
CHANGE = (*VIEW, "change_planlimit", "change_override")
BOTH = pytest.mark.parametrize("make", [a_limit, an_override], ids=["plan-limit", "override"])


@pytest.fixture
def plan(db):
    return a_plan("pro")


@pytest.fixture
def limit(plan):
    return in_shadow(a_limit(plan, mode="shadow"))


def turn(client, row, name="enforce", **fields):
    """Open the page that asks, fill in its form, and send it."""
    url = shadow_url(row, name)
    sent = form_of(client.get(url), "step_form")
    return client.post(url, {**sent, "reason": "quiet for a week", **fields})


def mode(row):
    row.refresh_from_db()
    return row.mode


def said():
    return [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]


@BOTH
def test_a_limit_is_enforced_from_its_page_and_put_back_with_an_entry_each(make):
    row, staff = in_shadow(make(mode="shadow")), staff_who_may(*CHANGE)

    response = turn(staff, row)
    assert (302, shadow_url(row)) == (response.status_code, response.url)
    assert "enforce" == mode(row)
    assert NOW < row.mode_since
    assert "Enforced since" in Reading(staff.get(shadow_url(row))).text
    turn(staff, row, "start", reason="too many")

    assert "shadow" == mode(row)
    assert [
        "mode: shadow → enforce; reason: quiet for a week",
        "mode: enforce → shadow; reason: too many",
    ] == said()


@BOTH
def test_the_version_that_it_makes_says_why(make):
    row, staff = in_shadow(make(mode="shadow")), staff_who_may(*CHANGE)

    turn(staff, row)

    version = row.history.latest()
    assert ("enforce", "quiet for a week") == (version.mode, version.history_change_reason)


def test_the_page_that_asks_says_what_would_have_been_denied(staff, plan, limit):
    for would in (4, 2, 0):
        a_caller(plan, would)

    text = Reading(staff.get(shadow_url(limit, "enforce"))).text

    assert "It would have denied 6 of 30 calls, of 2 tenants." in text
    assert "Once it is enforced, such calls are denied." in text
    assert "shadow" == mode(limit)


@pytest.mark.django_db(transaction=True)
def test_after_it_the_page_says_when_that_is_in_force(staff, limit):
    turn(staff, limit)

    in_force, done = texts_of(staff.get(shadow_url(limit)))

    assert "Enforce it: done for api/minute." == done
    assert "In force on every worker within" in in_force
    assert "No worker has decided by a plan in the last hour." in in_force


def test_it_is_announced_like_a_save(staff, limit, django_capture_on_commit_callbacks):
    heard = []
    policy_changed.connect(lambda **said: heard.append(said["plans"]), weak=False, dispatch_uid="t")

    with django_capture_on_commit_callbacks(execute=True):
        turn(staff, limit)
    policy_changed.disconnect(dispatch_uid="t")

    assert [True] == heard


@pytest.mark.parametrize("reason", ["", "   ", "x" * 201])
def test_without_a_reason_nothing_is_done(staff, limit, reason):
    assert 200 == turn(staff, limit, reason=reason).status_code

    assert "shadow" == mode(limit)
    assert [] == said()


@pytest.mark.parametrize("name", ["enforce", "start"])
@BOTH
def test_view_only_staff_see_the_page_and_change_nothing_by_a_hand_made_post(make, name):
    row, viewer = in_shadow(make(mode="shadow")), staff_who_may(*VIEW)
    before = row.mode_since

    assert "In shadow since" in Reading(viewer.get(shadow_url(row))).text
    answers = [
        viewer.get(shadow_url(row, name)),
        viewer.post(shadow_url(row, name), {"reason": "mine"}),
        viewer.post(shadow_url(row), {"reason": "mine"}),
    ]

    assert [403, 403, 405] == [answer.status_code for answer in answers]
    assert ("shadow", before) == (mode(row), row.mode_since)
    assert [] == said()
    page = viewer.get(shadow_url(row)).content.decode()
    assert shadow_url(row, "enforce") not in page


@BOTH
def test_a_limits_page_offers_to_put_it_in_shadow_to_those_alone_who_may(make):
    row = make()

    viewed, changed = (
        Reading(staff_who_may(*codenames).get(change_url(row))).text for codenames in (VIEW, CHANGE)
    )

    assert ("What it would have denied" in viewed, "Put in shadow" in viewed) == (True, False)
    assert ("What it would have denied" in changed, "Put in shadow" in changed) == (False, True)


@BOTH
def test_staff_without_a_permission_and_strangers_see_nothing(client, make):
    row, other = make(mode="shadow"), staff_who_may("view_tenant")

    assert 403 == other.get(shadow_url(row)).status_code
    assert 403 == other.post(shadow_url(row, "enforce"), {"reason": "mine"}).status_code
    assert 302 == client.post(shadow_url(row, "enforce"), {"reason": "mine"}).status_code
    assert "shadow" == mode(row)


def test_who_may_not_look_at_tenants_sees_the_sums_alone(plan, limit):
    a_caller(plan, 6, key="acme")

    text = Reading(staff_who_may("view_planlimit").get(shadow_url(limit))).text

    assert "Would have denied 6 (60 %)" in text
    assert "Tenants are shown to those who may look at tenants." in text
    assert "acme" not in text


@pytest.mark.parametrize(
    ("before", "name"), [("enforce", "enforce"), ("off", "enforce"), ("shadow", "start")]
)
def test_what_is_done_already_is_not_done_again(staff, before, name):
    row = a_limit(mode=before)

    page = Reading(staff.get(shadow_url(row, name))).text
    assert "There is nothing to do: somebody else has done it already." in page
    assert 200 == turn(staff, row, name).status_code

    assert before == mode(row)
    assert [] == said()


def test_looking_changes_nothing(staff, limit):
    for url in (shadow_url(limit), shadow_url(limit, "enforce"), shadow_url(limit, "start")):
        staff.get(url, {"reason": "mine", "_confirmed": "1"})

    assert ("shadow", NOW - 3 * DAY) == (mode(limit), limit.mode_since)
    assert [] == said()


def test_there_is_no_page_of_what_there_is_not(staff, limit):
    gone = shadow_url(limit).replace(str(limit.pk), "999999")

    assert 404 == staff.get(gone).status_code
    assert 404 == staff.get(shadow_url(limit, "enforce").replace("enforce", "delete")).status_code


def test_only_tenants_of_the_list_of_tenants_are_counted(staff, plan, limit, monkeypatch):
    from quotas.admin import TenantAdmin

    mine = a_caller(plan, 6, key="acme")
    a_caller(plan, 7, key="bolt")
    usual = TenantAdmin.get_queryset
    monkeypatch.setattr(TenantAdmin, "get_queryset", lambda *args: usual(*args).filter(pk=mine.pk))

    text = Reading(staff.get(shadow_url(limit))).text

    assert "Would have denied 6 (60 %)" in text
    assert "bolt" not in text


def test_a_boost_of_a_limit_in_shadow_is_in_shadow_from_its_own_beginning(staff, plan, limit):
    from tests.admin.test_tenant_steps import take

    tenant = a_tenant("acme", plan=plan)

    take(staff, tenant, "boost", limit="api/minute", amount="50", until="2036-01-31T12:30")

    made = tenant.overrides.get()
    assert ("shadow", 50) == (made.mode, made.amount)
    assert NOW < made.mode_since
