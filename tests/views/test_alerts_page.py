"""The page of alerts: managers choose and cap, the others look, and strangers find nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from quotas.models import AlertSettings, Cap
from tests.models.rows import a_limit, a_membership, a_user, an_override
from tests.views.looking import Reading, a_customer, browser, member_of

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

HOUR = timedelta(hours=1)
EXACT = {"name": "hour", "algorithm": "sliding_window_log", "amount": 1000, "period": HOUR}
HOOK = "https://hooks.example.com/q?token=abc"


@pytest.fixture
def tenant():
    return a_customer(EXACT)


@pytest.fixture
def manager(tenant):
    user = a_user(email="ada@example.com")
    a_membership(tenant, user, role="manager")
    return browser(user)


def look(client, key="acme", **asked):
    return client.get(f"/quotas/{key}/alerts/", asked)


def do(client, what, key="acme", **fields):
    return client.post(f"/quotas/{key}/alerts/", {"do": what, **fields})


def cap(client, amount, name="hour", **fields):
    return do(client, "cap", scope="reports", name=name, amount=amount, **fields)


def done(answer):
    """What the next look at the page says was done when a form was taken."""
    assert 302 == answer.status_code, Reading(answer).text
    assert "?" not in answer["Location"]
    return answer.wsgi_request.session["quotas_done"][1]


def test_a_manager_turns_email_off_and_on(tenant, manager):
    assert "settings" == done(do(manager, "settings", webhook_url=""))
    assert not AlertSettings.objects.get().email
    assert "settings" == done(do(manager, "settings", email="on", webhook_url=""))
    assert AlertSettings.objects.get().email
    assert "" == AlertSettings.objects.get().webhook_secret


def test_what_was_chosen_is_shown_and_said(tenant, manager):
    boxes = [each for each in Reading(look(manager)).all("input") if each.get("name") == "email"]
    assert ["checked" in each for each in boxes] == [True]

    do(manager, "settings", webhook_url=HOOK)

    shown = Reading(look(manager))
    assert ["checked" in each for each in shown.all("input") if each.get("name") == "email"] == [
        False
    ]
    assert HOOK in [each.get("value") for each in shown.all("input")]
    assert "Saved: this is how" in shown.text


def test_the_secret_of_the_first_webhook_is_shown_once(tenant, manager):
    assert "settings" == done(do(manager, "settings", email="on", webhook_url=HOOK))
    secret = AlertSettings.objects.get().webhook_secret

    assert secret.startswith("whsec_")
    assert [True, False] == [secret in Reading(look(manager)).text for _ in range(2)]
    do(manager, "settings", email="on", webhook_url=HOOK + "2")
    assert secret == AlertSettings.objects.get().webhook_secret
    assert secret not in Reading(look(manager)).text


def test_a_new_secret_is_shown_once_to_whoever_made_it(tenant, manager):
    do(manager, "settings", email="on", webhook_url=HOOK)
    look(manager)
    before = AlertSettings.objects.get().webhook_secret
    other = a_user()
    a_membership(tenant, other, role="manager")

    assert "secret" == done(do(manager, "secret"))

    after = AlertSettings.objects.get().webhook_secret
    assert before != after
    assert after not in Reading(look(browser(other))).text
    assert [True, False] == [after in Reading(look(manager)).text for _ in range(2)]


def test_a_look_at_the_headers_alone_leaves_what_is_shown_once(tenant, manager):
    do(manager, "settings", webhook_url=HOOK)

    assert 200 == manager.head("/quotas/acme/alerts/").status_code

    shown = Reading(look(manager)).text
    assert AlertSettings.objects.get().webhook_secret in shown
    assert "Saved: this is how" in shown


def test_what_was_done_is_said_once_and_on_the_page_of_its_tenant_alone(tenant, manager):
    bolt = a_customer(EXACT, key="bolt")
    a_membership(bolt, tenant.memberships.get().user, role="manager")
    cap(manager, 5)

    assert "The cap is set" not in Reading(look(manager, "bolt")).text
    assert [True, False] == ["The cap is set" in Reading(look(manager)).text for _ in range(2)]


@pytest.mark.parametrize("what", ["settings", "secret", "cap", "uncap"])
def test_no_link_makes_the_page_say_that_something_was_done(tenant, manager, what):
    assert [] == [
        each for each in Reading(look(manager, done=what)).all("p") if each.get("role") == "status"
    ]


def test_the_secret_of_one_tenant_is_not_shown_on_the_page_of_another(tenant, manager):
    bolt = a_customer(EXACT, key="bolt")
    a_membership(bolt, a_user(), role="manager")
    AlertSettings.objects.create(tenant=bolt, webhook_url=HOOK, webhook_secret="whsec_AAAA")
    a_membership(bolt, tenant.memberships.get().user, role="manager")
    do(manager, "settings", webhook_url=HOOK)

    assert "whsec_" not in Reading(look(manager, "bolt")).text
    assert "whsec_" in Reading(look(manager)).text


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/",
        "ftp://a.example/",
        "hooks",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://localhost/",
        "https://exa mple.com/",
        "x" * 501,
    ],
)
def test_an_address_that_cannot_be_posted_to_changes_nothing_and_says_why(tenant, manager, url):
    answer = do(manager, "settings", webhook_url=url)

    assert 400 == answer.status_code
    shown = Reading(answer)
    (field,) = [each for each in shown.all("input") if each.get("name") == "webhook_url"]
    assert ("true", url) == (field["aria-invalid"], field["value"])
    assert "webhook-error" in field["aria-describedby"]
    assert not AlertSettings.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_manager_sets_and_removes_a_cap(tenant, manager, clock):
    assert "cap" == done(cap(manager, 2))

    row = Cap.objects.get()
    assert (2, tenant.memberships.get().user) == (row.amount, row.set_by)
    shown = Reading(look(manager))
    assert "your own cap: 2" in shown.text
    assert "Without a cap: 1,000 in any hour" in shown.text
    assert [200, 200, 429] == [manager.get("/reports/").status_code for _ in range(3)]
    assert "uncap" == done(do(manager, "uncap", scope="reports", name="hour"))
    assert 200 == manager.get("/reports/").status_code
    assert "your own cap" not in Reading(look(manager)).text


@pytest.mark.parametrize("amount", [1000, 1200])
def test_a_cap_that_is_not_lower_is_refused_with_both_numbers_and_the_way_out(
    tenant, manager, amount
):
    answer = cap(manager, amount)

    assert 400 == answer.status_code
    assert (
        f"The cap is {amount:,} and the limit allows 1,000: give a number from 1 to 999, or leave "
        "the limit without a cap."
    ) in Reading(answer).text
    assert not Cap.objects.exists()


@pytest.mark.parametrize("typed", ["1200", "0", "1.5", "ten", '"><b>'])
def test_a_cap_that_is_refused_is_still_in_its_form_with_the_error_beside_it(
    tenant, manager, typed
):
    a_limit(tenant.plan, scope="reports", name="other")

    answer = cap(manager, typed)

    shown = Reading(answer)
    kept = {
        (each["value"], each.get("aria-invalid"), "cap-error" in each["aria-describedby"])
        for each in shown.all("input")
        if each.get("name") == "amount"
    }
    assert {(typed, "true", True), ("", None, False)} == kept
    assert ["cap-error"] == [each["id"] for each in shown.all("p") if each.get("role") == "alert"]


def test_an_error_of_no_form_that_is_shown_is_said_above_them(tenant, manager):
    shown = Reading(cap(manager, 5, name="gone"))

    [said] = [each for each in shown.all("p") if each.get("role") == "alert"]
    assert "id" not in said
    assert "No such limit is in force" in shown.text


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"amount": 0}, "there is nothing to lower"),
        ({"amount": 1}, "a cap must be lower but at least 1"),
        ({"mode": "shadow"}, "a cap would not deny either"),
        ({"mode": "off"}, "No such limit is in force"),
    ],
)
def test_what_cannot_be_capped_says_so(tenant, manager, columns, said):
    a_limit(tenant.plan, scope="reports", **{"name": "odd", **columns})

    answer = cap(manager, 1, name="odd")

    assert 400 == answer.status_code
    assert said in Reading(answer).text
    if columns != {"mode": "off"}:
        shown = Reading(look(manager))
        assert said in shown.text
        assert 1 == len([each for each in shown.all("input") if each.get("name") == "amount"])


@pytest.mark.parametrize("amount", ["", "0", "-1", "ten", "1.5", "9" * 30])
def test_what_is_no_amount_is_no_cap(tenant, manager, amount):
    assert 400 == cap(manager, amount).status_code
    assert not Cap.objects.exists()


@pytest.mark.parametrize("what", ["cap", "uncap"])
@pytest.mark.parametrize("scope", ["", "a\0", "a" * 201])
def test_a_scope_that_no_limit_can_have_is_refused(tenant, manager, what, scope):
    assert 400 == do(manager, what, scope=scope, name="hour", amount="3").status_code


def test_a_form_that_is_none_of_the_pages_changes_nothing(tenant, manager):
    answer = do(manager, "delete")

    assert 400 == answer.status_code
    assert "Nothing was changed" in Reading(answer).text


def test_a_cap_of_an_override_is_held_against_the_override(tenant, manager):
    an_override(tenant, scope="reports", **{**EXACT, "amount": 5000})

    assert "cap" == done(cap(manager, 4000))
    assert 'max="4999"' in look(manager).content.decode()


def test_a_tenant_without_limits_has_nothing_to_cap():
    bare = a_customer(key="bare")

    assert "No limit applies." in Reading(look(member_of(bare), "bare")).text


def test_a_form_without_its_token_is_refused(tenant):
    user = a_user()
    a_membership(tenant, user, role="manager")
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)

    assert 403 == cap(client, 5).status_code
    token = next(
        each["value"]
        for each in Reading(look(client)).all("input")
        if each.get("name") == "csrfmiddlewaretoken"
    )
    assert "cap" == done(cap(client, 5, csrfmiddlewaretoken=token))
