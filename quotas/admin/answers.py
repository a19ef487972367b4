"""A yes is good for what was asked: of whom, where, about what was sent, and about which rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac

from quotas.admin.seen import stored_in

PREVIEW, CONFIRMED = "_preview", "_confirmed"
"""What the buttons send that only look, and that were asked and mean it."""
LEFT_OUT = {"csrfmiddlewaretoken", PREVIEW, CONFIRMED}


def sent_with(request: HttpRequest) -> list[tuple[str, str]]:
    """What a form sends again with the answer."""
    return [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name not in LEFT_OUT
    ]


def yes_of(request: HttpRequest, rows: Iterable[Any] = ()) -> str:
    """The yes to what is asked here and now; ``rows``, as they are, are meant as well."""
    # Browsers end lines their own way.
    sent = [(name, "\n".join(value.splitlines())) for name, value in sent_with(request)]
    meant = sorted((str(row.pk), stored_in(row)) for row in rows)
    asked = [request.user.pk, request.get_full_path(), sorted(sent), meant]
    return salted_hmac(
        "quotas.admin.answers", json.dumps(asked, default=str), algorithm="sha256"
    ).hexdigest()


def is_meant(request: HttpRequest, rows: Iterable[Any] = ()) -> bool:
    """Whether a yes was sent, and to this."""
    said = request.POST.get(CONFIRMED)
    return said is not None and constant_time_compare(said, yes_of(request, rows))


def forget_unmeant(request: HttpRequest) -> None:
    """Take away a yes to something else, so that forms ask anew."""
    if CONFIRMED in request.POST and not is_meant(request):
        left: Any = request.POST.copy()
        del left[CONFIRMED]
        left._mutable = False  # noqa: SLF001 - what a request was sent stays as it is
        meant: Any = request
        meant.POST = left
