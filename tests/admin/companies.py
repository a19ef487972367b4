"""Two companies with a row of every model each, in which all that is written names the company."""

from __future__ import annotations

from datetime import timedelta

from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from quotas.models import (
    Alert,
    AlertSettings,
    AnonymousQuarter,
    CalendarBalance,
    Cap,
    Plan,
    Status,
    TenantSnapshot,
    UsageDay,
    UsageHour,
    UsageQuarter,
)
from quotas.models.versions import acting
from tests.admin.browsers import client_of
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override

MARK = "xyzzy"
"""Stands in every text of the company that nobody else may see, and in no other."""
OWN = "ownco"
GONE = 500_000
"""By how much the number of a row that was deleted is above that of the company's row."""
DAY = timedelta(days=1)


class Company:
    """A tenant with its plan, members and all else; ``row(model)`` is the one of that model."""

    def __init__(self, word):
        now = timezone.now()
        named = {"scope": f"{word}-scope", "name": f"{word}-limit"}
        plan = a_plan(f"{word}-plan", name=f"{word} plan")
        limit = a_limit(plan, title=f"{word} title", **named)
        self.tenant = tenant = a_tenant(f"{word}-key", name=f"{word} name", plan=plan)
        self.user = a_user(f"{word}-member", email=f"{word}@example.com")
        of_limit = {"tenant": tenant, **named}
        own = {"title": f"{word} own", "reason": f"{word} reason", "created_by": self.user}
        counted = {"tenant": tenant, "scope": f"{word}-scope"}
        copied = {"generation": 1, "start": now}
        settings = {"webhook_url": f"https://{word}.example.com/", "webhook_secret": "whsec_AAAA"}
        period = {"period_start": now, "period_end": now + DAY}
        self.rows = [
            plan,
            limit,
            tenant,
            a_membership(tenant, self.user),
            an_override(tenant, starts_at=now - DAY, **named, **own),
            AlertSettings.objects.create(tenant=tenant, **settings),
            Cap.objects.create(amount=5, set_by=self.user, **of_limit),
            Alert.objects.create(**of_limit, **period, threshold="80", used=8, amount=10),
            CalendarBalance.objects.create(**of_limit, **period, unit="day", subject=word),
            UsageQuarter.objects.create(**counted, **copied),
            UsageHour.objects.create(tenant=tenant, **copied),
            UsageDay.objects.create(**counted, day=now.date()),
            AnonymousQuarter.objects.create(scope=f"{word}-anonymous", **copied),
            TenantSnapshot.objects.create(tenant=tenant, label=word, taken_at=now, last_seen=now),
        ]
        for row in self.rows:
            an_entry(row, self.user, word)
        self._delete_others(plan, limit, tenant)

    def _delete_others(self, plan, limit, tenant):
        """Of each model that has a page of what was deleted, a row that was."""
        word = plan.key.removesuffix("-plan")
        override = tenant.overrides.get()
        went = {"scope": f"{word}-gone", "name": f"{word}-gone", "title": f"{word} gone"}
        rows = [
            a_plan(f"{word}-gone", name=f"{word} gone", pk=plan.pk + GONE),
            a_limit(plan, pk=limit.pk + GONE, **went),
            a_tenant(f"{word}-gone", name=f"{word} gone", plan=plan, pk=tenant.pk + GONE),
            an_override(tenant, pk=override.pk + GONE, reason=f"{word} gone", **went),
        ]
        with acting(user=self.user, reason=f"{word} was deleted"):
            for row in rows:
                row.delete()

    def row(self, model):
        """The row that pages of ``model`` are asked for."""
        kind = Plan if model is Status else model
        found = [row for row in self.rows if type(row) is kind]
        assert found, f"make a row of {model.__name__} above, so that its pages are tested"
        return found[0]


def an_entry(row, user, word):
    """Something in the history of a row."""
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(row),
        object_id=row.pk,
        object_repr=str(row),
        action_flag=CHANGE,
        change_message=f"{word} history",
    )


def bound_staff(*companies):
    """A browser of staff with every permission, who belong to these companies."""
    user = a_user("bound", is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    for company in companies:
        a_membership(company.tenant, user)
    return client_of(user)


def stored():
    """All rows of ours and of the history, as the database has them."""
    models = [*apps.get_app_config("quotas").get_models(), LogEntry]
    return {each.__name__: list(each._base_manager.order_by("pk").values()) for each in models}
