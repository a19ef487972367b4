"""Pages for tenants: what they may use, and what they have used.

May import `quotas.services`, `quotas.models`, `quotas.domain`, `quotas.conf` and `quotas.errors`;
never `quotas.engine`, the admin, the throttles or the commands.
"""
