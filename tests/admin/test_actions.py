from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ObjectDoesNotExist

from quotas.models import Override, Plan, PlanLimit, Tenant
from quotas.signals import policy_changed
from tests.admin.asking import answered
from tests.admin.pages import act, change_url, form_of, list_url, submit, texts_of
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

# Model, action, what else is posted, how a row is made, the field it sets, old and new value.
ACTIONS = [
    pytest.param(
        Tenant, "suspend", {}, a_tenant, "suspended", (False, True), "no → yes", id="suspend"
    ),
    pytest.param(
        Tenant,
        "resume",
        {},
        lambda: a_tenant(suspended=True),
        "suspended",
        (True, False),
        "yes → no",
        id="resume",
    ),
    pytest.param(
        Tenant, "reset_counters", {}, a_tenant, "epoch", (0, 1), "0 → 1", id="reset-counters"
    ),
    pytest.param(
        PlanLimit,
        "set_amount",
        {"amount": "100"},
        a_limit,
        "amount",
        (10, 100),
        "10 → 100",
        id="set-limit",
    ),
    pytest.param(
        PlanLimit,
        "enforce",
        {},
        lambda: a_limit(mode="shadow"),
        "mode",
        ("shadow", "enforce"),
        "shadow → enforce",
        id="leave-shadow",
    ),
    pytest.param(
        Override,
        "set_amount",
        {"amount": "unlimited"},
        an_override,
        "amount",
        (10, None),
        "10 → blank",
        id="set-override",
    ),
    pytest.param(
        Override,
        "enforce",
        {},
        lambda: an_override(mode="shadow"),
        "mode",
        ("shadow", "enforce"),
        "shadow → enforce",
        id="leave-shadow-of-an-override",
    ),
    pytest.param(
        Plan, "make_default", {}, a_plan, "is_default", (False, True), "no → yes", id="default"
    ),
]
each_action = pytest.mark.parametrize(
    ("model", "action", "fields", "make", "field", "values", "said"), ACTIONS
)


def valued(row, field):
    return getattr(type(row).objects.get(pk=row.pk), field)


@each_action
def test_a1_an_action_leaves_one_entry_an_object_with_old_and_new_value(
    staff_who_may, model, action, fields, make, field, values, said
):
    rows = [make() for _ in range(1 if action == "make_default" else 3)]
    assert {values[0]} == {valued(row, field) for row in rows}

    editor = staff_who_may("view", "change")
    response = answered(editor, list_url(model), act(editor, model, action, rows, **fields))

    assert 302 == response.status_code
    assert {values[1]} == {valued(row, field) for row in rows}
    entries = LogEntry.objects.all()
    assert sorted(str(row.pk) for row in rows) == sorted(entry.object_id for entry in entries)
    assert all(f"{field}: {said}" in entry.get_change_message() for entry in entries)


@each_action
def test_a1_view_only_staff_change_nothing_by_a_hand_made_post_of_an_action(
    staff_who_may, model, action, fields, make, field, values, said
):
    row = make()
    viewer = staff_who_may("view")

    assert 403 == act(viewer, model, action, [row], **fields).status_code
    page = viewer.get(list_url(model)).content.decode()

    assert values[0] == valued(row, field)
    assert not LogEntry.objects.exists()
    assert f'<option value="{action}"' not in page
    assert "delete_selected" not in page


@pytest.mark.parametrize(
    ("make", "field", "value"),
    [
        pytest.param(a_tenant, "name", "New", id="tenant"),
        pytest.param(a_plan, "name", "New", id="plan"),
        pytest.param(a_limit, "amount", "100", id="plan-limit"),
        pytest.param(an_override, "amount", "100", id="override"),
        pytest.param(a_membership, "role", "manager", id="membership"),
    ],
)
def test_a1_view_only_staff_change_nothing_by_form_list_delete_or_add(
    staff, staff_who_may, make, field, value
):
    row = make()
    model, viewer = type(row), staff_who_may("view")
    page = form_of(staff.get(change_url(row)), f"{model.__name__.lower()}_form")
    listed = {
        "form-TOTAL_FORMS": 1,
        "form-INITIAL_FORMS": 1,
        "form-0-id": row.pk,
        f"form-0-{field}": value,
        "form-0-mode": "off",
        "_save": "Save",
    }
    delete = change_url(row).replace("change", "delete")
    before = list(model.objects.values())

    answers = [
        viewer.post(change_url(row), {**page, field: value}),
        viewer.post(delete, {"post": "yes"}),
        viewer.post(list_url(model) + "add/", {**page, field: value}),
        act(viewer, model, "delete_selected", [row], post="yes"),
        viewer.post(list_url(model), listed),
    ]

    assert before == list(model.objects.values())
    assert not LogEntry.objects.exists()
    assert [403, 403, 403, 403] == [answer.status_code for answer in answers[:4]]
    assert model is not PlanLimit or answers[4].status_code == 403


