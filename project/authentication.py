"""Who is who in the demo: its log-ins and tokens, known to everybody, work with DEBUG only."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

LOGINS = ("staff", "acme", "bolt", "cyan")
TOKEN_PREFIX = "demo-"


class DemoBackend(ModelBackend):
    """Passwords; the demo's own log-ins, and sessions of them, are nobody's without DEBUG."""

    def user_can_authenticate(self, user: Any) -> bool:
        if not settings.DEBUG and user.get_username() in LOGINS:
            return False
        return super().user_can_authenticate(user)


class DemoTokenAuthentication(TokenAuthentication):
    """Tokens; the demo's own are refused without DEBUG."""

    def authenticate_credentials(self, key: str) -> Any:
        user, token = super().authenticate_credentials(key)
        if not settings.DEBUG and token.key.startswith(TOKEN_PREFIX):
            raise AuthenticationFailed("The demo's tokens work with DEBUG only.")
        return user, token
