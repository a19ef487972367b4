"""The check that whoever is sent to log in, to see a usage page, finds a page to do so."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.shortcuts import resolve_url
from django.urls import NoReverseMatch, Resolver404, get_script_prefix, resolve

from quotas.checks.registration import TAG, Messages, shown
from quotas.services.routes import callbacks
from quotas.views.pages import Private


@checks.register(TAG)
def check_login(**kwargs: Any) -> Messages:
    """W027: ``LOGIN_URL`` leads to a page, where usage pages send whoever has not logged in."""
    if not any(map(_sends_to_log_in, callbacks())) or _leads_somewhere(settings.LOGIN_URL):
        return []
    told = (
        f"LOGIN_URL is {shown(settings.LOGIN_URL)}, which leads to no page: whoever has not "
        "logged in cannot see the usage pages."
    )
    hint = (
        'Add path("accounts/", include("django.contrib.auth.urls")) and a template '
        "registration/login.html, or set LOGIN_URL to the page where members log in."
    )
    return [checks.Warning(told, hint=hint, id="quotas.W027")]


def _sends_to_log_in(callback: Any) -> bool:
    """Whether it is a usage page, and names no page of its own to log in."""
    view = getattr(callback, "view_class", None)
    return isinstance(view, type) and issubclass(view, Private) and not view.login_url


def _leads_somewhere(url: Any) -> bool:
    """Whether a page of this project has the address; that of another site is taken on trust."""
    try:
        parts = urlsplit(resolve_url(url))
    except (NoReverseMatch, ValueError):
        return False
    if parts.netloc:
        return True
    path = "/" + parts.path.removeprefix(get_script_prefix()).lstrip("/")
    slashed = [f"{path}/"] if settings.APPEND_SLASH and not path.endswith("/") else []
    return any(map(_resolves, [path, *slashed]))


def _resolves(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True
