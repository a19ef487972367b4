"""The drop-ins keep DRF's contract: what DRF's own throttles are known to do, these do."""

from __future__ import annotations

from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from quotas.drf import AnonRateThrottle, ScopedRateThrottle, SimpleRateThrottle, UserRateThrottle
from quotas.errors import InvalidRate
from tests.drf.calling import FACTORY, call, calls, remaining, statuses, view_with

ADA, BO = User(pk=1, username="ada"), User(pk=2, username="bo")


class ThreeASecond(UserRateThrottle):
    rate = "3/sec"
    scope = "seconds"


class SixAMinute(UserRateThrottle):
    rate = "6/min"
    scope = "minutes"


def rates(**each):
    return override_settings(REST_FRAMEWORK={"DEFAULT_THROTTLE_RATES": each})


def seconds(response):
    return response.headers.get("Retry-After")


def test_requests_over_the_rate_are_denied_and_admitted_again_when_the_period_is_over(clock):
    view = view_with(ThreeASecond)

    assert [200, 200, 200, 429] == statuses(calls(4, view))
    clock.tick(1)
    assert [200, 200, 200, 429] == statuses(calls(4, view))


def test_each_user_is_counted_apart():
    view = view_with(ThreeASecond)

    calls(3, view, user=ADA)

    assert [429, 200] == [call(view, user=user).status_code for user in (ADA, BO)]


def test_one_throttle_on_several_views_counts_them_together():
    first, second = view_with(ThreeASecond, name="First"), view_with(ThreeASecond, name="Second")

    calls(3, first)

    assert 429 == call(second).status_code


def test_retry_after_is_the_exact_wait(clock):
    view = view_with(SixAMinute)

    for _ in range(6):
        call(view)
        clock.tick(5)
    waits = []
    for wait in (0, 15, 14, 1):
        clock.tick(wait)
        waits.append(seconds(call(view)))

    assert ["30", "15", "1", None] == waits


def test_the_longest_wait_of_several_throttles_counts(clock):
    view = view_with(ThreeASecond, SixAMinute)

    first = calls(4, view)
    clock.tick(1)
    second = calls(4, view)

    assert [200] * 3 + [429] == statuses(first) == statuses(second)
    assert ["1", "59"] == [seconds(first[-1]), seconds(second[-1])]


def test_a_rate_that_is_lowered_below_what_was_used_still_has_a_wait():
    view = view_with(type("Edited", (UserRateThrottle,), {"scope": "edited"}))

    with rates(edited="20/day"):
        calls(20, view)
    with rates(edited="10/day"):
        denied = call(view)

    assert (429, "86400") == (denied.status_code, seconds(denied))
    assert 0 == remaining(denied, "day")


def test_an_edited_rate_keeps_what_was_counted():
    view = view_with(UserRateThrottle)

    with rates(user="3/minute"):
        calls(3, view)
    with rates(user="5/minute"):
        more = calls(3, view)

    assert [200, 200, 429] == statuses(more)


def test_rate_0_denies_all_and_rate_none_never_throttles():
    with rates(user="0/min"):
        denied = call(view_with(UserRateThrottle))
    with rates(user=None):
        free = calls(3, view_with(UserRateThrottle))

    assert (429, None) == (denied.status_code, seconds(denied))
    assert [200] * 3 == statuses(free)
    assert "RateLimit" not in free[-1].headers


def test_anonymous_callers_are_throttled_by_address_and_users_not_at_all():
    view = view_with(AnonRateThrottle)

    with rates(anon="1/day"):
        assert [200, 429] == statuses(calls(2, view))
        assert 200 == call(view, REMOTE_ADDR="192.0.2.1").status_code
        assert [200] * 3 == statuses(calls(3, view, user=ADA))


def test_scoped_views_have_rates_of_their_own():
    x, y = (view_with(ScopedRateThrottle, throttle_scope=scope, name=scope) for scope in "xy")
    unscoped = view_with(ScopedRateThrottle)

    with rates(x="3/min", y="1/min"):
        assert [200, 200, 200, 429] == statuses(calls(4, x))
        assert [200, 429] == statuses(calls(2, y))
        assert [200] * 10 == statuses(calls(10, unscoped))


def test_scoped_views_of_one_scope_share_it():
    views = [view_with(ScopedRateThrottle, throttle_scope="z", name=name) for name in "ab"]

    with rates(z="1/min"):
        assert [200, 429] == statuses([call(view) for view in views])


def test_scope_attr_says_where_a_view_names_its_scope():
    class Other(ScopedRateThrottle):
        scope_attr = "other_scope"

    with rates(x="1/min", y="2/min"):
        view = view_with(Other, throttle_scope="y", other_scope="x")
        assert [200, 429] == statuses(calls(2, view))


def test_a_scope_without_a_rate_and_a_throttle_without_a_scope_are_improperly_configured():
    class Nameless(SimpleRateThrottle):
        def get_cache_key(self, request, view):
            return "key"

    with rates(), pytest.raises(ImproperlyConfigured, match="'user'"):
        UserRateThrottle()
    with pytest.raises(ImproperlyConfigured, match="neither a scope nor a rate"):
        Nameless()
    with rates(), pytest.raises(ImproperlyConfigured, match="'x'"):
        call(view_with(ScopedRateThrottle, throttle_scope="x"))


def test_get_cache_key_must_be_overridden():
    class Keyless(SimpleRateThrottle):
        rate = "1/min"

    with pytest.raises(NotImplementedError, match="Keyless must override get_cache_key"):
        call(view_with(Keyless))


@pytest.mark.parametrize("text", ["10/month", "10/", "ten/m", "-1/m", "10/5x", "10/0m", ""])
def test_rate_texts_that_lie_are_refused_by_the_name_of_the_setting(text):
    with rates(user=text), pytest.raises(InvalidRate) as raised:
        UserRateThrottle()

    assert f"DEFAULT_THROTTLE_RATES['user'] is {text!r}" in str(raised.value)


def test_a_rate_of_the_class_is_refused_by_its_name():
    class Lying(UserRateThrottle):
        rate = "10/month"

    with pytest.raises(InvalidRate, match=r"Lying\.rate is '10/month'"):
        Lying()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1/s", (1, 1)),
        ("2/sec", (2, 1)),
        ("3/second", (3, 1)),
        ("4/m", (4, 60)),
        ("5/min", (5, 60)),
        ("6/h", (6, 3600)),
        ("7/hour", (7, 3600)),
        ("8/d", (8, 86_400)),
        ("9/day", (9, 86_400)),
        ("10/5m", (10, 300)),
        (None, (None, None)),
    ],
    ids=str,
)
def test_parse_rate_reads_what_drf_reads(text, read):
    assert read == SixAMinute().parse_rate(text)


def test_the_rates_are_those_of_the_settings_now_or_of_the_class():
    class Own(UserRateThrottle):
        THROTTLE_RATES = {"user": "2/min"}

    with rates(user="1/min"):
        assert "1/min" == UserRateThrottle().rate
        assert "2/min" == Own().rate
        with mock.patch.object(SimpleRateThrottle, "THROTTLE_RATES", {"user": "3/min"}):
            assert "3/min" == UserRateThrottle().rate
    with rates(user="4/min"):
        assert "4/min" == UserRateThrottle().rate


def test_get_ident_is_the_clients_address_and_none_without_one():
    throttle = SixAMinute()

    assert "127.0.0.1" == throttle.get_ident(FACTORY.get("/"))
    assert throttle.get_ident(FACTORY.get("/", REMOTE_ADDR="")) is None
