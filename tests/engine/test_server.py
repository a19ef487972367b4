"""What the server tells of itself, and which of its keys are ours."""

from __future__ import annotations

import pytest

from quotas.domain.keys import KeyKind, owner_key
from quotas.engine import server
from quotas.engine.connection import link
from quotas.errors import EngineUnavailable
from tests.engine.proxy import nobody


@pytest.fixture
def aimed(settings):
    def aim(**fields):
        entry = settings.CACHES["quotas"] | fields
        settings.CACHES = settings.CACHES | {"quotas": entry}

    return aim


def test_the_server_tells_of_itself(private_server):
    private_server.client().config_set("maxmemory", 64 * 1024 * 1024)
    private_server.client().config_set("maxmemory-policy", "volatile-lru")

    found = server.ask_server()

    assert found.product.split()[0] in {"Valkey", "Redis"}
    assert 0 < found.fastest_us <= found.median_us
    assert 0 < found.used_memory < found.max_memory == 64 * 1024 * 1024
    assert ("volatile-lru", False, True) == (
        found.eviction_policy, found.append_only, found.saved_well,
    )  # fmt: skip


def test_a_server_that_forbids_info_is_reachable_all_the_same(private_server, aimed):
    private_server.client().execute_command(
        "ACL", "SETUSER", "reader", "on", ">word", "~*", "+@all", "-info"
    )
    aimed(LOCATION=private_server.url.replace("://", "://reader:word@"))

    found = server.ask_server()

    assert found.median_us > 0
    assert (None, None, None) == (found.product, found.used_memory, found.eviction_policy)


@pytest.mark.parametrize("ask", [server.ask_server, server.count_keys])
def test_a_server_that_is_away_is_an_outage(aimed, ask):
    aimed(LOCATION=nobody())

    with pytest.raises(EngineUnavailable):
        ask()


@pytest.mark.parametrize("prefix", ["", "shop", "a*b[c]?\\d"])
def test_keys_of_ours_are_counted_by_kind_and_others_are_not(aimed, prefix):
    aimed(KEY_PREFIX=prefix)
    client, key = link()
    for number in range(2500):
        client.set(key(owner_key(f"t{number}")), 1)
    client.set(key("plans"), 1)
    client.set(key("cart:7"), 1)
    client.set("somebody:1:plans", 1)
    client.set("aXXb:1:plans", 1)

    found = server.count_keys()

    assert found.complete
    assert {KeyKind.OWNER: 2500, KeyKind.PLANS: 1} == dict(found.kinds)


@pytest.mark.parametrize(
    "bound", [pytest.param({"most": 1000}, id="number"), pytest.param({"clock": None}, id="time")]
)
def test_counting_ends_after_so_many_keys_or_a_second(bound):
    client, key = link()
    with client.pipeline() as pipeline:
        for number in range(5000):
            pipeline.set(key(owner_key(f"t{number}")), 1)
        pipeline.execute()
    if "clock" in bound:
        ticks = iter([0.0, 1.0])
        bound = {"clock": lambda: next(ticks)}

    found = server.count_keys(**bound)

    assert not found.complete
    assert 0 < found.kinds.total() < 5000
