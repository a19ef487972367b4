from __future__ import annotations

import django.utils.timezone
from django.db import migrations, models
from django.db.migrations.operations.base import Operation


def _since(model: str) -> Operation:
    """From before nothing tells when a mode was chosen: it counts from the migration on."""
    return migrations.AddField(
        model_name=model,
        name="mode_since",
        field=models.DateTimeField(
            default=django.utils.timezone.now,
            editable=False,
            help_text="When the limit was put into its mode; it keeps itself. Default: now.",
            verbose_name="mode since",
        ),
    )


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0017_alert_nobody"),
    ]

    operations = [
        _since("planlimit"),
        _since("override"),
    ]
