"""Staff who are bound to tenants see nothing of another, whichever way they come.

These classes stand in front of every admin and inline of ours. Lists, actions, pages, exports and
autocompletion take their rows from `get_queryset`; here it is narrowed, and with it what foreign
keys may be set to, what filters offer and what an address may ask for. Whatever page is about one
row, one that is added later too, answers to a foreign row as to one that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django import forms
from django.contrib import admin
from django.contrib.admin.options import BaseModelAdmin
from django.contrib.admin.utils import get_fields_from_path, unquote
from django.core.exceptions import FieldDoesNotExist
from django.db.models import ForeignKey, Model, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.translation import gettext as _

from quotas.models import Membership, Plan, PlanLimit, Tenant
from quotas.services.staff import own_rows, seen_by

if TYPE_CHECKING:
    Options = BaseModelAdmin[Any]
    Admin = admin.ModelAdmin[Any]
    Inline = admin.options.InlineModelAdmin[Any, Any]
    FormSet = forms.BaseInlineFormSet[Any, Any, Any]
    RelatedFilter = admin.RelatedFieldListFilter
else:
    Options = Admin = Inline = FormSet = object
    RelatedFilter = admin.RelatedFieldListFilter

Row = TypeVar("Row", bound=Model)

SEEN = "_quotas_tenants_seen"
WITHHELD: dict[type[Model], set[str]] = {
    # Others share them: an edit would change the limits of tenants that are not seen.
    Plan: {"add", "change", "delete"},
    PlanLimit: {"add", "change", "delete"},
    # Whoever is bound to tenants could not see a new one, nor bring a deleted one back.
    Tenant: {"add", "delete"},
}
HELD: dict[type[Model], list[str]] = {
    # What is refused, for it is taken already, tells of rows that are not seen.
    Tenant: ["key"],
    Membership: ["is_default"],
}


def tenants_seen(request: HttpRequest) -> QuerySet[Tenant] | None:
    """The tenants that whoever asks is bound to, asked once a request; None for all."""
    if not hasattr(request, SEEN):
        setattr(request, SEEN, seen_by(request.user))
    seen: QuerySet[Tenant] | None = getattr(request, SEEN)
    return seen


def own(request: HttpRequest, rows: QuerySet[Row]) -> QuerySet[Row]:
    """Those of ``rows`` that whoever asks may see: all, for staff who are not bound."""
    seen = tenants_seen(request)
    return rows if seen is None else own_rows(seen, rows)


def own_choices(request: HttpRequest, form: forms.Form) -> None:
    """Offer nothing in ``form`` that whoever asks may not see."""
    for field in form.fields.values():
        if isinstance(field, forms.ModelChoiceField) and field.queryset is not None:
            field.queryset = own(request, field.queryset)


def out_of_reach(request: HttpRequest, pairs: Iterable[tuple[Any, Any]]) -> list[str]:
    """Why rows that are to become others (before, after) cannot: what they would point to.

    It is chosen among one's own, whichever way.
    """
    if tenants_seen(request) is None:
        return []
    return [
        _("%(field)s: what it was then is not among those that you may choose.")
        % {"field": field.verbose_name}
        for before, after in pairs
        for field in (after._meta.concrete_fields if after is not None else ())  # noqa: SLF001 - the same
        if isinstance(field, ForeignKey)
        and field.editable
        and getattr(before, field.attname, None) != getattr(after, field.attname)
        and not _reached(request, field, getattr(after, field.attname))
    ]


def _reached(request: HttpRequest, field: Any, pk: Any) -> bool:
    rows = field.related_model._base_manager.filter(pk=pk)  # noqa: SLF001 - the same
    return pk is None or own(request, rows).exists()


class OwnRelatedFilter(RelatedFilter):
    """Offers related rows that whoever asks may see."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        rows = own(request, field.related_model._default_manager.all())  # noqa: SLF001 - Django's documented name
        return field.get_choices(
            include_blank=False,
            ordering=self.field_admin_ordering(field, request, model_admin),
            limit_choices_to={"pk__in": rows.order_by().values("pk")},
        )


