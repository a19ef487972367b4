"""Processes and threads that all ask the same limits at once: run as a program of its own.

Standard input is what `crowd` asks, as JSON; standard output what each process was admitted. It
forks before it has threads, which a test runner cannot promise.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

MODULE = "tests.engine.crowd"
PATIENCE = 120


def crowd(limits, *, processes, calls, threads=1, cost=1, now_us=0):
    """How many calls each process was admitted, of ``calls`` by each of its threads.

    ``limits`` are keyword arguments of `tests.engine.asking.limit`; ``now_us`` 0 is server time.
    """
    from django.conf import settings

    from quotas.conf import conf

    entry = settings.CACHES[conf.cache]
    asked = {
        "location": entry["LOCATION"],
        "prefix": entry.get("KEY_PREFIX", ""),
        "limits": limits,
        "processes": processes,
        "threads": threads,
        "calls": calls,
        "cost": cost,
        "now_us": now_us,
    }
    done = subprocess.run(
        [sys.executable, "-m", MODULE],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def main():
    asked = json.load(sys.stdin)
    _set_up(asked)
    gate_out, gate_in = os.pipe()
    answers = []
    for _ in range(asked["processes"]):
        out, into = os.pipe()
        if os.fork() == 0:
            os.close(gate_in)
            os.read(gate_out, 1)  # until the last end for writing is closed: all are here
            os.write(into, b"%d" % _contend(asked))
            os._exit(0)
        os.close(into)
        answers.append(out)
    os.close(gate_in)
    counts = []
    for out in answers:
        with os.fdopen(out) as answer:
            counts.append(int(answer.read() or -1))
    json.dump(counts, sys.stdout)


def _set_up(asked):
    from tests import settings

    settings.CACHES["quotas"] |= {
        "LOCATION": asked["location"],
        "KEY_PREFIX": asked["prefix"],
    }
    settings.QUOTAS_TIMEOUT = 30
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()


def _contend(asked):
    """How many calls were admitted to all threads of this process."""
    from tests.engine.asking import Asker, limit

    asker = Asker(*(limit(**numbers) for numbers in asked["limits"]))

    def ask(_):
        return sum(
            asker.consume(asked["cost"], now_us=asked["now_us"]).allowed
            for _ in range(asked["calls"])
        )

    if asked["threads"] == 1:
        return ask(0)
    with ThreadPoolExecutor(asked["threads"]) as pool:
        return sum(pool.map(ask, range(asked["threads"])))


if __name__ == "__main__":
    main()
