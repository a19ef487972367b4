"""Staff look at alerts, and see to how a tenant is told of them and to its caps."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from quotas.admin.audit import AuditedAdmin
from quotas.admin.parents import LookOnlyAdmin
from quotas.admin.seen import SeenForm
from quotas.admin.versions import VersionedAdmin
from quotas.domain.webhooks import new_secret
from quotas.models import Alert, AlertSettings, Cap
from quotas.services.webhooks import NotDelivered, target_of


@admin.register(Alert)
class AlertAdmin(LookOnlyAdmin):
    """What was raised, and how far the telling has come."""

    list_display = [
        "tenant",
        "scope",
        "name",
        "threshold",
        "used",
        "amount",
        "raised_at",
        "email_state",
        "webhook_state",
    ]
    list_select_related = ["tenant"]
    list_filter = ["threshold", "email_state", "webhook_state"]
    search_fields = ["=tenant__key", "scope", "name"]
    show_full_result_count = False


class AlertSettingsForm(SeenForm):
    """How a tenant is told."""

    def clean_webhook_url(self) -> str:
        """An address that something may be posted to."""
        url: str = self.cleaned_data["webhook_url"]
        if url:
            try:
                target_of(url)
            except NotDelivered as error:
                raise ValidationError(error.said, code="no_target") from error
        return url


@admin.register(AlertSettings)
class AlertSettingsAdmin(AuditedAdmin):
    """How each tenant is told. The secret is shown to the tenant alone, once."""

    form = AlertSettingsForm
    list_display = ["tenant", "email", "webhook_url"]
    list_select_related = ["tenant"]
    list_filter = ["email"]
    search_fields = ["tenant__key", "tenant__name"]
    autocomplete_fields = ["tenant"]

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        # Whoever may filter by the secret may guess it, letter by letter.
        secret = lookup.split("__", 1)[0] == "webhook_secret"
        return not secret and super().lookup_allowed(lookup, value, request)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001
        if obj.webhook_url and not obj.webhook_secret:
            obj.webhook_secret = new_secret()
        super().save_model(request, obj, form, change)


@admin.register(Cap)
class CapAdmin(VersionedAdmin):
    """What tenants allow themselves."""

    form = SeenForm
    list_display = ["tenant", "scope", "name", "amount", "set_by", "set_at"]
    list_select_related = ["tenant", "set_by"]
    list_filter = ["scope", "name"]
    search_fields = ["tenant__key", "tenant__name", "scope", "name"]
    autocomplete_fields = ["tenant"]
    readonly_fields = ["set_by", "set_at"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001
        obj.set_by, obj.set_at = request.user, timezone.now()
        super().save_model(request, obj, form, change)
