"""Which tenant a user acts for.

Fixed by membership; a name that the client sends only chooses among its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from quotas.errors import TenantRequired
from quotas.services.attempt import current
from quotas.services.memberships import Belonging
from quotas.services.store import store

READ_AGAIN_SECONDS = 1.0


def tenants_of(user_pk: object) -> tuple[Belonging, ...]:
    """The tenants that a user belongs to, from the memory of the process."""
    return store.belongings(user_pk, current()).tenants


def _read_again(user_pk: object) -> Iterator[Belonging]:
    """The tenants of a user as the database has them, for a name that none of them had.

    One may have been renamed since. At most once a second, so that wrong names cost no more.
    """
    since = store.known_since(user_pk)
    if since is not None and store.clock() - since >= READ_AGAIN_SECONDS:
        store.drop_user(user_pk)
        yield from tenants_of(user_pk)


def choose(user_pk: object, named: str | None) -> int | None:
    """The primary key of the tenant that a user acts for; None for a user of no tenant.

    The only membership; of several, the one ``named`` if it is the user's own, else the default
    one. Raises `TenantRequired` when neither decides. A foreign name and an unknown one are both no
    name at all.
    """
    own = tenants_of(user_pk)
    if len(own) <= 1:
        return own[0].tenant_pk if own else None
    if named is not None:
        for each in chain(own, _read_again(user_pk)):  # again only when none of the first is it
            if each.tenant_key == named:
                return each.tenant_pk
    for each in own:
        if each.is_default:
            return each.tenant_pk
    raise TenantRequired(
        "You belong to several tenants and have no default one: name one in the tenant header."
    )
