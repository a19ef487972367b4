"""The limits that code declares, for the check that (scope, name) means one thing everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakSet

from quotas.domain.limits import Rule

if TYPE_CHECKING:
    from quotas.drf.code import CodeThrottle

_declared: WeakSet[type[CodeThrottle]] = WeakSet()


def declare(kind: type[CodeThrottle]) -> None:
    """Remember a class that has numbers, for as long as somebody holds it."""
    _declared.add(kind)


def declared_limits(views: Iterable[type] = ()) -> Mapping[tuple[str, str], frozenset[Rule]]:
    """The rules that code declares, by (scope, name): more than one rule is a mistake.

    Of the classes that name their scope, and of all that ``views`` (classes) list, by the scope
    that they have there.
    """
    found: dict[tuple[str, str], set[Rule]] = {}
    pairs: list[tuple[type[CodeThrottle], object]] = [
        (kind, kind) for kind in set(_declared) if kind.scope is not None
    ]
    for view in views:
        listed = getattr(view, "throttle_classes", ())
        pairs += [(kind, view) for kind in listed if kind in _declared]
    for kind, place in pairs:
        limit = kind.limit_on(place)
        found.setdefault((limit.scope, limit.name), set()).add(limit.rule)
    return {known: frozenset(rules) for known, rules in found.items()}
