"""One evaluation of a request for all throttles of ours that its view lists.

It is kept on the DRF request: not on the `HttpRequest` underneath, which a view may hand on to
another view, and not on a throttle, which threads may share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from django.core.exceptions import BadRequest, SuspiciousOperation
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.status import is_client_error

from quotas.domain.decisions import NEVER, Decision
from quotas.domain.words import Outcome
from quotas.drf.headers import write_headers
from quotas.drf.refusals import LimiterUnavailable, refused
from quotas.drf.slots import free_when_ended
from quotas.drf.subjects import caller_of
from quotas.drf.tenants import tenant_reference
from quotas.errors import ConfigurationError, Refusal
from quotas.services.denials import denial_in
from quotas.services.enforcement import Ask, enforce

if TYPE_CHECKING:
    from rest_framework.views import APIView

    from quotas.domain.denials import Denial
    from quotas.drf.throttles import QuotaThrottle

RECORD = "_quotas_evaluations"
Question: TypeAlias = "tuple[QuotaThrottle, Ask | None, Exception | None]"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the limiter answered to the throttles of a view.

    It stands for those of the classes ``kinds``, of which ``charged`` asked for ``asks`` and the
    rest were exempt. ``unreadable`` is the client error of a body whose cost could not be read.
    ``denial`` is what was denied to a tenant.
    """

    view: object
    kinds: frozenset[type]
    charged: frozenset[type] = frozenset()
    asks: frozenset[Ask] = frozenset()
    unreadable: Exception | None = None
    decisions: tuple[Decision, ...] = ()
    denial: Denial | None = None

    def admits(self) -> bool:
        """Whether the request may go on. Raises the answers that are no denial by a limit."""
        if any(each.outcome is Outcome.DENIED_ON_OUTAGE for each in self.decisions):
            raise LimiterUnavailable
        allowed = all(each.allowed for each in self.decisions)
        if allowed and self.unreadable is not None:
            raise self.unreadable
        return allowed

    @property
    def retry_after(self) -> int | None:
        """Whole seconds of Retry-After; None: waiting does not help."""
        decision = _together(self.decisions)
        return None if decision is None else decision.retry_after_seconds


def known(kind: type, request: Request, view: APIView) -> Evaluation | None:
    """The evaluation of a request that stands for throttles of this class; None: none yet."""
    done = _record(request)
    return next((each for each in done if each.view is view and kind in each.kinds), None)


def evaluate(
    throttles: Sequence[QuotaThrottle], request: Request, view: APIView, *, alone: bool
) -> Evaluation:
    """Decide a request for these throttles together, and keep the answer on the request.

    ``alone``: the view has no throttles but ours. Raises `RequestRefused`.
    """
    done = _record(request)
    questions = [_question(each, request, view) for each in throttles]
    decisions, denial = _decide(questions, done, request, view)
    found = Evaluation(
        view=view,
        kinds=frozenset(type(each) for each, _, _ in questions),
        charged=frozenset(type(each) for each, ask, _ in questions if ask is not None),
        asks=frozenset(ask for _, ask, _ in questions if ask is not None),
        unreadable=next((error for _, ask, error in questions if ask and error), None),
        decisions=decisions,
        denial=denial,
    )
    done.append(found)
    decision = decision_on(request)
    if decision is not None:
        write_headers(view, decision, alone=alone)
    return found


def decision_on(request: object) -> Decision | None:
    """What was decided on a request, by all evaluations together; None: nothing."""
    return _together([decision for each in _record(request) for decision in each.decisions])


def denial_on(request: object) -> Denial | None:
    """What was denied to a tenant on a request; of several the one with the longest wait."""
    denials = [each.denial for each in _record(request) if each.denial is not None]
    return max(denials, key=_wait, default=None)


def _wait(denial: Denial) -> float:
    return NEVER if denial.retry_after is None else denial.retry_after


def _record(request: object) -> list[Evaluation]:
    record: list[Evaluation] = getattr(request, "__dict__", {}).setdefault(RECORD, [])
    return record


