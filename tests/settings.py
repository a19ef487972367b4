"""Settings of the tests. `tests.conftest` points ``quotas`` at the worker's own server."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

SECRET_KEY = "signs nothing outside the tests"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework.authtoken",
    "quotas",
]

MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "tests.urls"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# A file, so that tests may read it from threads and other processes; one for each run and worker.
_DATABASE = Path(tempfile.gettempdir()) / f"quotas-tests-{os.getpid()}.sqlite3"

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": ":memory:",
        "TEST": {"NAME": _DATABASE},
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL;",
        },
    },
}

# Another server, such as the PostgreSQL that tests/services/test_postgresql.py starts.
if _URL := os.environ.get("TEST_DATABASE_URL"):
    import dj_database_url

    DATABASES = {"default": dj_database_url.parse(_URL)}  # type: ignore[dict-item]

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "quotas": {
        "BACKEND": "django_redis.cache.RedisCache",
        # Nothing listens there: what runs without the tests' server fails at once.
        "LOCATION": "redis://127.0.0.1:1/0",
        "OPTIONS": {"CONNECTION_FACTORY": "quotas.engine.connection.ConnectionFactory"},
    },
}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"

# Two busy cores may keep a healthy server waiting; tests of outages set their own.
QUOTAS_TIMEOUT = 5
