"""A plan as its page stands: what its limits would promise, before anything is saved."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.utils import timezone

from quotas.admin.answers import PREVIEW
from quotas.admin.audit import AuditedAdmin
from quotas.admin.formsets import LimitFormSet
from quotas.admin.limit_forms import WORDED, WORDS, in_words
from quotas.admin.promises import promise_block
from quotas.admin.questions import Asking, AsksFirst, Question
from quotas.domain.periods import written_period
from quotas.services.plan_moves import plan_moves
from quotas.services.scopes import scopes_of_views, scopes_without_row

MISSING = "quotas/admin/missing_scopes.html"


class PlanForm(Asking):
    """A plan: what it means for tenants that it is in use, or the default one, or no longer."""

    def question(self, now: datetime) -> Question:
        return Question(moves=plan_moves([self.instance]))


class PreviewAdmin(AsksFirst, AuditedAdmin):
    """An editor with limits inline, told what they would promise by a button and by a script."""

    change_form_template = "quotas/admin/plan_form.html"
    form = PlanForm

    class Media:
        css = {"all": ["quotas/admin.css", "quotas/plan_editor.css"]}
        js = ["quotas/plan_editor.js"]

    def get_urls(self) -> list[Any]:
        view, name = self.admin_site.admin_view(self.preview_view), "quotas_plan_preview"
        return [
            path("add/preview/", view, name=name),
            path("<int:object_id>/preview/", view, name=name),
            *super().get_urls(),
        ]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        plan = context.get("original")
        sets = [each.formset for each in context["inline_admin_formsets"]]
        added = {
            "scopes": scopes_of_views(),
            "missing": _missing(sets) if plan or request.method == "POST" else [],
            "may_preview": self._may_edit(request, plan),
            "preview_url": reverse(
                f"{self.admin_site.name}:quotas_plan_preview", args=[plan.pk] if plan else []
            ),
            "previewed": PREVIEW in request.POST,
            "outlooks": [],
        }
        limits = [formset for formset in sets if isinstance(formset, LimitFormSet)]
        if added["previewed"] and not context["errors"]:
            questions = [formset.question() for formset in limits]
            questions += [context["adminform"].form.question(timezone.now())] if plan else []
            added["outlooks"] = [each for question in questions for each in question.told]
        return super().render_change_form(request, {**context, **added}, *args, **kwargs)

    def preview_view(self, request: HttpRequest, object_id: int | None = None) -> HttpResponse:
        """What the page's script asks for: each row in words, and which scopes have none."""
        if request.method != "POST" or not self.has_view_permission(request):
            raise PermissionDenied  # before it is told whether there is such a plan
        plan = None if object_id is None else self.get_object(request, str(object_id))
        if object_id is not None and plan is None:
            raise Http404
        if not self._may_edit(request, plan):
            raise PermissionDenied
        form = self.get_form(request, plan, change=plan is not None)(request.POST, instance=plan)
        form.is_valid()
        editor: Any = self  # for what the stubs of Django's admin do not know
        formsets, _ = editor._create_formsets(request, form.instance, change=plan is not None)  # noqa: SLF001
        sets = [formset for formset in formsets if isinstance(formset, LimitFormSet)]
        for formset in sets:
            formset.full_clean()  # without the question of what it takes away
        rows = {row.prefix: _row(row) for formset in sets for row in formset.forms}
        missing = render_to_string(MISSING, {"missing": _missing(sets)})
        return JsonResponse({"rows": rows, "missing": missing})

    def _may_edit(self, request: HttpRequest, plan: Any) -> bool:
        if plan is None:
            return self.has_add_permission(request)
        return self.has_change_permission(request, plan)


def _missing(sets: list[Any]) -> list[str]:
    return [scope for each in sets for scope in scopes_without_row(each.scopes)]


def _row(form: Any) -> dict[str, Any]:
    """What is said under a row, and its fields in agreement: none while something is wrong."""
    row, wrong = form.instance, form.unsure
    names = {*WORDED, WORDS}
    errors = {name: texts for name, texts in form.errors.items() if name in names}
    fields = {} if wrong else {WORDS: in_words(row), **{name: _text(row, name) for name in WORDED}}
    return {"html": promise_block(row, errors), "fields": fields}


def _text(row: Any, name: str) -> str:
    value = getattr(row, name)
    if name == "period" and value is not None:
        return written_period(value)
    return "" if value is None else str(value)
