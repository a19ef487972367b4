from __future__ import annotations

import pytest

from quotas.models import PlanLimit


def statuses(answers):
    return [answer.status_code for answer in answers]


def code(answer):
    return answer.json()["code"]


def finished(answer):
    """The body, read to its end: then the response is over."""
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_ten_quick_requests_of_the_free_plan_show_a_429(demo, api_of):
    acme = api_of("acme")

    answers = [acme.get("/api/reports/") for _ in range(10)]

    assert [200] * 5 + [429] * 5 == statuses(answers)
    assert '"minute";r=4;t=12' in answers[0]["RateLimit"]
    assert "12" == answers[-1]["Retry-After"]
    assert "application/problem+json" == answers[-1]["Content-Type"]
    assert "quota_exceeded" == code(answers[-1])
    demo.tick(12)
    assert 200 == acme.get("/api/reports/").status_code


def test_reports_work_without_credentials_up_to_the_limit_of_the_address(demo, api_of):
    nobody = api_of()

    first = [nobody.get("/api/reports/", REMOTE_ADDR="192.0.2.1") for _ in range(4)]
    other = nobody.get("/api/reports/", REMOTE_ADDR="192.0.2.2")
    forged = nobody.get("/api/reports/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR="192.0.2.9")

    assert [200, 200, 200, 429] == statuses(first)
    assert 200 == other.status_code
    assert 429 == forged.status_code


@pytest.mark.parametrize("path", ["/api/exports/", "/api/batches/"])
def test_what_is_not_in_the_anonymous_plan_is_refused(demo, api_of, path, caplog):
    method = api_of().post if "batches" in path else api_of().get

    refused = method(path, {"items": []} if "batches" in path else None, format="json")

    assert (403, "not_in_plan") == (refused.status_code, code(refused))


def test_exports_keep_to_an_exact_window(demo, api_of):
    acme = api_of("acme")

    answers = []
    for _ in range(11):
        answers.append(acme.get("/api/exports/"))
        finished(answers[-1])
        demo.tick(60)

    assert [200] * 10 + [429] == statuses(answers)
    assert str(3600 - 600) == answers[-1]["Retry-After"]


def test_an_export_in_flight_keeps_others_out_until_it_ends(demo, api_of):
    acme = api_of("acme")

    first = acme.get("/api/exports/?seconds=0")
    second = acme.get("/api/exports/")
    rows = finished(first)
    third = acme.get("/api/exports/")

    assert b"1,Orders by week,52\r\n" in rows
    assert (429, "too_many_in_flight") == (second.status_code, code(second))
    assert 200 == third.status_code


@pytest.mark.parametrize("seconds", ["11", "-1", "x", "1.5", "", "\uff11", "9" * 5000])
def test_an_export_lasts_a_few_seconds_or_is_refused(demo, api_of, seconds):
    refused = api_of("bolt").get("/api/exports/", {"seconds": seconds})

    assert 400 == refused.status_code


def test_a_batch_costs_its_items(demo, api_of):
    bolt = api_of("bolt")

    answer = bolt.post("/api/batches/", {"items": list(range(37))}, format="json")
    empty = bolt.post("/api/batches/", {"items": []}, format="json")

    assert (200, {"accepted": 37}) == (answer.status_code, answer.json())
    assert '"hour";r=4963' in answer["RateLimit"]
    assert (200, {"accepted": 0}) == (empty.status_code, empty.json())
    assert '"hour";r=4963' in empty["RateLimit"]


def test_a_batch_that_never_fits_is_told_so(demo, api_of):
    acme = api_of("acme")

    refused = acme.post("/api/batches/", {"items": [0] * 201}, format="json")

    assert (429, "cost_above_capacity") == (refused.status_code, code(refused))
    assert "Retry-After" not in refused
    assert 200 == acme.post("/api/batches/", {"items": [0] * 200}, format="json").status_code


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{", id="broken"),
        pytest.param(b"null", id="null"),
        pytest.param(b"7", id="number"),
        pytest.param(b'"items"', id="text"),
        pytest.param(b"[1, 2]", id="list"),
        pytest.param(b"{}", id="no-items"),
        pytest.param(b'{"items": null}', id="null-items"),
        pytest.param(b'{"items": 3}', id="number-of-items"),
        pytest.param(b'{"items": "abc"}', id="text-of-items"),
        pytest.param(b'{"items": {"a": 1}}', id="object-of-items"),
        pytest.param(b'{"items": [NaN]}', id="not-json"),
        pytest.param(b"\xff\xfe", id="not-unicode"),
        pytest.param(b'{"items":' + b"[" * 100_000, id="too-deep"),
        pytest.param(b'{"items": [' + b"9" * 5000 + b"]}", id="too-long-a-number"),
    ],
)
def test_a_body_that_is_no_batch_is_a_400_and_costs_one(demo, api_of, body):
    bolt = api_of("bolt")

    answer = bolt.generic("POST", "/api/batches/", body, content_type="application/json")

    assert 400 == answer.status_code
    assert '"hour";r=4999' in answer["RateLimit"]


def test_a_body_of_another_kind_is_a_415(demo, api_of):
    answer = api_of("bolt").post("/api/batches/", {"items": "1"}, format="multipart")

    assert 415 == answer.status_code


def test_a_tenant_has_what_its_plan_and_its_override_say(demo, api_of):
    usage = api_of("cyan").get("/quotas/cyan/usage.json").json()

    assert "scale" == usage["plan"]["key"]
    limits = {(each["scope"], each["name"]) for each in usage["limits"]}
    stored = PlanLimit.objects.filter(plan__key="scale").values_list("scope", "name")
    assert set(stored) == limits
    assert 200 == api_of("cyan").get("/api/reports/").status_code
    assert 404 == api_of("cyan").get("/quotas/acme/usage.json").status_code
