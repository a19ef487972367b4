"""Overrides: which ends soon, who made it, and which of several acts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from quotas.models import Override
from tests.admin.pages import change_url, list_url
from tests.models.rows import a_tenant, a_user, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

NOW = timezone.now()
DAY = timedelta(days=1)


def listed(client, **asked):
    return list(client.get(list_url(Override), asked).context["cl"].result_list)


def test_overrides_that_end_within_7_days_are_found_the_next_first(staff):
    later = an_override(starts_at=NOW - DAY, ends_at=NOW + 6 * DAY)
    sooner = an_override(starts_at=NOW - DAY, ends_at=NOW + DAY)
    an_override(starts_at=NOW - DAY, ends_at=NOW + 8 * DAY)
    an_override(starts_at=NOW - 2 * DAY, ends_at=NOW - DAY)
    an_override(starts_at=NOW + DAY, ends_at=NOW + 2 * DAY)
    an_override(starts_at=NOW - DAY)
    number = staff.get(list_url(Override)).context["cl"].list_display.index("ends")

    assert [sooner, later] == listed(staff, state="soon", o=str(number))


def test_overrides_without_an_end_come_last_when_sorted_by_it(staff):
    for_good = an_override(starts_at=NOW - DAY)
    ending = an_override(starts_at=NOW - DAY, ends_at=NOW + DAY)
    number = staff.get(list_url(Override)).context["cl"].list_display.index("ends")

    assert [ending, for_good] == listed(staff, o=str(number))
    assert [ending, for_good] == listed(staff, o=f"-{number}")


def test_of_several_in_force_the_page_says_which_one_acts(staff):
    tenant = a_tenant()
    first = an_override(tenant, starts_at=NOW - 2 * DAY)
    acting = an_override(tenant, starts_at=NOW - DAY)
    an_override(tenant, starts_at=NOW + DAY)
    other = an_override(tenant, name="hour", starts_at=NOW - 3 * DAY)
    an_override(starts_at=NOW - DAY / 2)
    words = f"in force, but number {acting.pk} began later and acts"

    assert words in staff.get(change_url(first)).content.decode()
    assert 1 == staff.get(list_url(Override)).content.decode().count(words)
    for row in (acting, other):
        assert "began later" not in staff.get(change_url(row)).content.decode()


def test_of_two_that_began_together_the_one_made_last_acts(staff):
    tenant = a_tenant()
    first = an_override(tenant, starts_at=NOW - DAY)
    second = an_override(tenant, starts_at=NOW - DAY)

    assert f"number {second.pk} began" in staff.get(change_url(first)).content.decode()


def test_the_list_says_who_made_an_override(staff):
    an_override(created_by=a_user("zoe"))

    assert (
        '<td class="field-created_by nowrap">zoe</td>'
        in staff.get(list_url(Override)).content.decode()
    )
