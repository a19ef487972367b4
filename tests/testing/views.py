"""One view with a drop-in, and one that asks plans; both of scope ``api``."""

from __future__ import annotations

from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from quotas.drf import PlanThrottle, SimpleRateThrottle, TokenBucketThrottle


class ApiThrottle(SimpleRateThrottle):
    scope = "api"

    def get_cache_key(self, request, view):
        return "everybody"

    def get_rate(self):
        return self.THROTTLE_RATES.get("api", "100/minute")


class Dropped(APIView):
    authentication_classes = []
    permission_classes = []
    throttle_classes = [ApiThrottle]

    def get(self, request):
        return Response({})


class Planned(Dropped):
    throttle_scope = "api"
    throttle_classes = [PlanThrottle]


class Coded(Dropped):
    throttle_scope = "api"
    throttle_classes = [TokenBucketThrottle.of("100/minute", name="minute")]


def responses(times, view=Dropped):
    return [view.as_view()(APIRequestFactory().get("/")) for _ in range(times)]


def statuses(times, view=Dropped):
    return [response.status_code for response in responses(times, view)]
