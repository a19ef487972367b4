"""A server for each worker, an empty one for each test, and the fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from hypothesis import settings as hypothesis_settings

from project.tether import Tether
from project.valkey import NoServer
from quotas.testing import forget
from tests import START_US
from tests.servers import PrivateServer, WorkerServer

pytest_plugins = ["tests.browser.leaving_out"]

TETHER = pytest.StashKey[Tether]()
SERVER = pytest.StashKey[WorkerServer]()

# Two busy cores make no promise about a single example's time.
hypothesis_settings.register_profile("quotas", deadline=None, print_blob=True)
hypothesis_settings.load_profile("quotas")


def pytest_configure(config: pytest.Config) -> None:
    """Start the server of a process that runs tests, and aim the ``quotas`` cache at it."""
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        return  # the controller of several workers runs none itself
    tether = config.stash[TETHER] = Tether()
    server = config.stash[SERVER] = WorkerServer(tether, int(worker.removeprefix("gw")))
    django_settings.CACHES["quotas"]["LOCATION"] = server.url


def pytest_unconfigure(config: pytest.Config) -> None:
    forget()  # what the last test counted is added to no server
    if SERVER in config.stash:
        config.stash[SERVER].close()
    if TETHER in config.stash:
        config.stash[TETHER].close()


@pytest.fixture(autouse=True)
def _isolation(request):
    """Nothing that another test counted, cached or learned is left."""
    request.config.stash[SERVER].flush()
    cache.clear()
    forget()


@pytest.fixture
def redis_url(request) -> str:
    """Where the ``quotas`` cache of this worker is."""
    return request.config.stash[SERVER].url


@pytest.fixture
def private_server(request, settings) -> Iterator[PrivateServer]:
    """A running server of the test's own, at which the ``quotas`` cache is aimed meanwhile."""
    try:
        server = PrivateServer(request.config.stash[TETHER])
    except NoServer as error:  # only REDIS_URL, which is not ours to break
        pytest.skip(str(error))
    server.start()
    quotas = settings.CACHES["quotas"] | {"LOCATION": server.url}
    settings.CACHES = settings.CACHES | {"quotas": quotas}
    yield server
    server.stop()


@pytest.fixture
def now() -> int:
    """An instant to count from, in microseconds."""
    return START_US
