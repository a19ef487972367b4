"""What the database keeps of a tenant's history, summed by the database.

Each function is one query, whatever the number of buckets, scopes and generations.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from functools import lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from django.db import connections
from django.db.models import Q

from quotas.models import UsageDay, UsageQuarter
from quotas.services.history_sql import LINE, SUMMING, us_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quotas.services.windows import Extent

SUMMED = ("admitted", "denied", "shadow_denied", "units")

Sums = tuple[int, int, int, int]
Limits = dict[str, tuple[int, int]]


class KeptQuarters(NamedTuple):
    """The sums of one scope over the quarters between two edges, and what each limit denied.

    ``start_us`` is the first of the edges. ``apart_us`` is the start of a quarter that Redis may
    know better; None for all the others.
    """

    start_us: int
    scope: str
    apart_us: int | None
    sums: Sums
    limits: Limits


class KeptDay(NamedTuple):
    """The sums of one scope on a day whose quarters are no longer kept."""

    day: date
    scope: str
    sums: Sums
    limits: Limits


def kept_days(
    tenant_pk: int, ranges: Sequence[tuple[date, date]], scope: str | None
) -> list[KeptDay]:
    """What is kept by the day in these ranges of dates, their last ones included."""
    inside = reduce(or_, (Q(day__gte=first, day__lte=last) for first, last in ranges))
    rows = UsageDay.objects.filter(inside, tenant=tenant_pk, **_of(scope)).order_by()
    found = rows.values_list("day", "scope", "limits", *SUMMED)
    return [
        KeptDay(day, scope, _four(sums), {label: _two(pair) for label, pair in limits.items()})
        for day, scope, limits, *sums in found
    ]


def kept_quarters(
    tenant_pk: int,
    edges: Sequence[int],
    ranges: Sequence[Extent],
    told: Extent,
    scope: str | None,
    apart: tuple[int, int | None],
) -> Iterator[KeptQuarters]:
    """The sums of the quarters within ``ranges``, between one edge (us) and the next.

    What limits denied is told of the quarters within ``told``. ``apart`` is a generation and an
    instant: its quarters from then on are apart, each by itself. Of other databases none: usage is
    kept in these two, see `quotas.services.keeping`.
    """
    rows = UsageQuarter.objects.filter(tenant=tenant_pk, **_of(scope)).order_by()
    connection = connections[rows.db]
    if connection.vendor not in SUMMING:
        return
    summing = SUMMING[connection.vendor](connection, edges, ranges)
    with connection.cursor() as cursor:
        cursor.execute(*summing.statement(rows, told, apart))
        for number, of, start, *sums, limits in cursor.fetchall():
            apart_us = None if start is None else us_of(start, connection)
            yield KeptQuarters(edges[number], of, apart_us, _four(sums), _denied(limits))


def _of(scope: str | None) -> dict[str, str]:
    return {} if scope is None else {"scope": scope}


def _denied(texts: str | None) -> Limits:
    """The sums of JSON objects, each in a line, by label."""
    found: dict[str, list[int]] = {}
    for text, times in Counter(texts.split(LINE) if texts else ()).items():
        for label, denied, shadow_denied in _limits(text):
            sums = found.setdefault(label, [0, 0])
            sums[0] += denied * times
            sums[1] += shadow_denied * times
    return {label: _two(sums) for label, sums in found.items()}


@lru_cache(maxsize=4096)  # one limit denied a few times: a month has thousands of such quarters
def _limits(text: str) -> tuple[tuple[str, int, int], ...]:
    return tuple((label, *_two(pair)) for label, pair in json.loads(text).items())


def _four(sums: Sequence[int]) -> Sums:
    admitted, denied, shadow_denied, units = (int(each) for each in sums)
    return admitted, denied, shadow_denied, units


def _two(pair: Sequence[int]) -> tuple[int, int]:
    return int(pair[0]), int(pair[1])
