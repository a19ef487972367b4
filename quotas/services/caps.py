"""A tenant's own caps: what may be capped and how low, setting one, and taking it away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import router
from django.utils import timezone

from quotas.domain.limits import DenyAll
from quotas.domain.words import Mode
from quotas.engine.clock import now_us
from quotas.errors import QuotasError
from quotas.models import Cap
from quotas.models.versions import acting
from quotas.services.attempt import Attempt
from quotas.services.loading import load_tenant
from quotas.services.policy import Policy
from quotas.services.store import store

if TYPE_CHECKING:
    from quotas.domain.policies import Limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Cappable:
    """A limit as it would be without a cap, and the cap that the tenant has set on it, if any.

    The limit is None when there is none of that name any more: the cap is of no effect.
    """

    scope: str
    name: str
    limit: Limit | None
    cap: int | None = None

    @property
    def amount(self) -> int | None:
        """The amount below which a cap must be; None: unlimited, so any will do."""
        return None if self.limit is None else self.limit.rule.amount

    @property
    def denies_all(self) -> bool:
        """Whether the amount is 0: there is nothing to lower."""
        return self.limit is not None and isinstance(self.limit.rule, DenyAll)

    @property
    def in_shadow(self) -> bool:
        """Whether the limit only counts: a cap would deny nothing either."""
        return self.limit is not None and self.limit.mode is Mode.SHADOW

    def takes(self, amount: int) -> bool:
        """Whether ``amount`` may be set as a cap."""
        if self.limit is None or self.denies_all or self.in_shadow or amount < 1:
            return False
        return self.amount is None or amount < self.amount


class NotCapped(QuotasError):
    """A cap that was not set; ``found`` says why: None when no such limit is in force."""

    def __init__(self, found: Cappable | None) -> None:
        super().__init__("The cap was not set.")
        self.found = found


def cappable(tenant_pk: int) -> list[Cappable]:
    """The limits in force, and caps that are left of others, by scope and name.

    Read anew, not from memory: whoever has just set a cap sees it. None of a tenant that is gone.
    """
    tenant = load_tenant(tenant_pk)
    if tenant is None:
        return []
    policy = Policy(plan=store.plans(Attempt()).of(tenant.plan_pk), tenant=tenant)
    limits = policy.in_force(now_us(), with_caps=False).limits()
    found = {(each.scope, each.name): each for each in limits}
    caps = {(each.scope, each.name): each.amount for each in tenant.caps}
    return [
        Cappable(
            scope=scope, name=name, limit=found.get((scope, name)), cap=caps.get((scope, name))
        )
        for scope, name in sorted(found.keys() | caps.keys())
    ]


def set_cap(tenant_pk: int, scope: str, name: str, amount: int, *, user_pk: Any = None) -> None:
    """Lower a limit to ``amount`` for its tenant, from the next request on.

    Raises `NotCapped` unless it is at least 1 and lower than what is in force without it.
    """
    known = (each for each in cappable(tenant_pk) if (each.scope, each.name) == (scope, name))
    found = next(known, None)
    if found is None or not found.takes(amount):
        raise NotCapped(found)
    with acting(user=user_pk):
        Cap.objects.using(router.db_for_write(Cap)).update_or_create(
            tenant_id=tenant_pk,
            scope=scope,
            name=name,
            defaults={"amount": amount, "set_by_id": user_pk, "set_at": timezone.now()},
        )


def remove_cap(tenant_pk: int, scope: str, name: str, *, user_pk: Any = None) -> None:
    """Give the limit its own amount back; nothing happens when it has no cap."""
    rows = Cap.objects.using(router.db_for_write(Cap))
    with acting(user=user_pk):
        rows.filter(tenant_id=tenant_pk, scope=scope, name=name).delete()
