"""Whoever is at an admin page is named by the versions of what it writes, whatever the route."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from django.contrib.admin.utils import unquote
from django.db import router, transaction
from django.http import HttpRequest
from django.urls import URLPattern

from quotas.admin.held import hold_list, hold_page
from quotas.admin.parents import ModelAdmin
from quotas.models.versions import acting, one_version


class AttributedAdmin(ModelAdmin):
    """Tells the versions who acts; what a form saves with its rows inline is one step."""

    @property
    def urls(self) -> list[Any]:
        """All routes, those that a subclass adds too; bound as they are."""
        found = super().urls
        for route in found:
            if isinstance(route, URLPattern):
                route.callback = _attributed(route.callback)
        return found

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        if request.method != "POST":
            return super().changeform_view(request, object_id, *args, **kwargs)
        using = router.db_for_write(self.model)
        with transaction.atomic(using), one_version(using):
            if object_id is not None and self.has_change_permission(request):
                hold_page(self, request, unquote(object_id), using)
            return super().changeform_view(request, object_id, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        edits = request.method == "POST" and "_save" in request.POST
        if not (edits and self.list_editable and self.has_change_permission(request)):
            return super().changelist_view(request, *args, **kwargs)
        using = router.db_for_write(self.model)
        with transaction.atomic(using):
            hold_list(self, request, using)
            return super().changelist_view(request, *args, **kwargs)


def _attributed(view: Callable[..., Any]) -> Callable[..., Any]:
    def attributed(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        with acting(user=request.user):
            return view(request, *args, **kwargs)

    return update_wrapper(attributed, view)
