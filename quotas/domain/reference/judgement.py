"""What one limit answers, and what every algorithm must be able to say for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

from quotas.errors import InvalidCost


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The answer of one limit to one cost at one instant.

    ``at_us`` is the instant that the call was taken for: never before the limit's last admitted
    call. ``wait_us`` is the shortest whole time from now after which the same cost fits if nobody
    else consumes: 0 when it fits now, None when it never does. ``delay_us`` is the time to the turn
    of an admitted call, of a leaky bucket only. ``remaining`` (whole units; None without an amount)
    and ``reset_us`` (the ``t`` of the headers) are those after this call if it is admitted alone,
    else those of now.
    """

    fits: bool
    wait_us: int | None
    delay_us: int
    remaining: int | None
    reset_us: int | None
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(ABC):
    """How a limit stands at ``at_us`` under the rule then in force: a value that never changes."""

    at_us: int

    @abstractmethod
    def wait_us(self, cost: int) -> int | None:
        """Time until ``cost`` (at least 1) fits if nobody else consumes: 0 at once, None never."""

    @abstractmethod
    def charged(self, cost: int) -> Self:
        """How the limit stands once ``cost`` has been admitted, at the same instant."""

    @property
    @abstractmethod
    def remaining(self) -> int:
        """Whole units left, never below 0."""

    @property
    @abstractmethod
    def reset_us(self) -> int | None:
        """The ``t`` of the headers; None for a limit that has none."""

    @property
    def delay_us(self) -> int:
        """Time to the turn of a call admitted now."""
        return 0

    def judged(self, cost: int) -> Judgement:
        """What the limit answers to ``cost``; 0 always fits, has no turn, and changes nothing."""
        wait = self.wait_us(cost) if cost else 0
        admitted = cost > 0 and wait == 0
        after = self.charged(cost) if admitted else self
        return Judgement(
            fits=wait == 0,
            wait_us=wait,
            delay_us=self.delay_us if admitted else 0,
            remaining=after.remaining,
            reset_us=after.reset_us,
            at_us=self.at_us,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Giving(Standing):
    """A limit of which units can be given back at once."""

    @property
    @abstractmethod
    def taken(self) -> int:
        """Whole units that are taken, a part of one counted as one."""

    @abstractmethod
    def granted(self, units: int) -> Self:
        """How it stands once ``units`` of those taken have been given back."""


def need_cost(cost: object) -> None:
    """Raise `InvalidCost` for all but a whole number of at least 0; True and False are none."""
    if not isinstance(cost, int) or isinstance(cost, bool) or cost < 0:
        raise InvalidCost(f"cost is {cost!r}: give a whole number of units, at least 0.")


def divided_up(dividend: int, divisor: int) -> int:
    """The quotient, rounded up: a wait rounded down would end before the cost fits."""
    return -(-dividend // divisor)
