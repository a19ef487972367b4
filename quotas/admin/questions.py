"""Asks before anything is taken from tenants: one page between the form and the save.

Forms and formsets that ask are not valid until the question is answered. They keep it as
``asked_about``, and the admin shows the page in place of theirs.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.admin.outlooks import Told, told, told_removal
from quotas.admin.parents import ModelAdmin, ModelForm
from quotas.domain.edits import Edit
from quotas.domain.policies import Limit, Source
from quotas.domain.words import Mode
from quotas.errors import InvalidLimit
from quotas.models import Override
from quotas.services.outlook import Outlook
from quotas.services.removals import Removal

CONFIRM = "quotas/admin/confirm.html"
PREVIEW, CONFIRMED = "_preview", "_confirmed"
"""What the buttons send that only look, and that were asked and mean it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked about: edits, and limits that go."""

    outlooks: list[Outlook]
    removals: list[Removal]

    def __bool__(self) -> bool:
        return bool(self.outlooks or self.removals)

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
        )

    @property
    def told(self) -> list[Told]:
        """In sentences, for the page."""
        return [*map(told, self.outlooks), *map(told_removal, self.removals)]


NOTHING = Question(outlooks=[], removals=[])


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


def is_answered(data: Any) -> bool:
    """Whether a form was sent by who only looks, or has said yes."""
    return bool({PREVIEW, CONFIRMED} & data.keys())


class Asking(ModelForm):
    """A form of one row that is asked about when it takes much away."""

    asked_about: Question = NOTHING

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.before = copy(self.instance)

    def is_valid(self) -> bool:
        # Only asked where all else is well: the page in between has no room for errors.
        if not super().is_valid() or PREVIEW in self.data:
            return False
        self.asked_about = NOTHING
        if self.before.pk is not None and CONFIRMED not in self.data and self.has_changed():
            self.asked_about = self.question(timezone.now()).due
        return not self.asked_about

    def question(self, now: Any) -> Question:
        """What the form, as it stands, means for tenants."""
        raise NotImplementedError


class AsksFirst(ModelAdmin):
    """Shows the page between where a form or a list was not answered for yet."""

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        form = context["adminform"].form
        asked = getattr(form, "asked_about", NOTHING)
        if asked and not context["errors"]:
            return self.ask(request, asked.told, context)
        return super().render_change_form(request, context, *args, **kwargs)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        response = super().changelist_view(request, extra_context)
        shown = getattr(response, "context_data", None) or {}
        formset = getattr(shown.get("cl"), "formset", None)
        asked = getattr(formset, "asked_about", NOTHING)
        return self.ask(request, asked.told, shown) if asked else response

    def ask(
        self, request: HttpRequest, told: list[Told], context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page between: what is taken away from whom, with all that the form has sent."""
        sent = [
            (name, value)
            for name, values in request.POST.lists()
            for value in values
            if name not in {"csrfmiddlewaretoken", PREVIEW}
        ]
        said = {
            **self.admin_site.each_context(request),
            **(context or {}),
            "outlooks": told,
            "sent": sent,
            "title": _("Are you sure?"),
            "subtitle": None,
            "opts": self.opts,
        }
        return TemplateResponse(request, CONFIRM, said)
