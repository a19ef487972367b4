from __future__ import annotations

from typing import Any

import django.utils.timezone
from django.db import migrations, models


def since_created(apps: Any, schema_editor: Any) -> None:
    """The earliest that it can be: nothing tells when a tenant was moved before."""
    tenants = apps.get_model("quotas", "Tenant").objects.using(schema_editor.connection.alias)
    tenants.update(plan_since=models.F("created"))


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0007_anonymous_quarters"),
    ]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="plan_since",
            field=models.DateTimeField(
                default=django.utils.timezone.now,
                editable=False,
                help_text="When the tenant was moved to its plan; it keeps itself. Default: now.",
                verbose_name="plan since",
            ),
        ),
        migrations.RunPython(since_created, migrations.RunPython.noop, elidable=True),
    ]
