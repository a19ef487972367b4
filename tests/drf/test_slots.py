"""A slot is held while its response lasts, and freed when it has ended, however it ends."""

from __future__ import annotations

import io
from contextlib import suppress

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client, RequestFactory
from django.utils.datastructures import MultiValueDict

from quotas.drf.slots import free_when_ended
from quotas.engine import limiter
from tests.drf import urls
from tests.drf.calling import call, calls, statuses
from tests.drf.urls import Plain

pytestmark = pytest.mark.urls("tests.drf.urls")

PATHS = [f"/{view.__name__.lower()}/" for view in urls.VIEWS]
SYNC_PATHS = [path for path in PATHS if path != "/streamedasync/"]


@pytest.fixture(autouse=True)
def without_database():
    """The handlers would look after connections that these tests do not have."""
    signals = (request_started, request_finished)
    for each in signals:
        each.disconnect(close_old_connections)
    yield
    for each in signals:
        each.connect(close_old_connections)


@pytest.fixture
def freed(monkeypatch):
    """What was given back, one entry a call."""
    found = []
    real = limiter.give_back

    def give_back(places, subjects, slot):
        found.append(slot)
        return real(places, subjects, slot)

    monkeypatch.setattr(limiter, "give_back", give_back)
    return found


def wsgi(path):
    """The status and the response of the WSGI application, before anything of it is read."""
    started = []
    environ = RequestFactory().get(path).environ
    response = WSGIHandler()(environ, lambda *start: started.append(start))
    return int(started[0][0].split()[0]), response


def read(response):
    with suppress(RuntimeError):
        b"".join(response)
    response.close()


def application_on(path):
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b""}
    scope |= {"client": ("127.0.0.1", 4321), "headers": [(b"host", b"testserver")]}
    return ApplicationCommunicator(ASGIHandler(), scope)


async def asgi(path):
    """The status that the ASGI application sends; it has ended its response then."""
    application = application_on(path)
    await application.send_input({"type": "http.request", "body": b""})
    status = (await application.receive_output())["status"]
    while (await application.receive_output()).get("more_body"):
        pass
    await application.wait()
    return status


@pytest.mark.parametrize("path", SYNC_PATHS)
def test_over_wsgi_the_slot_is_held_until_the_response_is_closed(path, freed, caplog):
    _, response = wsgi(path)
    status, denied = wsgi("/plain/")
    denied.close()
    read(response)
    after, last = wsgi("/plain/")
    last.close()

    assert (429, 200) == (status, after)
    assert 2 == len(freed) == len(set(freed))


@pytest.mark.parametrize("path", ["/streamed/", "/streambroken/", "/file/"])
def test_a_client_that_leaves_in_the_middle_frees_the_slot(path, freed):
    _, response = wsgi(path)
    next(iter(response))
    response.close()

    assert 1 == len(freed)
    assert 200 == call(Plain).status_code


def test_a_response_closed_twice_frees_once(freed):
    _, response = wsgi("/streamed/")
    response.close()
    response.close()

    assert 1 == len(freed)


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume synchronous iterators")
@pytest.mark.parametrize("path", [path for path in PATHS if path != "/streambroken/"])
def test_over_asgi_the_slot_is_freed_when_the_response_has_ended(path, freed, caplog):
    first, second = async_to_sync(asgi)(path), async_to_sync(asgi)("/plain/")

    assert first == {"/broken/": 500, "/unrendered/": 500, "/refused/": 404}.get(path, 200)
    assert 200 == second
    assert 2 == len(freed) == len(set(freed))


def test_over_asgi_a_client_that_leaves_in_the_middle_frees_the_slot(freed):
    async def leave():
        application = application_on("/endless/")
        await application.send_input({"type": "http.request", "body": b""})
        started = [await application.receive_output() for _ in range(2)]
        await application.send_input({"type": "http.disconnect"})
        await application.wait()
        return started

    assert b"more" == async_to_sync(leave)()[1]["body"]
    assert 1 == len(freed)


@pytest.mark.parametrize("path", SYNC_PATHS)
def test_djangos_test_client_frees_slots(path, freed, caplog):
    client = Client(raise_request_exception=False)

    response = client.get(path)
    with suppress(RuntimeError):
        b"".join(response)

    assert 200 == client.get("/plain/").status_code
    assert 2 == len(freed)


def test_a_denied_request_holds_and_frees_nothing(freed):
    calls(1, Plain)

    client = Client()
    assert [429] * 3 == statuses([client.get("/plain/") for _ in range(3)])
    assert [] == freed


def test_a_full_limit_says_to_try_again_in_a_second():
    _, denied = calls(2, Plain)

    assert "1" == denied.headers["Retry-After"]


def test_a_slot_whose_response_never_ends_is_freed_by_its_lease(clock):
    call(Plain)  # without a server, nobody closes the response
    clock.tick(59.9)
    early = call(Plain)
    clock.tick(0.1)

    assert [429, 200] == statuses([early, call(Plain)])


def test_what_giving_back_raises_is_logged_and_the_request_is_closed(caplog):
    request = RequestFactory().get("/")
    body = io.BytesIO(b"")
    request._files = MultiValueDict({"file": [body]})
    freed = []

    def give_back():
        freed.append(1)
        raise ValueError("no")

    free_when_ended(request, give_back)
    request.close()
    request.close()

    assert [1] == freed
    assert body.closed
    assert "their lease will free them" in caplog.text
