"""Short ways to ask the services: callers by tenant or user, answers by the names of limits."""

from __future__ import annotations

from datetime import timedelta

from django.db import connection

from quotas.domain.policies import Limit
from quotas.domain.rules import build_rule
from quotas.services.enforcement import Ask, Caller, enforce
from quotas.services.tenancy import choose
from quotas.services.usage import usage_of

ADDRESS = "192.0.2.1"


def of_tenant(tenant, *, user=None, **fields):
    """A caller whom authentication gave this tenant (a row, a key or a primary key), if any."""
    named = getattr(tenant, "pk", tenant)
    return _caller(user, lambda: named, fields)


def of_user(user, named=None, **fields):
    """A caller who acts for one of the user's own tenants: the one ``named``, if it is."""
    return _caller(user, lambda: choose(user.pk, named), fields)


def anonymous(address=ADDRESS, **fields):
    return Caller(address=address, **fields)


def _caller(user, resolve, fields):
    values = {"address": ADDRESS, "user_pk": getattr(user, "pk", user), "resolve": resolve}
    return Caller(**{**values, **fields})


def ask(caller, *scopes, cost=1):
    """The answer to one request; without scopes, to one of scope ``api``."""
    return enforce(caller, [Ask(scope=scope, cost=cost) for scope in scopes or ("api",)])


def allowed(caller, *scopes, times=1, cost=1):
    """How many of so many requests are allowed."""
    return sum(ask(caller, *scopes, cost=cost).decision.allowed for _ in range(times))


def left(answer):
    """What is left of each limit of an answer, by name."""
    return {verdict.limit.name: verdict.remaining for verdict in answer.decision.verdicts}


def used(tenant, **fields):
    """What the usage page says is used, by the name of the limit."""
    return {line.limit.name: line.used for line in usage_of(tenant, **fields).lines}


def in_code(amount=10, *, scope="code", name="minute", **fields):
    """A limit that a throttle brings itself: a token bucket."""
    rule = build_rule(algorithm="token_bucket", amount=amount, period=timedelta(minutes=1))
    return Limit(scope=scope, name=name, rule=rule, **fields)


def behind_our_back(table, **values):
    """Writes as another tool would: nothing is announced."""
    columns = ", ".join(f"{column} = %s" for column in values)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {columns}", list(values.values()))  # noqa: S608
