"""What was deleted: a list of it behind the list of a model, and the way back for each row."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, router, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from quotas.admin.audit import log_changes
from quotas.admin.bound import own, tenants_seen
from quotas.admin.returns import must_be_allowed
from quotas.admin.versions import REASON, VersionedAdmin, line_of
from quotas.admin.versions_said import moments_said, returns_said
from quotas.models import Plan, PlanLimit, Tenant
from quotas.models.versions import DELETED, acting, one_version
from quotas.services.deleted import bring_back, deleted, names_of, returns_of_deleted
from quotas.services.returning import Return
from quotas.services.versions import PARENT, Moment, Version

ON_A_PAGE = 25
SHARED = {Plan, PlanLimit, Tenant}
"""What is gone was of nobody in particular, or of nobody who could still be asked about."""
MEANWHILE = gettext_lazy("Somebody has changed something meanwhile: look at it once more.")
LEFT = {
    Tenant: gettext_lazy(
        "Its members, alert settings, alerts and usage went with it and do not come back: give it "
        "members anew. All its counters start anew."
    )
}


class BringBackForm(forms.Form):
    """Why."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=REASON,
        widget=forms.TextInput(attrs={"size": 60}),
    )


class DeletedAdmin(VersionedAdmin):
    """Leads from the list to what was deleted; whoever may add such rows brings them back."""

    def get_urls(self) -> list[Any]:
        wrap, name = self.admin_site.admin_view, f"quotas_{self.opts.model_name}"
        own_routes = [
            path("deleted/", wrap(self.deleted_view), name=f"{name}_deleted"),
            path(
                "deleted/<uuid:version_id>/", wrap(self.bring_back_view), name=f"{name}_bring_back"
            ),
        ]
        return [*own_routes, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        page = self._deleted_page() if self._may_look(request) else None
        return super().changelist_view(request, {"deleted_page": page, **(extra_context or {})})

    @method_decorator(require_safe)
    def deleted_view(self, request: HttpRequest) -> HttpResponse:
        """What was deleted and is not there again, the newest first."""
        if not self._may_look(request):
            raise PermissionDenied
        found = self._deleted(request).select_related("history_user")
        pages = self.get_paginator(request, found, ON_A_PAGE)
        page = pages.get_page(request.GET.get("page"))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Deleted %(rows)s") % {"rows": self.opts.verbose_name_plural},
            "page": page,
            "parent": self._parent and self._parent.verbose_name,
            "rows": self._deleted_said(request, list(page.object_list)),
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "quotas/admin/deleted.html", context)

    def bring_back_view(self, request: HttpRequest, version_id: Any) -> HttpResponse:
        """Show what would be there again; on POST make it so, once, and go to its page."""
        if not (self._may_look(request) and self.has_add_permission(request)):
            raise PermissionDenied
        using = router.db_for_write(self.model)
        versions = own(request, self.model.history.using(using))
        version = versions.filter(history_id=version_id, history_type=DELETED).first()
        if version is None:
            raise Http404
        form = BringBackForm(request.POST if request.method == "POST" else None)
        returns, wrong = self._looked_back(request, version, using)
        if request.method == "POST" and not wrong and self._brought_back(request, version, form):
            name = f"admin:quotas_{self.opts.model_name}_change"
            return HttpResponseRedirect(reverse(name, args=[version.id]))
        [told] = self._deleted_said(request, [version])
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Bring back"),
            "subtitle": told["said"].what,
            "told": told,
            "parent": self._parent and self._parent.verbose_name,
            "returns": returns_said(returns, using, request),
            "wrong": wrong,
            "left": LEFT.get(self.model, ""),
            "form": form,
            "back": self._deleted_page(),
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "quotas/admin/bring_back.html", context)

    def _may_look(self, request: HttpRequest) -> bool:
        seen = self.model not in SHARED or tenants_seen(request) is None
        return seen and self.has_view_permission(request)

    def _deleted(self, request: HttpRequest) -> Any:
        return own(request, deleted(self.model, router.db_for_write(self.model)))

    def _deleted_page(self) -> str:
        return reverse(f"admin:quotas_{self.opts.model_name}_deleted")

    @property
    def _parent(self) -> Any:
        """The column that says to what such a row belongs; None when it stands by itself."""
        name = PARENT.get(self.model)
        return None if name is None else self.opts.get_field(name.removesuffix("_id"))

    def _deleted_said(self, request: HttpRequest, versions: list[Any]) -> list[dict[str, Any]]:
        """What is said of each version, in a constant number of queries."""
        using, parent = router.db_for_write(self.model), self._parent
        steps = [Version(model=self.model, after=each, before=None) for each in versions]
        moments = [Moment(step.after.history_date, (step,)) for step in steps]
        names: dict[Any, tuple[str, bool]] = {}
        if parent is not None:
            pks = [getattr(each, parent.attname) for each in versions]
            names = names_of(parent.related_model, pks, using)
        may, name = self.has_add_permission(request), f"admin:quotas_{self.opts.model_name}"
        told = moments_said(moments, using, request)
        return [
            {
                "moment": moment,
                "said": said,
                "of": names.get(parent and getattr(each, parent.attname)),
                "way": reverse(f"{name}_bring_back", args=[each.history_id]) if may else None,
            }
            for each, (moment, [said]) in zip(versions, told, strict=True)
        ]

    def _looked_back(
        self, request: HttpRequest, version: Any, using: str
    ) -> tuple[list[Return], list[str]]:
        """What would be made again, or why nothing can."""
        try:
            returns = returns_of_deleted(self.model, version, using)
        except ValidationError as error:
            return [], error.messages
        must_be_allowed(request, returns)
        return returns, []

    def _brought_back(self, request: HttpRequest, version: Any, form: BringBackForm) -> bool:
        """Whether all of it is there again; if not, the form says why."""
        if not form.is_valid():
            return False
        using, reason = router.db_for_write(self.model), form.cleaned_data["reason"]
        said = _("brought back")
        try:
            with acting(reason=f"{said}; {reason}"), transaction.atomic(using), one_version(using):
                returns = returns_of_deleted(self.model, version, using)
                must_be_allowed(request, returns)
                bring_back(returns, using, staff=request.user)
                lines = "; ".join(line_of(each) for each in returns_said(returns, using, request))
                log_changes(request, [(returns[0].after, f"{said}: {lines}; reason: {reason}")])
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
            return False
        except IntegrityError:
            form.add_error(None, ValidationError(MEANWHILE))
            return False
        done = _("%(row)s is there again.") % {"row": returns[0].after}
        self.message_user(request, done, messages.SUCCESS)
        return True
