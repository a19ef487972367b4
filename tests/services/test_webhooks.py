"""Posts go where they were sent, and nowhere else, and end when their time is up."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import time
from threading import Event

import pytest

from quotas.services import webhooks
from quotas.services.webhooks import NotDelivered, post, target_of
from tests.services.receiver import receiving

THIS_MACHINE = ["localhost", "a.localhost.", "127.1", "0x7f000001", "2130706433", "0177.0.0.1"]
PUBLIC, INSIDE = "93.184.215.14", "10.0.0.7"


@pytest.fixture
def resolving(monkeypatch):
    """What a name stands for: the lists in turn, the last for good. Nothing is connected to."""
    asked, tried = [], []

    def turn(*answers):
        left = list(answers)

        def getaddrinfo(host, port, **_):
            asked.append(host)
            addresses = left.pop(0) if len(left) > 1 else left[0]
            return [(0, 0, 0, "", (each, port)) for each in addresses]

        def create_connection(address, timeout):
            tried.append(address)
            raise ConnectionRefusedError("refused")

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        monkeypatch.setattr(socket, "create_connection", create_connection)
        return asked, tried

    return turn


def test_a_post_arrives_as_it_was_given(receiver):
    post(f"{receiver.url}/a b?x=ü&y=1", {"X-Own": "1"}, b"body")

    ((path, headers, body),) = receiver.came
    assert ("/hook/a%20b?x=%C3%BC&y=1", b"body") == (path, body)
    assert "1" == headers["X-Own"]
    assert receiver.url.split("/")[2] == headers["Host"]


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_of_the_200s_is_a_success(receiver, status):
    receiver.answers = [(status, {}, b"")]

    post(receiver.url, {}, b"")


@pytest.mark.parametrize("status", [300, 400, 404, 410, 429, 500, 503])
def test_any_other_answer_is_a_failure_that_names_it(receiver, status):
    receiver.answers = [(status, {}, b"")]

    with pytest.raises(NotDelivered, match=str(status)):
        post(receiver.url, {}, b"")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(receiver, status):
    receiver.answers = [(status, {"Location": receiver.url}, b"")]

    with pytest.raises(NotDelivered, match=str(status)):
        post(receiver.url, {}, b"")

    assert 1 == len(receiver.came)


def test_of_an_endless_answer_64_kb_are_read(receiver):
    written = []

    def endless(file):
        file.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            file.write(b"x" * 65536)
            written.append(65536)

    receiver.writing = endless

    post(receiver.url, {}, b"")

    assert sum(written) < 64 * 1024 * 1024


@pytest.mark.parametrize(
    "drip", [pytest.param(b"", id="nothing"), pytest.param(b"HTTP/1.1 200 OK\r\nX: ", id="head")]
)
def test_an_answer_that_takes_too_long_is_a_failure_however_it_drips(receiver, monkeypatch, drip):
    monkeypatch.setattr(webhooks, "TIMEOUT", 0.4)

    def slow(file):
        file.write(drip)
        for _ in range(40):
            file.write(b"x" if drip else b"")
            Event().wait(0.05)

    receiver.writing = slow
    started = time.monotonic()

    with pytest.raises(NotDelivered, match="too_late"):
        post(receiver.url, {}, b"")

    assert time.monotonic() - started < 1.5


def test_nobody_there_is_a_failure(settings):
    settings.QUOTAS_WEBHOOK_ADDRESSES = "any"

    with pytest.raises(NotDelivered, match=r"no_answer: .*refused"):
        post("http://127.0.0.1:1/", {}, b"")


def test_no_answer_in_http_is_a_failure(receiver):
    receiver.writing = lambda file: file.write(b"SSH-2.0\r\n")

    with pytest.raises(NotDelivered, match="no_answer"):
        post(receiver.url, {}, b"")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "//example.com/",
        "example.com",
        "https://",
        "https:///path",
        "https://ada:secret@example.com/",
        "https://example.com:99999/",
        "https://[::1/",
        f"https://{'a' * 70}.example/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]:8443/",
        "https://[64:ff9b::7f00:1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://10.0.0.1/",
        "https://224.0.0.1/",
        "https://example.com:0/",
        "https://[v1.fe80]/",
        "https://exa mple.com/",
        "https://256.1.1.1/",
        *(f"https://{each}:8443/hook" for each in THIS_MACHINE),
    ],
)
def test_an_address_that_cannot_be_posted_to_is_refused_before_it_is_kept(url):
    with pytest.raises(NotDelivered):
        target_of(url)


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://example.com/a?b", "example.com"),
        ("https://EXAMPLE.com:8443/", "example.com:8443"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://[2606:4700::1111]:444/", "[2606:4700::1111]:444"),
    ],
)
def test_an_address_on_the_internet_is_taken(url, named):
    assert named == target_of(url).named


@pytest.mark.parametrize("host", THIS_MACHINE)
def test_this_machine_is_said_not_to_be_on_the_internet_however_it_is_written(host):
    with pytest.raises(NotDelivered) as caught:
        target_of(f"https://{host}/")

    assert "The host is not on the public internet." == caught.value.said


def test_where_any_address_will_do_this_machine_is_one(settings):
    settings.QUOTAS_WEBHOOK_ADDRESSES = "any"

    assert "localhost:8000" == target_of("http://localhost:8000/").named
    assert "127.0.0.1" == target_of("http://127.1/").named


@pytest.mark.parametrize("host", [*THIS_MACHINE, "ip6-localhost"])
def test_a_name_for_this_machine_is_refused_however_it_is_written(host):
    with pytest.raises(NotDelivered, match=r"inside|no_answer: .*(Name|name)"):
        post(f"https://{host}/", {}, b"")


@pytest.mark.parametrize(
    "addresses",
    [[INSIDE], ["::1"], ["::ffff:10.0.0.7"], ["64:ff9b::a00:7"], ["224.0.0.1"], [PUBLIC, INSIDE]],
)
def test_a_name_that_stands_for_an_address_inside_is_refused_without_a_word_of_which(
    resolving, addresses
):
    asked, tried = resolving(addresses)

    with pytest.raises(NotDelivered) as caught:
        post("https://inner.example/", {}, b"")

    assert ("inside", "") == (caught.value.failure, caught.value.detail)
    assert "The host is not on the public internet." == caught.value.said
    assert (["inner.example"], []) == (asked, tried)


def test_the_connection_goes_to_the_address_that_was_looked_at(resolving):
    asked, tried = resolving([PUBLIC], [INSIDE])

    with pytest.raises(NotDelivered, match="refused"):
        post("https://rebinding.example:8443/", {}, b"")

    assert ["rebinding.example"] == asked
    assert [(PUBLIC, 8443)] == tried


def test_each_address_of_a_name_is_tried_in_turn(resolving):
    _, tried = resolving([PUBLIC, "2606:4700::1111", PUBLIC])

    with pytest.raises(NotDelivered, match="refused"):
        post("https://several.example/", {}, b"")

    assert [(PUBLIC, 443), ("2606:4700::1111", 443)] == tried


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for localhost that nobody has signed but itself."""
    if shutil.which("openssl") is None:
        pytest.skip("NOT TESTED WITH TLS: install openssl")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    where = ["-keyout", path, "-out", f"{path}.crt"]
    subprocess.run([*made, *names, *where], check=True, capture_output=True)
    return path


