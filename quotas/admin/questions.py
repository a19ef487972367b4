"""Asks before anything is taken from tenants: one page between the form and the save.

Forms and formsets that ask are not valid until the question is answered. They keep it as
``asked_about``, and the admin shows the page in place of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.admin.answers import (
    CONFIRMED,
    PREVIEW,
    forget_unmeant,
    is_meant,
    sent_with,
    yes_of,
)
from quotas.admin.outlooks import Told, told, told_together
from quotas.admin.parents import ModelAdmin
from quotas.admin.removal_words import told_move, told_removal
from quotas.admin.seen import SeenForm
from quotas.domain.edits import Edit
from quotas.domain.policies import Limit, Source
from quotas.domain.words import Mode
from quotas.errors import InvalidLimit
from quotas.models import Override
from quotas.services.outlook import Outlook
from quotas.services.plan_moves import Move
from quotas.services.removals import Removal
from quotas.services.shadow import shadow_of

CONFIRM = "quotas/admin/confirm.html"

MOST_LISTED = 10
"""How many edits that were not looked up are told of one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked about: edits, limits that go, and tenants that get another plan."""

    outlooks: list[Outlook] = field(default_factory=list)
    removals: list[Removal] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.outlooks or self.removals or self.moves)

    def __add__(self, other: Question) -> Question:
        return Question(
            outlooks=[*self.outlooks, *other.outlooks],
            removals=[*self.removals, *other.removals],
            moves=[*self.moves, *other.moves],
        )

    @property
    def due(self) -> Question:
        """What of it is asked before a save."""
        return Question(
            outlooks=[each for each in self.outlooks if each.asks],
            removals=[
                each
                for each in self.removals
                if each.tenants and (each.last or each.limit.mode is not Mode.OFF)
            ],
            # Who had no plan was refused every call.
            moves=[each for each in self.moves if each.before is not None],
        )

    @property
    def told(self) -> list[Told]:
        """In sentences, for the page: of very many edits those not looked up in one alone."""
        rest = [each for each in self.outlooks if not each.told]
        together = rest if len(rest) > MOST_LISTED else []
        return [
            *(told(each) for each in self.outlooks if each.told or not together),
            *([told_together(together)] if together else []),
            *map(told_removal, self.removals),
            *map(told_move, self.moves),
        ]


NOTHING = Question()


def limit_of(row: Any, whose: str = "") -> Limit | None:
    """The limit that a row of a form makes; None while it makes none.

    ``whose``: the plan or tenant by which it is told from others of the same name.
    """
    kind = "override" if isinstance(row, Override) else "plan"
    source = Source(kind=kind, title=whose, pk=row.pk)
    try:
        return row.as_limit(source)  # type: ignore[no-any-return]
    except (InvalidLimit, ValueError):
        return None


def edit_of(before: Any, after: Any, whose: str = "") -> Edit | None:
    """The edit from one row to another, if it matters to calls."""
    one, two = limit_of(before, whose), limit_of(after, whose)
    edit = Edit(before=one, after=two) if one and two else None
    return edit if edit and edit.matters else None


def with_shadows(outlooks: Iterable[Outlook], before: Iterable[Any]) -> list[Outlook]:
    """The same, told what each of the rows ``before`` that leaves shadow would have denied there.

    At most eight queries for each of the first three.
    """
    rows = {("override" if isinstance(row, Override) else "plan", row.pk): row for row in before}
    found = []
    for outlook in outlooks:
        one, two = outlook.edit.before, outlook.edit.after
        known = (one.source.kind, one.source.pk)
        leaves = (one.mode, two.mode) == (Mode.SHADOW, Mode.ENFORCE) and outlook.edit.tightens
        if outlook.told and leaves and known == (two.source.kind, two.source.pk) and known in rows:
            found.append(replace(outlook, shadow=shadow_of(rows[known])))
        else:
            found.append(outlook)
    return found


def is_answered(data: Any) -> bool:
    """Whether a form was sent by who only looks, or has said yes."""
    return bool({PREVIEW, CONFIRMED} & data.keys())


class Asking(SeenForm):
    """A form of one row that is asked about when it takes much away."""

    asked_about: Question = NOTHING
    asks_of_new: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.before = copy(self.instance)

    def is_valid(self) -> bool:
        # Only asked where all else is well: the page in between has no room for errors.
        if not super().is_valid() or PREVIEW in self.data:
            return False
        self.asked_about = NOTHING
        known = self.asks_of_new or self.before.pk is not None
        if known and CONFIRMED not in self.data and self.has_changed():
            self.asked_about = self.question(timezone.now()).due
        return not self.asked_about

    def question(self, now: datetime) -> Question:
        """What the form, as it stands, means for tenants."""
        raise NotImplementedError


class AsksFirst(ModelAdmin):
    """Shows the page between where a form or a list was not answered for yet.

    The pages that ask before a deletion tell the same of what goes.
    """

    delete_confirmation_template = "quotas/admin/delete.html"
    delete_selected_confirmation_template = "quotas/admin/delete_selected.html"

    def question_of_removal(self, rows: Sequence[Any]) -> Question:
        """What the deletion of these rows means for tenants."""
        return NOTHING

    def render_delete_form(self, request: HttpRequest, context: dict[str, Any]) -> Any:
        told = self.question_of_removal([context["object"]]).told
        return super().render_delete_form(request, {**context, "outlooks": told})

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        sets = [each.formset for each in context["inline_admin_formsets"]]
        asked = NOTHING
        for each in (context["adminform"].form, *sets):
            asked += getattr(each, "asked_about", NOTHING)
        if asked and not context["errors"]:
            return self.ask(request, asked.told, context)
        return super().render_change_form(request, context, *args, **kwargs)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.method == "POST":
            forget_unmeant(request)
        return super().changeform_view(request, *args, **kwargs)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        if "_save" in request.POST:  # an action looks at its rows first
            forget_unmeant(request)
        response = super().changelist_view(request, extra_context)
        shown = getattr(response, "context_data", None) or {}
        if "deletable_objects" in shown:
            shown["outlooks"] = self.question_of_removal(list(shown["queryset"])).told
        formset = getattr(shown.get("cl"), "formset", None)
        asked = getattr(formset, "asked_about", NOTHING)
        return self.ask(request, asked.told, shown) if asked else response

    def ask_once(
        self, request: HttpRequest, rows: Sequence[Any], look: Callable[[], Question]
    ) -> HttpResponseBase | None:
        """What an action on ``rows`` answers while what it means is to be asked.

        None: nothing much is taken away, or whoever acts has said yes to it, with these rows as
        they are.
        """
        if PREVIEW in request.POST:  # a no
            return HttpResponseRedirect(request.get_full_path())
        if is_meant(request, rows):
            return None
        asked = look().due
        return self.ask(request, asked.told, rows=rows) if asked else None

    def ask(
        self,
        request: HttpRequest,
        told: list[Told],
        context: dict[str, Any] | None = None,
        rows: Sequence[Any] = (),
    ) -> HttpResponse:
        """The page between: what is taken away from whom, with all that the form has sent."""
        said = {
            **self.admin_site.each_context(request),
            **(context or {}),
            "outlooks": told,
            "sent": sent_with(request),
            "yes": yes_of(request, rows),
            "title": _("Are you sure?"),
            "subtitle": None,
            "opts": self.opts,
        }
        return TemplateResponse(request, CONFIRM, said)
