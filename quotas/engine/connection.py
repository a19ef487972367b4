"""The one place where clients of Redis are built and found.

A limiter must answer within one short timeout and never ask twice: redis-py's default number of
retries is 0, 3 or 10 by version, so it is set here, together with the timeouts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.cache import caches
from django.core.signals import setting_changed
from django_redis.cache import RedisCache  # type: ignore[import-untyped]
from django_redis.pool import (  # type: ignore[import-untyped]
    ConnectionFactory as DjangoRedisFactory,
)
from redis.backoff import NoBackoff
from redis.retry import Retry

from quotas.conf import conf
from quotas.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from redis import ConnectionPool, Redis


class ConnectionFactory(DjangoRedisFactory):  # type: ignore[misc]  # untyped
    """Builds clients of one attempt: ``QUOTAS_TIMEOUT`` to connect and to read, no retries.

    Name it as ``CONNECTION_FACTORY`` in the OPTIONS of the alias of ``QUOTAS_CACHE``. Its pools are
    its own: django-redis shares one pool among all aliases of an address, whoever built it first.
    """

    _pools: dict[Any, ConnectionPool] = {}

    def make_connection_params(self, url: str) -> dict[str, Any]:
        """The parent's parameters, with ours over them."""
        return dict(super().make_connection_params(url), **single_attempt())

    def get_or_create_connection_pool(self, params: dict[str, Any]) -> ConnectionPool:
        """One pool an address and timeout, so that a changed setting builds a new one."""
        key = (
            params["url"],
            params["socket_timeout"],
            params.get("username"),
            params.get("password"),
            repr(self.pool_cls_kwargs),
        )
        if key not in self._pools:
            self._pools[key] = self.get_connection_pool(params)
        return self._pools[key]

    def get_connection_pool(self, params: dict[str, Any]) -> ConnectionPool:
        """A pool whose values neither CONNECTION_POOL_KWARGS nor the address overrides."""
        pool: ConnectionPool = super().get_connection_pool(params)
        pool.connection_kwargs.update(single_attempt())
        return pool


def single_attempt() -> dict[str, Any]:
    """The connection arguments that make a call one attempt within ``QUOTAS_TIMEOUT``."""
    values: dict[str, Any] = {
        "socket_timeout": conf.timeout,
        "socket_connect_timeout": conf.timeout,
        "retry": Retry(NoBackoff(), 0),
        "retry_on_timeout": False,
        "retry_on_error": [],
        "decode_responses": False,  # the script answers in bytes
    }
    try:
        from redis.maint_notifications import MaintNotificationsConfig  # noqa: PLC0415 - redis-py 7 and later only
    except ImportError:
        return values
    return values | {"maint_notifications_config": MaintNotificationsConfig(enabled=False)}


def cache() -> RedisCache:
    """A django-redis cache as ``QUOTAS_CACHE`` has it.

    A new one: those that Django keeps go on with the client, and so the timeouts, that they
    began with. Raises `ConfigurationError` for any other kind.
    """
    found = caches.create_connection(conf.cache)
    if not isinstance(found, RedisCache):
        raise ConfigurationError(
            f"QUOTAS_CACHE is {conf.cache!r}, whose backend is {type(found).__name__}: "
            "give it the BACKEND django_redis.cache.RedisCache."
        )
    return found


class Link(NamedTuple):
    """A client of the primary, and the key function of its cache alias."""

    client: Redis
    key: Callable[[str], str]


_links: dict[str, Link] = {}


def link() -> Link:
    """The link of ``QUOTAS_CACHE``, kept for the process.

    Looking it up anew costs a tenth of a round trip.
    """
    found = _links.get(conf.cache)
    if found is None:
        backend = cache()
        found = Link(
            backend.client.get_client(write=True), lambda text: str(backend.make_key(text))
        )
        _links[conf.cache] = found
    return found


def is_linked() -> bool:
    """Whether this process has asked for the link: asking with `link` would make one."""
    return conf.cache in _links


def forget_links(**kwargs: Any) -> None:
    """Build links anew, after a setting that they depend on has changed."""
    if kwargs.get("setting", "CACHES") in {"CACHES", "QUOTAS_CACHE", "QUOTAS_TIMEOUT"}:
        _links.clear()


setting_changed.connect(forget_links, dispatch_uid="quotas.engine.connection")
