"""The entry of the status page in the admin's index: no rows of its own."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from quotas.models.plans import Plan


class Status(Plan):
    """Plans, under another name: by it every admin theme lists the page, and finds its address."""

    class Meta:
        proxy = True
        default_permissions = ()  # whoever may view plans may look
        verbose_name = _("status")
        verbose_name_plural = _("status")
