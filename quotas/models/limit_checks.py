"""What the database itself refuses in a limit, as far as SQL can say it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import BaseConstraint, CheckConstraint, Q
from django.utils.translation import gettext_lazy as _

from quotas.domain.limits import LONGEST_PERIOD, MOST_AMOUNT
from quotas.domain.words import Algorithm
from quotas.models.choices import ALGORITHMS, BUCKETS, MODES, OUTAGE_POLICIES, SUBJECTS, UNITS

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

VOCABULARIES = {
    "algorithm": ALGORITHMS,
    "subject": SUBJECTS,
    "mode": MODES,
    "outage_policy": OUTAGE_POLICIES,
}

# What `clean_fields` and `clean` say of a row, each on the field where it is put right.
CHECKED = frozenset({*VOCABULARIES, "amount", "capacity", "period", "unit", "starts_at", "ends_at"})


def limit_checks() -> list[BaseConstraint]:
    """One constraint a rule, named for the table and the column it guards."""
    return [*_ranges(), *_shapes(), *_vocabularies()]


def _ranges() -> list[CheckConstraint]:
    return [
        _check(
            "amount",
            Q(amount=None) | Q(amount__gte=0, amount__lte=MOST_AMOUNT),
            _("The amount must be blank or from 0 to 10^12."),
        ),
        _check(
            "capacity",
            Q(capacity=None) | Q(capacity__gte=1, capacity__lte=MOST_AMOUNT, algorithm__in=BUCKETS),
            _("The capacity must be blank, or from 1 to 10^12 and of a bucket."),
        ),
        _check(
            "period",
            Q(period=None) | Q(period__gt=timedelta(0), period__lte=LONGEST_PERIOD),
            _("The period must be blank, or above 0 and at most 1830 days."),
        ),
    ]


def _shapes() -> list[CheckConstraint]:
    calendar = Q(algorithm=Algorithm.CALENDAR_QUOTA.value)
    in_flight = Q(algorithm=Algorithm.CONCURRENCY.value)
    units = [unit for unit, _label in UNITS]
    return [
        _check(
            "shape",
            (calendar & Q(unit__in=units, period=None))
            | (~calendar & Q(unit="") & (in_flight | Q(period__isnull=False))),
            _("A calendar quota has a calendar unit and no period; other limits have a period."),
        )
    ]


def _vocabularies() -> list[CheckConstraint]:
    return [
        _check(
            column,
            Q(**{f"{column}__in": [word for word, _label in choices]}),
            _("A word that is not one of the choices."),
        )
        for column, choices in VOCABULARIES.items()
    ]


def _check(what: str, condition: Q, message: str | _StrPromise) -> CheckConstraint:
    return CheckConstraint(
        condition=condition,
        name=f"%(app_label)s_%(class)s_{what}",
        violation_error_message=message,
    )
