from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.utils import timezone

VERSIONED = ["Plan", "PlanLimit", "Tenant", "Override", "Cap"]
BATCH = 500


def _keep_what_is_there(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Versions begin now: with all that is there."""
    using, now = schema_editor.connection.alias, timezone.now().replace(microsecond=0)
    for name in VERSIONED:
        model: Any = apps.get_model("quotas", name)
        versions: Any = apps.get_model("quotas", f"Historical{name}").objects.using(using)
        known = {field.attname for field in versions.model._meta.concrete_fields}  # noqa: SLF001 - Django's documented name
        columns = [field.attname for field in model._meta.concrete_fields]  # noqa: SLF001 - the same
        made = []
        for row in model.objects.using(using).iterator(chunk_size=BATCH):
            values = {column: getattr(row, column) for column in columns if column in known}
            made.append(
                versions.model(
                    history_date=now,
                    history_type="+",
                    history_change_reason="versions begin",
                    **values,
                )
            )
            if len(made) == BATCH:
                versions.bulk_create(made)
                made = []
        versions.bulk_create(made)


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0019_versions"),
    ]

    operations = [
        migrations.RunPython(_keep_what_is_there, migrations.RunPython.noop),
    ]
