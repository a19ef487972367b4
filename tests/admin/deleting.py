"""Deletes rows in tests, and goes the way back as staff do."""

from __future__ import annotations

import pytest
from django.urls import reverse

from quotas.models import Override, Plan, PlanLimit, Tenant
from tests.admin.pages import form_of, list_url
from tests.models.rows import a_limit, a_plan, a_tenant, an_override

ROWS = {Plan: a_plan, PlanLimit: a_limit, Tenant: a_tenant, Override: an_override}
each_model = pytest.mark.parametrize("model", ROWS, ids=lambda model: model.__name__)


def deleted_url(model):
    return list_url(model) + "deleted/"


def back_url(row):
    """The page of the row's last version, which tells that it was deleted."""
    version = type(row).history.filter(id=row.pk).latest()
    name = f"admin:quotas_{type(row).__name__.lower()}_bring_back"
    return reverse(name, args=[version.history_id])


def gone(row):
    """The same row, deleted: Django takes its number away."""
    pk = row.pk
    row.delete()
    row.pk = pk
    return row


def bring_back(client, row, **fields):
    url = back_url(row)
    sent = form_of(client.get(url), "bring_back_form")
    return client.post(url, {**sent, "reason": "a mistake", **fields})


def refused(response):
    assert 200 == response.status_code
    return [*response.context["wrong"], *response.context["form"].non_field_errors()]


def listed(response):
    return [row["said"].what for row in response.context["rows"]]
