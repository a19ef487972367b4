"""The whole demo as `make demo` runs it, met by a client that knows HTTP and nothing else."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

import pytest

from tests.project.running import HIDDEN, ROOT, wait_for


class Site:
    """A running demo."""

    def __init__(self, folder):
        kept = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        self.environment = kept | {
            "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
            "DJANGO_SETTINGS_MODULE": "project.settings",
            "DEBUG": "1",
        }
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "project.supervise", "0"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_for(lambda: "Ctrl-C ends it" in self.log.read_text() or self.process.poll())
        said = self.log.read_text()
        self.address = re.search(r"Usage pages +(http://\S+)/quotas/", said)[1]
        self.environment["REDIS_URL"] = re.search(r"Redis +(redis://\S+)", said)[1]

    def close(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)

    def command(self, *words):
        """What a command of the demo prints."""
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True
        ).stdout


class Visitor:
    """A client with a cookie jar, and perhaps a token."""

    def __init__(self, site, **headers):
        self.site, self.headers = site, headers
        self.opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))

    def open(self, path, data=None, **headers):
        """(status, headers, text), wherever redirects lead."""
        address = self.site.address + path
        request = Request(address, data, self.headers | headers)  # noqa: S310 - our own server
        try:
            answer = self.opener.open(request, timeout=30)
        except HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.headers, answer.read().decode()

    def log_in(self, name):
        """The page that the log-in leads to."""
        _, _, form = self.open("/login/")
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)[1]
        fields = {"csrfmiddlewaretoken": token, "username": name, "password": name}
        return self.open("/login/", urlencode(fields).encode())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    running = Site(tmp_path_factory.mktemp("demo"))
    yield running
    running.close()


def test_page_data_command_and_headers_tell_the_same_numbers(site):
    program = Visitor(site, Authorization="Token demo-acme")

    answers = [program.open("/api/reports/") for _ in range(10)]

    statuses = [status for status, _, _ in answers]
    assert [200] * 5 == statuses[:5]
    assert 429 in statuses
    admitted = statuses.count(200)
    left = int(re.search(r'"month";r=(\d+)', answers[-1][1]["RateLimit"])[1])
    assert 200 - admitted == left
    [of_data] = [
        each
        for each in json.loads(program.open("/quotas/acme/usage.json")[2])["limits"]
        if each["name"] == "month"
    ]
    [of_command] = [
        each
        for each in json.loads(site.command("quotas_show", "acme", "--json"))["limits"]
        if each["name"] == "month"
    ]
    _, headers, page = Visitor(site).log_in("acme")
    assert (admitted, left) == (of_data["used"], of_data["remaining"])
    assert (admitted, left) == (of_command["used"], of_command["remaining"])
    assert f"<strong>{admitted} of 200 used</strong>" in page
    assert f"{left} remaining" in page
    assert "private, no-store" == headers["Cache-Control"]


def test_the_front_page_leads_to_all_there_is(site):
    visitor = Visitor(site)

    status, _, front = visitor.open("/")

    assert 200 == status
    for link in re.findall(r'href="([^"]+)"', front):
        if link.startswith("/"):
            assert 200 == visitor.open(link)[0] or "/api/exports/" == link, link
    for word in ("demo-acme", "demo-bolt", "demo-cyan", "staff", "curl"):
        assert word in front


def test_tenants_and_staff_log_in_and_out(site):
    staff, bolt = Visitor(site), Visitor(site)

    assert "Find a tenant" in staff.log_in("staff")[2]
    assert "Bolt Parcels" in bolt.log_in("bolt")[2]
    foreign, unknown = bolt.open("/quotas/acme/"), bolt.open("/quotas/nobody/")
    assert 404 == foreign[0] == unknown[0]
    masked = r'name="csrfmiddlewaretoken" value="\w+"'
    assert re.sub(masked, "", unknown[2]) == re.sub(masked, "", foreign[2])
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', bolt.open("/quotas/")[2])[1]
    bolt.open("/logout/", urlencode({"csrfmiddlewaretoken": token}).encode())
    assert "Password" in bolt.open("/quotas/bolt/")[2]


def test_exports_in_flight_at_the_same_time_are_bounded(site):
    headers = {"Authorization": "Token demo-acme"}
    address = f"{site.address}/api/exports/?seconds=10"
    slow = Request(address, headers=headers)  # noqa: S310 - our own server

    with build_opener(ProxyHandler({})).open(slow, timeout=30) as export:
        assert b"id,title,rows\r\n" == export.readline()
        status, _, body = Visitor(site, **headers).open("/api/exports/")
        assert (429, "too_many_in_flight") == (status, json.loads(body)["code"])
    # The client has gone in the middle: the server notices at its next write.
    until = time.monotonic() + 8
    while Visitor(site, **headers).open("/api/exports/")[0] != 200:
        assert time.monotonic() < until
        time.sleep(0.1)
