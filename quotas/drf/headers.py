"""Writes the headers of a decision where DRF takes them from; see `quotas.domain.dialects`."""

from __future__ import annotations

from collections.abc import MutableMapping

from quotas.conf import conf
from quotas.domain.decisions import Decision
from quotas.domain.dialects import quota_headers


def write_headers(view: object, decision: Decision, *, alone: bool) -> None:
    """Write a decision's headers where DRF takes them from, if the view has such a place.

    ``alone``: the view has no throttles but ours. With others DRF alone knows the longest wait of
    all, and writes Retry-After itself.
    """
    headers: MutableMapping[str, str] | None = getattr(view, "headers", None)
    if headers is None:
        return
    headers.update(quota_headers(decision, conf.headers))
    if decision.allowed:
        return
    forbid_storing(view)
    seconds = decision.retry_after_seconds
    if seconds is not None and alone:
        headers["Retry-After"] = str(seconds)


def forbid_storing(view: object) -> None:
    """Say that a refusal must not be kept: it is of this caller and this moment."""
    headers: MutableMapping[str, str] | None = getattr(view, "headers", None)
    if headers is not None:
        headers["Cache-Control"] = "no-store"
