"""Who asks, as `quotas.services` counts them: the user, the credential and the address.

What is read here comes from authentication, or from the proxies that `NUM_PROXIES` vouches for;
nothing that a client can put into a header at will.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import IPv6Network
from typing import Any
from uuid import UUID

from django.db.models import Model
from django.views.generic import View
from rest_framework.request import Request
from rest_framework.settings import api_settings

from quotas.domain.addresses import counted_address
from quotas.services.enforcement import Caller

NO_ADDRESS = "unknown"
BRACKETED = re.compile(r"\[([^\[\]]*)\](?::[0-9]*)?")
WITH_PORT = re.compile(r"([0-9.]+):[0-9]*")
METHODS = frozenset(name.upper() for name in View.http_method_names)
LONGEST_OPERATION = 80


def caller_of(request: Request, resolve: Callable[[], str | int | None]) -> Caller:
    """The caller of ``request``; ``resolve`` says for which tenant it acts."""
    return Caller(
        address=client_address(request) or NO_ADDRESS,
        user_pk=user_pk(request),
        credential=credential_text(getattr(request, "auth", None)),
        operation=operation_of(request),
        resolve=resolve,
    )


def operation_of(request: Request) -> str:
    """What is called: method and route, such as ``"POST api/reports/<int:pk>/"``; "" not known.

    The route as the project wrote it and a method that HTTP names: no text of the client's. At most
    80 bytes.
    """
    plain = getattr(request, "_request", request)  # without asking DRF's request in vain first
    match = getattr(plain, "resolver_match", None)
    if match is None:
        return ""
    return _operation(plain.method if plain.method in METHODS else "", match.route or "")


def user_pk(request: Request) -> Any | None:
    """The primary key of the authenticated user; None for anybody else."""
    user = getattr(request, "user", None)
    return getattr(user, "pk", None) if getattr(user, "is_authenticated", False) else None


def credential_text(auth: object) -> str | None:
    """A text that stays the same for one credential and differs between two; None without any.

    Of ``request.auth``, the first of: the text itself; ``jti``, ``key`` or ``pk``, as an attribute
    or of a mapping; whatever `str` says, if the class says anything of its own and is no mapping,
    whose times change with each refresh. It is a secret: it must go nowhere but into a digest.
    """
    if isinstance(auth, str | bytes):
        return str(auth, "utf-8", "replace") if isinstance(auth, bytes) else auth or None
    for attribute in ("jti", "key", "pk"):
        value = _part(auth, attribute)
        if isinstance(value, str | int | UUID) and value != "":
            label = auth._meta.label if isinstance(auth, Model) else type(auth).__qualname__  # noqa: SLF001 - Django's documented way to a model's name
            return f"{label} {attribute} {value}"
    # An object without words of its own would print its place in memory: another with each request.
    mute = type(auth).__str__ is object.__str__ and type(auth).__repr__ is object.__repr__
    return None if auth is None or mute or isinstance(auth, Mapping) else str(auth)


def client_address(request: Request) -> str | None:
    """The client's address in canonical form; None when there is none, as behind a Unix socket.

    Behind ``NUM_PROXIES`` proxies (a setting of DRF) it is what the outermost of them wrote into
    X-Forwarded-For. Unlike in DRF, an unset NUM_PROXIES trusts no such header: whoever sends it
    could be a new client each time. IPv6 is cut to its /64, the least that one client is given;
    an IPv4 address in IPv6 clothing counts as what it is; ports are cut off.
    """
    proxies = api_settings.NUM_PROXIES
    forwarded = request.headers.get("x-forwarded-for")
    if not proxies or forwarded is None:
        return canonical(request.META.get("REMOTE_ADDR") or "")
    hops = forwarded.split(",")
    return canonical(hops[-min(proxies, len(hops))])


@lru_cache(maxsize=1024)
def _operation(method: str, route: str) -> str:
    said = f"{method} {route}".strip().encode(errors="replace")
    return said[:LONGEST_OPERATION].decode(errors="ignore").strip()


@lru_cache(maxsize=4096)
def canonical(text: str) -> str | None:
    """The address in ``text``, less port, brackets, quotes and zone; None where there is none."""
    host = text.strip().strip('"')
    found = BRACKETED.fullmatch(host) or WITH_PORT.fullmatch(host)
    try:
        counted = counted_address(found[1] if found else host)
    except ValueError:
        return None
    return str(counted.network_address if isinstance(counted, IPv6Network) else counted)


def _part(auth: object, name: str) -> object:
    if isinstance(auth, Mapping):
        return auth.get(name)
    value = getattr(auth, name, None)
    # Tokens such as those of Simple JWT are read like a mapping without being one.
    if value is None and hasattr(type(auth), "__getitem__") and hasattr(type(auth), "get"):
        return auth.get(name)  # type: ignore[attr-defined]
    return value
