"""The scopes that views ask for, found by their throttles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from quotas.domain.words import EVERY_SCOPE
from quotas.services.routes import Route, routes

Ask = TypeVar("Ask", bound=Callable[..., Any])
Asked = tuple[Route, type, str | None]


def by_scope(ask: Ask) -> Ask:
    """Marks the method of a throttle that asks for a plan's limits by its scope, or the view's.

    A subclass with a method of its own says itself what it asks for: nothing is found for it.
    """
    ask.__dict__["by_scope"] = True
    return ask


def by_limit(get_subject: Ask) -> Ask:
    """Marks the method of a throttle that leaves it to each limit who is counted."""
    get_subject.__dict__["by_limit"] = True
    return get_subject


def asked() -> Iterable[Asked]:
    """Every throttle of every view that asks by scope, and the scope: None where it has none."""
    for route in routes():
        for throttle in route.throttles:
            if not hasattr(getattr(throttle, "ask", None), "by_scope"):
                continue
            scope = getattr(throttle, "scope", None) or route.scope
            if scope is None or isinstance(scope, str):
                yield route, throttle, scope


def scopes_of_views() -> list[str]:
    """The scopes that views ask for, in order."""
    return sorted({scope for _route, _throttle, scope in asked() if scope is not None})


def scopes_apart() -> list[str]:
    """The scopes in which views count something besides the limits of a plan, in order.

    A limit in code, or a subject of the project's own in place of the tenant: what is recorded of
    such a scope may not have been taken from one count of the tenant's.
    """
    found = {
        throttle.limit_on(route.as_set_up()).scope  # type: ignore[attr-defined] # asked for
        for route in routes()
        for throttle in route.throttles
        if getattr(throttle, "limit_on", None) and getattr(throttle, "rule", None)
    }
    found |= {
        scope or EVERY_SCOPE
        for _route, throttle, scope in asked()
        if not hasattr(getattr(throttle, "get_subject", None), "by_limit")
    }
    return sorted(found)


def scopes_without_row(rows: Collection[str]) -> list[str]:
    """The scopes of views that are not in a plan whose rows have these scopes."""
    if EVERY_SCOPE in rows:
        return []
    return [scope for scope in scopes_of_views() if scope not in rows]
