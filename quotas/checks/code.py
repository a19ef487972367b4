"""The check of limits whose numbers are in code."""

from __future__ import annotations

from typing import Any

from django.core import checks

from quotas.checks.registration import TAG, Messages, listed
from quotas.drf import declared_limits
from quotas.services.routes import routes


@checks.register(TAG)
def check_declared_once(**kwargs: Any) -> Messages:
    """E020: one (scope, name) has one rule in all code; two would judge one state by turns."""
    found = declared_limits(route.as_set_up() for route in routes())
    return [
        checks.Error(
            f"Scope {scope!r}, name {name!r} is declared in code with different numbers: "
            f"{listed(map(str, rules))}.",
            hint="Give one of them a name or a scope of its own.",
            id="quotas.E020",
        )
        for (scope, name), rules in sorted(found.items())
        if len(rules) > 1
    ]
