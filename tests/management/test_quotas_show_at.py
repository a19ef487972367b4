"""``quotas_show --at``: what applied to a tenant once."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from quotas.models import Cap, Override, Plan, PlanLimit, Tenant
from tests.models.rows import a_limit, a_plan, a_tenant, an_override

pytestmark = pytest.mark.django_db

BEGIN = datetime(2026, 11, 3, 13, 2, tzinfo=UTC)


@pytest.fixture
def tenant():
    """Since 13:02 UTC, which is 14:02 in Berlin."""
    plan = a_plan("gold")
    a_limit(plan, amount=1000)
    a_limit(plan, scope="export", amount=None)
    tenant = a_tenant("acme", plan=plan, time_zone="Europe/Berlin")
    an_override(tenant, amount=50_000, starts_at=BEGIN, reason="a fair")
    for model in (Plan, PlanLimit, Tenant, Override):
        model.history.update(history_date=BEGIN)
    return tenant


def shown(*args):
    out = StringIO()
    call_command("quotas_show", *args, stdout=out)
    return [" ".join(line.split()) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("at", ["2026-11-03T14:02", "2026-11-03T13:02Z"])
def test_it_tells_what_applied_then_in_the_tenants_zone(tenant, at):
    Tenant.objects.update(suspended=True)
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=5)

    head = "acme (acme) at 2026-11-03 14:02:00 CET: plan Gold (gold), "
    assert [
        f"{head}time zone Europe/Berlin, anchor day 1",
        "",
        "scope limit amount mode from",
        "api minute 50,000 enforce override a fair",
        "instead of 1,000 enforce plan Gold",
        "export minute unlimited enforce plan Gold",
    ] == shown("acme", "--at", at)


def test_one_scope_may_be_asked_for(tenant):
    assert (
        "export minute unlimited enforce plan Gold"
        == shown("acme", "export", "--at", "2026-11-03T14:02")[-1]
    )


def test_before_the_first_version_it_says_so(tenant):
    assert ["Not known: the versions of this tenant begin at 2026-11-03 14:02:00 CET."] == shown(
        "acme", "--at", "2026-11-03T14:01"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        pytest.param(("acme", "--at", "tea time"), "'tea time' is no instant", id="no-instant"),
        pytest.param(("acme", "--at", "2200-01-01"), "yet to come", id="to-come"),
        pytest.param(("nobody", "--at", "2026-11-03"), "no tenant nobody", id="no-tenant"),
        pytest.param(
            ("acme", "--at", "2026-11-03", "--user", "ada"),
            "--at and --user do not go together",
            id="of-a-user",
        ),
    ],
)
def test_what_cannot_be_answered_is_an_error(tenant, args, said):
    with pytest.raises(CommandError, match=said):
        shown(*args)
