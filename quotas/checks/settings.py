"""Checks of the ``QUOTAS_*`` settings themselves: their type, their range, their spelling.

They read the raw values: `quotas.conf` converts, and may raise on what is reported here.
"""

from __future__ import annotations

import inspect
import re
from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core import checks
from django.utils.module_loading import import_string

from quotas.checks.registration import TAG, Messages, shown
from quotas.conf import Conf
from quotas.domain.dialects import DIALECTS

PREFIX = "QUOTAS_"
KNOWN = sorted(
    f"{PREFIX}{name.upper()}" for name, value in vars(Conf).items() if isinstance(value, property)
)
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
SITE = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?", re.ASCII)
LONGEST_SECONDS = 10**9


@checks.register(TAG)
def check_enabled(**kwargs: Any) -> Messages:
    """E010: ``QUOTAS_ENABLED`` is True or False."""
    return _switch("QUOTAS_ENABLED", "quotas.E010")


@checks.register(TAG)
def check_count_options(**kwargs: Any) -> Messages:
    """E011: ``QUOTAS_COUNT_OPTIONS`` is True or False."""
    return _switch("QUOTAS_COUNT_OPTIONS", "quotas.E011")


@checks.register(TAG)
def check_timeout(**kwargs: Any) -> Messages:
    """E012: ``QUOTAS_TIMEOUT`` is a number of seconds above 0."""
    return _seconds("QUOTAS_TIMEOUT", "quotas.E012", "such as 0.25", above=True)


@checks.register(TAG)
def check_plan_poll(**kwargs: Any) -> Messages:
    """E013: ``QUOTAS_PLAN_POLL`` is a number of seconds, 0 to look at each request."""
    return _seconds("QUOTAS_PLAN_POLL", "quotas.E013", "such as 1; 0 looks at each request")


@checks.register(TAG)
def check_outage_log_interval(**kwargs: Any) -> Messages:
    """E014: ``QUOTAS_OUTAGE_LOG_INTERVAL`` is a number of seconds, 0 to log each failure."""
    example = "such as 10; 0 logs each failure"
    return _seconds("QUOTAS_OUTAGE_LOG_INTERVAL", "quotas.E014", example)


@checks.register(TAG)
def check_tenant_resolver(**kwargs: Any) -> Messages:
    """E015: ``QUOTAS_TENANT_RESOLVER`` leads to what can be called with a request and a view."""
    name = "QUOTAS_TENANT_RESOLVER"
    if not hasattr(settings, name):
        return []  # the default
    why = _not_called(getattr(settings, name), "a request and a view", "request", "view")
    hint = 'Give the dotted path of a function of (request, view), such as "shop.tenants.resolve".'
    return [_error(name, why, hint, "quotas.E015")] if why else []


@checks.register(TAG)
def check_tenant_header(**kwargs: Any) -> Messages:
    """E016: ``QUOTAS_TENANT_HEADER`` is a header's name as clients write it."""
    name = "QUOTAS_TENANT_HEADER"
    header = getattr(settings, name, "X-Tenant")
    if not isinstance(header, str) or not HEADER.fullmatch(header):
        hint = 'Give a name such as "X-Tenant": letters, digits and hyphens.'
        return [_error(name, "which is no name of a header", hint, "quotas.E016")]
    if "_" in header:
        plain = header.removeprefix("HTTP_").replace("_", "-").title()
        hint = f'Write it as clients do: "{plain}".'
        return [_error(name, "and servers drop headers with underscores", hint, "quotas.E016")]
    return []


@checks.register(TAG)
def check_headers(**kwargs: Any) -> Messages:
    """E017: ``QUOTAS_HEADERS`` is a list or tuple of dialects, each known and named once."""
    value = getattr(settings, "QUOTAS_HEADERS", ())
    if why := _no_dialects(value):
        hint = f"Give a tuple of some of: {', '.join(DIALECTS)}; () sends none."
        return [_error("QUOTAS_HEADERS", why, hint, "quotas.E017")]
    return []


