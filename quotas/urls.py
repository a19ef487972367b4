"""Addresses of the pages for tenants: ``path("quotas/", include("quotas.urls"))``."""

from __future__ import annotations

from django.urls import path

from quotas.views.alerts import AlertsPage
from quotas.views.pages import TenantList, UsageExport, UsagePage
from quotas.views.twin import UsageData

app_name = "quotas"

urlpatterns = [
    path("", TenantList.as_view(), name="tenants"),
    path("<str:tenant>/", UsagePage.as_view(), name="usage"),
    path("<str:tenant>/alerts/", AlertsPage.as_view(), name="alerts"),
    path("<str:tenant>/usage.json", UsageData.as_view(), name="usage-data"),
    path("<str:tenant>/usage.csv", UsageExport.as_view(), name="usage-export"),
]
