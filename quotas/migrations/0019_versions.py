from __future__ import annotations

import uuid

import django.db.models.deletion
import django.utils.timezone
import simple_history.models  # type: ignore[import-untyped]
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0018_mode_since"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HistoricalCap",
            fields=[
                ("id", models.BigIntegerField(auto_created=True, blank=True, verbose_name="ID")),
                ("scope", models.CharField(max_length=200, verbose_name="scope")),
                ("name", models.CharField(max_length=50, verbose_name="name")),
                ("amount", models.BigIntegerField(verbose_name="amount")),
                (
                    "set_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="set at"
                    ),
                ),
                ("history_change_reason", models.CharField(blank=True, default="", max_length=250)),
                (
                    "history_id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("history_date", models.DateTimeField()),
                (
                    "history_type",
                    models.CharField(
                        choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1
                    ),
                ),
                (
                    "history_user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "set_by",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="set by",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "historical cap",
                "verbose_name_plural": "historical caps",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
                "default_permissions": (),
                "indexes": [models.Index(fields=["id", "history_date"], name="quotas_cap_version")],
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name="HistoricalOverride",
            fields=[
                ("id", models.BigIntegerField(auto_created=True, blank=True, verbose_name="ID")),
                ("scope", models.CharField(max_length=200, verbose_name="scope")),
                ("name", models.SlugField(db_index=False, verbose_name="name")),
                ("title", models.CharField(blank=True, max_length=100, verbose_name="title")),
                (
                    "subject",
                    models.CharField(default="tenant", max_length=20, verbose_name="subject"),
                ),
                (
                    "algorithm",
                    models.CharField(
                        default="token_bucket", max_length=30, verbose_name="algorithm"
                    ),
                ),
                ("amount", models.BigIntegerField(blank=True, null=True, verbose_name="amount")),
                ("period", models.DurationField(blank=True, null=True, verbose_name="period")),
                ("unit", models.CharField(blank=True, max_length=10, verbose_name="calendar unit")),
                (
                    "capacity",
                    models.BigIntegerField(blank=True, null=True, verbose_name="capacity"),
                ),
                ("mode", models.CharField(default="enforce", max_length=10, verbose_name="mode")),
                (
                    "mode_since",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        editable=False,
                        verbose_name="mode since",
                    ),
                ),
                (
                    "outage_policy",
                    models.CharField(default="allow", max_length=10, verbose_name="outage policy"),
                ),
                ("warn_at", models.JSONField(blank=True, verbose_name="warn at")),
                (
                    "warn_projected",
                    models.BooleanField(default=True, verbose_name="warn when projected"),
                ),
                ("reason", models.CharField(max_length=200, verbose_name="reason")),
                (
                    "starts_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="from"),
                ),
                ("ends_at", models.DateTimeField(blank=True, null=True, verbose_name="until")),
                ("history_change_reason", models.CharField(blank=True, default="", max_length=250)),
                (
                    "history_id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("history_date", models.DateTimeField()),
                (
                    "history_type",
                    models.CharField(
                        choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="created by",
                    ),
                ),
                (
                    "history_user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "historical override",
                "verbose_name_plural": "historical overrides",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["id", "history_date"], name="quotas_override_version")
                ],
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name="HistoricalPlan",
            fields=[
                ("id", models.BigIntegerField(auto_created=True, blank=True, verbose_name="ID")),
                ("key", models.SlugField(verbose_name="key")),
                ("name", models.CharField(max_length=200, verbose_name="name")),
                ("is_default", models.BooleanField(default=False, verbose_name="default")),
                ("is_anonymous", models.BooleanField(default=False, verbose_name="anonymous")),
                ("active", models.BooleanField(default=True, verbose_name="active")),
                ("history_change_reason", models.CharField(blank=True, default="", max_length=250)),
                (
                    "history_id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("history_date", models.DateTimeField()),
                (
                    "history_type",
                    models.CharField(
                        choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1
                    ),
                ),
                (
                    "history_user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "historical plan",
                "verbose_name_plural": "historical plans",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["id", "history_date"], name="quotas_plan_version")
                ],
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name="HistoricalPlanLimit",
            fields=[
                ("id", models.BigIntegerField(auto_created=True, blank=True, verbose_name="ID")),
                ("scope", models.CharField(max_length=200, verbose_name="scope")),
                ("name", models.SlugField(db_index=False, verbose_name="name")),
                ("title", models.CharField(blank=True, max_length=100, verbose_name="title")),
                (
                    "subject",
                    models.CharField(default="tenant", max_length=20, verbose_name="subject"),
                ),
                (
                    "algorithm",
                    models.CharField(
                        default="token_bucket", max_length=30, verbose_name="algorithm"
                    ),
                ),
                ("amount", models.BigIntegerField(blank=True, null=True, verbose_name="amount")),
                ("period", models.DurationField(blank=True, null=True, verbose_name="period")),
                ("unit", models.CharField(blank=True, max_length=10, verbose_name="calendar unit")),
                (
                    "capacity",
                    models.BigIntegerField(blank=True, null=True, verbose_name="capacity"),
                ),
                ("mode", models.CharField(default="enforce", max_length=10, verbose_name="mode")),
                (
                    "mode_since",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        editable=False,
                        verbose_name="mode since",
                    ),
                ),
                (
                    "outage_policy",
                    models.CharField(default="allow", max_length=10, verbose_name="outage policy"),
                ),
                ("warn_at", models.JSONField(blank=True, verbose_name="warn at")),
                (
                    "warn_projected",
                    models.BooleanField(default=True, verbose_name="warn when projected"),
                ),
                ("history_change_reason", models.CharField(blank=True, default="", max_length=250)),
                (
                    "history_id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("history_date", models.DateTimeField()),
                (
                    "history_type",
                    models.CharField(
                        choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1
                    ),
                ),
                (
                    "history_user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="quotas.plan",
                        verbose_name="plan",
                    ),
                ),
            ],
            options={
                "verbose_name": "historical plan limit",
                "verbose_name_plural": "historical plan limits",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["id", "history_date"], name="quotas_planlimit_version")
                ],
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name="HistoricalTenant",
            fields=[
                ("id", models.BigIntegerField(auto_created=True, blank=True, verbose_name="ID")),
                ("key", models.CharField(db_index=True, max_length=100, verbose_name="key")),
                ("name", models.CharField(max_length=200, verbose_name="name")),
                (
                    "time_zone",
                    models.CharField(default="UTC", max_length=64, verbose_name="time zone"),
                ),
                (
                    "anchor_day",
                    models.PositiveSmallIntegerField(default=1, verbose_name="anchor day"),
                ),
                (
                    "plan_since",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="plan since"
                    ),
                ),
                ("suspended", models.BooleanField(default=False, verbose_name="suspended")),
                (
                    "epoch",
                    models.PositiveIntegerField(default=0, editable=False, verbose_name="epoch"),
                ),
                (
                    "created",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="created"
                    ),
                ),
                ("history_change_reason", models.CharField(blank=True, default="", max_length=250)),
                (
                    "history_id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("history_date", models.DateTimeField()),
                (
                    "history_type",
                    models.CharField(
                        choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1
                    ),
                ),
                (
                    "history_user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="quotas.plan",
                        verbose_name="plan",
                    ),
                ),
            ],
            options={
                "verbose_name": "historical tenant",
                "verbose_name_plural": "historical tenants",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["id", "history_date"], name="quotas_tenant_version")
                ],
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
    ]
