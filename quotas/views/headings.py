"""Where calendar quotas are heading, each in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from quotas.domain.words import EVERY_SCOPE, CalendarUnit
from quotas.services.projections import projection_of
from quotas.views import wording

if TYPE_CHECKING:
    from datetime import datetime

    from quotas.services.usage import UsageLine
    from quotas.views.looks import Look


@dataclass(frozen=True, slots=True)
class Heading:
    """What becomes of a limit, in a sentence."""

    title: str
    scope: str
    words: str


def headings_of(look: Look) -> list[Heading]:
    """A sentence for each calendar quota of the scopes in view whose numbers are shown."""
    only = look.filters.scope
    return [
        Heading(
            title=line.limit.title or line.limit.name,
            scope=wording.scope_named(line.limit.scope),
            words=words,
        )
        for line in look.statement.usage.lines
        if (not only or line.limit.scope in {only, EVERY_SCOPE}) and (words := _words(line, look))
    ]


def _words(line: UsageLine, look: Look) -> str:
    """The sentence; blank for other limits, and in an outage."""
    found, rule = projection_of(line), line.limit.rule
    if found is None:
        return ""
    daily = getattr(rule, "unit", None) is CalendarUnit.DAY
    numbers = {"used": wording.number(line.used or 0), "amount": wording.number(rule.amount or 0)}
    if not line.remaining:
        when = _when(look.at(found.end_us), daily=daily)
        return _("The limit is reached; it starts anew on %(when)s.") % {"when": when}
    if not line.used:
        return _("Nothing of %(amount)s is used so far.") % numbers
    if found.used_at_end is None:
        return _("%(used)s of %(amount)s are used; it is too early to say more.") % numbers
    if found.reached_at_us is not None:
        when = _when(look.at(found.reached_at_us), daily=daily)
        return _("At this pace the limit is reached on %(when)s.") % {"when": when}
    numbers["used"] = wording.number(found.used_at_end)
    return _("At this pace %(used)s of %(amount)s are used by the end of the period.") % numbers


def _when(instant: datetime, *, daily: bool) -> str:
    """A day, and the time of it where a period is no longer than that."""
    if daily:
        return wording.dated(instant, pgettext("date format", "j F, H:i"))
    return wording.dated(instant, pgettext("date format", "j F"))
