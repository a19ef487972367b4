"""What a server is told, as it reports itself: commands of clients, and those of scripts."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_hex

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import ResponseError

from quotas.engine.connection import link


@dataclass
class Watched:
    """Commands in their order, each a list of words; bytes that are not printable are escaped."""

    by_clients: list = field(default_factory=list)
    by_scripts: list = field(default_factory=list)

    @property
    def names(self):
        """The commands of clients alone: what went over the wire."""
        return [command[0].upper() for command in self.by_clients]


@contextmanager
def watching(url):
    """``with watching(url) as watched:`` fills ``watched`` when the block has ended."""
    found, token = Watched(), token_hex(8)
    with Redis.from_url(url) as bell, Redis.from_url(url) as watcher:
        bell.ping()  # its handshake comes before
        with watcher.monitor() as monitor:
            yield found
            bell.echo(token)
            own = int(bell.get_connection_kwargs().get("db") or 0)
            while (told := monitor.next_command())["command"] != f"ECHO {token}":
                if int(told["db"]) != own:  # another worker's, on a server that both were given
                    continue
                by_script = told["client_type"] == "lua"
                kept = found.by_scripts if by_script else found.by_clients
                kept.append(told["command"].split(" "))


def slot_of(key):
    """The number of the cluster slot of a key, by the server's own reckoning if it tells."""
    try:
        return link().client.execute_command("CLUSTER", "KEYSLOT", key)
    except ResponseError:  # Redis tells it on a cluster alone
        return key_slot(key.encode())
