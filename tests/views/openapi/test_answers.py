"""Every answer is what the document promises, and the document promises nothing else."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.utils import translation
from jsonschema import FormatChecker

from quotas.testing import forget
from tests.models.rows import a_tenant
from tests.views.denying import a_denial, decision_data
from tests.views.looking import a_customer, data, export, member_of
from tests.views.openapi.promised import (
    DECISION,
    EXPORT,
    USAGE,
    Promise,
    Seen,
    limit_headers,
    lines,
)
from tests.views.openapi.states import ASIDE, STATES

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]


@pytest.fixture
def stage(clock, settings, monkeypatch):
    return SimpleNamespace(clock=clock, settings=settings, monkeypatch=monkeypatch)


def bodies(promise, answers, met=None):
    """(schema, value) of each body of JSON, and of each line of a file.

    What each is an answer of is added to ``met``.
    """
    for where, response in answers:
        if where in ASIDE:
            continue
        promised = promise.answer(where, response)
        assert limit_headers(response) <= promised.get("headers", {}).keys()
        if met is not None:
            met.add((where, str(response.status_code)))
        if "content" not in promised:
            assert b"" == response.content
            continue
        schema = promise.schema(where, response)
        if "json" in response["Content-Type"]:
            yield schema, response.json()
        elif (where, response.status_code) == (EXPORT, 200):
            for line in lines(response):
                yield {"$ref": "#/components/schemas/ExportLine"}, line


def test_the_formats_of_instants_are_really_looked_at():
    assert not FormatChecker().conforms("2026-10-27T09:00:00", "date-time")
    assert FormatChecker().conforms("2026-10-27T09:00:00+09:00", "date-time")


@pytest.mark.parametrize("state", STATES, ids=lambda each: each.__name__)
def test_an_answer_is_what_the_document_promises(stage, state, caplog):
    promise = Promise()

    found = list(bodies(promise, state(stage)))

    assert found
    assert [] == [fault for each in found for fault in promise.faults(*each)]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_shape_is_the_same_in_every_language(stage, language):
    promise, tenant = Promise(), a_customer({"name": "minute"})

    with translation.override(language):
        found = data(member_of(tenant), tenant)

    assert [] == promise.faults(promise.schema(USAGE, found), found.json())


def test_every_documented_property_null_and_answer_occurs(stage, caplog):
    promise, met = Promise(), set()
    seen = Seen(promise)

    for state in STATES:
        forget()
        for schema, value in bodies(promise, state(stage), met):
            seen.add(schema, value)

    documented = promise.documented()
    assert set() == documented.keys() - seen.valued
    assert set() == {each for each, null in documented.items() if null} - seen.null
    paths = promise.document["paths"].items()
    answers = {(where, each) for where, asked in paths for each in asked["get"]["responses"]}
    assert set() == answers - met


def test_a_key_that_is_not_documented_is_a_fault(clock):
    promise, tenant = Promise(), a_customer({"name": "minute"})
    found = data(member_of(tenant), tenant)
    schema, value = promise.schema(USAGE, found), found.json()
    value["limits"][0]["more"] = 1
    value["history"]["buckets"][0].pop("end")
    value["month"]["this"]["start"] = "yesterday"
    value["state"] = "fine"

    faults = promise.faults(schema, value)

    for said in ("'more' was unexpected", "'end' is a required", "'yesterday' is not", "'fine' is"):
        assert 1 == sum(said in each for each in faults), said


@pytest.mark.parametrize("dialects", [(), ("draft-11",), ("x-ratelimit", "draft-11")])
def test_the_headers_of_an_answer_are_those_of_the_dialects_in_use(clock, settings, dialects):
    settings.QUOTAS_HEADERS = dialects
    promise, tenant = Promise(), a_tenant()
    client = member_of(tenant)

    answers = [
        (USAGE, data(client, tenant)),
        (EXPORT, export(client, tenant)),
        (USAGE, data(client, tenant, to="soon")),
        (EXPORT, export(client, tenant, to="soon")),
        (USAGE, client.get("/quotas/nobody/usage.json")),
        (EXPORT, client.get("/quotas/nobody/usage.csv")),
        (DECISION, decision_data(client, a_denial(tenant))),
        (DECISION, client.get("/quotas/decisions/none/decision.json")),
    ]

    for where, found in answers:
        promised = promise.answer(where, found)["headers"].keys() - {"Content-Disposition"}
        assert promised == limit_headers(found)


def test_the_columns_of_the_file_are_those_of_the_document(clock):
    promise, tenant = Promise(), a_tenant()

    found = export(member_of(tenant), tenant)

    columns = found.content.decode().splitlines()[0].split(",")
    assert columns == promise.schema(EXPORT, found)["x-columns"]
    line = promise.document["components"]["schemas"]["ExportLine"]
    assert columns == list(line["properties"])
