from __future__ import annotations

from redis import Redis

from tests.running import run_tests

CHOSEN = "tests/services/test_limit_resets.py"


def test_tests_that_run_once_more_use_the_server_of_their_worker_and_leave_it_empty(
    redis_url, monkeypatch
):
    # The server that all workers share, each in a database of its own; here it would answer nobody.
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")

    done = run_tests(redis_url, CHOSEN, "-k", "rolled_back")

    assert 0 == done.returncode, done.stdout
    with Redis.from_url(redis_url) as client:
        assert 0 == client.dbsize()
