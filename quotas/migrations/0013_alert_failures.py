from __future__ import annotations

from django.db import migrations, models
from django.db.migrations.operations.base import Operation

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
    ("other", "It could not be sent."),
]
CODES = ["", *(code for code, _label in FAILURES)]


def _kept_apart(channel: str, named: str) -> list[Operation]:
    return [
        migrations.RenameField("alert", f"{channel}_error", f"{channel}_detail"),
        migrations.AlterField(
            model_name="alert",
            name=f"{channel}_detail",
            field=models.CharField(
                blank=True,
                help_text=(
                    "What the last failure said of itself, in its own words. Default: blank."
                ),
                max_length=200,
                verbose_name=f"detail of the failure by {named}",
            ),
        ),
        migrations.AddField(
            model_name="alert",
            name=f"{channel}_failure",
            field=models.CharField(
                blank=True,
                choices=FAILURES,
                default="",
                help_text="Why the last try failed. Default: blank.",
                max_length=10,
                verbose_name=f"failure by {named}",
            ),
            preserve_default=False,
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0012_warn_projected"),
    ]

    operations = [
        *_kept_apart("email", "e-mail"),
        *_kept_apart("webhook", "webhook"),
        migrations.AddConstraint(
            model_name="alert",
            constraint=models.CheckConstraint(
                condition=models.Q(("email_failure__in", CODES), ("webhook_failure__in", CODES)),
                name="quotas_alert_failures",
                violation_error_message="A failure must be one of the choices.",
            ),
        ),
    ]
