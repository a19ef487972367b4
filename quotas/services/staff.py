"""Which tenants somebody of the staff sees, by ``QUOTAS_STAFF_TENANTS``, and which of the rows.

What cannot be told is not shown: a setting that fails opens nothing, and a model that does not say
whose its rows are has none for staff who are bound to tenants.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.contrib.auth import get_user_model
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model, Q, QuerySet
from django.utils.module_loading import import_string

from quotas.conf import conf
from quotas.errors import StaffTenantsUnknown
from quotas.models import Membership, Plan, PlanLimit, Tenant

Row = TypeVar("Row", bound=Model)


def by_membership(user: Any) -> QuerySet[Tenant] | None:
    """For ``QUOTAS_STAFF_TENANTS``: superusers see all, other staff the tenants they belong to."""
    if user.is_active and user.is_superuser:
        return None
    return Tenant.objects.filter(memberships__user_id=user.pk)


def seen_by(user: Any) -> QuerySet[Tenant] | None:
    """The tenants that somebody of the staff may see; None for all.

    Asks the project each time. Raises `StaffTenantsUnknown` when it gives no answer.
    """
    path = conf.staff_tenants
    if path is None:
        return None
    try:
        found = import_string(path)(user)
        return None if found is None else _tenants(found)
    except Exception as error:
        raise StaffTenantsUnknown(
            f"QUOTAS_STAFF_TENANTS is {path!r}, which did not tell the tenants of this user "
            f"({type(error).__name__}: {error}). Nothing is shown. Let it return None for all "
            "tenants, a queryset of tenants, or their primary keys."
        ) from error


def sees(user: Any, tenant_pk: int) -> bool:
    """Whether somebody of the staff may see this tenant."""
    seen = seen_by(user)
    return seen is None or seen.filter(pk=tenant_pk).exists()


def own_rows(tenants: QuerySet[Tenant], rows: QuerySet[Row]) -> QuerySet[Row]:
    """Those of ``rows`` that belong to ``tenants``.

    Plans are theirs when one of them has it, and the default one; users when they belong to one;
    versions when the row was theirs then, or is a tenant or plan of theirs now.
    """
    return rows.filter(_theirs(tenants, rows.model))


def _tenants(found: Any) -> QuerySet[Tenant]:
    if isinstance(found, QuerySet) and issubclass(found.model, Tenant):
        return Tenant.objects.filter(pk__in=found.order_by().values("pk"))
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise TypeError(f"{found!r} is neither a queryset nor a list")
    column = Tenant._meta.pk  # noqa: SLF001 - Django's documented name
    return Tenant.objects.filter(pk__in=[column.to_python(each) for each in found])


def _theirs(tenants: QuerySet[Tenant], model: type[Model]) -> Q:
    options = model._meta  # noqa: SLF001 - Django's documented name
    version_of = getattr(model, "instance_type", None)
    kind, pks = version_of or options.concrete_model, tenants.order_by().values("pk")
    itself = "id__in" if version_of else "pk__in"
    plans = Q(tenants__in=pks) | Q(is_default=True)
    if kind is Tenant:
        return Q((itself, pks))
    if kind is Plan:
        return Q((itself, Plan.objects.filter(plans).order_by().values("pk")))
    if kind is PlanLimit:
        return Q(plan__in=Plan.objects.filter(plans).order_by().values("pk"))
    if kind is get_user_model():
        return Q(pk__in=Membership.objects.filter(tenant__in=pks).order_by().values("user"))
    try:
        named = options.get_field("tenant").related_model is Tenant
    except FieldDoesNotExist:
        named = False
    return Q(tenant__in=pks) if named else Q(pk__in=[])
