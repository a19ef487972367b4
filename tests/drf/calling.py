"""Views made for one test, and requests to them."""

from __future__ import annotations

from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate
from rest_framework.views import APIView

FACTORY = APIRequestFactory()


class Answering(APIView):
    """Answers every method that it has with 200."""

    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    renderer_classes = [JSONRenderer]

    def get(self, request, *args, **kwargs):
        return Response({"ok": True})

    def post(self, request, *args, **kwargs):
        return Response({"data": request.data})


def view_with(*throttles, name="ReportView", **attributes):
    """A class of views with these throttles."""
    return type(name, (Answering,), {"throttle_classes": list(throttles), **attributes})


def call(view, method="get", *, data=None, user=None, auth=None, **extra):
    """The rendered response of a view (or of what its `as_view` made) to one request."""
    kind = extra.pop("format", "json")
    options = {"format": kind} if kind else {}
    request = getattr(FACTORY, method)("/reports/", data, **options, **extra)
    if user is not None or auth is not None:
        force_authenticate(request, user=user, token=auth)
    answer = view.as_view() if isinstance(view, type) else view
    return answer(request).render()


def calls(times, view, *args, **kwargs):
    """The responses to so many equal requests, one after the other."""
    return [call(view, *args, **kwargs) for _ in range(times)]


def statuses(responses):
    return [each.status_code for each in responses]


def remaining(response, name):
    """What the RateLimit header says is left of the policy ``name``."""
    found = [
        item.partition(";r=")[2].partition(";")[0]
        for item in response.headers["RateLimit"].split(", ")
        if item.startswith(f'"{name}"')
    ]
    assert len(found) == 1
    return int(found[0])
