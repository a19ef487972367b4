"""The demo's front page: what there is, and how to try it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.views.generic import TemplateView

from project.demo_data import TENANTS


class FrontPage(TemplateView):
    """What there is; with DEBUG also the log-ins and tokens, which work with DEBUG only."""

    template_name = "project/front.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {
            "site": self.request.build_absolute_uri("/").rstrip("/"),
            "tenants": TENANTS if settings.DEBUG else (),
        }
