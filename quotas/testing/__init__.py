"""For the tests of whoever uses `quotas`: given time, given limits, counters of their own.

In a project's ``conftest.py`` one line isolates every test below it::

    from quotas.testing import quotas_isolated

No test then sees a counter of another test, of another worker on the same Redis, or of the site::

    def test_the_third_report_of_a_minute_is_denied(client, db):
        with override_limit("reports", amount=2, period=60), frozen_clock() as clock:
            assert [client.get("/reports/").status_code for _ in range(3)] == [200, 200, 429]
            clock.tick(60)
            assert client.get("/reports/").status_code == 200

- `frozen_clock` stops the limiter's clock, and moves it; so does the fixture ``quotas_clock``.
- `override_limit` puts one limit in the place of what plans say.
- `throttling_off` switches every throttle of ours off.
- `isolate` is what ``quotas_isolated`` does, for other test runners.
- `forget` makes the process a new one.

`frozen_clock`, `override_limit`, `throttling_off` and `isolate` are context managers, and decorate
functions too. They act on this process with all its threads, and on no other. Rates of drop-ins
come from the settings: override those. Only the fixtures need pytest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quotas.testing.clocks import FrozenClock, frozen_clock
from quotas.testing.isolation import forget, isolate, throttling_off
from quotas.testing.limits import override_limit

if TYPE_CHECKING:
    from quotas.testing.fixtures import quotas_clock, quotas_isolated

__all__ = [
    "FrozenClock",
    "forget",
    "frozen_clock",
    "isolate",
    "override_limit",
    "quotas_clock",
    "quotas_isolated",
    "throttling_off",
]

FIXTURES = {"quotas_clock", "quotas_isolated"}


def __getattr__(name: str) -> Any:
    """The fixtures, which alone need pytest, when they are asked for."""
    if name not in FIXTURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from quotas.testing import fixtures  # noqa: PLC0415 - pytest may be absent

    return getattr(fixtures, name)
