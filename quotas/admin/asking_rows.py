"""Rows that are edited together, and asked about together before anything is taken from tenants."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from django import forms
from django.forms.formsets import DELETION_FIELD_NAME

from quotas.admin.answers import PREVIEW
from quotas.admin.questions import NOTHING, Question, is_answered

if TYPE_CHECKING:
    FormSet = forms.BaseModelFormSet[Any, Any]
else:
    FormSet = object


class AskingRows(FormSet):
    """A formset that is asked about as a whole; each form knows its row ``before``."""

    asked_about: Question = NOTHING

    def _construct_form(self, i: int, **kwargs: Any) -> Any:
        form: Any = super()._construct_form(i, **kwargs)  # type: ignore[misc] # not in its stubs
        form.before = copy(form.instance)
        return form

    def is_valid(self) -> bool:
        """Whether all is well, and whoever takes much away from tenants has said so twice."""
        # Only asked where all else is well: the page in between has no room for errors.
        if not super().is_valid() or PREVIEW in self.data:
            return False
        self.asked_about = NOTHING if is_answered(self.data) else self.question().due
        return not self.asked_about

    def question(self) -> Question:
        """What the rows, as they stand, mean for tenants."""
        raise NotImplementedError


def goes(form: Any) -> bool:
    """Whether the row of a formset is to be deleted."""
    # Not `deleted_forms`, which is empty as long as any row has an error.
    return bool(getattr(form, "cleaned_data", {}).get(DELETION_FIELD_NAME))
