"""Which requests are counted, and that settings act when they change."""

from __future__ import annotations

import subprocess
import sys

import pytest
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from quotas.drf import SlidingWindowLogThrottle, TokenBucketThrottle, UserRateThrottle
from quotas.testing import throttling_off
from tests.drf.calling import call, calls, remaining, statuses, view_with


class Api(UserRateThrottle):
    scope = "api"


@pytest.fixture(autouse=True)
def rates(settings):
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": {"api": "100/60s"}}


@pytest.mark.parametrize("turn", [1, 2])
def test_s1_settings_of_a_test_act_in_it(settings, turn):
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": {"api": "2/60s"}}

    assert [200, 200, 429] == statuses(calls(3, view_with(Api)))


@pytest.mark.parametrize("turn", [1, 2])
def test_s1_settings_and_counters_of_a_test_do_not_reach_the_next(turn):
    assert 99 == remaining(call(view_with(Api)), "minute")


def test_s1_throttling_is_switched_off_in_one_line(settings, keys):
    view = view_with(SlidingWindowLogThrottle.of("1/minute"))

    with throttling_off():
        responses = calls(3, view)

    assert [200] * 3 == statuses(responses)
    assert "RateLimit" not in responses[0].headers
    assert [] == keys()
    assert [200, 429] == statuses(calls(2, view))


def test_s3_options_are_not_counted():
    view = view_with(SlidingWindowLogThrottle.of("4/60s"))

    pairs = [(call(view, "options"), call(view, "post")) for _ in range(4)]

    assert [(200, 200)] * 4 == [(asked.status_code, sent.status_code) for asked, sent in pairs]
    assert "RateLimit" not in pairs[0][0].headers
    assert 429 == call(view, "post").status_code
    assert 200 == call(view, "options").status_code


def test_s3_options_are_counted_when_the_setting_says_so(settings):
    settings.QUOTAS_COUNT_OPTIONS = True
    view = view_with(SlidingWindowLogThrottle.of("4/60s"))

    pairs = [(call(view, "options"), call(view, "post")) for _ in range(2)]

    assert [(200, 200)] * 2 == [(asked.status_code, sent.status_code) for asked, sent in pairs]
    assert 429 == call(view, "options").status_code


def test_s3_head_counts_as_get():
    class Reports(ViewSet):
        authentication_classes = permission_classes = ()
        throttle_classes = [SlidingWindowLogThrottle.of("4/60s")]

        def list(self, request):
            return Response({"ok": True})

    view = Reports.as_view({"get": "list"})

    left = [remaining(call(view, method), "4-60s") for method in ("get", "head", "get")]

    assert [3, 2, 1] == left


def test_a_method_that_the_view_does_not_have_is_charged():
    view = view_with(TokenBucketThrottle.of("5/hour"))

    response = call(view, "delete")

    assert (405, 4) == (response.status_code, remaining(response, "5-hour"))


PROJECT = """
from django.conf import settings
settings.configure(
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "quotas",
    ],
    REST_FRAMEWORK={
        "DEFAULT_THROTTLE_CLASSES": ["quotas.drf.PlanThrottle", "quotas.drf.UserRateThrottle"],
        "EXCEPTION_HANDLER": "quotas.drf.exception_handler",
        "DEFAULT_THROTTLE_RATES": {"user": "5/minute"},
    },
)
import django
django.setup()
from rest_framework.views import APIView
from quotas.drf import PlanThrottle, exception_handler
assert APIView.throttle_classes[0] is PlanThrottle
assert APIView().get_exception_handler() is exception_handler
"""


def test_settings_may_name_our_classes_although_drf_reads_them_while_it_is_imported():
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROJECT], capture_output=True, text=True, check=False
    )

    assert (0, "") == (ended.returncode, ended.stderr)
