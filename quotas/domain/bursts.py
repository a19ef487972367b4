"""The most that a rule admits in one instant, in words for people.

Pure: the rules only. Sentences are looked up in ``words``, as in `quotas.domain.guarantees`.
"""

from __future__ import annotations

from collections.abc import Callable

from quotas.domain.guarantees import ENGLISH, Words
from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    Rule,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
    Unlimited,
)

TWICE = (FixedWindow, CalendarQuota)
SAYINGS: dict[type, Callable[[Words], str]] = {
    TokenBucket: lambda words: words.gettext("at most %(most)s in one instant, from a full bucket"),
    LeakyBucket: lambda words: words.gettext(
        "at most %(most)s in one instant, each told when its turn is"
    ),
    FixedWindow: lambda words: words.gettext(
        "at most %(most)s in one instant, around the window's edge"
    ),
    SlidingWindowCounter: lambda words: words.gettext("at most %(most)s in one instant"),
    SlidingWindowLog: lambda words: words.gettext("at most %(most)s in one instant"),
    CalendarQuota: lambda words: words.gettext(
        "at most %(most)s in one instant, around the period's edge"
    ),
    Concurrency: lambda words: words.gettext("at most %(most)s in flight together"),
    DenyAll: lambda words: words.gettext("nothing, at no instant"),
    Unlimited: lambda words: words.gettext("as many as come"),
}


def most_in_one_instant(rule: Rule) -> int | None:
    """Most units that are admitted at once, of windows on both sides of an edge; None: no end."""
    if isinstance(rule, Unlimited):
        return None
    return rule.most_at_once * (2 if isinstance(rule, TWICE) else 1)


def worst_burst(rule: Rule, words: Words = ENGLISH) -> str:
    """The most that comes at once, with the numbers of ``rule``."""
    most = most_in_one_instant(rule)
    shown = "" if most is None else f"{most:,}"
    return SAYINGS[type(rule)](words) % {"most": shown}
