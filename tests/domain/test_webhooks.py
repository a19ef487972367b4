from __future__ import annotations

from base64 import b64decode

import pytest

from quotas.domain.webhooks import host_of, is_public, is_this_machine, new_secret, signed


def test_the_published_example_of_standard_webhooks_is_signed_alike():
    headers = signed(
        secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        reference="msg_p5jXN8AQM9LWM0D4loKWxJek",
        at=1614265330,
        body=b'{"test": 2432232314}',
    )

    assert {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    } == headers


def test_a_secret_is_32_random_bytes():
    secrets = {new_secret() for _ in range(10)}

    assert 10 == len(secrets)
    assert {32} == {len(b64decode(each.removeprefix("whsec_"))) for each in secrets}


@pytest.mark.parametrize("secret", ["", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_no base64!"])
def test_what_is_no_secret_signs_nothing(secret):
    with pytest.raises(ValueError, match=r"secret|base64"):
        signed(secret=secret, reference="msg_1", at=1, body=b"")


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
        "192.0.1.1",
        "192.88.98.1",
        "192.88.100.1",
        "2001:200::1",
        "3ffe::1",
    ],
)
def test_addresses_of_the_internet_are_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.0.1",
        "0.0.0.0",  # noqa: S104 - refused
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b::e000:1",
        "64:ff9b:1::8.8.8.8",
        "2002:7f00:1::1",
        "2002:a00:1::1",
        "2001:0:7f00:1::1",
        "2001:db8::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "100::1",
        "4000::1",
        "3fff::1",
        "3fff:fff:ffff::1",
        "192.0.0.8",
        "192.0.0.9",
        "192.0.0.10",
        "192.31.196.1",
        "192.52.193.1",
        "192.88.99.1",
        "192.88.99.2",
        "192.175.48.1",
        "::ffff:192.88.99.1",
        "64:ff9b::192.0.0.9",
        "2001:1::1",
        "2001:3::1",
        "2001:4:112::1",
        "2001:20::1",
        "2620:4f:8000::1",
        "5f00::1",
    ],
)
def test_addresses_inside_and_of_many_machines_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f000001", "2130706433", "[::1]"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ValueError, match="address"):
        is_public(text)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("example.com", "example.com"),
        ("EXAMPLE.com.", "example.com."),
        ("bücher.example", "xn--bcher-kva.example"),
        ("my_hook.example.com", "my_hook.example.com"),
        ("hooks", "hooks"),
        ("1and1.example.com", "1and1.example.com"),
        ("127.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("134744072", "8.8.8.8"),
        ("\uff11\uff12\uff17.1", "127.0.0.1"),
        ("127\u30021", "127.0.0.1"),
        ("2606:4700:0::1111", "2606:4700::1111"),
    ],
)
def test_a_host_is_read_as_connections_read_it(text, host):
    assert host == host_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "exa mple.com",
        "exa\u00a0mple.com",
        "ex%61mple.com",
        "example..com",
        ".example.com",
        "example.com..",
        "example.123",
        "256.1.1.1",
        "1.2.3.4.5",
        "08.8.8.8",
        "example.0x1f",
        "exam<ple.com",
        "a:b",
        "2606:4700::1111%eth0",
        ".".join(["a" * 60] * 5),
        "a" * 64,
        "",
        ".",
    ],
)
def test_what_no_host_can_be_called_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - of the codec, too
        host_of(text)


@pytest.mark.parametrize("host", ["localhost", "localhost.", "hooks.localhost", "LOCALHOST"])
def test_localhost_is_this_machine_whatever_stands_before_it(host):
    assert is_this_machine(host_of(host))


@pytest.mark.parametrize("host", ["localhost.example.com", "mylocalhost", "example.com"])
def test_a_name_that_looks_like_it_is_not(host):
    assert not is_this_machine(host)
