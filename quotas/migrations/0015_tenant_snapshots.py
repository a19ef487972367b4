from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0014_status_page"),
    ]

    operations = [
        migrations.CreateModel(
            name="TenantSnapshot",
            fields=[
                (
                    "tenant",
                    models.OneToOneField(
                        help_text="Who stood so. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="snapshot",
                        serialize=False,
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
                (
                    "percent",
                    models.PositiveSmallIntegerField(
                        help_text=(
                            "How much of its closest limit was used. Default: blank, nothing of "
                            "any."
                        ),
                        null=True,
                        verbose_name="closest limit, percent",
                    ),
                ),
                (
                    "label",
                    models.CharField(
                        blank=True,
                        help_text="Scope and name of the closest limit. Default: blank, none.",
                        max_length=255,
                        verbose_name="closest limit",
                    ),
                ),
                (
                    "until",
                    models.DateTimeField(
                        help_text=(
                            "When that use is over at the latest. Default: blank, nothing is used."
                        ),
                        null=True,
                        verbose_name="until",
                    ),
                ),
                (
                    "denying",
                    models.BooleanField(
                        default=False,
                        help_text="Whether calls were denied in the last minutes. Default: no.",
                        verbose_name="denied now",
                    ),
                ),
                (
                    "denied",
                    models.BigIntegerField(
                        default=0,
                        help_text="Calls denied in the 24 hours before. Default: 0.",
                        verbose_name="denied in 24 hours",
                    ),
                ),
                (
                    "last_seen",
                    models.DateTimeField(
                        db_index=True,
                        help_text="The minute of the latest call. No default.",
                        verbose_name="last seen",
                    ),
                ),
                (
                    "taken_at",
                    models.DateTimeField(
                        db_index=True,
                        help_text="When these numbers were read. No default.",
                        verbose_name="taken at",
                    ),
                ),
            ],
            options={
                "verbose_name": "snapshot of a tenant",
                "verbose_name_plural": "snapshots of tenants",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("percent", None), ("percent__lte", 100), _connector="OR"
                        ),
                        name="quotas_tenantsnapshot_percent",
                        violation_error_message=(
                            "A limit cannot be used by more than 100 percent."
                        ),
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("denied__gte", 0)),
                        name="quotas_tenantsnapshot_denied",
                        violation_error_message="What was denied cannot be below 0.",
                    ),
                ],
            },
        ),
    ]
