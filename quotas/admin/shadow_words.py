"""What a limit in shadow would have denied, in sentences and in the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from quotas.domain.history import Sums
from quotas.domain.words import Mode
from quotas.models import Override, PlanLimit, Tenant
from quotas.services.shadow import Back, Shadow, began
from quotas.services.shadow_rows import Shadowed

SPANS = {
    Back.SINCE: _("Since it is in shadow"),
    Back.DAY: _("24 hours"),
    Back.WEEK: _("7 days"),
}
STANDS = {
    Mode.SHADOW: _("In shadow since %(since)s: it denies nothing, and counts what it would deny."),
    Mode.ENFORCE: _("Enforced since %(since)s: it denies what is over it."),
    Mode.OFF: _("Off since %(since)s: it is not evaluated."),
}


class TenantRow(NamedTuple):
    """One tenant, as the table has it; ``percent`` of its calls would have been denied."""

    tenant: Tenant
    address: str
    calls: str
    admitted: str
    denied: str
    shadow_denied: str
    percent: str
    share: str
    last_seen: datetime | None


def stands(limit: PlanLimit | Override) -> str:
    """The mode of a limit, since when, and what that means."""
    return str(STANDS[Mode(limit.mode)]) % {"since": dated(began(limit))}


def named(limit: PlanLimit | Override) -> str:
    """A limit with its plan, or its tenant."""
    whose = limit.tenant if isinstance(limit, Override) else limit.plan
    return f"{whose}: {limit}"


def facts(found: Shadow) -> list[tuple[str, str]]:
    """The sums, each by its name."""
    sums, would = found.sums, len(found.rows)
    lines = [
        (gettext("Calls"), number(sums.requests)),
        (gettext("Admitted"), number(sums.admitted)),
        (gettext("Denied by other limits"), number(sums.denied)),
        (gettext("Would have denied"), f"{number(sums.shadow_denied)} ({share(sums)})"),
        (gettext("Tenants that would have been denied"), number(would)),
        (gettext("Tenants that called, and would not"), number(found.called - would)),
        (gettext("Tenants without a call"), number(max(0, found.tenants - found.called))),
    ]
    if found.nobody is not None:
        would_nobody = gettext("%(would)s of %(calls)s calls") % _values(found.nobody)
        lines.append((gettext("Would have denied callers without a tenant"), would_nobody))
    return lines


def notes(found: Shadow) -> list[str]:
    """What the numbers leave out, and how exact they are."""
    said = [_counted(found)]
    if found.whole_days:
        said.append(gettext("Of long ago whole days are kept: the first of them counts whole."))
    if found.overridden:
        text = ngettext(
            "%(count)s tenant of the plan has an override in its place, and is not concerned.",
            "%(count)s tenants of the plan have an override in its place, and are not concerned.",
            found.overridden,
        )
        said.append(text % {"count": number(found.overridden)})
    said.append(
        gettext(
            "Each call was judged by the numbers that the limit had at that time, and each "
            "tenant's calls count from when it came to the plan."
        )
    )
    return said


def consequence(found: Shadow) -> str:
    """What it means to enforce the limit, as far as is known."""
    would = len(found.rows)
    text = ngettext(
        "It would have denied %(would)s of %(calls)s calls, of %(count)s tenant.",
        "It would have denied %(would)s of %(calls)s calls, of %(count)s tenants.",
        would,
    )
    said = [text % {**_values(found.sums), "count": number(would)}]
    if found.nobody is not None:
        text = gettext("Of callers without a tenant: %(would)s of %(calls)s calls.")
        said.append(text % _values(found.nobody))
    said += [_counted(found), gettext("Once it is enforced, such calls are denied.")]
    return " ".join(said)


def tenant_rows(rows: Iterable[Shadowed]) -> list[TenantRow]:
    """These tenants in their order: one query."""
    rows = list(rows)
    pks = [row.tenant_pk for row in rows]
    tenants = Tenant.objects.select_related("snapshot").in_bulk(pks)
    return [_row(tenants[pk], sums) for pk, sums in rows if pk in tenants]


def share(sums: Sums) -> str:
    """Which share of the calls would have been denied; some are never called none."""
    percent = percent_of(sums)
    if not percent and sums.shadow_denied:
        return gettext("less than 1 %%") % ()
    return gettext("%(percent)s %%") % {"percent": number(percent)}


def percent_of(sums: Sums) -> int:
    """The same, rounded down."""
    return 100 * sums.shadow_denied // max(1, sums.requests)


def dated(when: datetime) -> str:
    """An instant in the zone of the admin."""
    return date_format(timezone.localtime(when), "SHORT_DATETIME_FORMAT")


def number(value: int) -> str:
    """A whole number with its digits grouped."""
    return str(number_format(value, force_grouping=True))


def _counted(found: Shadow) -> str:
    """How far the numbers go: they lag behind as the flush does."""
    if found.copied_at is None:
        return gettext("Nothing is counted yet: run quotas_flush, every few minutes.")
    text = gettext("Counted from %(start)s up to %(end)s, when quotas_flush last copied anything.")
    return text % {"start": dated(found.start), "end": dated(found.copied_at)}


def _row(tenant: Any, sums: Sums) -> TenantRow:
    snapshot = getattr(tenant, "snapshot", None)
    return TenantRow(
        tenant=tenant,
        address=reverse("admin:quotas_tenant_change", args=[tenant.pk]),
        calls=number(sums.requests),
        admitted=number(sums.admitted),
        denied=number(sums.denied),
        shadow_denied=number(sums.shadow_denied),
        percent=str(min(100, percent_of(sums))),
        share=share(sums),
        last_seen=snapshot and snapshot.last_seen,
    )


def _values(sums: Sums) -> dict[str, str]:
    return {"would": number(sums.shadow_denied), "calls": number(sums.requests)}
