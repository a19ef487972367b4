"""Rules, states and times in words, in the language of the reader."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache

from django.utils import translation
from django.utils.formats import date_format, number_format
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from quotas.domain.guarantees import guarantee, spoken
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
from quotas.domain.words import EVERY_SCOPE, CalendarUnit, SubjectKind
from quotas.models.choices import ALGORITHMS
from quotas.services.statement import SECOND_US, State

MINUTE, HOUR, DAY = 60, 3600, 86_400
RATES = {
    TokenBucket: _("%(amount)s per %(period)s, up to %(capacity)s at once"),
    LeakyBucket: _("%(amount)s per %(period)s, up to %(capacity)s queued"),
    FixedWindow: _("%(amount)s per %(period)s"),
    SlidingWindowCounter: _("%(amount)s per %(period)s"),
    SlidingWindowLog: _("%(amount)s in any %(period)s"),
    Concurrency: _("%(amount)s at once"),
    DenyAll: _("none at all"),
    Unlimited: _("unlimited, but counted"),
}
PER_UNIT = {
    CalendarUnit.DAY: _("%(amount)s per day"),
    CalendarUnit.WEEK: _("%(amount)s per week"),
    CalendarUnit.MONTH: _("%(amount)s per month"),
    CalendarUnit.YEAR: _("%(amount)s per year"),
}


def number(value: int) -> str:
    """A whole number with its digits grouped as the reader's language does."""
    return _number(value, translation.get_language())


def numbers(values: Iterable[int]) -> list[str]:
    """Several, each as `number` says it: to look up the reader's language takes as long as that."""
    language = translation.get_language()
    return [_number(value, language) for value in values]


@lru_cache(maxsize=8192)  # a page has a thousand numbers, the small ones over and over
def _number(value: int, language: str | None) -> str:
    return str(number_format(value, force_grouping=True))


def dated(when: datetime, form: str) -> str:
    """An instant in its own zone, in a date format of the reader's language without a zone."""
    return _dated(when.replace(tzinfo=None), form, translation.get_language())


def dates(instants: Iterable[datetime], form: str) -> list[str]:
    """Several, each as `dated` says it."""
    language = translation.get_language()
    return [_dated(when.replace(tzinfo=None), form, language) for when in instants]


@lru_cache(maxsize=8192)  # a page has two hundred, mostly those of the page before
def _dated(when: datetime, form: str, language: str | None) -> str:
    return date_format(when, form)


def share(percent: int) -> str:
    """A share of 100 as people read it: “75 %”."""
    return _share(percent, translation.get_language())


def shares(percents: Iterable[int]) -> list[str]:
    """Several, each as `share` says it."""
    language = translation.get_language()
    return [_share(percent, language) for percent in percents]


@lru_cache(maxsize=1024)
def _share(percent: int, language: str | None) -> str:
    return gettext("%(percent)s %%") % {"percent": number(percent)}


def listed(parts: Iterable[str]) -> str:
    """Several of a kind in a row: “Reports, Exports”."""
    return comma().join(parts)


def comma() -> str:
    """What is between the parts of a list, with its space."""
    return pgettext("between the parts of a list", ", ")


