"""What an edit of a limit means for tenants, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils import translation
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from quotas.admin.shadow_words import consequence, number
from quotas.domain.edits import Edit, InProgress
from quotas.domain.guarantees import guarantee
from quotas.domain.limits import TokenBucket
from quotas.domain.policies import Limit
from quotas.domain.words import Mode, SubjectKind
from quotas.models.choices import MODES
from quotas.services.hindsight import Hindsight, Untold
from quotas.services.outlook import Outlook

IN_PROGRESS = {
    InProgress.KEPT: _("What is in use now stays counted."),
    InProgress.CLAMPED: _("Tokens held now are clamped to the lower capacity."),
    InProgress.SET_ASIDE: _(
        "What is in use now is set aside: it counts again if the limit becomes a calendar quota of "
        "this unit again before the period ends."
    ),
    InProgress.RESTARTED: _("Counting starts anew: what is in use now is forgotten."),
}

UNTOLD = {
    Untold.APART: _(
        "It counts users, credentials or addresses apart: the records do not tell what it would "
        "have denied."
    ),
    Untold.IN_FLIGHT: _(
        "It counts calls in flight: the records do not tell how many it would have denied."
    ),
    Untold.BESIDES: _(
        "Views count something else under this scope as well: the records do not tell what it "
        "would have denied."
    ),
}
DENIED = _(
    "Used in the last 24 hours: %(units)s, by %(tenants)s. Of that at least %(denied)s, of "
    "%(losing)s, would have been denied."
)
NONE_DENIED = _(
    "Used in the last 24 hours: %(units)s, by %(tenants)s. The records show none of it that would "
    "have been denied for certain."
)
BY_OVERRIDE = _("Then an override applies, with the reason “%(title)s”.")
BY_PLAN = _("Then the limit of plan %(title)s applies.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A changed limit: its name, what it promised and will promise, and what follows.

    Of many limits together no promises are told.
    """

    name: str
    before: str = ""
    after: str = ""
    sentences: list[str]
    warnings: list[str] = field(default_factory=list)


def told(outlook: Outlook) -> Told:
    """The outlook of one edit, for the page."""
    edit = outlook.edit
    return Told(
        name=called(edit.before),
        before=promised(edit.before),
        after=promised(edit.after),
        sentences=[
            *_in_place(edit),
            *_whom(outlook),
            *([consequence(outlook.shadow)] if outlook.shadow else []),
            *_taken(outlook),
            *_recorded(outlook),
            *_hindsight(outlook.hindsight),
            _in_progress(outlook),
        ],
    )


def told_together(outlooks: Sequence[Outlook]) -> Told:
    """Many edits of which no more is known than how many they concern, for the page."""
    changed = ngettext(
        "%(count)s more limit is changed, which concerns %(tenants)s: so many are changed at once "
        "that no more is looked up of it.",
        "%(count)s more limits are changed, which concern %(tenants)s, counted anew for each of "
        "them: so many are changed at once that no more is looked up of these.",
        len(outlooks),
    )
    tenants = _tenants(sum(each.tenants for each in outlooks))
    return Told(
        name=gettext("Other limits"),
        sentences=[changed % {"count": number(len(outlooks)), "tenants": tenants}],
    )


def called(limit: Limit) -> str:
    """A limit with the plan or the tenant that has it."""
    whose = limit.source.title
    return f"{whose}: {limit.scope}/{limit.name}" if whose else f"{limit.scope}/{limit.name}"


def promised(limit: Limit) -> str:
    """What a limit promises, and whether it denies what is over it."""
    sentence = guarantee(limit.rule, translation)
    mode = "" if limit.mode is Mode.ENFORCE else f" ({dict(MODES)[limit.mode]})"
    return f"{sentence}{mode}"


def _in_place(edit: Edit) -> list[str]:
    """Which other limit takes the place of this one."""
    one, two = edit.before.source, edit.after.source
    if (one.kind, one.pk) == (two.kind, two.pk):
        return []
    acts = BY_OVERRIDE if two.kind == "override" else BY_PLAN
    return [str(acts) % {"title": two.title}]


