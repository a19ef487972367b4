from __future__ import annotations

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import StateApps

FAILURES = [
    ("unreadable", "The address cannot be read."),
    ("no_https", "The address must begin with https:// and name a host."),
    ("login", "The address must not have a user or a password in it."),
    ("inside", "The host is not on the public internet."),
    ("unsigned", "There is no secret to sign with: make a new one."),
    ("too_late", "It took too long."),
    ("no_answer", "There was no answer."),
    ("status", "The answer was not a success."),
    ("cut_off", "Each try was cut off."),
    ("some", "It could not be sent to every manager."),
    ("other", "It could not be sent."),
]
CODES = ["", *(code for code, _label in FAILURES)]


def _failure(channel: str, named: str) -> Operation:
    return migrations.AlterField(
        model_name="alert",
        name=f"{channel}_failure",
        field=models.CharField(
            blank=True,
            choices=FAILURES,
            help_text="Why the last try failed. Default: blank.",
            max_length=10,
            verbose_name=f"failure by {named}",
        ),
    )


def _to_other(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rows = apps.get_model("quotas", "Alert").objects.using(schema_editor.connection.alias)
    rows.filter(email_failure="some").update(email_failure="other")


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0024_default_since"),
    ]

    operations = [
        migrations.AddField(
            model_name="alert",
            name="email_told",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Primary keys of the users, as text, to whom it was sent. Default: [].",
                verbose_name="managers told by e-mail",
            ),
        ),
        migrations.RemoveConstraint("alert", "quotas_alert_failures"),
        _failure("email", "e-mail"),
        _failure("webhook", "webhook"),
        migrations.RunPython(migrations.RunPython.noop, _to_other),
        migrations.AddConstraint(
            model_name="alert",
            constraint=models.CheckConstraint(
                condition=models.Q(("email_failure__in", CODES), ("webhook_failure__in", CODES)),
                name="quotas_alert_failures",
                violation_error_message="A failure must be one of the choices.",
            ),
        ),
    ]
