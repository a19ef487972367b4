"""Exactly the rate is admitted, however many threads ask at once; DRF's throttles admit more."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.core.cache import cache
from rest_framework import throttling

from quotas.drf import SlidingWindowLogThrottle, TokenBucketThrottle, UserRateThrottle
from tests.drf.calling import call, view_with

THREADS, EACH, RATE = 50, 4, "20/min"


def statuses_of_threads(view):
    """How many of 50 x 4 simultaneous requests were answered 200, and how many 429."""
    together = Barrier(THREADS)

    def work(_):
        together.wait()
        return [call(view).status_code for _ in range(EACH)]

    with ThreadPoolExecutor(THREADS) as pool:
        found = [status for statuses in pool.map(work, range(THREADS)) for status in statuses]
    return found.count(200), found.count(429)


class Exact(UserRateThrottle):
    scope = "exact"
    rate = RATE


@pytest.mark.parametrize(
    "throttle",
    [
        pytest.param(Exact, id="drop-in"),
        pytest.param(SlidingWindowLogThrottle.of("20/minute"), id="log"),
        pytest.param(TokenBucketThrottle.of("20/minute"), id="bucket"),
    ],
)
def test_twenty_a_minute_under_fifty_threads_admit_exactly_twenty(throttle):
    assert (20, 180) == statuses_of_threads(view_with(throttle))


def test_r1_fifty_in_any_minute_under_twenty_threads_admit_exactly_fifty(monkeypatch):
    monkeypatch.setattr(f"{__name__}.THREADS", 20)
    monkeypatch.setattr(f"{__name__}.EACH", 10)

    assert (50, 150) == statuses_of_threads(view_with(SlidingWindowLogThrottle.of("50/60s")))


def test_drfs_own_throttle_admits_all_of_them_when_they_read_before_anyone_writes():
    class Meeting:
        """Django's cache, in which every thread has read before the first one writes."""

        readers = Barrier(THREADS)

        def get(self, key, default):
            found = cache.get(key, default)
            self.readers.wait()
            return found

        def set(self, *args):
            cache.set(*args)

    class Racing(throttling.UserRateThrottle):
        scope = "racing"
        rate = RATE
        cache = Meeting()

    assert (200, 0) == statuses_of_threads(view_with(Racing))
