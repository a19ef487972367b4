"""What a tenant chooses of its alerts, and what was raised lately."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import router

from quotas.domain.webhooks import new_secret
from quotas.models import Alert, AlertSettings
from quotas.services.messages import data
from quotas.services.webhooks import target_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LATEST = 50
CHANNELS = ("email", "webhook")


def settings_of(tenant_pk: int) -> AlertSettings:
    """What a tenant has chosen; the defaults, not saved, when it has chosen nothing."""
    using = router.db_for_write(AlertSettings)
    found = AlertSettings.objects.using(using).filter(tenant_id=tenant_pk).first()
    return found or AlertSettings(tenant_id=tenant_pk)


def choose(tenant_pk: int, *, email: bool, webhook_url: str) -> bool:
    """Keep a tenant's choice; whether it made a secret, as the first webhook does.

    Raises `NotDelivered` for an address that nothing may be posted to.
    """
    if webhook_url:
        target_of(webhook_url)
    using = router.db_for_write(AlertSettings)
    row, _ = AlertSettings.objects.using(using).update_or_create(
        tenant_id=tenant_pk, defaults={"email": email, "webhook_url": webhook_url}
    )
    # Of two at once, one makes it.
    blank = AlertSettings.objects.using(using).filter(pk=row.pk, webhook_secret="")
    return bool(webhook_url) and blank.update(webhook_secret=new_secret()) == 1


def renew_secret(tenant_pk: int) -> None:
    """Sign with another secret from the next post on."""
    AlertSettings.objects.using(router.db_for_write(AlertSettings)).update_or_create(
        tenant_id=tenant_pk, defaults={"webhook_secret": new_secret()}
    )


def latest_alerts(tenant_pk: int) -> Sequence[Alert]:
    """A tenant's latest alerts, the newest first, at most 50. One query."""
    rows = Alert.objects.filter(tenant_id=tenant_pk).select_related("tenant")
    return list(rows[:LATEST])


def alerts_data(tenant_pk: int) -> list[dict[str, Any]]:
    """The latest alerts as JSON takes them, with how far the telling of each has come."""
    return [
        data(alert)
        | {
            channel: {
                "state": getattr(alert, f"{channel}_state"),
                "attempts": getattr(alert, f"{channel}_attempts"),
            }
            for channel in CHANNELS
        }
        for alert in latest_alerts(tenant_pk)
    ]
