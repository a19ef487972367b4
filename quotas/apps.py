"""The app's configuration: its label and what it sets up when Django is ready."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QuotasConfig(AppConfig):
    """`quotas`, with 64-bit keys whatever the project's default."""

    name = "quotas"
    label = "quotas"
    verbose_name = _("Quotas")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Announce edits of our rows, raise versions after them, and register the checks."""
        import quotas.checks  # noqa: F401 - importing registers them
        from quotas.models import changes as rows
        from quotas.services import changes as versions

        rows.connect()
        versions.connect()
