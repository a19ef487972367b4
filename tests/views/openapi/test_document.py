from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import include, path, resolve, reverse
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from rest_framework.authentication import BaseAuthentication, TokenAuthentication

from quotas.domain.words import Code
from quotas.urls import urlpatterns
from quotas.views.openapi.document import document
from quotas.views.twin import UsageData
from tests.checks.views import module
from tests.views.looking import a_customer, data, member_of, page
from tests.views.openapi.promised import Promise, Seen

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "json.md"


def schemas(found):
    """Every schema of the document, and of its parts."""
    if isinstance(found, dict):
        if {"type", "$ref", "anyOf"} & found.keys() and "in" not in found:
            yield found
        for each in found.values():
            yield from schemas(each)
    if isinstance(found, list):
        for each in found:
            yield from schemas(each)


def components():
    return list(schemas(document()["components"]["schemas"]))


def kinds(schema):
    kind = schema.get("type", ())
    return {kind} if isinstance(kind, str) else {*kind}


def test_it_is_a_valid_document_of_openapi_3_1():
    found = json.loads(Client().get("/quotas/openapi.json").content)

    validate(found, cls=OpenAPIV31SpecValidator)

    assert found["openapi"].startswith("3.1.")
    assert document() == found


def test_everybody_may_read_and_keep_it_and_it_asks_nothing(
    django_assert_num_queries, everything_in_redis
):
    assert "/quotas/openapi.json" == reverse("quotas:openapi")

    with django_assert_num_queries(0):
        found = Client().get("/quotas/openapi.json")

    assert (200, "application/json") == (found.status_code, found["Content-Type"])
    assert {"public", "max-age=3600"} == set(found["Cache-Control"].split(", "))
    assert "Cookie" not in found.get("Vary", "")
    assert not found.cookies
    assert {} == everything_in_redis()
    assert 405 == Client().post("/quotas/openapi.json").status_code


def test_a_tenant_of_the_same_key_has_its_own_pages():
    tenant = a_customer({"name": "minute"}, key="openapi.json", name="Open Ltd")
    client = member_of(tenant)

    assert "Open Ltd" in page(client, tenant).content.decode()
    assert "Open Ltd" == data(client, tenant).json()["tenant"]["name"]
    assert "openapi" in client.get("/quotas/openapi.json").json()


@pytest.mark.parametrize(
    ("prefix", "server"), [("", "/"), ("quotas/", "/quotas"), ("a/b/", "/a/b")]
)
def test_the_server_is_where_the_pages_are(settings, prefix, server):
    settings.ROOT_URLCONF = module([path(prefix, include("quotas.urls"))])

    found = Client().get(f"/{prefix}openapi.json").json()

    assert [server] == [each["url"] for each in found["servers"]]


def test_every_address_of_data_is_documented_and_leads_to_its_view():
    names = {each.name for each in urlpatterns}
    of_data = {each for each in names if each.endswith(("-data", "-export"))}

    led = {
        resolve(f"/quotas{address.format(tenant='acme', decision='x')}").url_name
        for address in document()["paths"]
    }

    assert of_data == led


def test_every_property_is_described():
    for schema in components():
        for name, each in schema.get("properties", {}).items():
            assert each["description"].endswith("."), name


def test_every_number_has_a_unit_and_every_instant_a_format():
    for schema in components():
        for name, each in schema.get("properties", {}).items():
            if {"integer", "number"} & kinds(each) and "const" not in each:
                assert each["x-unit"], name
            if name in {"start", "end", "from", "until", "since"} or name.endswith("_at"):
                known = each.get("format") == "date-time" or each.get("type") == "array"
                assert known, name


def test_every_object_is_closed_and_promises_all_but_the_address_of_a_denial():
    found = [each for each in components() if "properties" in each]

    assert found
    for each in found:
        assert each["additionalProperties"] is False
        assert each["properties"].keys() - {*each["required"]} <= {"instance"}


def test_every_code_of_a_refusal_is_documented():
    found = document()["components"]["schemas"]
    refusals = ("QuotaExceeded", "Refused", "LimiterUnavailable")

    codes = [code for each in refusals for code in found[each]["properties"]["code"]["enum"]]

    assert sorted(Code) == sorted(codes)


class OwnAuthentication(BaseAuthentication):
    """A project's own."""


@pytest.mark.parametrize(
    ("classes", "security"),
    [
        pytest.param([TokenAuthentication], [{"token": []}], id="token"),
        pytest.param([OwnAuthentication], [], id="own"),
        pytest.param([type("Own", (TokenAuthentication,), {})], [{"token": []}], id="derived"),
        pytest.param(None, [{"session": []}, {"basic": []}], id="by-default"),
    ],
)
def test_data_are_read_as_the_api_authenticates_and_the_file_by_logging_in(
    monkeypatch, classes, security
):
    if classes is not None:
        monkeypatch.setattr(UsageData, "authentication_classes", classes)

    found = document()["paths"]

    assert security == found["/{tenant}/usage.json"]["get"]["security"]
    assert [{"session": []}] == found["/{tenant}/usage.csv"]["get"]["security"]


def test_the_example_of_the_guide_is_as_documented():
    [example] = re.findall(r"```json\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    promise, usage = Promise(), {"$ref": "#/components/schemas/Usage"}

    shown = json.loads(example)

    Seen(promise).add(usage, shown)  # raises for a key that is not documented
    faults = promise.faults(usage, shown)
    assert [] == [each for each in faults if "is a required property" not in each]


def test_the_guide_names_every_parameter_and_column():
    text = GUIDE.read_text()

    for name in document()["components"]["parameters"]:
        assert f"`{name}`" in text, name
    for name in document()["components"]["schemas"]["ExportLine"]["properties"]:
        assert f"`{name}`" in text, name
