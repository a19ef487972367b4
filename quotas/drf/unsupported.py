"""What a subclass of a drop-in does that has no effect here, for the check that says so."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import FunctionType

from quotas.drf import dropins

WITHOUT_EFFECT = frozenset(
    {"cache", "timer", "history", "now", "key", "throttle_success", "throttle_failure"}
)
TOUCHES = frozenset({"LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR"})


def unsupported_overrides(kind: type) -> tuple[str, ...]:
    """The names without effect that a subclass of a drop-in sets, or that its methods touch.

    Of the project's own classes only, in alphabetical order: ``cache``, ``timer``, ``history`` and
    what DRF does with them.
    """
    found: set[str] = set()
    for each in kind.__mro__:
        if issubclass(each, dropins.SimpleRateThrottle) and each.__module__ != dropins.__name__:
            found |= vars(each).keys() & WITHOUT_EFFECT
            found |= set(_touched(each)) & WITHOUT_EFFECT
    return tuple(sorted(found))


def _touched(kind: type) -> Iterator[str]:
    """The attributes that the methods of a class read or set; a module's own ``cache`` is none."""
    for member in vars(kind).values():
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if isinstance(function, FunctionType):
            for step in dis.get_instructions(function):
                if step.opname in TOUCHES:
                    yield str(step.argval)
