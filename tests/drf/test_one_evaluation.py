"""One evaluation and one charge a request, however many throttles of ours a view lists."""

from __future__ import annotations

import pytest
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from quotas.drf import (
    LeakyBucketThrottle,
    PlanThrottle,
    QuotaThrottle,
    TokenBucketThrottle,
    UserRateThrottle,
    decision_on,
    evaluations,
)
from tests.drf.calling import FACTORY, call, calls, remaining, statuses, view_with
from tests.drf.rows import make_plan, row

pytestmark = pytest.mark.django_db


class Reports(PlanThrottle):
    scope = "reports"


class Exports(PlanThrottle):
    scope = "exports"


class AlsoReports(PlanThrottle):
    scope = "reports"


class Hourly(UserRateThrottle):
    scope = "hourly"
    rate = "100/hour"


@pytest.fixture
def plan():
    return make_plan(
        row("reports", amount=10),
        row("exports", "day", amount=10),
        row("*", "all", amount=10),
        anonymous=True,
    )


def test_all_throttles_of_a_view_are_decided_in_one_call(plan, asked):
    bucket = TokenBucketThrottle.of("50/minute", name="bucket")
    view = view_with(Reports, Exports, AlsoReports, bucket, Hourly)

    response = call(view)

    assert 200 == response.status_code
    assert 1 == len(asked)
    assert 9 == remaining(response, "minute") == remaining(response, "day")
    assert 9 == remaining(response, "all")
    assert 49 == remaining(response, "bucket")
    assert 99 == remaining(response, "hour")


def test_a_denial_by_one_charges_none(plan):
    once = TokenBucketThrottle.of("1/minute", name="once")
    view = view_with(Reports, once)

    responses = calls(5, view)

    assert [200, 429, 429, 429, 429] == statuses(responses)
    assert 9 == remaining(responses[-1], "minute")


def test_the_same_throttle_listed_twice_is_charged_once(plan, asked):
    response = call(view_with(Reports, Reports))

    assert 9 == remaining(response, "minute")
    assert 1 == len(asked)


def test_checking_twice_charges_once(plan, asked):
    class Twice(view_with(Reports)):
        def check_throttles(self, request):
            super().check_throttles(request)
            super().check_throttles(request)

    assert 9 == remaining(call(Twice), "minute")
    assert 1 == len(asked)


def test_a_class_made_anew_with_each_call_is_charged_once(plan, asked):
    class Anew(view_with()):
        def get_throttles(self):
            class Local(PlanThrottle):
                scope = "reports"

            return [Local(), TokenBucketThrottle.of("50/minute", name="bucket")()]

    response = call(Anew)

    assert 9 == remaining(response, "minute")
    assert 49 == remaining(response, "bucket")
    assert 1 == len(asked)


def test_a_throttle_called_by_hand_that_is_not_listed_is_evaluated_on_its_own(plan, asked):
    class ByHand(view_with(Reports)):
        def get(self, request):
            assert Exports().allow_request(request, self)
            return super().get(request)

    response = call(ByHand)

    assert [1, 1] == [len(each) for each in asked]
    assert 9 == remaining(response, "minute") == remaining(response, "day")
    assert 8 == remaining(response, "all")


def test_a_listed_throttle_called_by_hand_again_has_its_answer_already(plan, asked):
    class ByHand(view_with(Reports)):
        def get(self, request):
            assert Reports().allow_request(request, self)
            return super().get(request)

    assert 9 == remaining(call(ByHand), "minute")
    assert 1 == len(asked)


def test_a_throttle_called_by_hand_for_another_view_has_the_scope_of_that(plan):
    other = view_with(PlanThrottle, throttle_scope="exports")

    class Handing(view_with(PlanThrottle)):
        throttle_scope = "reports"

        def get(self, request):
            assert PlanThrottle().allow_request(request, other())
            return super().get(request)

    response = call(Handing)

    assert 9 == remaining(response, "minute")
    assert 8 == remaining(call(other), "day")


def test_a_view_without_get_throttles_and_headers_will_do(plan):
    from rest_framework.request import Request

    request = Request(FACTORY.get("/"))

    assert Reports().allow_request(request, object())
    assert Reports().allow_request(request, None)


def test_the_answer_is_kept_on_the_drf_request_alone(plan):
    seen = {}

    class Looking(view_with(Reports)):
        def get_throttles(self):
            made = super().get_throttles()
            seen.setdefault("throttles", []).extend(made)
            return made

        def get(self, request):
            seen["request"] = request
            return super().get(request)

    call(Looking)

    assert all(not vars(each) for each in seen["throttles"])
    assert evaluations.RECORD in vars(seen["request"])
    assert evaluations.RECORD not in vars(seen["request"]._request)


def test_a_view_called_by_another_with_the_same_http_request_pays_for_itself(plan):
    inner = view_with(Exports, name="Inner")

    class Outer(view_with(Reports)):
        def get(self, request):
            left.append(remaining(inner.as_view()(request._request), "day"))
            return super().get(request)

    left = []

    responses = calls(2, Outer)

    assert [9, 8] == left == [remaining(each, "minute") for each in responses]


def test_two_requests_that_share_a_throttle_have_waits_of_their_own(plan, clock):
    shared = Hourly()
    shared.num_requests = 1

    class Sharing(view_with()):
        def get_throttles(self):
            return [shared]

    call(Sharing)
    clock.tick(100)
    denied = call(Sharing)
    other = call(Sharing, REMOTE_ADDR="192.0.2.9")

    assert "3500" == denied.headers["Retry-After"]
    assert 200 == other.status_code
    assert shared.wait() is None


def test_foreign_throttles_stay_theirs(plan):
    class Foreign(BaseThrottle):
        def allow_request(self, request, view):
            return False

        def wait(self):
            return 120

    once = TokenBucketThrottle.of("1/minute")
    view = view_with(once, Foreign)

    first, second = calls(2, view)

    assert [429, 429] == statuses([first, second])
    assert "120" == first.headers["Retry-After"] == second.headers["Retry-After"]


def test_a_throttle_that_decides_for_itself_is_respected(plan, asked):
    class StaffGoFree(UserRateThrottle):
        scope = "staff"
        rate = "1/minute"

        def allow_request(self, request, view):
            return "HTTP_STAFF" in request.META or super().allow_request(request, view)

    view = view_with(Reports, StaffGoFree)

    assert [200] * 3 == statuses(calls(3, view, HTTP_STAFF="1"))
    assert [1, 1, 1] == [len(each) for each in asked]
    assert [200, 429] == statuses(calls(2, view))


def test_a_view_can_read_what_was_decided(plan):
    class Queued(view_with(LeakyBucketThrottle.of("6/minute"))):
        def get(self, request):
            return Response(decision_on(request).delay_us)

    assert [0, 10_000_000, 20_000_000] == [each.data for each in calls(3, Queued)]
    assert decision_on(FACTORY.get("/")) is None


def test_a_throttle_of_ones_own_must_say_what_it_asks(plan):
    with pytest.raises(NotImplementedError, match="QuotaThrottle must say what it asks"):
        call(view_with(QuotaThrottle))
