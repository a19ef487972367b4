"""The main screens of the admin, for its pictures: one line each, and what leads there."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import expect

from quotas.models import Override, Plan, PlanLimit, Tenant, TenantSnapshot, UsageQuarter
from quotas.models.versions import acting

CLOSED = "localStorage.setItem('django.admin.navSidebarIsOpen', 'false')"
"""More room for the page itself."""

OTHERS = {
    "dune": ("Dune Diagnostics", "pro", 0, timedelta(hours=2)),
    "elm": ("Elm Energy", "scale", 41, timedelta(minutes=7)),
    "fjord": ("Fjord Freight", "free", 0, timedelta(days=3)),
}


def a_busy_day(visitor):
    """Tenants who called, one of them with an override; what they used is in the snapshot."""
    now, acme = timezone.now(), Tenant.objects.get(key="acme")
    row = PlanLimit.objects.get(plan__key="free", scope="reports", name="minute")
    names = ["scope", "name", "title", "algorithm", "period", "capacity"]
    Override.objects.create(
        tenant=acme,
        **{name: getattr(row, name) for name in names},
        amount=12,
        reason="Kite festival",
        starts_at=now - timedelta(days=2),
        ends_at=now + timedelta(days=5),
    )
    for key, (name, plan, denied, ago) in OTHERS.items():
        tenant = Tenant.objects.create(key=key, name=name, plan=Plan.objects.get(key=plan))
        TenantSnapshot.objects.create(
            tenant=tenant, denied=denied, last_seen=now - ago, taken_at=now
        )
    for tenant, path, calls in (
        ("bolt", "/api/reports/", 33),
        ("cyan", "/api/reports/", 150),
        ("acme", "/api/exports/", 6),
        ("acme", "/api/reports/", 8),
    ):
        for _ in range(calls):
            visitor.call(tenant, path)
    call_command("quotas_flush", verbosity=0)


def page_of(model, key):
    """The address of one row."""
    return f"/admin/quotas/{model._meta.model_name}/{model.objects.get(key=key).pk}/change/"


def tenant_page(page):
    """The buttons, and what applies to the tenant."""
    page.goto(page_of(Tenant, "acme"))


def plan_editor(page):
    """A row whose words were just written, and what it would promise."""
    page.goto(page_of(Plan, "free"))
    row = row_of(page, "Reports per minute")
    page.locator(f"#id_limits-{row}-words").fill("100 per minute, bursts of 20")
    expect(page.get_by_text("any 2 seconds at most 23, any minute at most 120")).to_be_visible()
    page.locator(f"#id_limits-{row}-scope").evaluate("(each) => each.scrollIntoView()")
    page.mouse.wheel(0, -56)
    page.wait_for_timeout(300)  # until it has scrolled


def confirmation(page):
    """A cut that is asked about."""
    page.goto(page_of(Plan, "free"))
    page.locator(f"#id_limits-{row_of(page, 'Reports per month')}-amount").fill("5")
    page.get_by_role("button", name="Save", exact=True).first.click()
    expect(page.get_by_role("heading", name="Are you sure?")).to_be_visible()


def shadow_page(page):
    """A limit in shadow of a plan that several tenants have, for a week."""
    limit = PlanLimit.objects.get(plan__key="pro", mode="shadow")
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    PlanLimit.objects.filter(pk=limit.pk).update(mode_since=today - timedelta(days=7))
    callers = ("Garnet Games", 4_100), ("Heron Health", 900), ("Iris Imaging", 12), ("Jade", 0)
    for number, (name, would) in enumerate(callers, start=1):
        tenant = Tenant.objects.create(
            key=name.split()[0].lower(),
            name=name,
            plan=limit.plan,
            plan_since=today - timedelta(days=30),
        )
        TenantSnapshot.objects.create(
            tenant=tenant, last_seen=today - timedelta(hours=number), taken_at=timezone.now()
        )
        for ago in range(1, 6):
            UsageQuarter.objects.create(
                tenant=tenant,
                scope="reports",
                start=today - timedelta(days=ago),
                generation=1,
                admitted=4_700 // number,
                denied=17 * ago,
                shadow_denied=would // 5,
                limits={f"{limit.scope}/{limit.name}": [0, would // 5]},
            )
    page.goto(f"/admin/quotas/planlimit/{limit.pk}/shadow/")


def versions(page):
    """Two edits, each with its reason, of a plan."""
    plan, staff = Plan.objects.get(key="free"), get_user_model().objects.get(username="staff")
    for scope, amount, reason in (
        ("exports", 20, "Exports became cheaper."),
        ("batches", 400, "Asked for by three customers."),
    ):
        with acting(user=staff, reason=reason):
            PlanLimit.objects.filter(plan=plan, scope=scope, name="hour").update(amount=amount)
    page.goto(page_of(Plan, "free") + "../history/")


def applied(page):
    """What applied to a tenant with an override, just now."""
    now = f"{timezone.now() - timedelta(seconds=1):%Y-%m-%dT%H:%M:%S}Z"
    page.goto(page_of(Tenant, "acme") + f"../applied/?at={now}")


def row_of(page, title):
    """The number of the row with that title."""
    return page.locator(f"input[value='{title}']").get_attribute("name").split("-")[1]


# (what leads there, height of the picture): another screen is one line more.
SCREENS = {
    "tenants": (lambda page: page.goto("/admin/quotas/tenant/"), 820),
    "tenant": (tenant_page, 1280),
    "plan": (plan_editor, 900),
    "confirm": (confirmation, 480),
    "boost": (lambda page: page.goto(page_of(Tenant, "acme") + "../step/boost/"), 620),
    "status": (lambda page: page.goto("/admin/quotas/status/"), 860),
    "shadow": (shadow_page, 700),
    "versions": (versions, 664),
    "applied": (applied, 700),
}
