"""Model fields that check themselves, and that migrations know by the name of Django's own.

A validator or a default of ours would be imported by every migration that mentions the field. These
classes leave both out of what they tell a migration.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from quotas.domain.calendar import zone_named
from quotas.errors import InvalidLimit

Deconstructed = tuple[str, str, list[Any], dict[str, Any]]
PERCENT = 100


class TimeZoneField(models.CharField):  # type: ignore[type-arg]
    """The name of a time zone that this machine knows, such as ``Europe/Berlin``."""

    def deconstruct(self) -> Deconstructed:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", list(args), kwargs

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        super().validate(value, model_instance)
        try:
            zone_named(value)
        except InvalidLimit as error:
            raise ValidationError(str(error), code="unknown_zone") from error


def usual_thresholds() -> list[int]:
    """The thresholds when nobody chose any, in percent."""
    return [80, 100]


class ThresholdsField(models.JSONField):
    """Percentages from 1 to 100, each larger than the one before; an empty list for none."""

    def deconstruct(self) -> Deconstructed:
        name, _path, args, kwargs = super().deconstruct()
        kwargs.pop("default", None)
        return name, "django.db.models.JSONField", list(args), kwargs

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        super().validate(value, model_instance)
        if not isinstance(value, list) or not _ascend(value):
            raise ValidationError(
                _(
                    "%(value)s: give percentages from 1 to 100, each larger than the one before, "
                    "such as [80, 100], or [] for none."
                ),
                code="invalid_thresholds",
                params={"value": value},
            )


def _ascend(values: list[Any]) -> bool:
    if any(type(value) is not int or not 1 <= value <= PERCENT for value in values):
        return False
    return all(first < second for first, second in pairwise(values))
