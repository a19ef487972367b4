"""A request is counted once, whatever becomes of it."""

from __future__ import annotations

import pytest
from django.db import transaction

from quotas.drf import PlanThrottle
from tests.drf.calling import call, view_with
from tests.drf.rows import make_plan, make_tenant, make_user, row
from tests.services.counted import only

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tenant(transactional_db):
    make_plan(row(amount=10))
    return make_tenant()


@pytest.fixture
def user(tenant):
    return make_user("ada", tenant)


def broken(self, request):
    raise RuntimeError("the view breaks")


def test_a_view_that_raises_is_counted_once(tenant, user):
    view = view_with(PlanThrottle, throttle_scope="reports", get=broken)

    with pytest.raises(RuntimeError):
        call(view, user=user)

    assert (1, 0) == (only(tenant).admitted, only(tenant).denied)


def test_a_request_whose_transaction_is_rolled_back_is_counted_once(tenant, user):
    """As ATOMIC_REQUESTS wraps a view."""
    view = transaction.atomic(
        view_with(PlanThrottle, throttle_scope="reports", get=broken).as_view()
    )

    with pytest.raises(RuntimeError):
        call(view, user=user)

    assert (1, 0) == (only(tenant).admitted, only(tenant).denied)


def test_a_throttle_listed_twice_counts_once(tenant, user):
    view = view_with(PlanThrottle, PlanThrottle, throttle_scope="reports")

    call(view, user=user)

    assert 1 == only(tenant).admitted
