"""The page of one denied call, reachable from the body of its 429 by the tenant alone."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView

from quotas.domain.history import Span
from quotas.domain.words import Code
from quotas.errors import BadDecisionId
from quotas.models import Membership
from quotas.services.attempt import Attempt
from quotas.services.denials import Chance, chance_of, code_of, denial_of, other_denying
from quotas.services.statement import SECOND_US, as_data
from quotas.views import wording
from quotas.views.access import Viewing, nowhere, sees_as_staff, tenants_of
from quotas.views.denials import DenialRow, denial_data
from quotas.views.pages import Private, read
from quotas.views.reads import PROBLEM, JsonAlways, counted
from quotas.views.rows import LimitFacts, Moment, moment

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from rest_framework.request import Request

    from quotas.domain.denials import Denial
    from quotas.services.statement import Statement

DAY_US = wording.DAY * SECOND_US
TONES = {
    Chance.FITS: "ok",
    Chance.WAITS: "near",
    Chance.OTHER: "near",
    Chance.NEVER: "bad",
    Chance.UNKNOWN: "bad",
}
FITS = {Chance.FITS: True, Chance.WAITS: False, Chance.OTHER: False, Chance.NEVER: False}


class DecisionPage(Private):
    """What was denied and why, how the limit stands now, and what to do next.

    Whoever may not see the tenant, and whoever made an id up, finds nothing. Looking consumes
    nothing.
    """

    template_name = "quotas/decision.html"

    def get(self, request: HttpRequest, decision: str) -> HttpResponse:
        denial, seen = seen_denial(request.user, decision)
        statement = read(seen)
        context = {"tenant": statement.usage.tenant, "denial": DecisionView(denial, statement)}
        return TemplateResponse(request, self.template_name, context)


@method_decorator(cache_control(private=True, no_store=True), name="dispatch")
class DecisionData(APIView):
    """The same as JSON, authenticated as the project's API is.

    It asks no throttle; a read as those of the usage are: one limit counts both.
    """

    permission_classes = [IsAuthenticated]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = JsonAlways
    throttle_classes = []
    http_method_names = ["get", "head", "options"]

    def get(self, request: Request, decision: str) -> Response:
        """The denied call, and the limit that denied it as it is now."""
        with Attempt():
            reads = counted(request.user)
            self.headers.update(reads.headers)  # of whatever is answered, a 404 too
            if reads.problem is not None:
                return Response(reads.problem, reads.status, content_type=PROBLEM)
            denial, seen = seen_denial(request.user, decision)
            statement = read(seen)
        return Response(decision_data(DecisionView(denial, statement), reasons=seen.staff))


def seen_denial(user: Any, decision: str) -> tuple[Denial, Viewing]:
    """The denial of this id and somebody's right to look at it.

    Raises `Http404`, alike for what is no id and for what is not theirs.
    """
    try:
        denial = denial_of(decision)
    except BadDecisionId as error:
        raise nowhere() from error
    return denial, _viewing(user, denial.tenant_pk)


def _viewing(user: Any, tenant_pk: int) -> Viewing:
    if not tenants_of(user).filter(pk=tenant_pk).exists():
        raise nowhere()
    staff = sees_as_staff(user, tenant_pk)
    own = Membership.objects.filter(user_id=user.pk, tenant_id=tenant_pk)
    member_pk = user.pk if not staff or own.exists() else None
    return Viewing(tenant_pk=tenant_pk, member_pk=member_pk, staff=staff)


class DecisionView(DenialRow):
    """A denied call with how its limit stands now: what the page shows besides a row's."""

    def __init__(self, denial: Denial, statement: Statement) -> None:
        super().__init__(denial, statement)
        self.statement = statement
        self.suspended = statement.usage.tenant.suspended
        self.chance = chance_of(denial, statement)
        self.tone = "bad" if self.suspended else TONES.get(self.chance, "plain")
        self.code = code_of(denial, self.limit)

    @property
    def at_utc(self) -> Moment | None:
        """When it was denied in UTC; None where that is the tenant's own zone."""
        return None if self.statement.zone.key == "UTC" else moment(self.when.astimezone(UTC))

    @property
    def facts(self) -> LimitFacts | None:
        """The limit as it is now; None when the plan has it no more."""
        if self.limit is None:
            return None
        return LimitFacts(self.limit, self.statement)

    @property
    def standing(self) -> str:
        """Whether a call of the same cost would fit now, in a sentence."""
        if self.suspended:
            return _("This tenant is suspended: every call is refused, whatever its limits say.")
        said = {
            Chance.FITS: _("A call that costs %(cost)s would fit now."),
            Chance.WAITS: _("A call that costs %(cost)s would not fit yet."),
            Chance.OTHER: _(
                "A call that costs %(cost)s would fit this limit now, but not “%(other)s”."
            ),
            Chance.NEVER: _("A call that costs %(cost)s never fits this limit, however long."),
            Chance.APART: _(
                "Whether it would fit now is not known: each user, credential or address is "
                "counted apart."
            ),
            Chance.GONE: _("Whether it would fit now is not known: the plan has no such limit."),
            Chance.UNKNOWN: _("Whether it would fit now is not known: the limiter is away."),
        }
        found = other_denying(self.denial, self.statement) if self.chance is Chance.OTHER else None
        other = (found.title or found.name) if found else ""
        return said[self.chance] % {"cost": self.cost, "other": other}

    @property
    def advice(self) -> str:
        """What to do next, in one sentence."""
        if self.suspended:
            return _("Ask the people who run this service.")
        known = {
            Chance.FITS: _("Send the request again."),
            Chance.OTHER: _("See on the usage page when that limit admits a call again."),
        }
        if self.chance in known:
            return known[self.chance]
        if self.code is Code.TOO_MANY_IN_FLIGHT:
            return _("Send the request again when one of those under way has ended.")
        if self.until_us is None:
            return self._without_waiting
        if self.until_us > self.statement.at_us:
            return _("Wait until Retry-After is over, then send the request again.")
        return _("Send the request again, and wait as long as Retry-After says if it is denied.")

    @property
    def _without_waiting(self) -> str:
        if self.code is Code.COST_ABOVE_CAPACITY:
            return _("Split the request into smaller ones, or ask for a higher limit.")
        return _("Ask for a higher limit: waiting does not help.")

    @property
    def usage_path(self) -> str:
        """The usage page at the time of the denial."""
        asked = {"span": Span.DAY.value}
        if self.statement.at_us - self.denial.at_us >= DAY_US:
            day = self.when.date().isoformat()
            asked = {"span": "custom", "from": day, "to": day}
        page = reverse("quotas:usage", args=[self.statement.usage.tenant.key])
        return f"{page}?{urlencode(asked)}"


def decision_data(denial: DecisionView, *, reasons: bool) -> dict[str, Any]:
    """The page as JSON takes it; ``fits_now`` is null when that is not known."""
    found = as_data(denial.statement, translation, reasons=reasons)
    limits = (*found["limits"], *found["counted_apart"])
    return {
        "tenant": found["tenant"],
        "read_at": found["read_at"],
        "outage": found["outage"],
        "denial": denial_data(denial) | {"code": denial.code.value},
        "limit": next((each for each in limits if _is_of(each, denial)), None),
        "standing": denial.chance.value,
        "fits_now": FITS.get(denial.chance),
        "advice": denial.advice,
        "usage": denial.usage_path,
    }


def _is_of(limit: dict[str, Any], denial: DecisionView) -> bool:
    own = denial.limit
    return own is not None and (limit["scope"], limit["name"]) == (own.scope, own.name)
