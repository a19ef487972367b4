"""What a rule promises, in one sentence with its numbers, for people.

Pure: the standard library and the rules only. Sentences are looked up in ``words``, anything with
`gettext` and `ngettext`; an edge passes `django.utils.translation`, for the reader's language.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from gettext import NullTranslations
from typing import Any, Protocol

from quotas.domain.limits import (
    MICROSECOND,
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
from quotas.domain.words import CalendarUnit


class Words(Protocol):
    """Looks sentences up in one language."""

    def gettext(self, message: str, /) -> str: ...

    def ngettext(self, singular: str, plural: str, number: int, /) -> str: ...


ENGLISH: Words = NullTranslations()
SECOND = timedelta(seconds=1)
UNITS: list[tuple[timedelta, Callable[[Words, int], str]]] = [
    (timedelta(weeks=1), lambda words, n: words.ngettext("week", "%(count)s weeks", n)),
    (timedelta(days=1), lambda words, n: words.ngettext("day", "%(count)s days", n)),
    (timedelta(hours=1), lambda words, n: words.ngettext("hour", "%(count)s hours", n)),
    (timedelta(minutes=1), lambda words, n: words.ngettext("minute", "%(count)s minutes", n)),
    (SECOND, lambda words, n: words.ngettext("second", "%(count)s seconds", n)),
]
CIVIL: dict[CalendarUnit, Callable[[Words], str]] = {
    CalendarUnit.DAY: lambda words: words.gettext("%(amount)s in each civil day"),
    CalendarUnit.WEEK: lambda words: words.gettext("%(amount)s in each civil week"),
    CalendarUnit.MONTH: lambda words: words.gettext("%(amount)s in each civil month"),
    CalendarUnit.YEAR: lambda words: words.gettext("%(amount)s in each civil year"),
}
# The short spans in which a bucket shows its burst: of those, the longest that is at most 1/30 of
# the period (2 seconds of a minute, 2 minutes of an hour).
SHORT = 30
SHORT_SPANS = [
    timedelta(seconds=seconds)
    for seconds in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200)
]


def guarantee(rule: Rule, words: Words = ENGLISH, *, anchor_day: int = 1) -> str:
    """The sentence that people may rely on, with the numbers of ``rule``.

    ``anchor_day`` is the day of the month from which the tenant's months run.
    """
    monthly = isinstance(rule, CalendarQuota) and rule.unit is CalendarUnit.MONTH
    if monthly and anchor_day != 1:
        sentence = words.gettext("%(amount)s in each month that begins on day %(day)s")
        return sentence % {"amount": f"{rule.amount:,}", "day": anchor_day}
    return SAYINGS[type(rule)](rule, words)


def spoken(span: timedelta, words: Words = ENGLISH) -> str:
    """``span`` as it follows “any” or “each”: “minute”, “90 seconds”, “2 hours”, “0.5 seconds”."""
    for unit, say in UNITS:
        if span >= unit and not span % unit:
            return say(words, span // unit) % {"count": f"{span // unit:,}"}
    whole, part = divmod(span, SECOND)
    seconds = f"{whole:,}.{part // MICROSECOND:06}".rstrip("0").rstrip(".")
    return words.gettext("%(count)s seconds") % {"count": seconds}


def _token_bucket(rule: TokenBucket, words: Words) -> str:
    values = _numbers(rule, words) | {"most": f"{rule.most_allowed_in(rule.period):,}"}
    short = max((span for span in SHORT_SPANS if span * SHORT <= rule.period), default=None)
    if short is None:
        values["few"] = f"{rule.capacity:,}"
        sentence = words.gettext("at once at most %(few)s, any %(period)s at most %(most)s")
    else:
        values |= {"short": spoken(short, words), "few": f"{rule.most_allowed_in(short):,}"}
        sentence = words.gettext("any %(short)s at most %(few)s, any %(period)s at most %(most)s")
    return sentence % values


def _leaky_bucket(rule: LeakyBucket, words: Words) -> str:
    # Rounded to the side that still holds: closer starts, longer waits.
    apart = rule.period_us // rule.amount * MICROSECOND
    longest = -(-rule.capacity * rule.period_us // rule.amount) * MICROSECOND
    sentence = words.gettext("starts are %(apart)s apart; nobody waits longer than %(longest)s")
    return sentence % {"apart": _length(apart, words), "longest": _length(longest, words)}


def _length(span: timedelta, words: Words) -> str:
    """``span`` with its number, even where it is one: “1 minute”."""
    said = spoken(span, words)
    return said if any(letter.isdigit() for letter in said) else f"1 {said}"


def _fixed_window(rule: FixedWindow, words: Words) -> str:
    sentence = words.gettext("%(amount)s in each %(period)s, up to %(twice)s around an edge")
    return sentence % (_numbers(rule, words) | {"twice": f"{2 * rule.amount:,}"})


def _counter(rule: SlidingWindowCounter, words: Words) -> str:
    sentence = words.gettext("about %(amount)s in any %(period)s, assuming even traffic")
    return sentence % _numbers(rule, words)


def _log(rule: SlidingWindowLog, words: Words) -> str:
    return words.gettext("never more than %(amount)s in any %(period)s") % _numbers(rule, words)


def _calendar(rule: CalendarQuota, words: Words) -> str:
    return CIVIL[rule.unit](words) % {"amount": f"{rule.amount:,}"}


def _concurrency(rule: Concurrency, words: Words) -> str:
    return words.gettext("never more than %(amount)s at once") % _numbers(rule, words)


def _deny_all(rule: DenyAll, words: Words) -> str:
    return words.gettext("denies all")


def _unlimited(rule: Unlimited, words: Words) -> str:
    return words.gettext("unlimited, but counted")


def _numbers(rule: Any, words: Words) -> dict[str, str]:
    return {"amount": f"{rule.amount:,}", "period": spoken(rule.period, words)}


SAYINGS: dict[type, Callable[[Any, Words], str]] = {
    TokenBucket: _token_bucket,
    LeakyBucket: _leaky_bucket,
    FixedWindow: _fixed_window,
    SlidingWindowCounter: _counter,
    SlidingWindowLog: _log,
    CalendarQuota: _calendar,
    Concurrency: _concurrency,
    DenyAll: _deny_all,
    Unlimited: _unlimited,
}
