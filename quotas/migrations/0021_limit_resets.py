from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0020_first_versions"),
    ]

    operations = [
        migrations.CreateModel(
            name="LimitReset",
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
                    "epoch",
                    models.PositiveIntegerField(
                        default=1,
                        help_text=(
                            "How often its counters were started anew by themselves. Default: 1."
                        ),
                        verbose_name="epoch",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        help_text="Whose counters they are. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="resets",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "limit reset",
                "verbose_name_plural": "limit resets",
                "ordering": ["tenant", "scope", "name"],
                "base_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "scope", "name"),
                        name="quotas_limitreset_once",
                        violation_error_message=(
                            "The tenant's resets of this limit are counted already."
                        ),
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("epoch__gte", 1)),
                        name="quotas_limitreset_epoch",
                        violation_error_message=(
                            "The epoch of a limit that was reset is at least 1."
                        ),
                    ),
                ],
            },
        ),
    ]
