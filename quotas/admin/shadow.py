"""The page of a limit in shadow: what it would have denied, by tenant, and the way out of it."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import flatten_fieldsets, unquote
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from quotas.admin.audit import AuditedAdmin, locked, log_changes
from quotas.admin.in_force import tell_now
from quotas.admin.promises import promise
from quotas.admin.shadow_steps import TURNS, Turn
from quotas.admin.shadow_words import (
    SPANS,
    dated,
    facts,
    named,
    notes,
    stands,
    tenant_rows,
)
from quotas.domain.words import Mode
from quotas.models import Tenant
from quotas.models.versions import acting
from quotas.services.shadow import Back, Shadow, began, shadow_of

PAGE = 100
NOTHING = "–"
LINK = '<a class="quotas-link" href="{}">{}</a>'
FIELD, LOOKED_AT = "shadow", "shadow_looked_at"
"""The field that leads to the page, for whoever may change the limit, and for whoever may not."""


class ShadowPages(AuditedAdmin):
    """Leads from a limit, and from the list of limits, to what it would have denied in shadow."""

    def get_urls(self) -> list[Any]:
        name, wrap = f"quotas_{self.opts.model_name}_shadow", self.admin_site.admin_view
        return [
            path("<path:object_id>/shadow/", wrap(self.shadow_view), name=name),
            path("<path:object_id>/shadow/<slug:turn>/", wrap(self.turn_view), name=f"{name}_turn"),
            *super().get_urls(),
        ]

    def get_list_display(self, request: HttpRequest) -> Any:
        return [*super().get_list_display(request), "in_shadow"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return [*fields, self._field(request, obj)] if obj is not None else fields

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_fieldsets(request, obj)
        if obj is None or not {FIELD, LOOKED_AT}.isdisjoint(flatten_fieldsets(found)):
            return found
        return [*found, (None, {"fields": [self._field(request, obj)]})]

    @admin.display(description=gettext_lazy("shadow"))
    def in_shadow(self, row: Any) -> str:
        """In the list: the way to the page, of what is in shadow."""
        if row.mode != Mode.SHADOW:
            return NOTHING
        since = _("since %(since)s") % {"since": dated(began(row))}
        return format_html(LINK, shadow_address(row), since)

    @admin.display(description=gettext_lazy("shadow"))
    def shadow(self, row: Any) -> str:
        """On the limit's page: how it stands, and the way to the page."""
        if row.mode == Mode.SHADOW:
            return self.shadow_looked_at(row)
        return self._stands_with(row, _("Put in shadow"))

    @admin.display(description=gettext_lazy("shadow"))
    def shadow_looked_at(self, row: Any) -> str:
        """The same, to whoever may not turn the mode."""
        return self._stands_with(row, _("What it would have denied"))

    def stands(self, limit: Any) -> str:
        """The mode of a limit, since when, and what that means."""
        return stands(limit)

    @method_decorator(require_safe)
    def shadow_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What the limit would have denied, to whoever may look at it."""
        limit = self._limit(request, object_id)
        tell_now(request)
        context = self._context(request, limit, _("What it would have denied"))
        if limit.mode == Mode.SHADOW:
            asked = request.GET.get("span", "")
            back = Back(asked) if asked in set(Back) else Back.SINCE
            found = shadow_of(limit, back=back, among=self._tenants(request))
            context.update(self._found(request, found, back))
        return TemplateResponse(request, "quotas/admin/shadow.html", context)

    def turn_view(self, request: HttpRequest, object_id: str, turn: str) -> HttpResponse:
        """Ask for the reason; on POST turn the mode, and come back to the page."""
        limit, kind = self._limit(request, object_id), TURNS.get(turn)
        if kind is None:
            raise Http404
        if not self.has_change_permission(request, limit):
            raise PermissionDenied
        look = partial(shadow_of, limit, among=self._tenants(request))
        form = kind(
            look if kind.fits(limit) else None, request.POST if request.method == "POST" else None
        )
        if request.method == "POST" and form.is_valid() and self._turned(request, limit, form):
            done = _("%(step)s: done for %(limit)s.") % {"step": kind.title, "limit": limit}
            self.message_user(request, done, messages.SUCCESS)
            return HttpResponseRedirect(shadow_address(limit))
        context = {
            **self._context(request, limit, kind.title),
            "form": form,
            "idle": not kind.fits(limit),
            "back": shadow_address(limit),
        }
        return TemplateResponse(request, "quotas/admin/shadow_turn.html", context)

    def _turned(self, request: HttpRequest, limit: Any, form: Turn) -> bool:
        """Whether the mode could be turned; if not, the form says why."""
        rows = locked(type(limit).objects.filter(pk=limit.pk))
        with acting(reason=form.cleaned_data["reason"]), transaction.atomic(using=rows.db):
            row = rows.first()
            if row is None or not form.fits(row):
                form.add_error(None, _("Somebody else has done it already."))
                return False
            log_changes(request, [(row, form.take(row))])
        return True

    def _field(self, request: HttpRequest, limit: Any) -> str:
        return FIELD if self.has_change_permission(request, limit) else LOOKED_AT

    def _stands_with(self, limit: Any, link: str) -> str:
        return format_html(
            "{} {}", self.stands(limit), format_html(LINK, shadow_address(limit), link)
        )

    def _limit(self, request: HttpRequest, object_id: str) -> Any:
        limit = self.get_object(request, unquote(object_id))
        if not self.has_view_permission(request, limit):
            raise PermissionDenied
        if limit is None:
            raise Http404
        return limit

    def _tenants(self, request: HttpRequest) -> QuerySet[Tenant] | None:
        """The tenants that the list of tenants would show; None where there is no such list."""
        site = self.admin_site
        if not site.is_registered(Tenant):
            return None
        return site.get_model_admin(Tenant).get_queryset(request)

    def _context(self, request: HttpRequest, limit: Any, title: str) -> dict[str, Any]:
        request.current_app = self.admin_site.name
        may = self.has_change_permission(request, limit)
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": limit,
            "title": title,
            "subtitle": named(limit),
            "promise": promise(limit),
            "stands": self.stands(limit),
            "turns": [
                (kind.title, f"{shadow_address(limit)}{name}/")
                for name, kind in TURNS.items()
                if may and kind.fits(limit)
            ],
        }

    def _found(self, request: HttpRequest, found: Shadow, back: Back) -> dict[str, Any]:
        staff: Any = request.user
        context = {
            "found": found,
            "facts": facts(found),
            "notes": notes(found),
            "spans": [(span, title, span is back) for span, title in SPANS.items()],
            "span": back,
        }
        if staff.has_perm("quotas.view_tenant"):
            page = Paginator(found.rows, PAGE).get_page(request.GET.get("page"))
            context |= {"page": page, "rows": tenant_rows(page.object_list)}
        return context


def shadow_address(limit: Any) -> str:
    """The page of what a limit would have denied."""
    return reverse(f"admin:quotas_{limit._meta.model_name}_shadow", args=[limit.pk])  # noqa: SLF001 - Django's documented name
