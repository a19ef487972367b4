"""The columns that a plan's limit and an override share: a rule, who is counted, how it acts."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.domain.limits import LONGEST_PERIOD, MICROSECOND, MOST_AMOUNT, Rule
from quotas.domain.policies import Limit, Source
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, Mode, OutagePolicy, SubjectKind
from quotas.errors import InvalidLimit
from quotas.models.choices import ALGORITHMS, BUCKETS, MODES, OUTAGE_POLICIES, SUBJECTS, UNITS
from quotas.models.fields import ThresholdsField, usual_thresholds
from quotas.models.limit_checks import CHECKED, limit_checks
from quotas.models.since import Since
from quotas.models.versions import Versioned

CALENDAR = Algorithm.CALENDAR_QUOTA.value
CONCURRENCY = Algorithm.CONCURRENCY.value
OUT_OF_RANGE = {
    "amount": _(
        "The amount is %(value)s: give a whole number from 1 to 10^12; 0 denies all, blank is "
        "unlimited."
    ),
    "capacity": _(
        "The capacity is %(value)s: give a whole number from 1 to 10^12; blank is the amount."
    ),
    "period": _("The period is %(value)s: give one above 0 and at most 1830 days."),
}
"""What `quotas.domain` says of a number that makes no rule, in the language of the reader."""


class LimitFields(Versioned):
    """A limit as it is stored: known by (scope, name), judged by `rule`."""

    since = Since(column="mode", at="mode_since")

    scope = models.CharField(
        _("scope"),
        max_length=200,
        validators=[
            RegexValidator(
                r"^(\*|[A-Za-z0-9_][A-Za-z0-9_.-]*)\Z",
                _("Give letters, digits, dots, hyphens and underscores, or * for every scope."),
            )
        ],
        help_text=_(
            "What is counted: the scope that a view names. * counts all scopes together, "
            "besides their own limits. No default."
        ),
    )
    name = models.SlugField(
        _("name"),
        max_length=50,
        db_index=False,
        help_text=_(
            "By which clients and usage know the limit, such as “minute”: ASCII letters, digits, "
            "hyphens, underscores. A limit that is renamed starts counting anew. No default."
        ),
    )
    title = models.CharField(
        _("title"),
        max_length=100,
        blank=True,
        help_text=_("What people read in place of the name. Default: the name."),
    )
    subject = models.CharField(
        _("subject"),
        max_length=20,
        choices=SUBJECTS,
        default=SubjectKind.TENANT.value,
        help_text=_("Who is counted inside the tenant. Default: the tenant as a whole."),
    )
    algorithm = models.CharField(
        _("algorithm"),
        max_length=30,
        choices=ALGORITHMS,
        default=Algorithm.TOKEN_BUCKET.value,
        help_text=_("How it judges. Another one starts counting anew. Default: token bucket."),
    )
    amount = models.BigIntegerField(
        _("amount"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(MOST_AMOUNT)],
        help_text=_(
            "Units per period. 0 denies all; blank is unlimited but counted. Default: blank."
        ),
    )
    period = models.DurationField(
        _("period"),
        null=True,
        blank=True,
        validators=[MinValueValidator(MICROSECOND), MaxValueValidator(LONGEST_PERIOD)],
        help_text=_(
            "For how long the amount is: “1 minute”, “2h”, “00:01:00”, or seconds. Blank for a "
            "calendar quota. For calls in flight: when a slot that nobody gave back is freed; "
            "blank is 60 seconds. Another period starts a fixed window and a counted sliding "
            "window anew; a log keeps its entries. Otherwise no default."
        ),
    )
    unit = models.CharField(
        _("calendar unit"),
        max_length=10,
        choices=UNITS,
        blank=True,
        help_text=_(
            "The civil period of a calendar quota, in the tenant's time zone. Another one starts "
            "the quota anew. Default: blank, as it must be for every other algorithm."
        ),
    )
    capacity = models.BigIntegerField(
        _("capacity"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_AMOUNT)],
        help_text=_(
            "Units. Token bucket: the most tokens held, the largest burst; tokens held stay as "
            "they are when it is raised, and refill at the rate of the amount. Leaky bucket: the "
            "longest queue. Default: blank, for as many as the amount."
        ),
    )
    mode = models.CharField(
        _("mode"),
        max_length=10,
        choices=MODES,
        default=Mode.ENFORCE.value,
        help_text=_(
            "Enforce denies what is over the limit; shadow only counts what it would deny; off is "
            "not evaluated. Default: enforce."
        ),
    )
    mode_since = models.DateTimeField(
        _("mode since"),
        default=timezone.now,
        editable=False,
        help_text=_("When the limit was put into its mode; it keeps itself. Default: now."),
    )
    outage_policy = models.CharField(
        _("outage policy"),
        max_length=10,
        choices=OUTAGE_POLICIES,
        default=OutagePolicy.ALLOW.value,
        help_text=_("What it answers while Redis gives none. Default: allow."),
    )
    warn_at = ThresholdsField(
        _("warn at"),
        default=usual_thresholds,
        blank=True,
        help_text=_(
            "Percent of what fits. From the first on, the usage page says “near the limit”; "
            "at each, the tenant's managers are alerted once a period. Default: 80, 100."
        ),
    )
    warn_projected = models.BooleanField(
        _("warn when projected"),
        default=True,
        help_text=_(
            "Whether the tenant's managers are alerted, once a period, when a calendar quota will "
            "be used up before its period ends if calls go on as they did. Means nothing for other "
            "algorithms. Default: yes."
        ),
    )

    class Meta:
        abstract = True
        constraints: ClassVar = limit_checks()

    def __str__(self) -> str:
        return f"{self.scope}/{self.name}"

    def clean(self) -> None:
        super().clean()
        if misfits := self._misfits():
            raise ValidationError(misfits)

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        # Only what other rows decide: the rest is said by now, and each check would be a query.
        super().validate_constraints(exclude={*(exclude or ()), *CHECKED})

    @property
    def rule(self) -> Rule:
        """What judges; raises `InvalidLimit` for numbers that the database would refuse."""
        return build_rule(
            algorithm=self.algorithm,
            amount=self.amount,
            period=self.period,
            unit=self.unit or None,
            capacity=self.capacity,
        )

    def as_limit(self, source: Source) -> Limit:
        """The limit in force, as decisions take it."""
        return Limit(
            scope=self.scope,
            name=self.name,
            rule=self.rule,
            title=self.title,
            subject=SubjectKind(self.subject),
            mode=Mode(self.mode),
            outage_policy=OutagePolicy(self.outage_policy),
            warn_at=tuple(self.warn_at or ()),
            warn_projected=self.warn_projected,
            source=source,
        )

    def _misfits(self) -> dict[str, object]:
        """What does not go together, by the field in which it is put right."""
        if self.algorithm not in dict(ALGORITHMS):
            return {}  # the field has said so
        found: dict[str, object] = {}
        if self.algorithm == CALENDAR:
            if not self.unit:
                found["unit"] = _("A calendar quota needs a calendar unit: choose one.")
            if self.period is not None:
                found["period"] = _("A calendar quota has a unit and no period: leave it blank.")
        else:
            if self.unit:
                found["unit"] = _("Only a calendar quota has a calendar unit: leave it blank.")
            if self.period is None and self.algorithm != CONCURRENCY:
                found["period"] = _(
                    "Give a period, such as “1 minute”: for how long is the amount?"
                )
        if self.capacity is not None and self.algorithm not in BUCKETS:
            found["capacity"] = _("Only a bucket has a capacity: leave it blank.")
        return found or self._out_of_range()

    def _out_of_range(self) -> dict[str, object]:
        try:
            self.rule  # noqa: B018
        except InvalidLimit as error:
            field = str(error).partition(" ")[0]
            if field not in OUT_OF_RANGE:
                return {NON_FIELD_ERRORS: str(error)}
            given = {"value": getattr(self, field)}
            return {field: ValidationError(OUT_OF_RANGE[field], code="range", params=given)}
        return {}
