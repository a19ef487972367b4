"""For which tenant a request acts: what its credential belongs to, else its user's membership.

A header only chooses among the user's own tenants. Nobody's word makes anyone a tenant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import FieldDoesNotExist
from django.db.models import ForeignKey, Model
from rest_framework.request import Request

from quotas.conf import conf
from quotas.drf.subjects import user_pk
from quotas.errors import ConfigurationError
from quotas.models import Tenant
from quotas.services import tenancy

if TYPE_CHECKING:  # a project may name our throttles in the settings that APIView reads in its body
    from rest_framework.views import APIView


def resolve_tenant(request: Request, view: APIView | None = None) -> str | int | None:
    """The default ``QUOTAS_TENANT_RESOLVER``: a tenant's primary key, its key, or None.

    What the credential belongs to; else the user's only membership, or of several the one that
    ``QUOTAS_TENANT_HEADER`` names, or the default one. Raises `TenantRequired` for a user of
    several who named none and has no default.
    """
    owner = credential_owner(getattr(request, "auth", None))
    if owner is not None:
        return owner
    pk = user_pk(request)
    if pk is None:
        return None
    return tenancy.choose(pk, header_text(request.headers.get(conf.tenant_header)))


def header_text(value: str | None) -> str | None:
    """A header's value as its sender wrote it: UTF-8 where it is, which servers read as Latin-1."""
    if value is None:
        return None
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def credential_owner(auth: object) -> str | int | None:
    """The tenant that a credential belongs to: its primary key or key; None when it names none.

    A model names it by a foreign key called ``tenant`` to our `Tenant`; the ``tenant`` of another
    app is none of ours. Any other object by an attribute: ``tenant`` (a `Tenant`, its key or its
    primary key), ``tenant_id`` (a primary key) or ``tenant_key`` (a key).
    """
    if isinstance(auth, Model):
        return _foreign_key(auth)
    tenant = getattr(auth, "tenant", None)
    if isinstance(tenant, Tenant | str | int):
        return tenant_reference(tenant, "request.auth.tenant")
    for attribute, kind in (("tenant_id", int), ("tenant_key", str)):
        value = getattr(auth, attribute, None)
        if isinstance(value, kind):
            return value
    return None


def tenant_reference(tenant: Any, source: str) -> str | int | None:
    """What `quotas.services` takes for ``tenant``; ``source`` is who named it, for messages."""
    if tenant is None or (isinstance(tenant, str | int) and not isinstance(tenant, bool)):
        return tenant
    if isinstance(tenant, Tenant) and tenant.pk is not None:
        return int(tenant.pk)
    raise ConfigurationError(
        f"{source} gave {tenant!r}: give a saved Tenant, its key (str), its primary key (int), "
        "or None for no tenant."
    )


def _foreign_key(auth: Model) -> int | None:
    """The column's value, so that no query is made for a row that is not needed."""
    try:
        field = auth._meta.get_field("tenant")  # noqa: SLF001 - Django's documented way to a model's fields
    except FieldDoesNotExist:
        return None
    if not isinstance(field, ForeignKey) or not issubclass(Tenant, field.related_model):
        return None
    value = getattr(auth, field.attname)
    return None if value is None else int(value)
