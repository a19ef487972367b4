"""Forms that know what their row was when the page was made, so that no edit is lost by another.

The page carries it, signed. What only others have changed since stays theirs; a row that both have
changed is refused, and shown again with what it is now.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import models
from django.forms.boundfield import BoundField
from django.forms.formsets import DELETION_FIELD_NAME
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from quotas.admin.audit import said_value
from quotas.admin.parents import ModelForm

SEEN = "seen"
MEANWHILE = _("Somebody has changed it meanwhile: %(changes)s. Look, and save again.")


def stored_in(row: models.Model) -> dict[str, Any]:
    """What a row has in the columns that people edit, as JSON takes it."""
    return {
        field.name: None if field.value_from_object(row) is None else field.value_to_string(row)
        for field in row._meta.concrete_fields  # noqa: SLF001 - Django's documented name
        if field.editable
    }


class SeenBoundField(BoundField):
    """One of the fields shows, hidden beside it, what the row was."""

    def as_widget(
        self,
        widget: Any = None,
        attrs: Any = None,
        only_initial: bool = False,  # noqa: FBT001, FBT002
    ) -> Any:
        shown = super().as_widget(widget, attrs, only_initial)
        form: Any = self.form
        if only_initial or self.name != form.carrier:
            return shown
        return format_html("{}{}", shown, form.seen)

    def build_widget_attrs(self, attrs: Any, widget: Any = None) -> Any:
        found = super().build_widget_attrs(attrs, widget)
        form: Any = self.form
        if self.name in form.kept:
            found.pop("disabled", None)
        return found


class SeenForm(ModelForm):
    """A form of one row that loses nothing which others have saved since it was shown.

    Without what was seen, as programs send it, it is saved as it stands.
    """

    bound_field_class = SeenBoundField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stored = copy(self.instance)
        self.kept: set[str] = set()
        if self.instance.pk is not None:
            for field in self.fields.values():
                field.show_hidden_initial = False  # it would be older than what was seen

    @property
    def carrier(self) -> str | None:
        """The field beside which it is shown: a formset shows that of the primary key anyway."""
        key = self.instance._meta.pk.name  # noqa: SLF001 - the same
        return key if key in self.fields else next(iter(self.fields), None)

    @property
    def seen(self) -> str:
        """What the row is now, for the page; nothing of a new row."""
        if self.instance.pk is None:
            return ""
        value = signing.dumps(self._now(), salt=self._salt)
        name = self.add_prefix(SEEN)
        return format_html('<input type="hidden" name="{}" value="{}">', name, value)

    def full_clean(self) -> None:
        sent = self.data.get(self.add_prefix(SEEN)) if self.stored.pk is not None else None
        both = sent is not None and self._keep_theirs(sent)
        super().full_clean()
        if both and self.has_changed():
            error = ValidationError(MEANWHILE, "meanwhile", {"changes": self._said()})
            self.add_error(self._place, error)
            # Rows that go are not asked for their errors.
            self.cleaned_data.pop(DELETION_FIELD_NAME, None)

    @property
    def _place(self) -> str | None:
        """Where it is told: of rows inline unfold shows the errors of their fields alone."""
        shown = [name for name, field in self.fields.items() if not field.widget.is_hidden]
        both = [name for name in shown if name not in self.kept and name in self.theirs]
        return next(iter(both or shown), None) if self.prefix else None

    def _keep_theirs(self, sent: str) -> bool:
        """Leave what only others have changed as it is; whether this form changes the row too."""
        try:
            shown = signing.loads(sent, salt=self._salt)
        except signing.BadSignature:
            shown = {}
        now = self._now()
        self.theirs = [name for name in now if name not in shown or shown[name] != now[name]]
        if not self.theirs:
            return False
        mine = {name for name in self.fields if self._is_mine(name, shown)}
        for name, field in self.fields.items():
            if name not in mine and not field.disabled and not self._is_of_formset(name):
                field.disabled = True  # its value is that of the row
                self.kept.add(name)
        self.__dict__.pop("changed_data", None)  # a formset has asked for it already
        return bool(mine)

    def _is_mine(self, name: str, shown: dict[str, Any]) -> bool:
        """Whether a field was sent with another value than it was shown with."""
        if self._is_of_formset(name):
            return False
        bound, value = self[name], shown.get(name)
        known = {field.name: field for field in self._concrete}
        if value is not None and name in known:
            value = known[name].to_python(value)
            if not bound.field.widget.supports_microseconds and hasattr(value, "microsecond"):
                value = value.replace(microsecond=0)
        return bound.field.has_changed(value, bound.data)

    def _is_of_formset(self, name: str) -> bool:
        """Whether it only says which row it is, and whose."""
        return name == self.instance._meta.pk.name or isinstance(  # noqa: SLF001 - the same
            self.fields[name], forms.models.InlineForeignKeyField
        )

    def _now(self) -> dict[str, Any]:
        """What the row is, with what the form adds to it."""
        added = self.fields.keys() - {field.name for field in self._concrete}
        said = {name: str(self.initial[name]) for name in added & self.initial.keys()}
        return stored_in(self.stored) | said

    def _said(self) -> str:
        """What others have changed, in words."""
        known = {field.name: field for field in self._concrete}
        return "; ".join(
            f"{known[name].verbose_name}: {self._value(name)}"
            for name in self.theirs
            if name in known
        )

    def _value(self, name: str) -> str:
        display = getattr(self.stored, f"get_{name}_display", None)
        value = display() if display else getattr(self.stored, name)
        return str(said_value(", ".join(map(str, value)) if isinstance(value, list) else value))

    @property
    def _concrete(self) -> Any:
        return self.stored._meta.concrete_fields  # noqa: SLF001 - the same

    @property
    def _salt(self) -> str:
        return f"quotas.admin.seen/{self.stored._meta.label}/{self.stored.pk}"  # noqa: SLF001 - the same
