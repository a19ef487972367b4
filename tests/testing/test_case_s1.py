"""Case S1: settings overridden in a test act, and counters of one test are not seen by another.

A project of its own, tested as the documentation says: in random order, with several workers, on
one Redis.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as project

ROOT = Path(__file__).resolve().parents[2]
TIMES = 5

SETTINGS = """
import os

SECRET_KEY = "signs nothing"
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "quotas"]
ROOT_URLCONF = "shop_urls"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
CACHES = {
    "quotas": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": os.environ["SHOP_REDIS"],
        "OPTIONS": {"CONNECTION_FACTORY": "quotas.engine.connection.ConnectionFactory"},
    },
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}
REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": {"api": "100/min"}, "NUM_PROXIES": 0}
USE_TZ = True
"""

URLS = """
from django.urls import path
from rest_framework.response import Response
from rest_framework.views import APIView

from quotas.drf import PlanThrottle, ScopedRateThrottle


class Rates(APIView):
    throttle_classes = [ScopedRateThrottle]
    throttle_scope = "api"

    def get(self, request):
        return Response({})


class Plans(Rates):
    throttle_classes = [PlanThrottle]


urlpatterns = [path("rates/", Rates.as_view()), path("plans/", Plans.as_view())]
"""

CONFTEST = """
from quotas.testing import quotas_isolated
"""

TESTS = f"""
from datetime import timedelta

import pytest

from quotas.models import Plan, PlanLimit
from quotas.testing import override_limit, throttling_off

again = pytest.mark.parametrize("time", range({TIMES}))


@pytest.fixture
def plan(db):
    plan = Plan.objects.create(key="free", name="Free", is_anonymous=True)
    PlanLimit.objects.create(
        plan=plan, scope="api", name="minute", amount=100, period=timedelta(minutes=1)
    )


def statuses(client, address, times):
    return [client.get(address).status_code for _ in range(times)]


@again
def test_two_a_minute(client, settings, time):
    settings.REST_FRAMEWORK = {{"DEFAULT_THROTTLE_RATES": {{"api": "2/min"}}, "NUM_PROXIES": 0}}
    assert statuses(client, "/rates/", 3) == [200, 200, 429]


@again
def test_the_default(client, time):
    assert ";r=99;" in client.get("/rates/").headers["RateLimit"]


@again
def test_two_a_minute_in_the_plan(client, plan, time):
    with override_limit("api", amount=2, period=60):
        assert statuses(client, "/plans/", 3) == [200, 200, 429]


@again
def test_the_plan(client, plan, time):
    assert ";r=99;" in client.get("/plans/").headers["RateLimit"]


@again
def test_off(client, settings, time):
    settings.REST_FRAMEWORK = {{"DEFAULT_THROTTLE_RATES": {{"api": "0/min"}}, "NUM_PROXIES": 0}}
    with throttling_off():
        assert statuses(client, "/rates/", 3) == [200, 200, 200]
"""


@pytest.mark.parametrize("workers", [0, 2])
def test_settings_act_and_counters_do_not_leak(tmp_path, workers):
    files = {"shop_settings": SETTINGS, "shop_urls": URLS, "conftest": CONFTEST, "test_shop": TESTS}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\nDJANGO_SETTINGS_MODULE = shop_settings\n")
    # What this run of pytest has put into the environment is not for the other one.
    ours = ("PYTEST_", "DJANGO_SETTINGS_MODULE")
    environment = {name: each for name, each in os.environ.items() if not name.startswith(ours)}
    environment["SHOP_REDIS"] = project.CACHES["quotas"]["LOCATION"]
    environment["PYTHONPATH"] = f"{ROOT}{os.pathsep}{tmp_path}"
    options = ["-q", "--tb=line", "-W", "error"]
    for plugin in ("valkey", "cacheprovider", "hypothesispytest", "pytest_cov"):
        options += ["-p", f"no:{plugin}"]

    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-n", str(workers), "--rootdir", tmp_path],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert f"{5 * TIMES} passed" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
