from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys

import pytest

from tests.project.running import Demo, answers, needs_server, runs, wait_for

pytestmark = needs_server

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def start(tmp_path):
    demos = []

    def started(**options):
        demos.append(Demo(tmp_path, **options))
        return demos[-1]

    yield started
    for each in demos:
        each.close()


def nothing_is_left_of(demo, ports):
    return not any(map(answers, ports)) and not list(demo.temporary.iterdir())


@linux
@pytest.mark.parametrize(
    ("number", "of"),
    [
        pytest.param(signal.SIGINT, "terminal", id="ctrl-c"),
        pytest.param(signal.SIGHUP, "terminal", id="terminal-closed"),
        pytest.param(signal.SIGINT, "make", id="int-to-make"),
        pytest.param(signal.SIGTERM, "make", id="term-to-make"),
        pytest.param(signal.SIGHUP, "make", id="hup-to-make"),
        pytest.param(signal.SIGKILL, "make", id="make-killed"),
        pytest.param(signal.SIGINT, "supervisor", id="int-to-supervisor"),
        pytest.param(signal.SIGTERM, "supervisor", id="term-to-supervisor"),
        pytest.param(signal.SIGHUP, "supervisor", id="hup-to-supervisor"),
        pytest.param(signal.SIGKILL, "supervisor", id="supervisor-killed"),
    ],
)
def test_however_the_demo_ends_nothing_is_left_running(start, number, of):
    demo = start().until("Ctrl-C ends it")
    ports = demo.ports()
    assert all(map(answers, ports))

    demo.kill(number, of=of)

    wait_for(lambda: nothing_is_left_of(demo, ports))


@linux
def test_it_can_be_stopped_before_it_is_ready(start):
    demo = start(prepare="import time; print('busy', flush=True); time.sleep(60)").until("busy")

    demo.kill(signal.SIGTERM, of="supervisor")

    assert "nothing of it is running" in demo.output
    assert not list(demo.temporary.iterdir())


@linux
def test_nohup_keeps_it_running_when_the_terminal_closes(start):
    demo = start(nohup=True).until("Ctrl-C ends it")

    with pytest.raises(subprocess.TimeoutExpired):
        demo.kill(signal.SIGHUP, of="supervisor", seconds=1)

    assert all(map(answers, demo.ports()))


def test_it_prints_addresses_logins_tokens_and_calls(start):
    demo = start().until("Ctrl-C ends it")

    web, _ = demo.ports()
    for text in [
        f"Front page    http://127.0.0.1:{web}/\n",
        f"http://127.0.0.1:{web}/quotas/",
        f"http://127.0.0.1:{web}/admin/",
        "staff/staff (admin)  acme/acme  bolt/bolt  cyan/cyan",
        "demo-acme (plan free)  demo-bolt (plan pro)  demo-cyan (plan scale)",
        f"curl -i -H 'Authorization: Token demo-acme' http://127.0.0.1:{web}/api/reports/",
        "for i in 1 2 3 4 5 6 7 8 9 10; do curl",
        f"""-d '{{"items": [1, 2, 3]}}' http://127.0.0.1:{web}/api/batches/""",
    ]:
        assert text in demo.output


def test_a_busy_port_is_said_in_one_line(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        demo = start(port=str(port))
        demo.make.wait(30)

    first, *others = demo.output.splitlines()
    assert first.startswith(f"Port {port}: Address already in use. Take another, as in make demo")
    assert all(line.startswith("make: ") for line in others)


@pytest.mark.parametrize("port", ["abc", "65536", "-1", "²"])
def test_a_port_that_is_none_is_said_in_one_line(start, port):
    demo = start(port=port)
    demo.make.wait(30)

    assert f"PORT is {port!r}: give a number up to 65535" in demo.output
    assert "Traceback" not in demo.output


def test_a_step_that_fails_ends_the_demo(start):
    demo = start(prepare="raise SystemExit(3)")

    assert demo.make.wait(30) != 0
    assert "ended with 3, see above." in demo.output
    assert not list(demo.temporary.iterdir())


@linux
@pytest.mark.parametrize(
    ("number", "of"),
    [
        pytest.param(signal.SIGINT, "terminal", id="ctrl-c"),
        pytest.param(signal.SIGKILL, "supervisor", id="supervisor-killed"),
    ],
)
def test_what_runs_beside_the_server_ends_with_it(start, number, of):
    waits = "import os, time; print('beside', os.getpid(), flush=True); time.sleep(600)"
    demo = start(beside=[waits]).until("beside ")
    pid = re.search(r"^beside (\d+)$", demo.output, re.MULTILINE)[1]
    assert runs(pid)

    demo.kill(number, of=of)

    wait_for(lambda: not runs(pid))


def test_the_demo_ends_when_what_runs_beside_the_server_does(start):
    demo = start(beside=["raise SystemExit(3)"])

    assert demo.make.wait(30)
    assert "ended with 3, see above." in demo.output


def test_a_given_redis_is_used_and_its_password_is_not_printed(start):
    demo = start(REDIS_URL="redis://:hunter2@192.0.2.1:6379/4").until("Ctrl-C ends it")

    assert "redis://192.0.2.1:6379/4\n" in demo.output
    assert "hunter2" not in demo.output
    assert not list(demo.temporary.iterdir())


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "redis://:hunter2@127.0.0.1:hunter2/0"])
def test_a_given_redis_that_gives_no_answer_is_told_in_the_banner(start, url):
    demo = start(REDIS_URL=url).until("Ctrl-C ends it")

    assert "Warning: that Redis gives no answer" in demo.output
    assert "outage policy" in demo.output


def test_a_given_redis_that_answers_is_not_told_of(start, redis_url):
    demo = start(REDIS_URL=redis_url).until("Ctrl-C ends it")

    assert "Warning" not in demo.output


@pytest.mark.parametrize(
    ("url", "told"),
    [
        pytest.param("oracle://ada:hunter2@192.0.2.1/x", "'oracledb'", id="no-driver"),
        pytest.param("mysql://ada:hunter2@192.0.2.1/x", "MySQLdb module.", id="no-driver-djangos"),
        pytest.param("nothing://192.0.2.1/x", "no database has such a scheme", id="no-scheme"),
        pytest.param("postgres://ada@192.0.2.1:hunter2/x", "it cannot be read", id="no-port"),
    ],
)
def test_a_given_database_that_cannot_be_used_is_said_in_one_line(start, url, told):
    demo = start(DATABASE_URL=url)
    demo.make.wait(30)

    first, *others = demo.output.splitlines()
    assert first.startswith("DATABASE_URL: ")
    assert told in first
    assert "hunter2" not in first
    assert all(line.startswith("make: ") for line in others)


def test_a_given_database_that_can_be_used_is(start, tmp_path):
    demo = start(DATABASE_URL=f"sqlite:///{tmp_path}/db.sqlite3").until("Ctrl-C ends it")

    assert "DATABASE_URL" not in demo.output
