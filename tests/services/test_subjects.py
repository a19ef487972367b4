"""Who is counted: tenants, users, credentials and addresses, apart from each other."""

from __future__ import annotations

from itertools import permutations

import pytest

from quotas.engine.connection import link
from quotas.errors import NotInPlan, TenantRequired
from quotas.services.enforcement import Ask, enforce
from quotas.services.tenancy import choose, tenants_of
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user
from tests.services.asking import allowed, anonymous, ask, left, of_tenant, of_user, used

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

KINDS = ["tenant", "user", "credential", "address"]


@pytest.fixture
def plan(db):
    return a_plan("pro")


def test_I6_users_and_credentials_of_one_tenant_do_not_multiply_its_limit(plan):
    a_limit(plan)
    p, q = a_tenant("p", plan=plan), a_tenant("q", plan=plan)
    users = [a_membership(p).user for _ in range(3)]
    a_membership(q, users[0])

    answers = [
        ask(of_tenant(p, user=user, credential=f"key-{turn}")).decision.allowed
        for turn in range(4)
        for user in users
    ]

    assert (10, 2) == (answers.count(True), answers.count(False))
    assert {"minute": 9} == left(ask(of_user(users[0], "q")))
    assert {"minute": 10} == used("p")


def test_I6_a_person_in_two_tenants_is_counted_in_each_apart(plan):
    a_limit(plan, subject="user", amount=2)
    ann = a_user("ann")
    for key in ("p", "q"):
        a_membership(a_tenant(key, plan=plan), ann)

    assert [2, 2] == [allowed(of_user(ann, key), times=5) for key in ("p", "q")]


@pytest.mark.parametrize("subject", KINDS)
def test_each_subject_has_its_own_counter(plan, subject):
    a_limit(plan, subject=subject, amount=1)
    tenant = a_tenant(plan=plan)
    users = [a_user(), a_user()]
    callers = [
        of_tenant(tenant, user=user, credential=credential, address=address)
        for user in users
        for credential in ("key-1", "key-2")
        for address in ("192.0.2.1", "192.0.2.2")
    ]

    expected = {"tenant": 1, "user": 2, "credential": 2, "address": 2}[subject]
    assert expected == sum(allowed(caller) for caller in callers)


@pytest.mark.parametrize("with_tenant", [True, False], ids=["in-a-tenant", "without-one"])
@pytest.mark.parametrize(
    ("known", "amounts"),
    [
        pytest.param({"user_pk": 7, "credential": "key"}, 1, id="user-and-credential"),
        pytest.param({"user_pk": 7}, 1, id="user"),
        pytest.param({"credential": "key"}, 1, id="credential"),
        pytest.param({}, 1, id="address-alone"),
    ],
)
@pytest.mark.parametrize("algorithm", ["fixed_window", "sliding_window_log", "token_bucket"])
def test_limits_whose_subjects_come_down_to_one_are_each_enforced(
    plan, known, amounts, with_tenant, algorithm
):
    """In every order: each limit alone would deny the fourth call, or the second."""
    plan.is_anonymous = True
    plan.save()
    for scope, order in enumerate(permutations(KINDS)):
        for amount, subject in zip((9, 3, 9, 9), order, strict=True):
            a_limit(
                plan,
                scope=f"s{scope}",
                name=subject,
                subject=subject,
                amount=amount,
                algorithm=algorithm,
            )
    tenant = a_tenant(plan=plan) if with_tenant else None
    caller = of_tenant(tenant, **known)

    for scope in range(24):
        assert 3 == allowed(caller, f"s{scope}", times=5)
        assert {6, 0} == set(left(ask(caller, f"s{scope}")).values())


def test_a_user_with_and_without_a_credential_is_one_user(plan):
    a_limit(plan, subject="user", amount=2)
    tenant = a_tenant(plan=plan)

    callers = [of_tenant(tenant, user=7, credential=key) for key in (None, "one", "two")]

    assert [True, True, False] == [ask(each).decision.allowed for each in callers]