def _whom(outlook: Outlook) -> list[str]:
    concerned = ngettext(
        "It concerns %(count)s tenant.", "It concerns %(count)s tenants.", outlook.tenants
    )
    said = [concerned % {"count": number(outlook.tenants)}]
    if not outlook.told and outlook.edit.tightens:
        said.append(str(_("So many limits are changed at once: no more is looked up of this one.")))
    return said


def _taken(outlook: Outlook) -> list[str]:
    """How tenants stand now."""
    taken, edit = outlook.taken, outlook.edit
    if taken is None:
        apart = edit.before.subject is not SubjectKind.TENANT and edit.before.mode is not Mode.OFF
        looked = outlook.hindsight is not None and edit.lowers_most
        return (
            [str(_("What each caller has in use now is not looked at."))]
            if apart and looked
            else []
        )
    if taken.outage:
        return [
            str(_("Redis gives no answer: who is above it now is not known, only what follows."))
        ]
    if not taken.looked_at:
        return [str(_("Redis cannot tell who is above it now."))]
    above = ngettext(
        "%(count)s of them has more than %(most)s in use now.",
        "%(count)s of them have more than %(most)s in use now.",
        taken.above,
    )
    said = [above % {"count": number(taken.above), "most": number(edit.most or 0)}]
    if taken.looked_at < outlook.tenants:
        some = _("For that, %(count)s were looked at: those who lately took most.")
        said.append(str(some) % {"count": number(taken.looked_at)})
    return said


def _recorded(outlook: Outlook) -> list[str]:
    """Who had more in use at once in the last hours."""
    if outlook.hindsight is None or not outlook.edit.lowers_most or outlook.edit.most is None:
        return []
    above = ngettext(
        "%(count)s of them used more than %(most)s at once in the last 24 hours.",
        "%(count)s of them used more than %(most)s at once in the last 24 hours.",
        outlook.above,
    )
    values = {"count": number(outlook.above), "most": number(outlook.edit.most)}
    said = [above % values]
    if outlook.hours:
        hours = ngettext(
            "That was in %(count)s hour.",
            "That was in %(count)s hours, those of all of them together.",
            outlook.hours,
        )
        said.append(hours % {"count": number(outlook.hours)})
    return said


def _hindsight(hindsight: Hindsight | Untold | None) -> list[str]:
    """What would have been denied of what was used."""
    if hindsight is None:
        return []
    if isinstance(hindsight, Untold):
        return [str(UNTOLD[hindsight])] if hindsight in UNTOLD else []
    said = [_denied(hindsight)]
    if hindsight.some:
        said.append(str(_("For that, only the tenants who used most were looked at.")))
    return said


def _denied(hindsight: Hindsight) -> str:
    if hindsight.is_blind:
        return str(
            _("Nothing is recorded that the tenants looked at used of it in the last 24 hours.")
        )
    if not hindsight.tenants:
        return str(_("Nothing that was used in the last 24 hours is recorded."))
    values = {
        "units": _units(hindsight.units),
        "tenants": _tenants(hindsight.tenants),
        "denied": _units(hindsight.denied),
        "losing": _tenants(hindsight.denied_tenants),
    }
    return str(DENIED if hindsight.denied else NONE_DENIED) % values


def _units(count: int) -> str:
    return ngettext("%(count)s unit", "%(count)s units", count) % {"count": number(count)}


def _tenants(count: int) -> str:
    return ngettext("%(count)s tenant", "%(count)s tenants", count) % {"count": number(count)}


def _in_progress(outlook: Outlook) -> str:
    before, after = outlook.edit.before.rule, outlook.edit.after.rule
    buckets = isinstance(before, TokenBucket) and isinstance(after, TokenBucket)
    if buckets and outlook.edit.in_progress is InProgress.KEPT:
        return str(_("Tokens held now stay as they are."))
    return str(IN_PROGRESS[outlook.edit.in_progress])
