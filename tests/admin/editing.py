"""Rows of a plan's page as staff write them, and what stands under them."""

from __future__ import annotations

import re
from html import unescape

from django.urls import reverse

from quotas.models import Plan
from tests.admin.pages import add_url, change_url, form_of

NEW = {
    "scope": "api",
    "name": "new",
    "algorithm": "token_bucket",
    "subject": "tenant",
    "mode": "enforce",
    "outage_policy": "allow",
    "warn_at": "80, 100",
}


def row(number, **fields):
    """What a new row that was filled in sends."""
    return {f"limits-{number}-{name}": value for name, value in {**NEW, **fields}.items()}


def rows_of(page):
    return page.context["inline_admin_formsets"][0].formset.forms


def numbers(limit):
    limit.refresh_from_db()
    return limit.algorithm, limit.amount, limit.period, limit.unit, limit.capacity


def said(page):
    """What stands under each row of the page, in order, without its tags; the blank one last."""
    blocks = re.findall(r"data-promise.*?>(.*?)</div>", page.content.decode(), re.DOTALL)
    return [unescape(" ".join(re.sub("<[^>]*>", " ", block).split())) for block in blocks]


def ask(client, plan=None, **changes):
    """What the script of the page asks for."""
    page = form_of(client.get(change_url(plan) if plan else add_url(Plan)), "plan_form")
    args = [plan.pk] if plan else []
    return client.post(reverse("admin:quotas_plan_preview", args=args), {**page, **changes})
