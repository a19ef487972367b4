"""How a tenant wants to be told of its alerts."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from quotas.models.tenants import Tenant


class AlertSettings(models.Model):
    """One tenant's choice; without a row, e-mail to its managers and no webhook."""

    tenant = models.OneToOneField(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="alert_settings",
        help_text=_("Whose choice it is. No default."),
    )
    email = models.BooleanField(
        _("e-mail"),
        default=True,
        help_text=_("Whether the tenant's managers are told by e-mail. Default: yes."),
    )
    webhook_url = models.CharField(
        _("webhook address"),
        max_length=500,
        blank=True,
        help_text=_("Where alerts are posted, signed. Default: blank, for nowhere."),
    )
    webhook_secret = models.CharField(
        _("webhook secret"),
        max_length=100,
        blank=True,
        editable=False,
        help_text=_(
            "What signs the posts: “whsec_” and a key in base64. Default: blank, until an "
            "address is given."
        ),
    )

    class Meta:
        verbose_name = _("alert settings")
        verbose_name_plural = _("alert settings")
        ordering: ClassVar = ["tenant"]

    def __str__(self) -> str:
        return str(self.tenant)
