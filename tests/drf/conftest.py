"""The limiter's clock stands still in every test of this folder."""

from __future__ import annotations

import pytest

from quotas.drf import evaluations
from quotas.engine.connection import link
from quotas.testing import frozen_clock
from tests import START_US


@pytest.fixture(autouse=True)
def clock():
    """The limiter's clock; `tick` moves it by seconds."""
    with frozen_clock(START_US) as given:
        yield given


@pytest.fixture
def keys():
    """Gives all keys of this test on the server, as text."""
    return lambda: sorted(key.decode() for key in link().client.scan_iter())


@pytest.fixture
def asked(monkeypatch):
    """What each evaluation of a test asked for."""
    found = []

    def enforce(caller, asks):
        found.append(list(asks))
        return real(caller, asks)

    real = evaluations.enforce
    monkeypatch.setattr(evaluations, "enforce", enforce)
    return found
