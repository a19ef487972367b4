"""What this process remembers of plans, tenants and memberships, and when it looks again.

An owner's version is compared by the decision script itself, the plans' version is read every
``QUOTAS_PLAN_POLL`` seconds, and everything is read anew each minute, so that a lost bump heals.
Versions are read before the rows: an edit in between is seen at the next comparison. Caches are
bounded; the oldest entry goes first.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from django.db import Error as DatabaseFault

from quotas.conf import conf
from quotas.domain.keys import tenant_tag, user_tag
from quotas.engine import owners
from quotas.errors import EngineUnavailable
from quotas.services import loading
from quotas.services.policy import PlanRow, Policy

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger("quotas")

RELOAD_SECONDS = 60.0
RETRY_SECONDS = 5.0
MOST_TENANTS, MOST_USERS, MOST_NAMES = 10_000, 50_000, 50_000

Value = TypeVar("Value")


class Bounded(OrderedDict[object, Value], Generic[Value]):
    """A mapping that forgets its oldest entry beyond ``most``."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.lock = Lock()

    def put(self, key: object, value: Value) -> Value:
        """Keep ``value``, and return it."""
        with self.lock:
            self[key] = value
            self.move_to_end(key)
            if len(self) > self.most:
                self.popitem(last=False)
        return value

    def drop(self, key: object) -> None:
        """Forget one entry, if it is there."""
        with self.lock:
            self.pop(key, None)


class Attempt:
    """The engine's one chance within a request: after a first failure it is not asked again.

    As a context it is `current()`, so that a resolver that looks at memberships shares it.
    ``started_at`` tells what was read for this request.
    """

    def __init__(self, started_at: float = 0.0) -> None:
        self.failure: EngineUnavailable | None = None
        self.started_at = started_at

    def __enter__(self) -> Self:
        self.token = _current.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        _current.reset(self.token)

    def ask(self, question: Callable[[], Value], otherwise: Value) -> Value:
        """The engine's answer, or ``otherwise`` when it gives none or has failed before."""
        if self.failure is None:
            try:
                return question()
            except EngineUnavailable as error:
                self.failure = error
        return otherwise


_current: ContextVar[Attempt | None] = ContextVar("quotas_attempt", default=None)


def current() -> Attempt:
    """The attempt of the request that is being decided; a new one outside of any."""
    return _current.get() or Attempt()


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """One tenant that a user belongs to."""

    tenant_pk: int
    tenant_key: str
    is_default: bool
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Belongings:
    """All tenants of a user, as of ``loaded_at``, under the ``version`` of the user's own."""

    tenants: tuple[Belonging, ...]
    version: bytes
    loaded_at: float
    fresh_until: float


