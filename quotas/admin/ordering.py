"""How lists are sorted."""

from __future__ import annotations

from typing import Any

from django.db.models import F


class Known(F):
    """A column to sort by: rows that have nothing in it come last, whichever way."""

    def asc(self, **kwargs: Any) -> Any:
        return super().asc(**{"nulls_last": True, **kwargs})

    def desc(self, **kwargs: Any) -> Any:
        return super().desc(**{"nulls_last": True, **kwargs})
