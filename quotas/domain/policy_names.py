"""How limits are named to clients: in headers, and in the bodies of denials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from quotas.domain.decisions import Decision, Verdict
from quotas.domain.keys import digest
from quotas.domain.limits import Unlimited
from quotas.domain.policies import Limit
from quotas.domain.words import EVERY_SCOPE, Mode

LONGEST = 100


def shown(decision: Decision) -> list[tuple[str, Verdict]]:
    """The limits that clients are told of, by name: neither shadow nor unlimited ones."""
    verdicts = [
        each
        for each in decision.verdicts
        if each.limit.mode is not Mode.SHADOW and not isinstance(each.limit.rule, Unlimited)
    ]
    return list(zip(policy_names([each.limit for each in verdicts]), verdicts, strict=True))


def policy_names(limits: Sequence[Limit]) -> list[str]:
    """The limits' names, by position.

    Limits that share one are told apart as ``<scope>-<name>``, or ``all-<name>`` of scope ``*``.
    Printable ASCII, bounded, and no two alike, whatever the scopes look like.
    """
    shared = Counter(each.name for each in limits)
    names: list[str] = []
    for limit in limits:
        name = _plain(limit.name)
        if shared[limit.name] > 1:
            name = f"{'all' if limit.scope == EVERY_SCOPE else _plain(limit.scope)}-{name}"
        copies = 1
        unique = name
        while unique in names:
            copies += 1
            unique = f"{name}-{copies}"
        names.append(unique)
    return names


def _plain(text: str) -> str:
    printable = text.isascii() and text.isprintable() and len(text) <= LONGEST
    return text if printable else digest(text)
