"""A page that tells what applied to a tenant at an instant that is past."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quotas.admin.audit import AuditedAdmin
from quotas.admin.tenant_page import EffectiveRow
from quotas.models import Tenant
from quotas.models.choices import MODES
from quotas.services.applied import BEGINNING, Applied, NotKnown, applied_to
from quotas.services.policy import UTC, zone_of

TENANTS, UTCS = "tenant", "utc"
FORMAT = "%Y-%m-%dT%H:%M:%S"
A_MOMENT = timedelta(seconds=1)


class AppliedForm(forms.Form):
    """When, and in which time zone that is meant."""

    at = forms.DateTimeField(
        label=gettext_lazy("At"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}, format=FORMAT),
    )
    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=[(TENANTS, gettext_lazy("the tenant's")), (UTCS, "UTC")],
        required=False,
        initial=TENANTS,
    )

    def clean_at(self) -> datetime:
        """Not later than now."""
        at: datetime = self.cleaned_data["at"]
        if at > timezone.now() + A_MOMENT:
            raise ValidationError(_("This is yet to come: give an instant that is past."))
        return max(at, BEGINNING)


class AppliedRow(EffectiveRow):
    """One limit as it was in force."""

    @property
    def mode(self) -> str:
        """Whether it denied, in words."""
        return str(dict(MODES)[self.limit.mode.value])


class AppliedPage(AuditedAdmin):
    """Adds the page, and the way to it."""

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.applied_view)
        own = path("<path:object_id>/applied/", view, name="quotas_tenant_applied")
        return [own, *super().get_urls()]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        tenant = kwargs.get("obj")
        if tenant is not None and tenant.pk:
            context["applied_page"] = reverse("admin:quotas_tenant_applied", args=[tenant.pk])
        return super().render_change_form(request, context, *args, **kwargs)

    def applied_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask when; tell what applied then, in the zone in which it was asked."""
        if not self.has_view_permission(request):
            raise PermissionDenied  # before it is told whether there is such a tenant
        tenant = self.get_object(request, unquote(object_id))
        if tenant is None:
            raise Http404
        zone = _zone(tenant, request.GET.get("zone"))
        with timezone.override(zone):  # in which a text without an offset is read
            form = AppliedForm(request.GET if "at" in request.GET else None)
            found = applied_to(tenant.pk, form.cleaned_data["at"]) if form.is_valid() else None
        if found is not None:
            form = _asked_again(form.cleaned_data, zone)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": tenant,
            "title": _("What applied when"),
            "subtitle": str(tenant),
            "form": form,
            "zone": str(zone),
            "back": reverse("admin:quotas_tenant_change", args=[tenant.pk]),
            **(_told(found, zone) if found else {}),
        }
        return TemplateResponse(request, "quotas/admin/applied.html", context)


def _zone(tenant: Tenant, chosen: str | None) -> ZoneInfo:
    return UTC if chosen == UTCS else zone_of(tenant.time_zone)


def _asked_again(given: dict[str, Any], zone: ZoneInfo) -> AppliedForm:
    """The form with the instant as its field takes it: without an offset, in the zone."""
    at = given["at"].astimezone(zone).replace(tzinfo=None)
    return AppliedForm(initial={"at": at, "zone": given["zone"] or TENANTS})


def _told(found: Applied | NotKnown, zone: ZoneInfo) -> dict[str, Any]:
    if isinstance(found, NotKnown):
        return {"not_known": True, "begins": found.begins and found.begins.astimezone(zone)}
    rows = [AppliedRow(each, by_default=found.by_default) for each in found.limits]
    return {"applied": found, "at": found.at.astimezone(zone), "effective": rows}
