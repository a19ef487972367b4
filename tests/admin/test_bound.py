"""Staff who are bound to a tenant see nothing of another on any route of the admin."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from quotas.models import AnonymousQuarter, Membership, Override, Plan, PlanLimit, Status, Tenant
from tests.admin.companies import MARK, OWN, Company, stored
from tests.admin.pages import change_url, list_url, submit
from tests.admin.routes import posts, routes

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

ABSENT = 987_654
ASKED = [
    {},
    {"q": MARK[1:]},
    {"q": OWN},
    {"_facets": "True"},
    {"all": ""},
    {"o": "1"},
    {"o": "-2.3"},
    {"p": "2"},
    {"e": "1"},
    {"_popup": "1", "_to_field": "id"},
    {"tenant": "1", "user": "1", "plan": "1"},
]
"""What addresses of lists and forms may ask for."""
OF_FORMS = [ASKED[0], ASKED[-1]]
each_route = pytest.mark.parametrize("route", routes())
each_row_route = pytest.mark.parametrize(
    "route", [each for each in routes() if each.values[0].about_a_row]
)
each_list = pytest.mark.parametrize("route", [each for each in routes() if not each.values[0].text])
NOBODYS = {AnonymousQuarter, Status}
"""Models whose pages tell of no tenant alone."""


def shown(response):
    """All that an answer tells, but for what is another at each."""
    told = f"{response.status_code} {response.redirect_chain} {response.content.decode()}"
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", told)


@each_route
def test_no_page_of_ones_own_shows_anything_of_another(bound, company, route):
    for address in route.addresses(company.row(route.model).pk):
        for asked in OF_FORMS if route.text else ASKED:
            response = bound.get(address, asked, follow=True)

            assert MARK not in shown(response).lower(), (address, asked)


@each_route
def test_no_answer_to_a_post_shows_or_changes_anything_of_another(
    bound, staff, company, other, route
):
    foreign = {"tenant": other.tenant.pk, "user": other.user.pk, "plan": other.row(Plan).pk}
    asked = list(posts(route, staff, company.row(route.model).pk))
    theirs = marked()

    for address, data in asked:
        put = {name: foreign.get(name.split("-")[-1], value) for name, value in data.items()}
        response = bound.post(address, put, follow=True)

        assert MARK not in shown(response).lower(), address
        assert theirs == marked(), address


@each_row_route
def test_anothers_row_answers_as_one_that_is_not_there(bound, other, route):
    pk, before = other.row(route.model).pk, stored()
    data = {"post": "yes", "_save": "Save", "reason": "because", "name": "new"}

    for address, absent in zip(route.addresses(pk), route.addresses(ABSENT), strict=True):
        for method in (bound.get, bound.head, bound.post):
            nobodys, theirs = (method(each, data, follow=True) for each in (absent, address))

            assert shown(nobodys).replace(str(ABSENT), str(pk)) == shown(theirs)
            assert before == stored()


@each_list
def test_lists_show_the_rows_of_ones_own_and_those_of_all_to_others(
    bound, staff, company, other, route
):
    address, of_tenants = list_url(route.model), route.model not in NOBODYS
    own, everybodys = bound.get(address), staff.get(address)

    assert of_tenants == (OWN in own.content.decode())
    assert MARK in everybodys.content.decode() or route.model is Status
    assert own.status_code == (403 if route.model is Status else 200)


@each_list
@pytest.mark.parametrize("everywhere", ["0", "1"])
def test_an_action_reaches_no_row_of_another(bound, staff, company, other, route, everywhere):
    before = marked()

    for row in (other.row(route.model).pk, ABSENT):
        for address, data in posts(route, staff, row):
            bound.post(address, {**data, "select_across": everywhere})

    assert before == marked()


@each_list
def test_no_address_of_a_list_asks_against_a_foreign_key(bound, company, other, route):
    """It would tell whether a row of another is there: who has this plan, of what tenants."""
    backwards = [each for each in route.model._meta.get_fields() if not each.concrete]

    for relation in backwards:
        for pk in (other.tenant.pk, company.tenant.pk, ABSENT):
            answer = bound.get(list_url(route.model), {relation.name: pk})

            assert answer.status_code in {400, 403}, relation.name


@pytest.mark.parametrize(
    "lookup",
    ["tenant__key__startswith", "user__password__startswith", "user__quota_memberships__tenant"],
)
def test_no_address_of_a_list_asks_for_columns_of_others(bound, company, lookup):
    assert 400 == bound.get(list_url(Membership), {lookup: "x"}).status_code


def test_autocompletion_offers_the_own_tenants_alone(bound, staff, company, other):
    asked = {"app_label": "quotas", "model_name": "override", "field_name": "tenant"}
    address = reverse("admin:autocomplete")

    own = bound.get(address, {**asked, "term": "key"}).json()["results"]
    everybodys = staff.get(address, {**asked, "term": "key"}).json()["results"]

    assert [f"{OWN}-key"] == [each["text"] for each in own]
    assert {f"{OWN}-key", f"{MARK}-key"} == {each["text"] for each in everybodys}


def test_a_plan_that_several_have_counts_the_own_tenants_alone(bound, staff, company, other):
    Tenant.objects.update(plan=company.row(Plan))

    assert [1, 2] == [
        each.get(list_url(Plan)).context["cl"].result_list.get(pk=company.row(Plan).pk).tenant_count
        for each in (bound, staff)
    ]


@pytest.mark.parametrize("model", [Plan, PlanLimit, Tenant, Override, Membership])
def test_pages_of_bound_staff_take_as_many_queries_for_few_rows_as_for_many(
    bound, company, django_assert_max_num_queries, model
):
    address = list_url(model)
    bound.get(address)
    with django_assert_max_num_queries(40) as few:
        bound.get(address)
    for number in range(5):
        more = Company(f"{OWN}{number}")
        Membership.objects.create(user_id=bound.session["_auth_user_id"], tenant=more.tenant)

    with django_assert_max_num_queries(len(few)):
        assert f"{OWN}4" in bound.get(address).content.decode()


@pytest.mark.parametrize(("model", "owner"), [(Override, "tenant"), (PlanLimit, "plan")])
def test_a_row_stays_with_its_owner_whose_history_it_would_take_along(
    staff, company, other, model, owner
):
    row, elsewhere = other.row(model), getattr(company.row(model), owner)

    answer = submit(
        staff, change_url(row), model, **{owner: elsewhere.pk, "amount": "77", "words": ""}
    )

    assert 302 == answer.status_code
    kept = model.objects.get(pk=row.pk)
    assert (getattr(row, owner), 77) == (getattr(kept, owner), kept.amount)


def marked():
    """All rows in which something is marked, as the database has them."""
    found = {
        name: [row for row in rows if MARK in str(row).lower()] for name, rows in stored().items()
    }
    return {name: rows for name, rows in found.items() if name != "LogEntry"}
