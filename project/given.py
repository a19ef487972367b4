"""The servers that the environment gives the demo, tried before anything is started.

Imports what it tries them with when it is asked: most demos bring servers of their own.
"""

from __future__ import annotations

import importlib

SECONDS = 2.0
"""How long a given Redis may take to answer."""


def trouble_with_redis(url: str) -> str:
    """Why the Redis of this address gives no answer; nothing when it does. Tells no password."""
    import redis  # noqa: PLC0415 - see above

    try:
        with redis.Redis.from_url(
            url, socket_timeout=SECONDS, socket_connect_timeout=SECONDS
        ) as client:
            client.ping()
    except redis.RedisError as error:
        return str(error).rstrip(".")
    except (ValueError, OSError) as error:  # what a ValueError says may quote the address
        return type(error).__name__
    return ""


def trouble_with_database(url: str) -> str:
    """Why Django has no way to the database of this address; nothing when it has.

    It is not connected to. Tells no password.
    """
    import dj_database_url  # noqa: PLC0415 - see above
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415 - see above

    try:
        importlib.import_module(f"{dj_database_url.parse(url)['ENGINE']}.base")
    except dj_database_url.UnknownSchemeError:
        return "no database has such a scheme: give postgres://, mysql:// or sqlite:///"
    except (ImportError, ImproperlyConfigured) as error:
        return (
            f"{str(error).splitlines()[0].rstrip('.')}. Install its driver; that of "
            "PostgreSQL: python3 -m pip --python .venv/bin/python install 'psycopg[binary]'"
        )
    except ValueError:
        return "it cannot be read: give postgres://user:password@host/name"
    return ""
