from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0015_tenant_snapshots"),
    ]

    operations = [
        migrations.AddField(
            model_name="alert",
            name="title",
            field=models.CharField(
                blank=True,
                default="",
                help_text="What people called the limit when it was raised. Default: the name.",
                max_length=100,
                verbose_name="title",
            ),
            preserve_default=False,
        ),
    ]
