"""The admin's classes under django-unfold, whose looks are classes of its style sheet.

Imported where unfold is installed, by `parents` alone.
"""

# unfold has no types, and is not there for everybody who checks ours.
# mypy: ignore-errors

from __future__ import annotations

from typing import Any

from django import forms
from unfold.admin import ModelAdmin as UnfoldModelAdmin
from unfold.admin import StackedInline, TabularInline
from unfold.forms import ActionForm
from unfold.forms import PaginationInlineFormSet as InlineFormSet
from unfold.widgets import INPUT_CLASSES, SELECT_CLASSES
from unfold.widgets import UnfoldAdminSelectWidget as Select

__all__ = [
    "ActionForm",
    "InlineFormSet",
    "ModelAdmin",
    "ModelForm",
    "Select",
    "StackedInline",
    "TabularInline",
]

LOOKS = {
    forms.TextInput: " ".join(INPUT_CLASSES),
    forms.NumberInput: " ".join(INPUT_CLASSES),
    forms.Select: " ".join(SELECT_CLASSES),
}


class ModelAdmin(UnfoldModelAdmin):
    """Labels stand above their fields: beside them, three fields in a row leave no room."""

    compressed_fields = False


class ModelForm(forms.ModelForm):
    """A form whose plain inputs, which unfold leaves bare, look like the others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if (look := LOOKS.get(type(field.widget))) is not None:
                field.widget.attrs.setdefault("class", look)
