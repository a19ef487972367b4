"""What of a return whoever asks may do: of each row, what its form would let them change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from quotas.admin.bound import out_of_reach
from quotas.services.returning import Return


def narrowed(request: HttpRequest, site: Any, returns: list[Return]) -> tuple[list[Return], str]:
    """What of them is left to whoever asks, and a sentence on what stays as it is.

    Raises `ValidationError` when nothing is left, or when a row would point to what they cannot
    choose; `PermissionDenied` when they lack the permission for one.
    """
    must_be_allowed(request, returns)
    closed: dict[str, None] = {}
    for back in returns:
        for field in _closed(request, site, back):
            back.leave(field)
            closed[str(field.verbose_name)] = None
    left = [back for back in returns if back.does_something]
    fields = {"fields": ", ".join(closed)}
    if closed and not left:
        message = _("Nothing would change but what you may not change: %(fields)s.")
        raise ValidationError(message, code="closed", params=fields)
    if not left:
        raise ValidationError(_("Nothing would change: it is as it was then."), code="same")
    if wrong := out_of_reach(request, [(back.before, back.after) for back in left]):
        raise ValidationError(wrong)
    stays = _("You may not change this, so it stays as it is: %(fields)s.") % fields
    return left, stays if closed else ""


def must_be_allowed(request: HttpRequest, returns: Sequence[Return]) -> None:
    """Refuse whoever lacks the permission for one of these."""
    staff: Any = request.user
    needed = {f"quotas.{back.verb}_{back.model._meta.model_name}" for back in returns}  # noqa: SLF001 - Django's documented name
    if not staff.has_perms(needed):
        raise PermissionDenied


def _closed(request: HttpRequest, site: Any, back: Return) -> list[Any]:
    """The fields that would change, which the form of the row would not let them change."""
    changes = back.changes
    if not changes or not site.is_registered(back.model):
        return []
    form = site.get_model_admin(back.model).get_form(request, back.before, change=True)
    return [field for field in changes if field.name not in form.base_fields]
