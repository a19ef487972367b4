"""Limits and overrides as the usage page shows them: every number with its words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from quotas.domain.limits import MICROSECOND, CalendarQuota, Concurrency, FixedWindow
from quotas.domain.policies import Limit
from quotas.domain.words import Mode
from quotas.services.statement import State, Statement, near_percent, state_of
from quotas.services.usage import UsageLine
from quotas.views import wording

PERCENT = 100


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant for a ``<time>``: ``iso`` for machines, ``words`` for people.

    ``away``: how far it is from the reading, when that was asked for.
    """

    iso: str
    words: str
    away: str = ""


def moment(when: datetime, *, seen_at: datetime | None = None) -> Moment:
    """An instant in its own zone; with ``seen_at`` how far it is from then, and short that day."""
    away = wording.within((when - seen_at) // MICROSECOND) if seen_at else ""
    return Moment(when.isoformat(), wording.instant(when, seen_at=seen_at), away)


def day(when: datetime) -> Moment:
    """The civil day of an instant in its own zone."""
    return Moment(when.date().isoformat(), wording.day(when))


@dataclass(frozen=True, slots=True)
class Meter:
    """What a ``<meter>`` draws: ``value`` of ``most``, near the end when above ``high``.

    Texts, so that no template writes them in the reader's language.
    """

    value: str
    most: str
    high: str


class LimitFacts:
    """What is true of a limit whatever was used of it."""

    def __init__(self, limit: Limit, statement: Statement, *, yours: bool = False) -> None:
        self.limit = limit
        self.title = limit.title or limit.name
        self.scope = wording.scope_named(limit.scope)
        self.shadow = limit.mode is Mode.SHADOW
        self.off = limit.mode is Mode.OFF
        self.counted = wording.counted(limit.subject, yours=yours)
        self.rate = wording.rate(limit.rule)
        self.allows = _("switched off") if self.off else self.rate
        anchor_day = statement.usage.tenant.anchor_day
        self.promise = wording.promise(limit.rule, anchor_day=anchor_day)
        self.capped = limit.cap is not None
        self.overridden = limit.source.kind == "override"
        self.reason = limit.source.title if self.overridden else ""
        ends = limit.source.ends
        self.until = ends and moment(ends.astimezone(statement.zone))


class LimitRow(LimitFacts):
    """A limit with what was used of it when the statement was read."""

    def __init__(self, line: UsageLine, statement: Statement) -> None:
        super().__init__(line.limit, statement, yours=True)
        self._line = line
        self._statement = statement
        self.state = state_of(line)
        self.stands = wording.stands(self.state)

    @property
    def taken(self) -> str | None:
        """What is used, of what fits at once; None in an outage."""
        used = self._line.used
        return None if used is None else wording.taken(self.limit.rule, used)

    @property
    def remaining(self) -> str | None:
        """Whole units left; None when unlimited, and in an outage."""
        left = self._line.remaining
        return None if left is None else wording.number(left)

    @property
    def meter(self) -> Meter | None:
        """None when there is nothing to fill: unlimited, an amount of 0, an outage."""
        most = getattr(self.limit.rule, "most_at_once", None)
        if not most or self._line.used is None:
            return None
        near = near_percent(self.limit)
        high = most if near is None else (most * near - 1) // PERCENT
        return Meter(str(min(self._line.used, most)), str(most), str(high))

    @property
    def next_words(self) -> str | None:
        """When a call of cost 1 is next admitted; None when it is not known."""
        verdict, wait = self._line.verdict, self._line.next_admission_us
        if verdict is None:
            return None
        if wait is None:
            return _("not while the amount is 0")
        if wait == 0 and verdict.delay_us:
            return _("now, to start in %(span)s") % {"span": wording.lasting(verdict.delay_us)}
        if wait == 0:
            return pgettext("next call", "now")
        if isinstance(self.limit.rule, Concurrency):
            return _("when a call ends, at the latest in %(span)s") % {
                "span": wording.lasting(wait)
            }
        return wording.within(wait)

    @property
    def next_at(self) -> Moment | None:
        """The instant of `next_words`; None when it is now, never, or not known."""
        at = self._statement.next_admission(self._line) if self._line.next_admission_us else None
        return None if at is None else moment(at, seen_at=self._statement.instant())

    @property
    def renews_at(self) -> Moment | None:
        """When the window ends and all of the amount is back; None for other rules."""
        verdict = self._line.verdict
        if not verdict or not isinstance(self.limit.rule, CalendarQuota | FixedWindow):
            return None
        return moment(
            self._statement.instant(verdict.reset_us or 0), seen_at=self._statement.instant()
        )


def page_of(statement: Statement, *, reasons: bool) -> dict[str, Any]:
    """What the usage page shows of a statement; ``reasons``: why overrides were made, too."""
    usage, since = statement.usage, statement.plan_since
    rows = [LimitRow(line, statement) for line in usage.lines]
    return {
        "tenant": usage.tenant,
        "plan_name": usage.plan_name,
        "plan_since": since and day(since.astimezone(statement.zone)),
        "outage": usage.outage,
        "read_at": moment(statement.instant()),
        "rows": rows,
        "summary": summary(rows),
        "worst": worst(rows),
        "apart": [LimitFacts(limit, statement) for limit in statement.apart],
        "overrides": [LimitFacts(limit, statement) for limit in statement.overrides],
        "reasons": reasons,
    }


def worst(rows: list[LimitRow]) -> State:
    """The state that the page as a whole is in: a limit that denies, one that is near, or OK."""
    states = {row.state for row in rows}
    return next((each for each in (State.DENYING, State.NEAR) if each in states), State.OK)


def summary(rows: list[LimitRow]) -> list[str]:
    """How the limits stand, in a sentence or two: those that deny, those that are near."""
    said = [
        sentence % {"titles": wording.listed(row.title for row in rows if row.state is state)}
        for state, sentence in (
            (State.DENYING, _("Denying now: %(titles)s.")),
            (State.NEAR, _("Near the limit: %(titles)s.")),
        )
        if any(row.state is state for row in rows)
    ]
    return said or [_("No limit denies now.")]
