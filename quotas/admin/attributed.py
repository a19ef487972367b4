"""Whoever is at an admin page is named by the versions of what it writes, whatever the route."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from django.db import router, transaction
from django.http import HttpRequest
from django.urls import URLPattern

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

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.method != "POST":
            return super().changeform_view(request, *args, **kwargs)
        using = router.db_for_write(self.model)
        with transaction.atomic(using), one_version(using):
            return super().changeform_view(request, *args, **kwargs)


def _attributed(view: Callable[..., Any]) -> Callable[..., Any]:
    def attributed(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        with acting(user=request.user):
            return view(request, *args, **kwargs)

    return update_wrapper(attributed, view)
