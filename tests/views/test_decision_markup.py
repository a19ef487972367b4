"""The page of a denied call as a document: its language, its parts, and no markup of others."""

from __future__ import annotations

import pytest
from django.utils import translation

from quotas.services.denials import decision_id
from tests.views.denying import a_denial, decision
from tests.views.looking import Reading, a_customer, member_of

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]


def test_what_an_id_carries_is_text_and_no_markup():
    markup = "<script>alert(1)</script>"
    tenant = a_customer(
        {"name": "minute", "title": markup}, name="<img src=x onerror=alert(2)>", key="<b>"
    )
    client = member_of(tenant)
    texts = {"scope": markup, "name": "<i>", "operation": f"GET {markup}"}

    for fields in ({}, texts):
        shown = Reading(decision(client, a_denial(tenant, **fields)))
        assert not [tag for tag in ("script", "img", "b", "i") if shown.all(tag)]
        assert markup in shown.text


def test_a_page_is_in_the_language_of_its_reader_and_its_id_in_none(clock):
    tenant = a_customer({"name": "minute", "amount": 10**6})
    client = member_of(tenant)
    denial = a_denial(tenant, cost=1234)
    with translation.override("de"):
        shown = Reading(decision(client, denial))
        there = decision_id(denial)

    assert "de" == shown.all("html")[0]["lang"]
    assert "1.234" in shown.text
    assert there == decision_id(denial)


def test_the_page_has_one_heading_ids_given_once_and_no_script_or_style_of_its_own():
    tenant = a_customer({"name": "minute"})

    response = decision(member_of(tenant), a_denial(tenant))
    shown = Reading(response)

    assert 1 == len(shown.all("h1"))
    ids = [each["id"] for _, each in shown.elements if "id" in each]
    assert len(ids) == len(set(ids))
    assert not [each for tag in ("script", "style") for each in shown.all(tag)]
    assert not [each for _, each in shown.elements if "style" in each]
