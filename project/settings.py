"""Settings of the demo.

The environment gives ``REDIS_URL``, ``DATABASE_URL`` (SQLite without it), ``DEBUG`` (1 without it)
and, where DEBUG is 0, ``SECRET_KEY`` and ``ALLOWED_HOSTS`` (comma-separated). Of alerts it gives
``QUOTAS_SITE_URL`` and ``QUOTAS_WEBHOOK_ADDRESSES``; e-mail is printed.
"""

from __future__ import annotations

import os
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = os.environ.get("DEBUG", "1").lower() in {"1", "true", "yes", "on"}
SECRET_KEY = os.environ.get(
    "SECRET_KEY", "the demo's, which signs nothing of worth" if DEBUG else ""
)
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is empty while DEBUG is off. Set SECRET_KEY to a long random text."
    )
ALLOWED_HOSTS = [host for host in os.environ.get("ALLOWED_HOSTS", "").split(",") if host]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework.authtoken",
    "project",  # before quotas, whose base template it adds its own header to
    "quotas",
]

MIDDLEWARE = [
    "project.security.ContentSecurityPolicy",  # first, for whatever another answers
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",  # a browser's language decides
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "project.urls"
WSGI_APPLICATION = "project.wsgi.application"

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

DATABASES = {
    "default": dj_database_url.config(default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}"),
}
if DATABASES["default"].get("ENGINE") == "django.db.backends.sqlite3":
    # A transaction that reads first and then writes would find the database locked by another's.
    DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 20}

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "quotas": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0",
        "OPTIONS": {"CONNECTION_FACTORY": "quotas.engine.connection.ConnectionFactory"},
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "project.authentication.DemoTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "quotas.drf.exception_handler",
    "NUM_PROXIES": 0,
}

EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
QUOTAS_SITE_URL = os.environ.get("QUOTAS_SITE_URL", "")
QUOTAS_WEBHOOK_ADDRESSES = os.environ.get("QUOTAS_WEBHOOK_ADDRESSES") or "public"

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ja", "日本語")]
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
AUTHENTICATION_BACKENDS = ["project.authentication.DemoBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "quotas:tenants"
LOGOUT_REDIRECT_URL = "front"
