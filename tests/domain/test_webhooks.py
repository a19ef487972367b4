from __future__ import annotations

from base64 import b64decode

import pytest

from quotas.domain.webhooks import is_public, new_secret, signed


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
    ],
)
def test_addresses_inside_and_of_many_machines_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f000001", "2130706433", "[::1]"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ValueError, match="address"):
        is_public(text)
