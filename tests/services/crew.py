"""Processes of a site that are killed at any moment: some enforce, some flush, until they are."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from random import Random

from tests.services.neighbour import _set_up

MODULE = "tests.services.crew"
PAUSE = 0.002
"""Seconds between two calls of one worker: they share two cores with everything else."""


class Crew:
    """Starts and kills them. Each worker appends to a file of its own what it was answered.

    They are forks of one process that has everything loaded: a new one works at once.
    """

    def __init__(self, folder, tenants):
        from django.conf import settings
        from django.db import connection

        self.folder, self.running, self.killed = folder, [], Counter()
        self._started = 0
        self._foreman = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._told(
            database=str(connection.settings_dict["NAME"]),
            quotas=settings.CACHES["quotas"],
            tenants=[each.pk for each in tenants],
        )

    def start(self, work):
        """One more: ``enforce`` or ``flush``."""
        self._started += 1
        path = str(self.folder / str(self._started))
        self.running.append((work, self._told(work=work, path=path, seed=self._started)))

    def kill(self, work, pid):
        """As the kernel does when memory runs out: nothing is finished, nothing is said."""
        os.kill(pid, signal.SIGKILL)
        assert -signal.SIGKILL == self._told(ended=pid), f"{work} had ended by itself"
        self.running.remove((work, pid))
        self.killed[work] += 1

    def close(self):
        self.kill_all("enforce", "flush")
        self._foreman.stdin.close()
        self._foreman.wait(timeout=10)
        self._foreman.stdout.close()

    def _told(self, **request):
        self._foreman.stdin.write(json.dumps(request) + "\n")
        self._foreman.stdin.flush()
        return json.loads(self._foreman.stdout.readline())

    def kill_all(self, *works):
        for work, pid in list(self.running):
            if work in works:
                self.kill(work, pid)

    def answered(self):
        """What the workers were answered: {(tenant, A or D): calls}, {tenant: units admitted}."""
        calls, units = Counter(), Counter()
        for path in self.folder.iterdir():
            for line in path.read_text().splitlines():
                tenant, letter, cost = line.split()
                calls[int(tenant), letter] += 1
                units[int(tenant)] += int(cost) * (letter == "A")
        return calls, units


def main():
    told = json.loads(sys.stdin.readline())
    _set_up(told)
    from quotas.services import enforcement, flush  # noqa: F401 - loaded once for all

    _say(None)
    for line in sys.stdin:
        request = json.loads(line)
        if "ended" in request:
            _, status = os.waitpid(request["ended"], 0)
            _say(os.waitstatus_to_exitcode(status))
        elif pid := os.fork():
            _say(pid)
        else:
            _work(told["tenants"], **request)


def _say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _work(tenants, work, path, seed):
    try:
        if work == "enforce":
            _enforce(tenants, path, seed)
        else:
            _flush()
    except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(1)


def _enforce(tenants, path, seed):
    from quotas.services.enforcement import Ask, Caller, enforce

    random, foreman = Random(seed), os.getppid()
    written = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while os.getppid() == foreman:  # none outlives the tests
        tenant, cost = random.choice(tenants), random.choice([1, 1, 1, 3])
        caller = Caller(address="192.0.2.1", user_pk=seed % 3, resolve=lambda: tenant)  # noqa: B023 - called at once
        decision = enforce(caller, [Ask(scope="api", cost=cost)]).decision
        letter = "A" if decision.allowed else "D"
        os.write(written, f"{tenant} {letter} {cost}\n".encode())
        time.sleep(PAUSE)


def _flush():
    from quotas.services.flush import flush

    foreman = os.getppid()
    while os.getppid() == foreman:
        flush()


if __name__ == "__main__":
    main()
