"""What is asked before a tenant is saved: of its plan, and of its own limits on its page."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from quotas.admin.asking_rows import AskingRows, goes
from quotas.admin.limit_questions import question_of_overrides
from quotas.admin.parents import InlineFormSet
from quotas.admin.questions import NOTHING, Asking, Question
from quotas.models import Plan, Tenant
from quotas.services.tenant_changes import lost_in, of_plan, outlooks_of


class TenantForm(Asking):
    """A tenant: what another plan means for it."""

    def question(self, now: datetime) -> Question:
        if self.before.plan_id == self.instance.plan_id:
            return NOTHING
        return question_of_plan(self.before, self.instance.plan, now)


class OverrideFormSet(AskingRows, InlineFormSet):
    """The tenant's own limits, under the plan that it is given on the same page."""

    def question(self) -> Question:
        if self.instance.pk is None:
            return NOTHING
        changed = [form for form in self.forms if goes(form) or form.has_changed()]
        gone = [form.before for form in changed if form.before.pk is not None]
        made = [form.instance for form in changed if not goes(form)]
        if not changed:
            return NOTHING
        return question_of_overrides(gone, made, timezone.now(), self.instance)


def question_of_plan(tenant: Tenant, plan: Plan | None, now: datetime) -> Question:
    """What it means for a tenant to be moved to a plan; None: the default one."""
    changes = of_plan(tenant, plan, now=now)
    return Question(outlooks=outlooks_of(changes, now=now), removals=lost_in(changes))
