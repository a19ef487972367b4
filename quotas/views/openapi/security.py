"""How somebody proves who they are: as the project's API does, and on pages by logging in."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.authentication import (
    BaseAuthentication,
    BasicAuthentication,
    SessionAuthentication,
    TokenAuthentication,
)

from quotas.views.twin import UsageData

NAMES: dict[type[BaseAuthentication], str] = {
    SessionAuthentication: "session",
    BasicAuthentication: "basic",
    TokenAuthentication: "token",
}
"""Django REST framework's own ways; what a project has besides is for its own documents to tell."""


def schemes() -> dict[str, Any]:
    """The components: each way, whether or not the project has it."""
    return {
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "The session of somebody who has logged in.",
        },
        "basic": {"type": "http", "scheme": "basic", "description": "Name and password."},
        "token": {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token` and the token, with a space between.",
        },
    }


def of_api() -> list[dict[str, list[str]]]:
    """The ways of the project's API, of which any will do."""
    found = [
        name
        for each in UsageData.authentication_classes
        for kind, name in NAMES.items()
        if issubclass(each, kind)
    ]
    return [{name: []} for name in found]


def of_pages() -> list[dict[str, list[str]]]:
    """The way of pages."""
    return [{"session": []}]
