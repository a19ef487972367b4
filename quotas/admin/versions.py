"""The history of an object: its versions, newest first, and the way back to each of them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, router, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quotas.admin.audit import AuditedAdmin, log_changes
from quotas.admin.bound import own, tenants_seen
from quotas.admin.returns import narrowed
from quotas.admin.versions_said import (
    instant_said,
    moments_said,
    names_others,
    returns_said,
)
from quotas.models import Plan
from quotas.models.versions import acting, one_version
from quotas.services.returning import Return, return_of, returns_of_plan, take
from quotas.services.versions import Timeline, locked_with_its_own, timeline_of

PAGE, ON_A_PAGE = "versions", 25
REASON = 150
MEANWHILE = gettext_lazy("Somebody has changed it meanwhile: look at what would change now.")


class ReturnForm(forms.Form):
    """Why; and which version was the last one when the page was looked at."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=REASON,
        widget=forms.TextInput(attrs={"size": 60}),
    )
    seen = forms.CharField(widget=forms.HiddenInput)

    def see(self, newest: Any) -> None:
        """Ask again, about what the page shows now."""
        self.data = {"reason": self.data.get("reason"), "seen": newest.isoformat()}


class VersionedAdmin(AuditedAdmin):
    """Shows the versions on the history page; whoever may change the object returns to one."""

    object_history_template = "quotas/admin/versions.html"

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.return_view)
        route = "<path:object_id>/history/<slug:model_name>/<uuid:version_id>/"
        name = f"quotas_{self.opts.model_name}_return"
        return [path(route, view, name=name), *super().get_urls()]

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().history_view(request, object_id, extra_context)
        context = getattr(response, "context_data", None)
        if context is not None:
            row = context["object"]
            context.update(self._versions(request, row))
            mine = self.model.history.using(_database(row)).filter(id=row.pk)
            if tenants_seen(request) is not None and (
                own(request, mine).count() < mine.count() or names_others(request, mine, self.model)
            ):
                # It was another's once, or on another plan, and the log does not tell which lines
                # are of that time.
                context["action_list"] = []
        return response

    def return_view(
        self, request: HttpRequest, object_id: str, model_name: str, version_id: Any
    ) -> HttpResponse:
        """Show what would change; on POST change it, once, and come back to the history."""
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        version = self._version_of(request, row, model_name, version_id)
        form, returns, stays, wrong = self._looked_at(request, row, version)
        if request.method == "POST" and not wrong:
            if self._returned(request, row, version, form):
                return HttpResponseRedirect(self._history_of(row))
            form.see(timeline_of(row, _database(row)).newest)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": row,
            "title": _("Return to an earlier version"),
            "subtitle": str(row),
            "then": version.history_date,
            "returns": returns_said(returns, _database(row), request),
            "stays": stays,
            "wrong": wrong,
            "form": form,
            "back": self._history_of(row),
        }
        return TemplateResponse(request, "quotas/admin/return.html", context)

    def _versions(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        using = _database(row)
        timeline = self._timeline(request, row)
        pages = self.get_paginator(request, timeline.instants, ON_A_PAGE)
        page = pages.get_page(request.GET.get(PAGE))
        newest = timeline.newest
        may = self.has_change_permission(request, row)
        told = [
            {
                "at": moment.at,
                "by": moment.by,
                "reason": moment.reason,
                "rows": [
                    (said, self._way_back(row, said) if may and moment.at != newest else None)
                    for said in rows
                ],
                "back": None,
            }
            for moment, rows in moments_said(timeline.moments(page.object_list), using, request)
        ]
        if isinstance(row, Plan):
            told = [_as_one(each) for each in told]
        numbers = pages.get_elided_page_range(page.number)
        return {"moments": told, "versions_page": page, "versions_pages": list(numbers)}

    def _way_back(self, row: Any, said: Any) -> str | None:
        if not (said.returnable or isinstance(row, Plan)):
            return None
        name = f"admin:quotas_{self.opts.model_name}_return"
        return reverse(name, args=[row.pk, said.model_name, said.version])

    def _history_of(self, row: Any) -> str:
        return reverse(f"admin:quotas_{self.opts.model_name}_history", args=[row.pk])

    def _timeline(self, request: HttpRequest, row: Any) -> Timeline:
        """The versions of this object, and of those that belong to it and may be looked at."""
        staff, found = request.user, timeline_of(row, _database(row))
        names = {model: model._meta.model_name for model, _versions in found.tables}  # noqa: SLF001 - Django's documented name
        shown = found.only(
            model
            for model, name in names.items()
            if model is type(row)
            or staff.has_perm(f"quotas.view_{name}")
            or staff.has_perm(f"quotas.change_{name}")
        )
        # Nothing of the time when a row was another's.
        return Timeline(tuple((model, own(request, each)) for model, each in shown.tables))

    def _version_of(self, request: HttpRequest, row: Any, model_name: str, version_id: Any) -> Any:
        """The version of this object, or of a row that belonged to it; 404 for any other."""
        for model, versions in self._timeline(request, row).tables:
            if model._meta.model_name == model_name:  # noqa: SLF001 - Django's documented name
                version = versions.filter(history_id=version_id).first()
                if version is not None:
                    version.of_model = model
                    return version
        raise Http404

    def _looked_at(
        self, request: HttpRequest, row: Any, version: Any
    ) -> tuple[ReturnForm, list[Return], str, list[str]]:
        """The form, what would change, what stays all the same, and why nothing can."""
        newest = timeline_of(row, _database(row)).newest
        sent = request.POST if request.method == "POST" else None
        form = ReturnForm(sent, initial={"seen": newest and newest.isoformat()})
        try:
            returns, stays = narrowed(request, self.admin_site, _returns(row, version))
        except ValidationError as error:
            return form, [], "", error.messages
        return form, returns, stays, []

    def _returned(self, request: HttpRequest, row: Any, version: Any, form: ReturnForm) -> bool:
        """Whether the rows were returned; if not, the form says why."""
        if not form.is_valid():
            return False
        using, then = _database(row), instant_said(version.history_date)
        said = _("returned to the version of %(then)s") % {"then": then}
        reason = form.cleaned_data["reason"]
        try:
            with (
                acting(reason=f"{said}; {reason}"),
                transaction.atomic(using),
                one_version(using),
            ):
                locked_with_its_own(row, using)
                newest = timeline_of(row, using).newest
                if newest is None or newest.isoformat() != form.cleaned_data["seen"]:
                    raise ValidationError(MEANWHILE)  # noqa: TRY301
                returns, _stays = narrowed(request, self.admin_site, _returns(row, version))
                take(returns, using, staff=request.user)
                lines = "; ".join(line_of(each) for each in returns_said(returns, using, request))
                log_changes(request, [(row, f"{said}: {lines}; reason: {reason}")])
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
            return False
        except IntegrityError:
            form.add_error(None, ValidationError(MEANWHILE))
            return False
        self.message_user(request, capitalized(said), messages.SUCCESS)
        return True


def capitalized(text: str) -> str:
    """A sentence of it."""
    return f"{text[:1].upper()}{text[1:]}."


def _returns(row: Any, version: Any) -> list[Return]:
    using = _database(row)
    if isinstance(row, Plan):
        return returns_of_plan(row, version.history_date, using)
    back = return_of(version.of_model, version, using)
    return [] if back is None else [back]


def _as_one(moment: dict[str, Any]) -> dict[str, Any]:
    """Of a plan all rows go back together: one way for the moment, none for its rows."""
    ways = [way for _said, way in moment["rows"] if way]
    rows = [(said, None) for said, _way in moment["rows"]]
    return {**moment, "rows": rows, "back": ways[0] if ways else None}


def line_of(said: Any) -> str:
    """What becomes of a row, for the log of the admin."""
    return f"{said.what} {said.kind}" + (f" ({', '.join(said.lines)})" if said.lines else "")


def _database(row: Any) -> str:
    return router.db_for_write(type(row))
