"""What all our throttles share: DRF's contract, and one decision for all of them on a request."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import import_string
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from quotas.conf import conf
from quotas.drf.evaluations import Evaluation, evaluate, known
from quotas.drf.headers import forbid_storing
from quotas.drf.refusals import RequestRefused
from quotas.drf.subjects import client_address
from quotas.models import Tenant
from quotas.services.enforcement import Ask
from quotas.services.routes import dotted_path
from quotas.services.scopes import by_limit

if TYPE_CHECKING:  # a project may name our throttles in the settings that APIView reads in its body
    from rest_framework.views import APIView

# DRF asks `wait()` right after `allow_request`, and says neither request nor view. Threads may
# share a throttle, so that what it answered is kept in the context of the request, not on it.
_wait: ContextVar[int | None] = ContextVar("quotas_wait", default=None)


class QuotaThrottle(BaseThrottle):
    """A throttle that is decided together with all others of ours that the view lists.

    The first that DRF asks decides for all: one evaluation and one charge a request. A subclass
    that overrides `allow_request` is decided apart, when it asks.
    """

    scope: str | None = None

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Whether the request may go on.

        Raises 503 in an outage that denies, 403 when the plan or the tenant refuses, and the
        client error of a body that `get_cost` could not read.
        """
        _wait.set(None)
        if not conf.enabled or _is_exempt(request):
            return True
        try:
            evaluation = known(type(self), request, view) or self._evaluate(request, view)
        except RequestRefused:
            forbid_storing(view)
            raise
        if type(self) not in evaluation.charged or evaluation.admits():
            return True
        _wait.set(evaluation.retry_after)
        return False

    def wait(self) -> int | None:
        """Whole seconds until the request just denied fits; None: waiting does not help."""
        return _wait.get()

    def ask(self, request: Request, view: APIView, cost: int, subject: str | None) -> Ask | None:
        """What this throttle asks of the limiter; None: nothing, the request is exempt.

        ``subject`` is what `get_subject` said.
        """
        raise NotImplementedError(f"{type(self).__qualname__} must say what it asks.")

    def get_tenant(self, request: Request, view: APIView) -> Tenant | str | int | None:
        """The tenant that pays: a `Tenant`, its key, its primary key; None: no tenant.

        By default what ``QUOTAS_TENANT_RESOLVER`` says. Never take a client's word for it.
        """
        resolve = import_string(conf.tenant_resolver)
        tenant: Tenant | str | int | None = resolve(request, view)
        return tenant

    @by_limit
    def get_subject(self, request: Request, view: APIView) -> str | int | None:
        """What is counted in place of each limit's own subject; None: that subject.

        It is counted inside the tenant, such as a project's key; only its digest is stored.
        """
        return None

    def get_cost(self, request: Request, view: APIView) -> int | None:
        """Units that the request costs; None exempts it from this throttle.

        A client error raised here, such as that of a body that cannot be parsed, is answered after
        a charge of 1.
        """
        return 1

    def get_ident(self, request: Request) -> Any:
        """The client's address as `quotas.drf.subjects` reads it; None when there is none."""
        return client_address(request)

    def subject_of(self, request: Request, view: APIView) -> str | None:
        """`get_subject` as the limiter takes it."""
        subject = self.get_subject(request, view)
        return None if subject is None else str(subject)

    def _evaluate(self, request: Request, view: APIView) -> Evaluation:
        listed = list(view.get_throttles()) if hasattr(view, "get_throttles") else []
        ours = [each for each in listed if isinstance(each, QuotaThrottle)]
        together = [each for each in ours if not is_decided_apart(type(each))]
        if type(self) not in {type(each) for each in together}:
            # Not listed; or listed, by a get_throttles that makes its classes anew.
            path = dotted_path(type(self))
            anew = any(dotted_path(type(each)) == path for each in together)
            together = [*together, self] if anew else [self]
        return evaluate(together, request, view, alone=len(ours) == len(listed))


def is_decided_apart(kind: type[QuotaThrottle]) -> bool:
    """Whether a class overrides `allow_request`, so that no other throttle can ask for it.

    What it decides there is respected, at the price of an evaluation and a charge of its own:
    `get_cost` and, for drop-ins, `get_cache_key` exempt a request without that.
    """
    return kind.allow_request is not QuotaThrottle.allow_request


def _is_exempt(request: Request) -> bool:
    return getattr(request, "method", None) == "OPTIONS" and not conf.count_options
