"""The pages where a project would put them, and one view whose plan they show."""

from __future__ import annotations

from django.urls import include, path
from rest_framework.authentication import SessionAuthentication
from rest_framework.response import Response
from rest_framework.views import APIView

from quotas.drf import PlanThrottle


class CostThrottle(PlanThrottle):
    scope = "reports"

    def get_cost(self, request, view):
        return int(request.query_params.get("cost", 1))


class ReportView(APIView):
    authentication_classes = [SessionAuthentication]
    throttle_classes = [CostThrottle]

    def get(self, request):
        return Response({})


urlpatterns = [
    path("reports/", ReportView.as_view()),
    path("quotas/", include("quotas.urls")),
]