@checks.register(TAG)
def check_site_url(**kwargs: Any) -> Messages:
    """E018: ``QUOTAS_SITE_URL`` is blank, or begins an address that a link can go on from."""
    value = getattr(settings, "QUOTAS_SITE_URL", "")
    if value == "" or (isinstance(value, str) and SITE.fullmatch(value)):
        return []
    hint = 'Give the scheme and the host, such as "https://api.example.com"; "" for no links.'
    return [_error("QUOTAS_SITE_URL", "which no link can begin with", hint, "quotas.E018")]


@checks.register(TAG)
def check_webhook_addresses(**kwargs: Any) -> Messages:
    """E019: ``QUOTAS_WEBHOOK_ADDRESSES`` is one of two words."""
    name = "QUOTAS_WEBHOOK_ADDRESSES"
    if getattr(settings, name, "public") in ("public", "any"):
        return []
    hint = 'Give "public", or "any" to let webhooks reach private addresses too.'
    return [_error(name, "which is no such choice", hint, "quotas.E019")]


@checks.register(TAG)
def check_staff_tenants(**kwargs: Any) -> Messages:
    """E030: ``QUOTAS_STAFF_TENANTS`` is None, or leads to what can be called with a user."""
    name = "QUOTAS_STAFF_TENANTS"
    if getattr(settings, name, None) is None:
        return []  # staff see all tenants
    why = _not_called(getattr(settings, name), "a user", "user")
    hint = 'Give the dotted path of a function of (user), "quotas.services.staff.by_membership".'
    return [_error(name, why, hint, "quotas.E030")] if why else []


@checks.register(TAG)
def check_names(**kwargs: Any) -> Messages:
    """W010: every ``QUOTAS_`` setting exists; a typing error would leave a default in force."""
    found: Messages = []
    for name in sorted(dir(settings)):
        if not name.startswith(PREFIX) or not name.isupper() or name in KNOWN:
            continue
        endings = [known.removeprefix(PREFIX) for known in KNOWN]  # the prefix is alike in all
        near = get_close_matches(name.removeprefix(PREFIX), endings, n=1)
        hint = f"Remove it. There are: {', '.join(KNOWN)}."
        if near:
            hint = f"Did you mean {PREFIX}{near[0]}?"
        told = f"{name} is {shown(getattr(settings, name, None))}, but no such setting exists."
        found.append(checks.Warning(told, hint=hint, id="quotas.W010"))
    return found


def _error(name: str, why: str, hint: str, code: str) -> checks.Error:
    return checks.Error(f"{name} is {shown(getattr(settings, name))}, {why}.", hint=hint, id=code)


def _switch(name: str, code: str) -> Messages:
    if isinstance(getattr(settings, name, True), bool):
        return []
    # A text such as "False", read from the environment, would be true.
    return [_error(name, "neither True nor False", "Give True or False.", code)]


def _seconds(name: str, code: str, example: str, *, above: bool = False) -> Messages:
    value = getattr(settings, name, 1)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and 0 <= value <= LONGEST_SECONDS and not (above and value == 0):
        return []
    why = f"which is no number of seconds {'above 0' if above else 'of at least 0'}"
    return [_error(name, why, f"Give seconds, {example}.", code)]


def _no_dialects(value: object) -> str:
    if not isinstance(value, list | tuple):
        return "which is no list or tuple"
    unknown = [dialect for dialect in value if dialect not in list(DIALECTS)]
    if unknown:
        return f"where {', '.join(map(shown, unknown))} is no dialect"
    return "which names a dialect twice" if len(set(value)) < len(value) else ""


def _not_called(path: object, taken: str, *values: str) -> str:
    """What is wrong with the path of a function; nothing when it takes so many ``values``."""
    if not isinstance(path, str):
        return "which is no text"
    try:
        found: Any = import_string(path)
    except Exception as error:  # noqa: BLE001 - a module of the project raises what it likes
        return f"which cannot be imported ({type(error).__name__}: {error})"
    if not callable(found):
        return f"which is {shown(found)} and cannot be called"
    try:
        inspect.signature(found).bind(*values)
    except TypeError:
        return f"which does not take {taken}"
    except ValueError:
        return ""  # written in C, it tells no signature
    return ""
