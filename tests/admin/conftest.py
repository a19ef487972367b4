from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from tests.admin.browsers import client_of
from tests.admin.companies import MARK, OWN, Company, bound_staff
from tests.models.rows import a_user


@pytest.fixture
def staff(db):
    """A superuser's browser."""
    return client_of(a_user("chief", is_staff=True, is_superuser=True))


@pytest.fixture
def staff_who_may(db):
    """``staff_who_may("view", "change")``: a browser of somebody with these permissions on all."""

    def make(*verbs):
        user = a_user(is_staff=True)
        rows = Permission.objects.filter(content_type__app_label="quotas")
        user.user_permissions.set([row for row in rows if row.codename.split("_")[0] in verbs])
        return client_of(user)

    return make


@pytest.fixture
def other(db):
    """A company whose every text has the mark that nobody of another may see."""
    return Company(MARK)


@pytest.fixture
def company(other, settings):
    """The company to which `bound` staff are bound."""
    settings.QUOTAS_STAFF_TENANTS = "quotas.services.staff.by_membership"
    return Company(OWN)


@pytest.fixture
def bound(company):
    """The browser of somebody who may do everything, for one company."""
    return bound_staff(company)
