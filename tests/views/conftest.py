"""The limiter's clock stands still; what is on its server can be read."""

from __future__ import annotations

import pytest
from redis import Redis

from quotas.testing import frozen_clock
from tests import START_US


@pytest.fixture
def clock():
    """The limiter's clock; `tick` moves it by seconds."""
    with frozen_clock(START_US) as given:
        yield given


@pytest.fixture
def everything_in_redis(redis_url):
    """A function that gives each key with its content and the instant at which it expires."""
    with Redis.from_url(redis_url) as client:

        def found():
            return {key: (client.dump(key), client.pexpiretime(key)) for key in client.scan_iter()}

        yield found
