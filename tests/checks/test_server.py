"""What only the server knows: whether it evicts counters. Asked under `check --deploy` alone."""

from __future__ import annotations

import pytest

from quotas.engine.connection import link


@pytest.fixture
def policy():
    """A function that sets the server's maxmemory-policy for this test; there is no maximum."""
    client = link().client
    before = client.config_get("maxmemory-policy")["maxmemory-policy"]
    yield lambda name: client.config_set("maxmemory-policy", name)
    client.config_set("maxmemory-policy", before)


@pytest.mark.parametrize("name", ["allkeys-lru", "volatile-ttl"])
def test_a_server_that_evicts_is_told(said, policy, name):
    policy(name)

    [message] = said(deploy=True)["quotas.W004"]

    assert name in message.msg
    assert "noeviction" in message.hint


def test_a_server_that_keeps_everything_is_right(said, policy):
    policy("noeviction")

    assert not said(deploy=True).keys() & {"quotas.W004", "quotas.I001"}


def test_a_server_that_gives_no_answer_is_only_mentioned(said, alias):
    alias(LOCATION="redis://127.0.0.1:1/0", OPTIONS={"CONNECTION_FACTORY": FACTORY})

    [message] = said(deploy=True)["quotas.I001"]

    assert message.level < 30  # below a warning: it fails no build


def test_an_alias_that_is_missing_is_not_asked(settings, said):
    settings.QUOTAS_CACHE = "missing"

    assert ["quotas.E001"] == list(said(deploy=True))


def test_without_deploy_the_server_is_not_asked(said, policy):
    policy("allkeys-lru")

    assert {} == said()


FACTORY = "quotas.engine.connection.ConnectionFactory"
