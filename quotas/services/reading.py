"""How often somebody may read usage as data, whatever tenant it is of.

The limiter's own limit, counted for each user in a key space of its own: no tenant is looked up,
nothing of a tenant's is spent or touched, and no usage is counted.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from quotas.conf import conf
from quotas.domain.limits import SlidingWindowLog
from quotas.domain.policies import Limit
from quotas.domain.words import SubjectKind
from quotas.services.enforcement import Ask, Caller, enforce

if TYPE_CHECKING:
    from quotas.domain.decisions import Decision

MOST_READS = 120
READS = Limit(
    scope="quotas.usage",
    name="minute",
    rule=SlidingWindowLog(amount=MOST_READS, period=timedelta(minutes=1)),
    subject=SubjectKind.USER,
)


def count_read(user_pk: object) -> Decision | None:
    """Whether a user may read now: 120 times in any minute; None with ``QUOTAS_ENABLED`` off.

    While the engine cannot answer everybody may.
    """
    if not conf.enabled:
        return None
    caller = Caller(address="", user_pk=user_pk)
    return enforce(caller, [Ask(limit=READS, counted=f"reads of user {user_pk}")]).decision
