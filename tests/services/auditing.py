"""Short ways to audit, and to write into Redis or wipe it behind the limiter's back."""

from __future__ import annotations

from quotas.domain.keys import owner_key, tenant_tag
from quotas.engine.connection import link
from quotas.services.audit.walk import audit


def named(*keys):
    """What an audit finds: (kind, of, number, the two numbers) of each difference."""
    return [
        (each.kind.value, each.of, each.number, each.first, each.second)
        for each in audit(keys).differences
    ]


def wipe():
    """Redis loses its memory."""
    link().client.flushdb()


def alter_record(tenant, prefix, change):
    """Changes the only record in Redis of which the field begins so: ``u`` quarters, ``h`` hours.

    ``change`` is given its bytes, to be changed in place.
    """
    client, key = link()
    hash_key = key(owner_key(tenant_tag(tenant.pk)))
    (field,) = [each for each in client.hkeys(hash_key) if each.startswith(prefix)]
    record = bytearray(client.hget(hash_key, field))
    change(record)
    client.hset(hash_key, field, bytes(record))


def alter_state(change):
    """Changes the only calendar quota in Redis: its record of 29 bytes, in place."""
    client, _ = link()
    (state,) = [each for each in client.scan_iter() if b":q:" in each]
    record = bytearray(client.get(state))
    change(record)
    client.set(state, bytes(record), keepttl=True)
