"""What is counted when a throttle itself does not say: a name for its view, or for its class."""

from __future__ import annotations

from quotas.services.routes import dotted_path


def scope_on(scope: str | None, view: type | object) -> str:
    """``scope``, else the ``throttle_scope`` of a view (or its class), else its dotted path."""
    kind = view if isinstance(view, type) else type(view)
    return scope or getattr(view, "throttle_scope", None) or dotted_path(kind)
