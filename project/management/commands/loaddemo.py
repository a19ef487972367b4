"""Loads the demo's plans, tenants, log-ins and tokens."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone
from rest_framework.authtoken.models import Token

from project.demo_data import OVERRIDE_LASTS, PLANS, TENANTS, DemoPlan, DemoTenant
from quotas.models import Membership, Override, Plan, PlanLimit, Tenant

STAFF = "staff"


class Command(BaseCommand):
    """``loaddemo``: makes what is missing, and leaves what is there as staff have edited it."""

    help = "Makes the demo's plans, tenants, log-ins and tokens where they are missing."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEBUG:
            raise CommandError(
                "DEBUG is off: the demo's passwords and tokens are known to everybody. "
                "Set DEBUG=1 to load them where nobody else gets in."
            )
        with transaction.atomic():
            plans = [_plan(each) for each in PLANS]
            made = [*plans, *(_tenant(each) for each in TENANTS), _login(STAFF, admin=True)[1]]
        if any(made) and options["verbosity"]:
            self.stdout.write(f"Loaded {len(PLANS)} plans and {len(TENANTS)} tenants.")


def _plan(demo: DemoPlan) -> bool:
    """A plan with its limits, unless there is one of that key; whether it was made."""
    roles = {role: True for role in ("is_default", "is_anonymous") if getattr(demo, role)}
    if any(Plan.objects.filter(**{role: True}).exists() for role in roles):
        roles = {}  # staff have given it to another plan
    plan, made = Plan.objects.get_or_create(key=demo.key, defaults={"name": demo.name} | roles)
    if made:
        PlanLimit.objects.bulk_create(PlanLimit(plan=plan, **limit) for limit in demo.limits)
    return made


def _tenant(demo: DemoTenant) -> bool:
    """A tenant with its overrides, log-in and token; whether anything of it was made."""
    tenant, made = Tenant.objects.get_or_create(
        key=demo.key,
        defaults={
            "name": demo.name,
            "plan": Plan.objects.get(key=demo.plan),
            "time_zone": demo.time_zone,
            "anchor_day": demo.anchor_day,
        },
    )
    if made:
        now = timezone.now()
        Override.objects.bulk_create(
            Override(tenant=tenant, starts_at=now, ends_at=now + OVERRIDE_LASTS, **override)
            for override in demo.overrides
        )
    user, new_user = _login(demo.key)
    if made or new_user:
        Membership.objects.get_or_create(user=user, tenant=tenant, defaults={"role": "manager"})
    _token, new_token = Token.objects.get_or_create(user=user, defaults={"key": demo.token})
    return made or new_user or new_token


def _login(name: str, *, admin: bool = False) -> tuple[Any, bool]:
    """The log-in of this name, made with its name for a password; whether it was made."""
    users = get_user_model()._default_manager  # noqa: SLF001 - Django's documented way
    found = users.filter(username=name).first()
    if found is not None:
        return found, False
    make = users.create_superuser if admin else users.create_user
    return make(name, email=f"{name}@example.com", password=name), True
