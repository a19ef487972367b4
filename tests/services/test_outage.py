"""While Redis gives no answer each limit's own policy decides, within one timeout."""

from __future__ import annotations

import time
from contextlib import contextmanager

import pytest

from quotas.domain.words import Outcome
from quotas.services import loading
from quotas.services.enforcement import Ask, enforce
from quotas.services.outage import outage
from quotas.services.usage import usage_of
from quotas.signals import engine_unavailable
from quotas.testing import forget
from tests.engine.proxy import black_hole, nobody
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant
from tests.services.asking import anonymous, ask, in_code, left, of_tenant, of_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

TIMEOUT = 0.5
ON_OUTAGE = {"allow": Outcome.ALLOWED_ON_OUTAGE, "deny": Outcome.DENIED_ON_OUTAGE}


@pytest.fixture
def plan(db):
    return a_plan("pro")


@pytest.fixture
def user(plan):
    return a_membership(a_tenant("acme", plan=plan)).user


@pytest.fixture
def aimed(settings):
    """Aim the ``quotas`` cache at an address, with other OPTIONS besides."""
    settings.QUOTAS_TIMEOUT = TIMEOUT

    def aim(url, **options):
        quotas = settings.CACHES["quotas"]
        entry = quotas | {"LOCATION": url, "OPTIONS": quotas["OPTIONS"] | options}
        settings.CACHES = settings.CACHES | {"quotas": entry}

    return aim


@pytest.fixture
def signals():
    heard = []

    def hear(sender, error, missed, **_):
        heard.append(missed)

    engine_unavailable.connect(hear)
    yield heard
    engine_unavailable.disconnect(hear)


@contextmanager
def taking(least, most):
    """Asserts how many seconds the block takes."""
    began = time.monotonic()
    yield
    assert least <= time.monotonic() - began < most


@pytest.mark.parametrize("ignores", [True, False], ids=["cache-ignores-errors", "cache-raises"])
@pytest.mark.parametrize("policy", ["allow", "deny"])
@pytest.mark.parametrize("away", ["refused", "timed-out"])
@pytest.mark.usefixtures("user")
def test_F4_the_outage_policy_answers_whatever_the_cache_does_with_errors(
    plan, aimed, caplog, signals, ignores, policy, away
):
    a_limit(plan, amount=1, outage_policy=policy)
    with black_hole() as hole:
        aimed(hole if away == "timed-out" else nobody(), IGNORE_EXCEPTIONS=ignores)

        answers = [ask(of_tenant("acme")).decision for _ in range(3)]

    assert [ON_OUTAGE[policy]] * 3 == [each.outcome for each in answers]
    assert [policy == "allow"] * 3 == [each.allowed for each in answers]
    assert {((), None)} == {(each.verdicts, each.retry_after_seconds) for each in answers}
    assert 1 == sum("cannot reach Redis" in each.getMessage() for each in caplog.records)
    assert [1] == signals


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        pytest.param([("allow", "enforce"), ("allow", "enforce")], "allow", id="all-allow"),
        pytest.param([("allow", "enforce"), ("deny", "enforce")], "deny", id="one-denies"),
        pytest.param(
            [("allow", "enforce"), ("deny", "shadow")], "allow", id="a-shadow-denies-never"
        ),
        pytest.param([("allow", "enforce"), ("deny", "off")], "allow", id="off-is-not-asked"),
        pytest.param([("deny", "off")], "allow", id="no-limit-left"),
    ],
)
def test_each_limit_has_its_own_policy(plan, user, aimed, policies, expected):
    for number, (policy, mode) in enumerate(policies):
        a_limit(plan, name=f"limit-{number}", outage_policy=policy, mode=mode)
    aimed(nobody())

    assert ON_OUTAGE[expected] is ask(of_tenant("acme")).decision.outcome


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        pytest.param(known, kind, id=f"{kind}-{'warm' if known else 'cold'}")
        for known in (True, False)
        for kind in ("tenant", "membership", "anonymous", "in-code", "drop-in")
    ],
)
def test_a_request_waits_for_one_timeout_whatever_the_process_knows(plan, user, aimed, known, kind):
    a_limit(plan)
    a_limit(a_plan(is_anonymous=True), subject="address")

    def request():
        if kind == "in-code":
            return enforce(of_user(user), [Ask(limit=in_code()), Ask(scope="api")])
        if kind == "drop-in":
            return enforce(anonymous(), [Ask(limit=in_code(), counted="a")])
        callers = {"tenant": of_tenant("acme"), "membership": of_user(user)}
        return ask(callers.get(kind) or anonymous())

    if known:
        request()
    with black_hole() as hole:
        aimed(hole)
        with taking(TIMEOUT, 2 * TIMEOUT):
            answer = request()

    assert Outcome.ALLOWED_ON_OUTAGE is answer.decision.outcome


def test_a_process_whose_memory_is_old_waits_for_one_timeout_too(plan, user, aimed, later):
    a_limit(plan)
    ask(of_user(user))
    with black_hole() as hole:
        aimed(hole)
        later(61)

        with taking(TIMEOUT, 2 * TIMEOUT):
            ask(of_user(user))


