"""Nobody else's counters are seen, nothing is left behind, and the process remembers nothing."""

from __future__ import annotations

import pytest
from django.core.cache import caches
from django.db import connection as database
from django.test.utils import CaptureQueriesContext

from quotas.engine.connection import link
from quotas.errors import ConfigurationError, EngineUnavailable
from quotas.services.attempt import Attempt
from quotas.services.outage import outage
from quotas.services.store import store
from quotas.testing import forget, isolate, throttling_off
from tests.testing.views import statuses


def keys_with(text):
    return list(link().client.scan_iter(match=f"*{text}*"))


def test_keys_begin_with_the_prefix_and_are_removed_at_the_end():
    with isolate() as inner:
        assert statuses(2) == [200, 200]
        assert [key for key in keys_with("") if inner.encode() in key]
        assert all(key.startswith(inner.encode()) for key in keys_with(inner))

    assert keys_with(inner) == []


def test_what_others_keep_on_the_server_stays(quotas_isolated):
    link().client.set("somebody-elses", "1", ex=60)
    statuses(1)
    outside = keys_with(quotas_isolated)

    with isolate():
        statuses(1)

    assert outside == keys_with(quotas_isolated) != []
    assert link().client.get("somebody-elses") == b"1"


def test_two_key_spaces_do_not_see_each_other(settings):
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": {"api": "2/minute"}}

    assert statuses(3) == [200, 200, 429]
    with isolate():
        assert statuses(3) == [200, 200, 429]
    assert statuses(1) == [429]


def test_the_prefix_of_the_project_is_kept_in_front(settings):
    entry = settings.CACHES["quotas"]
    settings.CACHES = settings.CACHES | {"quotas": entry | {"KEY_PREFIX": "shop-"}}

    with isolate() as prefix:
        assert prefix.startswith("shop-test-")
        assert caches["quotas"].make_key("x").startswith(prefix)
    assert settings.CACHES["quotas"]["KEY_PREFIX"] == "shop-"


@isolate()
def test_it_decorates_a_function(quotas_isolated):
    assert quotas_isolated in caches["quotas"].key_prefix != quotas_isolated


def test_a_server_that_is_gone_spoils_no_test(settings):
    entry = settings.CACHES["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"quotas": entry}

    with isolate():
        assert statuses(1) == [200]


def test_an_alias_that_is_missing_is_named(settings):
    settings.QUOTAS_CACHE = "missing"

    with pytest.raises(ConfigurationError, match=r"'missing'.*default, quotas"), isolate():
        pass  # pragma: no cover


@pytest.mark.django_db
def test_forgetting_makes_the_process_a_new_one():
    def queries():
        with CaptureQueriesContext(database) as made:
            store.plans(Attempt())
        return len(made)

    queries()
    outage.report(EngineUnavailable("gone"))
    before = link()
    assert queries() == 0

    forget()

    assert outage.told_at is None
    assert link() is not before
    assert queries() > 0


def test_throttling_is_off_in_one_line(settings):
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": {"api": "0/minute"}}

    with throttling_off():
        assert statuses(3) == [200, 200, 200]
    assert statuses(1) == [429]


@throttling_off()
def test_throttling_off_decorates_a_function(settings):
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": {"api": "0/minute"}}

    assert statuses(1) == [200]
