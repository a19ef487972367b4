"""Throttles whose numbers are in code: mistakes raise where they are written."""

from __future__ import annotations

import gc
from datetime import timedelta

import pytest
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.response import Response

from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
)
from quotas.domain.words import CalendarUnit
from quotas.drf import (
    CalendarQuotaThrottle,
    ConcurrencyThrottle,
    FixedWindowThrottle,
    LeakyBucketThrottle,
    SlidingWindowCounterThrottle,
    SlidingWindowLogThrottle,
    TokenBucketThrottle,
    declared_limits,
)
from quotas.errors import ConfigurationError, InvalidLimit, InvalidRate
from tests.drf.calling import call, calls, statuses, view_with

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("throttle", "rule", "name"),
    [
        (
            TokenBucketThrottle.of("100/minute"),
            TokenBucket(amount=100, period=MINUTE, capacity=100),
            "100-minute",
        ),
        (
            TokenBucketThrottle.of("100/minute", capacity=20),
            TokenBucket(amount=100, period=MINUTE, capacity=20),
            "100-minute",
        ),
        (
            LeakyBucketThrottle.of("10/5m", capacity=3),
            LeakyBucket(amount=10, period=5 * MINUTE, capacity=3),
            "10-5m",
        ),
        (FixedWindowThrottle.of("5/m"), FixedWindow(amount=5, period=MINUTE), "5-m"),
        (
            SlidingWindowCounterThrottle.of("5/m", name="few"),
            SlidingWindowCounter(amount=5, period=MINUTE),
            "few",
        ),
        (
            SlidingWindowLogThrottle.of("1/2h"),
            SlidingWindowLog(amount=1, period=timedelta(hours=2)),
            "1-2h",
        ),
        (
            CalendarQuotaThrottle.of("100/month"),
            CalendarQuota(amount=100, unit=CalendarUnit.MONTH),
            "100-month",
        ),
        (
            CalendarQuotaThrottle.of(" 7 / days "),
            CalendarQuota(amount=7, unit=CalendarUnit.DAY),
            "7-days",
        ),
        (ConcurrencyThrottle.of(5), Concurrency(amount=5), "5-in-flight"),
        (ConcurrencyThrottle.of(5, lease=5), Concurrency(amount=5, period=MINUTE / 12), None),
        (
            ConcurrencyThrottle.of(5, lease=MINUTE * 2),
            Concurrency(amount=5, period=MINUTE * 2),
            None,
        ),
        (
            FixedWindowThrottle.of("0/minute"),
            DenyAll(algorithm=FixedWindow.algorithm),
            "0-minute",
        ),
    ],
    ids=lambda each: "" if isinstance(each, type) else repr(each),
)
def test_the_text_makes_the_rule_and_the_name(throttle, rule, name):
    limit = throttle.limit_on(object())

    assert rule == limit.rule
    assert name in {limit.name, None}


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: TokenBucketThrottle.of("10/"), InvalidRate, "TokenBucketThrottle.of is '10/'"),
        (lambda: TokenBucketThrottle.of("100/month"), InvalidRate, "make a calendar quota"),
        (lambda: TokenBucketThrottle.of(None), InvalidRate, "of is None"),
        (lambda: TokenBucketThrottle.of("1/m", capacity=0), InvalidLimit, "capacity is 0"),
        (lambda: FixedWindowThrottle.of("1/m", capacity=5), InvalidLimit, "capacity is 5"),
        (lambda: TokenBucketThrottle.of("1/m", subject="account"), InvalidLimit, "'account'"),
        (lambda: TokenBucketThrottle.of("1/m", name="a b"), InvalidLimit, "name is 'a b'"),
        (lambda: TokenBucketThrottle.of("1/m", name=""), InvalidLimit, "name is ''"),
        (lambda: CalendarQuotaThrottle.of("100/minute"), InvalidRate, "civil period"),
        (lambda: CalendarQuotaThrottle.of(100), InvalidRate, "CalendarQuotaThrottle.of is 100"),
        (lambda: ConcurrencyThrottle.of(-1), InvalidLimit, "amount is -1"),
        (lambda: ConcurrencyThrottle.of("5"), InvalidLimit, "amount is '5'"),
        (lambda: ConcurrencyThrottle.of(5, lease=0), InvalidLimit, "period is"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_mistakes_raise_when_the_class_is_made(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_a_class_without_numbers_says_how_to_get_some():
    with pytest.raises(ConfigurationError, match=r"TokenBucketThrottle\.of"):
        call(view_with(TokenBucketThrottle))


def test_the_same_arguments_make_the_same_class():
    made = TokenBucketThrottle.of("5/minute", scope="same")

    assert made is TokenBucketThrottle.of("5/minute", scope="same")
    assert made is not TokenBucketThrottle.of("5/minute", scope="other")
    assert "quotas.drf.code.TokenBucketThrottle.of('5/minute')" in repr(made)


def test_the_scope_is_its_own_else_the_views_else_the_views_dotted_path():
    throttle = TokenBucketThrottle.of("5/minute")
    named = view_with(throttle, throttle_scope="named")
    plain = view_with(throttle)

    found = [
        TokenBucketThrottle.of("5/minute", scope="own").limit_on(named()).scope,
        throttle.limit_on(named()).scope,
        throttle.limit_on(plain()).scope,
    ]

    assert ["own", "named", "tests.drf.calling.ReportView"] == found


def test_two_views_with_one_throttle_are_counted_apart():
    throttle = TokenBucketThrottle.of("1/minute")
    first, second = view_with(throttle, name="First"), view_with(throttle, name="Second")

    assert [200, 429] == statuses(calls(2, first))
    assert [200, 429] == statuses(calls(2, second))


def test_two_function_views_of_one_module_are_counted_apart():
    @api_view()
    @throttle_classes([TokenBucketThrottle.of("1/minute")])
    def first(request):
        return Response()

    @api_view()
    @throttle_classes([TokenBucketThrottle.of("1/minute")])
    def second(request):
        return Response()

    assert [200, 429, 200] == statuses([call(first), call(first), call(second)])


def test_a_subclass_has_hooks():
    class Costly(TokenBucketThrottle.of("5/minute")):
        def get_cost(self, request, view):
            return 3

        def get_subject(self, request, view):
            return request.query_params.get("project")

    view = view_with(Costly)

    answers = [call(view, data={"project": name}) for name in ("one", "one", "two")]

    assert [200, 429, 200] == statuses(answers)


def test_a_shadow_throttle_denies_nothing():
    class Trial(TokenBucketThrottle.of("1/minute")):
        mode = "shadow"

    assert [200] * 3 == statuses(calls(3, view_with(Trial)))


def test_one_scope_and_name_with_other_numbers_is_found():
    few = TokenBucketThrottle.of("5/minute", scope="declared", name="x")
    many = TokenBucketThrottle.of("6/minute", scope="declared", name="x")
    alike = TokenBucketThrottle.of("5/minute", scope="declared", name="y")

    class Again(alike):
        pass

    found = declared_limits()

    assert {few.rule, many.rule} == found["declared", "x"]
    assert {alike.rule} == found["declared", "y"] == {Again.rule}


def test_limits_without_a_scope_are_declared_by_the_views_that_list_them():
    throttles = [TokenBucketThrottle.of(f"{each}/minute", name="x") for each in (6, 5)]
    view = view_with(*throttles, throttle_scope="declared-by-view")

    assert ("declared-by-view", "x") not in declared_limits()
    found = declared_limits([view, object])
    assert {each.rule for each in throttles} == found["declared-by-view", "x"]


def test_what_nobody_holds_any_more_is_no_longer_declared():
    TokenBucketThrottle.of("5/minute", scope="dropped", name="x")
    gc.collect()

    assert ("dropped", "x") not in declared_limits()
