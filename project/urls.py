"""Addresses of the demo."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from project.api import BatchesView, ExportsView, ReportsView
from project.pages import FrontPage

urlpatterns = [
    path("", FrontPage.as_view(), name="front"),
    # Browsers ask for it on pages that name none, such as the admin's.
    path("favicon.ico", RedirectView.as_view(url=static("quotas/icon.svg"))),
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("quotas/", include("quotas.urls")),
    path("api/reports/", ReportsView.as_view(), name="reports"),
    path("api/exports/", ExportsView.as_view(), name="exports"),
    path("api/batches/", BatchesView.as_view(), name="batches"),
    path("admin/", admin.site.urls),
]
