"""What an edit of a limit means for tenants, in sentences."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from quotas.domain.edits import InProgress
from quotas.domain.guarantees import guarantee
from quotas.domain.limits import TokenBucket
from quotas.domain.policies import Limit
from quotas.domain.words import Mode
from quotas.models.choices import MODES
from quotas.services.outlook import Outlook

IN_PROGRESS = {
    InProgress.KEPT: _("What is in use now stays counted."),
    InProgress.CLAMPED: _("Tokens held now are clamped to the lower capacity."),
    InProgress.RESTARTED: _("Counting starts anew: what is in use now is forgotten."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A changed limit: its name, what it promised and will promise, and what follows."""

    name: str
    before: str
    after: str
    sentences: list[str]


def told(outlook: Outlook) -> Told:
    """The outlook of one edit, for the page."""
    edit = outlook.edit
    return Told(
        name=f"{edit.before.scope}/{edit.before.name}",
        before=_promised(edit.before),
        after=_promised(edit.after),
        sentences=[*_whom(outlook), _in_progress(outlook)],
    )


def _promised(limit: Limit) -> str:
    sentence = guarantee(limit.rule, translation)
    mode = "" if limit.mode is Mode.ENFORCE else f" ({dict(MODES)[limit.mode]})"
    return f"{sentence}{mode}"


def _whom(outlook: Outlook) -> list[str]:
    concerned = ngettext(
        "It concerns %(count)s tenant.", "It concerns %(count)s tenants.", outlook.tenants
    )
    said = [concerned % {"count": _number(outlook.tenants)}]
    if outlook.edit.lowers_most and outlook.edit.most is not None:
        above = ngettext(
            "%(count)s of them used more than %(most)s at once in the last 24 hours.",
            "%(count)s of them used more than %(most)s at once in the last 24 hours.",
            outlook.above,
        )
        values = {"count": _number(outlook.above), "most": _number(outlook.edit.most)}
        said.append(above % values)
    return said


def _in_progress(outlook: Outlook) -> str:
    before, after = outlook.edit.before.rule, outlook.edit.after.rule
    buckets = isinstance(before, TokenBucket) and isinstance(after, TokenBucket)
    if buckets and outlook.edit.in_progress is InProgress.KEPT:
        return str(_("Tokens held now stay as they are."))
    return str(IN_PROGRESS[outlook.edit.in_progress])


def _number(value: int) -> str:
    return number_format(value, force_grouping=True)
