"""The views of DRF that requests can reach, with the throttles and the scope that each has.

Views and throttles are known by their attributes: nothing here needs DRF.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.urls import URLResolver, get_resolver

Kind = TypeVar("Kind")
OURS = {"throttle_classes", "throttle_scope"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One view as its class, or the ``as_view`` of its address, sets it up.

    ``options`` are those of ``as_view``. What a view's own `get_throttles` does, no check can see.
    """

    view: type
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """The dotted path of the view."""
        return dotted_path(self.view)

    @property
    def throttles(self) -> list[type]:
        """The throttle classes, in order."""
        return types_in(self.attribute("throttle_classes"))

    @property
    def scope(self) -> str | None:
        """The view's ``throttle_scope``; None without one."""
        scope = self.attribute("throttle_scope")
        return scope if isinstance(scope, str) and scope else None

    def attribute(self, name: str) -> Any:
        """An attribute as the view's instances have it; None when they have none."""
        return dict(self.options).get(name, getattr(self.view, name, None))

    def as_set_up(self) -> type:
        """The view class with its throttles and scope as this address has them."""
        ours = {name: value for name, value in self.options if name in OURS}
        if not ours:
            return self.view
        told = {"__module__": self.view.__module__, "__qualname__": self.view.__qualname__}
        return type(self.view.__name__, (self.view,), told | ours)

    def of(self, kind: type[Kind]) -> list[type[Kind]]:
        """The throttle classes that are made from ``kind``."""
        return [throttle for throttle in self.throttles if issubclass(throttle, kind)]


def dotted_path(kind: type) -> str:
    """The dotted path of a class.

    DRF names the class behind an ``@api_view`` function in its ``__name__`` only, so that its
    ``__qualname__`` is the same for all of a module.
    """
    own = kind.__qualname__.rpartition(".")[2] == kind.__name__
    return f"{kind.__module__}.{kind.__qualname__ if own else kind.__name__}"


def callbacks() -> list[Any]:
    """Every view function in reach of the URLconf.

    Empty when the URLconf cannot be read, which a check of Django's own reports.
    """
    if not getattr(settings, "ROOT_URLCONF", None):
        return []
    try:
        return list(_callbacks(get_resolver().url_patterns))
    except Exception:  # noqa: BLE001 - modules of the project are imported, and raise what they like
        return []


def routes() -> list[Route]:
    """Every view of DRF in reach of the URLconf, once for each way it is set up."""
    found: dict[str, Route] = {}
    for callback in callbacks():
        if route := _route(callback):
            found.setdefault(f"{id(route.view)} {route.options}", route)
    return list(found.values())


def _callbacks(patterns: Iterable[Any]) -> Iterable[Any]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _callbacks(pattern.url_patterns)
        else:
            yield pattern.callback


def _route(callback: Any) -> Route | None:
    view = getattr(callback, "cls", None)  # as DRF's as_view names it
    options = getattr(callback, "initkwargs", None)
    if not isinstance(view, type) or not hasattr(view, "throttle_classes"):
        return None
    return Route(view=view, options=tuple(options.items()) if isinstance(options, Mapping) else ())


def types_in(listed: object) -> list[type]:
    """The classes of a list of throttle classes; whatever else is in it is passed over."""
    found = listed if isinstance(listed, list | tuple | set) else ()
    return [each for each in found if isinstance(each, type)]
