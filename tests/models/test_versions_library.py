"""What of django-simple-history a project may have, and need not have."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.apps import apps
from simple_history.models import HistoricalRecords

from quotas.models import Tenant
from tests.models.rows import a_tenant, a_user

SETTINGS = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django
from django.conf import settings
settings.INSTALLED_APPS = ["simple_history", *settings.INSTALLED_APPS]
settings.SIMPLE_HISTORY_HISTORY_ID_USE_UUID = False
settings.SIMPLE_HISTORY_DATE_INDEX = "composite"
settings.SIMPLE_HISTORY_HISTORY_CHANGE_REASON_USE_TEXT_FIELD = True
django.setup()
from django.core.management import call_command
call_command("makemigrations", "quotas", check=True, dry_run=True)
call_command("check")
"""


def test_the_librarys_settings_ask_for_no_migration_of_ours():
    done = subprocess.run(
        [sys.executable, "-c", SETTINGS], check=False, capture_output=True, text=True
    )

    assert (0, True) == (done.returncode, "No changes detected" in done.stdout), done.stderr


@pytest.mark.django_db
def test_versions_are_kept_without_the_library_among_the_apps():
    assert not apps.is_installed("simple_history")

    a_tenant()

    assert 1 == Tenant.history.count()


@pytest.mark.django_db
def test_its_switch_does_not_stop_them(settings):
    settings.SIMPLE_HISTORY_ENABLED = False

    a_tenant().delete()

    assert 2 == Tenant.history.count()


@pytest.mark.django_db
def test_its_middleware_names_the_user_of_a_request(rf):
    request = rf.get("/")
    request.user = a_user()
    HistoricalRecords.context.request = request
    try:
        a_tenant()
    finally:
        del HistoricalRecords.context.request

    assert request.user == Tenant.history.get().history_user
