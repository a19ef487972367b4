"""Staff who may only look are offered nothing to change with, and what they post is refused."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import expect

from quotas.models import PlanLimit, Tenant
from tests.models.rows import a_user

BUTTONS = "input[type=submit], button[type=submit], .addlink, .deletelink, .object-tools a.button"
LISTS = ["plan", "planlimit", "tenant", "override", "membership"]


@pytest.fixture
def viewer(demo, visit):
    """A browser of somebody who may view all that is ours."""
    user = a_user("viewer", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return visit("viewer")


def post(visitor, address, **data):
    """The status of what a hand-made form in this browser is answered."""
    cookies = {each["name"]: each["value"] for each in visitor.page.context.cookies()}
    headers = {"X-CSRFToken": cookies["csrftoken"], "Referer": visitor.page.url}
    return visitor.page.request.post(address, form=data, headers=headers, max_redirects=0).status


def test_view_only_staff_find_no_button_menu_or_field_to_change_anything(viewer):
    for model in LISTS:
        assert 200 == viewer.open(f"/admin/quotas/{model}/")
        assert 0 == viewer.page.locator("select[name=action], .addlink").count()
        assert 0 == viewer.page.locator("#changelist-form input:visible").count()
        viewer.page.locator("#result_list tbody th a").first.click()

        main = viewer.page.locator("#content-main")
        expect(main).to_be_visible()
        assert 0 == main.locator("input:visible, select:visible, textarea:visible").count()
        assert 0 == main.locator(BUTTONS).locator("visible=true").count()


def test_a_hand_made_post_of_view_only_staff_is_refused(viewer):
    limit, tenant = PlanLimit.objects.first(), Tenant.objects.get(key="acme")
    amount, marked = limit.amount, {"index": "0", "_selected_action": str(limit.pk)}
    viewer.open(f"/admin/quotas/tenant/{tenant.pk}/change/")

    answers = [
        post(viewer, f"/admin/quotas/planlimit/{limit.pk}/change/", amount="1", _save="Save"),
        post(viewer, f"/admin/quotas/planlimit/{limit.pk}/delete/", post="yes"),
        post(viewer, "/admin/quotas/planlimit/", action="set_amount", amount="1", **marked),
        post(viewer, f"/admin/quotas/tenant/{tenant.pk}/step/suspend/", reason="because"),
    ]

    assert [403] * 4 == answers
    limit.refresh_from_db()
    tenant.refresh_from_db()
    assert (amount, False) == (limit.amount, tenant.suspended)
