"""The body of a refusal, as RFC 9457 says, in whatever the view answers in."""

from __future__ import annotations

import json

import pytest
from django.test import override_settings
from rest_framework import renderers, serializers
from rest_framework.exceptions import Throttled
from rest_framework.generics import ListCreateAPIView
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from quotas.drf import (
    ConcurrencyThrottle,
    PlanThrottle,
    SlidingWindowLogThrottle,
    TokenBucketThrottle,
    exception_handler,
)
from tests.drf.calling import Answering, call, calls, view_with
from tests.drf.rows import make_plan, row

QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded"


class Reports(PlanThrottle):
    scope = "reports"


class Csv(renderers.BaseRenderer):
    media_type = "text/csv"
    format = "csv"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return ",".join(row["name"] for row in data)


@pytest.fixture(autouse=True)
def handler():
    with override_settings(REST_FRAMEWORK={"EXCEPTION_HANDLER": "quotas.drf.exception_handler"}):
        yield


def body(response):
    return json.loads(response.content)


def test_a_denial_is_a_problem_that_says_what_was_exceeded_and_how_long():
    view = view_with(SlidingWindowLogThrottle.of("1/minute", name="minute"))

    denied = calls(2, view)[1]

    assert (429, "application/problem+json") == (denied.status_code, denied["Content-Type"])
    assert "60" == denied["Retry-After"]
    assert {
        "type": QUOTA_EXCEEDED,
        "title": "Request cannot be satisfied as assigned quota has been exceeded",
        "status": 429,
        "detail": "“minute” has too little left for this request. Try again in 60 seconds.",
        "violated-policies": ["minute"],
        "retry_after": 60,
        "code": "quota_exceeded",
    } == body(denied)


def test_violated_policies_have_the_names_of_the_headers():
    throttles = [
        SlidingWindowLogThrottle.of(f"{amount}/minute", name="minute", scope=scope)
        for scope, amount in (("a", 1), ("b", 5), ("c", 1))
    ]

    denied = calls(2, view_with(*throttles))[1]

    assert ["a-minute", "c-minute"] == body(denied)["violated-policies"]
    assert '"a-minute"' in denied["RateLimit"]


def costing(throttle, units):
    return type("Costing", (throttle,), {"get_cost": lambda *_: units})


@pytest.mark.parametrize(
    ("throttle", "code", "seconds", "detail"),
    [
        pytest.param(
            costing(TokenBucketThrottle.of("5/minute", name="bucket"), 6),
            "cost_above_capacity",
            None,
            "This request costs 6, more than “bucket” ever admits at once.",
            id="cost-above-capacity",
        ),
        pytest.param(
            TokenBucketThrottle.of("0/minute", name="none"),
            "quota_exceeded",
            None,
            "“none” admits no requests.",
            id="amount-0",
        ),
        pytest.param(
            costing(ConcurrencyThrottle.of(1, name="slots"), 1),
            "too_many_in_flight",
            1,
            "All places of “slots” are taken (1 at once). Try again in 1 second.",
            id="concurrency",
        ),
    ],
)
def test_each_reason_has_a_code_of_its_own(throttle, code, seconds, detail):
    denied = body(calls(2, view_with(throttle))[1])

    assert (code, seconds, detail) == (denied["code"], denied["retry_after"], denied["detail"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("limit", "status", "code"),
    [
        (row("exports"), 403, "not_in_plan"),
        (row(outage_policy="deny"), 503, "limiter_unavailable"),
    ],
)
def test_refusals_without_a_limit_are_problems_too(settings, limit, status, code):
    make_plan(limit, anonymous=True)
    gone = settings.CACHES["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"quotas": gone}

    refused = call(view_with(Reports))
    found = body(refused)

    assert "application/problem+json" == refused["Content-Type"]
    assert (status, status, code) == (refused.status_code, found["status"], found["code"])
    assert "about:blank" == found["type"]
    assert {"type", "title", "status", "detail", "code"} == found.keys()


@pytest.mark.django_db
def test_the_title_of_a_limit_is_what_people_read():
    make_plan(row(amount=1, title="Requests a minute"), anonymous=True)

    denied = body(calls(2, view_with(Reports))[1])

    assert "“Requests a minute” has" in denied["detail"]
    assert ["minute"] == denied["violated-policies"]


class Rows(serializers.Serializer):
    name = serializers.CharField()


class Browsed(ListCreateAPIView):
    authentication_classes = []
    permission_classes = []
    serializer_class = Rows
    queryset = ()
    renderer_classes = [renderers.JSONRenderer, renderers.BrowsableAPIRenderer]

    def list(self, request, *args, **kwargs):
        return Response([])


class Administered(Browsed):
    renderer_classes = [renderers.AdminRenderer]


class Templated(Answering):
    renderer_classes = [renderers.TemplateHTMLRenderer]
    template_name = "none.html"


@pytest.mark.parametrize("base", [Browsed, Administered])
def test_the_browsable_api_shows_the_same_members_in_html(base, settings):
    view = type("View", (base,), {"throttle_classes": [TokenBucketThrottle.of("0/minute")]})

    denied = call(view, HTTP_ACCEPT="text/html")

    assert (429, "text/html; charset=utf-8") == (denied.status_code, denied["Content-Type"])
    assert b"quota_exceeded" in denied.content


def test_a_view_of_templates_answers_with_its_own_page():
    view = type("View", (Templated,), {"throttle_classes": [TokenBucketThrottle.of("0/minute")]})

    denied = call(view, HTTP_ACCEPT="text/html")

    assert (429, "text/html; charset=utf-8") == (denied.status_code, denied["Content-Type"])


def test_a_renderer_that_cannot_show_a_problem_is_not_asked_to():
    view = view_with(TokenBucketThrottle.of("0/minute"), renderer_classes=[Csv])

    denied = call(view, HTTP_ACCEPT="text/csv")

    assert (429, "application/problem+json") == (denied.status_code, denied["Content-Type"])
    assert "quota_exceeded" == body(denied)["code"]


def test_denials_by_others_and_other_errors_keep_drfs_body():
    class Foreign(BaseThrottle):
        def allow_request(self, request, view):
            return False

    foreign = call(view_with(TokenBucketThrottle.of("5/minute"), Foreign))
    missing = call(view_with(), "put")

    assert {"detail": "Request was throttled."} == body(foreign)
    assert (405, {"detail": 'Method "PUT" not allowed.'}) == (missing.status_code, body(missing))


def test_without_a_context_the_handler_is_drfs():
    assert 429 == exception_handler(Throttled(), {}).status_code
    assert exception_handler(ValueError("no"), {"request": None}) is None


def test_without_the_handler_drfs_own_body_stands():
    with override_settings(REST_FRAMEWORK={}):
        denied = calls(2, view_with(TokenBucketThrottle.of("1/minute")))[1]

    assert "application/json" == denied["Content-Type"]
    assert {"detail"} == body(denied).keys()
    assert "60" == denied["Retry-After"]
