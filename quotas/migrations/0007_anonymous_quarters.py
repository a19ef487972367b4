from __future__ import annotations

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0006_usage_hours"),
    ]

    operations = [
        migrations.CreateModel(
            name="AnonymousQuarter",
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
                        help_text="What was asked for. No default.",
                        max_length=255,
                        verbose_name="scope",
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
                    "shadow_denied",
                    models.BigIntegerField(
                        default=0,
                        help_text=(
                            "Calls admitted that a limit in shadow would have denied. Default: 0."
                        ),
                        verbose_name="shadow-denied",
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
                    "peak",
                    models.BigIntegerField(
                        default=0,
                        help_text="Calls admitted in the busiest minute. Default: 0.",
                        verbose_name="peak",
                    ),
                ),
                (
                    "limits",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text=(
                            "How often each limit denied, and would have denied in shadow, "
                            "by scope/name. Default: {}."
                        ),
                        verbose_name="by limit",
                    ),
                ),
                (
                    "generation",
                    models.BigIntegerField(
                        help_text=(
                            "Since when Redis had remembered what it counted, in microseconds of "
                            "its clock. No default."
                        ),
                        verbose_name="generation",
                    ),
                ),
                (
                    "start",
                    models.DateTimeField(
                        help_text="When the quarter of an hour began. No default.",
                        verbose_name="start",
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
            ],
            options={
                "verbose_name": "anonymous usage of a quarter of an hour",
                "verbose_name_plural": "anonymous usage by quarters of an hour",
                "ordering": ["start", "scope", "generation"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("start", "scope", "generation"),
                        name="quotas_anonymousquarter_once",
                        violation_error_message="This quarter is kept already.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("admitted__gte", 0),
                            ("denied__gte", 0),
                            ("generation__gte", 0),
                            ("peak__gte", 0),
                            ("shadow_denied__gte", 0),
                            ("units__gte", 0),
                        ),
                        name="quotas_anonymousquarter_sums",
                        violation_error_message="What was counted cannot be below 0.",
                    ),
                ],
            },
        ),
    ]