def test_p4_the_editable_list_changes_limits_and_keeps_old_and_new_value(
    staff, django_capture_on_commit_callbacks
):
    rows = [a_limit(), a_limit()]
    page = form_of(staff.get(list_url(PlanLimit)), "changelist-form")
    amounts = {name: "100" for name in page if name.endswith("-amount")}
    heard = []
    policy_changed.connect(lambda **said: heard.append(said["plans"]), weak=False, dispatch_uid="t")

    with django_capture_on_commit_callbacks(execute=True):
        response = staff.post(list_url(PlanLimit), {**page, **amounts, "_save": "Save"})
    policy_changed.disconnect(dispatch_uid="t")

    assert 302 == response.status_code
    assert [100, 100] == [valued(row, "amount") for row in rows]
    assert [True, True] == heard
    assert ["amount: 10 → 100"] * 2 == [entry.change_message for entry in LogEntry.objects.all()]


def test_the_editable_list_tells_what_is_wrong_with_a_row(staff):
    row = a_limit(mode="shadow")
    page = form_of(staff.get(list_url(PlanLimit)), "changelist-form")

    response = staff.post(list_url(PlanLimit), {**page, "form-0-amount": "-1", "_save": "Save"})

    assert 200 == response.status_code
    assert "greater than or equal to 0" in response.content.decode()
    assert 10 == valued(row, "amount")


def test_p4_delete_selected_is_announced(staff, django_capture_on_commit_callbacks):
    override = an_override()
    heard = set()
    policy_changed.connect(
        lambda **said: heard.update(said["tenant_ids"]), weak=False, dispatch_uid="t"
    )

    with django_capture_on_commit_callbacks(execute=True):
        act(staff, Override, "delete_selected", [override], post="yes")
    policy_changed.disconnect(dispatch_uid="t")

    assert {override.tenant_id} == heard
    with pytest.raises(ObjectDoesNotExist):
        override.refresh_from_db()


@pytest.mark.parametrize(
    "text", ["", "ten", "-1", "1.5", "1e3", "\uff11\uff10", str(10**12 + 1), "0" * 6000]
)
def test_an_amount_that_is_none_changes_nothing_and_is_repeated(staff, text):
    row = a_limit()

    response = act(staff, PlanLimit, "set_amount", [row], amount=text)

    assert 10 == valued(row, "amount")
    assert not LogEntry.objects.exists()
    said = texts_of(staff.get(response.url))
    assert [f"Nothing was changed: the new amount is “{text}”."] == [
        message.split(" Write")[0] for message in said
    ] or len(text) > 20


def test_rows_that_an_action_does_not_change_get_no_entry(staff):
    off, shadow, same = a_limit(mode="off"), a_limit(mode="shadow"), a_limit(amount=100)

    act(staff, PlanLimit, "enforce", [off, shadow, same])
    act(staff, PlanLimit, "set_amount", [same], amount="100")

    assert [str(shadow.pk)] == list(LogEntry.objects.values_list("object_id", flat=True))
    assert "off" == valued(off, "mode")


@pytest.mark.parametrize("action", ["suspend", "reset_counters"])
def test_an_action_takes_the_same_queries_for_one_tenant_and_for_many(
    staff, django_assert_max_num_queries, action
):
    for _ in range(30):
        a_tenant()

    with django_assert_max_num_queries(17):
        act(staff, Tenant, action, Tenant.objects.all())

    assert 30 == LogEntry.objects.count()


def test_resetting_twice_raises_the_epoch_twice(staff):
    tenant = a_tenant()

    act(staff, Tenant, "reset_counters", [tenant])
    act(staff, Tenant, "reset_counters", [tenant])

    assert 2 == valued(tenant, "epoch")


def test_the_default_moves_from_one_plan_to_another(staff):
    old, new = a_plan(is_default=True), a_plan()

    act(staff, Plan, "make_default", [new])

    assert (False, True) == (valued(old, "is_default"), valued(new, "is_default"))
    assert 2 == LogEntry.objects.count()


def test_a_plan_that_is_not_active_cannot_become_the_default(staff):
    old, new = a_plan(is_default=True), a_plan(active=False)

    act(staff, Plan, "make_default", [new])
    act(staff, Plan, "make_default", [old, new])

    assert (True, False) == (valued(old, "is_default"), valued(new, "is_default"))
    assert not LogEntry.objects.exists()


def test_the_epoch_cannot_be_set_by_the_form(staff):
    tenant = a_tenant()

    submit(staff, change_url(tenant), Tenant, epoch="7")

    assert 0 == valued(tenant, "epoch")
