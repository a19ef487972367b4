"""What all checks share: their tag, how they import what a setting names, how they show values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core import checks
from django.utils.module_loading import import_string

TAG = "quotas"
LONGEST = 80
MOST_NAMES = 4

Messages = list[checks.CheckMessage]


def imported(path: object) -> Any:
    """What a dotted path leads to; None for anything that leads nowhere, whatever it raises."""
    if not isinstance(path, str):
        return None
    try:
        return import_string(path)
    except Exception:  # noqa: BLE001 - a module of the project raises what it likes
        return None


def shown(value: object) -> str:
    """A value as a message can carry it: cut when it is long. Never raises."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a setting may hold any object
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def listed(names: Iterable[str]) -> str:
    """Names in order, as many as a line can bear."""
    found = sorted(names)
    more = f" and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else ""
    return ", ".join(found[:MOST_NAMES]) + more
