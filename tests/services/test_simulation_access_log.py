from __future__ import annotations

import pytest

from quotas.services.simulation.access_log import Counted, event_from_log
from quotas.services.simulation.events import BadLine, Event


def logged(
    address="192.0.2.7", user="-", time="17/May/2015:10:05:03 +0000", request="GET / HTTP/1.1"
):
    return f'{address} - {user} [{time}] "{request}" 200 512 "-" "agent/1.0"'.encode()


def test_a_logged_request_is_an_event_of_its_address_at_its_second():
    expected = Event(at="1431857103", at_us=1_431_857_103_000_000, subject="192.0.2.7", cost=1)

    assert expected == event_from_log(logged())


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(
            b'192.0.2.7 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5', id="common"
        ),
        pytest.param(
            b'192.0.2.7 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 304', id="no-size"
        ),
        pytest.param(logged() + b' 0.031 "upstream"', id="more-fields"),
        pytest.param(logged(request=r"GET /?q=\"a\" HTTP/1.1"), id="escaped-quotes"),
        pytest.param(logged(request=r"\x16\x03\x01"), id="not-http"),
        pytest.param(logged(user="John Doe"), id="a-name-of-two-words"),
    ],
)
def test_what_servers_write_is_read(line):
    assert event_from_log(line).at_us == 1_431_857_103_000_000


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        pytest.param("17/May/2015:10:05:03 +0200", "1431849903", id="east"),
        pytest.param("17/May/2015:10:05:03 -0330", "1431869703", id="west-by-half-an-hour"),
        pytest.param("29/Feb/2016:23:59:59 +0545", "1456769699", id="leap-day"),
        pytest.param("01/Jan/1970:00:00:00 +0000", "0", id="the-epoch"),
    ],
)
def test_the_offset_from_utc_is_honoured(time, expected):
    assert expected == event_from_log(logged(time=time)).at


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        pytest.param("198.51.100.9", "198.51.100.9", id="ipv4"),
        pytest.param("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64", id="ipv6"),
        pytest.param("2001:DB8:1:2::BB", "2001:db8:1:2::/64", id="the-same-network"),
        pytest.param("fe80::1%eth0", "fe80::/64", id="with-an-interface"),
        pytest.param("::ffff:192.0.2.7", "192.0.2.7", id="ipv4-mapped"),
        pytest.param("Host-7.Example.COM", "host-7.example.com", id="looked-up"),
    ],
)
def test_addresses_are_counted_as_the_limiter_counts_them(address, expected):
    assert expected == event_from_log(logged(address=address)).subject


@pytest.mark.parametrize(
    ("counted", "request_line", "expected"),
    [
        pytest.param(Counted.ADDRESS, "GET / HTTP/1.1", "192.0.2.7", id="address"),
        pytest.param(Counted.USER, "GET / HTTP/1.1", "ada", id="user"),
        pytest.param(Counted.ALL, "GET / HTTP/1.1", "all", id="all"),
        pytest.param(Counted.METHOD, "POST / HTTP/1.1", "POST", id="method"),
        pytest.param(Counted.METHOD, "-", "-", id="no-method"),
        pytest.param(Counted.PATH, "GET /a/b?c=/d#e HTTP/1.1", "/a/b", id="path-without-query"),
        pytest.param(Counted.PATH, "GET http://example.com/a?b HTTP/1.1", "/a", id="proxied"),
        pytest.param(Counted.PATH, "GET http://example.com HTTP/1.1", "/", id="proxied-root"),
        pytest.param(Counted.PATH, "GET /old", "/old", id="http-0.9"),
        pytest.param(Counted.PATH, "OPTIONS * HTTP/1.1", "*", id="server-wide"),
        pytest.param(Counted.PATH, r"GET /\"q\" HTTP/1.1", r"/\"q\"", id="escapes-stay"),
        pytest.param(Counted.PATH, r"\x16\x03 \x01", "-", id="no-path"),
    ],
)
def test_the_subject_is_what_is_asked_for(counted, request_line, expected):
    line = logged(user="ada", request=request_line)

    assert expected == event_from_log(line, counted).subject


def test_bytes_that_are_no_text_are_shown_escaped():
    line = logged().replace(b"GET / ", b"GET /\xff ")

    assert event_from_log(line, Counted.PATH).subject == r"/\xff"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(b"", "not of the form", id="empty"),
        pytest.param(b"[notice] server started", "not of the form", id="another-log"),
        pytest.param(logged()[:60], "not of the form", id="cut-off"),
        pytest.param(logged(request='GET /"'), "not of the form", id="stray-quote"),
        pytest.param(b"x" * 70_000, "longer than", id="long"),
        pytest.param(logged(address="unix:"), "address is 'unix:'", id="a-socket"),
        pytest.param(logged(address="example.com:443"), "address is", id="a-port"),
        pytest.param(
            logged(time="31/Feb/2015:10:05:03 +0000"), "time is .31/Feb", id="no-such-day"
        ),
        pytest.param(logged(time="17/Mai/2015:10:05:03 +0000"), "time is", id="another-language"),
        pytest.param(logged(time="17/May/2015:10:05:03 +2400"), "time is", id="no-such-offset"),
        pytest.param(logged(time="2015-05-17T10:05:03Z"), "time is", id="another-format"),
        pytest.param(logged(time="01/Jan/1969:00:00:00 +0000"), "from 1970", id="before-the-epoch"),
        pytest.param(logged(time="01/Jan/0001:00:00:00 +0100"), "time is", id="before-all-time"),
        pytest.param(logged(time="01/Jan/2090:00:00:00 +0000"), "year 2090", id="too-late"),
    ],
)
def test_a_line_that_is_no_request_says_why(line, reason):
    with pytest.raises(BadLine, match=reason) as caught:
        event_from_log(line)

    assert len(str(caught.value)) < 200
