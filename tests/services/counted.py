"""What was counted, in Redis and in the database, as plain numbers."""

from __future__ import annotations

from datetime import timedelta

from quotas.domain.calendar import EPOCH
from quotas.domain.keys import tenant_tag
from quotas.engine.tallies import tallies_of
from quotas.models import CalendarBalance, UsageQuarter
from tests import START_US

START = EPOCH + timedelta(microseconds=START_US)
QUARTER, HOUR, DAY = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)


def quarters_of(tenant):
    """Its quarters in Redis."""
    (found,) = tallies_of([tenant_tag(tenant.pk)])
    return found.quarters


def only(tenant):
    """Its only quarter in Redis."""
    (found,) = quarters_of(tenant)
    return found


def hours_of(tenant):
    """Its hours in Redis."""
    (found,) = tallies_of([tenant_tag(tenant.pk)])
    return found.hours


def hour_of(tenant):
    """Its only hour in Redis."""
    (found,) = hours_of(tenant)
    return found


def rows(tenant=None):
    """(start after `START`, scope, admitted, denied) of the rows that the database has."""
    found = UsageQuarter.objects.all() if tenant is None else tenant.quarters.all()
    return [(each.start - START, each.scope, each.admitted, each.denied) for each in found]


def admitted(tenant):
    """Calls admitted, all rows of the database together."""
    return sum(tenant.quarters.values_list("admitted", flat=True))


def balances(tenant):
    """{(scope, name, subject): used} of the balances that the database has."""
    found = CalendarBalance.objects.filter(tenant=tenant)
    return {(each.scope, each.name, each.subject): each.used for each in found}