def test_the_usage_page_waits_for_one_timeout_and_says_that_it_does_not_know(plan, user, aimed):
    a_limit(plan)
    a_limit(plan, name="month", algorithm="calendar_quota", unit="month", period=None)
    with black_hole() as hole:
        aimed(hole)

        with taking(TIMEOUT, 2 * TIMEOUT):
            usage = usage_of("acme", user_pk=user.pk)

    assert usage.outage
    assert ["minute", "month"] == [line.limit.name for line in usage.lines]
    for line in usage.lines:
        assert (None,) * 4 == (line.used, line.remaining, line.next_admission_us, line.percent)


def test_one_line_and_one_signal_an_interval_tell_how_many_were_missed(
    plan, user, aimed, caplog, signals
):
    a_limit(plan)
    aimed(nobody())

    for _ in range(5):
        ask(of_tenant("acme"))
    assert [1] == signals
    outage.told_at -= 10.1
    for _ in range(3):
        ask(of_tenant("acme"))

    assert [1, 5] == signals
    assert 2 == sum("cannot reach Redis" in each.getMessage() for each in caplog.records)


def test_an_outage_between_two_lines_is_not_told_before_the_interval_that_is_set(
    plan, user, aimed, settings, signals
):
    a_limit(plan)
    aimed(nobody())
    settings.QUOTAS_OUTAGE_LOG_INTERVAL = 0

    for _ in range(3):
        ask(of_tenant("acme"))

    assert [1, 1, 1] == signals


def test_a_listener_that_fails_fails_no_request(plan, user, aimed):
    def broken(**_):
        raise RuntimeError("broken listener")

    a_limit(plan)
    aimed(nobody())
    engine_unavailable.connect(broken)
    try:
        assert ask(of_tenant("acme")).decision.allowed
    finally:
        engine_unavailable.disconnect(broken)


def test_the_request_after_the_return_of_redis_is_counted_again(plan, user, private_server):
    a_limit(plan, outage_policy="deny")
    assert {"minute": 9} == left(ask(of_tenant("acme")))

    private_server.stop()
    assert [Outcome.DENIED_ON_OUTAGE] * 3 == [
        ask(of_tenant("acme")).decision.outcome for _ in range(3)
    ]
    private_server.start()

    assert {"minute": 9} == left(ask(of_tenant("acme")))


def test_a_process_that_was_started_during_an_outage_is_in_order_after_it(
    plan, user, private_server
):
    a_limit(plan)
    private_server.stop()
    assert Outcome.ALLOWED_ON_OUTAGE is ask(of_user(user)).decision.outcome
    private_server.start()

    assert [9, 8] == [left(ask(of_user(user)))["minute"] for _ in range(2)]


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("CONFIG", "SET", "maxmemory", "1mb"), id="out-of-memory"),
        pytest.param(("REPLICAOF", "127.0.0.1", "1"), id="read-only-replica"),
        pytest.param(("CONFIG", "SET", "requirepass", "secret"), id="password-changed"),
    ],
)
def test_a_server_that_answers_with_an_error_is_an_outage(plan, user, private_server, command):
    a_limit(plan, outage_policy="deny")
    ask(of_tenant("acme"))
    client = private_server.client()
    if "maxmemory" in command:
        client.set("large", b"x" * 2_000_000)
    client.execute_command(*command)
    if "requirepass" in command:
        client.client_kill_filter(_type="normal", skipme=True)

    assert Outcome.DENIED_ON_OUTAGE is ask(of_tenant("acme")).decision.outcome


def test_giving_back_during_an_outage_raises_nothing_and_the_lease_frees_the_place(
    plan, user, private_server, settings, clock
):
    settings.QUOTAS_TIMEOUT = TIMEOUT
    a_limit(plan, algorithm="concurrency", amount=1, period=None)
    held = ask(of_tenant("acme"))

    private_server.hang()
    held.give_back()
    private_server.resume()

    clock.tick(60)
    assert ask(of_tenant("acme")).decision.allowed


def test_an_answer_given_on_an_outage_has_nothing_to_give_back(plan, user, aimed):
    a_limit(plan, algorithm="concurrency", amount=1, period=None)
    aimed(nobody())

    answer = ask(of_tenant("acme"))

    assert not answer.decision.holds_slots
    answer.give_back()
    assert ("acme", "pro") == (answer.tenant.key, answer.plan_key)


def test_a_cold_process_asks_the_database_no_more_often_during_an_outage(
    plan, user, aimed, django_assert_num_queries, monkeypatch
):
    a_limit(plan)
    aimed(nobody())
    ask(of_user(user))
    ask(of_user(user))

    def never(*_, **__):
        raise AssertionError("the database is asked although everything is known")

    monkeypatch.setattr(loading, "load_tenant", never)
    monkeypatch.setattr(loading, "load_memberships", never)
    with django_assert_num_queries(0):
        for _ in range(5):
            ask(of_user(user))
    forget()
