"""Drop-ins: rates that can be read (case C1), told apart (case M3), and nothing set in vain."""

from __future__ import annotations

import time

import pytest
from rest_framework import throttling

from quotas.drf import AnonRateThrottle, ScopedRateThrottle, SimpleRateThrottle, UserRateThrottle
from tests.checks.views import a_view, urlconf

LYING = ["100/month", "10/0m", "10/", "ten/m", "-1/m", "10/5x", "", "1/y", 10, ("10", "m")]


@pytest.fixture
def rates(settings):
    """A function that sets the rates of DRF's settings, with NUM_PROXIES out of the way."""

    def put(**given):
        settings.REST_FRAMEWORK = {"NUM_PROXIES": 0, "DEFAULT_THROTTLE_RATES": given}

    return put


class Custom(UserRateThrottle):
    scope = "custom"

    parse_rate = staticmethod(lambda _: (5, 60))


class FromElsewhere(UserRateThrottle):
    scope = "elsewhere"

    get_rate = staticmethod(lambda: "5/minute")


class Foreign(throttling.UserRateThrottle):
    scope = "foreign"


@pytest.mark.parametrize("text", LYING)
def test_a_rate_that_lies_is_refused_with_its_setting_and_text(settings, said, rates, text):
    rates(user=text)
    settings.ROOT_URLCONF = urlconf(a_view(UserRateThrottle))

    [message] = said()["quotas.E021"]

    assert "DEFAULT_THROTTLE_RATES['user']" in message.msg
    assert repr(text) in message.msg


@pytest.mark.parametrize("text", ["100/minute", "10/5m", "1/2h", "0/s", "7/day", None])
def test_a_rate_that_means_what_it_says_is_right(settings, said, rates, text):
    rates(user=text)
    settings.ROOT_URLCONF = urlconf(a_view(UserRateThrottle))

    assert {} == said()


def test_the_rate_of_a_class_is_named_by_the_class(settings, said, rates):
    rates()
    kind = type("Burst", (UserRateThrottle,), {"rate": "5/month", "__module__": "shop.throttles"})
    settings.ROOT_URLCONF = urlconf(a_view(kind))

    [message] = said()["quotas.E021"]

    assert "shop.throttles.Burst.rate is '5/month'" in message.msg


def test_the_scope_of_a_view_has_a_rate(settings, said, rates):
    rates(uploads="10/month")
    settings.ROOT_URLCONF = urlconf(
        a_view(ScopedRateThrottle, throttle_scope="uploads"),
        a_view(ScopedRateThrottle, throttle_scope="upload"),
        a_view(ScopedRateThrottle),
    )

    first, second = (message.msg for message in said()["quotas.E021"])

    assert "DEFAULT_THROTTLE_RATES['uploads']" in first
    assert "Scope 'upload' of quotas.drf.dropins.ScopedRateThrottle has no rate" in second


def test_a_drop_in_with_neither_scope_nor_rate_is_refused(settings, said, rates):
    rates()
    settings.ROOT_URLCONF = urlconf(a_view(SimpleRateThrottle))

    [message] = said()["quotas.E021"]

    assert "neither a scope nor a rate" in message.msg


def test_the_default_classes_are_looked_at_without_any_view(settings, said):
    settings.REST_FRAMEWORK = {
        "NUM_PROXIES": 0,
        "DEFAULT_THROTTLE_CLASSES": [
            "quotas.drf.AnonRateThrottle",
            "rest_framework.throttling.UserRateThrottle",
        ],
        "DEFAULT_THROTTLE_RATES": {"anon": "10/month", "burst": "5/x"},
    }

    told = [message.msg for message in said()["quotas.E021"]]

    assert ["['anon']" in told[0], "['burst']" in told[1]] == [True, True]


def test_a_scoped_default_class_waits_for_a_view_that_names_a_scope(settings, said):
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_CLASSES": ["quotas.drf.ScopedRateThrottle"]}

    assert {} == said()


def test_default_classes_that_cannot_be_imported_are_not_ours_to_tell(settings, said):
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_CLASSES": ["nothing.there"]}

    assert {} == said()


@pytest.mark.parametrize("rates_given", [None, ["user"], "user"])
def test_rates_that_are_no_mapping_are_no_rates(settings, said, rates_given):
    settings.REST_FRAMEWORK = {"NUM_PROXIES": 0, "DEFAULT_THROTTLE_RATES": rates_given}
    settings.ROOT_URLCONF = urlconf(a_view(UserRateThrottle))

    assert ["quotas.E021"] == list(said())


def test_rates_that_others_read_are_not_ours_to_judge(settings, said, rates):
    rates(custom="five", foreign="5/fortnight", elsewhere="?", user="5/minute")
    settings.ROOT_URLCONF = urlconf(a_view(UserRateThrottle, Custom, Foreign, FromElsewhere))

    assert {} == said()


def test_without_a_drop_in_in_use_no_rate_is_judged(settings, said, rates):
    rates(user="5/month")
    settings.ROOT_URLCONF = urlconf(a_view(throttling.UserRateThrottle))

    assert {} == said()


def test_what_has_no_effect_is_told(settings, said, rates):
    rates(user="5/minute")
    kind = type("Own", (UserRateThrottle,), {"timer": time.monotonic, "cache": {}})
    settings.ROOT_URLCONF = urlconf(a_view(kind))

    [message] = said()["quotas.W024"]

    assert "Own sets or uses cache, timer" in message.msg


def test_two_rates_under_one_scope_are_told(settings, said, rates):
    rates()
    slow = type("Slow", (UserRateThrottle,), {"scope": "both", "rate": "5/minute"})
    fast = type("Fast", (UserRateThrottle,), {"scope": "both", "rate": "50/minute"})
    settings.ROOT_URLCONF = urlconf(a_view(slow), a_view(fast))

    [message] = said()["quotas.W025"]

    assert "Fast" in message.msg
    assert "Slow" in message.msg


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"rate": "5/minute"}, {"rate": "50/minute"}),
        ({"scope": "both", "rate": "5/minute"}, {"scope": "both", "rate": "50/hour"}),
        ({"scope": "both", "rate": "5/minute"}, {"scope": "both", "rate": "5/60s"}),
        ({"scope": "one", "rate": "5/minute"}, {"scope": "other", "rate": "50/minute"}),
    ],
    ids=["no scope: counted apart", "other period", "one rate", "other scope"],
)
def test_rates_that_do_not_meet_are_left_alone(settings, said, rates, one, other):
    rates(anon="5/minute", user="5/minute")
    kinds = [type("One", (UserRateThrottle,), one), type("Other", (AnonRateThrottle,), other)]
    settings.ROOT_URLCONF = urlconf(*map(a_view, kinds))

    assert {} == said()
