"""The latest denials of a tenant, as denials.lua keeps them. Reading changes nothing."""

from __future__ import annotations

from typing import NamedTuple

HEAD = 18


class Denied(NamedTuple):
    """One entry: ``retry_after`` in whole seconds, None: never; ``label`` is ``scope/name``.

    ``caller`` as `quotas.engine.hours.CallerTally` has it, blank for nobody in particular.
    """

    at_us: int
    cost: int
    retry_after: int | None
    label: str
    operation: str
    caller: str


def denied(raw: bytes) -> Denied:
    """What an entry says."""
    texts, at = [], HEAD
    for _ in range(3):
        stop = at + 1 + raw[at]
        texts.append(raw[at + 1 : stop].decode("utf-8", "replace"))
        at = stop
    at_us, cost, told = (
        int.from_bytes(raw[start:stop], "little") for start, stop in ((0, 7), (7, 13), (13, HEAD))
    )
    return Denied(at_us, cost, told or None, *texts)
