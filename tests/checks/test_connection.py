"""The alias of `QUOTAS_CACHE`: it exists, can decide, is nobody else's, and answers shortly."""

from __future__ import annotations

import socket

import pytest

OURS = {"CONNECTION_FACTORY": "quotas.engine.connection.ConnectionFactory"}
PLAIN = {"CONNECTION_POOL_KWARGS": {"socket_timeout": 0.2, "socket_connect_timeout": 0.2}}
REDIS = "django_redis.cache.RedisCache"
DJANGOS = "django.core.cache.backends.redis.RedisCache"


def test_our_factory_in_a_database_of_its_own_is_right(said, alias):
    alias(OPTIONS=OURS, others={"other": {"BACKEND": REDIS, "LOCATION": "redis://192.0.2.1:1/1"}})

    assert {} == said()


def test_an_alias_that_is_missing_is_named_with_those_there_are(settings, said):
    settings.QUOTAS_CACHE = "defualt"

    [message] = said()["quotas.E001"]

    assert "QUOTAS_CACHE is 'defualt'" in message.msg
    assert "default, quotas" in message.hint


@pytest.mark.parametrize("value", [None, 3, ["quotas"], ""])
def test_an_alias_that_is_no_text_is_missing(settings, said, value):
    settings.QUOTAS_CACHE = value

    assert ["quotas.E001"] == list(said())


@pytest.mark.parametrize(
    "backend",
    [
        "django.core.cache.backends.locmem.LocMemCache",
        DJANGOS,
        "nothing.there.Cache",
        "",
        None,
        "tests.checks.broken.Cache",
    ],
)
def test_a_backend_that_is_not_django_redis_is_named(said, alias, backend):
    alias(BACKEND=backend)

    [message] = said()["quotas.E002"]

    assert f"BACKEND is {backend!r}" in message.msg


@pytest.mark.parametrize("client", ["ShardClient", "HerdClient"])
def test_a_client_that_spreads_or_changes_keys_is_refused(said, alias, client):
    alias(OPTIONS={"CLIENT_CLASS": f"django_redis.client.{client}"})

    [message] = said()["quotas.E003"]

    assert client in message.msg


def test_the_default_client_may_be_named(said, alias):
    alias(OPTIONS={"CLIENT_CLASS": "django_redis.client.DefaultClient", **OURS})

    assert {} == said()


@pytest.mark.parametrize(
    "entry",
    [
        {"LOCATION": ""},
        {"LOCATION": None},
        {"LOCATION": []},
        {"LOCATION": "redis://:s3cret/word@192.0.2.1:1/0"},
        {"LOCATION": "s3cret"},
        {"OPTIONS": {"CONNECTION_FACTORY": "nothing.there"}},
        {"OPTIONS": {"CONNECTION_POOL_KWARGS": {"no_such_argument": 1}}},
        {"OPTIONS": {"CONNECTION_POOL_CLASS": "tests.checks.broken.Pool"}},
        {"OPTIONS": {"CLIENT_CLASS": "nothing.there"}},
        {"OPTIONS": 3},
    ],
)
def test_what_cannot_be_built_is_told_without_its_password(said, alias, entry):
    alias(**entry)

    [message] = said()["quotas.E004"]

    assert "cannot be built" in message.msg
    assert "s3cret" not in message.msg


@pytest.mark.parametrize("value", ["x", None, [1]])
def test_a_timeout_that_cannot_be_read_is_named_as_the_cause(settings, said, alias, value):
    settings.QUOTAS_TIMEOUT = value
    alias(OPTIONS=OURS)

    [message] = said()["quotas.E004"]

    assert f"cannot be built (QUOTAS_TIMEOUT is {value!r})" in message.msg
    assert "QUOTAS_TIMEOUT" in message.hint


def test_an_address_is_the_cause_even_beside_a_timeout_that_cannot_be_read(settings, said, alias):
    settings.QUOTAS_TIMEOUT = "x"
    alias(OPTIONS=PLAIN, LOCATION="redis://127.0.0.1:no/0")

    [message] = said()["quotas.E004"]

    assert "LOCATION" in message.hint


def test_a_connection_without_timeouts_is_refused(said, alias):
    none = {"socket_timeout": None, "socket_connect_timeout": None}
    alias(OPTIONS={"CONNECTION_POOL_KWARGS": none})

    [message] = said()["quotas.E005"]

    assert "no timeout to connect and no timeout to read" in message.msg
    assert OURS["CONNECTION_FACTORY"] in message.hint


