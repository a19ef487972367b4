from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0021_limit_resets"),
    ]

    operations = [
        migrations.AlterField(
            model_name="calendarbalance",
            name="epoch",
            field=models.PositiveIntegerField(
                default=0,
                help_text=(
                    "The tenant's epoch and the limit's, added, when it was counted. Default: 0."
                ),
                verbose_name="epoch",
            ),
        ),
    ]
