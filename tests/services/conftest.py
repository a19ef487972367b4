"""A clock that stands still, a memory that ages at will, and another process of the site."""

from __future__ import annotations

import pytest

from quotas.testing import frozen_clock
from tests import START_US
from tests.models.conftest import hearing  # noqa: F401 - a fixture of these tests too
from tests.services.neighbour import Neighbour
from tests.services.receiver import receiving


@pytest.fixture
def clock():
    """The limiter's clock, at midnight UTC of a Tuesday; `tick` moves it by seconds."""
    with frozen_clock(START_US) as frozen:
        yield frozen


@pytest.fixture
def later(monkeypatch):
    """Moves the clock by which this process ages what it remembers, in seconds."""
    from quotas.services.store import store

    usual, moved = store.clock, [0.0]
    monkeypatch.setattr(store, "clock", lambda: usual() + moved[0])

    def move(seconds):
        moved[0] += seconds

    return move


@pytest.fixture
def receiver(settings):
    """A receiver of webhooks on this machine, to which they may go."""
    settings.QUOTAS_WEBHOOK_ADDRESSES = "any"
    with receiving() as found:
        yield found


@pytest.fixture(scope="session")
def _neighbours():
    """At most one, started by the first test that asks for it: it takes a second."""
    started = []
    yield started
    for each in started:
        each.close()


@pytest.fixture
def neighbour(transactional_db, _neighbours):
    """Another process on the same database and Redis, which remembers nothing yet."""
    if not _neighbours:
        _neighbours.append(Neighbour())
    _neighbours[0].forget()
    return _neighbours[0]
