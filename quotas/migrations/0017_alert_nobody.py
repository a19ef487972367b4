from __future__ import annotations

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import StateApps

STATES = [
    ("none", "not sent"),
    ("pending", "to be sent"),
    ("done", "sent"),
    ("failed", "given up"),
    ("nobody", "no address"),
]
NAMES = [state for state, _label in STATES]


def _state(channel: str, named: str) -> Operation:
    return migrations.AlterField(
        model_name="alert",
        name=f"{channel}_state",
        field=models.CharField(
            choices=STATES,
            default="none",
            help_text="How far it has come. Default: not sent.",
            max_length=10,
            verbose_name=named,
        ),
    )


def _to_none(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rows = apps.get_model("quotas", "Alert").objects.using(schema_editor.connection.alias)
    for channel in ("email", "webhook"):
        rows.filter(**{f"{channel}_state": "nobody"}).update(**{f"{channel}_state": "none"})


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0016_alert_titles"),
    ]

    operations = [
        migrations.RemoveConstraint("alert", "quotas_alert_states"),
        _state("email", "e-mail"),
        _state("webhook", "webhook"),
        migrations.RunPython(migrations.RunPython.noop, _to_none),
        migrations.AddConstraint(
            model_name="alert",
            constraint=models.CheckConstraint(
                condition=models.Q(("email_state__in", NAMES), ("webhook_state__in", NAMES)),
                name="quotas_alert_states",
                violation_error_message="A state must be one of the choices.",
            ),
        ),
    ]
