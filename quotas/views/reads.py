"""What the limit on reads says to whoever reads usage as data: headers, and the body of a 429."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from rest_framework.negotiation import BaseContentNegotiation

from quotas.conf import conf
from quotas.domain.dialects import quota_headers
from quotas.domain.words import QUOTA_EXCEEDED, QUOTA_EXCEEDED_TITLE, Code
from quotas.services.reading import MOST_READS, READS, count_read
from quotas.views.wording import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rest_framework.renderers import BaseRenderer
    from rest_framework.request import Request

    from quotas.domain.decisions import Decision

PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """``headers`` of the answer, whatever it is; ``problem`` is its body when it is a 429."""

    headers: dict[str, str] = field(default_factory=dict)
    problem: dict[str, Any] | None = None

    status = HTTPStatus.TOO_MANY_REQUESTS.value


class JsonAlways(BaseContentNegotiation):
    """JSON, whatever the client would rather have: there is nothing else to choose from."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """The only renderer."""
        (only,) = renderers
        return only, only.media_type


def counted(user: Any) -> Reads:
    """Count a read of this user, found or not: what is denied is not looked up."""
    decision = count_read(user.pk)
    if decision is None:
        return Reads()
    headers = quota_headers(decision, conf.headers)
    if decision.allowed:
        return Reads(headers=headers)
    problem = _problem(decision)
    return Reads(headers=headers | {"Retry-After": str(problem["retry_after"])}, problem=problem)


def _problem(decision: Decision) -> dict[str, Any]:
    seconds = decision.retry_after_seconds or 1
    reason = _("Usage may be read %(most)d times in any minute.") % {"most": MOST_READS}
    advice = ngettext("Try again in %(n)d second.", "Try again in %(n)d seconds.", seconds)
    advice %= {"n": seconds}
    return {
        "type": QUOTA_EXCEEDED,
        "title": QUOTA_EXCEEDED_TITLE,
        "status": Reads.status,
        "detail": sentences(reason, advice),
        "violated-policies": [READS.name],
        "retry_after": seconds,
        "code": Code.QUOTA_EXCEEDED.value,
    }
