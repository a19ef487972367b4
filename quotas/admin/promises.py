"""Under the numbers of a row: what it promises, its worst burst, and what is odd about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from quotas.domain.binding import Flag, Flaw
from quotas.domain.bursts import worst_burst
from quotas.domain.guarantees import guarantee
from quotas.domain.limits import Rule
from quotas.errors import InvalidLimit
from quotas.models.limit_fields import LimitFields

BLOCK = "quotas/admin/promise.html"
FLAWS = {
    Flaw.NEVER_BINDS: _("It never denies anything by itself: %(other)s always denies first."),
    Flaw.MORE_IN_LESS: _(
        "It allows more than %(other)s does in a longer period: together they contradict."
    ),
}


def promise(limit: LimitFields) -> str:
    """The guarantee with this row's numbers; a dash while they make no limit."""
    rule = _rule(limit)
    return "–" if rule is None else guarantee(rule, translation)


def promise_block(row: Any, errors: Mapping[str, list[str]] | None = None) -> str:
    """All that is said under a row, as a fragment of the page.

    ``errors`` are those of its form, where it has no other place for them.
    """
    among = getattr(row, "among", None)
    unsure = among is not None and among.unsure(row)
    rule = None if unsure else _rule(row)
    context = {
        "guarantee": rule and guarantee(rule, translation),
        "burst": rule and worst_burst(rule, translation),
        "flags": [] if among is None or unsure else [_told(flag) for flag in among.flags_of(row)],
        "errors": [text for texts in (errors or {}).values() for text in texts],
    }
    return render_to_string(BLOCK, context)


def _told(flag: Flag) -> str:
    return str(FLAWS[flag.flaw]) % {"other": f"{flag.other.scope}/{flag.other.name}"}


def _rule(limit: LimitFields) -> Rule | None:
    try:
        return limit.rule
    except InvalidLimit:
        return None
