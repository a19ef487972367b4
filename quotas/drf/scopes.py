"""What is counted when a throttle itself does not say: a name for its view, or for its class."""

from __future__ import annotations


def dotted_path(kind: type) -> str:
    """The dotted path of a class.

    DRF names the class behind an ``@api_view`` function in its ``__name__`` only, so that its
    ``__qualname__`` is the same for all of a module.
    """
    own = kind.__qualname__.rpartition(".")[2] == kind.__name__
    return f"{kind.__module__}.{kind.__qualname__ if own else kind.__name__}"


def scope_on(scope: str | None, view: type | object) -> str:
    """``scope``, else the ``throttle_scope`` of a view (or its class), else its dotted path."""
    kind = view if isinstance(view, type) else type(view)
    return scope or getattr(view, "throttle_scope", None) or dotted_path(kind)
