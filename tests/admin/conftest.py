from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from tests.models.rows import a_user


def client_of(user):
    client = Client()
    client.force_login(user)
    return client


def somebody_who_may(*codenames):
    """A browser of somebody with these permissions alone."""
    user = a_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return client_of(user)


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
