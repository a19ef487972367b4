"""The month under way beside the last one: where their days begin, and what was counted in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quotas.domain.calendar import instant_at, microseconds
from quotas.domain.limits import MICROSECOND
from quotas.domain.months import Month, Months
from quotas.engine.tallies import QUARTER_US
from quotas.services.counting import Counting
from quotas.services.windows import Extent, by_days, month_at

if TYPE_CHECKING:
    from quotas.domain.history import Window


class MonthsCounting(Counting):
    """Two months of a tenant by days, as of an instant."""

    def __init__(self, window: Window, at_us: int) -> None:
        this = month_at(window, at_us)
        last = month_at(window, microseconds(this.start - MICROSECOND))
        elapsed = at_us - this.start_us
        self._zone = window.zone
        self._turn = this.start_us
        self._same_point = min(last.end_us, last.start_us + elapsed - elapsed % QUARTER_US)
        self.extent = Extent(last.start_us, this.end_us)
        days = {*by_days(Extent(last.start_us, last.end_us), self._zone), self._same_point}
        days.update(by_days(Extent(this.start_us, this.end_us), self._zone))
        super().__init__(sorted(days))

    def months(self) -> Months:
        """What was counted."""
        start, turn, end = (
            instant_at(us, self._zone) for us in (self.extent.start, self._turn, self.extent.stop)
        )
        buckets = self.buckets(self._zone)
        last = tuple(each for each in buckets if each.start < turn)
        return Months(
            this=Month(start=turn, end=end, buckets=tuple(buckets[len(last) :])),
            last=Month(start=start, end=turn, buckets=last),
            same_point=instant_at(self._same_point, self._zone),
        )
