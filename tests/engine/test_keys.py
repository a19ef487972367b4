"""Names of keys: bounded, printable, without secrets, and apart for whoever is counted apart."""

from __future__ import annotations

import unicodedata

import pytest

from quotas.domain.keys import (
    Subject,
    digest,
    owner_key,
    subject_text,
    tenant_tag,
    user_tag,
)
from quotas.domain.words import Algorithm, SubjectKind
from quotas.engine.connection import link
from tests.engine.asking import Asker, every_key, limit, one
from tests.engine.watching import slot_of

MOST_LETTERS = 200
SECRET = "tok-example-1"
LONG = "s" * 3_999
ODD_TEXTS = [
    pytest.param("198.51.100.7, 192.0.2.10", id="two-addresses"),
    pytest.param("東京支店", id="unicode"),
    pytest.param("a b\tc\r\nd\0e\x7f", id="white-space-and-controls"),
    pytest.param("{t1}:c:reports", id="braces-and-colons"),
    pytest.param("}{", id="braces-reversed"),
    pytest.param("*", id="star"),
    pytest.param("", id="empty"),
    pytest.param(LONG, id="long"),
    pytest.param("\ud800", id="lone-surrogate"),
    pytest.param("e\u0301", id="decomposed"),
    pytest.param("~aaaaaaaaaaaaaaaaaaaaaaaa", id="like-a-digest"),
]


def all_limits(scope):
    return [limit(each.value, 5, 86_400, scope=scope, name=each.value) for each in Algorithm]


def assert_fit(keys):
    for key in keys:
        assert len(key) <= MOST_LETTERS
        assert key.isascii()
        assert key.isprintable()
        assert not any(unicodedata.category(letter).startswith("Z") for letter in key)


@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("kind", [pytest.param(each, id=each.value) for each in SubjectKind])
def test_I2_any_text_makes_keys_that_are_short_printable_and_without_white_space(text, kind):
    asker = Asker(*all_limits(text), tag=tenant_tag(text), text=subject_text(kind, text))

    assert asker.consume().allowed

    assert 1 + 3 == len(every_key())
    assert_fit(every_key())
    assert len({slot_of(key) for key in every_key()}) == 1


def test_I2_no_key_contains_the_token():
    asker = Asker(
        *all_limits("reports"), text=subject_text(SubjectKind.CREDENTIAL, f"Token {SECRET}")
    )
    asker.consume()
    short = Asker(
        *all_limits("reports"), tag="c1", text=subject_text(SubjectKind.CREDENTIAL, SECRET)
    )
    short.consume()

    assert every_key()
    assert not any(SECRET in key or "tok-" in key for key in every_key())


@pytest.mark.parametrize("part", ["scope", "subject", "tag", "log name"])
def test_I2_two_long_values_that_differ_in_the_last_letter_are_counted_apart(part):
    def asker(text):
        if part == "scope":
            return Asker(*all_limits(text))
        if part == "log name":
            return Asker(limit("sliding_window_log", 5, name=text))
        if part == "tag":
            return Asker(*all_limits("reports"), tag=tenant_tag(text))
        return Asker(*all_limits("reports"), text=subject_text(SubjectKind.USER, text))

    first, second = asker(LONG + "a"), asker(LONG + "b")
    first.consume()
    before = every_key()
    decision = second.consume()

    assert {4} == {verdict.remaining for verdict in decision.verdicts}
    if part != "log name":
        assert 2 * len(before) == len(every_key())
    assert_fit(every_key())


APART = [
    pytest.param("a", "A", id="letter-case"),
    pytest.param("e\u0301", "é", id="composition"),
    pytest.param("reports", "reports ", id="trailing-space"),
    pytest.param("", " ", id="nothing-and-space"),
    pytest.param("a:b", "a_b", id="colon"),
    pytest.param("t1", digest("t1"), id="a-text-and-its-digest"),
    pytest.param("x" * 40, "x" * 41, id="as-long-as-a-plain-word-may-be"),
    pytest.param("{a}", "a", id="braces"),
]


@pytest.mark.parametrize(("one_text", "other"), APART)
@pytest.mark.parametrize("where", ["scope", "tenant", "user", "credential"])
def test_texts_that_are_not_the_same_are_counted_apart(one_text, other, where):
    def asker(text):
        if where == "scope":
            return Asker(limit("token_bucket", 5, scope=text))
        if where == "tenant":
            return Asker(limit("token_bucket", 5), tag=tenant_tag(text))
        return Asker(limit("token_bucket", 5), text=subject_text(SubjectKind(where), text))

    asker(one_text).consume()

    assert 4 == one(asker(other).consume()).remaining


def test_a_user_a_credential_and_an_address_of_the_same_text_are_counted_apart():
    texts = {subject_text(kind, "7") for kind in SubjectKind} | {
        "x" + digest("7"),
        "k" + digest("7"),
    }

    assert len(SubjectKind) + 2 == len(texts)
    assert tenant_tag(7) != user_tag(7)


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::", "2001:db8:0:1::"])
def test_an_address_can_be_read_in_its_key(address):
    assert address.replace(":", "_") in subject_text(SubjectKind.ADDRESS, address)


def test_a_scope_of_one_tenant_is_never_another_tenants_tag():
    """Every part but the scope's colons is escaped, so that no text can reach over."""
    a = Subject("t1", "u1:c:reports:u2")
    keys = {a.key("c", "reports"), Subject("t1", "u1").key("c", "reports:u1:c:reports")}

    assert 2 == len(keys)
    assert owner_key("t1") not in keys


def test_keys_of_two_tenants_never_meet():
    for tag in (tenant_tag(1), tenant_tag(11), user_tag(1)):
        Asker(*all_limits("reports"), tag=tag).consume()

    assert 12 == len(every_key())
    assert {"{t1}", "{t11}", "{u1}"} == {key.split(":")[2] for key in every_key()}


def test_the_prefix_and_version_of_the_cache_stand_before_every_key():
    Asker(*all_limits("reports")).consume()

    start = link().key("")
    assert start
    assert all(key.startswith(start) for key in every_key())
