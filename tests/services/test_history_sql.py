"""What a tenant used is summed up by the database, which looks at each of its rows once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.domain.calendar import microseconds
from quotas.models import UsageQuarter
from quotas.services.history_rows import kept_quarters
from quotas.services.windows import Extent
from tests.models.rows import a_tenant
from tests.services.counted import DAY, QUARTER, START

pytestmark = pytest.mark.django_db

FIRST = START - timedelta(days=400)


@pytest.fixture
def tenants(db):
    """Two, with rows of 40 days each: planners scan what is small."""
    tenants = [a_tenant("acme"), a_tenant("bolt")]
    UsageQuarter.objects.bulk_create(
        UsageQuarter(
            tenant=tenant,
            scope=scope,
            start=START - number * QUARTER,
            generation=1,
            admitted=number % 7,
            denied=number % 2,
            limits={"api/minute": [number % 2, 0]},
        )
        for number in range(40 * 96)
        for tenant in tenants
        for scope in ("api", "mail")
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return tenants


def edges_of(length):
    return [microseconds(FIRST + number * length) for number in range(401 * DAY // length + 1)]


@pytest.mark.parametrize("length", [DAY, 4 * QUARTER])
def test_no_row_is_compared_with_each_edge(tenants, length):
    edges = edges_of(length)
    span = Extent(edges[0], edges[-1])
    with CaptureQueriesContext(connection) as captured:
        found = list(kept_quarters(tenants[0].pk, edges, [span], span, None, (0, None)))

    assert 2 * sum(number % 7 for number in range(40 * 96)) == sum(each.sums[0] for each in found)
    [asked] = captured
    with connection.cursor() as cursor:
        words = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        cursor.execute(f"{words} {asked['sql']}")
        plan = "\n".join(" ".join(map(str, row)) for row in cursor.fetchall())
    if connection.vendor == "sqlite":
        assert "SEARCH quotas_usagequarter USING INDEX quotas_usagequarter_span" in plan
        assert "start>? AND start<?" in plan
    else:
        assert "Nested Loop" not in plan


def test_rows_are_summed_as_they_are_by_hand(tenants):
    edges = [*edges_of(DAY)[:370], *edges_of(DAY)[380:]]
    spans = [Extent(edges[0], edges[365]), Extent(edges[372], edges[-3])]
    told = Extent(edges[375], edges[-5])

    found = kept_quarters(tenants[0].pk, edges, spans, told, "api", (1, edges[-4]))

    sums, limits, apart = {}, {}, 0
    for each in found:
        sums[each.start_us] = sums.get(each.start_us, 0) + each.sums[0]
        apart += each.apart_us is not None
        for label, (denied, _) in each.limits.items():
            limits[each.start_us, label] = limits.get((each.start_us, label), 0) + denied
    expected, denied = {}, {}
    for row in UsageQuarter.objects.filter(tenant=tenants[0], scope="api"):
        at = microseconds(row.start)
        bucket = max(edge for edge in edges if edge <= at)
        if any(span.start <= at < span.stop for span in spans):
            expected[bucket] = expected.get(bucket, 0) + row.admitted
            if told.start <= at < told.stop and row.denied:
                denied[bucket, "api/minute"] = denied.get((bucket, "api/minute"), 0) + 1
    assert expected == sums
    assert denied == limits
    assert apart == 96
