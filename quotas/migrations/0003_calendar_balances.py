from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0002_overrides"),
    ]

    operations = [
        migrations.CreateModel(
            name="CalendarBalance",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        help_text="Whose quota it is. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="balances",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
                (
                    "epoch",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="The tenant's epoch when it was counted. Default: 0.",
                        verbose_name="epoch",
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
                    "unit",
                    models.CharField(
                        choices=[
                            ("day", "day"),
                            ("week", "week"),
                            ("month", "month"),
                            ("year", "year"),
                        ],
                        help_text="The civil period that was counted. No default.",
                        max_length=10,
                        verbose_name="calendar unit",
                    ),
                ),
                (
                    "subject",
                    models.CharField(
                        blank=True,
                        help_text="Who is counted. Default: blank, for the tenant itself.",
                        max_length=200,
                        verbose_name="subject",
                    ),
                ),
                (
                    "period_start",
                    models.DateTimeField(
                        help_text="When the civil period began. No default.",
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
                        default=0,
                        help_text="Units used in the period so far. Default: 0.",
                        verbose_name="used",
                    ),
                ),
                (
                    "copied_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="When it was read from Redis. Default: now.",
                        verbose_name="copied at",
                    ),
                ),
            ],
            options={
                "verbose_name": "calendar balance",
                "verbose_name_plural": "calendar balances",
                "ordering": ["tenant", "-period_start", "scope", "name", "subject"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "tenant",
                            "epoch",
                            "scope",
                            "name",
                            "subject",
                            "unit",
                            "period_start",
                        ),
                        name="quotas_calendarbalance_once",
                        violation_error_message="This balance is kept already.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("unit__in", ["day", "week", "month", "year"])),
                        name="quotas_calendarbalance_unit",
                        violation_error_message="The calendar unit must be one of the choices.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("used__gte", 0)),
                        name="quotas_calendarbalance_used",
                        violation_error_message="What was used cannot be below 0.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("period_end__gt", models.F("period_start"))),
                        name="quotas_calendarbalance_period",
                        violation_error_message="A period must end after it starts.",
                    ),
                ],
            },
        ),
    ]
