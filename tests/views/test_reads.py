"""Usage as data may be read 120 times a minute by each user, at no cost to any tenant."""

from __future__ import annotations

import pytest
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from quotas.domain.keys import tenant_tag
from quotas.engine.tallies import tallies_of
from quotas.services.anonymous import anonymous
from quotas.services.denials import decision_id
from quotas.views.twin import UsageData
from tests.models.rows import a_membership, a_user
from tests.views.denying import a_denial, decision, decision_data
from tests.views.looking import a_customer, browser, data, export, member_of, page

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

MOST = 120


@pytest.fixture
def tenant(clock):
    return a_customer({"name": "hour", "amount": 9}, {"name": "each", "subject": "user"})


@pytest.fixture
def client(tenant):
    return member_of(tenant)


def read(client, tenant, times=MOST, look=data):
    """How many of so many reads are answered."""
    return sum(look(client, tenant).status_code == 200 for _ in range(times))


def test_the_next_read_is_denied_and_says_when_to_come_back(client, tenant, clock):
    assert MOST - 1 == read(client, tenant, MOST - 1)
    clock.tick(20)
    assert 1 == read(client, tenant, 1)

    denied = data(client, tenant)

    assert 429 == denied.status_code
    assert "40" == denied["Retry-After"]
    assert "no-store" in denied["Cache-Control"]
    assert "application/problem+json" == denied["Content-Type"]
    assert '"minute";q=120;w=60' == denied["RateLimit-Policy"]
    assert '"minute";r=0;t=40' == denied["RateLimit"]
    assert {
        "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
        "title": "Request cannot be satisfied as assigned quota has been exceeded",
        "status": 429,
        "detail": "Usage may be read 120 times in any minute. Try again in 40 seconds.",
        "violated-policies": ["minute"],
        "retry_after": 40,
        "code": "quota_exceeded",
    } == denied.json()


def test_whoever_waits_as_told_is_answered_and_one_second_earlier_not(client, tenant, clock):
    read(client, tenant)
    wait = int(data(client, tenant)["Retry-After"])

    clock.tick(wait - 1)
    assert 429 == data(client, tenant).status_code
    clock.tick(1)
    assert 200 == data(client, tenant).status_code


def test_an_answer_says_how_many_reads_are_left(client, tenant):
    assert '"minute";r=119;t=60' == data(client, tenant)["RateLimit"]
    assert '"minute";r=118;t=60' == export(client, tenant)["RateLimit"]


@pytest.mark.parametrize("name", ["usage.json", "usage.csv"])
@pytest.mark.parametrize(
    ("path", "status"),
    [
        pytest.param("acme/{}?from=soon", 400, id="no-range"),
        pytest.param("nobody/{}", 404, id="no-tenant"),
    ],
)
def test_whatever_counted_as_a_read_says_how_many_are_left(client, name, path, status):
    found = client.get(f"/quotas/{path.format(name)}")

    assert (status, '"minute";r=119;t=60') == (found.status_code, found["RateLimit"])
    assert '"minute";q=120;w=60' == found["RateLimit-Policy"]
    assert {"private", "no-store"} == set(found["Cache-Control"].split(", "))


def test_the_file_counts_as_the_data_do_and_the_page_does_not(client, tenant):
    assert 60 == read(client, tenant, 60, export)
    assert 60 == read(client, tenant, 60)

    denied = export(client, tenant)
    assert (429, "60") == (denied.status_code, denied["Retry-After"])
    assert "no-store" in denied["Cache-Control"]
    assert "application/problem+json" == denied["Content-Type"]
    assert "quota_exceeded" == denied.json()["code"]
    assert 200 == page(client, tenant).status_code


def test_a_denied_call_as_data_counts_as_the_usage_does_and_its_page_does_not(client, tenant):
    denial = a_denial(tenant)
    assert '"minute";r=119;t=60' == decision_data(client, denial)["RateLimit"]
    read(client, tenant, MOST - 1)

    denied = decision_data(client, denial)

    assert (429, "60") == (denied.status_code, denied["Retry-After"])
    assert "no-store" in denied["Cache-Control"]
    assert "application/problem+json" == denied["Content-Type"]
    assert "quota_exceeded" == denied.json()["code"]
    assert 429 == client.get("/quotas/decisions/none/decision.json").status_code
    assert 200 == decision(client, denial).status_code


def test_another_user_of_the_same_tenant_is_not_affected(client, tenant):
    assert MOST == read(client, tenant, MOST + 5)

    assert 1 == read(member_of(tenant), tenant, 1)


def test_one_user_has_as_many_reads_for_all_tenants_and_ways_in_together(
    tenant, monkeypatch, clock
):
    other, user = a_customer({"name": "hour"}, key="bolt"), a_user()
    for each in (tenant, other):
        a_membership(tenant=each, user=user)
    monkeypatch.setattr(UsageData, "authentication_classes", [TokenAuthentication])
    token = APIClient(headers={"Authorization": f"Token {Token.objects.create(user=user).key}"})

    assert 70 == read(token, tenant, 70)
    assert 50 == read(browser(user), other, 60, export)
    assert 429 == data(token, tenant).status_code


def test_guesses_at_tenants_count_as_reads(client, tenant):
    answers = {client.get("/quotas/nobody/usage.json").status_code for _ in range(MOST)}

    assert {404} == answers
    assert 429 == client.get("/quotas/nobody/usage.json").status_code
    assert 429 == client.get("/quotas/nobody/usage.csv").status_code


def test_guesses_at_decisions_count_as_reads(client):
    found = client.get("/quotas/decisions/none/decision.json")

    assert (404, '"minute";r=119;t=60') == (found.status_code, found["RateLimit"])


def test_nothing_of_the_tenants_is_spent_touched_or_counted(client, tenant, everything_in_redis):
    def of_tenant():
        tag = b"{%s}" % tenant_tag(tenant.pk).encode()
        return {key: value for key, value in everything_in_redis().items() if tag in key}

    for _ in range(4):
        assert 200 == client.get("/reports/").status_code
    data(client, tenant)
    before = of_tenant()
    assert len(before) >= 3

    read(client, tenant, MOST)

    assert before == of_tenant()
    anonymous.add()
    assert not tallies_of(["anonymous"])[0].quarters
    assert '"hour";r=4' in client.get("/reports/")["RateLimit"]


def test_in_an_outage_the_data_and_the_file_are_answered(private_server, tenant, client, caplog):
    read(client, tenant)
    private_server.stop()

    found = data(client, tenant)

    assert (200, True) == (found.status_code, found.json()["outage"])
    assert "RateLimit" not in found
    assert 200 == export(client, tenant).status_code


def test_with_limits_off_reads_are_not_counted(client, tenant, settings, everything_in_redis):
    settings.QUOTAS_ENABLED = False
    before = everything_in_redis()

    assert MOST + 1 == read(client, tenant, MOST + 1)
    assert before == everything_in_redis()


@pytest.mark.parametrize("asked", [{"HTTP_ACCEPT": "text/html"}, {"QUERY_STRING": "format=csv"}])
def test_every_read_is_json_and_counted_whatever_form_is_asked_for(client, tenant, asked):
    for look in (
        f"/quotas/{tenant.key}/usage.json",
        f"/quotas/decisions/{decision_id(a_denial(tenant))}/decision.json",
    ):
        answer = client.get(look, **asked)
        assert (200, "application/json") == (answer.status_code, answer["Content-Type"]), look
        assert "RateLimit" in answer
