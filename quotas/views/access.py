"""Whose usage somebody may look at: of the own tenants, and of those that staff may see.

Asked of the database each time, so that a membership that was taken away shows nothing any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.http import Http404
from django.utils.translation import gettext as _

from quotas.models import Membership, Tenant
from quotas.services.staff import seen_by, sees

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewing:
    """Somebody who may look at a tenant: one of its members, or ``staff`` who may see it."""

    tenant_pk: int
    member_pk: object | None
    staff: bool


def is_staff(user: Any) -> bool:
    """Whether somebody may look at tenants of others: staff with the permission to view tenants."""
    return bool(user.is_active and user.is_staff and user.has_perm("quotas.view_tenant"))


def sees_as_staff(user: Any, tenant_pk: int) -> bool:
    """Whether somebody may look at this tenant as staff: who are bound to some, at no other."""
    return is_staff(user) and sees(user, tenant_pk)


def tenants_of(user: Any) -> QuerySet[Tenant]:
    """The tenants that somebody may look at, with their plans."""
    tenants = Tenant.objects.select_related("plan")
    belongs = Membership.objects.filter(user_id=user.pk).order_by().values("tenant")
    if not is_staff(user):
        return tenants.filter(pk__in=belongs)
    seen = seen_by(user)
    return tenants if seen is None else tenants.filter(Q(pk__in=belongs) | Q(pk__in=seen))


def viewing(user: Any, key: str) -> Viewing:
    """Somebody's right to look at the tenant of this key.

    Raises `Http404`, alike for a tenant that does not exist and one that is not theirs: the same
    is asked of the database for both, so that the time that it takes tells nothing either.
    """
    own_pk, seen_pk = None, None
    if "\0" not in key:  # no key has one, and PostgreSQL refuses to compare it
        own = Membership.objects.filter(user_id=user.pk, tenant__key=key)
        own_pk = own.values_list("tenant_id", flat=True).first()
        if is_staff(user):
            seen = seen_by(user)
            tenants = Tenant.objects.all() if seen is None else seen
            seen_pk = tenants.filter(key=key).values_list("pk", flat=True).first()
    pk = own_pk if seen_pk is None else seen_pk
    if pk is None:
        raise nowhere()
    member_pk = None if own_pk is None else user.pk
    return Viewing(tenant_pk=pk, member_pk=member_pk, staff=seen_pk is not None)


def nowhere() -> Http404:
    """The one answer for whatever is not there and whatever is not the viewer's."""
    return Http404(_("There is no such tenant, or it is not yours to see."))
