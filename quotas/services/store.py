"""What this process remembers of plans, tenants and memberships, and when it looks again.

An owner's version is compared by the decision script itself, the plans' version is read every
``QUOTAS_PLAN_POLL`` seconds, and everything is read anew each minute, so that a lost notice heals.
Versions are read before the rows: an edit in between is seen at the next comparison. What was read
inside a transaction may be older than its version, or never be committed: it is read again after a
second.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from django.db import Error as DatabaseFault

from quotas.conf import conf
from quotas.domain.keys import tenant_tag, user_tag
from quotas.engine import owners
from quotas.services import loading
from quotas.services.bounded import Bounded
from quotas.services.memberships import Belonging, Belongings
from quotas.services.policy import PlanRow, Plans, Policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from quotas.services.attempt import Attempt

logger = logging.getLogger("quotas")

RELOAD_SECONDS = 60.0
RETRY_SECONDS = 5.0
SETTLE_SECONDS = 1.0
MOST_TENANTS, MOST_USERS, MOST_NAMES = 10_000, 50_000, 50_000


class Store:
    """The memory of one process. Safe for threads; two that miss at once may both load."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.forget()

    def forget(self) -> None:
        """Forget everything, as a new process."""
        self._plans: Plans | None = None
        self._anonymous: Policy | None = None
        self._policies: Bounded[Policy] = Bounded(MOST_TENANTS)
        self._names: Bounded[int] = Bounded(MOST_NAMES)
        self._belongings: Bounded[Belongings] = Bounded(MOST_USERS)

    def plans(self, attempt: Attempt) -> Plans:
        """The plans, at most ``QUOTAS_PLAN_POLL`` seconds old while the engine answers."""
        now, held = self.clock(), self._plans
        if held is not None and now - held.polled_at < conf.plan_poll:
            return held
        if held is not None:
            held.polled_at = now  # before asking: other threads need not ask too
        version = attempt.version(lambda create: owners.plans_version(create=create))
        same = held is not None and version in {held.version, owners.UNKNOWN_VERSION}
        if held is not None and same and now < held.fresh_until:
            return held
        try:
            found = loading.load_plans()
        except DatabaseFault:
            if held is None:
                raise
            logger.exception("The plans cannot be read; the last known ones stay in force.")
            held.fresh_until = now + RETRY_SECONDS
            return held
        fresh = self._plans = Plans(
            **found._asdict(),
            version=version,
            loaded_at=now,
            polled_at=now,
            fresh_until=now + _lasts(changed=not same),
        )
        return fresh

    @property
    def plans_version(self) -> bytes | None:
        """The version of the plans that this process goes by; None while it has read none."""
        return None if self._plans is None else self._plans.version

    def anonymous(self, attempt: Attempt) -> Policy | None:
        """The policy of callers without a tenant; None when no active plan is for them."""
        plans = self.plans(attempt)
        plan = plans.rows.get(plans.anonymous_pk or 0)
        if plan is None:
            return None
        held = self._anonymous
        if held is None or held.plan is not plan:
            held = self._anonymous = Policy(plan=plan)
        return held

    def policy(self, tenant: int | str, attempt: Attempt) -> Policy | None:
        """The policy of a tenant, by primary key or by key; None when there is no such tenant."""
        if isinstance(tenant, str):
            known = self._names.get(tenant)
            held = None if known is None else self._policy(known, attempt)
            if held is not None and held.tenant is not None and held.tenant.key == tenant:
                return held
            # Unknown here, or renamed since: the old key may be another's.
            found = self._pk_of(tenant)
            return None if found is None else self._policy(found, attempt)
        return self._policy(tenant, attempt)

    def belongings(self, user_pk: object, attempt: Attempt) -> Belongings:
        """The tenants of a user."""
        now, tag = self.clock(), user_tag(user_pk)
        held = self._belongings.get(tag)
        if held is not None and now < held.fresh_until:
            return held
        version = attempt.version(lambda create: owners.version_of(tag, create=create))
        try:
            rows = loading.load_memberships(user_pk)
        except DatabaseFault:
            if held is None:
                raise
            logger.exception("Memberships cannot be read; the last known ones stay in force.")
            held = replace(held, version=version, loaded_at=now, fresh_until=now + RETRY_SECONDS)
            return self._belongings.put(tag, held)
        found = Belongings(
            tenants=tuple(
                Belonging(
                    tenant_pk=row.tenant_id,
                    tenant_key=row.tenant.key,
                    is_default=row.is_default,
                    role=row.role,
                )
                for row in rows
            ),
            version=version,
            loaded_at=now,
            fresh_until=now + _lasts(changed=held is None or held.version != version),
        )
        return self._belongings.put(tag, found)

    def known_since(self, user_pk: object) -> float | None:
        """When the memberships of a user were read; None when they are not held."""
        held = self._belongings.get(user_tag(user_pk))
        return None if held is None else held.loaded_at

    def drop_user(self, user_pk: object) -> None:
        """Read a user's memberships anew at the next use.

        What is held serves while the database is away.
        """
        held = self._belongings.get(user_tag(user_pk))
        if held is not None:
            self._belongings.put(user_tag(user_pk), replace(held, fresh_until=0.0))

    def drop_tenant(self, pk: int) -> None:
        """Read a tenant anew at the next use; what is held serves while the database is away."""
        held = self._policies.get(pk)
        if held is not None:
            held.fresh_until = 0.0

    def drop_plans(self) -> None:
        """Ask for the plans' version at the next use, however short ago it was read."""
        if self._plans is not None:
            self._plans.polled_at = -RELOAD_SECONDS

    def _serves(self, held: Policy, attempt: Attempt) -> bool:
        """Whether a policy need not be read anew.

        One that a page read under no version does not serve a request, which must see that Redis
        has lost its memory.
        """
        unversioned = attempt.creating and held.version == owners.NO_VERSION
        return self.clock() < held.fresh_until and not unversioned

    def _policy(self, pk: int, attempt: Attempt) -> Policy | None:
        held = self._policies.get(pk)
        if held is None or not self._serves(held, attempt):
            held = self._load(pk, held, attempt)
        if held is None or held.tenant is None:
            return None
        plan = self._plan_of(held, held.tenant.plan_pk, attempt)
        if held.plan is not plan:
            held.plan, held.laid_out = plan, {}
        return held

    def _plan_of(self, held: Policy, pk: int | None, attempt: Attempt) -> PlanRow | None:
        plans = self.plans(attempt)
        if plans.misses(pk) and plans.loaded_at < held.loaded_at:
            # Inactive, or new to this process because its notice was lost.
            plans.polled_at = plans.fresh_until = -RELOAD_SECONDS
            plans = self.plans(attempt)
        return plans.of(pk)

    def _pk_of(self, key: str) -> int | None:
        """The primary key of a tenant's key, by query; what is held under another is dropped."""
        pk = loading.pk_of_tenant(key)
        if pk is None:
            self._names.drop(key)
            return None
        held = self._policies.get(pk)
        if held is not None and held.tenant is not None and held.tenant.key != key:
            self.drop_tenant(pk)
        return self._names.put(key, pk)

    def _load(self, pk: int, held: Policy | None, attempt: Attempt) -> Policy | None:
        tag = tenant_tag(pk)
        version = attempt.version(lambda create: owners.version_of(tag, create=create))
        now = self.clock()
        try:
            row = loading.load_tenant(pk)
        except DatabaseFault:
            if held is None:
                raise
            logger.exception("Tenant %s cannot be read; its last known policy stays in force.", pk)
            held.version, held.fresh_until = version, now + RETRY_SECONDS
            return held
        if row is None:
            self._policies.drop(pk)
            return None
        changed = held is None or held.version != version
        fresh = Policy(
            plan=None,
            tenant=row,
            version=version,
            loaded_at=now,
            changed_at=now if held is None or changed else held.changed_at,
            fresh_until=now + _lasts(changed=changed),
            instant_us=0 if held is None else held.instant_us,
        )
        return self._policies.put(pk, fresh)


def _lasts(*, changed: bool) -> float:
    """Seconds until what was just read is read again."""
    return SETTLE_SECONDS if changed and loading.in_transaction() else RELOAD_SECONDS


store = Store()
