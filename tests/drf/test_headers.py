"""The headers, byte for byte, and as an RFC 9651 parser that is not ours reads them."""

from __future__ import annotations

from datetime import UTC, datetime

import http_sfv
import pytest

from quotas.drf import (
    CalendarQuotaThrottle,
    ConcurrencyThrottle,
    FixedWindowThrottle,
    LeakyBucketThrottle,
    PlanThrottle,
    SlidingWindowCounterThrottle,
    SlidingWindowLogThrottle,
    TokenBucketThrottle,
)
from tests import START_US
from tests.drf.calling import call, calls, statuses, view_with
from tests.drf.rows import make_plan, row

START = START_US // 1_000_000 + 20
NEXT_MONTH = int(datetime(2026, 11, 1, tzinfo=UTC).timestamp())


@pytest.fixture(autouse=True)
def twenty_seconds_past(clock):
    """Past a full minute, so that no window begins now."""
    clock.tick(20)


def parsed(response, header):
    """The policies of a header: by name, their parameters."""
    read = http_sfv.List()
    read.parse(response.headers[header].encode())
    return {item.value: dict(item.params) for item in read}


def set_x_ratelimit(settings, *more):
    settings.QUOTAS_HEADERS = ("x-ratelimit", *more)


def legacy(response):
    """The numbers of the older headers that a response has."""
    names = ("Limit", "Remaining", "Reset")
    found = {name: response.headers.get(f"X-RateLimit-{name}") for name in names}
    return {name: int(text) for name, text in found.items() if text is not None}


@pytest.mark.parametrize(
    ("throttle", "policy", "state"),
    [
        pytest.param(
            TokenBucketThrottle.of("100/minute", capacity=20),
            b'"100-minute";q=100;w=60;quotas-burst=20',
            b'"100-minute";r=19;t=1',
            id="token-bucket",
        ),
        pytest.param(
            TokenBucketThrottle.of("60/2h"),
            b'"60-2h";q=60;w=7200',
            b'"60-2h";r=59;t=120',
            id="token-bucket-whose-capacity-is-its-amount",
        ),
        pytest.param(
            LeakyBucketThrottle.of("6/minute", capacity=5, name="queue"),
            b'"queue";q=6;w=60;quotas-burst=5',
            b'"queue";r=4;t=10',
            id="leaky-bucket",
        ),
        pytest.param(
            FixedWindowThrottle.of("10/minute"),
            b'"10-minute";q=10;w=60',
            b'"10-minute";r=9;t=40',
            id="fixed-window",
        ),
        pytest.param(
            SlidingWindowCounterThrottle.of("10/minute"),
            b'"10-minute";q=10;w=60',
            b'"10-minute";r=9;t=100',  # gone when the window after this one is over
            id="sliding-window-counter",
        ),
        pytest.param(
            SlidingWindowLogThrottle.of("10/minute"),
            b'"10-minute";q=10;w=60',
            b'"10-minute";r=9;t=60',
            id="sliding-window-log",
        ),
        pytest.param(
            CalendarQuotaThrottle.of("5000/month"),
            b'"5000-month";q=5000;w=2678400',
            b'"5000-month";r=4999;t=%d' % (NEXT_MONTH - START),
            id="calendar-quota",
        ),
        pytest.param(
            ConcurrencyThrottle.of(5),
            b'"5-in-flight";q=5;qu="concurrent-requests"',
            b'"5-in-flight";r=4',
            id="concurrency",
        ),
        pytest.param(
            TokenBucketThrottle.of("0/minute"),
            b'"0-minute";q=0',
            b'"0-minute";r=0',
            id="amount-0",
        ),
    ],
)
def test_draft_11_describes_every_algorithm(throttle, policy, state):
    response = call(view_with(throttle))

    assert policy == response.headers["RateLimit-Policy"].encode()
    assert state == response.headers["RateLimit"].encode()
    assert parsed(response, "RateLimit").keys() == parsed(response, "RateLimit-Policy").keys()


def test_draft_11_lists_every_limit_in_order():
    minute = SlidingWindowLogThrottle.of("600/minute", name="minute", scope="a")
    month = CalendarQuotaThrottle.of("50000/month", name="month", scope="b")

    response = call(view_with(minute, month))

    assert '"minute";q=600;w=60, "month";q=50000;w=2678400' == response.headers["RateLimit-Policy"]
    assert {"minute": {"r": 599, "t": 60}, "month": {"r": 49999, "t": NEXT_MONTH - START}} == (
        parsed(response, "RateLimit")
    )


def test_seconds_are_rounded_up():
    short = SlidingWindowLogThrottle.of("1/s")
    slow = TokenBucketThrottle.of("7/minute", name="slow")  # a token every 8.571 s

    assert 9 == parsed(call(view_with(short, slow)), "RateLimit")["slow"]["t"]


