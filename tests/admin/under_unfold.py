"""Every page of the admin with django-unfold; `test_unfold` runs this in a process of its own."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.contrib import admin
from django.core.checks import run_checks
from django.urls import NoReverseMatch, reverse
from unfold.admin import ModelAdmin, StackedInline, TabularInline

from quotas.models import Plan, PlanLimit, Tenant
from tests.models.rows import a_limit, a_membership, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

STEPS = ["suspend", "plan", "grant", "boost", "reset"]
ACTED = re.compile("on[a-z]+")


class Inline(HTMLParser):
    """Collects what a strict Content-Security-Policy would refuse."""

    def __init__(self, page):
        super().__init__()
        self.found = set()
        self.open = None
        self.feed(page.content.decode())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.open = tag if tag in {"script", "style"} and "src" not in values else None
        self.found |= {
            (tag, name, value) for name, value in attrs if name == "style" or ACTED.fullmatch(name)
        }

    def handle_data(self, data):
        if self.open and data.strip():
            self.found.add((self.open, " ".join(data.split())))

    def handle_endtag(self, tag):
        self.open = None


def ours():
    """(model, its admin) of what is registered here."""
    return [
        (model, each)
        for model, each in admin.site._registry.items()
        if model._meta.app_label == "quotas"
    ]


def address_of(model, page, *args):
    """None for a model with a page in place of a list."""
    try:
        return reverse(f"admin:quotas_{model._meta.model_name}_{page}", args=args)
    except NoReverseMatch:
        return None


@pytest.fixture
def addresses():
    """Of every page of ours that there is a row for, and of each step."""
    tenant = an_override(a_tenant(plan=a_limit(title="Calls per minute").plan)).tenant
    a_membership(tenant)
    gone = a_tenant()
    gone.delete()
    found = [reverse("admin:quotas_tenant_step", args=[tenant.pk, name]) for name in STEPS]
    found.append(
        reverse("admin:quotas_tenant_bring_back", args=[Tenant.history.latest().history_id])
    )
    for model, _own in ours():
        found += [address_of(model, "changelist"), address_of(model, "deleted")]
        row = model._base_manager.first() if model._meta.managed else None
        pages = ("change", "history", "delete") if row else ()
        found += [address_of(model, page, row.pk) for page in pages]
    return [each for each in found if each is not None]


def test_every_admin_and_inline_is_one_of_unfold():
    for _model, own in ours():
        assert isinstance(own, ModelAdmin)
        assert all(issubclass(each, StackedInline | TabularInline) for each in own.inlines)
    assert {Plan, PlanLimit, Tenant} <= {model for model, _own in ours()}


def test_the_checks_of_unfold_find_nothing():
    assert [] == [each for each in run_checks() if not each.id.startswith("quotas.")]


def test_every_page_answers(staff, addresses):
    answered = {address: staff.get(address).status_code for address in addresses}

    assert dict.fromkeys(addresses, 200) == answered
    assert len(addresses) > 20


def test_every_form_to_add_something_answers_whoever_may(staff):
    request = staff.get(reverse("admin:index")).wsgi_request

    for model, own in ours():
        if (address := address_of(model, "add")) is not None:
            expected = 200 if own.has_add_permission(request) else 403
            assert expected == staff.get(address).status_code, address


def test_our_pages_add_nothing_inline_to_what_unfold_has(staff, addresses):
    theirs = [reverse("admin:index")]
    theirs += [reverse(f"admin:auth_user_{page}") for page in ("changelist", "add")]
    known = set().union(*(Inline(staff.get(each)).found for each in theirs))

    added = {each: Inline(staff.get(each)).found - known for each in addresses}

    assert {each: set() for each in addresses} == added
    assert known
