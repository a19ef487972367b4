"""When an edit is in force: told after saving, and of plans on their page at any time.

What is told at once may be outdated on the page that follows: there, the workers are counted anew.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import flatten_fieldsets
from django.db import router, transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quotas.admin.parents import ModelAdmin
from quotas.models import Status
from quotas.models.reach import Announced
from quotas.services.in_force import (
    of_plans,
    of_plans_now,
    of_tenants,
    plans_in_force,
    without_an_answer,
)

PLANS_TAG = "quotas-in-force"
TOLD = "_quotas_told_in_force"


def tell_in_force(request: HttpRequest, row: Any) -> None:
    """Tell, once a request, when an edit of ``row`` is in force: after its commit."""
    if not isinstance(row, Announced) or getattr(request, TOLD, False):
        return
    setattr(request, TOLD, True)
    # Behind the notice that the commit sends: Redis that took it is there to answer.
    tell = partial(_tell, request, plans=row.concerns.plans)
    transaction.on_commit(tell, using=router.db_for_write(type(row)), robust=True)


def tell_now(request: HttpRequest) -> None:
    """Count the workers anew in what is told of plans on this page."""
    told: Any = messages.get_messages(request)
    mine = [each for each in told if PLANS_TAG in (each.extra_tags or "")]
    told.used = False  # this was no showing
    line: Any = _line(request) if mine else ""
    for each in mine:
        each.message = line


class TellsInForce(ModelAdmin):
    """Shows how many workers have applied the plans as they are now."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return [*fields, "in_force"] if obj is not None else fields

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_fieldsets(request, obj)
        if obj is None or "in_force" in flatten_fieldsets(found):
            return found
        return [*found, (None, {"fields": ["in_force"]})]

    @admin.display(description=gettext_lazy("in force"))
    def in_force(self, row: Any) -> str:
        return of_plans_now(plans_in_force())


def _tell(request: HttpRequest, *, plans: bool) -> None:
    if plans_in_force() is None:
        messages.warning(request, without_an_answer())
    elif plans:
        messages.info(request, of_plans(), extra_tags=PLANS_TAG)
    else:
        messages.info(request, of_tenants())


def _line(request: HttpRequest) -> str:
    """What is told of plans, with the way to look again for those who may."""
    told = of_plans_now(plans_in_force())
    if not request.user.has_perm("quotas.view_plan"):
        return told
    url = reverse(f"admin:quotas_{Status._meta.model_name}_changelist")  # noqa: SLF001 - Django's documented name
    return format_html('{} <a href="{}">{}</a>', told, url, _("Look again"))
