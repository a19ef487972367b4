"""What a request costs, by `get_cost`: None exempts, and what cannot be read costs 1."""

from __future__ import annotations

import pytest
from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.request import Request

from quotas.drf import PlanThrottle, TokenBucketThrottle
from quotas.errors import ConflictingCosts, InvalidCost
from tests.drf.calling import FACTORY, call, calls, remaining, statuses, view_with
from tests.drf.rows import make_plan, row

pytestmark = pytest.mark.django_db


class Reports(PlanThrottle):
    scope = "reports"


@pytest.fixture
def plan():
    return make_plan(row(amount=10), row("exports", "day", amount=10), anonymous=True)


def test_a_cost_of_none_exempts_from_that_throttle_only(plan):
    class Free(PlanThrottle):
        scope = "exports"

        def get_cost(self, request, view):
            return None

    response = call(view_with(Reports, Free))

    assert 9 == remaining(response, "minute")
    assert '"day"' not in response.headers["RateLimit"]


@pytest.mark.parametrize("order", [1, -1], ids=["denying-first", "exempt-first"])
def test_a_throttle_that_exempts_a_request_does_not_repeat_the_denial_of_another(plan, order):
    class Free(Reports):
        def get_cost(self, request, view):
            return None

    once = TokenBucketThrottle.of("1/minute", name="once")
    view = view_with(*[once, Free][::order])()
    request = Request(FACTORY.get("/"))
    once().allow_request(Request(FACTORY.get("/")), view)

    answers = {}
    for throttle in view.get_throttles():
        answers[type(throttle)] = (throttle.allow_request(request, view), throttle.wait())

    assert {once: (False, 60), Free: (True, None)} == answers


def test_when_all_are_exempt_nothing_is_asked_and_no_header_is_sent(plan, asked):
    class Free(Reports):
        def get_cost(self, request, view):
            return None

    response = call(view_with(Free))

    assert 200 == response.status_code
    assert "RateLimit" not in response.headers
    assert [] == asked


def test_one_scope_at_two_costs_is_a_programming_error(plan):
    class Dear(Reports):
        def get_cost(self, request, view):
            return 5

    with pytest.raises(ConflictingCosts):
        call(view_with(Reports, Dear))


@pytest.mark.parametrize("error", [ParseError("no JSON"), ValidationError("no list")])
def test_a_body_that_cannot_be_read_is_charged_1_and_answered_400(plan, error):
    class Rows(Reports):
        def get_cost(self, request, view):
            raise error

    view = view_with(Rows)

    responses = calls(11, view, "post")

    assert [400] * 10 + [429] == statuses(responses)
    assert [9, 0] == [remaining(responses[0], "minute"), remaining(responses[9], "minute")]


def test_a_body_that_django_refuses_is_charged_1(plan):
    class Rows(Reports):
        def get_cost(self, request, view):
            raise RequestDataTooBig

    with pytest.raises(RequestDataTooBig):
        call(view_with(Rows), "post")

    assert 8 == remaining(call(view_with(Reports)), "minute")


def test_a_server_error_in_get_cost_is_answered_at_once_and_charges_nothing(plan, asked):
    class Rows(Reports):
        def get_cost(self, request, view):
            raise APIException

    assert 500 == call(view_with(Rows), "post").status_code
    assert [] == asked


def test_a_body_that_is_no_json_is_charged_1_and_answered_400(plan):
    class Rows(Reports):
        def get_cost(self, request, view):
            return len(request.data["rows"])

    view = view_with(Rows)
    broken = dict(data="{", format=None, content_type="application/json")
    strange = dict(data="a,b", format=None, content_type="text/csv")

    assert 400 == call(view, "post", **broken).status_code
    assert 415 == call(view, "post", **strange).status_code
    assert 5 == remaining(call(view, "post", data={"rows": [1, 2, 3]}), "minute")


def test_get_cost_is_what_a_request_costs(plan):
    class Rows(Reports):
        def get_cost(self, request, view):
            return len(request.data["rows"])

    view = view_with(Rows)

    assert 7 == remaining(call(view, "post", data={"rows": [1, 2, 3]}), "minute")
    assert 7 == remaining(call(view, "post", data={"rows": []}), "minute")
    assert 429 == call(view, "post", data={"rows": [0] * 8}).status_code


@pytest.mark.parametrize("cost", [-1, 1.5, "3", True])
def test_a_cost_that_is_no_whole_number_is_a_programming_error(plan, cost):
    class Wrong(Reports):
        def get_cost(self, request, view):
            return cost

    with pytest.raises(InvalidCost):
        call(view_with(Wrong))
