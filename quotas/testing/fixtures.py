"""Fixtures for pytest, imported from `quotas.testing` into a ``conftest.py``. Needs pytest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quotas.testing.clocks import FrozenClock, frozen_clock
from quotas.testing.isolation import isolate


@pytest.fixture(autouse=True)
def quotas_isolated() -> Iterator[str]:
    """Every test in reach of the import counts in a key space of its own; its prefix."""
    with isolate() as prefix:
        yield prefix


@pytest.fixture
def quotas_clock() -> Iterator[FrozenClock]:
    """The limiter's clock, standing still for this test; `FrozenClock.tick` moves it."""
    with frozen_clock() as clock:
        yield clock
