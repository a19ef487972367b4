"""The two ways through the page of a limit in shadow: enforce it, or put it in shadow.

Each asks for a reason, says what follows, and turns the mode of the limit's locked row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from quotas.admin.audit import turned
from quotas.admin.shadow_words import consequence
from quotas.admin.tenant_steps import REASON
from quotas.domain.words import Mode
from quotas.models.limit_fields import LimitFields
from quotas.services.shadow import Shadow


class Turn(forms.Form):
    """Puts a limit into ``mode``. ``fits`` tells whether that is to be done.

    ``look`` finds what the limit would have denied, for the page alone; None: nothing to be found.
    """

    title: ClassVar[Any] = ""
    mode: ClassVar[Mode]

    reason = forms.CharField(
        label=_("Reason"), max_length=REASON, widget=forms.TextInput(attrs={"size": 60})
    )

    def __init__(self, look: Callable[[], Shadow] | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.look = look

    @property
    def consequence(self) -> str:
        """What follows, above the form."""
        raise NotImplementedError

    @classmethod
    def fits(cls, limit: LimitFields) -> bool:
        """Whether there is anything to do."""
        raise NotImplementedError

    def take(self, limit: LimitFields) -> str:
        """Turn the mode, and say so, for the history."""
        said = turned("mode", limit.mode, self.mode.value)
        limit.mode = self.mode.value
        limit.save(update_fields=["mode"])
        return f"{said}; reason: {self.cleaned_data['reason']}"


class Enforce(Turn):
    """From now on the limit denies."""

    title = _("Enforce it")
    mode = Mode.ENFORCE

    @property
    def consequence(self) -> str:
        return "" if self.look is None else consequence(self.look())

    @classmethod
    def fits(cls, limit: LimitFields) -> bool:
        return limit.mode == Mode.SHADOW


class PutInShadow(Turn):
    """From now on the limit only counts what it would deny."""

    title = _("Put in shadow")
    mode = Mode.SHADOW

    @property
    def consequence(self) -> str:
        return str(
            _(
                "It denies nothing from then on: what is over it is admitted, and counted as what "
                "it would have denied."
            )
        )

    @classmethod
    def fits(cls, limit: LimitFields) -> bool:
        return limit.mode != Mode.SHADOW


TURNS: dict[str, type[Turn]] = {"enforce": Enforce, "start": PutInShadow}
