"""Input that no page of ours sends is answered with a message or refused, never with a 500."""

from __future__ import annotations

import pytest
from django.urls import reverse

from quotas.models import AlertSettings, Override, PlanLimit
from tests.admin.asking import text_of
from tests.admin.pages import form_of, list_url
from tests.models.rows import a_limit, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

NINES = "9" * 40
ODD_KEYS = ["x", "", "\x00", "é", "1,2", "null", NINES]


@pytest.fixture
def limit(db):
    return a_limit(amount=10)


@pytest.mark.parametrize("key", ODD_KEYS)
@pytest.mark.parametrize("action", ["enforce", "set_amount", "delete_selected"])
def test_an_action_on_a_row_that_is_none_says_so_and_does_nothing(staff, limit, key, action):
    sent = {"action": action, "_selected_action": [str(limit.pk), key], "amount": "5"}

    page = staff.post(list_url(PlanLimit), sent, follow=True)

    assert "is no row of this list" in text_of(page)
    assert 10 == PlanLimit.objects.get().amount


@pytest.mark.parametrize("key", [NINES, "x", "\x00"])
def test_an_editable_list_with_a_row_that_is_none_says_so_and_saves_nothing(staff, limit, key):
    page = form_of(staff.get(list_url(PlanLimit)), "changelist-form")
    sent = {**page, "form-0-id": key, "form-0-amount": "5", "_save": "Save"}

    answer = staff.post(list_url(PlanLimit), sent, follow=True)

    assert "is no row of this list" in text_of(answer)
    assert 10 == PlanLimit.objects.get().amount


@pytest.mark.parametrize(
    ("model", "query"),
    [
        pytest.param("planlimit", {"name__range": "x"}, id="half-a-range"),
        pytest.param("planlimit", {"scope__regex": "[]"}, id="no-regular-expression"),
        pytest.param("planlimit", {"plan__exact": NINES}, id="a-key-beyond-the-column"),
        pytest.param("planlimit", {"amount__in": f"1,{NINES}"}, id="a-number-beyond-the-column"),
        pytest.param("planlimit", {"amount": "x"}, id="no-number"),
        pytest.param("override", {"starts_at__gte": "soon"}, id="no-instant"),
        pytest.param("tenant", {"q": "\x00"}, id="a-zero-byte"),
    ],
)
def test_a_list_by_a_filter_that_cannot_be_is_shown_without_it(staff, limit, model, query):
    answer = staff.get(reverse(f"admin:quotas_{model}_changelist"), query)

    assert answer.status_code in {200, 302}
    if answer.status_code == 302:
        assert answer.url.endswith("?e=1")


@pytest.mark.parametrize("key", ODD_KEYS)
@pytest.mark.parametrize("model", ["cap", "override", "membership", "alertsettings"])
def test_a_form_for_a_tenant_that_cannot_be_is_shown(staff, model, key):
    address = reverse(f"admin:quotas_{model}_add")

    assert 200 == staff.get(address, {"tenant": key}).status_code
    answer = staff.post(address, {"tenant": key})
    assert 200 == answer.status_code
    assert "errornote" in text_of(answer)
    assert not Override.objects.exists()


def test_a_form_is_filled_in_with_a_tenant_that_is_there(staff):
    tenant = a_tenant("acme")

    page = staff.get(reverse("admin:quotas_override_add"), {"tenant": str(tenant.pk)})

    assert f'<option value="{tenant.pk}" selected>acme</option>' in text_of(page)


@pytest.mark.parametrize("lookup", ["webhook_secret", "webhook_secret__startswith"])
def test_a_secret_cannot_be_guessed_by_a_filter(staff_who_may, lookup):
    AlertSettings.objects.create(tenant=a_tenant(), webhook_secret="abc1")

    for guess in ("abc1", "abd"):
        answer = staff_who_may("view").get(list_url(AlertSettings), {lookup: guess})
        assert 400 == answer.status_code


def test_whoever_may_view_nothing_is_not_told_which_rows_there_are(staff_who_may):
    nobody, tenant, plan = staff_who_may(), an_override().tenant, a_limit().plan
    for there, page in [
        *((tenant.pk, f"tenant/{{}}/{rest}") for rest in ("step/grant/", "step/none/", "applied/")),
        (plan.pk, "plan/{}/preview/"),
    ]:
        for pk in (there, 99_999):
            address = f"/admin/quotas/{page.format(pk)}"
            assert (403, 403) == (nobody.get(address).status_code, nobody.post(address).status_code)
