"""A return waits for whoever writes one of its rows, and then asks again."""

from __future__ import annotations

from threading import Event

import pytest
from django.db import transaction

from quotas.models import Cap
from tests.admin.pages import form_of
from tests.admin.test_returning import first, refused, return_url
from tests.models.meanwhile import on_postgresql, waited_for
from tests.models.rows import a_limit, a_tenant, an_override
from tests.services.company import in_threads

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.admin.urls"),
    on_postgresql,
]


def a_cap():
    return Cap.objects.create(tenant=a_tenant(), scope="api", name="minute", amount=10)


@pytest.mark.parametrize(
    ("make", "parent"),
    [
        pytest.param(a_limit, "plan", id="plan"),
        pytest.param(an_override, "tenant", id="override"),
        pytest.param(a_cap, "tenant", id="cap"),
    ],
)
def test_a_return_does_not_overwrite_what_another_is_about_to_commit(staff, make, parent):
    row = make()
    rows, written = type(row).objects.filter(pk=row.pk), Event()
    rows.update(amount=20)
    url = return_url(getattr(row, parent), first(row), of=row)
    sent = {**form_of(staff.get(url), "return_form"), "reason": "r"}

    def edit():
        with transaction.atomic():
            rows.update(amount=99)
            written.set()
            waited_for()

    def post():
        assert written.wait(60)
        return staff.post(url, sent)

    _edited, response = in_threads(edit, post)

    assert ["Somebody has changed it meanwhile: look at what would change now."] == refused(
        response
    )
    assert 99 == rows.get().amount