class OwnRows(FormSet):
    """Refuses a row of another parent like one that is not there.

    Django leaves it as it is, but takes its number, which tells that there is such a row.
    """

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        model: Any = self.model
        field = form.fields.get(model._meta.pk.name)  # noqa: SLF001 - the same
        if isinstance(field, forms.ModelChoiceField) and field.queryset is not None:
            field.queryset = field.queryset.filter(**{self.fk.name: self.instance.pk})


class BoundOptions(Options):
    """Rows, choices and rights of a page or an inline."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return own(request, super().get_queryset(request))

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> Any:
        rows = super().get_field_queryset(db, db_field, request)
        if tenants_seen(request) is None:
            return rows
        if rows is None:
            rows = db_field.remote_field.model._default_manager.using(db)  # noqa: SLF001 - the same
        return own(request, rows)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in self.raw_id_fields and tenants_seen(request) is not None:
            kwargs["widget"] = forms.Select()  # a raw id shows the name of any row, refused or not
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_readonly_fields(request, obj)
        held = HELD.get(self.model, []) if tenants_seen(request) is not None else []
        return [*found, *(name for name in held if name not in found)]

    def has_add_permission(self, request: HttpRequest, *parent: Any) -> bool:
        return super().has_add_permission(request, *parent) and self._leaves(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and self._leaves(request, "change")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and self._leaves(request, "delete")

    def _leaves(self, request: HttpRequest, verb: str) -> bool:
        """Whether whoever asks is not too closely bound for this."""
        return verb not in WITHHELD.get(self.model, ()) or tenants_seen(request) is None


class BoundInline(BoundOptions, Inline):
    """The rows of a page that belong to its own."""

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        found: Any = super().get_formset(request, obj, **kwargs)
        return type(found.__name__, (OwnRows, found), {})


class BoundAdmin(BoundOptions, Admin):
    """The pages and lists of a model."""

    settled: ClassVar[tuple[str, ...]] = ("tenant",)

    @property
    def urls(self) -> list[URLPattern]:
        return [self._guarded(route) for route in super().urls]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        # A row stays with its tenant, else its history would tell the one of the other.
        found = super().get_readonly_fields(request, obj)
        names = {field.name for field in self.opts.get_fields()} if obj is not None else set()
        return [*found, *(name for name in self.settled if name in names and name not in found)]

    def get_list_filter(self, request: HttpRequest) -> Any:
        found = super().get_list_filter(request)
        return found if tenants_seen(request) is None else [self._own(each) for each in found]

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        if tenants_seen(request) is not None and self._leads_away(lookup):
            return False
        return super().lookup_allowed(lookup, value, request)

    def _leads_away(self, lookup: str) -> bool:
        """Whether it goes against the direction of a foreign key: to whose rows, nobody knows."""
        try:
            return not getattr(self.opts.get_field(lookup.split("__", 1)[0]), "concrete", False)
        except FieldDoesNotExist:
            return False

    def _own(self, chosen: Any) -> Any:
        name = chosen[0] if isinstance(chosen, list | tuple) else chosen
        if not isinstance(name, str) or not get_fields_from_path(self.model, name)[-1].is_relation:
            return chosen
        return name, OwnRelatedFilter

    def _guarded(self, route: URLPattern) -> URLPattern:
        """The same route, which leads to nothing where its row is another's."""
        callback: Callable[..., Any] = route.callback
        gone: Any = getattr(self, "_get_obj_does_not_exist_redirect")  # noqa: B009 - not in its stubs

        def view(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            asked = kwargs.get("object_id", args[0] if args else None)
            if asked is not None and self._is_anothers(request, unquote(str(asked))):
                return gone(request, self.opts, str(asked))
            return callback(request, *args, **kwargs)

        guarded: Any = update_wrapper(view, callback)
        return URLPattern(route.pattern, guarded, route.default_args, route.name)

    def _is_anothers(self, request: HttpRequest, object_id: str) -> bool:
        if not self.admin_site.has_permission(request) or tenants_seen(request) is None:
            return False
        return self.get_object(request, object_id) is None


def bound(parent: Any) -> Any:
    """``parent``, Django's class or another admin's, with what binds its pages or inlines."""
    front = BoundAdmin if issubclass(parent, admin.ModelAdmin) else BoundInline
    return type(parent)(parent.__name__, (front, parent), {"__module__": __name__})
