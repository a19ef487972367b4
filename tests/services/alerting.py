"""Hours as the limiter keeps them, alerts as plain words, and what was heard of them."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta

from quotas.domain.keys import owner_key, rule_tag, tenant_tag
from quotas.domain.limits import FixedWindow
from quotas.domain.policies import Source
from quotas.engine.connection import link
from quotas.engine.hours import HEAD, HOUR_US, NO_MOST, SIX
from quotas.models import Alert, PlanLimit
from quotas.signals import usage_threshold_reached
from tests import START_US
from tests.services.counted import DAY, START

FIXED_WINDOW = FixedWindow(amount=1, period=timedelta(minutes=1))


def tag_of(name):
    """That of the only plan limit of this name; of a fixed window where there is none."""
    row = PlanLimit.objects.filter(name=name).first()
    rule = row and row.as_limit(Source(kind="plan", title="", pk=row.pk)).rule
    return rule_tag(rule or FIXED_WINDOW)


def an_hour(tenant, *, hours=0, **peaks):
    """The record of an hour, so many after `START_US`: {name: (used, most)} of scope ``api``."""
    began = START_US // HOUR_US + hours
    raw = HEAD.pack(began, 0, 0, b"", 0, 0)
    for name, (used, most) in peaks.items():
        label = f"api/{name}".encode()
        raw += bytes([len(label)]) + label
        for number in (used, most, used, most):
            raw += (NO_MOST if number is None else number).to_bytes(SIX, "little")
        raw += bytes([tag_of(name)])
    client, key = link()
    client.hset(key(owner_key(tenant_tag(tenant.pk))), b"h" + bytes([began % 100]), raw)


def an_alert(tenant, **fields):
    """One that was raised: 8 of 10 units on the day of `START`, and e-mail to be sent."""
    values = {
        "scope": "api",
        "name": "minute",
        "threshold": "80",
        "period_start": START,
        "period_end": START + DAY,
        "used": 8,
        "amount": 10,
        "raised_at": START,
        "email_state": "pending",
    }
    return Alert.objects.create(tenant=tenant, **{**values, **fields})


def alerts(tenant=None):
    """(name, threshold, used, amount) of each, in order."""
    rows = Alert.objects.all() if tenant is None else tenant.alerts.all()
    found = rows.order_by("name", "pk")
    return [(each.name, each.threshold, each.used, each.amount) for each in found]


def periods(tenant):
    """The start and the end of each alert's period."""
    return [(each.period_start, each.period_end) for each in tenant.alerts.order_by("pk")]


@contextmanager
def hearing():
    """The alerts of which the signal tells meanwhile."""
    heard = []

    def hear(*, sender, alert, **_):
        assert sender is Alert
        assert alert.pk
        heard.append(alert)

    usage_threshold_reached.connect(hear)
    try:
        yield heard
    finally:
        usage_threshold_reached.disconnect(hear)
