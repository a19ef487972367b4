"""What headers say about a decision's limits, in the dialects of ``QUOTAS_HEADERS``.

``draft-11``: RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-11, Structured
Fields (RFC 9651) that list every limit. ``x-ratelimit``: the older three, of one limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from quotas.domain.decisions import SECOND_US, Decision, Verdict
from quotas.domain.limits import Concurrency, LeakyBucket, TokenBucket
from quotas.domain.policy_names import shown

LARGEST_INTEGER = 10**15 - 1  # RFC 9651, section 3.3.1


def quota_headers(decision: Decision, dialects: Iterable[str]) -> dict[str, str]:
    """The headers of all these dialects, in their order.

    Names that are no dialect are passed over: a check reports them.
    """
    found: dict[str, str] = {}
    for dialect in dialects:
        write = DIALECTS.get(dialect)
        if write is not None:
            found |= write(decision)
    return found


def _draft_11(decision: Decision) -> dict[str, str]:
    policies, states = [], []
    for name, verdict in shown(decision):
        policies.append(_item(name, _policy(verdict)))
        states.append(_item(name, _state(verdict)))
    if not policies:
        return {}
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(states)}


def _x_ratelimit(decision: Decision) -> dict[str, str]:
    verdicts = [verdict for _, verdict in shown(decision)]
    if not verdicts:
        return {}
    chosen = decision.longest or min(verdicts, key=lambda each: each.remaining or 0)
    found = {
        "X-RateLimit-Limit": str(chosen.limit.rule.amount),
        "X-RateLimit-Remaining": str(chosen.remaining or 0),
    }
    if chosen.reset_us is not None:
        found["X-RateLimit-Reset"] = str(_seconds(decision.now_us + chosen.reset_us))
    return found


DIALECTS: Mapping[str, Callable[[Decision], dict[str, str]]] = {
    "draft-11": _draft_11,
    "x-ratelimit": _x_ratelimit,
}


def _policy(verdict: Verdict) -> dict[str, int | str | None]:
    rule = verdict.limit.rule
    bucket = isinstance(rule, TokenBucket | LeakyBucket) and rule.capacity != rule.amount
    return {
        "q": rule.amount,
        "qu": "concurrent-requests" if isinstance(rule, Concurrency) else None,
        "w": _seconds(verdict.window_us),
        "quotas-burst": rule.most_at_once if bucket else None,  # type: ignore[union-attr]
    }


def _state(verdict: Verdict) -> dict[str, int | str | None]:
    return {"r": verdict.remaining, "t": _seconds(verdict.reset_us)}


def _seconds(microseconds: int | None) -> int | None:
    return None if microseconds is None else -(-microseconds // SECOND_US)


def _item(name: str, parameters: Mapping[str, Any]) -> str:
    """An Item of a List: a String with parameters, of which None are left out."""
    return _string(name) + "".join(
        f";{key}={_bare(value)}" for key, value in parameters.items() if value is not None
    )


def _bare(value: int | str) -> str:
    return _string(value) if isinstance(value, str) else str(min(value, LARGEST_INTEGER))


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
