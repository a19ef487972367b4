"""What no page of ours sends: answered with a message, where Django has an error of the server.

These classes stand in front of every admin of ours, as those of `quotas.admin.bound` do.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.db import DataError, OperationalError, models
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
    Widget = AutocompleteSelect
else:
    Admin = Widget = object

FILTERED = (ValueError, TypeError, IndexError, OverflowError, DataError, re.error)
SHOWN = 40


def is_key(field: Any, value: object) -> bool:
    """Whether ``value`` could be the primary key ``field`` of a row."""
    try:
        field.run_validators(field.to_python(value))
    except (ValidationError, ValueError, TypeError):
        return False
    return "\x00" not in str(value)


class KnownKeys(Widget):
    """Shows again what was chosen, unless it can be no row at all."""

    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        target = self.field.remote_field.model._meta.pk  # noqa: SLF001 - Django's documented name
        known = [each for each in value if not each or is_key(target, each)]
        return super().optgroups(name, known, attr)


class OddInputAdmin(Admin):
    """Lists and forms whose address or fields were written by hand."""

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        try:
            return super().get_changelist_instance(request)
        except FILTERED as error:
            if not request.GET:
                raise
            raise IncorrectLookupParameters from error
        except OperationalError as error:
            # SQLite's word for a regular expression that is none.
            if "user-defined function" not in str(error):
                raise
            raise IncorrectLookupParameters from error

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        asked = [
            value
            for name in request.POST
            if name == "_selected_action" or re.fullmatch(rf"form-\d+-{self.opts.pk.name}", name)
            for value in request.POST.getlist(name)
        ]
        unknown = [value for value in asked if not is_key(self.opts.pk, value)]
        if not unknown:
            return super().changelist_view(request, *args, **kwargs)
        said = _("Nothing was done: “%(row)s” is no row of this list. Choose rows by their boxes.")
        self.message_user(request, said % {"row": unknown[0][:SHOWN]}, messages.ERROR)
        return HttpResponseRedirect(request.path)

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        found: dict[str, Any] = super().get_changeform_initial_data(request)
        return {
            name: value
            for name, value in found.items()
            if not isinstance(field := self._initial_field(name), models.ForeignKey)
            or is_key(field.target_field, value)
        }

    def _initial_field(self, name: str) -> Any:
        return next((each for each in self.opts.fields if each.name == name), None)


class OddInputOptions(Admin):
    """The drop-downs of a page or an inline."""

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field: Any = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, AutocompleteSelect):
            field.widget.__class__ = _knowing(type(field.widget))
        return field


@cache
def _knowing(widget: type[Any]) -> type[Any]:
    return type(widget.__name__, (KnownKeys, widget), {"__module__": __name__})


def guarded(parent: Any) -> Any:
    """``parent``, Django's class or another admin's, with what stands odd input."""
    fronts = (OddInputAdmin, OddInputOptions)
    front = fronts if issubclass(parent, admin.ModelAdmin) else fronts[1:]
    return type(parent)(parent.__name__, (*front, parent), {"__module__": __name__})
