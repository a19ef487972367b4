"""Denied calls made by hand, and their pages."""

from __future__ import annotations

from quotas.domain.denials import Denial
from quotas.services.denials import decision_id
from tests import START_US


def a_denial(tenant, **fields):
    """A call of a tenant that was denied for a minute at the start of the clock."""
    usual = {
        "at_us": START_US,
        "scope": "reports",
        "name": "minute",
        "cost": 1,
        "retry_after": 60,
        "operation": "POST api/reports/",
    }
    return Denial(tenant_pk=tenant.pk, **{**usual, **fields})


def address(denial):
    return f"/quotas/decisions/{decision_id(denial)}/"


def decision(client, denial):
    return client.get(address(denial))


def decision_data(client, denial):
    return client.get(f"{address(denial)}decision.json")
