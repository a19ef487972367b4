"""The page of alerts: what was raised, how the tenant is told, and its own caps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_protect

from quotas.domain.limits import MOST_AMOUNT
from quotas.models import Membership, Tenant
from quotas.services.alert_settings import choose, latest_alerts, renew_secret, settings_of
from quotas.services.caps import NotCapped, cappable, remove_cap, set_cap
from quotas.services.managers import addresses_of
from quotas.services.staff import sees
from quotas.services.webhooks import NotDelivered
from quotas.views.access import Viewing, nowhere, viewing
from quotas.views.alert_rows import AlertRow, cap_rows, too_high, why_not
from quotas.views.pages import Private

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET_ONCE, DONE_ONCE = "quotas_webhook_secret", "quotas_done"
"""In the session: what the next look at a tenant's page shows, its new secret and what was done."""
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
        return self._page(request, seen, manager=manages(request.user, seen), errors={})

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
        _show_once(request, seen, DONE_ONCE, asked)
        return redirect("quotas:alerts", tenant=tenant)

    def _page(
        self,
        request: HttpRequest,
        seen: Viewing,
        *,
        manager: bool,
        errors: dict[str, str],
    ) -> HttpResponse:
        tenant = Tenant.objects.filter(pk=seen.tenant_pk).first()
        if tenant is None:  # deleted since it was looked up
            raise nowhere()
        settings = settings_of(seen.tenant_pk)
        failed = request.POST if errors else {}
        caps = cap_rows(cappable(tenant.pk), failed, errors.get("cap", ""))
        new = manager and _once(request, seen, SECRET_ONCE)
        context = {
            "tenant": tenant,
            "manager": manager,
            "settings": settings,
            "secret": settings.webhook_secret if new else "",
            "nobody": manager and not addresses_of(tenant.pk),
            "email": "email" in failed if "webhook_url" in failed else settings.email,
            "webhook_url": failed.get("webhook_url", settings.webhook_url),
            "alerts": [AlertRow(each, reasons=manager) for each in latest_alerts(tenant.pk)],
            "caps": caps,
            "cap_error": "" if any(row.error for row in caps) else errors.get("cap", ""),
            "errors": errors,
            "done": "" if errors else DONE.get(_once(request, seen, DONE_ONCE), ""),
        }
        status = 400 if errors else 200
        return TemplateResponse(request, self.template_name, context, status=status)


def manages(user: Any, seen: Viewing) -> bool:
    """Whether somebody who may look may also change: a manager, or staff who may change tenants."""
    staff = user.is_active and user.is_staff and user.has_perm("quotas.change_tenant")
    if staff and sees(user, seen.tenant_pk):
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
        _show_once(request, seen, SECRET_ONCE)
    return {}


def _renew_secret(request: HttpRequest, seen: Viewing) -> dict[str, str]:
    renew_secret(seen.tenant_pk)
    _show_once(request, seen, SECRET_ONCE)
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
    remove_cap(seen.tenant_pk, **form.cleaned_data, user_pk=request.user.pk)
    return {}


def _show_once(request: HttpRequest, seen: Viewing, name: str, words: str = "yes") -> None:
    """Keep something for the next look at this tenant's page by whoever asks now."""
    request.session[name] = [seen.tenant_pk, words]


def _once(request: HttpRequest, seen: Viewing, name: str) -> str:
    """What was kept for this look; blank at any other.

    Whoever asks for the headers alone has not looked.
    """
    tenant_pk, words = request.session.get(name, (None, ""))
    if tenant_pk != seen.tenant_pk or request.method == "HEAD":
        return ""
    del request.session[name]
    return str(words)


def _first(form: forms.Form) -> str:
    """The first thing that is wrong."""
    return str(next(iter(form.errors.values()))[0])
