"""Another process of the site: it asks the limiter what it is told to, one line of JSON each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import traceback

from tests import START_US

MODULE = "tests.services.neighbour"


class Neighbour:
    """Starts it, and talks to it."""

    def __init__(self):
        from django.conf import settings
        from django.db import connection

        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._told(
            database=str(connection.settings_dict["NAME"]),
            quotas=settings.CACHES["quotas"],
        )

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def forget(self):
        """Make it a new process."""
        self._told(do="forget")

    def later(self, seconds):
        """Age what it remembers."""
        self._told(do="later", seconds=seconds)

    def ask(self, tenant=None, **request):
        """What it is answered: the outcome or the code of a refusal, and what is left by limit."""
        return tuple(self._told(do="enforce", **_asked(tenant, **request))["answer"])

    def queries(self, tenant=None, **request):
        """How many queries a request takes there."""
        return self._told(do="enforce", **_asked(tenant, **request))["queries"]

    def flush(self):
        """Copy what is counted, there."""
        return self._told(do="flush")

    def _told(self, **request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "failed" not in (answer or {}), answer["failed"]
        return answer


def _asked(tenant, *, user=None, scope="api", cost=1, now_us=START_US):
    return {
        "tenant": getattr(tenant, "pk", tenant),
        "user": getattr(user, "pk", user),
        "scope": scope,
        "cost": cost,
        "now_us": now_us,
    }


def main():
    _set_up(json.loads(sys.stdin.readline()))
    _say(None)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            _say(_DONE[request.pop("do")](**request))
        except Exception:  # noqa: BLE001 - told to the test
            _say({"failed": traceback.format_exc()})


def _say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _set_up(told):
    from tests import settings

    settings.CACHES["quotas"] = told["quotas"]
    settings.DATABASES["default"]["NAME"] = told["database"]
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()


def _forget():
    from quotas.services.store import store
    from quotas.testing import forget

    forget()
    store.clock = time.monotonic


def _later(seconds):
    from quotas.services.store import store

    usual = store.clock
    store.clock = lambda: usual() + seconds


def _enforce(tenant, user, scope, cost, now_us):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from quotas.errors import Refusal
    from quotas.services.enforcement import Ask, Caller, enforce
    from quotas.services.tenancy import choose
    from quotas.testing import frozen_clock

    def resolve():
        return choose(user, None) if tenant is None and user is not None else tenant

    caller = Caller(address="192.0.2.1", user_pk=user, resolve=resolve)
    with CaptureQueriesContext(connection) as queries, frozen_clock(now_us):
        try:
            decision = enforce(caller, [Ask(scope=scope, cost=cost)]).decision
        except Refusal as refusal:
            answer = [refusal.code, {}]
        else:
            left = {each.limit.name: each.remaining for each in decision.verdicts}
            answer = [decision.outcome, left]
    return {"answer": answer, "queries": len(queries)}


def _flush():
    from dataclasses import asdict

    from quotas.services.flush import flush

    return asdict(flush(START_US))


_DONE = {"forget": _forget, "later": _later, "enforce": _enforce, "flush": _flush}

if __name__ == "__main__":
    main()
