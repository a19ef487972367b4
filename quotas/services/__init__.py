"""Use cases without request objects: what applies, enforcing it, what was used, trying it out.

May import `quotas.models`, `quotas.engine`, `quotas.domain`, `quotas.conf`, `quotas.errors` and
`quotas.signals`; never DRF, the admin or views.
"""
