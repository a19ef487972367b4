"""Who is counted: addresses that cannot be forged, credentials that leave no trace in a key."""

from __future__ import annotations

import re
from types import SimpleNamespace
from uuid import UUID

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import override_settings
from rest_framework.authtoken.models import Token

from quotas.drf import PlanThrottle, TokenBucketThrottle
from quotas.drf.subjects import caller_of, canonical, client_address, credential_text, user_pk
from tests.drf.calling import FACTORY, call, calls, statuses, view_with
from tests.drf.rows import make_plan, make_tenant, make_user, row

FORGED = "forged-{0}, 192.0.2.10, 198.51.100.{0}, 203.0.113.{0}"
PRINTABLE = re.compile(r"[!-~]{1,200}")


class Reports(PlanThrottle):
    scope = "reports"


def proxies(number):
    return override_settings(REST_FRAMEWORK={"NUM_PROXIES": number})


@pytest.mark.django_db
def test_i1_a_forged_forwarded_header_opens_no_new_counter():
    make_plan(row(amount=5), anonymous=True)
    view = view_with(Reports)

    with proxies(3):
        responses = [call(view, HTTP_X_FORWARDED_FOR=FORGED.format(i)) for i in range(1, 7)]

    assert [200] * 5 + [429] == statuses(responses)


@pytest.mark.django_db
@pytest.mark.parametrize("number", [0, None])
def test_i1_without_proxies_the_socket_address_alone_decides(number):
    make_plan(row(amount=5), anonymous=True)
    view = view_with(Reports)

    with proxies(number):
        responses = [call(view, HTTP_X_FORWARDED_FOR=FORGED.format(i)) for i in range(1, 7)]
        other = call(view, REMOTE_ADDR="192.0.2.77")

    assert [200] * 5 + [429] == statuses(responses)
    assert 200 == other.status_code


@pytest.mark.parametrize(
    ("number", "forwarded", "address"),
    [
        pytest.param(None, "192.0.2.1", "127.0.0.1", id="unset"),
        pytest.param(0, "192.0.2.1", "127.0.0.1", id="none"),
        pytest.param(1, "192.0.2.1, 198.51.100.2", "198.51.100.2", id="the-last"),
        pytest.param(2, "192.0.2.1, 198.51.100.2", "192.0.2.1", id="the-last-but-one"),
        pytest.param(9, "192.0.2.1,198.51.100.2", "192.0.2.1", id="more-than-there-are"),
        pytest.param(1, None, "127.0.0.1", id="no-header"),
        pytest.param(1, "", None, id="empty"),
        pytest.param(1, "192.0.2.1, unknown", None, id="garbage"),
    ],
)
def test_the_address_is_what_the_outermost_trusted_proxy_saw(number, forwarded, address):
    headers = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}

    with proxies(number):
        assert address == client_address(FACTORY.get("/", **headers))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        (" 192.0.2.1\t", "192.0.2.1"),
        ("192.0.2.1:443", "192.0.2.1"),
        ("2001:db8:0:1:a:b:c:d", "2001:db8:0:1::"),
        ("2001:DB8:0:1::", "2001:db8:0:1::"),
        ("[2001:db8::1]", "2001:db8::"),
        ("[2001:db8::1]:443", "2001:db8::"),
        ('"[2001:db8::1]:443"', "2001:db8::"),
        ("fe80::1%eth0", "fe80::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("[::ffff:c000:201]:80", "192.0.2.1"),
        ("", None),
        ("unix:", None),
        ("/run/site.sock", None),
        ("192.0.2.256", None),
        ("192.0.2.1:http", None),
        ("[2001:db8::1", None),
        ("a" * 5000, None),
        ("\u0661.\u0660.\u0662.\u0661", None),
    ],
    ids=lambda text: repr(text)[:24],
)
def test_addresses_have_one_form(text, address):
    assert address == canonical(text)