def _decide(
    questions: Sequence[Question], done: Sequence[Evaluation], request: Request, view: APIView
) -> tuple[tuple[Decision, ...], Denial | None]:
    """What the limiter says to all questions, and what it denied just now to a tenant.

    What was charged already, for another class that asks the same, is not charged again.
    """
    asks = [ask for _, ask, _ in questions if ask is not None]
    before = [each for each in done if not each.asks.isdisjoint(asks)]
    decisions = [decision for each in before for decision in each.decisions]
    fresh = [ask for ask in asks if not any(ask in each.asks for each in before)]
    denial = None
    if fresh:
        resolve = _Resolver(questions, request, view)
        caller = caller_of(request, resolve)
        try:
            answer = enforce(caller, _strictest(fresh))
        except Refusal as refusal:
            raise refused(refusal, of_tenant=resolve.found is not None) from refusal
        if answer.decision.holds_slots:
            free_when_ended(request, answer.give_back)
        decisions.append(answer.decision)
        denial = denial_in(answer, caller.operation)
    return tuple(decisions), denial


def _strictest(asks: Sequence[Ask]) -> list[Ask]:
    """The asks, and of drop-ins that count the same under two amounts only the smaller one.

    DRF keeps one history for such a pair; so does the limiter, which one amount must judge.
    """
    found: dict[object, Ask] = {}
    for ask in asks:
        limit = ask.limit if ask.counted is not None else None
        known = ask if limit is None else (limit.scope, limit.name, ask.counted)
        other = found.setdefault(known, ask)
        if _amount(ask) < _amount(other):
            found[known] = ask
    return list(found.values())


def _amount(ask: Ask) -> int:
    return (ask.limit.rule.amount or 0) if ask.limit else 0


def _question(throttle: QuotaThrottle, request: Request, view: APIView) -> Question:
    """What a throttle asks.

    Where it cannot read the body: one unit of each limit's own subject, answered by the error.
    """
    cost: int = 1
    subject: str | None = None
    error: Exception | None = None
    try:
        found = throttle.get_cost(request, view)
        if found is None:
            return throttle, None, None
        cost = found
        subject = throttle.subject_of(request, view)
    except (BadRequest, SuspiciousOperation) as raised:  # Django answers both with 400
        error = raised
    except APIException as raised:
        if not is_client_error(raised.status_code):
            raise
        error = raised
    return throttle, throttle.ask(request, view, 1 if error else cost, subject), error


class _Resolver:
    """Asks each distinct `get_tenant` of those that need a tenant; they must agree.

    ``found`` is what they last said.
    """

    def __init__(self, questions: Sequence[Question], request: Request, view: APIView) -> None:
        self.found: str | int | None = None
        self._request, self._view = request, view
        self._hooks = {
            type(each).get_tenant: each for each, ask, _ in questions if ask and ask.counted is None
        }

    def __call__(self) -> str | int | None:
        named: dict[str | int | None, str] = {}
        for throttle in self._hooks.values():
            source = f"{type(throttle).__qualname__}.get_tenant"
            tenant = throttle.get_tenant(self._request, self._view)
            named[tenant_reference(tenant, source)] = source
        if len(named) > 1:
            said = ", ".join(f"{source}: {tenant!r}" for tenant, source in named.items())
            raise ConfigurationError(
                f"The throttles of {type(self._view).__qualname__} name different tenants "
                f"({said}): one request has one tenant, give them one get_tenant."
            )
        self.found = next(iter(named), None)
        return self.found


def _together(decisions: Sequence[Decision]) -> Decision | None:
    """Several decisions on one request as one: each limit as it was last seen."""
    if len(decisions) <= 1:
        return decisions[0] if decisions else None
    latest = {(v.limit.scope, v.limit.name): v for each in decisions for v in each.verdicts}
    denied = next((each for each in decisions if not each.allowed), decisions[-1])
    return Decision(denied.outcome, tuple(latest.values()), max(each.now_us for each in decisions))
