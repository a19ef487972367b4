"""The limits of one plan, edited together: unique, swapped, deleted and added anew in one go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from quotas.admin.asking_rows import AskingRows, goes
from quotas.admin.limit_forms import WordedLimitForm
from quotas.admin.parents import InlineFormSet, ModelChoiceField
from quotas.admin.questions import (
    NOTHING,
    Question,
    edit_of,
    limit_of,
    with_shadows,
)
from quotas.domain.binding import Flag, flags
from quotas.models import PlanLimit
from quotas.services.outlook import outlooks
from quotas.services.removals import removals

KNOWN_BY = ("scope", "name")


class LimitRowForm(WordedLimitForm):
    """A limit among the others of its plan."""

    def validate_constraints(self) -> None:
        """Left to the formset: the database does not know yet which rows go or change their name.

        Django 6 asks each row; what a row can say of itself, `clean` has said.
        """


class KnownRowField(ModelChoiceField):
    """Which row it is, of those that the page was made from: read once, not each by itself."""

    def __init__(self, rows: Iterable[PlanLimit], field: Any) -> None:
        super().__init__(field.queryset, initial=field.initial, required=False, widget=field.widget)
        self.rows = {str(row.pk): row for row in rows}

    def to_python(self, value: Any) -> Any:
        if value in self.empty_values:
            return None
        if str(value) not in self.rows:
            message = self.error_messages["invalid_choice"]
            raise ValidationError(message, code="invalid_choice", params={"value": value})
        return self.rows[str(value)]


class LimitFormSet(AskingRows, InlineFormSet):
    """Rows that keep (scope, name) unique among themselves, in whatever order they are saved.

    Each knows the others, ``row.among``, so that what is odd about it beside them can be said.
    """

    def _construct_form(self, i: int, **kwargs: Any) -> Any:
        form = super()._construct_form(i, **kwargs)
        form.instance.among = self
        return form

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["id"] = KnownRowField(self.get_queryset(), form.fields["id"])

    def question(self) -> Question:
        """Whom each changed limit concerns, and each that goes; new ones take nothing away."""
        if self.instance.pk is None:
            return NOTHING
        now = timezone.now()
        changed = [
            form
            for form in self.initial_forms
            if goes(form) or (form.has_changed() and not form.unsure)
        ]
        edits = (
            edit_of(form.before, form.instance) for form in changed if not self._left_out(form)
        )
        gone = (
            limit_of(form.before)
            for form in changed
            if goes(form) or form.before.scope != form.instance.scope
        )
        return Question(
            outlooks=with_shadows(
                outlooks(self.instance, [edit for edit in edits if edit], now=now),
                [form.before for form in changed],
            ),
            removals=removals(
                [(self.instance, limit) for limit in gone if limit],
                {self.instance.pk: self.scopes},
                now=now,
            ),
        )

    def unsure(self, row: PlanLimit) -> bool:
        """Whether the numbers of this row are not those that its form was given."""
        return any(form.instance is row and form.unsure for form in self.forms)

    def flags_of(self, row: PlanLimit) -> list[Flag]:
        """What is odd about the numbers of this row, beside the other rows of the page."""
        return self._flags.get(id(row), [])

    @cached_property
    def scopes(self) -> set[str]:
        """The scopes that have a row, as the page stands."""
        return {form.instance.scope for form in self.forms if not self._left_out(form)}

    @cached_property
    def _flags(self) -> dict[int, list[Flag]]:
        rows = [form.instance for form in self.forms if not (self._left_out(form) or form.unsure)]
        known = [(row, limit) for row in rows if (limit := limit_of(row)) is not None]
        found = flags([limit for _row, limit in known])
        return {id(row): told for (row, _), told in zip(known, found, strict=True)}

    def _left_out(self, form: Any) -> bool:
        return self.is_bound and (goes(form) or (not form.has_changed() and not form.instance.pk))

    def validate_unique(self) -> None:
        first: dict[tuple[str, str], Any] = {}
        elsewhere = self._rows_not_on_the_page()
        for form in self.forms:
            known_by = self._known_by(form)
            if known_by is None:
                continue
            if known_by in elsewhere:
                message = _("Somebody else has just added %(name)s to scope %(scope)s.")
                self._tell([form], message, known_by)
            elif known_by in first:
                message = _("Two rows are called %(name)s in scope %(scope)s: rename one of them.")
                self._tell([first[known_by], form], message, known_by)
            else:
                first[known_by] = form

    def save_existing_objects(self, commit: bool = True) -> list[Any]:  # noqa: FBT001, FBT002
        if commit:
            self._make_room()
        return super().save_existing_objects(commit)

    def _make_room(self) -> None:
        """Move rows that give up their name out of the way.

        Row by row, the first of two that swap their names would meet the other's.
        """
        leaving = [
            form.instance.pk
            for form in self.initial_forms
            if goes(form) or not set(KNOWN_BY).isdisjoint(form.changed_data)
        ]
        if len(leaving) > 1:
            PlanLimit.objects.filter(plan=self.instance, pk__in=leaving).park()

    def _known_by(self, form: Any) -> tuple[str, str] | None:
        if goes(form) or not all(form.cleaned_data.get(part) for part in KNOWN_BY):
            return None
        return form.cleaned_data["scope"], form.cleaned_data["name"]

    def _rows_not_on_the_page(self) -> set[tuple[str, str]]:
        shown = {form.instance.pk for form in self.initial_forms}
        return {(row.scope, row.name) for row in self.get_queryset() if row.pk not in shown}

    @staticmethod
    def _tell(forms: list[Any], message: Any, known_by: tuple[str, str]) -> None:
        values = dict(zip(KNOWN_BY, known_by, strict=True))
        for form in forms:
            form.add_error("name", ValidationError(message, code="unique", params=values))
