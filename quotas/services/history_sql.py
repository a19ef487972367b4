"""Sums of quarters by bucket, in the words of each database.

Django has no aggregate that both know and that joins texts, and none by edges of our own. A tenant
may have 17,000 rows in two months: one look at each is all that there is time for, so what limits
denied goes with the sums, and no row is compared with each of the edges.
"""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from itertools import chain
from operator import or_
from typing import TYPE_CHECKING, Any

from django.db.models import DateTimeField, Q

from quotas.domain.calendar import instant_at, microseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import QuerySet

    from quotas.services.windows import Extent

LINE = "\n"
"""Between two texts: JSON has none of them inside."""
FIELDS = ("scope", "start", "generation", "denied", "shadow_denied", "admitted", "units", "limits")
INSTANT = DateTimeField()
SUMS = """kept.scope, {apart}, SUM(kept.admitted), SUM(kept.denied), SUM(kept.shadow_denied),
    SUM(kept.units), {joined}(CASE WHEN kept.denied + kept.shadow_denied > 0
        AND kept.start >= %s AND kept.start < %s THEN {text} END, '{line}')"""
APART = "CASE WHEN kept.generation = %s AND kept.start >= %s THEN kept.start END"

Statement = tuple[str, list[Any]]


class Summing:
    """The sums of quarters between one of ``edges`` (us) and the next, within ``ranges``."""

    joined = text = ""

    def __init__(
        self, connection: BaseDatabaseWrapper, edges: Sequence[int], ranges: Sequence[Extent]
    ) -> None:
        self._connection = connection
        self._edges = edges
        self._ranges = ranges

    def statement(
        self, rows: QuerySet[Any, Any], told: Extent, apart: tuple[int, int | None]
    ) -> Statement:
        """SQL and parameters, as `quotas.services.history_rows.kept_quarters` has its arguments.

        Columns: number of the bucket, scope, start where it is apart, sums, texts of limits.
        """
        generation, since_us = apart
        known = [] if since_us is None else [generation, self._prepared(since_us)]
        sums = SUMS.format(
            apart=APART if known else "NULL", joined=self.joined, text=self.text, line=LINE
        )
        return self._from(sums, [*known, *map(self._prepared, told)], rows.values(*FIELDS))

    def _from(self, sums: str, params: list[Any], rows: QuerySet[Any, Any]) -> Statement:
        raise NotImplementedError

    def _inner(self, rows: QuerySet[Any, Any]) -> tuple[str, Sequence[Any]]:
        found: tuple[str, Sequence[Any]]
        found = rows.query.get_compiler(connection=self._connection).as_sql()
        return found

    def _prepared(self, us: int) -> Any:
        """An instant as the database compares it."""
        return INSTANT.get_db_prep_value(instant_at(us), self._connection)


class ByIndex(Summing):
    """SQLite: each bucket is looked up in the index."""

    joined, text = "group_concat", "kept.limits"

    def _from(self, sums: str, params: list[Any], rows: QuerySet[Any, Any]) -> Statement:
        buckets = list(self._buckets())
        values = ", ".join(["(%s, %s, %s)"] * len(buckets))
        kept, of = self._inner(rows)
        found = (
            f"SELECT bucket.column1, {sums} "  # noqa: S608 - words of our own
            f"FROM (VALUES {values}) AS bucket CROSS JOIN ({kept}) AS kept "
            "WHERE kept.start >= bucket.column2 AND kept.start < bucket.column3 GROUP BY 1, 2, 3"
        )
        return found, [*params, *chain(*buckets), *of]

    def _buckets(self) -> Iterator[tuple[int, Any, Any]]:
        """Number, start and stop of each bucket that is in one of the ranges."""
        prepared = list(map(self._prepared, self._edges))
        for number, start in enumerate(self._edges[:-1]):
            if any(each.start <= start < each.stop for each in self._ranges):
                yield number, prepared[number], prepared[number + 1]


class ByHalves(Summing):
    """PostgreSQL: each row finds its bucket by halving the edges."""

    joined, text = "string_agg", "kept.limits::text"

    def _from(self, sums: str, params: list[Any], rows: QuerySet[Any, Any]) -> Statement:
        inside = reduce(or_, (self._within(each) for each in self._ranges))
        kept, of = self._inner(rows.filter(inside))
        edges = [instant_at(each) for each in self._edges]
        found = (
            f"SELECT width_bucket(kept.start, %s::timestamptz[]) - 1, {sums} "  # noqa: S608 - the same
            f"FROM ({kept}) AS kept GROUP BY 1, 2, 3"
        )
        return found, [edges, *params, *of]

    def _within(self, span: Extent) -> Q:
        return Q(start__gte=instant_at(span.start), start__lt=instant_at(span.stop))


SUMMING: dict[str, type[Summing]] = {"sqlite": ByIndex, "postgresql": ByHalves}


def us_of(instant: datetime | str, connection: BaseDatabaseWrapper) -> int:
    """An instant of a query of our own (us): where it is text, in the connection's zone."""
    found = datetime.fromisoformat(instant) if isinstance(instant, str) else instant
    return microseconds(found if found.tzinfo else found.replace(tzinfo=connection.timezone))
