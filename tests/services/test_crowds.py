"""Many threads of one process, while staff edit: exactly as much is admitted as the limit says."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import chain
from threading import Event

import pytest
from django.db import connections

from quotas.domain.keys import tenant_tag
from quotas.domain.words import Outcome
from quotas.engine import limiter, owners
from quotas.services.enforcement import MOST_TRIES
from quotas.testing import forget
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user
from tests.services.asking import ask, of_tenant, of_user, used

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

DAY = timedelta(days=1)
THREADS, CALLS = 16, 20
ALGORITHMS = ["token_bucket", "sliding_window_log", "calendar_quota", "sliding_window_counter"]


@pytest.fixture
def tenant(transactional_db):
    plan = a_plan("pro")
    for algorithm in ALGORITHMS:
        numbers = (
            {"unit": "day", "period": None} if algorithm == "calendar_quota" else {"period": DAY}
        )
        a_limit(plan, name=algorithm, algorithm=algorithm, amount=100, **numbers)
    return a_tenant("acme", plan=plan)


def in_threads(request, threads=THREADS):
    """The results of ``request(number)`` in so many threads, which leave no connection open."""

    def run(number):
        try:
            return request(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def asking(caller):
    return lambda _: [ask(caller).decision.outcome for _ in range(CALLS)]


def test_a_cold_process_under_load_admits_exactly_what_fits(tenant):
    outcomes = in_threads(asking(of_tenant(tenant)))

    expected = {Outcome.ALLOWED: 100, Outcome.DENIED: THREADS * CALLS - 100}
    assert expected == Counter(chain.from_iterable(outcomes))
    assert {100} == set(used("acme").values())


def test_edits_without_end_stop_no_request_and_charge_nothing_twice(tenant):
    """Faster than a policy can be read: in the end the last one read decides."""
    done = Event()

    def edit():
        while not done.is_set():
            owners.bump([tenant_tag(tenant.pk)])

    with ThreadPoolExecutor(1) as staff:
        staff.submit(edit)
        try:
            outcomes = in_threads(asking(of_tenant(tenant)), threads=4)
        finally:
            done.set()

    assert {Outcome.ALLOWED: 80} == Counter(chain.from_iterable(outcomes))
    assert {80} == set(used("acme").values())


def test_an_edit_before_each_try_ends_in_a_decision_that_is_charged_once(tenant, monkeypatch):
    usual, tries = limiter.consume, []

    def consume_after_an_edit(*args, **options):
        owners.bump([tenant_tag(tenant.pk)])
        tries.append(options["owner"])
        return usual(*args, **options)

    monkeypatch.setattr(limiter, "consume", consume_after_an_edit)
    outcome = ask(of_tenant(tenant)).decision.outcome

    assert Outcome.ALLOWED == outcome
    assert {1} == set(used("acme").values())
    assert MOST_TRIES == len(tries)


def test_a_process_that_forgets_everything_all_the_time_counts_as_well(tenant):
    def request(_):
        outcomes = []
        for _ in range(CALLS):
            forget()
            outcomes.append(ask(of_tenant(tenant)).decision.outcome)
        return outcomes

    outcomes = in_threads(request, threads=8)

    assert 100 == Counter(chain.from_iterable(outcomes))[Outcome.ALLOWED]


def test_users_of_two_tenants_in_many_threads_are_never_taken_for_each_other(tenant):
    other = a_tenant("bolt", plan=tenant.plan)
    users = [a_membership((tenant, other)[number % 2], a_user()).user for number in range(8)]

    def request(number):
        answers = [ask(of_user(users[number])) for _ in range(CALLS)]
        return {(answer.tenant.key, number % 2) for answer in answers}

    seen = set.union(*in_threads(request, threads=8))

    assert {("acme", 0), ("bolt", 1)} == seen
    assert [{80}, {80}] == [set(used(key).values()) for key in ("acme", "bolt")]
