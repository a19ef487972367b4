from __future__ import annotations

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0009_alert_settings"),
    ]

    operations = [
        migrations.CreateModel(
            name="Alert",
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
                        help_text="The scope of the limit. No default.",
                        max_length=200,
                        verbose_name="scope",
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="The name of the limit. No default.",
                        max_length=50,
                        verbose_name="name",
                    ),
                ),
                (
                    "threshold",
                    models.CharField(
                        help_text="What was come to: percent, or “projected”. No default.",
                        max_length=10,
                        verbose_name="threshold",
                    ),
                ),
                (
                    "period_start",
                    models.DateTimeField(
                        help_text=(
                            "When the period began in which no second alert is raised: that of a "
                            "calendar quota, else the tenant's day. No default."
                        ),
                        verbose_name="period start",
                    ),
                ),
                (
                    "period_end",
                    models.DateTimeField(
                        help_text="When it ends, that instant left out. No default.",
                        verbose_name="period end",
                    ),
                ),
                (
                    "used",
                    models.BigIntegerField(
                        help_text="Units used when it was raised. No default.", verbose_name="used"
                    ),
                ),
                (
                    "amount",
                    models.BigIntegerField(
                        help_text="Units that fitted at once. No default.", verbose_name="amount"
                    ),
                ),
                (
                    "raised_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="When it was noticed. Default: now.",
                        verbose_name="raised at",
                    ),
                ),
                (
                    "reference",
                    models.UUIDField(
                        default=uuid.uuid4,
                        editable=False,
                        help_text=(
                            "By which receivers know it, however often it comes. Default: a random "
                            "one."
                        ),
                        unique=True,
                        verbose_name="reference",
                    ),
                ),
                (
                    "email_state",
                    models.CharField(
                        choices=[
                            ("none", "not wanted"),
                            ("pending", "to be sent"),
                            ("done", "sent"),
                            ("failed", "given up"),
                        ],
                        default="none",
                        help_text="How far it has come. Default: not wanted.",
                        max_length=10,
                        verbose_name="e-mail",
                    ),
                ),
                (
                    "email_attempts",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="How often it was begun to be sent. Default: 0.",
                        verbose_name="tries by e-mail",
                    ),
                ),
                (
                    "email_claimed_until",
                    models.DateTimeField(
                        blank=True,
                        help_text=(
                            "Until when nobody else tries: a worker is at it, or the last try "
                            "failed. Default: blank, for nobody."
                        ),
                        null=True,
                        verbose_name="e-mail claimed until",
                    ),
                ),
                (
                    "email_error",
                    models.CharField(
                        blank=True,
                        help_text="Why the last try failed. Default: blank.",
                        max_length=200,
                        verbose_name="error by e-mail",
                    ),
                ),
                (
                    "webhook_state",
                    models.CharField(
                        choices=[
                            ("none", "not wanted"),
                            ("pending", "to be sent"),
                            ("done", "sent"),
                            ("failed", "given up"),
                        ],
                        default="none",
                        help_text="How far it has come. Default: not wanted.",
                        max_length=10,
                        verbose_name="webhook",
                    ),
                ),
                (
                    "webhook_attempts",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="How often it was begun to be sent. Default: 0.",
                        verbose_name="tries by webhook",
                    ),
                ),
                (
                    "webhook_claimed_until",
                    models.DateTimeField(
                        blank=True,
                        help_text=(
                            "Until when nobody else tries: a worker is at it, or the last try "
                            "failed. Default: blank, for nobody."
                        ),
                        null=True,
                        verbose_name="webhook claimed until",
                    ),
                ),
                (
                    "webhook_error",
                    models.CharField(
                        blank=True,
                        help_text="Why the last try failed. Default: blank.",
                        max_length=200,
                        verbose_name="error by webhook",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        help_text="Whose limit it is. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alerts",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "alert",
                "verbose_name_plural": "alerts",
                "ordering": ["-raised_at", "-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("email_state", "pending")),
                        fields=["email_claimed_until"],
                        name="quotas_alert_email_pending",
                    ),
                    models.Index(
                        condition=models.Q(("webhook_state", "pending")),
                        fields=["webhook_claimed_until"],
                        name="quotas_alert_webhook_pending",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "period_start", "scope", "name", "threshold"),
                        name="quotas_alert_once",
                        violation_error_message="This alert was raised already.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("amount__gte", 1), ("used__gte", 0)),
                        name="quotas_alert_numbers",
                        violation_error_message=(
                            "The use cannot be below 0, nor the amount below 1."
                        ),
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("period_end__gt", models.F("period_start"))),
                        name="quotas_alert_period",
                        violation_error_message="A period must end after it starts.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("email_state__in", ["none", "pending", "done", "failed"]),
                            ("webhook_state__in", ["none", "pending", "done", "failed"]),
                        ),
                        name="quotas_alert_states",
                        violation_error_message="A state must be one of the choices.",
                    ),
                ],
            },
        ),
    ]
