"""DRF responses as clients see them, from the real limiter on a real server."""

from __future__ import annotations
