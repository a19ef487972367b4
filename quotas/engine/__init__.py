"""The code that talks to Redis.

One script that decides, one connection, the versions and marks beside the states.

May import `quotas.domain`, `quotas.conf`, `quotas.errors`, redis and django_redis; never models,
services or DRF.
"""
