from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0022_balance_epochs"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="alert",
            index=models.Index(fields=["period_end"], name="quotas_alert_period_end"),
        ),
        migrations.AddIndex(
            model_name="alert",
            index=models.Index(fields=["raised_at"], name="quotas_alert_raised_at"),
        ),
        migrations.AddIndex(
            model_name="calendarbalance",
            index=models.Index(fields=["period_end"], name="quotas_calendarbalance_end"),
        ),
    ]
