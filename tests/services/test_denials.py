"""Ids of denied calls: each carries its own denial, and nobody else can make one."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

import pytest
from django.core.signing import Signer, b64_decode
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from quotas.domain.denials import Denial
from quotas.domain.keys import digest
from quotas.domain.limits import MOST_AMOUNT
from quotas.errors import BadDecisionId, QuotasError
from quotas.services.denials import decision_id, denial_of, short_id
from tests import START_US

DENIAL = Denial(
    tenant_pk=7,
    at_us=START_US + 123_456,
    scope="reports",
    name="minute",
    cost=3,
    retry_after=60,
    operation="POST api/reports/<int:pk>/",
)
TEXTS = st.text(st.characters(codec="utf-8"))
DENIALS = st.builds(
    Denial,
    tenant_pk=st.integers(1, 2**63 - 1),
    at_us=st.integers(1, 2**52),
    scope=TEXTS,
    name=TEXTS,
    cost=st.integers(1, 2**70),
    retry_after=st.none() | st.integers(1, 2**53 // 10**6 + 1),
    operation=TEXTS,
)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({}, id="usual"),
        pytest.param({"retry_after": None}, id="never"),
        pytest.param({"operation": ""}, id="operation-not-known"),
        pytest.param({"scope": "*", "operation": "GET レポート/"}, id="japanese"),
        pytest.param({"scope": "s" * 60, "operation": "", "name": "n" * 50}, id="longest"),
        pytest.param({"tenant_pk": 2**63 - 1, "cost": MOST_AMOUNT + 1}, id="largest"),
        pytest.param({"retry_after": 2**53 // 10**6}, id="longest-wait"),
    ],
)
def test_an_id_carries_its_denial(changed):
    denial = replace(DENIAL, **changed)

    assert denial == denial_of(decision_id(denial))


@given(DENIALS)
def test_any_denial_has_one_short_id_that_can_stand_in_an_address(denial):
    found = decision_id(denial)

    assert len(found) <= 250
    assert found == quote(found, safe="")
    assert found == decision_id(replace(denial)) == decision_id(denial_of(found))
    assert short_id(denial) == short_id(denial_of(found))
    assert re.fullmatch("[a-z2-7]{4}-[a-z2-7]{4}", short_id(denial))


def test_what_is_too_long_goes_in_by_its_digest_and_the_operation_by_its_beginning():
    long = replace(DENIAL, scope="s" * 61, name="n" * 51, operation="GET é" + "é" * 75)

    found = denial_of(decision_id(long))

    assert (digest("s" * 61), digest("n" * 51)) == (found.scope, found.name)
    assert long.operation.startswith(found.operation)
    assert len(found.operation.encode()) in {74, 75}
    assert decision_id(long) == decision_id(replace(long, scope=digest("s" * 61)))


@pytest.mark.parametrize("field", ["tenant_pk", "at_us", "cost", "retry_after"])
def test_two_denials_have_two_ids(field):
    other = replace(DENIAL, **{field: getattr(DENIAL, field) + 1})

    assert decision_id(DENIAL) != decision_id(other)
    assert short_id(DENIAL) != short_id(other)


def _signed(packed):
    return Signer(salt="quotas.denials", sep=".").sign(packed)


VALUE, _, SIGNATURE = decision_id(DENIAL).partition(".")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("acme", id="a-key"),
        pytest.param(".", id="a-dot"),
        pytest.param(VALUE, id="unsigned"),
        pytest.param(f"{VALUE}.", id="signature-cut-off"),
        pytest.param(f"{VALUE}.{SIGNATURE[:-1]}", id="truncated"),
        pytest.param(f"{VALUE}.{SIGNATURE}A", id="lengthened"),
        pytest.param(f"{VALUE}.{'A' * 43}", id="wrong-signature"),
        pytest.param(f"{VALUE[:-4]}.{SIGNATURE}", id="value-truncated"),
        pytest.param(f"B{VALUE[1:]}.{SIGNATURE}", id="value-changed"),
        pytest.param(f"{VALUE}.{SIGNATURE}\n", id="line-break"),
        pytest.param(f"{VALUE}.{SIGNATURE[:-1]}é", id="not-ascii"),
        pytest.param(f"{VALUE}.{SIGNATURE[:-1]}\udcff", id="surrogate"),
        pytest.param(f"{'A' * 10**6}.{SIGNATURE}", id="absurd"),
        pytest.param(_signed("AAAA"), id="ours-but-too-short"),
        pytest.param(_signed("A"), id="ours-but-no-base64"),
        pytest.param(_signed(f"Ag{VALUE[2:]}"), id="version-2"),
        pytest.param(Signer(sep=".").sign(VALUE), id="another-salt"),
        pytest.param(Signer(key="x", salt="quotas.denials", sep=".").sign(VALUE), id="another-key"),
        pytest.param(decision_id(DENIAL).encode(), id="bytes"),
        pytest.param(None, id="none"),
    ],
)
def test_what_is_no_id_of_ours_is_refused(text):
    with pytest.raises(BadDecisionId) as refused:
        denial_of(text)

    assert isinstance(refused.value, QuotasError)


def test_version_2_of_the_test_above_differs_by_its_version_alone():
    assert b64_decode(VALUE.encode())[1:] == b64_decode(f"Ag{VALUE[2:]}".encode())[1:]


def test_no_letter_of_an_id_can_be_changed():
    found = decision_id(DENIAL)

    for place, letter in enumerate(found):
        other = "B" if letter == "A" else "A"
        with pytest.raises(BadDecisionId):
            denial_of(found[:place] + other + found[place + 1 :])


def test_ids_under_a_former_key_are_read_as_long_as_it_is_a_fallback():
    with override_settings(SECRET_KEY="the former one"):
        former = decision_id(DENIAL)

    with pytest.raises(BadDecisionId):
        denial_of(former)
    with override_settings(SECRET_KEY_FALLBACKS=["the former one"]):
        assert DENIAL == denial_of(former)
        assert former != decision_id(DENIAL)
        assert short_id(DENIAL) == short_id(denial_of(former))
