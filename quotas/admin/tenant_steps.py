"""The steps that staff take with one tenant, each with its reason: what is asked, what is done.

A step runs inside a transaction, on the tenant's locked row, and says what it changed.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quotas.admin.audit import turned
from quotas.admin.questions import NOTHING, Question
from quotas.admin.tenant_questions import question_of_plan
from quotas.models import Plan, Tenant

REASON = 200


class Step(forms.Form):
    """A step: ``title`` on its button, ``consequence`` above its form.

    ``fits`` tells whether its button is shown; the step itself looks again. ``edits``: whether what
    applies to the tenant was changed.
    """

    edits = True

    title: ClassVar[Any] = ""
    consequence: ClassVar[Any] = ""
    permission: ClassVar[str] = "quotas.change_tenant"

    reason = forms.CharField(
        label=_("Reason"), max_length=REASON, widget=forms.TextInput(attrs={"size": 60})
    )
    field_order = ["limit", "plan", "amount", "extra", "until", "reason"]

    def __init__(self, tenant: Tenant, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tenant = tenant

    @classmethod
    def fits(cls, tenant: Tenant) -> bool:  # noqa: ARG003 - others look at it
        """Whether there is anything to do."""
        return True

    def question(self) -> Question:
        """What is asked before it is done, once the form is valid."""
        return NOTHING

    def take(self, tenant: Tenant, staff: Any) -> str:
        """Do it, and say what was changed, for the history."""
        raise NotImplementedError

    def follow(self) -> str:
        """Do what no transaction takes back, once the history is committed; what came of it.

        That stands in the history then in place of what `take` said. Raises `ValidationError` when
        nothing was done, and the entry is taken back.
        """
        return ""

    def done(self, tenant: Tenant) -> tuple[int, str]:
        """What the tenant's page tells once it is done, and at which level of messages."""
        values = {"step": self.title, "tenant": tenant}
        return messages.SUCCESS, gettext("%(step)s: done for %(tenant)s.") % values


class Suspend(Step):
    """Refuses every request of the tenant."""

    title = _("Suspend")
    consequence = _("Every request of the tenant is refused with 403 from its next one on.")

    @classmethod
    def fits(cls, tenant: Tenant) -> bool:
        return not tenant.suspended

    def take(self, tenant: Tenant, staff: Any) -> str:
        return _set(tenant, "suspended", True)  # noqa: FBT003 - the value of the field


class Resume(Step):
    """Admits its requests again."""

    title = _("Resume")
    consequence = _("Requests of the tenant are admitted again, within its limits.")

    @classmethod
    def fits(cls, tenant: Tenant) -> bool:
        return tenant.suspended

    def take(self, tenant: Tenant, staff: Any) -> str:
        return _set(tenant, "suspended", False)  # noqa: FBT003 - the same


class MovePlan(Step):
    """Gives the tenant another plan."""

    title = _("Move to another plan")
    consequence = _(
        "The limits of the other plan apply from the next request on. What was used under the same "
        "scope and name stays used; overrides stay in force."
    )

    plan = forms.ModelChoiceField(
        label=_("Plan"),
        queryset=Plan.objects.filter(active=True),
        required=False,
        empty_label=_("(the default plan)"),
    )

    def clean_plan(self) -> Plan | None:
        """Another one than it has."""
        plan: Plan | None = self.cleaned_data["plan"]
        if plan == self.tenant.plan:
            raise ValidationError(_("The tenant is on this plan already."), code="same")
        return plan

    def question(self) -> Question:
        return question_of_plan(self.tenant, self.cleaned_data["plan"], timezone.now())

    def take(self, tenant: Tenant, staff: Any) -> str:
        return _set(tenant, "plan", self.cleaned_data["plan"])


class ResetCounters(Step):
    """Gives back all that the tenant has used."""

    title = _("Reset counters")
    consequence = _("All counters of the tenant start anew: whatever it has used is given back.")

    def take(self, tenant: Tenant, staff: Any) -> str:
        return f"counters reset; {_set(tenant, 'epoch', tenant.epoch + 1)}"


def _set(tenant: Tenant, field: str, value: Any) -> str:
    said = turned(field, getattr(tenant, field), value)
    setattr(tenant, field, value)
    tenant.save(update_fields=[field])
    return said
