"""The page of alerts: what was raised, how the tenant is told, and its own caps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_protect

from quotas.domain.limits import MOST_AMOUNT
from quotas.models import Membership, Tenant
from quotas.services.alert_settings import choose, latest_alerts, renew_secret, settings_of
from quotas.services.caps import NotCapped, cappable, remove_cap, set_cap
from quotas.services.webhooks import NotDelivered
from quotas.views.access import Viewing, nowhere, viewing
from quotas.views.alert_rows import AlertRow, CapRow, too_high, why_not
from quotas.views.pages import Private

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN_ONCE = "quotas_webhook_secret"
"""In the session: the tenant whose new secret the next look at the page shows."""
DONE = {
    "settings": gettext_lazy("Saved: this is how the managers are told from now on."),
    "secret": gettext_lazy("There is a new secret: posts are signed with it from now on."),
    "cap": gettext_lazy("The cap is set: it holds from the next call on."),
    "uncap": gettext_lazy("The cap is gone: the limit's own amount holds from the next call on."),
}


class SettingsForm(forms.Form):
    """How the managers are told."""

    email = forms.BooleanField(required=False)
    webhook_url = forms.CharField(required=False, max_length=500)


class UncapForm(forms.Form):
    """Which limit a cap is on."""

    scope = forms.CharField(max_length=200)
    name = forms.CharField(max_length=50)


class CapForm(UncapForm):
    """A cap on one limit."""

    amount = forms.IntegerField(min_value=1, max_value=MOST_AMOUNT)


@method_decorator(csrf_protect, name="dispatch")
class AlertsPage(Private):
    """What was raised lately, for every member; managers also change what is to happen."""

    template_name = "quotas/alerts.html"
    http_method_names = ["get", "head", "post", "options"]

    def get(self, request: HttpRequest, tenant: str) -> HttpResponse:
        seen = viewing(request.user, tenant)
        return self._page(request, seen, manager=manages(request.user, seen))

    def post(self, request: HttpRequest, tenant: str) -> HttpResponse:
        """Do what one of the forms asks for, and show the page anew."""
        seen = viewing(request.user, tenant)
        if not manages(request.user, seen):
            raise PermissionDenied(_("Only a manager of the tenant may change this."))
        asked = request.POST.get("do", "")
        doing: dict[str, Callable[[HttpRequest, Viewing], dict[str, str]]] = {
            "settings": _save_settings,
            "secret": _renew_secret,
            "cap": _set_cap,
            "uncap": _remove_cap,
        }
        if asked not in doing:
            errors = {"page": _("Nothing was changed: that is not one of the forms of this page.")}
        else:
            errors = doing[asked](request, seen)
        if errors:
            return self._page(request, seen, manager=True, errors=errors)
        return redirect(f"{reverse('quotas:alerts', args=[tenant])}?done={asked}")

    def _page(
        self,
        request: HttpRequest,
        seen: Viewing,
        *,
        manager: bool,
        errors: dict[str, str] | None = None,
    ) -> HttpResponse:
        tenant = Tenant.objects.filter(pk=seen.tenant_pk).first()
        if tenant is None:  # deleted since it was looked up
            raise nowhere()
        settings = settings_of(seen.tenant_pk)
        failed = request.POST if errors else {}
        context = {
            "tenant": tenant,
            "manager": manager,
            "settings": settings,
            "secret": _secret_once(request, seen, settings.webhook_secret) if manager else "",
            "email": "email" in failed if "webhook_url" in failed else settings.email,
            "webhook_url": failed.get("webhook_url", settings.webhook_url),
            "alerts": [AlertRow(each, reasons=manager) for each in latest_alerts(tenant.pk)],
            "caps": [CapRow(each) for each in cappable(tenant.pk)],
            "errors": errors or {},
            "done": "" if errors else DONE.get(request.GET.get("done", ""), ""),
        }
        status = 400 if errors else 200
        return TemplateResponse(request, self.template_name, context, status=status)


def manages(user: Any, seen: Viewing) -> bool:
    """Whether somebody who may look may also change: a manager, or staff who may change tenants."""
    if user.is_active and user.is_staff and user.has_perm("quotas.change_tenant"):
        return True
    own = Membership.objects.filter(user_id=user.pk, tenant_id=seen.tenant_pk, role="manager")
    return own.exists()


def _save_settings(request: HttpRequest, seen: Viewing) -> dict[str, str]:
    form = SettingsForm(request.POST)
    if not form.is_valid():
        return {"webhook_url": _first(form)}
    try:
        made = choose(seen.tenant_pk, **form.cleaned_data)
    except NotDelivered as error:
        return {"webhook_url": _("Nothing was saved. %(reason)s") % {"reason": error.said}}
    if made:
        request.session[SHOWN_ONCE] = seen.tenant_pk
    return {}


def _renew_secret(request: HttpRequest, seen: Viewing) -> dict[str, str]:
    renew_secret(seen.tenant_pk)
    request.session[SHOWN_ONCE] = seen.tenant_pk
    return {}


def _set_cap(request: HttpRequest, seen: Viewing) -> dict[str, str]:
    form = CapForm(request.POST)
    if not form.is_valid():
        return {"cap": _first(form)}
    asked = form.cleaned_data
    try:
        set_cap(seen.tenant_pk, **asked, user_pk=request.user.pk)
    except NotCapped as error:
        said = why_not(error.found)
        if not said and error.found:
            said = too_high(error.found, asked["amount"])
        return {"cap": said}
    return {}


def _remove_cap(request: HttpRequest, seen: Viewing) -> dict[str, str]:
    form = UncapForm(request.POST)
    if not form.is_valid():
        return {"cap": _first(form)}
    remove_cap(seen.tenant_pk, **form.cleaned_data)
    return {}


def _secret_once(request: HttpRequest, seen: Viewing, secret: str) -> str:
    """The secret, at the first look after it was made by whoever made it; else blank."""
    if request.session.get(SHOWN_ONCE) != seen.tenant_pk:
        return ""
    del request.session[SHOWN_ONCE]
    return secret


def _first(form: forms.Form) -> str:
    """The first thing that is wrong."""
    return str(next(iter(form.errors.values()))[0])