@pytest.fixture
def by_tls(certificate, settings):
    settings.QUOTAS_WEBHOOK_ADDRESSES = "any"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{certificate}.crt", certificate)
    with receiving(context) as found:
        yield found


def test_by_https_a_certificate_that_is_trusted_for_the_name_is_taken(
    by_tls, certificate, monkeypatch
):
    monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")

    post(by_tls.url, {}, b"body")

    assert [b"body"] == [body for _, _, body in by_tls.came]
    with pytest.raises(NotDelivered, match="certificate"):
        post(by_tls.url.replace("localhost", "127.0.0.1"), {}, b"body")


def test_by_https_a_certificate_that_nobody_trusts_is_refused(by_tls):
    with pytest.raises(NotDelivered, match="certificate"):
        post(by_tls.url, {}, b"body")

    assert [] == by_tls.came


def test_by_https_an_answer_that_takes_too_long_is_a_failure(by_tls, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
    monkeypatch.setattr(webhooks, "TIMEOUT", 0.5)

    def slow(file):
        file.write(b"HTTP/1.1 200 OK\r\nX: ")
        for _ in range(40):
            file.write(b"x")
            Event().wait(0.05)

    by_tls.writing = slow

    with pytest.raises(NotDelivered, match="too_late"):
        post(by_tls.url, {}, b"")