def test_the_largest_limit_has_at_most_15_digits():
    huge = TokenBucketThrottle.of("1000000000000/d", capacity=10**12)

    found = parsed(call(view_with(huge)), "RateLimit-Policy")

    assert {"q": 10**12, "w": 86_400} == found["1000000000000-d"]


@pytest.mark.django_db
def test_limits_that_share_a_name_are_told_apart_by_their_scopes():
    class Reports(PlanThrottle):
        scope = "reports"

    make_plan(row("reports", "minute"), row("*", "minute"), row("*", "hour"), anonymous=True)

    found = parsed(call(view_with(Reports)), "RateLimit")

    assert {"reports-minute", "all-minute", "hour"} == found.keys()


@pytest.mark.django_db
def test_unlimited_and_shadow_limits_are_in_no_header(settings):
    class Reports(PlanThrottle):
        scope = "reports"

    make_plan(
        row(name="blank", amount=None), row(name="trial", amount=1, mode="shadow"), anonymous=True
    )
    settings.QUOTAS_HEADERS = ("draft-11", "x-ratelimit")

    responses = calls(3, view_with(Reports))

    assert [200] * 3 == statuses(responses)
    assert not [name for each in responses for name in each.headers if "ratelimit" in name.lower()]


def test_x_ratelimit_is_of_the_limit_with_the_least_remaining(settings):
    set_x_ratelimit(settings)
    wide = SlidingWindowLogThrottle.of("20/minute", scope="a")
    narrow = FixedWindowThrottle.of("2/minute", scope="b")

    response = call(view_with(wide, narrow))

    golden = [("Limit", "2"), ("Remaining", "1"), ("Reset", str(START + 40))]
    assert golden == [(name, response.headers[f"X-RateLimit-{name}"]) for name, _ in golden]
    assert "RateLimit" not in response.headers


def test_x_ratelimit_of_a_denial_is_of_the_limit_with_the_longest_wait(settings):
    set_x_ratelimit(settings)
    minute = SlidingWindowLogThrottle.of("1/minute", scope="a")
    hour = SlidingWindowLogThrottle.of("1/hour", scope="b")

    _, denied = calls(2, view_with(minute, hour))

    assert {"Limit": 1, "Remaining": 0, "Reset": START + 3600} == legacy(denied)
    assert "3600" == denied.headers["Retry-After"]


@pytest.mark.parametrize(
    "throttle", [ConcurrencyThrottle.of(5), TokenBucketThrottle.of("0/minute")]
)
def test_x_ratelimit_has_no_reset_where_there_is_nothing_to_wait_for(settings, throttle):
    set_x_ratelimit(settings)

    assert {"Limit", "Remaining"} == legacy(call(view_with(throttle))).keys()


def test_the_dialects_are_those_of_the_setting_in_its_order(settings):
    view = view_with(TokenBucketThrottle.of("5/minute"))

    set_x_ratelimit(settings, "draft-11")
    both = [name for name in call(view).headers if "ratelimit" in name.lower()]
    settings.QUOTAS_HEADERS = ()
    none = call(view)
    settings.QUOTAS_HEADERS = ("draft-99",)
    unknown = call(view)

    limit, left, reset = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"
    assert [limit, left, reset, "RateLimit-Policy", "RateLimit"] == both
    assert not [name for each in (none, unknown) for name in each.headers if "rate" in name.lower()]


def test_a_denial_has_retry_after_and_must_not_be_stored():
    admitted, denied = calls(2, view_with(TokenBucketThrottle.of("1/90s")))

    assert "90" == denied.headers["Retry-After"]
    assert "no-store" == denied.headers["Cache-Control"]
    assert not {"Retry-After", "Cache-Control"} & set(admitted.headers)


def test_a_denial_that_waiting_does_not_help_has_no_retry_after():
    class Dear(TokenBucketThrottle.of("5/minute")):
        def get_cost(self, request, view):
            return 6

    soon = TokenBucketThrottle.of("1/hour", name="soon", scope="soon")

    call(view_with(soon))
    denied = call(view_with(soon, Dear))

    assert 429 == denied.status_code
    assert "Retry-After" not in denied.headers
    assert "no-store" == denied.headers["Cache-Control"]


def test_h6_remaining_counts_down_to_0_and_stays_on_every_denial(settings):
    set_x_ratelimit(settings)

    responses = calls(5, view_with(SlidingWindowLogThrottle.of("3/60s")))

    assert [200, 200, 200, 429, 429] == statuses(responses)
    assert [2, 1, 0, 0, 0] == [legacy(each)["Remaining"] for each in responses]
    assert [3] * 5 == [legacy(each)["Limit"] for each in responses]
    assert [None] * 3 + ["60"] * 2 == [each.headers.get("Retry-After") for each in responses]
