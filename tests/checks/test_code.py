"""One (scope, name) means one rule in all code."""

from __future__ import annotations

from quotas.drf import FixedWindowThrottle, TokenBucketThrottle
from tests.checks.views import a_view, urlconf


def told_of(said, scope):
    return [each for each in said().get("quotas.E020", []) if repr(scope) in each.msg]


def test_different_numbers_under_one_name_are_refused(said):
    held = [
        TokenBucketThrottle.of("10/minute", scope="twice", name="rate"),
        TokenBucketThrottle.of("20/minute", scope="twice", name="rate"),
    ]

    [message] = told_of(said, "twice")

    assert "name 'rate'" in message.msg
    assert "amount=10" in message.msg
    assert "amount=20" in message.msg
    assert held


def test_another_algorithm_under_one_name_is_refused(said):
    held = [
        TokenBucketThrottle.of("10/minute", scope="mixed", name="rate"),
        FixedWindowThrottle.of("10/minute", scope="mixed", name="rate"),
    ]

    assert told_of(said, "mixed")
    assert held


def test_the_scope_of_the_view_is_looked_at(settings, said):
    views = [
        a_view(TokenBucketThrottle.of("10/minute", name="rate"), throttle_scope="shared"),
        a_view(TokenBucketThrottle.of("20/minute", name="rate"), throttle_scope="shared"),
    ]
    settings.ROOT_URLCONF = urlconf(*views)

    assert told_of(said, "shared")


def test_throttles_and_scope_given_to_as_view_are_looked_at(settings, said):
    settings.ROOT_URLCONF = urlconf(
        a_view(throttle_scope=None),
        throttle_scope="given",
        throttle_classes=[
            TokenBucketThrottle.of("10/minute", name="rate"),
            TokenBucketThrottle.of("20/minute", name="rate"),
        ],
    )

    assert told_of(said, "given")


def test_the_same_numbers_twice_and_other_names_are_right(settings, said):
    throttles = [
        TokenBucketThrottle.of("10/minute"),
        TokenBucketThrottle.of("10/minute"),
        TokenBucketThrottle.of("20/minute"),
    ]
    settings.ROOT_URLCONF = urlconf(a_view(*throttles, throttle_scope="right"))

    assert [] == told_of(said, "right")
