"""Who called, and how full each limit got, over a span of time: shapes of what people see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(slots=True)
class Calls:
    """Calls, each once whatever it asked for; ``units`` are of the admitted ones.

    ``early``: denied calls that came sooner than the Retry-After of their caller's denial before.
    """

    admitted: int = 0
    denied: int = 0
    units: int = 0
    early: int = 0

    @property
    def requests(self) -> int:
        """Calls, whatever they were told."""
        return self.admitted + self.denied

    def add(self, admitted: int, denied: int, units: int, early: int) -> None:
        """Count these, too."""
        self.admitted += admitted
        self.denied += denied
        self.units += units
        self.early += early

    def less(self, other: Calls) -> Calls:
        """These without others of them."""
        return Calls(
            self.admitted - other.admitted,
            self.denied - other.denied,
            self.units - other.units,
            self.early - other.early,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The most units of a limit that were taken at once between ``start`` and ``end``.

    ``most`` fitted at once at the last call; None: unlimited.
    """

    start: datetime
    end: datetime
    used: int
    most: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsByHour:
    """Who called a tenant's limits from ``start`` to ``end``, whole hours of UTC.

    ``callers`` are the busiest, the busiest first, at most 10; ``rest`` is everybody else, with
    whom a caller was counted before it was among the busiest of an hour. ``peaks`` are by limit
    (``scope/name``), the oldest first, without the times in which nothing was charged.
    """

    start: datetime
    end: datetime
    total: Calls
    callers: dict[str, Calls]
    rest: Calls
    peaks: dict[str, tuple[Peak, ...]]
