"""Form fields that read what people write: a period, and percentages."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from quotas.domain.limits import LONGEST_PERIOD
from quotas.domain.periods import read_period, written_period
from quotas.domain.rates import CIVIL
from quotas.errors import InvalidRate
from quotas.models.fields import ThresholdsField

# [0-9], not \d: digits of other scripts look alike and are easily mistaken.
PERCENTAGES = re.compile(r"[0-9]{1,3} ?%?(?: *, *[0-9]{1,3} ?%?)*")


class PeriodField(forms.DurationField):
    """A period as people say it; the error names the field and repeats what was written."""

    widget = forms.TextInput

    def to_python(self, value: Any) -> timedelta | None:
        if isinstance(value, timedelta):
            return value
        text = "" if value is None else str(value).strip()
        if not text:
            return None
        try:
            found = read_period(text)
            if not timedelta(0) < found <= LONGEST_PERIOD:
                raise InvalidRate(text)  # noqa: TRY301 - one answer for every text that is none
            return found
        except InvalidRate as error:
            raise ValidationError(
                self._hint(text), code="invalid", params={"label": self.label, "text": text}
            ) from error

    def prepare_value(self, value: Any) -> Any:
        return written_period(value) if isinstance(value, timedelta) else value

    def _hint(self, text: str) -> Any:
        if any(word in CIVIL for word in re.findall("[a-z]+", text.lower())):
            return _(
                "%(label)s is “%(text)s”: months and years have no fixed length. For those, choose "
                "the calendar quota and its unit."
            )
        return _(
            "%(label)s is “%(text)s”: write “1 minute”, “5m”, “2 hours”, “00:01:00”, or seconds "
            "such as 60; at most 1830 days."
        )


class PercentagesField(forms.JSONField):
    """Percentages between commas, such as “80, 100”; kept in order, each once."""

    widget = forms.TextInput

    def to_python(self, value: Any) -> Any:
        if isinstance(value, list):
            return value
        text = "" if value is None else str(value).strip()
        if not text:
            return []
        if not PERCENTAGES.fullmatch(text):
            raise ValidationError(
                _("%(label)s is “%(text)s”: write percentages between commas, such as 80, 100."),
                code="invalid",
                params={"label": self.label, "text": text},
            )
        return sorted({int(number) for number in re.findall("[0-9]+", text)})

    def bound_data(self, data: Any, initial: Any) -> Any:
        return initial if self.disabled else data

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list) else value


# For `formfield_overrides` of every admin that edits limits.
LIMIT_FORM_FIELDS: dict[type[models.Field[Any, Any]], dict[str, Any]] = {
    models.DurationField: {"form_class": PeriodField},
    # A row that was not touched is told by its default, without a hidden copy of it on the page.
    ThresholdsField: {"form_class": PercentagesField, "show_hidden_initial": False},
}
