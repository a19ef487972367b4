"""Addresses of the pages for tenants: ``path("quotas/", include("quotas.urls"))``."""

from __future__ import annotations

from django.urls import path

from quotas.views.alerts import AlertsPage
from quotas.views.decisions import DecisionData, DecisionPage
from quotas.views.openapi.document import OpenApi
from quotas.views.pages import TenantList, UsageExport, UsagePage
from quotas.views.twin import UsageData

app_name = "quotas"

urlpatterns = [
    path("", TenantList.as_view(), name="tenants"),
    # Without a slash at its end: a tenant of that key has one.
    path("openapi.json", OpenApi.as_view(), name="openapi"),
    path("<str:tenant>/alerts/", AlertsPage.as_view(), name="alerts"),
    # Before the tenants', so that no key hides them; a tenant of the key “decisions” keeps its own.
    path("decisions/<str:decision>/", DecisionPage.as_view(), name="decision"),
    path("decisions/<str:decision>/decision.json", DecisionData.as_view(), name="decision-data"),
    path("<str:tenant>/", UsagePage.as_view(), name="usage"),
    path("<str:tenant>/usage.json", UsageData.as_view(), name="usage-data"),
    path("<str:tenant>/usage.csv", UsageExport.as_view(), name="usage-export"),
]
