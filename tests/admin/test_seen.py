"""Two who edit the same at the same time: neither undoes what the other has saved."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from quotas.admin.parents import LookOnlyAdmin
from quotas.admin.seen import SeenForm
from quotas.models import AlertSettings, Cap, Membership, Override, Plan, PlanLimit, Tenant
from tests.admin.asking import YES, answer, text_of
from tests.admin.pages import change_url, form_of, list_url
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

MEANWHILE = "Somebody has changed it meanwhile"


@pytest.fixture
def plan():
    """200 a month and 10 an hour, of a plan that a tenant has."""
    plan = a_plan("pro")
    a_limit(plan, name="hour", amount=10)
    a_limit(plan, name="month", amount=200)
    a_tenant("acme", plan=plan)
    return plan


def opened(client, row):
    return form_of(client.get(change_url(row)), f"{type(row).__name__.lower()}_form")


def listed(client):
    return form_of(client.get(list_url(PlanLimit)), "changelist-form")


def amounts():
    return dict(PlanLimit.objects.values_list("name", "amount"))


def column(sent, pk, name):
    """What a row of a list or of an inline calls a field."""
    [row] = [key for key, value in sent.items() if key.endswith("-id") and value == str(pk)]
    return f"{row.removesuffix('-id')}-{name}"


def now_in(row):
    return type(row).objects.get(pk=row.pk)


def test_a_yes_saves_nothing_that_somebody_else_has_edited_since_it_was_asked(staff, plan):
    page = staff.post(
        change_url(plan), {**opened(staff, plan), "limits-1-amount": "100", "_save": "Save"}
    )
    PlanLimit.objects.filter(name="month").update(amount=100_000)
    PlanLimit.objects.filter(name="hour").update(amount=500)

    text = text_of(answer(staff, change_url(plan), page, YES))

    assert f"{MEANWHILE}: amount: 100000. Look, and save again." in text
    assert {"month": 100_000, "hour": 500} == amounts()


def test_a_row_that_only_others_edit_is_left_as_they_saved_it(staff, plan):
    page = opened(staff, plan)
    PlanLimit.objects.filter(name="hour").update(amount=500)

    sent = {**page, "limits-1-amount": "300", "_save": "Save"}
    assert 302 == staff.post(change_url(plan), sent).status_code
    assert {"month": 300, "hour": 500} == amounts()


def test_what_was_refused_is_shown_merged_and_may_be_saved_on_purpose(staff, plan):
    page = opened(staff, plan)
    PlanLimit.objects.filter(name="month").update(amount=100_000, title="Calls")
    PlanLimit.objects.filter(name="hour").update(amount=500)

    refused = staff.post(change_url(plan), {**page, "limits-1-amount": "300", "_save": "Save"})
    again = form_of(refused, "plan_form")

    assert ("300", "Calls", "500") == (
        again["limits-1-amount"],
        again["limits-1-title"],
        again["limits-0-amount"],
    )
    asked = staff.post(change_url(plan), {**again, "_save": "Save"})
    assert 302 == answer(staff, change_url(plan), asked, YES).status_code
    assert {"month": 300, "hour": 500} == amounts()


def test_words_that_nobody_touched_take_nothing_back(staff, plan):
    page = opened(staff, plan)
    PlanLimit.objects.update(amount=500)

    sent = {**page, "name": "Other", "_save": "Save"}
    assert 302 == staff.post(change_url(plan), sent).status_code
    assert {"month": 500, "hour": 500} == amounts()


def test_words_are_refused_where_the_numbers_were_edited(staff, plan):
    page = opened(staff, plan)
    PlanLimit.objects.filter(name="month").update(amount=500)

    sent = {**page, "limits-1-words": "900 per minute", "_save": "Save"}
    assert MEANWHILE in text_of(staff.post(change_url(plan), sent))
    assert 500 == amounts()["month"]


def test_a_row_that_somebody_else_edits_is_not_deleted(staff, plan):
    page = opened(staff, plan)
    PlanLimit.objects.filter(name="month").update(amount=500)

    sent = {**page, "limits-1-DELETE": "on", "_save": "Save"}
    assert MEANWHILE in text_of(staff.post(change_url(plan), sent))
    assert {"month": 500, "hour": 10} == amounts()


def test_the_list_leaves_alone_what_others_edit_and_refuses_what_both_do(staff, plan):
    page = listed(staff)
    hour, month = PlanLimit.objects.order_by("name")
    PlanLimit.objects.filter(name="hour").update(amount=500)
    sent = {**page, column(page, month.pk, "amount"): "300", "_save": "Save"}

    assert 302 == staff.post(list_url(PlanLimit), sent).status_code
    assert {"month": 300, "hour": 500} == amounts()
    sent = {**page, column(page, hour.pk, "amount"): "900", "_save": "Save"}
    refused = staff.post(list_url(PlanLimit), sent)
    assert f"{MEANWHILE}: amount: 500." in text_of(refused)
    assert {"month": 300, "hour": 500} == amounts()
    again = {**form_of(refused, "changelist-form"), "_save": "Save"}
    assert 302 == staff.post(list_url(PlanLimit), again).status_code
    assert {"month": 300, "hour": 900} == amounts()


def test_a_yes_of_the_list_saves_nothing_that_somebody_else_has_edited(staff, plan):
    page = listed(staff)
    month = PlanLimit.objects.get(name="month")
    sent = {**page, column(page, month.pk, "amount"): "50", "_save": "Save"}
    asked = staff.post(list_url(PlanLimit), sent)
    PlanLimit.objects.update(amount=100_000)

    assert MEANWHILE in text_of(answer(staff, list_url(PlanLimit), asked, YES))
    assert {"month": 100_000, "hour": 100_000} == amounts()


def test_the_list_refuses_an_amount_whose_period_was_edited(staff, plan):
    page = listed(staff)
    month = PlanLimit.objects.get(name="month")
    PlanLimit.objects.filter(pk=month.pk).update(period=timedelta(hours=1))

    sent = {**page, column(page, month.pk, "amount"): "300", "_save": "Save"}
    assert f"{MEANWHILE}: period: 1 hour." in text_of(staff.post(list_url(PlanLimit), sent))
    assert 200 == amounts()["month"]


def test_a_stale_page_does_not_undo_a_suspension(staff, plan):
    tenant = Tenant.objects.get()
    page = opened(staff, tenant)
    step = reverse("admin:quotas_tenant_step", args=[tenant.pk, "suspend"])
    assert 302 == staff.post(step, {"reason": "unpaid"}).status_code

    refused = staff.post(change_url(tenant), {**page, "name": "New", "_save": "Save"})

    assert f"{MEANWHILE}: suspended: yes." in text_of(refused)
    assert (True, "acme") == (now_in(tenant).suspended, now_in(tenant).key)
    assert "New" != now_in(tenant).name
    again = form_of(refused, "tenant_form")
    assert 302 == staff.post(change_url(tenant), {**again, "_save": "Save"}).status_code
    assert (True, "New") == (now_in(tenant).suspended, now_in(tenant).name)


def test_a_stale_page_that_changes_only_rows_keeps_the_suspension(staff, plan):
    tenant = Tenant.objects.get()
    row = an_override(tenant, amount=20)
    page = opened(staff, tenant)
    Tenant.objects.update(suspended=True)

    sent = {**page, "overrides-0-amount": "30", "_save": "Save"}
    assert 302 == staff.post(change_url(tenant), sent).status_code
    assert (True, 30) == (now_in(tenant).suspended, now_in(row).amount)


@pytest.mark.parametrize(
    ("model", "theirs", "mine"),
    [
        (Override, {"mode": "off"}, {"title": "Mine"}),
        (PlanLimit, {"amount": 77}, {"title": "Mine"}),
        (Cap, {"amount": 5}, {"name": "mine"}),
        (AlertSettings, {"email": False}, {"webhook_url": "https://hooks.example.com/"}),
        (Membership, {"role": "manager"}, {"is_default": "on"}),
        (Plan, {"name": "Theirs"}, {"key": "mine"}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_no_page_takes_back_what_was_saved_since_it_was_opened(staff, plan, model, theirs, mine):
    tenant = Tenant.objects.get()
    AlertSettings.objects.create(tenant=tenant, email=True)
    Cap.objects.create(tenant=tenant, scope="api", name="hour", amount=9)
    a_membership(tenant)
    an_override(tenant)
    row = model.objects.first()
    page = opened(staff, row)
    model.objects.filter(pk=row.pk).update(**theirs)
    before = model.objects.filter(pk=row.pk).values().get()

    refused = staff.post(change_url(row), {**page, **mine, "_save": "Save"})

    assert MEANWHILE in text_of(refused)
    assert before == model.objects.filter(pk=row.pk).values().get()


def test_what_was_seen_of_another_row_or_by_nobody_is_refused(staff, plan):
    one, other = a_tenant(), a_tenant()
    page = opened(staff, one)

    for seen in (opened(staff, other)["seen"], "nothing"):
        sent = {**page, "seen": seen, "name": "New", "_save": "Save"}
        assert MEANWHILE in text_of(staff.post(change_url(one), sent))
    assert "New" != now_in(one).name


def test_the_same_page_sent_twice_saves_it_once(staff, plan):
    tenant = Tenant.objects.get()
    sent = {**opened(staff, tenant), "name": "New", "_save": "Save"}

    assert [302, 302] == [staff.post(change_url(tenant), sent).status_code for _ in range(2)]
    assert "New" == now_in(tenant).name


def test_every_form_of_ours_that_edits_knows_what_was_seen():
    ours = [each for each in admin.site._registry.values() if each.opts.app_label == "quotas"]
    editing = [each for each in ours if not isinstance(each, LookOnlyAdmin)]
    editing += [inline for each in editing for inline in each.inlines]

    assert {True} == {issubclass(each.form, SeenForm) for each in editing}
    assert len(editing) >= 9


def test_a_save_takes_as_many_queries_for_many_rows_that_others_edited(staff):
    counts = []
    for many in (2, 2, 9):  # the first finds nothing remembered
        plan = a_plan()
        for number in range(many):
            a_limit(plan, name=f"n{number}")
        page = opened(staff, plan)
        PlanLimit.objects.filter(plan=plan).update(amount=500)
        with CaptureQueriesContext(connection) as queries:
            sent = {**page, "name": "New", "_save": "Save"}
            assert 302 == staff.post(change_url(plan), sent).status_code
        counts.append(len(queries))

    assert counts[1] == counts[2]
