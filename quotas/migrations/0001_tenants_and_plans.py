from __future__ import annotations

from datetime import timedelta

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Plan",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.SlugField(
                        help_text=(
                            "By which commands and files name the plan: an ASCII slug. No default."
                        ),
                        unique=True,
                        verbose_name="key",
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="What people read. No default.",
                        max_length=200,
                        verbose_name="name",
                    ),
                ),
                (
                    "is_default",
                    models.BooleanField(
                        default=False,
                        help_text=(
                            "Whether tenants without a plan, or with one that is not active, have "
                            "this one. At most one plan. Default: no."
                        ),
                        verbose_name="default",
                    ),
                ),
                (
                    "is_anonymous",
                    models.BooleanField(
                        default=False,
                        help_text=(
                            "Whether callers without a tenant have it. At most one plan. Default: "
                            "no."
                        ),
                        verbose_name="anonymous",
                    ),
                ),
                (
                    "active",
                    models.BooleanField(
                        default=True,
                        help_text=(
                            "Whether it is in use; if not, its tenants have the default plan. "
                            "Default: yes."
                        ),
                        verbose_name="active",
                    ),
                ),
            ],
            options={
                "verbose_name": "plan",
                "verbose_name_plural": "plans",
                "ordering": ["key"],
                "base_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("is_default", True)),
                        fields=("is_default",),
                        name="quotas_plan_one_default",
                        violation_error_message=(
                            "Another plan is the default: take that away first."
                        ),
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_anonymous", True)),
                        fields=("is_anonymous",),
                        name="quotas_plan_one_anonymous",
                        violation_error_message=(
                            "Another plan is that of callers without a tenant: take that away "
                            "first."
                        ),
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlanLimit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        help_text=(
                            "What is counted: the scope that a view names. * counts all scopes "
                            "together, besides their own limits. No default."
                        ),
                        max_length=200,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^(\\*|[A-Za-z0-9_][A-Za-z0-9_.-]*)\\Z",
                                "Give letters, digits, dots, hyphens and underscores, or * for "
                                "every scope.",
                            )
                        ],
                        verbose_name="scope",
                    ),
                ),
                (
                    "name",
                    models.SlugField(
                        db_index=False,
                        help_text=(
                            "By which clients and usage know the limit, such as “minute”: ASCII "
                            "letters, digits, hyphens, underscores. A limit that is renamed starts "
                            "counting anew. No default."
                        ),
                        verbose_name="name",
                    ),
                ),
                (
                    "title",
                    models.CharField(
                        blank=True,
                        help_text="What people read in place of the name. Default: the name.",
                        max_length=100,
                        verbose_name="title",
                    ),
                ),
                (
                    "subject",
                    models.CharField(
                        choices=[
                            ("tenant", "the tenant"),
                            ("user", "each user"),
                            ("credential", "each credential"),
                            ("address", "each address"),
                        ],
                        default="tenant",
                        help_text=(
                            "Who is counted inside the tenant. Default: the tenant as a whole."
                        ),
                        max_length=20,
                        verbose_name="subject",
                    ),
                ),
                (
                    "algorithm",
                    models.CharField(
                        choices=[
                            ("token_bucket", "token bucket"),
                            ("leaky_bucket", "leaky bucket"),
                            ("fixed_window", "fixed window"),
                            ("sliding_window_counter", "sliding window, counted"),
                            ("sliding_window_log", "sliding window, exact"),
                            ("calendar_quota", "calendar quota"),
                            ("concurrency", "calls in flight"),
                        ],
                        default="token_bucket",
                        help_text=(
                            "How it judges. Another one starts counting anew. Default: token "
                            "bucket."
                        ),
                        max_length=30,
                        verbose_name="algorithm",
                    ),
                ),
                (
                    "amount",
                    models.BigIntegerField(
                        blank=True,
                        help_text=(
                            "Units per period. 0 denies all; blank is unlimited but counted. "
                            "Default: blank."
                        ),
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000000000000),
                        ],
                        verbose_name="amount",
                    ),
                ),
                (
                    "period",
                    models.DurationField(
                        blank=True,
                        help_text=(
                            "For how long the amount is: “1 minute”, “2h”, “00:01:00”, or seconds. "
                            "Blank for a calendar quota. For calls in flight: when a slot that "
                            "nobody gave back is freed; blank is 60 seconds. Another "
                            "period starts a fixed window and a counted sliding window "
                            "anew; a log keeps its entries. Otherwise no default."
                        ),
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(timedelta(microseconds=1)),
                            django.core.validators.MaxValueValidator(timedelta(days=1830)),
                        ],
                        verbose_name="period",
                    ),
                ),
                (
                    "unit",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("day", "day"),
                            ("week", "week"),
                            ("month", "month"),
                            ("year", "year"),
                        ],
                        help_text=(
                            "The civil period of a calendar quota, in the tenant's time zone. "
                            "Another one starts the quota anew. Default: blank, as it must be for "
                            "every other algorithm."
                        ),
                        max_length=10,
                        verbose_name="calendar unit",
                    ),
                ),
                (
                    "capacity",
                    models.BigIntegerField(
                        blank=True,
                        help_text=(
                            "Units. Token bucket: the most tokens held, the largest burst; tokens "
                            "held stay as they are when it is raised, and refill at the rate of "
                            "the amount. Leaky bucket: the longest queue. Default: blank, for as "
                            "many as the amount."
                        ),
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000000000000),
                        ],
                        verbose_name="capacity",
                    ),
                ),
                (
                    "mode",
                    models.CharField(
                        choices=[("enforce", "enforce"), ("shadow", "shadow"), ("off", "off")],
                        default="enforce",
                        help_text=(
                            "Enforce denies what is over the limit; shadow only counts what it "
                            "would deny; off is not evaluated. Default: enforce."
                        ),
                        max_length=10,
                        verbose_name="mode",
                    ),
                ),
                (
                    "outage_policy",
                    models.CharField(
                        choices=[("allow", "allow"), ("deny", "deny")],
                        default="allow",
                        help_text="What it answers while Redis gives none. Default: allow.",
                        max_length=10,
                        verbose_name="outage policy",
                    ),
                ),
                (
                    "warn_at",
                    models.JSONField(
                        blank=True,
                        help_text=(
                            "Percent of what fits. From the first on, the usage page says “near "
                            "the limit”; at each, the tenant's managers are alerted once a "
                            "period. Default: 80, 100."
                        ),
                        verbose_name="warn at",
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        help_text="Whose limit this is. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="limits",
                        to="quotas.plan",
                        verbose_name="plan",
                    ),
                ),
            ],
            options={
                "verbose_name": "plan limit",
                "verbose_name_plural": "plan limits",
                "ordering": ["plan", "scope", "name"],
                "base_manager_name": "objects",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("amount", None),
                            models.Q(("amount__gte", 0), ("amount__lte", 1000000000000)),
                            _connector="OR",
                        ),
                        name="quotas_planlimit_amount",
                        violation_error_message="The amount must be blank or from 0 to 10^12.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("capacity", None),
                            models.Q(
                                ("algorithm__in", ["token_bucket", "leaky_bucket"]),
                                ("capacity__gte", 1),
                                ("capacity__lte", 1000000000000),
                            ),
                            _connector="OR",
                        ),
                        name="quotas_planlimit_capacity",
                        violation_error_message=(
                            "The capacity must be blank, or from 1 to 10^12 and of a bucket."
                        ),
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("period", None),
                            models.Q(
                                ("period__gt", timedelta(0)), ("period__lte", timedelta(days=1830))
                            ),
                            _connector="OR",
                        ),
                        name="quotas_planlimit_period",
                        violation_error_message=(
                            "The period must be blank, or above 0 and at most 1830 days."
                        ),
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("algorithm", "calendar_quota"),
                                ("period", None),
                                ("unit__in", ["day", "week", "month", "year"]),
                            ),
                            models.Q(
                                models.Q(("algorithm", "calendar_quota"), _negated=True),
                                ("unit", ""),
                                models.Q(
                                    ("algorithm", "concurrency"),
                                    ("period__isnull", False),
                                    _connector="OR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="quotas_planlimit_shape",
                        violation_error_message=(
                            "A calendar quota has a calendar unit and no period; other limits have "
                            "a period."
                        ),
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "algorithm__in",
                                [
                                    "token_bucket",
                                    "leaky_bucket",
                                    "fixed_window",
                                    "sliding_window_counter",
                                    "sliding_window_log",
                                    "calendar_quota",
                                    "concurrency",
                                ],
                            )
                        ),
                        name="quotas_planlimit_algorithm",
                        violation_error_message="A word that is not one of the choices.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("subject__in", ["tenant", "user", "credential", "address"])
                        ),
                        name="quotas_planlimit_subject",
                        violation_error_message="A word that is not one of the choices.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", ["enforce", "shadow", "off"])),
                        name="quotas_planlimit_mode",
                        violation_error_message="A word that is not one of the choices.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("outage_policy__in", ["allow", "deny"])),
                        name="quotas_planlimit_outage_policy",
                        violation_error_message="A word that is not one of the choices.",
                    ),
                    models.UniqueConstraint(
                        fields=("plan", "scope", "name"),
                        name="quotas_planlimit_once",
                        violation_error_message=(
                            "The plan has a limit of this scope and name already."
                        ),
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Tenant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        help_text=(
                            "By which addresses and headers name the tenant: any text of up to 100 "
                            "characters without slashes. No default."
                        ),
                        max_length=100,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator("\\S", "A key cannot be blank."),
                            django.core.validators.RegexValidator(
                                "[/\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]",
                                "A key cannot contain slashes, control characters or line breaks.",
                                inverse_match=True,
                            ),
                            django.core.validators.RegexValidator(
                                "^\\.\\.?\\Z",
                                "Addresses take “.” and “..” for “here” and “one up”: choose "
                                "another key.",
                                inverse_match=True,
                            ),
                        ],
                        verbose_name="key",
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="What people read. No default.",
                        max_length=200,
                        verbose_name="name",
                    ),
                ),
                (
                    "time_zone",
                    models.CharField(
                        default="UTC",
                        help_text=(
                            "In which days and months are counted, such as Europe/Berlin; a change "
                            "is in force from the next period on. Default: UTC."
                        ),
                        max_length=64,
                        verbose_name="time zone",
                    ),
                ),
                (
                    "anchor_day",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text=(
                            "Day of the month, 1 to 31, on which calendar months begin; the last "
                            "day where a month is shorter. A change is in force from the next "
                            "period on. Default: 1."
                        ),
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(31),
                        ],
                        verbose_name="anchor day",
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        blank=True,
                        help_text=(
                            "Whose limits apply. Default: blank, for the plan that is the default."
                        ),
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tenants",
                        to="quotas.plan",
                        verbose_name="plan",
                    ),
                ),
                (
                    "suspended",
                    models.BooleanField(
                        default=False,
                        help_text="Whether every request is refused with 403. Default: no.",
                        verbose_name="suspended",
                    ),
                ),
                (
                    "epoch",
                    models.PositiveIntegerField(
                        default=0,
                        editable=False,
                        help_text=(
                            "How often all counters were reset: raising it starts them anew. "
                            "Default: 0."
                        ),
                        verbose_name="epoch",
                    ),
                ),
                (
                    "created",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        editable=False,
                        help_text="When the tenant was made. Default: now.",
                        verbose_name="created",
                    ),
                ),
            ],
            options={
                "verbose_name": "tenant",
                "verbose_name_plural": "tenants",
                "ordering": ["key"],
                "base_manager_name": "objects",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("key", ""), _negated=True),
                        name="quotas_tenant_key",
                        violation_error_message="A tenant needs a key.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("anchor_day__gte", 1), ("anchor_day__lte", 31)),
                        name="quotas_tenant_anchor_day",
                        violation_error_message="The anchor day must be from 1 to 31.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        help_text="Who belongs to the tenant. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quota_memberships",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        help_text="Which tenant the user acts for. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "viewer"), ("manager", "manager")],
                        default="viewer",
                        help_text=(
                            "Both see the usage and the alerts; a manager also gets the alerts, "
                            "chooses how, and sets caps. Default: viewer."
                        ),
                        max_length=10,
                        verbose_name="role",
                    ),
                ),
                (
                    "is_default",
                    models.BooleanField(
                        default=False,
                        help_text=(
                            "Whether the user acts for this tenant when a request names none; of "
                            "one user, at most one. Default: no."
                        ),
                        verbose_name="default",
                    ),
                ),
            ],
            options={
                "verbose_name": "membership",
                "verbose_name_plural": "memberships",
                "ordering": ["tenant", "pk"],
                "base_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "tenant"),
                        name="quotas_membership_once",
                        violation_error_message="The user belongs to this tenant already.",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_default", True)),
                        fields=("user",),
                        name="quotas_membership_one_default",
                        violation_error_message=(
                            "Another tenant is the default of this user: take that away first."
                        ),
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["viewer", "manager"])),
                        name="quotas_membership_role",
                        violation_error_message="The role must be one of the choices.",
                    ),
                ],
            },
        ),
    ]
