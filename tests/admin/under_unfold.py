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
from tests.admin.companies import MARK, OWN, Company, bound_staff
from tests.admin.pages import act
from tests.admin.shadowing import a_caller, shadow_url
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, an_override

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


def of_shadow(tenant):
    """The pages of a limit in shadow that would have denied somebody, and of one that is not."""
    trial = a_limit(tenant.plan, name="trial", mode="shadow")
    a_caller(tenant.plan, would=3, limits={"api/trial": [0, 3]})
    found = [shadow_url(trial), shadow_url(trial, "enforce")]
    own = tenant.overrides.get()
    return [*found, shadow_url(own), shadow_url(own, "start")]


def of_versions(tenant):
    """What applied now, the question itself, and the return of what was edited."""
    Tenant.objects.filter(pk=tenant.pk).update(time_zone="Asia/Tokyo")
    last = tenant.history.latest().history_date
    applied = reverse("admin:quotas_tenant_applied", args=[tenant.pk])
    first = [tenant.pk, "tenant", tenant.history.earliest().pk]
    asked = f"{applied}?at={last.isoformat()[:23]}Z"
    return [applied, asked, reverse("admin:quotas_tenant_return", args=first)]


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
    found += [*of_shadow(tenant), *of_versions(tenant)]
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


def test_whoever_deletes_limits_is_told_who_loses_them(staff):
    limit = a_limit()
    a_tenant(plan=limit.plan)
    asked = staff.get(address_of(PlanLimit, "delete", limit.pk))
    listed = act(staff, PlanLimit, "delete_selected", [limit])

    for page in (asked, listed):
        assert "1 tenant loses it" in page.content.decode()
        assert "quotas/plan_editor.css" in page.content.decode()


def test_staff_who_are_bound_find_lists_and_filters_with_their_own_rows(settings):
    settings.QUOTAS_STAFF_TENANTS = "quotas.services.staff.by_membership"
    other, company = Company(MARK), Company(OWN)
    bound = bound_staff(company)
    a_limit(a_plan(is_default=True))  # one choice is no filter

    for model, _own in ours():
        page = bound.get(address_of(model, "changelist")).content.decode()
        assert MARK not in page, model
    for model in (Tenant, PlanLimit):
        page = bound.get(address_of(model, "changelist")).content.decode()
        offered = set(re.findall(r"plan__id__exact=(\d+)", page))
        assert str(company.row(Plan).pk) in offered, model
        assert str(other.row(Plan).pk) not in offered, model
