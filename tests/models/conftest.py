from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from quotas.signals import policy_changed


@dataclass
class Heard:
    """What `policy_changed` said, all signals together."""

    tenants: set = field(default_factory=set)
    users: set = field(default_factory=set)
    plans: bool = False
    senders: set = field(default_factory=set)
    times: int = 0

    def hear(self, *, sender, tenant_ids, user_ids, plans, **_):
        assert isinstance(tenant_ids, set)
        assert isinstance(user_ids, set)
        self.tenants |= tenant_ids
        self.users |= user_ids
        self.plans |= plans
        self.senders.add(sender)
        self.times += 1


@pytest.fixture
def hearing(django_capture_on_commit_callbacks):
    """``with hearing() as heard:`` commits what the block writes, and tells what was announced."""

    @contextmanager
    def hear():
        heard = Heard()
        policy_changed.connect(heard.hear)
        try:
            with django_capture_on_commit_callbacks(execute=True):
                yield heard
                assert heard.times == 0, "announced before the commit"
        finally:
            policy_changed.disconnect(heard.hear)

    return hear