@pytest.mark.django_db
def test_ipv6_is_counted_by_its_64_and_mapped_ipv4_as_ipv4():
    make_plan(row(amount=1), anonymous=True)
    view = view_with(Reports)

    def status(address):
        return call(view, REMOTE_ADDR=address).status_code

    assert [200, 429, 200] == [status(f"2001:db8:0:{tail}") for tail in ("1::1", "1::2", "2::1")]
    assert [200, 429] == [status(address) for address in ("192.0.2.1", "::ffff:192.0.2.1")]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["", "unix:", "garbage"])
def test_callers_without_an_address_are_counted_together(address):
    make_plan(row(amount=1), anonymous=True)
    view = view_with(Reports)

    responses = [call(view, REMOTE_ADDR=address), call(view, REMOTE_ADDR="")]

    assert [200, 429] == statuses(responses)


class Slug:
    def __str__(self):
        return "slug"


@pytest.mark.parametrize(
    ("auth", "text"),
    [
        (None, None),
        ("", None),
        ("tok-example-1", "tok-example-1"),
        (b"tok-example-1", "tok-example-1"),
        (SimpleNamespace(key="k1", pk=3), "SimpleNamespace key k1"),
        (SimpleNamespace(pk=3), "SimpleNamespace pk 3"),
        (SimpleNamespace(pk=UUID(int=3)), f"SimpleNamespace pk {UUID(int=3)}"),
        ({"jti": "j1", "exp": 9}, "dict jti j1"),
        ({"sub": "ada", "exp": 1793059200}, None),
        (Token(key="k2"), "authtoken.Token key k2"),
        (Slug(), "slug"),
        (object(), None),
    ],
    ids=lambda each: repr(each)[:20],
)
def test_a_credential_is_what_tells_it_from_others(auth, text):
    assert text == credential_text(auth)


def test_a_token_that_is_read_like_a_mapping_is_known_by_its_id():
    class Claims:
        def __init__(self, **claims):
            self.claims = claims

        def __getitem__(self, name):
            return self.claims[name]

        def get(self, name):
            return self.claims.get(name)

    assert "j1" in credential_text(Claims(jti="j1"))


def test_two_kinds_of_credential_with_one_number_are_two():
    assert credential_text(Token(key="7")) != credential_text(SimpleNamespace(key="7"))


def test_a_caller_is_a_user_only_when_authenticated():
    request = FACTORY.get("/")
    request.user, request.auth = AnonymousUser(), None
    assert user_pk(request) is None
    request.user = None
    assert user_pk(request) is None
    request.user = User(pk=5)
    assert 5 == user_pk(request) == caller_of(request, lambda: None).user_pk


@pytest.mark.django_db
def test_i2_keys_are_printable_bounded_and_hold_no_secret(keys):
    plan = make_plan(row(subject="credential"), row("*", "all"))
    ada = make_user("ada", make_tenant("東京支店", plan=plan))
    endless = "s" * 3999
    throttles = [
        TokenBucketThrottle.of("3/minute", scope=endless + tail, subject="credential")
        for tail in "ab"
    ]

    with proxies(2):
        address = {"HTTP_X_FORWARDED_FOR": "192.0.2.10, 198.51.100.7"}
        calls(2, view_with(Reports, throttles[0]), user=ada, auth="tok-example-1", **address)
        other = call(view_with(throttles[1]), user=ada, auth="tok-example-1", **address)
        call(view_with(TokenBucketThrottle.of("3/minute", scope=endless, subject="address")))

    assert len(keys()) > 4
    assert all(PRINTABLE.fullmatch(key) for key in keys())
    assert not [key for key in keys() if "tok-example-1" in key]
    assert "r=2" in other.headers["RateLimit"]


@pytest.mark.django_db
def test_i2_long_credentials_that_differ_at_the_end_are_counted_apart():
    ada = make_user("ada", make_tenant())
    view = view_with(TokenBucketThrottle.of("1/minute", subject="credential"))
    long = "t" * 3999

    answers = [call(view, user=ada, auth=long + tail) for tail in "aab"]

    assert [200, 429, 200] == statuses(answers)
