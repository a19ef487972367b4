from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0011_caps"),
    ]

    operations = [
        migrations.AddField(
            model_name="override",
            name="warn_projected",
            field=models.BooleanField(
                default=True,
                help_text=(
                    "Whether the tenant's managers are alerted, once a period, when a calendar "
                    "quota will be used up before its period ends if calls go on as they did. "
                    "Means nothing for other algorithms. Default: yes."
                ),
                verbose_name="warn when projected",
            ),
        ),
        migrations.AddField(
            model_name="planlimit",
            name="warn_projected",
            field=models.BooleanField(
                default=True,
                help_text=(
                    "Whether the tenant's managers are alerted, once a period, when a calendar "
                    "quota will be used up before its period ends if calls go on as they did. "
                    "Means nothing for other algorithms. Default: yes."
                ),
                verbose_name="warn when projected",
            ),
        ),
    ]
