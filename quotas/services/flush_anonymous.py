"""Copies what was counted of callers without a tenant, as `quotas.services.flush` does of tenants.

A process may add to a quarter long after it has ended. So Redis keeps these for the three days that
its ring holds: of a quarter let go of earlier, what is added late would be a copy with less in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import router

from quotas.domain.calendar import instant_at
from quotas.domain.keys import ANONYMOUS_TAG
from quotas.engine import tallies
from quotas.models import AnonymousQuarter
from quotas.services.keeping import ANONYMOUS, counted_of, keep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quotas.engine.tallies import Tallied
    from quotas.services.keeping import Row


def flush_anonymous(at_us: int, latest_us: int) -> tuple[int, int]:
    """Copy what the database has not, or not as it is now: how many rows, and those refused.

    What began at ``latest_us`` or before is let go of in Redis, copied or not.
    """
    (tallied,) = tallies.tallies_of([ANONYMOUS_TAG])
    if not tallied.quarters:
        return 0, 0
    rows = list(_changed(tallied, at_us, latest_us))
    refused = keep(ANONYMOUS, rows, router.db_for_write(AnonymousQuarter))
    gone = [each for each in tallied.quarters if each.start_us <= latest_us]
    tallies.forget({ANONYMOUS_TAG: gone})
    return len(rows), len(refused)


def _changed(tallied: Tallied, at_us: int, latest_us: int) -> Iterator[Row]:
    kept = AnonymousQuarter.objects.using(router.db_for_write(AnonymousQuarter)).filter(
        start__gte=instant_at(tallied.quarters[0].start_us)
    )
    known = {
        row[:3]: row[3:]
        for row in kept.order_by().values_list(*ANONYMOUS.same, *ANONYMOUS.growing).iterator()
    }
    copied_at = instant_at(at_us)
    for each in tallied.quarters:
        start = instant_at(each.start_us)
        same = (each.scope, start, tallied.generation)
        grown = (each.admitted, each.denied)
        if known.get(same) != grown and each.start_us > latest_us:
            yield (*same, *counted_of(each, copied_at))
