"""Admin-managed request quotas for Django, decided in Redis."""

from __future__ import annotations

__version__ = "0.1.0"