def named_each(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """What is said of things, each after its name: “Monday: 3 admitted”."""
    words = gettext("%(name)s: %(words)s")
    return [words % {"name": name, "words": said} for name, said in pairs]


def days(first: datetime, last: datetime) -> str:
    """A span by its first and its last day."""
    return gettext("%(first)s – %(last)s") % {"first": day(first), "last": day(last)}


def sentences(first: str, second: str) -> str:
    """Two sentences, one after the other."""
    return pgettext("two sentences", "%(first)s %(second)s") % {"first": first, "second": second}


def rate(rule: Rule) -> str:
    """The amount in short: “100 per minute, up to 20 at once”."""
    numbers = {
        name: number(value)
        for name in ("amount", "capacity")
        if (value := getattr(rule, name, None)) is not None
    }
    period: timedelta | None = getattr(rule, "period", None)
    if period is not None:
        numbers["period"] = spoken(period, translation)
    sentence = PER_UNIT[rule.unit] if isinstance(rule, CalendarQuota) else RATES[type(rule)]
    return str(sentence) % numbers


def promise(rule: Rule, *, anchor_day: int = 1) -> str:
    """How the rule judges and what it guarantees, as a sentence."""
    return gettext("%(algorithm)s: %(guarantee)s.") % {
        "algorithm": capfirst(str(dict(ALGORITHMS)[rule.algorithm])),
        "guarantee": guarantee(rule, translation, anchor_day=anchor_day),
    }


def taken(rule: Rule, used: int) -> str:
    """What is used, of what fits at once: “3 of 20 used”."""
    values = {"used": number(used)}
    if isinstance(rule, Unlimited):
        return gettext("%(used)s used, no limit") % values
    values["most"] = number(rule.most_at_once)
    if isinstance(rule, Concurrency):
        return gettext("%(used)s of %(most)s in flight") % values
    if isinstance(rule, LeakyBucket):
        return gettext("%(used)s of %(most)s queued") % values
    return gettext("%(used)s of %(most)s used") % values


def counted(subject: SubjectKind, *, yours: bool = False) -> str:
    """Who is counted; ``yours``: the numbers beside it are those of the reader."""
    if subject is SubjectKind.USER and yours:
        return gettext("each user apart; these are your own numbers")
    return {
        SubjectKind.TENANT: gettext("the whole tenant together"),
        SubjectKind.USER: gettext("each user apart"),
        SubjectKind.CREDENTIAL: gettext("each credential apart"),
        SubjectKind.ADDRESS: gettext("each address apart"),
    }[subject]


def scope_named(scope: str) -> str:
    """A scope as people read it."""
    return gettext("all scopes together") if scope == EVERY_SCOPE else scope


def stands(state: State) -> str:
    """A state in words: colour never says it alone."""
    return {
        State.UNKNOWN: gettext("usage not known"),
        State.UNLIMITED: gettext("no limit"),
        State.DENYING: gettext("denying now"),
        State.WOULD_DENY: gettext("would deny now"),
        State.NEAR: gettext("near the limit"),
        State.OK: gettext("OK"),
    }[state]


def lasting(span_us: int) -> str:
    """A span in its two largest units, rounded up: “3 minutes 20 seconds”."""
    seconds = -(-span_us // SECOND_US)
    grain = 1 if seconds < HOUR else MINUTE if seconds < DAY else HOUR
    seconds = -(-seconds // grain) * grain
    days, hours = seconds // DAY, seconds % DAY // HOUR
    minutes, rest = seconds % HOUR // MINUTE, seconds % MINUTE
    parts = [
        ngettext("%(count)s day", "%(count)s days", days) % {"count": number(days)},
        ngettext("%(count)s hour", "%(count)s hours", hours) % {"count": hours},
        ngettext("%(count)s minute", "%(count)s minutes", minutes) % {"count": minutes},
        ngettext("%(count)s second", "%(count)s seconds", rest) % {"count": rest},
    ]
    said = [part for part, count in zip(parts, (days, hours, minutes, rest), strict=True) if count]
    if len(said) <= 1:
        return "".join(said)
    larger, smaller = said
    return gettext("%(larger)s %(smaller)s") % {"larger": larger, "smaller": smaller}


def within(span_us: int) -> str:
    """How far away an instant is: “in 3 minutes 20 seconds”."""
    return gettext("in %(span)s") % {"span": lasting(span_us)}


def instant(when: datetime, *, seen_at: datetime | None = None) -> str:
    """An instant in its own zone; only the time of it on the day of ``seen_at``."""
    if seen_at is not None and seen_at.date() == when.date():
        return dated(when, pgettext("date format", "H:i:s"))
    return dated(when, pgettext("date format", "j M Y, H:i:s"))


def day(when: datetime) -> str:
    """The civil day of an instant in its own zone."""
    return dated(when, pgettext("date format", "j M Y"))
