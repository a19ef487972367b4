"""The buttons on a tenant's page: each leads to a page that asks why, and acts by POST."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import gettext as _

from quotas.admin.answers import PREVIEW, is_meant
from quotas.admin.audit import amend, last_entry, locked, log_changes
from quotas.admin.bound import own_choices
from quotas.admin.grant_steps import GrantExtra
from quotas.admin.limit_steps import Boost, ResetCounter
from quotas.admin.questions import NOTHING, AsksFirst, Question
from quotas.admin.tenant_page import TenantPage
from quotas.admin.tenant_steps import MovePlan, ResetCounters, Resume, Step, Suspend
from quotas.models import Tenant
from quotas.models.versions import acting

STEPS: dict[str, type[Step]] = {
    "suspend": Suspend,
    "resume": Resume,
    "plan": MovePlan,
    "grant": GrantExtra,
    "boost": Boost,
    "reset-counter": ResetCounter,
    "reset": ResetCounters,
}


class TenantButtons(AsksFirst, TenantPage):
    """Adds the buttons and the pages behind them."""

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.step_view)
        own = path("<path:object_id>/step/<slug:name>/", view, name="quotas_tenant_step")
        return [own, *super().get_urls()]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        tenant = kwargs.get("obj")
        if tenant is not None and tenant.pk:
            context["buttons"] = [
                {"title": step.title, "address": _address(tenant, name)}
                for name, step in STEPS.items()
                if step.fits(tenant) and self._may(request, tenant, step)
            ]
        return super().render_change_form(request, context, *args, **kwargs)

    @transaction.non_atomic_requests  # an entry that tells what was asked is there to stay
    def step_view(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """Ask for what the step needs; on POST take it, once, and come back to the tenant."""
        if not self.has_view_permission(request):
            raise PermissionDenied  # before it is told whether there is such a tenant
        kind, tenant = STEPS.get(name), self.get_object(request, unquote(object_id))
        if kind is None or tenant is None:
            raise Http404
        if not self._may(request, tenant, kind):
            raise PermissionDenied
        seen = partial(last_entry, request.user, tenant)
        data = request.POST if request.method == "POST" else None
        form = kind(tenant, data, initial={"seen": seen})
        own_choices(request, form)
        acts = request.method == "POST" and PREVIEW not in request.POST
        if acts and (asked := self._asked_about(request, tenant, form)):
            return self.ask(request, asked.told, {"original": tenant}, [tenant])
        if acts and self._taken(request, tenant, form):
            level, done = form.done(tenant)
            self.message_user(request, done, level)
            return HttpResponseRedirect(_page(tenant))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": tenant,
            "title": kind.title,
            "subtitle": str(tenant),
            "form": form,
            "idle": not kind.fits(tenant),
            "back": _page(tenant),
        }
        return TemplateResponse(request, "admin/quotas/tenant/step.html", context)

    def _asked_about(self, request: HttpRequest, tenant: Tenant, form: Step) -> Question:
        """What is to be answered before the step is taken."""
        if is_meant(request, [tenant]) or not form.is_valid():
            return NOTHING
        return form.question().due

    def _taken(self, request: HttpRequest, tenant: Tenant, form: Step) -> bool:
        """Whether the step could be taken; if not, the form says why."""
        if not form.is_valid():
            return False
        rows, reason = locked(Tenant.objects.filter(pk=tenant.pk)), form.cleaned_data["reason"]
        try:
            with acting(reason=reason), transaction.atomic(using=rows.db):
                row = rows.get()
                if not form.fits(row):
                    raise ValidationError(_("Somebody else has done it already."))  # noqa: TRY301
                said = f"{form.take(row, request.user)}; reason: {reason}"
                [entry] = log_changes(request, [(row, said)], edits=form.edits)
            _followed(form, entry, reason)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
            return False
        return True

    def _may(self, request: HttpRequest, tenant: Tenant, step: type[Step]) -> bool:
        staff: Any = request.user
        return bool(self.has_view_permission(request, tenant) and staff.has_perm(step.permission))


def _followed(form: Step, entry: LogEntry, reason: str) -> None:
    try:
        came = form.follow()
    except ValidationError:
        amend(entry, None)
        raise
    if came:
        amend(entry, f"{came}; reason: {reason}")


def _page(tenant: Tenant) -> str:
    return reverse("admin:quotas_tenant_change", args=[tenant.pk])


def _address(tenant: Tenant, name: str) -> str:
    return reverse("admin:quotas_tenant_step", args=[tenant.pk, name])
