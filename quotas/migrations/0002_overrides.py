from __future__ import annotations

from datetime import timedelta

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("quotas", "0001_tenants_and_plans"),
    ]

    operations = [
        migrations.CreateModel(
            name="Override",
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
                    "tenant",
                    models.ForeignKey(
                        help_text="Whose limit this is. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="overrides",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        help_text=(
                            "Why the plan's limit does not do, for whoever finds this later. No "
                            "default."
                        ),
                        max_length=200,
                        verbose_name="reason",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        help_text="Who made it. Default: nobody known.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="created by",
                    ),
                ),
                (
                    "starts_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="From when it is in force. Default: now.",
                        verbose_name="from",
                    ),
                ),
                (
                    "ends_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="Until when, that instant left out. Default: blank, for good.",
                        null=True,
                        verbose_name="until",
                    ),
                ),
            ],
            options={
                "verbose_name": "override",
                "verbose_name_plural": "overrides",
                "ordering": ["-starts_at", "-pk"],
                "base_manager_name": "objects",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("amount", None),
                            models.Q(("amount__gte", 0), ("amount__lte", 1000000000000)),
                            _connector="OR",
                        ),
                        name="quotas_override_amount",
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
                        name="quotas_override_capacity",
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
                        name="quotas_override_period",
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
                        name="quotas_override_shape",
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
                        name="quotas_override_algorithm",
                        violation_error_message="A word that is not one of the choices.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("subject__in", ["tenant", "user", "credential", "address"])
                        ),
                        name="quotas_override_subject",
                        violation_error_message="A word that is not one of the choices.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", ["enforce", "shadow", "off"])),
                        name="quotas_override_mode",
                        violation_error_message="A word that is not one of the choices.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("outage_policy__in", ["allow", "deny"])),
                        name="quotas_override_outage_policy",
                        violation_error_message="A word that is not one of the choices.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("ends_at", None),
                            ("ends_at__gt", models.F("starts_at")),
                            _connector="OR",
                        ),
                        name="quotas_override_ends_later",
                        violation_error_message="An override must end after it starts.",
                    ),
                ],
            },
        ),
    ]
