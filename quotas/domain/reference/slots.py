"""The concurrency limit: a slot for each call in flight, given back or run out with its lease."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from quotas.domain.limits import Concurrency
from quotas.domain.reference.judgement import Giving, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots(Giving):
    """The ``leases`` held at an instant, as (slot, end in us), in the order of their taking."""

    rule: Concurrency
    leases: tuple[tuple[str, int], ...]

    @classmethod
    def under(cls, rule: Concurrency, before: Standing | None, now_us: int) -> Slots:
        """None held at first; each lease then until its end, which no edit of the period moves."""
        if not isinstance(before, Slots):
            return cls(rule=rule, at_us=now_us, leases=())
        at_us = max(now_us, before.at_us)
        held = tuple(lease for lease in before.leases if lease[1] > at_us)
        return cls(rule=rule, at_us=at_us, leases=held)

    def wait_us(self, cost: int) -> int | None:
        """Until enough leases have run out. A call is one call in flight, whatever its ``cost``."""
        if len(self.leases) < self.rule.amount:
            return 0
        ends = sorted(end for _, end in self.leases)
        return ends[len(ends) - self.rule.amount] - self.at_us

    def charged(self, cost: int, slot: str | None = None) -> Self:
        """One more slot taken, whatever the ``cost``."""
        lease = (slot or "", self.at_us + self.rule.period_us)
        return replace(self, leases=(*self.leases, lease))

    @property
    def taken(self) -> int:
        return len(self.leases)

    def granted(self, units: int) -> Self:
        """Without those whose lease ends first."""
        by_end = sorted(range(len(self.leases)), key=lambda at: self.leases[at][::-1])
        kept = sorted(by_end[units:])  # by their places: slots without a name are all alike
        return replace(self, leases=tuple(self.leases[at] for at in kept))

    def released(self, slot: str | None) -> Self:
        """Without that slot, or without the one taken first; an unknown one was free already."""
        named = [index for index, lease in enumerate(self.leases) if slot in (None, lease[0])]
        if not named:
            return self
        return replace(self, leases=self.leases[: named[0]] + self.leases[named[0] + 1 :])

    @property
    def remaining(self) -> int:
        return max(0, self.rule.amount - len(self.leases))

    @property
    def reset_us(self) -> None:
        """A slot is given back by its holder: no time can be named."""
        return None
