"""What an alert says, and to whom: the managers of its tenant, and the tenant's webhook."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from django.urls import NoReverseMatch, reverse
from django.utils import translation
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from quotas.conf import conf
from quotas.domain.alerts import PERCENT, PROJECTED, DeliveryState, Failure
from quotas.domain.webhooks import signed
from quotas.domain.words import EVERY_SCOPE
from quotas.services.managers import addresses_of, mail_each
from quotas.services.policy import zone_of
from quotas.services.webhooks import NotDelivered, post

if TYPE_CHECKING:
    from datetime import datetime

    from quotas.models import Alert, AlertSettings

EVENT = "usage.threshold_reached"


def email(alert: Alert) -> DeliveryState:
    """Send it to each of the tenant's managers, unless it is turned off or none has an address.

    In the language of the site. Raises what the mail backend does, and `NotDelivered` when some of
    them were told.
    """
    settings = _settings(alert)
    if settings is not None and not settings.email:
        return DeliveryState.NONE
    addresses = addresses_of(alert.tenant_id)
    if not addresses:
        return DeliveryState.NOBODY
    errors = mail_each(alert, sentence(alert), text(alert), addresses)
    if errors and alert.email_told:
        raise NotDelivered(Failure.SOME, str(errors[0])) from errors[0]
    if errors:
        raise errors[0]
    return DeliveryState.DONE


def webhook(alert: Alert) -> DeliveryState:
    """Post it, signed, to the tenant's address, if there is one. Raises `NotDelivered`."""
    settings = _settings(alert)
    if settings is None or not settings.webhook_url:
        return DeliveryState.NONE
    if not settings.webhook_secret:
        raise NotDelivered(Failure.UNSIGNED)
    content = {"type": EVENT, "timestamp": alert.raised_at.isoformat(), "data": data(alert)}
    body = json.dumps(content, ensure_ascii=False).encode()
    headers = signed(
        secret=settings.webhook_secret,
        reference=f"msg_{alert.reference.hex}",
        at=int(time.time()),
        body=body,
    )
    named = {"Content-Type": "application/json", "User-Agent": "django-tenant-quotas"}
    post(settings.webhook_url, named | headers, body)
    return DeliveryState.DONE


def data(alert: Alert) -> dict[str, Any]:
    """What an alert says, as JSON takes it: instants are ISO 8601 in the tenant's zone."""
    zone = zone_of(alert.tenant.time_zone)
    return {
        "tenant": alert.tenant.key,
        "scope": alert.scope,
        "name": alert.name,
        "title": alert.limit_title,
        "threshold": alert.threshold,
        "used": alert.used,
        "amount": alert.amount,
        "period_start": alert.period_start.astimezone(zone).isoformat(),
        "period_end": alert.period_end.astimezone(zone).isoformat(),
        "raised_at": alert.raised_at.astimezone(zone).isoformat(),
    }


def sentence(alert: Alert) -> str:
    """Which limit of which tenant came to which threshold, in one sentence and one line."""
    said = _said(alert) % {
        "tenant": alert.tenant.name,
        "limit": _limit(alert),
        "percent": alert.threshold,
    }
    return " ".join(said.split())  # whatever the tenant is called


def _said(alert: Alert) -> str:
    if alert.threshold == PROJECTED:
        return _(
            "%(tenant)s: %(limit)s will be used up before its period ends, if calls go on as so "
            "far."
        )
    if alert.threshold == str(PERCENT):
        return _(
            "%(tenant)s: %(limit)s has come to %(percent)s %%: calls that do not fit are denied "
            "until it has room again."
        )
    return _(
        "%(tenant)s: %(limit)s has come to %(percent)s %%: calls are denied once all of it is used."
    )


def _limit(alert: Alert) -> str:
    values = {"title": alert.limit_title, "scope": alert.scope, "name": alert.name}
    if alert.scope == EVERY_SCOPE:
        return _("the limit “%(title)s” (%(name)s, all scopes together)") % values
    return _("the limit “%(title)s” (%(scope)s/%(name)s)") % values


def text(alert: Alert) -> str:
    """The e-mail's own text, with a link where the site says where it is."""
    zone = zone_of(alert.tenant.time_zone)
    lines = [
        sentence(alert),
        "",
        _("%(used)s of %(amount)s units were used when this was noticed.")
        % {"used": _number(alert.used), "amount": _number(alert.amount)},
        _("Period: %(start)s to %(end)s (%(zone)s).")
        % {
            "start": _instant(alert.period_start.astimezone(zone)),
            "end": _instant(alert.period_end.astimezone(zone)),
            "zone": zone.key,
        },
    ]
    if link := _link(alert):
        lines += ["", _("Usage, and whether you get these e-mails: %(link)s") % {"link": link}]
    return "\n".join(lines) + "\n"


def _link(alert: Alert) -> str:
    """Where the tenant's alerts are; blank when the site does not say, or has no such page."""
    if not conf.site_url:
        return ""
    try:
        return conf.site_url.rstrip("/") + reverse("quotas:alerts", args=[alert.tenant.key])
    except NoReverseMatch:
        return ""


def _settings(alert: Alert) -> AlertSettings | None:
    return getattr(alert.tenant, "alert_settings", None)


def _number(value: int) -> str:
    return str(number_format(value, force_grouping=True))


def _instant(when: datetime) -> str:
    return str(date_format(when, translation.pgettext("date format", "j M Y, H:i")))
