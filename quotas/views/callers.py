"""Who called: users and credentials by how much they asked for, and whether they wait when told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from quotas.models import Membership
from quotas.services.calls import calls_of
from quotas.views import wording
from quotas.views.rows import Moment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from quotas.domain.calls import Calls, CallsByHour
    from quotas.views.looks import Look

CALLER = re.compile(r"(?:u(?P<user>\S+))?(?: ?c(?P<credential>[a-z2-7]{8}))?")
PATIENT, HURRIED = 5, 50
"""Percent of denied calls that came early, from which on clients are said to hurry, to hammer."""


@dataclass(frozen=True, slots=True)
class CallerRow:
    """One caller: ``name`` in words, ``credential`` its short digest, blank without one."""

    name: str
    credential: str
    admitted: str
    denied: str
    early: str
    units: str
    share: str
    share_words: str


def calls_for(look: Look) -> CallsByHour:
    """Who called, and how full each limit got, in the span of a look's history."""
    usage = look.statement.usage
    return calls_of(
        usage.tenant.pk,
        look.history.start,
        look.history.end,
        zone=look.statement.zone,
        tallied=usage.tallied,
    )


def calls_data(calls: CallsByHour, names: Names) -> dict[str, Any]:
    """Who called, as JSON takes it.

    ``caller`` is ``u<user>``, ``c<first letters of the credential's digest>``, or both.
    """
    total = calls.total
    return {
        "start": calls.start.isoformat(),
        "end": calls.end.isoformat(),
        "total": _sums(total),
        "early_percent": _early_percent(total) if total.denied else None,
        "backing_off": CallersView(calls, names).backing_off,
        "callers": [
            caller_data(caller, names) | _sums(sums) | {"share": _share(sums, total)}
            for caller, sums in calls.callers.items()
        ],
        "rest": _sums(calls.rest) | {"share": _share(calls.rest, total)},
    }


def caller_data(caller: str, names: Names) -> dict[str, str | None]:
    """Who a caller is, as JSON takes it; all of it is null for nobody in particular."""
    if not caller:
        return {"caller": None, "caller_name": None, "credential": None}
    named = names.named(caller)
    return {
        "caller": caller,
        "caller_name": named.name,
        "credential": named.credential or None,
    }


class CallersView:
    """What the templates ask of who called; ``until`` is None while the span goes on."""

    def __init__(self, calls: CallsByHour, names: Names, *, now: datetime | None = None) -> None:
        self.anything = bool(calls.total.requests)
        self.since = _moment(calls.start)
        self.until = _moment(calls.end) if now and calls.end < now else None
        self._calls = calls
        self._names = names

    @property
    def rows(self) -> list[CallerRow]:
        """The busiest callers, then everybody else together."""
        found = [self._row(caller, sums) for caller, sums in self._calls.callers.items()]
        if self._calls.rest.requests:
            found.append(self._line(_("everybody else"), "", self._calls.rest))
        return found

    @property
    def backing_off(self) -> str:
        """Whether clients wait as long as they are told, in a sentence."""
        total = self._calls.total
        if not total.denied:
            return _("No call was denied.")
        share = _early_percent(total)
        values = {
            "early": wording.number(total.early),
            "denied": wording.number(total.denied),
            "share": wording.share(share),
        }
        said = _("%(early)s of %(denied)s denied calls (%(share)s) came sooner than told.") % values
        if share < PATIENT:
            told = _("Clients wait as long as Retry-After says.")
        elif share < HURRIED:
            told = _("Some clients do not wait as long as Retry-After says.")
        else:
            told = _("Clients try again without waiting as long as Retry-After says.")
        return wording.sentences(said, told)

    def _row(self, caller: str, sums: Calls) -> CallerRow:
        named = self._names.named(caller)
        return self._line(named.name, named.credential, sums)

    def _line(self, name: str, credential: str, sums: Calls) -> CallerRow:
        share = _share(sums, self._calls.total)
        return CallerRow(
            name=name,
            credential=credential,
            admitted=wording.number(sums.admitted),
            denied=wording.number(sums.denied),
            early=wording.number(sums.early),
            units=wording.number(sums.units),
            share=str(share),
            share_words=wording.share(share),
        )


class Named(NamedTuple):
    """A caller in words; ``credential`` is the first letters of its digest, blank without one."""

    name: str
    credential: str


class Names:
    """What callers are called: the tenant's members by name, all others by number. One query.

    Who does not belong to the tenant is not named to it.
    """

    def __init__(self, tenant_pk: int, callers: Iterable[str]) -> None:
        found = (CALLER.fullmatch(each) for each in callers)
        users = {each["user"] for each in found if each and each["user"]}
        named = f"user__{get_user_model().USERNAME_FIELD}"
        members = Membership.objects.filter(tenant=tenant_pk, user__in=_keys(users))
        rows = members.values_list("user_id", named) if users else ()
        self._names = {str(pk): str(name) for pk, name in rows}

    def named(self, caller: str) -> Named:
        """This caller in words."""
        found = CALLER.fullmatch(caller)
        credential = (found and found["credential"]) or ""
        user = found and found["user"]
        if not user:
            return Named(_("no user"), credential)
        return Named(self._names.get(user) or _("user %(pk)s") % {"pk": user}, credential)


def _moment(when: datetime) -> Moment:
    """An edge of whole hours, which has no seconds."""
    return Moment(when.isoformat(), wording.dated(when, pgettext("date format", "j M Y, H:i")))


def _sums(sums: Calls) -> dict[str, int]:
    return {
        "requests": sums.requests,
        "admitted": sums.admitted,
        "denied": sums.denied,
        "early": sums.early,
        "units": sums.units,
    }


def _share(sums: Calls, total: Calls) -> int:
    """Percent of all requests."""
    return 100 * sums.requests // max(1, total.requests)


def _early_percent(total: Calls) -> int:
    return 100 * total.early // total.denied


def _keys(texts: set[Any]) -> list[Any]:
    """Those texts that can be primary keys of users."""
    field = get_user_model()._meta.pk  # noqa: SLF001 - Django's documented way to a model's fields
    found = []
    for text in texts:
        try:
            value = field.to_python(text)
            field.run_validators(value)  # a number may be above what its column holds
            found.append(value)
        except Exception:  # noqa: BLE001, S112 - a field of the project's own may raise anything
            continue
    return found
