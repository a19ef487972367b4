"""What a tenant's page says of its limits: what applies, why, how it stands, what was denied."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from quotas.admin.limits import amount_said
from quotas.admin.tenant_list import NOTHING, TenantList, dated
from quotas.domain.guarantees import guarantee, spoken
from quotas.domain.policies import Limit
from quotas.domain.words import Mode
from quotas.models import Tenant
from quotas.services.denials import decision_id, short_id
from quotas.services.effective import Effective, Standing, standing_of
from quotas.services.statement import SECOND_US, State, state_of

PAGES = {"plan": "admin:quotas_planlimit_change", "override": "admin:quotas_override_change"}
SHADOWS = {"plan": "admin:quotas_planlimit_shadow", "override": "admin:quotas_override_shadow"}


class EffectiveRow:
    """One limit in force: its number, where that came from, what it took the place of."""

    def __init__(self, effective: Effective, *, by_default: bool) -> None:
        self._effective = effective
        self._by_default = by_default
        self.limit = effective.limit
        self.title = self.limit.title or self.limit.name
        self.allows = amount_of(self.limit)
        self.promise = guarantee(self.limit.rule, translation)
        self.source = self._source(self.limit)
        self.address = address_of(self.limit)
        self.shadow = address_of(self.limit, SHADOWS) if self.limit.mode is Mode.SHADOW else None
        self.beaten = [(amount_of(each), self._origin(each)) for each in effective.beaten]
        self.percent = effective.line and effective.line.percent

    @property
    def stands(self) -> str:
        """The state in words."""
        if self.limit.mode is Mode.OFF:
            return _("off: not evaluated")
        line = self._effective.line
        if line is None:
            return _("counts each apart")
        return {
            State.UNKNOWN: _("usage not known"),
            State.UNLIMITED: _("no limit"),
            State.DENYING: _("denying now"),
            State.WOULD_DENY: _("would deny now"),
            State.NEAR: _("near the limit"),
            State.OK: _("OK"),
        }[state_of(line)]

    @property
    def used(self) -> str:
        """What is used of what fits at once; a dash when it is not known."""
        line = self._effective.line
        if line is None or line.used is None:
            return NOTHING
        values = {"used": number(line.used)}
        most = getattr(self.limit.rule, "most_at_once", None)
        if most is None:
            return _("%(used)s used") % values
        return _("%(used)s of %(most)s used") % {**values, "most": number(most)}

    @property
    def next_call(self) -> str:
        """When a call of cost 1 fits."""
        line = self._effective.line
        if line is None or line.verdict is None:
            return NOTHING
        wait = line.next_admission_us
        if wait is None:
            return _("never")
        if wait == 0:
            return _("now")
        span = spoken(timedelta(seconds=-(-wait // SECOND_US)), translation)
        return _("in %(span)s") % {"span": span}

    def _source(self, limit: Limit) -> str:
        if limit.cap is not None:
            return _("the tenant's own cap")
        return self._origin(limit)

    def _origin(self, limit: Limit) -> str:
        source, values = limit.source, {"title": limit.source.title}
        if source.kind != "override":
            text = _("default plan %(title)s") if self._by_default else _("plan %(title)s")
            return text % values
        if source.ends is None:
            return _("override for good: %(title)s") % values
        text = _("override until %(end)s: %(title)s")
        return text % {**values, "end": dated(source.ends)}


class TenantPage(TenantList):
    """Adds to the form of a tenant what applies to it."""

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,  # noqa: FBT001, FBT002
        change: bool = False,  # noqa: FBT001, FBT002
        form_url: str = "",
        obj: Any = None,
    ) -> Any:
        standing = standing_of(obj.pk) if change and obj else None
        if standing is not None:
            context.update(page_of(obj, standing))
        return super().render_change_form(request, context, add, change, form_url, obj)


def page_of(tenant: Tenant, standing: Standing) -> dict[str, Any]:
    """What the page shows of a standing."""
    statement = standing.statement
    by_default = tenant.plan_id is None or not tenant.plan or not tenant.plan.active
    return {
        "standing": True,
        "outage": statement.usage.outage,
        "read_at": dated(statement.instant()),
        "effective": [EffectiveRow(each, by_default=by_default) for each in standing.limits],
        "denials": [
            {
                "at": dated(statement.instant(each.at_us - statement.at_us)),
                "limit": f"{each.scope}/{each.name}",
                "operation": each.operation or NOTHING,
                "cost": number(each.cost),
                "short": short_id(each),
                "address": _reversed("quotas:decision", decision_id(each)),
            }
            for each in statement.usage.denials
        ],
        "usage_page": _reversed("quotas:usage", tenant.key),
    }


def amount_of(limit: Limit) -> str:
    """The amount: 0, blank and a number look different."""
    return amount_said(limit.rule.amount)


def address_of(limit: Limit, pages: dict[str, str] = PAGES) -> str | None:
    """The page of the row that a limit was defined in, or another page of that row."""
    page = pages.get(limit.source.kind)
    return (
        None if page is None or limit.source.pk is None else reverse(page, args=[limit.source.pk])
    )


def number(value: int) -> str:
    """A whole number with its digits grouped."""
    return str(number_format(value, force_grouping=True))


def _reversed(name: str, value: str) -> str | None:
    """The address of a page for tenants; None in a project that does not include them."""
    try:
        return reverse(name, args=[value])
    except NoReverseMatch:
        return None
