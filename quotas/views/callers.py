"""Who called: users and credentials by how much they asked for, and whether they wait when told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user_model
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from quotas.models import Membership
from quotas.views import wording

if TYPE_CHECKING:
    from quotas.domain.calls import Calls, CallsByHour

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


class CallersView:
    """What the templates ask of who called."""

    def __init__(self, calls: CallsByHour, tenant_pk: int) -> None:
        self.anything = bool(calls.total.requests)
        self.since = date_format(calls.start, pgettext("date format", "j M Y, H:i"))
        self.since_iso = calls.start.isoformat()
        self._calls = calls
        self._names = names_of(tenant_pk, calls)

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
        share = 100 * total.early // total.denied
        values = {
            "early": wording.number(total.early),
            "denied": wording.number(total.denied),
            "share": share,
        }
        said = (
            _("%(early)s of %(denied)s denied calls (%(share)s %%) came sooner than told.") % values
        )
        if share < PATIENT:
            return f"{said} {_('Clients wait as long as Retry-After says.')}"
        if share < HURRIED:
            return f"{said} {_('Some clients do not wait as long as Retry-After says.')}"
        return f"{said} {_('Clients try again without waiting as long as Retry-After says.')}"

    def _row(self, caller: str, sums: Calls) -> CallerRow:
        found = CALLER.fullmatch(caller)
        user, credential = found.group("user", "credential") if found else (None, None)
        name = self._names.get(user or "") or (
            _("user %(pk)s") % {"pk": user} if user else _("no user")
        )
        return self._line(name, credential or "", sums)

    def _line(self, name: str, credential: str, sums: Calls) -> CallerRow:
        share = 100 * sums.requests // max(1, self._calls.total.requests)
        return CallerRow(
            name=name,
            credential=credential,
            admitted=wording.number(sums.admitted),
            denied=wording.number(sums.denied),
            early=wording.number(sums.early),
            units=wording.number(sums.units),
            share=str(share),
        )


def names_of(tenant_pk: int, calls: CallsByHour) -> dict[str, str]:
    """What the tenant's members among the callers are called, by primary key as text. One query.

    Others stay numbers: who does not belong to the tenant is not named to it.
    """
    users = {found["user"] for each in calls.callers if (found := CALLER.fullmatch(each))}
    named = f"user__{get_user_model().USERNAME_FIELD}"
    members = Membership.objects.filter(tenant=tenant_pk, user__in=_keys(users - {None}))
    return {str(pk): str(name) for pk, name in members.values_list("user_id", named)}


def _keys(texts: set[Any]) -> list[Any]:
    """Those texts that can be primary keys of users."""
    field = get_user_model()._meta.pk  # noqa: SLF001 - Django's documented way to a model's fields
    found = []
    for text in texts:
        try:
            found.append(field.to_python(text))
        except Exception:  # noqa: BLE001, S112 - a field of the project's own may raise anything
            continue
    return found
