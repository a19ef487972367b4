"""What subclasses of the drop-ins may change, and what they change without effect."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import override_settings

from quotas.drf import (
    AnonRateThrottle,
    ScopedRateThrottle,
    SimpleRateThrottle,
    UserRateThrottle,
    unsupported_overrides,
)
from tests.drf.calling import call, calls, statuses, view_with

ADA = User(pk=1, username="ada")


def test_get_rate_parse_rate_and_get_ident_may_be_overridden():
    class Own(UserRateThrottle):
        def get_rate(self):
            return "two in five seconds"

        def parse_rate(self, rate):
            assert rate == "two in five seconds"
            return 2, 5

        def get_ident(self, request):
            return request.headers.get("device", "none")

    view = view_with(Own)

    first = calls(3, view, HTTP_DEVICE="a")

    assert [200, 200, 429] == statuses(first)
    assert '"5s";q=2;w=5' == first[0].headers["RateLimit-Policy"]
    assert 200 == call(view, HTTP_DEVICE="b").status_code


def test_a_period_may_be_a_part_of_a_second(clock):
    class Quick(UserRateThrottle):
        scope = "quick"
        rate = "1 in half a second"

        def parse_rate(self, rate):
            return 1, 0.5

    view = view_with(Quick)

    first = calls(2, view)
    clock.tick(0.5)

    assert [200, 429, 200] == statuses([*first, call(view)])
    assert '"500000us";q=1;w=1' == first[0].headers["RateLimit-Policy"]


def test_get_cache_key_says_what_is_counted_and_none_exempts(keys):
    class ByDevice(SimpleRateThrottle):
        scope = "devices"
        rate = "1/min"

        def get_cache_key(self, request, view):
            return request.headers.get("device")

    view = view_with(ByDevice)
    secret = "a secret with spaces, " + "x" * 300

    assert [200, 429] == statuses(calls(2, view, HTTP_DEVICE=secret))
    assert 200 == call(view, HTTP_DEVICE=secret + "y").status_code
    assert [200] * 3 == statuses(calls(3, view))
    assert all(len(key) <= 200 and "secret" not in key and " " not in key for key in keys())


def test_cache_format_is_what_keys_are_made_of():
    class PerScopeOnly(UserRateThrottle):
        scope = "together"
        rate = "1/min"
        cache_format = "throttle_%(scope)s"

    view = view_with(PerScopeOnly)

    assert [200, 429] == statuses([call(view), call(view, user=ADA)])


def test_a_user_and_an_address_of_one_text_are_what_the_key_says():
    throttle = type("T", (UserRateThrottle,), {"rate": "1/min"})()
    request = type("R", (), {"user": ADA})()

    assert "throttle_user_1" == throttle.get_cache_key(request, None)


def test_m3_subclasses_that_set_no_scope_are_counted_apart():
    class Burst(UserRateThrottle):
        rate = "5/minute"

    class Sustained(UserRateThrottle):
        rate = "20/day"

    class Other(UserRateThrottle):
        rate = "5/minute"

    reports, ratings, others = (view_with(kind) for kind in (Sustained, Burst, Other))

    calls(6, reports)
    rating = call(ratings)
    report = call(reports)

    assert '"minute";r=4;t=60' == rating.headers["RateLimit"]
    assert '"day";r=13;t=86400' == report.headers["RateLimit"]
    assert '"minute";r=4;t=60' == call(others).headers["RateLimit"]


def test_m3_a_subclass_without_a_scope_does_not_share_with_its_parent():
    class Mine(UserRateThrottle):
        pass

    with override_settings(REST_FRAMEWORK={"DEFAULT_THROTTLE_RATES": {"user": "1/min"}}):
        assert [200, 200, 429] == statuses(
            [call(view_with(kind)) for kind in (UserRateThrottle, Mine, Mine)]
        )


def test_subclasses_that_share_a_scope_share_what_is_counted_as_in_drf():
    class First(UserRateThrottle):
        scope = "shared"
        rate = "2/min"

    class Second(First):
        pass

    assert [200, 200, 429] == statuses([call(view_with(kind)) for kind in (First, Second, First)])


def test_of_two_amounts_for_one_count_the_smaller_decides():
    class Many(UserRateThrottle):
        scope = "shared"
        rate = "5/min"

    class Few(UserRateThrottle):
        scope = "shared"
        rate = "2/min"

    for view in (view_with(Few, Many), view_with(Many, Few)):
        responses = calls(3, view, REMOTE_ADDR=f"192.0.2.{len(view.throttle_classes[0].__name__)}")
        assert [200, 200, 429] == statuses(responses)


def test_two_periods_of_one_scope_and_key_are_counted_apart(clock):
    class Burst(UserRateThrottle):
        scope = "both"
        rate = "3/minute"

    class Sustained(UserRateThrottle):
        scope = "both"
        rate = "5/hour"

    view = view_with(Burst, Sustained)

    burst = calls(4, view)
    clock.tick(60)
    sustained = calls(3, view)

    assert [200, 200, 200, 429] == statuses(burst)
    assert [200, 200, 429] == statuses(sustained)
    assert '"minute";r=1;t=60, "hour";r=0;t=3540' == sustained[-1].headers["RateLimit"]


def test_a_throttle_of_a_view_may_be_a_none_rate_that_touches_nothing():
    throttle = type("T", (UserRateThrottle,), {"THROTTLE_RATES": {"user": None}})()
    keyed = type("K", (UserRateThrottle,), {"rate": "1/min", "get_cache_key": lambda *_: None})()

    assert throttle.allow_request({}, {})
    assert keyed.allow_request({}, {})
    assert keyed.wait() is None


class Clean(UserRateThrottle):
    rate = "1/min"

    def get_rate(self):
        return cache.get("rate", "1/min")


class Timed(UserRateThrottle):
    timer = None


class Remembering(AnonRateThrottle):
    cache = cache

    def wait(self):
        return len(self.history)


class Noting(Clean):
    def throttle_failure(self):
        return False

    @property
    def left(self):
        return self.now


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (UserRateThrottle, ()),
        (ScopedRateThrottle, ()),
        (Clean, ()),
        (Timed, ("timer",)),
        (Remembering, ("cache", "history")),
        (Noting, ("now", "throttle_failure")),
        (type("Below", (Timed, Noting), {}), ("now", "throttle_failure", "timer")),
        (object, ()),
    ],
)
def test_what_has_no_effect_is_found(kind, names):
    assert names == unsupported_overrides(kind)
