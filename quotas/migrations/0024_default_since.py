from __future__ import annotations

import django.utils.timezone
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def _share(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Versions kept so far have the same instant as their plan: nothing of it has changed."""
    using = schema_editor.connection.alias
    versions = apps.get_model("quotas", "HistoricalPlan").objects.using(using)
    plans = apps.get_model("quotas", "Plan").objects.using(using)
    for pk, since in plans.values_list("pk", "default_since"):
        versions.filter(id=pk).update(default_since=since)


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0023_period_ends"),
    ]

    operations = [
        migrations.AddField(
            model_name="historicalplan",
            name="default_since",
            field=models.DateTimeField(
                default=django.utils.timezone.now, editable=False, verbose_name="default since"
            ),
        ),
        migrations.AddField(
            model_name="plan",
            name="default_since",
            field=models.DateTimeField(
                default=django.utils.timezone.now,
                editable=False,
                help_text=(
                    "When it became the default plan, or ceased to be; it keeps itself. "
                    "Default: now."
                ),
                verbose_name="default since",
            ),
        ),
        migrations.RunPython(_share, migrations.RunPython.noop),
    ]
