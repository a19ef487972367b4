"""What the address of a page asks for: span, zone and scope. Every link of the page keeps them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from quotas.domain.history import Span, Window
from quotas.domain.words import EVERY_SCOPE
from quotas.views import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quotas.services.statement import Statement

UTC_ASKED = "utc"
LONGEST_SHOWN = 40
LONGEST_SCOPE = 255
MOST_DAYS = 400
EARLIEST_YEAR, LATEST_YEAR = 1971, 9000


class WrongRange(Exception):
    """A range that cannot be shown; the message names the value and the way out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The filters as they were asked for; a ``scope`` of no text is every scope.

    ``since`` and ``until`` are the texts of a custom range. Of a wrong one, and of an unknown span,
    ``trouble`` is what is wrong with it, and ``window`` the last 24 hours.
    """

    window: Window
    utc: bool
    scope: str
    since: str = ""
    until: str = ""
    trouble: str = ""
    unknown_span: bool = False

    def query(self, **changes: str) -> str:
        """A query string that asks for the same, but for what is given: ``?span=week&zone=utc``.

        Another span lets go of a custom range.
        """
        custom = self.window.span is Span.CUSTOM
        asked = {
            "span": self.window.span.value,
            "from": self.since if custom else "",
            "to": self.until if custom else "",
            "zone": UTC_ASKED if self.utc else "",
            "scope": self.scope,
        }
        if changes.get("span", asked["span"]) != asked["span"]:
            asked |= {"from": "", "to": ""}
        return "?" + urlencode({name: text for name, text in (asked | changes).items() if text})


@dataclass(frozen=True, slots=True)
class DayField:
    """An input for one end of a range: a calendar, or the text of what is more than a day."""

    name: str
    words: str
    type: str
    value: str


class FilterForm:
    """What the template asks of the form that changes the filters."""

    utc_words = "UTC"

    def __init__(self, filters: Filters, scopes: Iterable[str]) -> None:
        self.utc = filters.utc
        self.scope = filters.scope
        self.scopes = sorted({*scopes, filters.scope} - {""})
        custom = filters.window.span is Span.CUSTOM
        self.span = "" if custom else filters.window.span.value
        self.open = bool(custom or filters.trouble or filters.utc or filters.scope)
        self.wrong_days = bool(filters.trouble) and not filters.unknown_span
        self.days = [
            _day_field("from", _("From"), filters.since),
            _day_field("to", _("To"), filters.until),
        ]


def filters_of(asked: Mapping[str, str], statement: Statement) -> Filters:
    """What a query string asks for: without a span the last 24 hours, in the tenant's zone.

    A range is custom wherever ``from`` or ``to`` is given, whatever the span. Scope ``*`` is every
    scope together, as everywhere: no filter.
    """
    utc = asked.get("zone", "").lower() == UTC_ASKED
    own = statement.own_zone
    scope = asked.get("scope", "").replace("\0", "\N{REPLACEMENT CHARACTER}")[:LONGEST_SCOPE]
    scope = "" if scope == EVERY_SCOPE else scope
    span = asked.get("span", "")
    since, until = asked.get("from", "").strip(), asked.get("to", "").strip()
    known = span in frozenset(Span)
    window = Window(
        span=Span(span) if known and span != Span.CUSTOM else Span.DAY,
        zone=ZoneInfo("UTC") if utc else own,
        own_zone=own,
        anchor_day=statement.usage.tenant.anchor_day,
        scope=scope or None,
    )
    filters = Filters(window=window, utc=utc, scope=scope, since=since, until=until)
    if not (since or until or span == Span.CUSTOM):
        wrong = bool(span) and not known
        trouble = _unknown(span) if wrong else ""
        return replace(filters, trouble=trouble, unknown_span=wrong)
    try:
        window = _custom(replace(window, span=Span.CUSTOM), since, until, statement.instant())
    except WrongRange as wrong:
        window = replace(window, span=Span.DAY)
        return replace(filters, window=window, trouble=str(wrong))
    return replace(filters, window=window)


def _unknown(span: str) -> str:
    return _("“span” is “%(value)s”, which is none: give one of %(spans)s.") % {
        "value": _shown(span),
        "spans": wording.listed(each.value for each in Span),
    }


def _day_field(name: str, words: str, value: str) -> DayField:
    try:
        plain = not value or date.fromisoformat(value).isoformat() == value
    except ValueError:
        plain = False
    return DayField(name, words, "date" if plain else "text", value)


def _custom(window: Window, since: str, until: str, now: datetime) -> Window:
    """A window from one text to the other, or up to today. Raises `WrongRange`."""
    if not since:
        raise WrongRange(
            _("The range has no beginning: give “from” a day such as %(day)s.")
            % {"day": now.date().isoformat()}
        )
    first = _read("from", since, window.zone, now)
    until = until or now.astimezone(window.zone).date().isoformat()
    last = _read("to", until, window.zone, now, end=True)
    told = {"from": _shown(since), "to": _shown(until)}
    if first > now:
        raise WrongRange(
            _("“from” is “%(from)s”, which is still to come: give a day up to today.") % told
        )
    if first >= last:
        raise WrongRange(
            _("“from” is “%(from)s”, which is after “to”, “%(to)s”: give the earlier one first.")
            % told
        )
    days = -(-(_civil(last, window.zone) - _civil(first, window.zone)) // timedelta(days=1))
    if days > MOST_DAYS:
        raise WrongRange(
            _("“%(from)s” to “%(to)s” are %(days)d days: give at most %(most)d days at a time.")
            % {**told, "days": days, "most": MOST_DAYS}
        )
    return replace(window, since=first, until=last)


def _read(name: str, text: str, zone: ZoneInfo, now: datetime, *, end: bool = False) -> datetime:
    """A civil date of a zone, its first instant or its end, or a date with a time."""
    try:
        day: date | None = date.fromisoformat(text)
    except ValueError:
        day = None
    try:
        if day is not None:
            day += timedelta(days=1 if end else 0)
            found = datetime.combine(day, time())
        else:
            found = datetime.fromisoformat(text)
        if not EARLIEST_YEAR <= found.year <= LATEST_YEAR:
            raise ValueError(text)  # noqa: TRY301 - one message for whatever cannot be looked at
        return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise WrongRange(
            _(
                "“%(name)s” is “%(value)s”, which is no day: give one such as %(day)s, or a time "
                "such as %(time)s."
            )
            % {
                "name": name,
                "value": _shown(text),
                "day": now.date().isoformat(),
                "time": f"{now:%Y-%m-%dT%H:%M}",
            }
        ) from error


def _civil(instant: datetime, zone: ZoneInfo) -> datetime:
    """What clocks show: a day of 25 hours is one day, too."""
    return instant.astimezone(zone).replace(tzinfo=None)


def _shown(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
