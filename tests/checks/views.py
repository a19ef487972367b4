"""Views for the checks, and a URLconf made of the views of one test."""

from __future__ import annotations

from types import ModuleType

from django.urls import include, path
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView


def answer(request):
    """What nobody asks for: checks look at views, and call none."""
    raise NotImplementedError  # pragma: no cover


class Open(APIView):
    """Open to everybody, without throttles."""

    permission_classes = [AllowAny]
    throttle_classes = []
    get = answer


def a_view(*throttles, name="Reports", **attributes):
    """A class of views with these throttles."""
    return type(name, (Open,), {"throttle_classes": list(throttles), **attributes})


def urlconf(*views, **options):
    """A URLconf that leads to these views, below a prefix."""
    paths = [path(f"{n}/", view.as_view(**options)) for n, view in enumerate(views)]
    return module([path("api/", include((paths, "api")))])


def module(urlpatterns):
    """A module of addresses: Django wants something that it can hash."""
    made = ModuleType("addresses")
    made.urlpatterns = urlpatterns
    return made
