from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0008_plan_since"),
    ]

    operations = [
        migrations.CreateModel(
            name="AlertSettings",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "email",
                    models.BooleanField(
                        default=True,
                        help_text="Whether the tenant's managers are told by e-mail. Default: yes.",
                        verbose_name="e-mail",
                    ),
                ),
                (
                    "webhook_url",
                    models.CharField(
                        blank=True,
                        help_text="Where alerts are posted, signed. Default: blank, for nowhere.",
                        max_length=500,
                        verbose_name="webhook address",
                    ),
                ),
                (
                    "webhook_secret",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text=(
                            "What signs the posts: “whsec_” and a key in base64. Default: blank, "
                            "until an address is given."
                        ),
                        max_length=100,
                        verbose_name="webhook secret",
                    ),
                ),
                (
                    "tenant",
                    models.OneToOneField(
                        help_text="Whose choice it is. No default.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alert_settings",
                        to="quotas.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "alert settings",
                "verbose_name_plural": "alert settings",
                "ordering": ["tenant"],
            },
        ),
    ]
