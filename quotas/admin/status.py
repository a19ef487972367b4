"""Staff look at how the limiter stands: Redis, its memory, the flush, and every worker."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from quotas.admin.bound import tenants_seen
from quotas.admin.parents import LookOnlyAdmin
from quotas.models import Status
from quotas.services import status_report, worker_rows
from quotas.services.status import status


@admin.register(Status)
class StatusAdmin(LookOnlyAdmin):
    """One page in place of a list, for whoever may view the plans of all: it tells of all."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("quotas.view_plan") and tenants_seen(request) is None

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_urls(self) -> list[Any]:
        name = f"quotas_{self.opts.model_name}_changelist"
        return [path("", self.admin_site.admin_view(self.changelist_view), name=name)]

    @method_decorator([require_safe, never_cache])
    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = status()
        context = {
            **self.admin_site.each_context(request),
            "title": _("Status"),
            "opts": self.opts,
            "sections": [
                (_("Redis"), status_report.of_redis(found)),
                (_("Usage"), status_report.of_usage(found)),
            ],
            "in_force": status_report.of_workers(found),
            "headings": worker_rows.headings(),
            "workers": worker_rows.workers(found),
            "unlisted": worker_rows.unlisted(found),
            **(extra_context or {}),
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "admin/quotas/status/status.html", context)
