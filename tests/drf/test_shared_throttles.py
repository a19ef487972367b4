"""A throttle that threads and views share keeps nothing of one request for another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from quotas.drf import ScopedRateThrottle
from tests.drf.calling import call, view_with

SHARED = ScopedRateThrottle()


class Views:
    def get_throttles(self):
        return [SHARED]


def test_one_scoped_throttle_of_two_views_admits_each_at_its_own_rate(settings):
    rates = {"narrow": "5/hour", "wide": "1000/hour"}
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": rates, "NUM_PROXIES": 0}
    views = {scope: type(scope, (Views, view_with()), {"throttle_scope": scope}) for scope in rates}

    def admitted(number):
        scope = ("narrow", "wide")[number % 2]
        return scope, call(views[scope]).status_code == 200

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(admitted, range(200)))

    assert 5 == answers.count(("narrow", True))
    assert 100 == answers.count(("wide", True))
