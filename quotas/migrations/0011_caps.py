from __future__ import annotations

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0010_alerts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Cap",
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
                    "amount",
                    models.BigIntegerField(
                        help_text=(
                            "Units per period that the tenant allows itself, and of a bucket also "
                            "its capacity; of no effect where the limit's own are lower. No "
                            "default."
                        ),
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000000000000),
                        ],
                        verbose_name="amount",
                    ),
                ),
                (
                    "set_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        editable=False,
                        help_text="When it was set last. Default: now.",
                        verbose_name="set at",
                    ),
                ),
                (
                    "set_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        help_text="Who set it last. Default: nobody known.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="set by",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        help_text="Whose cap it is. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="caps",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "cap",
                "verbose_name_plural": "caps",
                "ordering": ["tenant", "scope", "name"],
                "base_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "scope", "name"),
                        name="quotas_cap_once",
                        violation_error_message="The tenant has a cap on this limit already.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("amount__gte", 1), ("amount__lte", 1000000000000)),
                        name="quotas_cap_amount",
                        violation_error_message="The amount must be from 1 to 10^12.",
                    ),
                ],
            },
        ),
    ]
