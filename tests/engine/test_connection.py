"""One attempt within one timeout, whatever the cache says; and keys as the cache has them."""

from __future__ import annotations

import time

import pytest
from django.test import override_settings

from quotas.conf import conf
from quotas.engine import connection
from quotas.engine.connection import link
from quotas.errors import ConfigurationError, EngineUnavailable
from tests.engine.asking import Asker, every_key, limit, one
from tests.engine.proxy import black_hole, nobody

TIMEOUT = 0.5
KEY_FUNCTION = "tests.engine.test_connection.key_turned_round"


def key_turned_round(key, prefix, version):
    return f"{version}|{prefix}|{key}"


@pytest.fixture
def aimed(settings):
    """Aim the ``quotas`` cache at an address, with other entries besides."""

    def aim(url, *, options=None, **entries):
        quotas = settings.CACHES["quotas"]
        entry = quotas | {"LOCATION": url, "OPTIONS": quotas["OPTIONS"] | (options or {})}
        settings.CACHES = settings.CACHES | {"quotas": entry | entries}

    return aim


def in_effect():
    return link().client.connection_pool.connection_kwargs


PATIENT = {
    "socket_timeout": 30,
    "socket_connect_timeout": 30,
    "retry_on_timeout": True,
    "retry_on_error": [ConnectionError],
    "decode_responses": True,
}
WAYS = [
    pytest.param({}, "", id="plain"),
    pytest.param({"CONNECTION_POOL_KWARGS": PATIENT}, "", id="pool-kwargs"),
    pytest.param({"SOCKET_TIMEOUT": 30, "SOCKET_CONNECT_TIMEOUT": 30}, "", id="options"),
    pytest.param(
        {},
        "?socket_timeout=30&socket_connect_timeout=30&retry_on_timeout=yes&decode_responses=yes",
        id="query-of-the-address",
    ),
    pytest.param({"CONNECTION_POOL_KWARGS": {"protocol": 3}}, "", id="resp3"),
    pytest.param({}, "?protocol=2&health_check_interval=1", id="resp2-with-health-checks"),
]


@pytest.mark.parametrize(("options", "query"), WAYS)
def test_a_client_makes_one_attempt_within_the_timeout_whatever_the_cache_says(
    redis_url, aimed, settings, options, query
):
    settings.QUOTAS_TIMEOUT = 4
    aimed(redis_url + query, options=options)

    assert Asker(limit("token_bucket", 5)).consume().allowed
    assert (4, 4) == (in_effect()["socket_timeout"], in_effect()["socket_connect_timeout"])
    assert 0 == in_effect()["retry"].get_retries()
    assert not in_effect()["retry_on_timeout"]
    assert not in_effect()["retry_on_error"]
    used = link().client.connection_pool.get_connection()
    try:
        assert 0 == used.retry.get_retries()
        assert (4, 4) == (used.socket_timeout, used.socket_connect_timeout)
    finally:
        link().client.connection_pool.release(used)


def test_no_maintenance_notifications_are_asked_for():
    configured = in_effect().get("maint_notifications_config")

    assert configured is None or not configured.enabled


def test_the_primary_is_asked_and_never_a_replica(redis_url, aimed):
    aimed([redis_url, nobody(), nobody()])

    for _ in range(20):
        Asker(limit("token_bucket", 50)).consume()
        Asker(limit("token_bucket", 50)).peek()


def test_a_changed_timeout_is_in_effect_at_once():
    Asker(limit("token_bucket", 5)).consume()

    with override_settings(QUOTAS_TIMEOUT=7):
        assert 7 == in_effect()["socket_timeout"]
    assert conf.timeout == in_effect()["socket_timeout"]


def test_another_alias_is_in_effect_at_once(redis_url, settings):
    elsewhere = settings.CACHES["quotas"] | {"LOCATION": redis_url, "KEY_PREFIX": "elsewhere"}
    settings.CACHES = settings.CACHES | {"elsewhere": elsewhere}
    Asker(limit("token_bucket", 5)).consume()

    settings.QUOTAS_CACHE = "elsewhere"
    assert 4 == one(Asker(limit("token_bucket", 5)).consume()).remaining
    assert [":1:{t1}:c:reports:t", "elsewhere:1:{t1}:c:reports:t"] == every_key()


def test_an_alias_that_is_no_django_redis_cache_is_refused_by_name(settings):
    settings.QUOTAS_CACHE = "default"

    with pytest.raises(ConfigurationError, match="'default'"):
        link()


