from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0012_warn_projected"),
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
