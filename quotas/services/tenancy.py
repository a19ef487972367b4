"""Which tenant a user acts for.

Fixed by membership; a name that the client sends only chooses among its own.
"""

from __future__ import annotations

from quotas.errors import TenantRequired
from quotas.services.attempt import current
from quotas.services.memberships import Belonging
from quotas.services.store import store


def tenants_of(user_pk: object) -> tuple[Belonging, ...]:
    """The tenants that a user belongs to, from the memory of the process."""
    return store.belongings(user_pk, current()).tenants


def choose(user_pk: object, named: str | None) -> int | None:
    """The primary key of the tenant that a user acts for; None for a user of no tenant.

    The only membership; of several, the one ``named`` if it is the user's own, else the default
    one. Raises `TenantRequired` when neither decides. A foreign name and an unknown one are both no
    name at all.
    """
    own = tenants_of(user_pk)
    if len(own) <= 1:
        return own[0].tenant_pk if own else None
    for each in own:
        if named is not None and each.tenant_key == named:
            return each.tenant_pk
    for each in own:
        if each.is_default:
            return each.tenant_pk
    raise TenantRequired(
        "You belong to several tenants and have no default one: name one in the tenant header."
    )
