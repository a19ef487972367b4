"""For which tenant a request acts: by its credential, else by membership, never by its word."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from rest_framework.authtoken.models import Token

from quotas.drf.tenants import credential_owner, header_text, resolve_tenant, tenant_reference
from quotas.errors import ConfigurationError, TenantRequired
from quotas.models import Membership, Override, Tenant
from tests.drf.calling import FACTORY
from tests.drf.rows import make_tenant, make_user

pytestmark = pytest.mark.django_db


def request_by(user=None, auth=None, **headers):
    request = FACTORY.get("/", **headers)
    request.user, request.auth = user or AnonymousUser(), auth
    return request


def test_the_credential_decides_before_membership():
    acme, bolt = make_tenant("acme"), make_tenant("bolt")
    ada = make_user("ada", acme)

    found = resolve_tenant(request_by(ada, SimpleNamespace(tenant=bolt)))

    assert bolt.pk == found


def test_a_credential_of_no_tenant_leaves_it_to_membership():
    acme = make_tenant("acme")
    ada = make_user("ada", acme)

    assert acme.pk == resolve_tenant(request_by(ada, Token.objects.create(user=ada)))
    assert acme.pk == resolve_tenant(request_by(ada, SimpleNamespace(tenant=None)))


def test_a_header_chooses_among_the_users_own_tenants_only():
    acme, bolt, cyan = (make_tenant(key) for key in ("acme", "bolt", "cyan"))
    ada = make_user("ada", acme, bolt, default=acme)

    def found(**headers):
        return resolve_tenant(request_by(ada, **headers))

    assert bolt.pk == found(HTTP_X_TENANT="bolt")
    assert acme.pk == found() == found(HTTP_X_TENANT=cyan.key) == found(HTTP_X_TENANT="none")


def test_the_header_has_the_name_of_the_setting(settings):
    settings.QUOTAS_TENANT_HEADER = "X-Customer"
    acme, bolt = make_tenant("acme"), make_tenant("bolt")
    ada = make_user("ada", acme, bolt, default=acme)

    assert bolt.pk == resolve_tenant(request_by(ada, HTTP_X_CUSTOMER="bolt", HTTP_X_TENANT="acme"))


def test_a_foreign_name_and_an_unknown_one_are_answered_alike():
    ada = make_user("ada", make_tenant("acme"), make_tenant("bolt"))
    make_tenant("cyan")
    said = set()

    for name in ("cyan", "nobodys", None):
        headers = {"HTTP_X_TENANT": name} if name else {}
        with pytest.raises(TenantRequired) as raised:
            resolve_tenant(request_by(ada, **headers))
        said.add(str(raised.value))

    assert 1 == len(said)


def test_who_is_not_authenticated_has_no_tenant():
    make_tenant("acme")

    assert resolve_tenant(request_by(HTTP_X_TENANT="acme")) is None
    assert resolve_tenant(request_by(make_user("ada"), HTTP_X_TENANT="acme")) is None


@pytest.mark.parametrize(
    ("auth", "owner"),
    [
        pytest.param(SimpleNamespace(tenant="acme"), "acme", id="tenant-key-as-tenant"),
        pytest.param(SimpleNamespace(tenant=7), 7, id="primary-key-as-tenant"),
        pytest.param(SimpleNamespace(tenant_id=7), 7, id="tenant_id"),
        pytest.param(SimpleNamespace(tenant_key="acme"), "acme", id="tenant_key"),
        pytest.param(SimpleNamespace(tenant=object(), tenant_key="acme"), "acme", id="foreign"),
        pytest.param(SimpleNamespace(tenant_id="7"), None, id="text-is-no-primary-key"),
        pytest.param({"tenant": "acme"}, None, id="claims-are-for-a-resolver-of-the-project"),
        pytest.param("a token", None, id="text"),
        pytest.param(None, None, id="none"),
    ],
)
def test_a_credential_names_its_tenant_by_an_attribute(auth, owner):
    assert owner == credential_owner(auth)


def test_a_model_names_its_tenant_by_a_foreign_key_without_a_query(django_assert_num_queries):
    member = Membership(tenant=make_tenant("acme"))
    member = Membership(tenant_id=member.tenant_id)

    with django_assert_num_queries(0):
        assert member.tenant_id == credential_owner(member)
    assert credential_owner(Override()) is None
    assert credential_owner(Tenant()) is None


@pytest.mark.parametrize("strange", [True, 1.5, b"acme", object, Tenant()], ids=repr)
def test_what_is_no_tenant_is_refused_by_name(strange):
    with pytest.raises(ConfigurationError, match="the resolver gave"):
        tenant_reference(strange, "the resolver")


@pytest.mark.parametrize("key", ["東京支店", "ü", "bolt"])
def test_a_tenant_is_named_by_any_key_as_servers_hand_its_bytes_on(key):
    assert key == header_text(key.encode().decode("latin-1"))


def test_a_header_that_is_no_utf_8_is_taken_as_it_is():
    assert header_text("ü") == "ü"
    assert header_text(None) is None
