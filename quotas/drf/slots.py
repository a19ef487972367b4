"""Frees the slots of a request when its response has ended.

Django hangs ``request.close`` onto every response that it returns, errors and streams included,
and calls it when the server has sent the last byte or the client has gone. What never comes to a
response (a killed process, an ASGI client that leaves while the view runs) the lease frees.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from rest_framework.request import Request

logger = logging.getLogger("quotas")


def free_when_ended(request: Request, give_back: Callable[[], None]) -> None:
    """Call ``give_back`` once, when Django closes the request underneath; log what it raises."""
    http: Any = getattr(request, "_request", request)
    close = http.close
    waiting = [give_back]

    def close_and_free() -> None:
        try:
            while waiting:
                waiting.pop()()
        except Exception:
            logger.exception("Slots in flight were not freed: their lease will free them.")
        finally:
            close()

    http.close = close_and_free