def test_F6_two_sites_with_two_prefixes_share_no_counter(redis_url, aimed):
    minute = limit("sliding_window_log", 1)
    for prefix in ("one", "two"):
        aimed(redis_url, KEY_PREFIX=prefix)

        assert [True, False] == [Asker(minute).consume().allowed for _ in range(2)]

    assert {"one", "two"} == {key.split(":")[0] for key in every_key()}
    assert 4 == len(every_key())


def test_F6_counters_reset_on_one_site_leave_those_of_the_other(redis_url, aimed):
    """A reset raises the epoch."""
    for prefix in ("one", "two"):
        aimed(redis_url, KEY_PREFIX=prefix)
        asker = Asker(limit("fixed_window", 1))
        asker.consume()
    two = Asker(limit("fixed_window", 1))

    aimed(redis_url, KEY_PREFIX="one")
    asker.subject = type(asker.subject)("t1", "t", epoch=1)

    assert asker.consume().allowed
    aimed(redis_url, KEY_PREFIX="two")
    assert not two.consume().allowed


def test_the_key_function_and_the_version_of_the_cache_are_honoured(redis_url, aimed):
    aimed(redis_url, KEY_PREFIX="site", KEY_FUNCTION=KEY_FUNCTION, VERSION=3)

    Asker(limit("token_bucket", 5)).consume()

    assert ["3|site|{t1}:c:reports:t"] == every_key()


@pytest.mark.parametrize("ask", ["consume", "peek"])
def test_a_refused_connection_is_an_outage_at_once(aimed, settings, ask):
    settings.QUOTAS_TIMEOUT = TIMEOUT
    aimed(nobody())
    began = time.monotonic()

    with pytest.raises(EngineUnavailable, match="Redis gave no answer"):
        getattr(Asker(limit("token_bucket", 5)), ask)()

    assert time.monotonic() - began < TIMEOUT


@pytest.mark.parametrize("ask", ["consume", "peek"])
def test_a_black_hole_is_an_outage_after_one_timeout(aimed, settings, ask):
    settings.QUOTAS_TIMEOUT = TIMEOUT
    with black_hole() as url:
        aimed(url)
        began = time.monotonic()

        with pytest.raises(EngineUnavailable):
            getattr(Asker(limit("token_bucket", 5)), ask)()

    assert TIMEOUT <= time.monotonic() - began < 2 * TIMEOUT


def test_a_server_that_hangs_is_an_outage_after_one_timeout_and_counted_again_after(
    private_server, settings
):
    settings.QUOTAS_TIMEOUT = TIMEOUT
    asker = Asker(limit("token_bucket", 50))
    asker.consume()

    private_server.hang()
    began = time.monotonic()
    with pytest.raises(EngineUnavailable):
        asker.consume()
    took = time.monotonic() - began
    private_server.resume()

    assert TIMEOUT <= took < 2 * TIMEOUT
    # The hung server may have read the call before its client hung up.
    assert one(asker.consume()).remaining in {47, 48}


def test_after_the_return_of_a_server_the_next_call_is_counted(private_server):
    asker = Asker(limit("token_bucket", 5))
    asker.consume()

    private_server.stop()
    for _ in range(3):
        with pytest.raises(EngineUnavailable):
            asker.consume()
    private_server.start()

    assert 4 == one(asker.consume()).remaining


def test_connections_kept_from_before_a_restart_cost_no_failure(private_server):
    """A dead connection is noticed when it is taken from the pool, before anything is asked."""
    asker = Asker(limit("token_bucket", 50))
    pool = link().client.connection_pool
    held = [pool.get_connection() for _ in range(5)]
    for each in held:
        pool.release(each)

    private_server.restart()

    assert all(asker.consume().allowed for _ in range(10))


def test_an_address_shared_with_another_alias_does_not_share_its_pool(settings, redis_url):
    """django-redis keeps one pool an address, with the timeouts of whoever came first."""
    other = {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": redis_url}
    settings.CACHES = settings.CACHES | {"other": other}
    from django.core.cache import caches

    caches["other"].get("nothing")

    assert conf.timeout == in_effect()["socket_timeout"]
    assert caches["other"].client.get_client().connection_pool is not link().client.connection_pool


def test_a_link_is_kept_for_the_process():
    assert link() is link()
    connection.forget_links(setting="TIME_ZONE")
    assert link() is link()