@dataclass(slots=True, kw_only=True)
class Plans:
    """Every active plan, and which are the default and the anonymous one."""

    rows: dict[int, PlanRow]
    default_pk: int | None
    anonymous_pk: int | None
    version: bytes
    loaded_at: float
    polled_at: float

    def misses(self, pk: int | None) -> bool:
        """Whether a tenant is on a plan that is not among them."""
        return pk is not None and pk not in self.rows

    def of(self, pk: int | None) -> PlanRow | None:
        """The plan of this key; when it is none, unknown or inactive, the default plan."""
        return self.rows.get(pk or 0) or self.rows.get(self.default_pk or 0)


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
        version = attempt.ask(owners.plans_version, owners.UNKNOWN_VERSION)
        if (
            held is not None
            and now - held.loaded_at < RELOAD_SECONDS
            and version in {held.version, owners.UNKNOWN_VERSION}
        ):
            held.polled_at = now
            return held
        try:
            rows, (default, anonymous) = loading.load_plans(), loading.load_roles()
        except DatabaseFault:
            if held is None:
                raise
            logger.exception("The plans cannot be read; the last known ones stay in force.")
            held.polled_at, held.loaded_at = now, now - RELOAD_SECONDS + RETRY_SECONDS
            return held
        self._plans = Plans(
            rows=rows,
            default_pk=default,
            anonymous_pk=anonymous,
            version=version,
            loaded_at=now,
            polled_at=now,
        )
        return self._plans

    def anonymous(self, attempt: Attempt) -> Policy | None:
        """The policy of callers without a tenant; None when no active plan is for them."""
        plans = self.plans(attempt)
        plan = plans.rows.get(plans.anonymous_pk or 0)
        if plan is None:
            return None
        if self._anonymous is None or self._anonymous.plan is not plan:
            self._anonymous = Policy(plan=plan)
        return self._anonymous

    def policy(self, tenant: int | str, attempt: Attempt) -> Policy | None:
        """The policy of a tenant, by primary key or by key; None when there is no such tenant."""
        plans = self.plans(attempt)
        pk = self._names.get(tenant) if isinstance(tenant, str) else tenant
        held = None if pk is None else self._policies.get(pk)
        if pk is None or held is None or self.clock() - held.loaded_at >= RELOAD_SECONDS:
            held = self._load(tenant if pk is None else pk, held, attempt)
        if held is not None and held.tenant is not None:
            if (
                isinstance(tenant, str) and held.tenant.key != tenant
            ):  # renamed since: the old name is nobody's
                self._names.drop(tenant)
                return None
            if plans.misses(held.tenant.plan_pk) and plans.loaded_at < held.loaded_at:
                # Inactive, or new to this process because its notice was lost.
                plans.polled_at = plans.loaded_at = -RELOAD_SECONDS
                plans = self.plans(attempt)
            plan = plans.of(held.tenant.plan_pk)
            if held.plan is not plan:
                held.plan, held.laid_out = plan, {}
        return held

    def belongings(self, user_pk: object, attempt: Attempt) -> Belongings:
        """The tenants of a user."""
        now, held = self.clock(), self._belongings.get(user_pk)
        if held is not None and now < held.fresh_until:
            return held
        version = attempt.ask(lambda: owners.version_of(user_tag(user_pk)), owners.UNKNOWN_VERSION)
        try:
            rows = loading.load_memberships(user_pk)
        except DatabaseFault:
            if held is None:
                raise
            logger.exception("Memberships cannot be read; the last known ones stay in force.")
            held = replace(held, version=version, loaded_at=now, fresh_until=now + RETRY_SECONDS)
            return self._belongings.put(user_pk, held)
        tenants = tuple(
            Belonging(
                tenant_pk=m.tenant_id, tenant_key=m.tenant.key, is_default=m.is_default, role=m.role
            )
            for m in rows
        )
        return self._belongings.put(
            user_pk,
            Belongings(
                tenants=tenants,
                version=version,
                loaded_at=now,
                fresh_until=now + RELOAD_SECONDS,
            ),
        )

    def known_since(self, user_pk: object) -> float | None:
        """When the memberships of a user were read; None when they are not held."""
        held = self._belongings.get(user_pk)
        return None if held is None else held.loaded_at

    def drop_user(self, user_pk: object) -> None:
        """Read a user's memberships anew at the next use.

        What is held serves while the database is away.
        """
        held = self._belongings.get(user_pk)
        if held is not None:
            self._belongings.put(user_pk, replace(held, fresh_until=0.0))

    def drop_tenant(self, pk: int) -> None:
        """Read a tenant anew at the next use; what is held serves while the database is away."""
        held = self._policies.get(pk)
        if held is not None:
            held.loaded_at = -RELOAD_SECONDS

    def drop_plans(self) -> None:
        """Ask for the plans' version at the next use, however short ago it was read."""
        if self._plans is not None:
            self._plans.polled_at = -RELOAD_SECONDS

    def _load(self, tenant: int | str, held: Policy | None, attempt: Attempt) -> Policy | None:
        now = self.clock()
        version = owners.UNKNOWN_VERSION
        if not isinstance(tenant, str):
            tag = tenant_tag(tenant)
            version = attempt.ask(lambda: owners.version_of(tag), owners.UNKNOWN_VERSION)
        try:
            row = (
                loading.load_tenant(key=tenant)
                if isinstance(tenant, str)
                else loading.load_tenant(pk=tenant)
            )
        except DatabaseFault:
            if held is None:
                raise
            logger.exception(
                "Tenant %s cannot be read; its last known policy stays in force.", tenant
            )
            held.version, held.loaded_at = version, now - RELOAD_SECONDS + RETRY_SECONDS
            return held
        if row is None:
            self._policies.drop(tenant)
            return None
        if isinstance(tenant, str):
            self._names.put(row.key, row.pk)
            known = self._policies.get(row.pk)
            if known is not None and known.tenant is not None and known.tenant.key != row.key:
                self.drop_tenant(row.pk)
            return self.policy(row.pk, attempt)
        changed = self.clock() if held is None or held.version != version else held.changed_at
        fresh = Policy(plan=None, tenant=row, version=version, loaded_at=now, changed_at=changed)
        if held is not None:
            fresh.instant_us = held.instant_us
        return self._policies.put(row.pk, fresh)


store = Store()
