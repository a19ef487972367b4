"""What is called: the method and the route as the project wrote it, no text of the client's."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import include, path, re_path
from rest_framework.request import Request

from quotas.drf.subjects import caller_of, operation_of
from tests.checks.views import module
from tests.drf.calling import FACTORY, Answering

SEEN: list[str] = []


class Seen(Answering):
    def initial(self, request, *args, **kwargs):
        SEEN.append(caller_of(request, lambda: None).operation)
        super().initial(request, *args, **kwargs)


LONG = "very-" * 30
ROUTES = module(
    [
        path("", Seen.as_view()),
        path("api/reports/<int:pk>/", Seen.as_view()),
        path("api/", include([path("exports/<slug:name>/", Seen.as_view())])),
        re_path(r"^old/(?P<pk>[0-9]+)/$", Seen.as_view()),
        path("レポート/<str:name>/", Seen.as_view()),
        path(f"{LONG}/", Seen.as_view()),
        path(f"é{'長' * 50}/", Seen.as_view()),
    ]
)


@pytest.fixture(autouse=True)
def urls(settings):
    settings.ROOT_URLCONF = ROUTES
    SEEN.clear()


@pytest.mark.parametrize(
    ("method", "address", "operation"),
    [
        ("get", "/", "GET"),
        ("post", "/api/reports/4711/", "POST api/reports/<int:pk>/"),
        ("delete", "/api/exports/hush/", "DELETE api/exports/<slug:name>/"),
        ("get", "/old/4711/", "GET ^old/(?P<pk>[0-9]+)/$"),
        ("get", "/レポート/hush/", "GET レポート/<str:name>/"),
    ],
)
def test_an_operation_is_method_and_route_and_never_the_path(method, address, operation):
    getattr(Client(), method)(address)

    assert [operation] == SEEN


@pytest.mark.parametrize("address", [f"/{LONG}/", f"/é{'長' * 50}/"])
def test_an_operation_has_at_most_80_bytes_and_ends_with_a_whole_character(address):
    Client().get(address)

    [operation] = SEEN
    assert 78 <= len(operation.encode()) <= 80
    assert f"GET {address[1:]}".startswith(operation)


def test_a_method_of_the_clients_own_is_left_out():
    Client().generic("HUSH", "/api/reports/1/")

    assert ["api/reports/<int:pk>/"] == SEEN


@pytest.mark.parametrize("wrap", [Request, lambda request: request])
def test_what_was_not_routed_has_no_operation(wrap):
    assert "" == operation_of(wrap(FACTORY.get("/reports/")))
