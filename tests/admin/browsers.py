"""Browsers of staff, signed in."""

from __future__ import annotations

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
