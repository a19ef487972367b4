"""Staff look after who belongs to which tenant."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from quotas.admin.audit import AuditedAdmin
from quotas.admin.parents import Select, TabularInline
from quotas.admin.seen import SeenForm
from quotas.models import Membership


class MembershipForm(SeenForm):
    """A membership; its user is chosen once, so that a page of members looks up none by itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and "user" in self.fields:
            user = self.fields["user"]
            user.disabled = True
            user.widget = Select(choices=[(self.instance.user_id, str(self.instance.user))])


class MemberForm(MembershipForm):
    """A membership among the others of its tenant."""

    def validate_constraints(self) -> None:
        # Not whether the user is a member already: the one who is may be deleted beside this row.
        # Django 6 asks each row; the formset sees to members who are there twice.
        exclude = {"tenant", *self.errors}
        try:
            self.instance.validate_constraints(exclude)
        except ValidationError as error:
            self.add_error(None, error)


class MembershipInline(TabularInline):
    """The members of the tenant."""

    model = Membership
    form = MemberForm
    raw_id_fields = ["user"]
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("user", "tenant")


@admin.register(Membership)
class MembershipAdmin(AuditedAdmin):
    """Who belongs to which tenant."""

    form = MembershipForm
    list_display = ["user", "tenant", "role", "is_default"]
    list_select_related = ["user", "tenant"]
    list_filter = ["role", "is_default"]
    raw_id_fields = ["user"]
    autocomplete_fields = ["tenant"]

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        return [f"user__{get_user_model().USERNAME_FIELD}", "tenant__key", "tenant__name"]
