"""Calendar quotas counted on the tenant: what the limiter charged, what was counted and copied.

A call that was charged was counted in the same step, at no lower cost: what is charged is never
more than what was counted. It may be less: the limit was made, changed or off since, was in shadow,
calls named a subject of their own, or one call asked for several scopes. Only how many are equal is
told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.calendar import instant_at
from quotas.engine.tallies import QUARTER_US
from quotas.services.audit.books import counts_periods
from quotas.services.audit.differences import Audited, Difference, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quotas.domain.decisions import Verdict
    from quotas.services.audit.books import Books
    from quotas.services.audit.kept import KeptBalance


class _Quota(NamedTuple):
    """One quota in the period whose end its state keeps, and its balance if there is one."""

    books: Books
    verdict: Verdict
    start_us: int
    end_us: int
    balance: KeptBalance | None

    @property
    def counted(self) -> int:
        """Units counted of its scope since the period began."""
        return self.books.units_since(self.start_us, self.verdict.limit.scope)

    def differs(self, kind: Kind, first: int, second: int) -> Difference:
        limit = self.verdict.limit
        return Difference(
            tenant=self.books.tenant.key,
            kind=kind,
            of=f"{limit.scope}/{limit.name}",
            number="units",
            start=instant_at(self.start_us),
            end=instant_at(self.end_us),
            first=first,
            second=second,
        )


def audit_calendars(books: Books) -> Audited:
    """Every calendar quota of one tenant.

    Of a tenant without its mark only those that Redis has: it may have lost the others.
    """
    quotas = [
        _quota(books, verdict)
        for verdict in books.verdicts
        if counts_periods(verdict.limit) and (books.seen.marked or verdict.used)
    ]
    return Audited(
        quotas=len(quotas),
        exact=sum(each.verdict.used == each.counted for each in quotas),
        balances=sum(each.balance is not None for each in quotas),
        differences=tuple(found for each in quotas for found in _differences(each)),
    )


def _quota(books: Books, verdict: Verdict) -> _Quota:
    start_us, end_us = verdict.period
    limit = verdict.limit
    named = (limit.scope, limit.name, str(getattr(limit.rule, "unit", "")), end_us)
    return _Quota(books, verdict, start_us, end_us, books.kept.balances.get(named))


def _differences(quota: _Quota) -> Iterator[Difference]:
    charged, balance = quota.verdict.used, quota.balance
    # A wiped Redis went on from a balance, which may be a call ahead of the quarters.
    if charged > quota.counted and (balance is None or quota.books.of_one_memory(quota.start_us)):
        yield quota.differs(Kind.CHARGED_UNCOUNTED, charged, quota.counted)
    if balance is None:
        return
    if balance.used > charged:
        yield quota.differs(Kind.BALANCE_AHEAD, balance.used, charged)
    since_us = balance.copied_us - balance.copied_us % QUARTER_US
    counted = quota.books.units_since(since_us, quota.verdict.limit.scope)
    if charged - balance.used > counted:
        yield quota.differs(Kind.BALANCE_FAR_BEHIND, charged - balance.used, counted)
