from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0013_alert_failures"),
    ]

    operations = [
        migrations.CreateModel(
            name="Status",
            fields=[],
            options={
                "verbose_name": "status",
                "verbose_name_plural": "status",
                "proxy": True,
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
            bases=("quotas.plan",),
        ),
    ]
