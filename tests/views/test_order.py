"""Limits are listed by how close they are."""

from __future__ import annotations

import pytest

from tests.services.asking import ask, of_tenant
from tests.views.looking import Reading, a_customer, data, member_of, page

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

LIMITS = [
    ({"name": "free", "amount": None}, 0),
    ({"name": "calm", "amount": 100}, 10),
    ({"name": "full", "amount": 10}, 10),
    ({"name": "closed", "amount": 0}, 0),
    ({"name": "half", "amount": 10}, 5),
]


def test_denying_limits_come_first_then_the_fullest_and_unlimited_ones_last(clock):
    tenant = a_customer(*({"scope": each["name"], **each} for each, _ in LIMITS))
    for each, cost in LIMITS:
        if cost:
            ask(of_tenant(tenant), each["name"], cost=cost)
    client = member_of(tenant)

    names = [each["name"] for each in data(client, tenant).json()["limits"]]
    titles = [each for each in Reading(page(client, tenant)).text.split() if each in names]

    assert ["closed", "full", "half", "calm", "free"] == names
    assert names == list(dict.fromkeys(titles))
