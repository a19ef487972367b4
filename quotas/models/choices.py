"""The vocabularies of `quotas.domain.words` as choices: the stored word, and what people read."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from quotas.domain.words import Algorithm, CalendarUnit, Mode, OutagePolicy, SubjectKind

# Plain strings, not the enums' members: migrations must not import the app's code.
ALGORITHMS = [
    (Algorithm.TOKEN_BUCKET.value, _("token bucket")),
    (Algorithm.LEAKY_BUCKET.value, _("leaky bucket")),
    (Algorithm.FIXED_WINDOW.value, _("fixed window")),
    (Algorithm.SLIDING_WINDOW_COUNTER.value, _("sliding window, counted")),
    (Algorithm.SLIDING_WINDOW_LOG.value, _("sliding window, exact")),
    (Algorithm.CALENDAR_QUOTA.value, _("calendar quota")),
    (Algorithm.CONCURRENCY.value, _("calls in flight")),
]
BUCKETS = [Algorithm.TOKEN_BUCKET.value, Algorithm.LEAKY_BUCKET.value]
UNITS = [
    (CalendarUnit.DAY.value, pgettext_lazy("calendar unit", "day")),
    (CalendarUnit.WEEK.value, pgettext_lazy("calendar unit", "week")),
    (CalendarUnit.MONTH.value, pgettext_lazy("calendar unit", "month")),
    (CalendarUnit.YEAR.value, pgettext_lazy("calendar unit", "year")),
]
SUBJECTS = [
    (SubjectKind.TENANT.value, _("the tenant")),
    (SubjectKind.USER.value, _("each user")),
    (SubjectKind.CREDENTIAL.value, _("each credential")),
    (SubjectKind.ADDRESS.value, _("each address")),
]
MODES = [
    (Mode.ENFORCE.value, _("enforce")),
    (Mode.SHADOW.value, _("shadow")),
    (Mode.OFF.value, _("off")),
]
OUTAGE_POLICIES = [
    (OutagePolicy.ALLOW.value, _("allow")),
    (OutagePolicy.DENY.value, _("deny")),
]
ROLES = [
    ("viewer", _("viewer")),
    ("manager", _("manager")),
]
