from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0005_usage_days"),
    ]

    operations = [
        migrations.CreateModel(
            name="UsageHour",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "start",
                    models.DateTimeField(
                        db_index=True,
                        help_text="When the hour began. No default.",
                        verbose_name="start",
                    ),
                ),
                (
                    "generation",
                    models.BigIntegerField(
                        help_text=(
                            "Since when Redis had remembered what it counted, in "
                            "microseconds of its clock. No default."
                        ),
                        verbose_name="generation",
                    ),
                ),
                (
                    "admitted",
                    models.BigIntegerField(
                        default=0, help_text="Calls admitted. Default: 0.", verbose_name="admitted"
                    ),
                ),
                (
                    "denied",
                    models.BigIntegerField(
                        default=0, help_text="Calls denied. Default: 0.", verbose_name="denied"
                    ),
                ),
                (
                    "units",
                    models.BigIntegerField(
                        default=0,
                        help_text="Units that the admitted calls cost. Default: 0.",
                        verbose_name="units",
                    ),
                ),
                (
                    "early",
                    models.BigIntegerField(
                        default=0,
                        help_text=(
                            "Denied calls that came sooner than the Retry-After of the "
                            "denial before. Default: 0."
                        ),
                        verbose_name="early",
                    ),
                ),
                (
                    "callers",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text=(
                            "Admitted, denied, units and early of the busiest users and "
                            "credentials. Default: {}."
                        ),
                        verbose_name="by caller",
                    ),
                ),
                (
                    "peaks",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text=(
                            "The most units taken of each limit, and what fitted at once, "
                            "by scope/name. Default: {}."
                        ),
                        verbose_name="peaks",
                    ),
                ),
                (
                    "copied_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="When these numbers were read from Redis. Default: now.",
                        verbose_name="copied at",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        help_text="Who used it. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hours",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "usage of an hour",
                "verbose_name_plural": "usage by hours",
                "ordering": ["tenant", "start", "generation"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "start", "generation"),
                        name="quotas_usagehour_once",
                        violation_error_message="This hour is kept already.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("admitted__gte", 0),
                            ("denied__gte", 0),
                            ("early__gte", 0),
                            ("generation__gte", 0),
                            ("units__gte", 0),
                        ),
                        name="quotas_usagehour_sums",
                        violation_error_message="What was counted cannot be below 0.",
                    ),
                ],
            },
        ),
    ]
