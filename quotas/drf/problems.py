"""An exception handler that answers refusals of ours with a problem body (RFC 9457).

Name it in the settings: ``REST_FRAMEWORK = {"EXCEPTION_HANDLER": "quotas.drf.exception_handler"}``.
All else goes on to DRF's own handler, the denials of other throttles included.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from rest_framework import views
from rest_framework.exceptions import APIException, Throttled
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from quotas.domain.decisions import Decision, Verdict
from quotas.domain.denials import Denial
from quotas.domain.policy_names import shown
from quotas.domain.words import QUOTA_EXCEEDED, QUOTA_EXCEEDED_TITLE, Code
from quotas.drf.evaluations import decision_on, denial_on
from quotas.drf.refusals import LimiterUnavailable, RequestRefused
from quotas.services.denials import decision_id


class ProblemRenderer(JSONRenderer):
    """JSON under its name for problems."""

    media_type = "application/problem+json"
    format = "problem"


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """The response to an exception, as DRF's EXCEPTION_HANDLER.

    Refusals of ours become a problem in JSON, whatever else the client would accept; where the view
    answers in HTML, as the browsable API does, the same members in that.
    """
    problem = _problem(exc, context)
    response: Response | None = views.exception_handler(exc, context)
    if problem is None or response is None:
        return response
    response.data = problem
    request = context.get("request")
    renderer = getattr(request, "accepted_renderer", None)
    if request is not None and not _is_html(renderer):
        request.accepted_renderer = ProblemRenderer()
        request.accepted_media_type = ProblemRenderer.media_type
    return response


def _is_html(renderer: object) -> bool:
    return str(getattr(renderer, "media_type", "")).startswith("text/html")


def _problem(exc: Exception, context: dict[str, Any]) -> dict[str, Any] | None:
    if isinstance(exc, RequestRefused | LimiterUnavailable):
        return _plain(exc)
    if not isinstance(exc, Throttled):
        return None
    request = context.get("request")
    decision = decision_on(request)
    # Denied by another's throttle, which ours had let through: its answer is its own.
    if decision is None or decision.longest is None:
        return None
    return _exceeded(decision, denial_on(request))


def _plain(exc: APIException) -> dict[str, Any]:
    return {
        "type": "about:blank",
        "title": HTTPStatus(exc.status_code).phrase,
        "status": exc.status_code,
        "detail": str(exc.detail),
        "code": exc.default_code,
    }


def _exceeded(decision: Decision, denial: Denial | None) -> dict[str, Any]:
    """Of several limits that deny, code and detail speak of the one with the longest wait.

    ``instance`` leads to the page of what was denied to a tenant.
    """
    seconds = decision.retry_after_seconds
    name, longest = next(each for each in shown(decision) if each[1] is decision.longest)
    return {
        "type": QUOTA_EXCEEDED,
        "title": QUOTA_EXCEEDED_TITLE,
        "status": HTTPStatus.TOO_MANY_REQUESTS.value,
        "detail": _detail(_reason(name, longest), seconds),
        **_instance(denial),
        "violated-policies": [name for name, verdict in shown(decision) if verdict.denies],
        "retry_after": seconds,
        "code": longest.code.value,
    }


def _instance(denial: Denial | None) -> dict[str, str]:
    """Nothing without a tenant, and where a project has no pages for tenants."""
    if denial is None:
        return {}
    try:
        return {"instance": reverse("quotas:decision", args=[decision_id(denial)])}
    except NoReverseMatch:
        return {}


def _reason(name: str, verdict: Verdict) -> str:
    said = {
        "name": verdict.limit.title or name,
        "cost": verdict.cost,
        "most": verdict.limit.rule.amount,
    }
    if verdict.code is Code.COST_ABOVE_CAPACITY:
        return _("This request costs %(cost)d, more than “%(name)s” ever admits at once.") % said
    if verdict.code is Code.TOO_MANY_IN_FLIGHT:
        return _("All places of “%(name)s” are taken (%(most)d at once).") % said
    if not verdict.limit.rule.amount:
        return _("“%(name)s” admits no requests.") % said
    return _("“%(name)s” has too little left for this request.") % said


def _detail(reason: str, seconds: int | None) -> str:
    """Why, and when to try again where that helps."""
    if seconds is None:
        return reason
    advice = ngettext("Try again in %(n)d second.", "Try again in %(n)d seconds.", seconds)
    both = pgettext("two sentences", "%(first)s %(second)s")
    return both % {"first": reason, "second": advice % {"n": seconds}}