def test_a_text_of_a_throttles_own_is_counted_inside_the_tenant(plan):
    a_limit(plan, amount=1)
    acme, bolt = a_tenant(plan=plan), a_tenant(plan=plan)

    asked = [
        enforce(of_tenant(tenant), [Ask(scope="api", subject=text)]).decision.allowed
        for tenant in (acme, bolt)
        for text in ("store-1", "store-2", "store-1")
    ]

    assert [True, True, False] * 2 == asked


def test_I4_a_tenant_named_without_credentials_opens_no_counter():
    plan = a_plan("anonymous", is_anonymous=True)
    a_limit(plan, subject="address", amount=120, algorithm="sliding_window_log")
    for number in range(150):
        a_tenant(f"tenant-{number}")

    answers = [ask(anonymous("198.51.100.7")).decision.allowed for _ in range(150)]

    assert (120, 30) == (answers.count(True), answers.count(False))
    counters = [key.decode() for key in link().client.scan_iter() if b":c:" in key or b":l:" in key]
    assert {"{a198.51.100.7}"} == {key.split(":")[2] for key in counters}
    assert not any(b"tenant-" in key for key in link().client.scan_iter())


def test_a_user_without_any_tenant_has_the_anonymous_plan_and_is_counted_as_a_user():
    a_limit(a_plan(is_anonymous=True), subject="tenant", amount=2)
    ann, ben = a_user(), a_user()

    assert [2, 2] == [allowed(of_user(each), times=3) for each in (ann, ben)]
    assert ask(of_user(ann)).tenant is None


def test_without_an_anonymous_plan_a_caller_without_a_tenant_is_not_in_the_plan(plan):
    a_limit(plan)

    for caller in (anonymous(), of_user(a_user())):
        with pytest.raises(NotInPlan):
            ask(caller)


def test_an_anonymous_plan_that_is_off_is_none():
    a_limit(a_plan(is_anonymous=True, active=False))

    with pytest.raises(NotInPlan):
        ask(anonymous())


def test_the_only_tenant_of_a_user_is_the_one_whatever_is_named(plan):
    acme = a_membership(a_tenant("acme")).tenant
    user = acme.memberships.get().user
    a_tenant("foreign")

    assert {acme.pk} == {choose(user.pk, named) for named in (None, "acme", "foreign", "none", "")}


def test_of_several_tenants_the_users_own_that_is_named_then_the_default():
    user = a_user()
    p, q = (a_tenant(key) for key in "pq")
    a_membership(p, user)
    a_membership(q, user, is_default=True)
    a_tenant("foreign")

    assert p.pk == choose(user.pk, "p")
    assert {q.pk} == {choose(user.pk, named) for named in ("q", None, "foreign", "none")}
    assert ["p", "q"] == [each.tenant_key for each in tenants_of(user.pk)]


def test_of_several_tenants_without_a_default_one_must_be_named(plan):
    a_limit(plan)
    user = a_user()
    for key in ("p", "q"):
        a_membership(a_tenant(key, plan=plan), user)
    a_tenant("foreign", plan=plan)

    for named in (None, "foreign", "none"):
        with pytest.raises(TenantRequired) as refusal:
            ask(of_user(user, named))
    assert "tenant_required" == refusal.value.code
    assert "q" == ask(of_user(user, "q")).tenant.key


def test_nobodys_word_makes_anyone_a_member(plan):
    a_limit(plan)
    a_limit(a_plan(is_anonymous=True), subject="user")
    a_tenant("acme", plan=plan)

    assert ask(of_user(a_user(), "acme")).tenant is None


def test_a_tenant_that_does_not_exist_is_none():
    a_limit(a_plan(is_anonymous=True), subject="address")

    for unknown in ("nobody", 4711):
        assert ask(of_tenant(unknown)).tenant is None
