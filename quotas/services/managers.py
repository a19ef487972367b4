"""Mails the managers of a tenant, each by itself: one that takes no mail keeps it from no other."""

from __future__ import annotations

import socket

from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import router

from quotas.models import Alert, Membership

SERVER_IS_AWAY = (ConnectionError, TimeoutError, socket.gaierror)
"""Of what says so nobody else is tried. Errors of `smtplib` and of clients for HTTP are others."""


def mail_each(alert: Alert, subject: str, body: str, addresses: dict[str, str]) -> list[Exception]:
    """Mail whoever was not told at an earlier try, and keep who was; the errors of the others.

    ``addresses`` as `addresses_of` has them. Ends when another worker has taken the alert.
    """
    errors: list[Exception] = []
    for address, pk in addresses.items():
        if pk in alert.email_told:
            continue
        try:
            send_mail(subject, body, None, [address])
        except Exception as error:  # noqa: BLE001 - a mail backend of the project raises what it likes
            errors.append(error)
        else:
            alert.email_told.append(pk)
        if not _keep(alert) or (errors and isinstance(errors[-1], SERVER_IS_AWAY)):
            break
    return errors


def addresses_of(tenant_pk: int) -> dict[str, str]:
    """The e-mail addresses of the tenant's managers who may still log in, each once.

    Beside each whose it is, by primary key. What is no address is left out: mail would refuse it.
    """
    using = router.db_for_write(Membership)
    rows = Membership.objects.using(using).filter(tenant_id=tenant_pk, role="manager")
    found: dict[str, str] = {}
    for user in (row.user for row in rows.select_related("user").order_by("pk")):
        address = str(getattr(user, user.get_email_field_name(), "") or "").strip()
        if user.is_active and _is_address(address):
            found.setdefault(address, str(user.pk))
    return found


def _is_address(text: str) -> bool:
    """Whether mail can go to it. A host's name without a dot is one within a company."""
    try:
        validate_email(text if "." in text.rpartition("@")[2] else f"{text}.example")
    except ValidationError:
        return False
    return True


def _keep(alert: Alert) -> bool:
    """Keep who was told, unless another worker has claimed the alert: then it is false."""
    mine = {"pk": alert.pk, "email_claimed_until": alert.email_claimed_until}
    rows = Alert.objects.using(router.db_for_write(Alert)).filter(**mine)
    return rows.update(email_told=alert.email_told) == 1
