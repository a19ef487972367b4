"""Goes from tenant to tenant, and reads again whatever differs: calls may have come in between."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quotas.errors import QuotasError
from quotas.services.attempt import Attempt
from quotas.services.audit.books import read_books
from quotas.services.audit.calendars import audit_calendars
from quotas.services.audit.differences import Audited
from quotas.services.audit.pages import audit_pages
from quotas.services.audit.records import audit_records
from quotas.services.loading import load_tenant, load_tenants, pk_of_tenant
from quotas.services.store import store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from quotas.services.policy import TenantRow

PAGE = 50
"""Tenants a round trip. It is a transaction, and the limiter waits for it: few milliseconds."""
MOST_READINGS = 3


class UnknownTenant(QuotasError):
    """There is no tenant of this key."""


def audit(
    keys: Sequence[str] = (), *, after_page: Callable[[int], object] = lambda _seen: None
) -> Audited:
    """Compare what is known of these tenants, or of all; nothing is changed.

    ``after_page`` is told how many tenants have been looked at; what it raises ends the audit.
    Raises `UnknownTenant`, `EngineUnavailable`, and the database's errors.
    """
    done, seen = Audited(), 0
    for tenants in _pages(keys):
        done += _settled(tenants)
        seen += len(tenants)
        after_page(seen)
    return done


def _pages(keys: Sequence[str]) -> Iterator[list[TenantRow]]:
    if keys:
        for key in dict.fromkeys(keys):
            row = load_tenant(pk_of_tenant(key) or 0)
            if row is None:
                raise UnknownTenant(key)
            yield [row]
        return
    last = 0
    while page := load_tenants(last, PAGE):
        yield page
        last = page[-1].pk


def _settled(tenants: Sequence[TenantRow]) -> Audited:
    """What still differs when it is read again: not what was on its way."""
    found = _read(tenants)
    for _ in range(MOST_READINGS - 1):
        doubtful = {pk: each for pk, each in found.items() if each.differences}
        if not doubtful:
            break
        for pk in doubtful:
            store.drop_tenant(pk)
        store.drop_plans()
        again = _read([row for pk in doubtful if (row := load_tenant(pk))])
        for pk, before in doubtful.items():
            found[pk] = _still(before, again.get(pk) or Audited(tenants=1))
    return sum(found.values(), Audited())


def _still(before: Audited, again: Audited) -> Audited:
    places = {each.place for each in before.differences}
    return replace(
        again, differences=tuple(each for each in again.differences if each.place in places)
    )


def _read(tenants: Sequence[TenantRow]) -> dict[int, Audited]:
    """One reading of these tenants, by primary key."""
    if not tenants:
        return {}
    with Attempt() as attempt:
        plans = store.plans(attempt)
    if attempt.failure is not None:
        raise attempt.failure
    several = read_books(tenants, plans)
    pages = audit_pages(several)
    return {
        books.tenant.pk: Audited(tenants=1)
        + audit_records(books)
        + audit_calendars(books)
        + pages.get(books.tenant.pk, Audited())
        for books in several
    }