def test_timeouts_that_another_factory_sets_are_enough(settings, said, alias):
    settings.QUOTAS_TIMEOUT = 0.25
    alias(OPTIONS=PLAIN)

    assert not said().keys() & {"quotas.E005", "quotas.W002"}


def test_timeouts_longer_than_the_setting_are_told(settings, said, alias):
    settings.QUOTAS_TIMEOUT = 0.25
    kwargs = {"socket_timeout": 30, "socket_connect_timeout": 0.1}
    alias(OPTIONS={"CONNECTION_POOL_KWARGS": kwargs})

    [message] = said()["quotas.W002"]

    assert "QUOTAS_TIMEOUT is 0.25" in message.msg
    assert "timeout to read of 30 s" in message.msg
    assert "connect" not in message.msg


@pytest.mark.parametrize("name", ["retry_on_timeout", "retry"])
def test_retries_are_refused(said, alias, name):
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    value = {"retry_on_timeout": True, "retry": Retry(NoBackoff(), 3)}[name]
    alias(OPTIONS={"CONNECTION_POOL_KWARGS": {name: value}})

    [message] = said()["quotas.E006"]

    assert "times" in message.msg


def test_our_factory_lets_no_option_and_no_address_bring_retries_back(said, alias):
    alias(
        LOCATION="redis://192.0.2.1:1/0?retry_on_timeout=1&socket_timeout=60",
        OPTIONS=OURS | {"CONNECTION_POOL_KWARGS": {"socket_connect_timeout": None}},
    )

    assert {} == said()


def test_maintenance_notifications_are_told(said, alias):
    notifications = pytest.importorskip("redis.maint_notifications")
    config = notifications.MaintNotificationsConfig(enabled=True)
    alias(OPTIONS={"CONNECTION_POOL_KWARGS": {"maint_notifications_config": config, "protocol": 3}})

    assert "quotas.W003" in said()


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("redis://192.0.2.1:6379/1", "redis://192.0.2.1/1"),
        ("redis://localhost:6379", "redis://127.0.0.1:6379/0"),
        ("redis://:one@192.0.2.1:6379/0", "rediss://two:three@192.0.2.1:6379?db=0"),
        (["redis://192.0.2.1/0", "redis://192.0.2.2/0"], "redis://192.0.2.3/0,redis://192.0.2.2/0"),
        ("unix:///run/redis.sock?db=2", "unix://me@/run/redis.sock?db=2"),
    ],
)
@pytest.mark.parametrize("backend", [REDIS, DJANGOS])
def test_a_database_shared_with_another_alias_is_told(said, alias, own, other, backend):
    alias(LOCATION=own, OPTIONS=OURS, others={"pages": {"BACKEND": backend, "LOCATION": other}})

    [message] = said()["quotas.W001"]

    assert "'pages'" in message.msg
    assert not any(secret in message.msg for secret in ("one", "two", "three"))


@pytest.mark.parametrize(
    "other",
    [
        {"BACKEND": REDIS, "LOCATION": "redis://192.0.2.1:1/1"},
        {"BACKEND": REDIS, "LOCATION": "redis://192.0.2.1:2/0"},
        {"BACKEND": DJANGOS, "LOCATION": "redis://192.0.2.1:1", "OPTIONS": {"db": 3}},
        {
            "BACKEND": REDIS,
            "LOCATION": "redis://192.0.2.1:1",
            "OPTIONS": {"CONNECTION_POOL_KWARGS": {"db": 3}},
        },
        {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "quotas"},
        {"BACKEND": DJANGOS, "LOCATION": "redis://[::1"},
        {"BACKEND": DJANGOS, "LOCATION": 3},
    ],
)
def test_a_database_of_its_own_is_left_alone(said, alias, other):
    alias(OPTIONS=OURS, others={"pages": other})

    assert {} == said()


def test_no_check_opens_a_connection(said, alias, monkeypatch):
    made = []
    monkeypatch.setattr(socket, "socket", lambda *args, **_: made.append(args))
    alias(OPTIONS=PLAIN | {"REDIS_CLIENT_KWARGS": {"single_connection_client": True}})

    said()

    assert [] == made


def test_looking_decides_nobodys_pool(said, alias):
    from django_redis.pool import ConnectionFactory

    before = dict(ConnectionFactory._pools)
    alias(OPTIONS=PLAIN, LOCATION="redis://192.0.2.1:4/0")

    said()

    assert before == ConnectionFactory._pools
